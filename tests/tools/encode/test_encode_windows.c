/* What encode makes of texts that are longer than the model takes: windows, and what is cut. */
#include "tests/model/growth.h"
#include "tests/tools/encode/head_models.h"
#include "tests/tools/shell.h"

#include <stdio.h>
#include <string.h>

SET_UP()
{
    shell_setup();
    head_models_write();
}

static void encode_book(void *user, size_t n)
{
    (void)user;
    shell_expect(0,
                 "yes I | head -n %zu | tr '\\n' ' ' | $ENCODE -t 1 --no-special -p mean -f npy "
                 "--on-long chunk -o book.npy",
                 n);
}

/* Of one line with 400,000 words windows take time by their own lengths, not by that of the
 * text. */
TEST(windows_of_a_book)
{
    if (support_sanitized()) /* AddressSanitizer keeps what is freed, and that is not linear */
        skip();
    const double found = growth(encode_book, NULL, 100000);
    print_message("four times the text: %.1f times the work\n", found);
    assert_true(found <= GROWTH_MOST);
}

TEST(windows)
{
    const char *out =
        shell_expect(0,
                     "$ENCODE -m bare.emb -p mean --tokens --on-long chunk --stride 4 -f "
                     "json '%s' dog",
                     LONG_TEXT)
            ->out;
    assert_lines(out, 3);
    assert_contains(out, "{\"text\": \"dog cat good bad paul smith in rome the .\", \"window\": "
                         "{\"index\": 0, \"of\": 2, \"span\": [0, 41]}, ");
    assert_contains(out, "{\"text\": \"in rome the . dog cat good bad paul smith\", \"window\": "
                         "{\"index\": 1, \"of\": 2, \"span\": [28, 69]}, ");
    assert_contains(out, "{\"text\": \"in\", \"id\": 10, \"type\": 0, \"span\": [28, 30], ");
    assert_contains(out,
                    "{\"text\": \"dog\", \"window\": {\"index\": 0, \"of\": 1, \"span\": [0, 3]}");
    assert_lacks(out, "\"truncated\": true");

    out =
        shell_expect(0, "$ENCODE -m bare.emb -p mean --on-long chunk -f csv '%s'", LONG_TEXT)->out;
    assert_lines(out, 3);
    assert_contains(out, "index,window,window_begin,window_end,text,pair,v0,");
    assert_contains(out, "\r\n0,1,42,69,dog cat good bad paul smith,,0.0,0.125,0.125,");
    out = shell_expect(0, "$ENCODE -m bare.emb -p mean --on-long chunk '%s'", LONG_TEXT)->out;
    assert_contains(out, "\n     1      2/2          42-69  dog cat good bad paul smith ");
    out = shell_expect(0, "$ENCODE -m bare.emb --on-long chunk '%s'", LONG_TEXT)->out;
    assert_contains(out, "\ntext 1, window 2 of 2, bytes 42-69: dog cat good bad paul smith\n");
    /* Arrays have a row per window: 128 bytes and two rows of 14. */
    shell_expect(0,
                 "$ENCODE -m bare.emb -p mean --on-long chunk -f npy -o w.npy '%s' && test $(wc -c "
                 "< w.npy) = $((128 + 2 * 14 * 4))",
                 LONG_TEXT);
}

/* Every stride: windows have 10 tokens, share so many, and end with the text. */
TEST(strides)
{
    for (size_t stride = 0; stride < 10; stride++) {
        const char *out = shell_expect(0,
                                       "$ENCODE -m bare.emb --tokens -f ids --no-special "
                                       "--max-tokens 10 --on-long chunk --stride %zu '%s'",
                                       stride, LONG_TEXT)
                              ->out;
        static const int ids[16] = {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 4, 5, 6, 7, 8, 9};
        char expected[4096] = "";
        for (size_t begin = 0, end = 0; end < 16; begin = end - stride) {
            end = begin + 10 < 16 ? begin + 10 : 16;
            for (size_t i = begin; i < end; i++)
                sprintf(expected + strlen(expected), i > begin ? " %d" : "%d", ids[i]);
            strcat(expected, "\n");
        }
        assert_string_equal(out, expected);
    }
    assert_contains(
        shell_expect(1, "$ENCODE -m bare.emb -p mean --on-long chunk --stride 10 '%s'", LONG_TEXT)
            ->err,
        "text 1: its windows have room for 10 tokens: the stride must be smaller\n");
}

TEST(windows_of_pairs)
{
    const char *out =
        shell_expect(0, "$ENCODE -m bare.emb -p mean --on-long chunk -f json rome --pair '%s'",
                     LONG_TEXT)
            ->out;
    assert_contains(out, "{\"text\": \"rome\", \"pair\": \"dog cat good bad paul smith in rome\", "
                         "\"window\": {\"index\": 0, \"of\": 2, \"span\": [0, 35], "
                         "\"in_pair\": true}, ");
    out = shell_expect(0, "$ENCODE -m bare.emb --tokens -f ids --on-long chunk --truncation "
                          "only-first 'dog cat good bad' --pair 'in rome the . in rome the'")
              ->out;
    assert_string_equal(out, "1 4 5 2 10 11 12 13 10 11 12 2\n1 6 7 2 10 11 12 13 10 11 12 2\n");
    assert_contains(
        shell_expect(1,
                     "$ENCODE -m bare.emb --on-long chunk --truncation only-first dog --pair '%s'",
                     LONG_TEXT)
            ->err,
        "text 1 has 19 tokens that are in every window, and the limit is 12: that leaves no "
        "room\n");
}

/* In tables a window of the second text says so. */
TEST(windows_of_pairs_in_text)
{
    const char *pair = "rome --pair '" LONG_TEXT "'";
    const char *out = shell_expect(0, "$ENCODE -m bare.emb --on-long chunk %s", pair)->out;
    assert_contains(out, "\ntext 1, window 1 of 2, pair bytes 0-35: rome | dog cat good bad");
    assert_contains(out, "pair 0-3");
    out = shell_expect(0, "$ENCODE -m bare.emb -p mean --on-long chunk %s", pair)->out;
    assert_contains(out, "1/2      pair 0-35  rome | dog cat");
    out = shell_expect(0, "$ENCODE -m bare.emb --on-long truncate dog '%s'", LONG_TEXT)->out;
    assert_contains(out, "paul smith  (12 of 18 tokens)\n");
}

/* More windows than go in one call, then a text that cannot be read: the results before it stay. */
TEST(many_windows)
{
    shell_expect(0, "for i in $(seq 3000); do printf 'dog cat '; done > long && echo >> long");
    assert_lines(
        shell_expect(
            0,
            "cat long long | $ENCODE -m bare.emb --tokens -f ids --max-tokens 12 --on-long chunk")
            ->out,
        1200);
    /* Ids go in windows, too: a line of titles, two windows between two texts. */
    assert_lines(
        shell_expect(0, "printf '\"dog\"\\n{\"ids\": [4,4,4,4,4,4,4,4,4,4,4,4,4]}\\n\"cat\"\\n' | "
                        "$ENCODE -m bare.emb -p mean --on-long chunk --input jsonl -f csv")
            ->out,
        5);
}

/* Tokens that follow each other without a blank: B- begins an entity at each that begins a word. */
TEST(entities_without_blanks)
{
    const char *out = shell_expect(0, "$ENCODE -m pieces.head --entities -f csv '..'")->out;
    assert_contains(out, "\r\n0,.,LOC,");
    assert_lines(out, 3);
    /* 10 of the 18 tokens fit, but the 11th goes on with a word: the window ends before that word.
     */
    out = shell_expect(0, "$ENCODE -m pieces.head --entities --on-long chunk -f json "
                          "'pauldog.pauldog.pauldog.pauldog.pauldog.pauldog.'")
              ->out;
    assert_contains(out, "\"window\": {\"index\": 0, \"of\": 2, \"span\": [0, 24]}");
    assert_contains(out, "\"window\": {\"index\": 1, \"of\": 2, \"span\": [24, 48]}");
}

TEST(windows_of_heads)
{
    const char *out =
        shell_expect(0, "$ENCODE -m token.head --entities --on-long chunk --stride 7 -f json '%s'",
                     LONG_TEXT)
            ->out;
    assert_contains(out, "\"window\": {\"index\": 1, \"of\": 3, \"span\": [13, 54]}, \"entities\": "
                         "[{\"text\": \"paul smith\", \"label\": \"PER\", ");
    assert_contains(out, "\"span\": [59, 69]}");
    out = shell_expect(0, "$ENCODE -m mask.head --fill --top 1 --on-long chunk -f csv '%s [MASK]'",
                       LONG_TEXT)
              ->out;
    assert_contains(out, "\r\n0,1,42,76,7,70,76,0,rome,11,0.6");
    out = shell_expect(0, "$ENCODE -m sequence.head --labels --on-long chunk -f csv 'dog dog dog "
                          "dog dog dog dog dog dog dog dog dog good dog'")
              ->out;
    assert_contains(out,
                    "\r\n0,0,0,47,dog dog dog dog dog dog dog dog dog dog dog dog,,BAD,0.3333");
    assert_contains(out, "\r\n0,1,48,56,good dog,,GOOD,0.78");
}

TEST(truncation)
{
    assert_contains(shell_expect(1, "$ENCODE -m bare.emb '%s'", LONG_TEXT)->err,
                    "--on-long truncate cuts it, --on-long chunk makes windows of it\n");
    const struct shell_result *result = shell_expect(
        0, "printf '%s\\n%s\\n' | $ENCODE -m bare.emb -p mean -f json --on-long truncate",
        LONG_TEXT, LONG_TEXT);
    assert_contains(result->out, "\"truncated\": true}\n{");
    assert_string_equal(result->err, "encode: line 1 of stdin was cut to 12 of its 18 tokens\n"
                                     "encode: 2 of 2 texts were cut\n");
    assert_string_equal(
        shell_expect(
            0,
            "$ENCODE -m bare.emb --tokens -f ids --max-tokens 5 --truncate-left 'dog cat good bad'")
            ->out,
        "1 5 6 7 2\n");
    static const char *const pairs[][2] = {{"longest-first", "1 4 5 2 7 10 2\n"},
                                           {"only-first", "1 4 2 7 10 11 2\n"},
                                           {"only-second", "1 4 5 6 2 7 2\n"}};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(shell_expect(0,
                                         "$ENCODE -m bare.emb --tokens -f ids --max-tokens 7 "
                                         "--truncation %s 'dog cat good' --pair 'bad in rome'",
                                         pairs[i][0])
                                ->out,
                            pairs[i][1]);
}

/* A text of 18 tokens, where the model takes 12: tokens alone have no limit until something is to
 * be done about longer texts, and then the one that vectors have. */
TEST(tokens_are_cut_where_vectors_are)
{
    static const char all[] = "1 4 5 6 7 8 9 10 11 12 13 4 5 6 7 8 9 2\n";
    static const char cut[] = "1 4 5 6 7 8 9 10 11 12 13 2\n";
    assert_string_equal(shell_expect(0, "$ENCODE -m bare.emb -f ids '%s'", LONG_TEXT)->out, all);
    const struct shell_result *result =
        shell_expect(0, "$ENCODE -m bare.emb -f ids --on-long truncate '%s'", LONG_TEXT);
    assert_string_equal(result->out, cut);
    assert_string_equal(result->err, "encode: text 1 was cut to 12 of its 18 tokens\n");
    assert_string_equal(
        shell_expect(0, "$ENCODE -m bare.emb -f ids --truncation longest-first '%s'", LONG_TEXT)
            ->out,
        cut);
    assert_contains(
        shell_expect(1, "$ENCODE -m bare.emb --tokens --on-long error '%s'", LONG_TEXT)->err,
        "text 1 has 18 tokens and the limit is 12");
}

/* A model for 12 tokens, whose file says that texts have 6: ids may be more. */
TEST(ids_have_the_limit_of_the_model)
{
    shell_expect(0, "$NEW -o short.emb --layers 0 --width 8 --max-tokens 12 --max-text-tokens 6 "
                    "--words 'dog cat' && seq 20 | sed 's/.*/0/' | paste -sd, > zeros");
    const char *ids = "ids() { echo '{\"ids\": ['$(cut -c -$((2 * $1 - 1)) zeros)']}'; };";
    static const char *const tasks[] = {"-p mean", "--on-long error -p mean", "--tokens"};
    assert_contains(shell_expect(1, "$ENCODE -m short.emb 'dog dog dog dog dog dog dog'")->err,
                    "text 1 has 7 tokens and the limit is 6");
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        shell_expect(0, "%s ids 12 | $ENCODE -m short.emb --input jsonl %s", ids, tasks[i]);
        assert_contains(
            shell_expect(1, "%s ids 8 | $ENCODE -m short.emb --input jsonl --max-tokens 7 %s", ids,
                         tasks[i])
                ->err,
            "line 1 of stdin has 8 ids and the limit is 7: --on-long truncate cuts it, --on-long "
            "chunk makes windows of it, a larger --max-tokens takes more\n");
    }
    assert_contains(shell_expect(1, "%s ids 13 | $ENCODE -m short.emb --input jsonl", ids)->err,
                    "has 13 ids and the limit is 12: --on-long truncate cuts it, --on-long chunk "
                    "makes windows of it\n");
    shell_expect(0, "%s ids 20 | $ENCODE -m short.emb --input jsonl --tokens", ids);
    assert_string_equal(shell_expect(0,
                                     "%s ids 20 | $ENCODE -m short.emb --input jsonl -f ids "
                                     "--on-long chunk | awk '{print NF}'",
                                     ids)
                            ->out,
                        "12\n8\n");
}

/* The prompt "the " is token 12, [CLS] and [SEP] are 1 and 2. */
TEST(every_window_carries_the_prompt)
{
    const char *out = shell_expect(0,
                                   "$ENCODE -m plain.emb --prompt passage --tokens -f ids "
                                   "--max-tokens 8 --on-long chunk --stride 1 '%s'",
                                   "dog cat good bad paul smith in rome")
                          ->out;
    assert_string_equal(out, "1 12 4 5 6 7 8 2\n1 12 8 9 10 11 2\n");
    out = shell_expect(0, "$ENCODE -m plain.emb -p mean --prompt passage -f json --max-tokens 5 "
                          "--on-long chunk 'dog cat good'")
              ->out;
    assert_contains(out, "{\"text\": \"dog cat\", \"prompt\": \"the \", \"window\": {\"index\": 0, "
                         "\"of\": 2, \"span\": [4, 11]}, ");
    assert_contains(out, "{\"text\": \"good\", \"prompt\": \"the \", \"window\": {\"index\": 1, "
                         "\"of\": 2, \"span\": [12, 16]}, ");
}
