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

const char *metric_words(engine_metric metric)
{
    static const char *const words[] = {"cosine", "dot product", "negative Euclidean distance",
                                        "negative Manhattan distance"};
    return words[metric];
}

const struct option_row REQUEST_MODEL_ROWS[3] = {
    {"model", 'm', "FILE",
     "read this weight file; default $ENCODE_MODEL, else the default weights;\n"
     "if it has over 16 MiB, encode-inspect --verify FILE compares its checksums",
     TEXT_AT(struct request_options, model_path)},
    {"precision", 0, "KIND", "exact (default): products in f32; or bf16: fast with AMX or on AMD",
     CHOICE_AT(struct request_options, model.precision, ENGINE_PRECISION_EXACT, "exact bf16")},
    {"position", 0, "KIND", "add these positions to the tokens: model,\n" ENGINE_POSITIONS,
     POSITION_AT(struct request_options, positions.position)},
};

const struct option_row REQUEST_SESSION_ROWS[2] = {
    {"mask", 0, "KIND", "let a token see others by this mask: model, full or causal",
     CHOICE_AT(struct request_options, session.mask, ENGINE_MASK_MODEL, "model full causal")},
    {"threads", 't', "N", "use N threads; default OMP_NUM_THREADS, else all CPUs",
     COUNT_AT(struct request_options, session.n_threads, 1, 1024)},
};
