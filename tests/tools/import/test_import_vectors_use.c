/* What encode-import --vectors makes: which words of a text are found, and what runs on it. */
#include "tests/tools/import/vector_cases.h"

#include <math.h>
#include <string.h>

/* ---- Which words are found ---- */

TEST(tokenizer)
{
    write_vectors("v.txt", "dog 1 2\n, 3 4\nwell-known 5 6\nu.s. 7 8\njosé 9 1\n's 2 3\n1,000 4 5\n"
                           "well 6 7\nno. 8 9\n");
    const struct shell_result *result = shell_expect(0, "$IMPORT --vectors v.txt -o v.weights");
    assert_contains(result->err, "for no word has a capital");
    expect_ids("v.weights", "Dog,", "1 2");
    expect_ids("v.weights", "DOG, dog", "1 2 1");
    expect_ids("v.weights", "a Well-Known JOSÉ", "0 3 5");
    expect_ids("v.weights", "the U.S. (1,000)", "0 4 0 7 0");
    expect_ids("v.weights", "unwell-known", "0 0 0"); /* no word of another one */
    expect_ids("v.weights", "dog's", "1 0 0");
    shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --split blanks");
    expect_ids("v.weights", "Dog , 's no. dog,", "1 2 6 9 0");
    shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --lower no");
    expect_ids("v.weights", "Dog dog", "0 1");

    write_vectors("v.txt", "dog 1 2\nParis 3 4\nparis 5 6\nÉcole 7 8\n");
    result = shell_expect(0, "$IMPORT --vectors v.txt -o v.weights");
    assert_contains(result->err, "texts keep their capitals, for words have them, 'Paris' first");
    expect_ids("v.weights", "Dog Paris paris École", "0 2 3 4");
    result = shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --lower yes");
    assert_contains(result->err, "texts are put into lower case, and are split at blanks and");
    expect_ids("v.weights", "Dog Paris", "1 3");
    write_vectors("v.txt", "dog 1 2\nÉcole 7 8\n");
    assert_contains(shell_expect(0, "$IMPORT --vectors v.txt -o v.weights")->err, "'École' first");
}

/* Row 0 has a name that no word has, and the words are the file's. */
TEST(unknown)
{
    write_vectors("v.txt", "<unk> 1 2\n[UNK] 3 4\ndog 5 6\n");
    shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --lower yes");
    engine_model *model = support_open("v.weights");
    expect_word(model, 0, "<unknown>", 0, 0);
    expect_word(model, 1, "<unk>", 1, 2);
    engine_model_close(model);
}

TEST(limit)
{
    write_vectors("v.txt", "9 2\na 1 2\na 5 6\nc 7 8\nbroken\n");
    const struct shell_result *result =
        shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --limit 3");
    assert_contains(result->err, "2 words of 2 numbers");
    engine_model *model = support_open("v.weights");
    expect_word(model, 2, "c", 7, 8);
    engine_model_close(model);
    write_vectors("v.txt", "x 1 2\na 5 6\nb 7 8\n");
    write_vectors("t.txt", "a b\n");
    assert_contains(
        shell_expect(0, "$IMPORT --vectors v.txt --only-words-of t.txt -o v.weights --limit 2")
            ->err,
        "1 of these words has no vector, and rows of zeros (texts are in lower case; --lower no "
        "keeps capitals): 'b'");
    assert_lacks(
        shell_expect(0, "$IMPORT --vectors v.txt --only-words-of t.txt -o v.weights --limit 3")
            ->err,
        "no vector");
}

/* Ids by frequency, then by the first place; row 0 is padding, absent words are zeros. */
TEST(only_words)
{
    write_vectors("v.txt", "5 2\nred 1 2\nwolf 3 4\nthe 5 6\nred 9 9\nblue 7 8\n");
    write_vectors("t.txt", "The wolf, the quokka!\nRed wolf and the numbat\n");
    const struct shell_result *result =
        shell_expect(0, "$IMPORT --vectors v.txt --only-words-of t.txt -o t.weights");
    assert_contains(result->err, "6 words of 2 numbers, table [7, 2]; row 0, of zeros, is padding");
    assert_contains(result->err, "3 of these words have no vector");
    assert_contains(result->err, ": 'quokka', 'and', 'numbat'");
    assert_contains(result->err, "1 line was skipped, line 5 first: the word has a vector already");
    engine_model *model = support_open("t.weights");
    expect_word(model, 0, "", 0, 0);
    expect_word(model, 1, "the", 5, 6);
    expect_word(model, 2, "wolf", 3, 4);
    expect_word(model, 3, "quokka", 0, 0);
    expect_word(model, 4, "red", 1, 2);
    expect_word(model, 5, "and", 0, 0);
    engine_model_close(model);
    expect_ids("t.weights", "Red WOLF, zebra the", "4 2 1"); /* unknown words are left out */
    shell_expect(0, "cat t.txt | $IMPORT --vectors v.txt --only-words-of - -o s.weights");
    expect_ids("s.weights", "Red WOLF, zebra the", "4 2 1");
    shell_expect(0, "$IMPORT --vectors v.txt --only-words-of t.txt -o t.weights --lower no");
    expect_ids("t.weights", "The the wolf", "3 2 1"); /* wolf and the are there twice */
    write_vectors("t.txt", "quokka numbat\n");
    assert_contains(
        shell_expect(1, "$IMPORT --vectors v.txt --only-words-of t.txt -o u.weights")->err,
        "'v.txt' contains no word of the texts");
    assert_contains(shell_expect(1, "$IMPORT --vectors v.txt --only-words-of no -o u.weights")->err,
                    "'no'");
    shell_expect(0, "[ ! -e u.weights ]");
}

/* ---- What runs on it ---- */

TEST(programs)
{
    write_vectors("v.txt", "dog 1 2\nwolf 2 3\nking -1 0.5\n");
    shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --max-tokens 100");
    shell_expect(0, "$ENCODE -m v.weights -p mean -f csv 'Dog wolf' >m.csv && $ENCODE -m v.weights "
                    "-p model -f csv 'Dog wolf' | cmp - m.csv");
    const struct shell_result *result =
        shell_expect(0, "$ENCODE -m v.weights -p mean -f json 'Dog wolf' 'zebra' ''");
    assert_contains(result->out, "[1.5, 2.5]");
    assert_contains(result->out, "[0.0, 0.0]");
    assert_lacks(result->out, "nan");
    result = shell_expect(0, "$ENCODE -m v.weights --similarity dog wolf zebra");
    assert_contains(result->out, "0.9923"); /* 8 / sqrt(5 · 13) */
    assert_contains(result->out, "0.0000");
    assert_lacks(result->out, "nan");
    result = shell_expect(0, "printf 'king\\nzebra\\nwolf\\n' | $ENCODE -m v.weights --rank dog");
    assert_lacks(result->out, "nan");
    assert_true(strstr(result->out, "wolf") < strstr(result->out, "zebra"));
    result = shell_expect(0, "$ENCODE -m v.weights --compare 'dog wolf king' 'king wolf dog'");
    assert_contains(result->out, "no layers, width 2, vocabulary 4");
    assert_contains(result->out, "Without positions");
    assert_contains(shell_expect(0, "$ENCODE -m v.weights --tokens 'Dog zebra'")->out,
                    "<unk> (zebra)");
    shell_expect(0, "$IMPORT --vectors v.txt -o p.weights --position sinusoidal --position-base "
                    "100 --embedding-scale sqrt --position-scale 2");
    shell_expect(0, "$ENCODE -m p.weights -f csv 'dog wolf' >p.csv && $ENCODE -m v.weights -f csv "
                    "--position sinusoidal --position-base 100 --embedding-scale sqrt "
                    "--position-scale 2 'dog wolf' | cmp - p.csv");
    shell_expect(0, "$IMPORT --vectors v.txt -o p.weights --position fourier --frequencies 0.25");
    shell_expect(0, "$INSPECT --verify p.weights");
    result = shell_expect(0, "$IMPORT --vectors v.txt --dry-run -o dry.weights");
    assert_contains(result->out, "Nothing is written");
    assert_contains(result->out, "vocabulary             4");
    shell_expect(0, "[ ! -e dry.weights ]");
}

TEST(types)
{
    static const struct {
        const char *type;
        double tolerance; /* of the largest of the row */
    } cases[] = {{"f32", 0}, {"f16", 1.0 / 2048}, {"bf16", 1.0 / 256}, {"int8", 0.5 / 127}};
    static const float expected[] = {-3, 0.7f};
    write_vectors("v.txt", "dog 1 2\nwolf -3 0.7\nzero 0 0\n");
    for (size_t i = 0; i < 4; i++) {
        float row[2];
        shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --weights %s", cases[i].type);
        assert_contains(shell_expect(0, "$INSPECT --verify v.weights")->out, cases[i].type);
        engine_model *model = support_open("v.weights");
        engine_session *session = support_session(model, NULL);
        row_of(session, 2, row, 2);
        for (size_t k = 0; k < 2; k++)
            if (!(fabs((double)row[k] - (double)expected[k]) <= 3 * cases[i].tolerance + 1e-9))
                fail_msg("%s: %g, expected %g", cases[i].type, (double)row[k], (double)expected[k]);
        row_of(session, 3, row, 2);
        assert_true(row[0] == 0 && row[1] == 0);
        engine_session_free(session);
        engine_model_close(model);
    }
}

/* ---- The true ones ---- */

enum { GLOVE_WIDTH = 50, GLOVE_WORDS = 9163 };

static float glove[GLOVE_WORDS + 1][GLOVE_WIDTH];

static int32_t glove_id(engine_session *session, const char *word)
{
    const engine_input input = {.text = word, .text_len = strlen(word)};
    engine_token token = {.id = 0};
    size_t n = 0;
    assert_int_equal(engine_tokenize(session, &input, NULL, &token, 1, &n, NULL), ENGINE_OK);
    assert_int_equal(n, 1);
    return token.id;
}

/* king - man + woman is nearest to queen, of all words but these three. */
static void check_analogy(engine_session *session)
{
    const int32_t king = glove_id(session, "King"), man = glove_id(session, "man"),
                  woman = glove_id(session, "woman");
    float target[GLOVE_WIDTH];
    double best = -2;
    int32_t nearest = -1;
    for (size_t i = 0; i < GLOVE_WIDTH; i++)
        target[i] = glove[king][i] - glove[man][i] + glove[woman][i];
    for (int32_t id = 1; id <= GLOVE_WORDS; id++) {
        double cosine = engine_cosine(target, glove[id], GLOVE_WIDTH);
        if (cosine > best && id != king && id != man && id != woman) {
            best = cosine;
            nearest = id;
        }
    }
    assert_int_equal(nearest, glove_id(session, "queen"));
    if (!(fabs(best - 0.861) <= 0.0005))
        fail_msg("cosine of queen: %.6f, expected 0.861", best);
}

TEST(glove)
{
    char path[SUPPORT_PATH];
    if (!support_shared("text/glove/glove.6B.50d.9163.txt", path)) {
        print_message("no GloVe vectors beside the project: skipped\n");
        skip();
    }
    const struct shell_result *result =
        shell_expect(0, "$IMPORT --vectors %s -o glove.weights", path);
    assert_lacks(result->err, "skipped");
    assert_contains(result->err, "table [9164, 50]");
    engine_model *model = support_open("glove.weights");
    engine_session *session = support_session(model, NULL);
    for (int32_t id = 0; id <= GLOVE_WORDS; id++)
        row_of(session, id, glove[id], GLOVE_WIDTH);
    assert_true(glove[692][0] == 0.50451f && glove[692][1] == 0.68607f); /* king, from 1 */
    assert_int_equal(glove_id(session, "wolf"), 6305);
    check_analogy(session);
    const double cosine = engine_cosine(glove[glove_id(session, "dog")],
                                        glove[glove_id(session, "wolf")], GLOVE_WIDTH);
    if (!(fabs(cosine - 0.694) <= 0.0005))
        fail_msg("cosine of dog and wolf: %.6f, expected 0.694", cosine);
    engine_session_free(session);
    engine_model_close(model);

    /* The two sentences of eleven words: a matrix [12, 50] and the ids of the notebook. */
    write_vectors("t.txt", "king queen man woman dog wolf football basketball red green yellow\n"
                           "man queen yellow basketball green dog woman football king red wolf\n");
    result = shell_expect(0, "$IMPORT --vectors %s --only-words-of t.txt -o t.weights", path);
    assert_contains(result->err, "11 words of 50 numbers, table [12, 50]");
    assert_lacks(result->err, "no vector");
    assert_string_equal(shell_expect(0, "$ENCODE -m t.weights --tokens -f ids <t.txt")->out,
                        "1 2 3 4 5 6 7 8 9 10 11\n3 2 11 8 10 5 4 7 1 9 6\n");
    shell_expect(0, "$ENCODE -m t.weights -f npy 'king wolf' >t.npy && $ENCODE -m glove.weights -f "
                    "npy 'king wolf' | cmp - t.npy");
}

SET_UP()
{
    vectors_setup();
}
