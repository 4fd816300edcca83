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
    {"model", 'm', "FILE",
     "read this weight file; default $ENCODE_MODEL, else the default weights;\n"
     "if it has over 16 MiB, encode-inspect --verify FILE compares its checksums",
     TEXT_AT(struct request_options, model_path)},
    {"position", 0, "KIND", "add these positions to the tokens: %s",
     POSITION_AT(struct request_options, positions.position)},
};

const struct option_row REQUEST_SESSION_ROWS[2] = {
    {"mask", 0, "KIND", "let a token see others by this mask: model, full or causal",
     CHOICE_AT(struct request_options, session.mask, ENGINE_MASK_MODEL, "model full causal")},
    {"threads", 't', "N", "use N threads; default OMP_NUM_THREADS, else all CPUs",
     COUNT_AT(struct request_options, session.n_threads, 1, 1024)},
};

/* Poolings are in the order of their values, the model's own last. */
int pooling_choice(size_t index, const char **name)
{
    const int value = (int)index + ENGINE_POOLING_NONE;
    *name = engine_pooling_name((engine_pooling)value);
    if (*name || !engine_pooling_name((engine_pooling)(value - 1)))
        return value;
    *name = engine_pooling_name(ENGINE_POOLING_MODEL);
    return ENGINE_POOLING_MODEL;
}

int pooling_of_text_choice(size_t index, const char **name)
{
    const bool is_after = index >= ENGINE_POOLING_SPARSE - ENGINE_POOLING_MEAN;
    return pooling_choice(index + 1 + 2 * is_after, name);
}
