/* tags: no-asan no-coverage long */
/* encode-import and the engine together, against numbers computed in float64 from the same
 * directories (shared/checkpoints): every kind of BERT and DistilBERT that checkpoints.py makes,
 * ELECTRA's encoder, and the directories with real trained layers.
 *
 * Tolerance: 1e-5 absolute for states, pooled vectors and logits; states between layers are small
 * on purpose and are judged in units of their root mean square. f16, bf16 and int8 weights: what
 * the types can give is measured, printed, and held to bounds of the same order.
 *
 * Guarantee: imported BERT, DistilBERT and ELECTRA checkpoints are within 1e-5 of float64
 * expectations made by other software, in every state, vector and logit, to 512 tokens
 * (../shared). */
#include "tests/tools/families/oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double TOLERANCE = 1e-5;

TEST(every_kind)
{
    ORACLE_CHECK("checkpoints.py", TOLERANCE, "bert", "bert --pooling cls --no-normalise --seed 2",
                 "bert --dtype f16 --shards 3", "bert --dtype bf16 --old-names",
                 "bert --width 52 --heads 2 --set hidden_act=gelu_new --set layer_norm_eps=1e-6",
                 "bert-mlm --old-names", "bert-cross-encoder", "bert-ner", "distilbert",
                 "distilbert-sst2 --dtype f16", "electra");
}

/* Shapes of published models. */
static const char *const SHAPES[] = {
    "--layers 6 --width 384 --heads 12 --ffn 1536",
    "--layers 12 --width 768 --heads 12 --ffn 3072",
    "--layers 24 --width 1024 --heads 16 --ffn 4096",
};

static void judge_shape(const char *kind, size_t shape, int seed)
{
    char whole[128];
    snprintf(whole, sizeof whole, "%s %s --seed %d", kind, SHAPES[shape], seed);
    oracle_check("checkpoints.py", whole, TOLERANCE);
}

/* And seeds that nothing was tuned on: SEEDS=10 takes ten of each shape (1.3 GB a file, half an
 * hour). */
TEST(true_shapes)
{
    static const char *const kinds[] = {"bert", "bert-cross-encoder", "distilbert-sst2"};
    const char *wanted = getenv("SEEDS");
    for (size_t i = 0; i < (support_slow() ? 1 : sizeof kinds / sizeof kinds[0]); i++)
        judge_shape(kinds[i], 0, 1);
    for (size_t shape = 0; shape < (wanted ? sizeof SHAPES / sizeof SHAPES[0] : 1); shape++)
        for (int i = 0; i < (wanted ? atoi(wanted) : !support_slow()); i++)
            judge_shape("bert", shape, 1000 + i);
}

/* ---- Real layers, and the types that round ---- */

static const char *const REAL[] = {"tinybert-4l-312d", "bert-tiny-sst2"};

static bool real_directory(size_t index, char path[SUPPORT_PATH])
{
    char below[64];
    snprintf(below, sizeof below, "checkpoints/real/%s", REAL[index]);
    if (support_shared(below, path))
        return true;
    print_message("no checkpoints/real in the shared folder\n");
    return false;
}

TEST(real)
{
    char path[SUPPORT_PATH];
    for (size_t i = 0; i < sizeof REAL / sizeof REAL[0]; i++) {
        struct judged judged;
        if (!real_directory(i, path))
            skip();
        oracle_import(path, NULL);
        oracle_judge(path, TOLERANCE, &judged);
        oracle_assert(REAL[i], TOLERANCE, &judged);
    }
}

/* Rounding moves the numbers: by how much is a property of the type, bounded here by a few times
 * what was measured, so that a wrong scale or a truncation shows. */
TEST(rounded_types)
{
    static const struct {
        const char *type;
        double token_cosine, pooled_cosine;
    } types[] = {
        {"f32", 0.9999999, 0.9999999},
        {"f16", 0.99999, 0.99999},
        {"bf16", 0.9995, 0.9998},
        {"int8", 0.999, 0.999},
    };
    char path[SUPPORT_PATH];
    for (size_t i = 0; i < sizeof REAL / sizeof REAL[0]; i++)
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
            struct judged judged;
            if (!real_directory(i, path))
                skip();
            oracle_import(path, types[t].type);
            oracle_judge(path, INFINITY, &judged);
            print_message("%s %s: cosine of tokens %.7f, of pooled vectors %.7f; largest "
                          "difference of tokens %.2g, of logits %.2g\n",
                          REAL[i], types[t].type, judged.token_cosine, judged.pooled_cosine,
                          judged.tokens.difference.largest, judged.logits.difference.largest);
            assert_true(judged.token_cosine >= types[t].token_cosine);
            assert_true(judged.pooled_cosine >= types[t].pooled_cosine);
        }
}

SET_UP()
{
    oracle_setup();
}
