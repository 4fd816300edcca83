/* encode-import on static embeddings: what model2vec and sentence-transformers compute of a text,
 * in double precision from the tensors, and directories that are refused. Both libraries were
 * compared with this by hand.
 *
 * Guarantee: static embeddings are as computed from their tensors in double precision. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/shell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3, TOKENS = 5, WIDTH = 4 };

/* The template's special tokens are not put into texts. */
static const char TOKENIZER[] =
    "{\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"[UNK]\", \"vocab\": {\"[UNK]\": 0, "
    "\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4}}, \"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"}, "
    "\"post_processor\": {\"type\": \"BertProcessing\", \"sep\": [\"c\", 3], \"cls\": [\"d\", 4]}}";
static const char CONFIG[] = "{\"model_type\": \"model2vec\", \"architectures\": "
                             "[\"StaticModel\"], \"seq_length\": 1000000, \"normalize\": false}";

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
    char header[512], bytes[1024];
    size_t n = (size_t)rows * sizeof table[0], at = n;
    int len = snprintf(header, sizeof header,
                       "{\"%s\": {\"dtype\": \"F32\", \"shape\": [%d, %d], \"data_offsets\": [0, "
                       "%zu]}",
                       name, rows, WIDTH, n);
    if (weights != NULL) {
        len += snprintf(header + len, sizeof header - (size_t)len,
                        ", \"weights\": {\"dtype\": \"F64\", \"shape\": [%d], \"data_offsets\": "
                        "[%zu, %zu]}",
                        TOKENS, at, at + sizeof WEIGHTS);
        at += sizeof WEIGHTS;
    }
    if (mapping != NULL) {
        len += snprintf(header + len, sizeof header - (size_t)len,
                        ", \"mapping\": {\"dtype\": \"I32\", \"shape\": [%d], \"data_offsets\": "
                        "[%zu, %zu]}",
                        TOKENS, at, at + sizeof MAPPING);
    }
    len += snprintf(header + len, sizeof header - (size_t)len, "}");
    uint64_t n_header = (uint64_t)len;
    memcpy(bytes, &n_header, sizeof n_header);
    memcpy(bytes + 8, header, (size_t)len);
    size_t end = 8 + (size_t)len;
    const struct {
        const void *data;
        size_t n;
    } parts[] = {{table, n}, {weights, sizeof WEIGHTS}, {mapping, sizeof MAPPING}};
    for (size_t i = 0; i < 3; i++)
        if (parts[i].data != NULL) {
            memcpy(bytes + end, parts[i].data, parts[i].n);
            end += parts[i].n;
        }
    support_write_in(import_directory, "model.safetensors", bytes, end);
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
    import_write("config.json", "{\"model_type\": \"model2vec\", \"normalize\": true}");
    write_tensors("embeddings", ROWS, MAPPING, WEIGHTS);
    import("");
    vector_is("a d x c a", ids, 4, MAPPING, WEIGHTS, true);
}

TEST(length)
{
    static const struct {
        const char *config, *limit;
    } cases[] = {
        {"{\"model_type\": \"model2vec\"}", "max_text_tokens        512"},
        {"{\"model_type\": \"model2vec\", \"max_length\": 9}", "max_text_tokens        9"},
        {"{\"model_type\": \"model2vec\", \"max_length\": 9000}", "max_tokens             9000"},
        {"{\"model_type\": \"model2vec\", \"max_length\": null}", "max_tokens             8192"},
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
             "{%s\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"[UNK]\", \"vocab\": "
             "{\"[UNK]\": 0, \"a\": 1, \"b\u00e9\": 2, \"cc\": 3, \"ddd\": 4}}, "
             "\"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"}, \"post_processor\": {\"type\": "
             "\"TemplateProcessing\", \"single\": [{\"SpecialToken\": {\"id\": \"S\", \"type_id\": "
             "0}}, {\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}], \"pair\": [{\"Sequence\": "
             "{\"id\": \"A\", \"type_id\": 0}}, {\"Sequence\": {\"id\": \"B\", \"type_id\": 1}}], "
             "\"special_tokens\": {\"S\": {\"id\": \"S\", \"ids\": [9000], \"tokens\": [\"S\"]}}}}",
             truncation);
    import_write("tokenizer.json", text);
}

/* model2vec cuts a text to 3 * 2 characters, then to 3 tokens with the unknown ones, which it
 * drops then. */
TEST(cut_texts)
{
    static const int ids[] = {1, 1, 4};
    begin();
    write_tokenizer("\"truncation\": {\"max_length\": 1}, ");
    import_write("config.json", "{\"model_type\": \"model2vec\", \"max_length\": 3}");
    write_tensors("embeddings", TOKENS, NULL, NULL);
    import("");
    vector_is("a a ddd", ids, 2, NULL, NULL, false); /* "a a dd" */
    vector_is("a a \u00e9", ids, 2, NULL, NULL, false);
    vector_is("a ddd", (const int[]){1, 4}, 2, NULL, NULL, false);
    vector_is("a z z a", ids, 1, NULL, NULL, false);
    vector_is("a a a a", (const int[]){1, 1, 1}, 3, NULL, NULL, false);
    import_write("config.json", "{\"model_type\": \"model2vec\", \"max_length\": null}");
    import("");
    vector_is("a a ddd", ids, 3, NULL, NULL, false);
}

/* sentence-transformers cuts a text as tokenizer.json says. */
TEST(truncation_of_tokenizer_json)
{
    static const int ids[] = {1, 0};
    begin();
    write_tokenizer("\"truncation\": {\"max_length\": 2}, ");
    write_tensors("embedding.weight", TOKENS, NULL, NULL);
    import_write("modules.json", "[{\"path\": \".\", \"type\": \"StaticEmbedding\"}]");
    import("");
    vector_is("a z ddd", ids, 2, NULL, NULL, false);
    write_tokenizer("\"truncation\": {\"max_length\": 2, \"direction\": \"Left\"}, ");
    import_refused("the start", "the truncation's 'direction' is 'Left'");
}

/* The unknown token is one of the tokens; config.json is absent; a Normalize follows. */
TEST(sentence_transformers)
{
    static const int ids[] = {1, 0, 4, 0};
    begin();
    write_tensors("embedding.weight", TOKENS, NULL, NULL);
    import_write("modules.json",
                 "[{\"path\": \".\", \"type\": \"sentence_transformers.models.StaticEmbedding\"}]");
    import("");
    vector_is("a x d [UNK]", ids, 4, NULL, NULL, false);
    shell_expect(0, "cd %s && mkdir 0_S && mv model.safetensors tokenizer.json 0_S",
                 import_directory);
    import_write("modules.json",
                 "[{\"path\": \"0_S\", \"type\": \"StaticEmbedding\"}, "
                 "{\"path\": \"1_N\", \"type\": \"sentence_transformers.models.Normalize\"}]");
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
    import_write("modules.json", "[{\"path\": \"\", \"type\": \"StaticEmbedding\"}, "
                                 "{\"path\": \"1_P\", \"type\": \"Pooling\"}]");
    import_refused("a pooling behind it", "'Pooling' is not known, or not in this place");
}

SET_UP()
{
    import_setup();
}
