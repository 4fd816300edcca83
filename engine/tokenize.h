/* tokenize.h - a text of a call to tokens in the session's memory. */
#ifndef ENGINE_TOKENIZE_H
#define ENGINE_TOKENIZE_H

#include "engine/request.h"

/* Tokens of inputs[index], a text or a pair, behind its prompt: at most as many as the request and
 * the session allow, in session->tokens. On failure the message is in the session's error. */
engine_status read_tokens(struct engine_session *session, const engine_input *input, size_t index,
                          const struct request *request, struct token_count *count);

#endif
