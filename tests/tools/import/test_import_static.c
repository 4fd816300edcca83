/* encode-import on static embeddings: what model2vec and sentence-transformers compute of a text,
 * in double precision from the tensors, and directories that are refused. Both libraries were
 * compared with this by hand.
 *
 * Guarantee: static embeddings are as computed from their tensors in double precision.
 *
 * encode-import --vectors: each decimal number is the nearest float32, in every locale; memory
 * and time; and GloVe's vectors. tests/cli/import/ has files, messages and what runs on them. */
#include "tests/model/growth.h"
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"
#include "tools/import/vectors/word_vectors.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, TOKENS = 5, WIDTH = 4 };

/* The template's special tokens are not put into texts. */
static const char TOKENIZER[] =
    "{'model': {'type': 'WordLevel', 'unk_token': '[UNK]', 'vocab': {'[UNK]': 0, 'a': 1, 'b': 2, "
    "'c': 3, 'd': 4}}, 'pre_tokenizer': {'type': 'WhitespaceSplit'}, 'post_processor': {'type': "
    "'BertProcessing', 'sep': ['c', 3], 'cls': ['d', 4]}}";
static const char CONFIG[] = "{'model_type': 'model2vec', 'architectures': ['StaticModel'], "
                             "'seq_length': 1000000, 'normalize': false}";

/* ---- The tensors ---- */

static float table[TOKENS + 1][WIDTH];
static const int32_t MAPPING[TOKENS] = {2, 0, 2, 1, 1};
static const double WEIGHTS[TOKENS] = {0.5, 1.5, 0.1, 3, -2};

static void fill_table(void)
{
    for (int i = 0; i < (TOKENS + 1) * WIDTH; i++)
        table[i / WIDTH][i % WIDTH] = (float)(0.1 * i * i - 1.3 * i + 0.7);
}

/* `rows` rows under that name; mapping and weights, of other types, where they are asked for. */
static void write_tensors(const char *name, int rows, const int32_t *mapping, const double *weights)
{
    const struct {
        const char *name, *type;
        const void *numbers;
        size_t n_bytes;
        int shape[3];
    } all[] = {{name, "F32", table, (size_t)rows * sizeof table[0], {rows, WIDTH, -1}},
               {"weights", "F64", weights, sizeof WEIGHTS, {TOKENS, -1}},
               {"mapping", "I32", mapping, sizeof MAPPING, {TOKENS, -1}}};
    struct tiny_tensors tensors = {.header = json_object()};
    size_t len;
    for (size_t i = 0; i < 3; i++)
        if (all[i].numbers != NULL)
            tiny_tensors_add(&tensors, all[i].name, all[i].type, all[i].shape);
    char *file = tiny_tensors_file(&tensors, &len), *to = file + len - tensors.n_data;
    for (size_t i = 0; i < 3; i++)
        if (all[i].numbers != NULL) {
            memcpy(to, all[i].numbers, all[i].n_bytes);
            to += all[i].n_bytes;
        }
    support_write_in(import_directory, "model.safetensors", file, len);
    free(file);
    tiny_tensors_free(&tensors);
}

/* A directory with a tokenizer alone. */
static void begin(void)
{
    shell_expect(0, "rm -rf %s && mkdir %s", import_directory, import_directory);
    import_write("tokenizer.json", TOKENIZER);
    fill_table();
}

/* ---- Texts ---- */

/* The vector of a text is the mean of rows: of the ids, each by the mapping and times the
 * weight. */
static void vector_is(const char *text, const int *ids, int n, const int32_t *mapping,
                      const double *weights, bool normalize)
{
    double expected[WIDTH] = {0}, length = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < WIDTH; k++)
            expected[k] += (double)table[mapping != NULL ? mapping[ids[i]] : ids[i]][k] *
                           (weights != NULL ? weights[ids[i]] : 1) / n;
    for (int k = 0; k < WIDTH; k++)
        length += expected[k] * expected[k];
    const struct shell_result *result = shell_expect(
        0, "$ENCODE -m static.weights -p model -f csv '%s' | tail -n 1 | cut -d, -f 4-", text);
    const char *at = result->out;
    for (int k = 0; k < WIDTH; k++) {
        char *end;
        double got = strtod(at, &end), wanted = expected[k];
        assert_true(end != at);
        at = end + 1;
        if (normalize)
            wanted /= sqrt(length);
        if (!(fabs(got - wanted) <= 1e-6))
            fail_msg("'%s', number %d: %g, expected %g", text, k, got, wanted);
    }
}

static void import(const char *options)
{
    shell_expect(0, "$IMPORT %s -o static.weights %s", import_directory, options);
}

/* Unknown tokens are skipped, also one that is written out. */
TEST(model2vec)
{
    static const int ids[] = {1, 4, 3, 1};
    begin();
    import_write("config.json", CONFIG);
    write_tensors("embeddings", TOKENS, NULL, NULL);
    import("");
    vector_is("a d c a", ids, 4, NULL, NULL, false);
    vector_is("a x d [UNK] c zz a", ids, 4, NULL, NULL, false);
    assert_contains(shell_expect(0, "$ENCODE -m static.weights -p model 'x y'")->err, "no tokens");
    write_tensors("embeddings", TOKENS, NULL, WEIGHTS);
    import("");
    vector_is("a d x c a", ids, 4, NULL, WEIGHTS, false);
    write_tensors("embeddings", ROWS, MAPPING, NULL);
    import("");
    vector_is("a d x c a", ids, 4, MAPPING, NULL, false);
    import_write("config.json", "{'model_type': 'model2vec', 'normalize': true}");
    write_tensors("embeddings", ROWS, MAPPING, WEIGHTS);
    import("");
    vector_is("a d x c a", ids, 4, MAPPING, WEIGHTS, true);
}

TEST(length)
{
    static const struct {
        const char *config, *limit;
    } cases[] = {
        {"{'model_type': 'model2vec'}", "max_text_tokens        512"},
        {"{'model_type': 'model2vec', 'max_length': 9}", "max_text_tokens        9"},
        {"{'model_type': 'model2vec', 'max_length': 9000}", "max_tokens             9000"},
        {"{'model_type': 'model2vec', 'max_length': null}", "max_tokens             8192"},
    };
    begin();
    write_tensors("embeddings", TOKENS, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        import_write("config.json", cases[i].config);
        assert_contains(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->out,
                        cases[i].limit);
    }
}

/* A tokenizer whose template names ids that it does not have, and whose tokens have 1, 2, 2, 3 and
 * 5 characters; `truncation` is a member, or "". */
static void write_tokenizer(const char *truncation)
{
    char text[800];
    snprintf(text, sizeof text,
             "{%s'model': {'type': 'WordLevel', 'unk_token': '[UNK]', 'vocab': {'[UNK]': 0, 'a': "
             "1, 'b\u00e9': 2, 'cc': 3, 'ddd': 4}}, 'pre_tokenizer': {'type': 'WhitespaceSplit'}, "
             "'post_processor': {'type': 'TemplateProcessing', 'single': [{'SpecialToken': {'id': "
             "'S', 'type_id': 0}}, {'Sequence': {'id': 'A', 'type_id': 0}}], 'pair': [{'Sequence': "
             "{'id': 'A', 'type_id': 0}}, {'Sequence': {'id': 'B', 'type_id': 1}}], "
             "'special_tokens': {'S': {'id': 'S', 'ids': [9000], 'tokens': ['S']}}}}",
             truncation);
    import_write("tokenizer.json", text);
}

/* model2vec cuts a text to 3 * 2 characters, then to 3 tokens with the unknown ones, which it
 * drops then. */
TEST(cut_texts)
{
    static const int ids[] = {1, 1, 4};
    begin();
    write_tokenizer("'truncation': {'max_length': 1}, ");
    import_write("config.json", "{'model_type': 'model2vec', 'max_length': 3}");
    write_tensors("embeddings", TOKENS, NULL, NULL);
    import("");
    vector_is("a a ddd", ids, 2, NULL, NULL, false); /* "a a dd" */
    vector_is("a a \u00e9", ids, 2, NULL, NULL, false);
    vector_is("a ddd", (const int[]){1, 4}, 2, NULL, NULL, false);
    vector_is("a z z a", ids, 1, NULL, NULL, false);
    vector_is("a a a a", (const int[]){1, 1, 1}, 3, NULL, NULL, false);
    import_write("config.json", "{'model_type': 'model2vec', 'max_length': null}");
    import("");
    vector_is("a a ddd", ids, 3, NULL, NULL, false);
}

/* sentence-transformers cuts a text as tokenizer.json says. */
TEST(truncation_of_tokenizer_json)
{
    static const int ids[] = {1, 0};
    begin();
    write_tokenizer("'truncation': {'max_length': 2}, ");
    write_tensors("embedding.weight", TOKENS, NULL, NULL);
    import_write("modules.json", "[{'path': '.', 'type': 'StaticEmbedding'}]");
    import("");
    vector_is("a z ddd", ids, 2, NULL, NULL, false);
    write_tokenizer("'truncation': {'max_length': 2, 'direction': 'Left'}, ");
    import_refused("the start", "the truncation's 'direction' is 'Left'");
}

/* The unknown token is one of the tokens; config.json is absent; a Normalize follows. */
TEST(sentence_transformers)
{
    static const int ids[] = {1, 0, 4, 0};
    begin();
    write_tensors("embedding.weight", TOKENS, NULL, NULL);
    import_write("modules.json",
                 "[{'path': '.', 'type': 'sentence_transformers.models.StaticEmbedding'}]");
    import("");
    vector_is("a x d [UNK]", ids, 4, NULL, NULL, false);
    shell_expect(0, "cd %s && mkdir 0_S && mv model.safetensors tokenizer.json 0_S",
                 import_directory);
    import_write("modules.json", "[{'path': '0_S', 'type': 'StaticEmbedding'}, {'path': '1_N', "
                                 "'type': 'sentence_transformers.models.Normalize'}]");
    import("");
    vector_is("a x d [UNK]", ids, 4, NULL, NULL, true);
    import("--weights int8"); /* the table is f16 then */
    assert_contains(shell_expect(0, "$INSPECT static.weights")->out, "f16");
}

TEST(refused)
{
    static const int32_t beyond[TOKENS] = {0, 1, 2, 3, 0}, negative[TOKENS] = {0, 1, -1, 2, 0};
    begin();
    import_write("config.json", CONFIG);
    write_tensors("embeddings", ROWS, beyond, NULL);
    import_refused("a row behind the table", "token 3: row 3, expected 0 to 2");
    write_tensors("embeddings", ROWS, negative, NULL);
    import_refused("a row before the table", "token 2: row -1, expected 0 to 2");
    write_tensors("embeddings", ROWS, NULL, NULL);
    import_refused("fewer rows than tokens", "the tokenizer has ids up to 4");
    write_tensors("embeddings", TOKENS + 1, NULL, WEIGHTS);
    import_refused("fewer weights than rows", "'weights' has the shape [5]");
    write_tensors("vectors", TOKENS, NULL, NULL);
    import_refused("another tensor", "no tensor 'embedding.weight' and no 'embeddings'");
    write_tensors("embedding.weight", TOKENS, NULL, WEIGHTS);
    import_refused("a tensor too many", "'weights' is not part of a static embedding");
    write_tensors("embeddings", TOKENS, NULL, NULL);
    import_accepted("the right ones");
    shell_expect(0, "rm %s/tokenizer.json", import_directory);
    import_refused("no tokenizer", "without a tokenizer.json");
    import_write("modules.json",
                 "[{'path': '', 'type': 'StaticEmbedding'}, {'path': '1_P', 'type': 'Pooling'}]");
    import_refused("a pooling behind it", "'Pooling' is not known, or not in this place");
}

/* ---- Numbers ---- */

/* Reads "w NUMBER" in this process, which continues if the number is refused. */
static bool read_number(const char *number, float *value)
{
    static struct vectors_file file;
    static bool is_right;
    const char *word;
    size_t len;
    char line[2200];
    snprintf(line, sizeof line, "w %s\n", number);
    support_write_text("n.txt", line);
    READ_OR_REFUSE(&is_right, {
        vectors_file_open(&file, "n.txt", 0);
        assert_true(vectors_file_next(&file, &word, &len, value));
    });
    vectors_file_close(&file);
    import_free();
    return is_right;
}

static void check_number(const char *number)
{
    float value = -7, expected = strtof(number, NULL);
    assert_true(read_number(number, &value));
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s: %a, expected %a", number, (double)value, (double)expected);
}

TEST(numbers)
{
    static const char *const numbers[] = {
        "0",
        "-0",
        "+3",
        "5.",
        ".5",
        "-.5e1",
        "1E+3",
        "00012.500e-0003",
        "1e-50",
        "1e-45",
        "0e999999999999999999999",
        "3.4028235e38",
        "16777217",
        "16777219",
        "33554435",
        "16777217.00000000000000000000000000000000000001",
    };
    static const char *const others[] = {
        "-",    "+",     ".",     "-.",   "e5",      "1e",           "1e+",   "nan",
        "NaN",  "inf",   "-inf",  "0x10", "0x1p3",   "1,5",          "1.2.3", "--1",
        "1e5e", "1_000", "1e5.5", "1e39", "-3.5e38", "3.4028236e38",
    };
    float value;
    char many[1100];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        check_number(numbers[i]);
    snprintf(many, sizeof many, "0.%01000de998", 7);
    check_number(many);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (read_number(others[i], &value))
            fail_msg("'%s' was accepted", others[i]);
}

/* Files have points in every locale. */
TEST(decimal_comma)
{
    float value = 0;
    if (!support_comma_locale(support_folder())) {
        print_message("skipped: no locale with a decimal comma here\n");
        skip();
    }
    const bool comma_is_read = read_number("1234,5", &value);
    const bool point_is_read = read_number("1234.5", &value);
    setlocale(LC_ALL, "C");
    assert_false(comma_is_read);
    assert_true(point_is_read);
    assert_true(value == 1234.5f);
}

/* ---- Size ---- */

static void import_first(void *user, size_t n)
{
    (void)user;
    shell_expect(0, "head -n %zu large.txt | $IMPORT --vectors - -o large.weights", n);
}

/* 40,000 words of 100 numbers, a tenth of GloVe's: 16 MB of floats from 32 MB of text. The bound
 * of memory scales to 400,000 words in 300 MB; time grows as the words do. */
TEST(size)
{
    enum { N_WORDS = 40000 };
    if (support_sanitized()) {
        print_message("sanitizers take more memory than this allows: skipped\n");
        skip();
    }
    shell_expect(0, "sh \"$MAKE_VECTORS\" %d 100 >large.txt", N_WORDS);
    const long memory = shell_memory("exec $IMPORT -q --vectors large.txt -o large.weights");
    const double found = growth(import_first, NULL, N_WORDS / 4);
    print_message("40,000 x 100: %ld KiB; four times the words, %.1f times the work\n", memory,
                  found);
    assert_true(memory <= 40 << 10);
    assert_true(found <= GROWTH_MOST);
    assert_string_equal(
        shell_expect(0, "$ENCODE -m large.weights --tokens -f ids 'w-10 w39999 w40001'")->out,
        "10 39999 0\n");
}

/* ---- GloVe's ---- */

/* Each number that the file has is printed again. */
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
    shell_expect(0,
                 "seq 9163 | sed 's/.*/{\"ids\": [&]}/' | $ENCODE -m glove.weights --input jsonl "
                 "-p mean -f csv | tail -n +2 | cut -d, -f 4- | tr ',\r' '  ' >rows; "
                 "cut -d ' ' -f 2- %s | paste -d ' ' rows - | awk '{for (i = 1; i <= 50; i++) if "
                 "($i != $(i + 50)) exit 1; n++} END {exit n != 9163}'",
                 path);
    assert_string_equal(
        shell_expect(0, "$ENCODE -m glove.weights --tokens -f ids 'King wolf'")->out, "692 6305\n");

    /* The two sentences of eleven words: a matrix [12, 50] and the ids of the notebook. */
    support_write_text("t.txt",
                       "king queen man woman dog wolf football basketball red green yellow\n"
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
    char *script = realpath("tests/tools/import/make_vectors.sh", NULL);
    assert_non_null(script);
    setenv("MAKE_VECTORS", script, 1);
    free(script);
    import_setup();
}
