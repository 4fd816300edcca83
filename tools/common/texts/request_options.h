/* request_options.h - what a program asks of a model and its texts: the part of the command line
 * that encode and encode-plot share, and the only part that encoder.h sees. */
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
    const char *model_path; /* NULL: the default weights */
    char *const *texts;     /* [n_texts] */
    size_t n_texts;         /* 0: stdin */
    bool is_json_input;
    enum task task;
    engine_model_options model;     /* as asked for */
    engine_encode_options encode;   /* as asked for; prompts by their names, or as a text */
    engine_session_options session; /* as asked for, without positions */
    struct position_options positions;
    struct padding {
        size_t n;      /* tokens of every text; 0: each has its own length */
        bool is_left;  /* before the tokens, not after them */
        bool is_named; /* the user named the id: such ids at the ends of the input are padding */
        int32_t id;
        int32_t likely; /* else: the id that looks like padding at the ends of ids; -1: none */
    } padding;
    size_t top;                                  /* 0: not said */
    bool has_pooling, has_truncation, no_prompt; /* said */
    bool skips_long;                             /* long texts are skipped */
    bool is_chunked;                             /* long texts are encoded in windows */
    bool with_tokens;                            /* in addition to the vectors of texts */
};

/* The options of an empty command line. */
#define REQUEST_OPTIONS(...)                                                                       \
    ((struct request_options){.model = ENGINE_MODEL_OPTIONS(),                                     \
                              .encode = ENGINE_ENCODE_OPTIONS(),                                   \
                              .session = ENGINE_SESSION_OPTIONS(),                                 \
                              __VA_ARGS__})

/* "--labels", the option that asks for the task; "" for TASK_VECTORS. */
const char *task_option(enum task task);

/* "dot product", for headings. */
const char *metric_words(engine_metric metric);

/* The value of --pooling in programs that compare texts: a pooling of texts, or the model's own. */
#define TEXT_POOLING_AT(type)                                                                      \
    NAMED_AT(type, request.encode.pooling, ENGINE_TEXT_POOLINGS " model", engine_pooling_named)

/* The options that are the same in both programs, of a struct request_options. */
extern const struct option_row REQUEST_MODEL_ROWS[3];   /* --model, --precision, --position */
extern const struct option_row REQUEST_SESSION_ROWS[2]; /* --mask, --threads */

/* Tokens are all that is asked for; the model computes nothing. */
static inline bool task_is_tokens(enum task task)
{
    return task == TASK_TOKENS || task == TASK_SHOW_MASK;
}

#endif
