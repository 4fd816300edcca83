/* request_options.h - what a program asks of a model and its texts, the only part of a command line
 * that text_encoder.h sees; and which positions are added, as every program that asks says it. */
#ifndef TOOLS_REQUEST_OPTIONS_H
#define TOOLS_REQUEST_OPTIONS_H

#include "engine/engine.h"
#include "tools/common/options/option_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Positions ---- */

struct position_options {
    engine_position position; /* 0: not said, or "model" */
    double base;              /* 0: not said */
    const float *frequencies; /* [n_frequencies]; NULL: not said */
    size_t n_frequencies;
    bool has_embedding_scale, embedding_scale_is_sqrt, has_position_scale;
    double embedding_scale, position_scale;
};

/* The member for --position, whose row is in each program, since its default differs. */
#define POSITION_AT(type, member)                                                                  \
    NAMED_AT(type, member, "model, " ENGINE_POSITIONS, engine_position_named)

/* The other options, of a struct position_options that starts all zero. */
extern const struct option_row POSITION_ROWS[3];        /* all but --embedding-scale */
extern const struct option_row EMBEDDING_SCALE_ROWS[1]; /* where there are embeddings, too */

/* A group of such rows, for the positions that are a member of a program's options. */
#define POSITION_GROUP(array, type, member)                                                        \
    {                                                                                              \
        OPTION_GROUP(NULL, array), .base = OPTION_AT(type, member, struct position_options)        \
    }

/* A rule: the positions in a program's options must fit their scheme. */
#define POSITION_RULE(type, member)                                                                \
    {                                                                                              \
        .check = position_options_check, .base = OPTION_AT(type, member, struct position_options)  \
    }
const char *position_options_check(const void *positions);

/* Returns the message of options that do nothing for a scheme, or NULL, as for "model". */
const char *position_options_conflict(const struct position_options *options,
                                      engine_position scheme);

/* The numbers in force: what the options say, else the model (NULL: none), else the format. */
#define POSITION_DEFAULT_BASE 10000.0
struct position_numbers {
    double base, embedding_scale, position_scale; /* embedding_scale: for vectors [width] */
    size_t n_frequencies;                         /* 0: harmonics */
};
struct position_numbers position_numbers(const struct position_options *options,
                                         const engine_model *model, size_t width);

/* Into a session's options, for a model of so many columns ("sqrt" becomes the root of that, in
 * options); the numbers are borrowed. */
void position_options_apply(struct position_options *options, size_t width,
                            engine_session_options *session);

/* Returns what to do about a session, or a matrix, that was refused with this status: words to
 * follow the message, or "". */
const char *position_next_step(engine_position position, engine_status status);

/* Names the options that may make float32 overflow, to print after the message, or "". */
const char *position_scale_hint(const struct position_options *options, engine_reason reason);

/* "0.1,0.25" as the float32 that files and sessions have. They are kept until the option is read
 * again. */
const float *position_frequencies_read(const char *option, const char *text, size_t *n);

/* ---- Requests ---- */

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
    char *const *files;     /* [n_files], TEXTs whose lines are read, the first as stdin; or NULL */
    size_t n_files;
    enum input_kind { INPUT_TEXT, INPUT_JSONL, INPUT_CSV, INPUT_TSV } input; /* of lines */
    const char *column; /* of a table, or NULL: "text", or the only one */
    const char *pair;   /* second text of the one TEXT, or NULL */
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
    const char *labels_of;                       /* TASK_LABELS: "sport,food", or the model's */
    const char *hypothesis;                      /* of a label, or NULL */
    bool is_multi;                               /* each label is scored alone */
    size_t top;                                  /* 0: not said */
    bool has_pooling, has_truncation, no_prompt; /* said */
    bool skips_long;                             /* long texts are skipped */
    bool is_chunked;                             /* long texts are encoded in windows */
    bool has_spans;                              /* texts name spans, each of which has a vector */
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

/* Returns whether tokens are all that is asked for: the model computes nothing. */
static inline bool task_is_tokens(enum task task)
{
    return task == TASK_TOKENS || task == TASK_SHOW_MASK;
}

/* Sets --pad-id, a number that may be negative; `options` begins with a struct request_options. */
void request_set_pad_id(void *options, const struct option_use *use);

/* "dot product", for headings. */
const char *metric_words(engine_metric metric);

/* The options that are the same in several programs, of a struct request_options. */
extern const struct option_row REQUEST_MODEL_ROWS[3];   /* --model, --precision, --position */
extern const struct option_row REQUEST_SESSION_ROWS[2]; /* --mask, --threads */

/* ---- Settings of a model ---- */

/* Returns the value of a setting, borrowed from the model; NULL if the file does not have it. */
const char *model_setting(const engine_model *model, engine_settings settings, const char *key);

/* Returns a number of the config, or `otherwise` if the file does not have it or model is NULL. */
double model_number(const engine_model *model, const char *key, double otherwise);

#endif
