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

/* Finds the index-th of the poolings from `first` on: those of the config, if `others` then sparse
 * and colbert, then the model's own. */
static int find_pooling(engine_pooling first, bool others, size_t index, const char **name)
{
    static const engine_pooling last[] = {ENGINE_POOLING_SPARSE, ENGINE_POOLING_COLBERT,
                                          ENGINE_POOLING_MODEL};
    engine_pooling value = first;
    for (; (*name = engine_pooling_name(value)) != NULL; value++)
        if (value != ENGINE_POOLING_SPARSE && value != ENGINE_POOLING_COLBERT && index-- == 0)
            return (int)value;
    index += others ? 0 : 2;
    value = last[index < 3 ? index : 0];
    *name = index < 3 ? engine_pooling_name(value) : NULL;
    return (int)value;
}

int pooling_choice(size_t index, const char **name)
{
    return find_pooling(ENGINE_POOLING_NONE, true, index, name);
}

int pooling_of_text_choice(size_t index, const char **name)
{
    return find_pooling(ENGINE_POOLING_MEAN, false, index, name);
}
