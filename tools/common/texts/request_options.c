/* request_options.c - see request_options.h. */
#include "tools/common/texts/request_options.h"

const char *task_option(enum task task)
{
    static const char *const names[] = {
        [TASK_VECTORS] = "",
        [TASK_TOKENS] = "--tokens",
        [TASK_SHOW_MASK] = "--show-mask",
        [TASK_LABELS] = "--labels",
        [TASK_ENTITIES] = "--entities",
        [TASK_FILL] = "--fill",
        [TASK_RANK] = "--rank",
        [TASK_SIMILARITY] = "--similarity",
        [TASK_COMPARE] = "--compare",
    };
    return names[task];
}

const struct option_row REQUEST_MODEL_ROWS[2] = {
    {"model", 'm', "FILE", "weight file; default $ENCODE_MODEL, else the default weights", NULL,
     TEXT_AT(struct request_options, model_path)},
    {"position", 0, "KIND",
     "what is added for the place of a token: model, none, sinusoidal,\n"
     "learned, index, binary, fourier or exponential",
     "Of place p (from 0) among T tokens, D numbers wide it is, by default what the model says:",
     CHOICE_AT(struct request_options, positions.position, POSITION_SCHEMES)},
};

static const struct option_choice MASKS[] = {
    {"model", ENGINE_MASK_MODEL, "as the model says (default)"},
    {"full", ENGINE_MASK_FULL, "all"},
    {"causal", ENGINE_MASK_CAUSAL, "itself and those before it (the look-ahead mask)"},
    {0},
};

const struct option_row REQUEST_SESSION_ROWS[2] = {
    {"mask", 0, "KIND", "model, full or causal: which tokens a token sees", NULL,
     CHOICE_AT(struct request_options, mask, MASKS)},
    {"threads", 't', "N", "threads; default OMP_NUM_THREADS, else the CPUs there are",
     "Vectors do not depend on it.", COUNT_AT(struct request_options, n_threads, 1, 1024)},
};

const struct option_choice REQUEST_POOLINGS[] = {
    {"none", ENGINE_POOLING_NONE, "a vector per token"},
    {"mean", ENGINE_POOLING_MEAN, "the mean over its tokens"},
    {"cls", ENGINE_POOLING_CLS, "the first token's vector"},
    {"max", ENGINE_POOLING_MAX, "the largest value of each column"},
    {"mean_sqrt", ENGINE_POOLING_MEAN_SQRT,
     "the sum over its tokens, divided by the square root of their number"},
    {"weighted_mean", ENGINE_POOLING_WEIGHTED_MEAN,
     "the mean in which the t-th token, from 1, weighs t"},
    {"last", ENGINE_POOLING_LAST, "the last token's vector"},
    {"pooler", ENGINE_POOLING_POOLER,
     "the model's pooler, a layer on the first token, where it has one"},
    {"model", ENGINE_POOLING_MODEL,
     "the model's own pooling, projection and normalisation, with its default prompt; only this "
     "one "
     "goes through the model's projections, so its vectors may have another width"},
    {0},
};
