/* tokenize.h - a text of a call to tokens in the session's memory. */
#ifndef ENGINE_TOKENIZE_H
#define ENGINE_TOKENIZE_H

#include "engine/session.h"

/* engine_encode_options with every default settled. */
struct encode_settings {
    enum pooling pooling;
    bool normalize, special, truncate;
    bool project;    /* the model's own pooling, with its projections */
    bool raw_scores; /* logits */
    enum truncation truncation;
    bool truncate_left;
    size_t max_tokens; /* as the caller gave it; 0: the session's */
};

/* On failure the message is in the session's error. */
engine_status settle_options(struct engine_session *session, const engine_encode_options *options,
                             struct encode_settings *settings);

/* Tokens of inputs[index], a text or a pair: at most min(settings->max_tokens,
 * session->max_tokens), in session->tokens. */
engine_status read_tokens(struct engine_session *session, const engine_input *input, size_t index,
                          const struct encode_settings *settings, struct token_count *count);

#endif
