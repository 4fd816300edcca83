/* encode-import of an embedding_classifier: embedding, positions, mean over the tokens, dense
 * softmax, with no layer, as the first models of a course in Keras are. Tensors are random; what is
 * expected is computed here, in double, from the same numbers. */
#include "tests/owned.h"
#include "tests/tools/import/import_cases.h"
#include "tests/tools/shell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WORDS = 7, WIDTH = 5, POSITIONS = 9, LABELS = 3 };

/* The numbers of model.safetensors, and where its tensors are in them. */
static float numbers[(WORDS + POSITIONS + LABELS + 1) * WIDTH];
static const float *embedding, *position, *weight, *bias; /* position, bias: or NULL */
static bool is_kernel;                                    /* weight is [WIDTH, LABELS] */

/* ---- The directory ---- */

/* config.json with more members, "'key': value, ..."; null: the key is absent. */
static void write_config(const char *members)
{
    char text[200];
    json_t *config =
        json_pack("{s:s, s:i, s:i, s:i, s:{s:s, s:s, s:s}}", "model_type", "embedding_classifier",
                  "vocab_size", WORDS, "hidden_size", WIDTH, "max_position_embeddings", POSITIONS,
                  "id2label", "0", "bad", "1", "plain", "2", "good");
    snprintf(text, sizeof text, "{%s}", members);
    json_t *more = json_loads(tiny_json(text), 0, NULL);
    assert_int_equal(json_object_update(config, more), 0);
    tiny_write_json(import_directory, "config.json", config);
    json_decref(config);
    json_decref(more);
}

enum { NO_POSITIONS = 1, KERNEL = 2, NO_BIAS = 4 };

/* Adds a tensor, whose numbers come after those of the last one. */
static const float *put(struct tiny_tensors *tensors, const char *name, int rows, int cols)
{
    const float *at = numbers + tensors->n_data / sizeof *numbers;
    tiny_tensors_add(tensors, name, "F32", (const int[]){rows, cols, -1});
    return at;
}

static void write_tensors(unsigned kind)
{
    struct tiny_tensors tensors = {.header = json_object()};
    size_t len;
    is_kernel = kind & KERNEL;
    embedding = put(&tensors, "embedding.weight", WORDS, WIDTH);
    position =
        kind & NO_POSITIONS ? NULL : put(&tensors, "position_embedding.weight", POSITIONS, WIDTH);
    weight = is_kernel ? put(&tensors, "classifier.kernel", WIDTH, LABELS)
                       : put(&tensors, "classifier.weight", LABELS, WIDTH);
    bias = kind & NO_BIAS ? NULL : put(&tensors, "classifier.bias", LABELS, -1);
    char *file = tiny_tensors_file(&tensors, &len);
    memcpy(file + len - tensors.n_data, numbers, tensors.n_data);
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
    write_config("");
    write_tensors(0);
    write_tokenizer();
}

/* ---- What is expected ---- */

struct case_of {
    double embedding_scale, position_scale;
    bool sinusoidal, is_max;
};
static const struct case_of USUAL = {.embedding_scale = 1, .position_scale = 1};

static double position_of(const struct case_of *expected, size_t p, size_t i)
{
    if (position != NULL)
        return position[p * WIDTH + i];
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
            double x = expected->embedding_scale * (double)embedding[ids[p] * WIDTH + (int)i] +
                       expected->position_scale * position_of(expected, p, i);
            total += x;
            largest = fmax(largest, x);
        }
        pooled[i] = expected->is_max ? largest : total / (double)n;
    }
    for (size_t label = 0; label < LABELS; label++) {
        double logit = bias != NULL ? (double)bias[label] : 0;
        for (size_t i = 0; i < WIDTH; i++)
            logit += (double)weight[is_kernel ? i * LABELS + label : label * WIDTH + i] * pooled[i];
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
    make_directory();
    check(&USUAL, "learned positions");
    write_tensors(KERNEL);
    check(&USUAL, "a kernel");
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
    static const struct case_of scaled = {2, 0.5, .sinusoidal = true, .is_max = true};
    make_directory();
    write_tensors(NO_POSITIONS);
    check(&USUAL, "no positions");
    write_tensors(NO_POSITIONS | NO_BIAS | KERNEL);
    check(&USUAL, "no bias");
    write_tensors(NO_POSITIONS);
    write_config("'position': 'sinusoidal', 'embedding_scale': 2.0, 'position_scale': 0.5, "
                 "'pooling': 'max', 'id2label': null"); /* the rows say how many labels there are */
    check(&scaled, "sinusoids, scales, max");
    write_tensors(NO_POSITIONS | KERNEL);
    check(&scaled, "labels by the columns of a kernel");
}

/* As for the other classes: a tokenizer.json of HuggingFace, and other types of the table. */
TEST(tokenizers_and_types)
{
    make_directory();
    import_write("tokenizer.json",
                 "{'normalizer': {'type': 'Lowercase'}, 'pre_tokenizer': {'type': 'Sequence', "
                 "'pretokenizers': [{'type': 'WhitespaceSplit'}, {'type': 'Punctuation', "
                 "'behavior': 'Removed'}]}, 'model': {'type': 'WordLevel', 'unk_token': '<unk>', "
                 "'vocab': {'<unk>': 1, 'the': 2, 'film': 3, 'is': 4, 'not': 5, 'good': 6}}}");
    check(&USUAL, "HuggingFace's tokenizer");
    write_tokenizer();
    shell_expect(
        0,
        "for t in f32 f16 bf16 int8; do $IMPORT %s --weights $t -o $t.weights && $INSPECT --verify "
        "$t.weights >/dev/null && $ENCODE -m $t.weights --labels 'not good' || exit 1; done",
        import_directory);
}

TEST(refused)
{
    static const char *const cases[][2] = {
        {"'vocab_size': 8", "expected [8, 5]"},
        {"'vocab_size': 6", "expected fewer than the 6 rows"},
        {"'hidden_size': null", "hidden_size"},
        {"'max_position_embeddings': 12", "expected [12, 5]"},
        {"'position': 'rotary'", "'position' is 'rotary'"},
        {"'position': 'none'", "position_embedding.weight"},
        {"'position': 1", "position"},
        {"'position_base': 7", "position_base"},
        {"'position_scale': -1.0", "'position_scale' is -1"},
        {"'embedding_scale': 'sqrt'", "embedding_scale"},
        {"'pooling': 'sum'", "'pooling' is 'sum'"},
        {"'pooling': 'none'", "head_pooling"},
        {"'num_labels': 4", "num_labels"},
        {"'architectures': ['BertModel']", "is of type 'bert'"},
    };
    make_directory();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_config(cases[i][0]);
        import_refused(cases[i][0], cases[i][1]);
    }
    write_config("'position': 'learned'");
    write_tensors(NO_POSITIONS);
    import_refused("no table of positions", "position_embedding.weight");
    write_config("");
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
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        numbers[i] = (float)random_within(&random, 2);
    import_setup();
}
