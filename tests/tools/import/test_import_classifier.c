/* encode-import of an embedding_classifier: embedding, positions, mean over the tokens, dense
 * softmax, with no layer, as the first models of a course in Keras are. Tensors are random; what is
 * expected is computed here, in double, from the same numbers. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/shell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WORDS = 7, WIDTH = 5, POSITIONS = 9, LABELS = 3 };

static float embedding[WORDS][WIDTH], position[POSITIONS][WIDTH], weight[LABELS][WIDTH],
    bias[LABELS];

/* ---- The directory ---- */

static void fill(float *values, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (float)support_below(state, 2001) / 500 - 2;
}

static json_t *config(void)
{
    return json_pack("{s:s, s:i, s:i, s:i, s:{s:s, s:s, s:s}}", "model_type",
                     "embedding_classifier", "vocab_size", WORDS, "hidden_size", WIDTH,
                     "max_position_embeddings", POSITIONS, "id2label", "0", "bad", "1", "plain",
                     "2", "good");
}

static void write_config(const char *key, json_t *value)
{
    json_t *whole = config();
    if (key != NULL)
        json_object_set_new(whole, key, value);
    tiny_write_json(import_directory, "config.json", whole);
    json_decref(whole);
}

enum { NO_POSITIONS = 1, KERNEL = 2, NO_BIAS = 4 };

/* The file has the numbers in the order in which tensors are added. */
static size_t put(struct tiny_tensors *tensors, float *data, size_t at, const char *name, int rows,
                  int cols, const float *values)
{
    const int shape[] = {rows, cols > 0 ? cols : -1, -1};
    size_t n = (size_t)(rows * (cols > 0 ? cols : 1));
    tiny_tensors_add(tensors, name, "F32", shape);
    memcpy(data + at, values, n * sizeof *data);
    return at + n;
}

static void write_tensors(unsigned kind)
{
    struct tiny_tensors tensors = {.header = json_object()};
    float data[(WORDS + POSITIONS + LABELS + 1) * WIDTH], kernel[WIDTH][LABELS];
    size_t n = 0, len;
    for (size_t i = 0; i < LABELS; i++)
        for (size_t k = 0; k < WIDTH; k++)
            kernel[k][i] = weight[i][k];
    n = put(&tensors, data, n, "embedding.weight", WORDS, WIDTH, embedding[0]);
    if (!(kind & NO_POSITIONS))
        n = put(&tensors, data, n, "position_embedding.weight", POSITIONS, WIDTH, position[0]);
    if (kind & KERNEL)
        n = put(&tensors, data, n, "classifier.kernel", WIDTH, LABELS, kernel[0]);
    else
        n = put(&tensors, data, n, "classifier.weight", LABELS, WIDTH, weight[0]);
    if (!(kind & NO_BIAS))
        n = put(&tensors, data, n, "classifier.bias", LABELS, 0, bias);
    char *file = tiny_tensors_file(&tensors, &len);
    memcpy(file + len - tensors.n_data, data, n * sizeof *data);
    support_write_in(import_directory, "model.safetensors", file, len);
    free(file);
    tiny_tensors_free(&tensors);
}

/* Keras' to_json of a Tokenizer(num_words=7, oov_token="<unk>"): the id of "rare" is too high. */
static void write_tokenizer(void)
{
    import_write(
        "tokenizer.json",
        "{\"class_name\": \"Tokenizer\", \"config\": {\"num_words\": 7, \"filters\": "
        "\"!,.?\\t\\n\", \"lower\": true, \"split\": \" \", \"char_level\": false, \"oov_token\": "
        "\"<unk>\", \"document_count\": 3, \"word_index\": \"{\\\"<unk>\\\": 1, \\\"the\\\": 2, "
        "\\\"film\\\": 3, \\\"is\\\": 4, \\\"not\\\": 5, \\\"good\\\": 6, \\\"rare\\\": 7}\"}}");
}

static void make_directory(void)
{
    support_remove_dir(import_directory);
    assert_int_equal(mkdir(import_directory, 0700), 0);
    write_config(NULL, NULL);
    write_tensors(0);
    write_tokenizer();
}

/* ---- What is expected ---- */

struct case_of {
    double embedding_scale, position_scale;
    bool learned, sinusoidal, has_bias, is_max;
};

static double position_of(const struct case_of *expected, size_t p, size_t i)
{
    if (expected->learned)
        return position[p][i];
    if (!expected->sinusoidal)
        return 0;
    double angle = (double)p / pow(10000, (double)(i / 2 * 2) / WIDTH);
    return i % 2 == 0 ? sin(angle) : cos(angle);
}

static void expect_scores(const struct case_of *expected, const int *ids, size_t n,
                          double scores[LABELS])
{
    double pooled[WIDTH], sum = 0;
    for (size_t i = 0; i < WIDTH; i++) {
        double total = 0, largest = -INFINITY;
        for (size_t p = 0; p < n; p++) {
            double x = expected->embedding_scale * (double)embedding[ids[p]][i] +
                       expected->position_scale * position_of(expected, p, i);
            total += x;
            largest = fmax(largest, x);
        }
        pooled[i] = expected->is_max ? largest : total / (double)n;
    }
    for (size_t label = 0; label < LABELS; label++) {
        double logit = expected->has_bias ? (double)bias[label] : 0;
        for (size_t i = 0; i < WIDTH; i++)
            logit += (double)weight[label][i] * pooled[i];
        sum += scores[label] = exp(logit);
    }
    for (size_t label = 0; label < LABELS; label++)
        scores[label] /= sum;
}

/* The directory, imported and run on two texts. */
static void check(const struct case_of *expected, const char *what)
{
    static const char *const texts[] = {"The film is not good.", "Rare film! Is GOOD, is rare?"};
    static const int ids[][7] = {{2, 3, 4, 5, 6}, {1, 3, 4, 6, 4, 1}};
    static const size_t lens[] = {5, 6};
    const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_LABELS);
    shell_expect(0, "$IMPORT %s -o c.weights", import_directory);
    engine_model *model = support_open("c.weights");
    engine_session *session = support_session(model, NULL);
    for (size_t t = 0; t < 2; t++) {
        const engine_input input = {.text = texts[t], .text_len = strlen(texts[t])};
        float got[LABELS];
        double scores[LABELS];
        assert_ok(engine_encode(session, &input, 1, &options, got, LABELS, NULL, NULL));
        expect_scores(expected, ids[t], lens[t], scores);
        for (size_t label = 0; label < LABELS; label++)
            if (!(fabs((double)got[label] - scores[label]) <= 1e-6))
                fail_msg("%s: '%s', label %zu: %.9g, expected %.9g", what, texts[t], label,
                         (double)got[label], scores[label]);
    }
}

/* ---- Tests ---- */

TEST(learned)
{
    const struct case_of expected = {1, 1, .learned = true, .has_bias = true};
    make_directory();
    check(&expected, "learned positions");
    write_tensors(KERNEL);
    check(&expected, "a kernel");
    const struct shell_result *result =
        shell_expect(0, "$ENCODE -m c.weights --labels 'The film is not good.'");
    assert_true(strstr(result->out, "bad") || strstr(result->out, "plain") ||
                strstr(result->out, "good"));
    result = shell_expect(0, "$INSPECT --verify c.weights >i && tr -s ' ' <i");
    assert_contains(result->out, "EmbeddingClassifier");
    assert_contains(result->out, "head_pooling mean");
    assert_contains(shell_expect(0, "$IMPORT %s --dry-run", import_directory)->out,
                    "classifier.kernel");
}

TEST(variants)
{
    struct case_of expected = {1, 1, .has_bias = true};
    make_directory();
    write_tensors(NO_POSITIONS);
    check(&expected, "no positions");
    write_tensors(NO_POSITIONS | NO_BIAS | KERNEL);
    expected.has_bias = false;
    check(&expected, "no bias");
    write_tensors(NO_POSITIONS);
    expected.has_bias = true;
    json_t *whole = config();
    json_object_set_new(whole, "position", json_string("sinusoidal"));
    json_object_set_new(whole, "embedding_scale", json_real(2));
    json_object_set_new(whole, "position_scale", json_real(0.5));
    json_object_set_new(whole, "pooling", json_string("max"));
    json_object_del(whole, "id2label"); /* the classifier's rows say how many there are */
    tiny_write_json(import_directory, "config.json", whole);
    json_decref(whole);
    expected = (struct case_of){2, 0.5, .sinusoidal = true, .has_bias = true, .is_max = true};
    check(&expected, "sinusoids, scales, max");
    write_tensors(NO_POSITIONS | KERNEL);
    check(&expected, "labels by the columns of a kernel");
}

/* As for the other classes: a tokenizer.json of HuggingFace, and other types of the table. */
TEST(tokenizers_and_types)
{
    const struct case_of expected = {1, 1, .learned = true, .has_bias = true};
    make_directory();
    import_write("tokenizer.json",
                 "{'normalizer': {'type': 'Lowercase'}, 'pre_tokenizer': {'type': 'Sequence', "
                 "'pretokenizers': [{'type': 'WhitespaceSplit'}, {'type': 'Punctuation', "
                 "'behavior': 'Removed'}]}, 'model': {'type': 'WordLevel', 'unk_token': '<unk>', "
                 "'vocab': {'<unk>': 1, 'the': 2, 'film': 3, 'is': 4, 'not': 5, 'good': 6}}}");
    check(&expected, "HuggingFace's tokenizer");
    write_tokenizer();
    shell_expect(
        0,
        "for t in f32 f16 bf16 int8; do $IMPORT %s --weights $t -o $t.weights && $INSPECT --verify "
        "$t.weights >/dev/null && $ENCODE -m $t.weights --labels 'not good' || exit 1; done",
        import_directory);
}

TEST(refused)
{
    const struct {
        const char *key;
        json_t *value;
        const char *words;
    } cases[] = {
        {"vocab_size", json_integer(8), "expected [8, 5]"},
        {"vocab_size", json_integer(6), "expected fewer than the 6 rows"},
        {"hidden_size", json_null(), "hidden_size"},
        {"max_position_embeddings", json_integer(12), "expected [12, 5]"},
        {"position", json_string("rotary"), "'position' is 'rotary'"},
        {"position", json_string("none"), "position_embedding.weight"},
        {"position", json_integer(1), "position"},
        {"position_base", json_integer(7), "position_base"},
        {"position_scale", json_real(-1), "'position_scale' is -1"},
        {"embedding_scale", json_string("sqrt"), "embedding_scale"},
        {"pooling", json_string("sum"), "'pooling' is 'sum'"},
        {"pooling", json_string("none"), "head_pooling"},
        {"num_labels", json_integer(4), "num_labels"},
        {"architectures", json_pack("[s]", "BertModel"), "is of type 'bert'"},
    };
    make_directory();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_config(cases[i].key, cases[i].value);
        import_refused(cases[i].key, cases[i].words);
    }
    write_config("position", json_string("learned"));
    write_tensors(NO_POSITIONS);
    import_refused("no table of positions", "position_embedding.weight");
    write_config(NULL, NULL);
    write_tensors(0);
    import_accepted("the directory as it was");
    import_write("tokenizer.json", "{'class_name': 'Tokenizer', 'config': {}}");
    import_refused("a tokenizer without words", "word_index");
    import_write("tokenizer.json", "{'config': {'lower': 1, 'word_index': '{}'}}");
    import_refused("a flag that is a number", "'lower'");
}

SET_UP()
{
    uint64_t random = 5;
    fill(embedding[0], WORDS * WIDTH, &random);
    fill(position[0], POSITIONS * WIDTH, &random);
    fill(weight[0], LABELS * WIDTH, &random);
    fill(bias, LABELS, &random);
    import_setup();
}
