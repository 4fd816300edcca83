/* position_options.h - which positions are added, as every program that asks says it:
 *
 *     --position SCHEME  --position-base B  --frequencies F,F,...  --embedding-scale W1
 * --position-scale W2
 */
#ifndef TOOLS_POSITION_OPTIONS_H
#define TOOLS_POSITION_OPTIONS_H

#include "engine/engine.h"

#include <stdbool.h>
#include <stddef.h>

struct position_options {
    engine_position position; /* 0: not said, or "model" */
    double base;              /* 0: not said */
    float *frequencies;       /* [n_frequencies], owned; NULL: not said */
    size_t n_frequencies;
    bool has_embedding_scale, embedding_scale_is_sqrt, has_position_scale;
    double embedding_scale, position_scale;
};

enum position_option {
    POSITION_OPTION_SCHEME,
    POSITION_OPTION_BASE,
    POSITION_OPTION_FREQUENCIES,
    POSITION_OPTION_EMBEDDING_SCALE,
    POSITION_OPTION_SCALE,
    N_POSITION_OPTIONS
};

/* For getopt_long: the options have the numbers from `first` on, in the order of the enum. */
#define POSITION_LONG_OPTIONS(first)                                                               \
    {"position", required_argument, NULL, (first) + POSITION_OPTION_SCHEME},                       \
        {"position-base", required_argument, NULL, (first) + POSITION_OPTION_BASE},                \
        {"frequencies", required_argument, NULL, (first) + POSITION_OPTION_FREQUENCIES},           \
        {"embedding-scale", required_argument, NULL, (first) + POSITION_OPTION_EMBEDDING_SCALE},   \
    {                                                                                              \
        "position-scale", required_argument, NULL, (first) + POSITION_OPTION_SCALE                 \
    }

/* False after a message. The struct starts all zero. */
bool position_options_set(struct position_options *options, enum position_option option,
                          const char *text);

void position_options_free(struct position_options *options);

/* Options that say nothing for a scheme, by its name; NULL: unknown yet, or "model". NULL: all is
 * well. */
const char *position_options_conflict(const struct position_options *options, const char *scheme);

/* Into a session's options, for a model of so many columns ("sqrt" becomes the root of that, in
 * options); the numbers are borrowed. */
void position_options_apply(struct position_options *options, size_t width,
                            engine_session_options *session);

/* What to do about a session, or a matrix, that was refused with this status: words to put behind
 * the message, or "". */
const char *position_next_step(engine_position position, engine_status status);

/* "sinusoidal"; "model" for 0. And the other way round: false where there is no such name. */
const char *position_name(engine_position position);
bool position_named(const char *name, engine_position *position);

/* True for sinusoidal and exponential. */
bool position_uses_base(const char *scheme);

/* "0.1,0.25" as the float32 that files and sessions have, owned by the caller; NULL after a
 * message. */
float *position_frequencies_read(const char *option, const char *text, size_t *n);

#endif
