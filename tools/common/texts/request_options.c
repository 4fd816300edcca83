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
    {"model", 'm', "FILE", "weight file; default $ENCODE_MODEL, else the default weights",
     TEXT_AT(struct request_options, model_path)},
    {"position", 0, "KIND",
     "what is added for the place of a token: model, none, sinusoidal,\n"
     "learned, index, binary, fourier or exponential",
     CHOICE_AT(struct request_options, positions.position, POSITION_SCHEMES)},
};

static const struct option_choice MASKS[] = {
    {"model", ENGINE_MASK_MODEL},
    {"full", ENGINE_MASK_FULL},
    {"causal", ENGINE_MASK_CAUSAL},
    {0},
};

const struct option_row REQUEST_SESSION_ROWS[2] = {
    {"mask", 0, "KIND", "model, full or causal: which tokens a token sees",
     CHOICE_AT(struct request_options, mask, MASKS)},
    {"threads", 't', "N", "threads; default OMP_NUM_THREADS, else the CPUs there are",
     COUNT_AT(struct request_options, n_threads, 1, 1024)},
};

const struct option_choice REQUEST_POOLINGS[] = {
    {"none", ENGINE_POOLING_NONE},
    {"mean", ENGINE_POOLING_MEAN},
    {"cls", ENGINE_POOLING_CLS},
    {"max", ENGINE_POOLING_MAX},
    {"mean_sqrt", ENGINE_POOLING_MEAN_SQRT},
    {"weighted_mean", ENGINE_POOLING_WEIGHTED_MEAN},
    {"last", ENGINE_POOLING_LAST},
    {"pooler", ENGINE_POOLING_POOLER},
    {"model", ENGINE_POOLING_MODEL},
    {0},
};
