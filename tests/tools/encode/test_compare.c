/* encode --compare: which words are paired, and what is said of their vectors. That the numbers are
 * those of the vectors is test_encode.c's matter. */
#include "tests/tools/shell.h"
#include "tests/weight_surgery.h"

#include <math.h>
#include <string.h>

enum { SCREEN_COLUMNS = 80 };

/* The text with blanks for line ends: sentences are broken where the screen ends. */
static const char *unwrap(char *text)
{
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    return text;
}

TEST(compare_of_stdin)
{
    shell_expect(0, "$ENCODE --compare 'I ride zoo' 'zoo ride I' >arguments");
    assert_string_equal(
        shell_expect(0, "printf 'I ride zoo\\nzoo ride I' | $ENCODE --compare | cmp - arguments")
            ->err,
        "");
    static const char *const inputs[][2] = {{"printf ''", "two texts; stdin has none"},
                                            {"echo I", "two texts; stdin has one line"},
                                            {"seq 3", "two texts; stdin has more than two lines"}};
    for (int i = 0; i < 3; i++) {
        const struct shell_result *result = shell_expect(1, "%s | $ENCODE --compare", inputs[i][0]);
        assert_contains(result->err, inputs[i][1]);
        assert_string_equal(result->out, "");
    }
    assert_contains(
        shell_expect(
            0,
            "printf 'I\\nI ride bike I\\n' | $ENCODE --compare --max-tokens 4 --on-long truncate")
            ->err,
        "line 2 of stdin was cut to 4 of its 6 tokens");
    assert_contains(shell_expect(2, "$ENCODE --compare --input jsonl </dev/null")->err,
                    "goes without --input jsonl");
    assert_contains(shell_expect(2, "$ENCODE --compare I")->err,
                    "or none to read two lines of stdin");
}

TEST(compare_with_positions)
{
    char *out = shell_expect(0, "$ENCODE --compare 'I ride bike' 'bike ride I'")->out;
    assert_contains(out, "\nA: I ride bike\nB: bike ride I\n");
    assert_contains(out, "\ni        1     3  ");
    assert_contains(out, "\nride     2     2  ");
    assert_contains(out, "\nbike     3     1  ");
    assert_contains(unwrap(out), "With sinusoidal positions the same word in another place gets "
                                 "another vector: the words that moved differ by ");
    assert_lacks(out, "[CLS]");
}

TEST(compare_without_positions)
{
    char *out =
        shell_expect(0, "$ENCODE --compare --position none 'I ride bike' 'bike ride I'")->out;
    assert_contains(out, "no positions, full mask");
    assert_contains(unwrap(out), "the same words have the same vectors up to rounding");
    out = shell_expect(
              0, "$ENCODE --compare --position none --mask causal 'I ride bike' 'bike ride I'")
              ->out;
    assert_contains(unwrap(out), "Even without positions a causal mask lets order show");
}

TEST(compare_other_cases)
{
    char *out = shell_expect(0, "$ENCODE --compare 'I ride' 'dog cat'")->out;
    assert_contains(out, "only in A: i ride\nonly in B: dog cat\n");
    assert_contains(out, "share no word");
    assert_contains(unwrap(shell_expect(0, "$ENCODE --compare 'I ride' 'i RIDE'")->out),
                    "The same words in the same order: the same vectors (largest difference 0).");
    assert_contains(shell_expect(0, "$ENCODE --compare 'I ride bike' 'I ride dog'")->out,
                    "The texts have different words");
    assert_contains(
        unwrap(shell_expect(0, "$ENCODE --compare --mask causal 'I ride bike' 'I ride dog'")->out),
        "with a causal mask a word sees only itself and what comes before it");
    /* Unknown words share an id and are not the same word. */
    out = shell_expect(0, "$ENCODE --compare 'I zoo' 'I moo'")->out;
    assert_contains(out, "only in A: zoo\nonly in B: moo\n");
    assert_contains(shell_expect(0, "$ENCODE --compare '' ''")->out, "share no word");
}

/* What the last sentence says of models in which less of a text reaches a word. */
TEST(sentences_of_other_models)
{
    static const char *const cases[][3] = {
        {"-m flat.weights --position none --mask causal", "'a b' 'b a'",
         "The shared words have the same vectors up to rounding (largest difference 0)."},
        {"-m flat.weights --position none", "'a b' 'b c'",
         "The shared words have the same vectors up to rounding (largest difference 0)."},
        {"-m flat.weights --position-scale 0", "'a b' 'b a'",
         "Without positions and with a full mask"},
        {"-m flat.weights --position-scale 1e-12", "'a b' 'b a'",
         "what the sinusoidal positions add in these places is the same, or too little to show"},
        {"-m flat.weights", "'a b' 'b c'",
         "takes in its word and its word's place (there are no layers)"},
        {"-m index.weights", "'a b' 'a b c'",
         "takes in the whole text and, as index positions do, the number of tokens: "},
        {"-m index.weights", "'a b' 'b c a'",
         "takes in the whole text, its word's place and, as index positions do, the number of "
         "tokens: "},
        {"-m index.weights", "'a b c' 'd b a'", "takes in the whole text and its word's place: "},
        {"-m index.weights --mask causal", "'a b c' 'd b'",
         "takes in all that comes before its word"},
        {"-m index.weights --mask causal", "'a b c' 'a b d'",
         ": with a causal mask a word sees only itself and what comes before it."},
        {"-m rotary.weights --position none", "'a b c d' 'a d c b'",
         "With rotary positions the same word in another place gets another vector: "},
        {"-m rotary.weights --position learned", "'a b c d' 'a d c b'",
         "With learned positions the same word in another place gets another vector: "},
        {"-m window.weights", "'a b c d' 'a c b d'",
         "Even without positions a window lets order show, because a word sees only those next "},
    };
    shell_expect(0, "$NEW -o flat.weights --layers 0 --width 8 --words 'a b c d' && $NEW -o "
                    "index.weights --layers 1 --width 8 --position index --words 'a b c d'");
    shell_expect(0, "$NEW -o rotary.weights --layers 1 --width 8 --position learned --words 'a b c "
                    "d' --set attention_position=rotary && $NEW -o window.weights --layers 1 "
                    "--width 8 --position none --words 'a b c d' --set window=1");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_contains(
            unwrap(shell_expect(0, "$ENCODE %s --compare %s", cases[i][0], cases[i][1])->out),
            cases[i][2]);
    assert_contains(shell_expect(1, "$ENCODE --compare <&-")->err, "cannot read line 1 of stdin");
    assert_contains(shell_expect(1, "$ENCODE --compare I \"$(yes I | head -n 20 | xargs)\"")->err,
                    "text 2 has 22 tokens and the limit is 16");
}

TEST(sentence_leaves_out_words_that_stay_the_same)
{
    /* All are one token to the model, so the one in the middle sees the same. */
    const char *out =
        unwrap(shell_expect(0, "$ENCODE --compare 'eins zwei drei' 'drei zwei eins'")->out);
    assert_contains(out, "those in the same place not at all.");
    assert_lacks(out, "by up to 0");
    out = unwrap(shell_expect(0, "$ENCODE --compare 'I ride bike' 'bike ride I'")->out);
    assert_contains(out, ", and those in the same place by up to 0.");
    assert_contains(out, " because the others moved.");
}

TEST(unknown_words_are_named)
{
    const char *out = shell_expect(0, "$ENCODE --compare 'zoo I moo zoo' 'moo I boo'")->out;
    assert_contains(
        out, "\nzoo, moo, boo are not in the vocabulary: all start from the vector of [UNK]\n");
    assert_contains(shell_expect(0, "$ENCODE --compare 'I zoo' 'zoo I'")->out,
                    "\nzoo is not in the vocabulary: it starts from the vector of [UNK]\n");
    assert_lacks(shell_expect(0, "$ENCODE --compare 'I ride' 'ride I'")->out, "vocabulary:");
    assert_contains(shell_expect(0, "$ENCODE --compare 'b c d e f g h j k' 'b'")->out,
                    "\nb, c, d, e, f, g, h, j and others are not in the vocabulary");
    out = shell_expect(0, "$ENCODE -f json --compare 'zoo I moo' 'boo I zoo'")->out;
    assert_contains(out, "{\"word\": \"zoo\", \"unknown\": true, \"position_a\": 1, ");
    assert_contains(out, "{\"word\": \"i\", \"position_a\": 2, ");
    assert_contains(out, "\"only_a\": [{\"word\": \"moo\", \"unknown\": true, \"position\": 3}], "
                         "\"only_b\": [{\"word\": \"boo\", \"unknown\": true, \"position\": 1}]");
}

/* The embedding of the first word holds NaN: nothing is printed of it, in any format. */
TEST(numbers_that_are_none)
{
    static const char *const tasks[] = {
        "--compare 'b b' 'b a'",
        "-f json --compare b a",
        "--similarity b a",
        "-f json --similarity b a",
        "--rank b a",
        "-f json --rank b a",
        "-f csv --rank b --in-order a",
        "-p mean -f npy b a",
        "-f json b a",
    };
    shell_expect(0, "$NEW --words 'a b' --layers 1 --width 8 --heads 1 -o nan.weights");
    put_number("nan.weights", "embedding.token.weight", 0, NAN);
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        const struct shell_result *result = shell_expect(1, "$ENCODE -m nan.weights %s", tasks[i]);
        assert_contains(result->err, "gives NaN or an infinity: tensor 'embedding.token.weight' ");
        assert_contains(result->err, strstr(tasks[i], "--rank") ? "text 1 gives" : "text 2 gives");
        assert_lacks(result->out, "nan");
        assert_lacks(result->out, "null");
    }
    assert_contains(shell_expect(1, "$ENCODE -m nan.weights --rank a b")->err,
                    "encode: the query gives NaN or an infinity");
}

TEST(sentences_fit_the_screen)
{
    const char *arguments[] = {"'I ride bike' 'bike ride I'",
                               "--position none 'I ride bike' 'bike ride I'",
                               "--position none --mask causal 'I ride bike' 'bike ride I'",
                               "'zoozoozoozoozoozoozoozoo moomoomoomoomoo boobooboo woo' 'I'"};
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        const char *out = shell_expect(0, "$ENCODE --compare %s", arguments[i])->out, *line = out;
        for (const char *next = out; (next = strstr(next, "\n\n")) != NULL;)
            line = next += 2; /* behind the last empty line */
        assert_true(line > out && count_lines(line) >= 2);
        for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
            assert_in_range(strcspn(line, "\n"), 1, SCREEN_COLUMNS);
    }
    assert_lacks(shell_expect(0, "$ENCODE -f json --compare 'I ride' 'ride I'")->out, "\\n");
}

SET_UP()
{
    shell_setup();
}
