/* request_options.h - what a program asks of a model and its texts: the part of the command line
 * that encode and encode-plot share, and all of it that encoder.h sees. */
#ifndef TOOLS_REQUEST_OPTIONS_H
#define TOOLS_REQUEST_OPTIONS_H

#include "engine/engine.h"
#include "tools/common/options/option_table.h"
#include "tools/common/position_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is asked for. */
enum task {
    TASK_VECTORS,
    TASK_TOKENS,
    TASK_SHOW_MASK,
    TASK_LABELS,
    TASK_ENTITIES,
    TASK_FILL,
    TASK_RANK,
    TASK_SIMILARITY,
    TASK_COMPARE
};

struct request_options {
    const char *model_path;                          /* NULL: the default weights */
    char *const *texts;                              /* [n_texts] */
    size_t n_texts;                                  /* 0: stdin */
    const char *prompt, *prompt_text, *query_prompt; /* names and a text, or NULL */
    bool no_prompt;
    bool is_json_input;
    enum task task;
    size_t top; /* 0: not said */
    bool raw_scores;
    bool has_pooling; /* the user named one */
    engine_pooling pooling;
    struct position_options positions;
    engine_mask mask;
    bool skips_long; /* long texts are left out */
    bool is_chunked; /* long texts are encoded in windows */
    size_t stride;   /* tokens that neighbouring windows share */
    engine_on_long on_long;
    bool has_truncation;
    engine_truncation truncation;
    bool truncate_left;
    size_t dimensions; /* that vectors are cut to; 0: not */
    bool normalize, no_special;
    bool with_tokens;  /* beside the vectors of texts */
    size_t max_tokens; /* 0: the model's */
    size_t pad_to;     /* tokens of every text; 0: each has its own length */
    bool pad_left, has_pad_id;
    int32_t pad_id;
    size_t n_threads;                  /* 0: the engine's choice */
    engine_progress_callback progress; /* of the session, or NULL */
};

/* "--labels", the option that asks for the task; "" for TASK_VECTORS. */
const char *task_option(enum task task);

/* The options that are the same in both programs, of a struct request_options. */
extern const struct option_row REQUEST_MODEL_ROWS[2];   /* --model, --position */
extern const struct option_row REQUEST_SESSION_ROWS[2]; /* --mask, --threads */

/* The values of --pooling from ENGINE_POOLING_MEAN on. */
#define REQUEST_POOLINGS "mean cls max mean_sqrt weighted_mean last pooler"

/* Tokens are all that is asked for; the model computes nothing. */
static inline bool task_is_tokens(enum task task)
{
    return task == TASK_TOKENS || task == TASK_SHOW_MASK;
}

#endif
