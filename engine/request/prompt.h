/* prompt.h - words that go before texts, because the model was trained with them ("query: ").
 *
 * A file keeps its prompts in META as prompt.NAME, and the name of the one to use unasked as
 * default_prompt. A text and its prompt are tokenized as one text.
 */
#ifndef ENGINE_PROMPT_H
#define ENGINE_PROMPT_H

#include "engine/session.h"

struct prompt {
    const char *text; /* [len], borrowed; NULL: none */
    size_t len;
};

/* The prompt of this name ("": none); where name is NULL and by_default, the one that the file has
 * for the role, or for all texts. */
engine_status prompt_choose(const engine_model *model, engine_role role, const char *name,
                            bool by_default, struct prompt *prompt, engine_error *error);

/* The prompt that options, in full, put before texts. */
engine_status prompt_of_options(const engine_model *model, const engine_encode_options *options,
                                bool by_default, struct prompt *prompt, engine_error *error);

/* The texts of an input behind their prompts, in the session's memory where there are any. */
engine_status prompt_apply(engine_session *session, struct prompt prompt, struct prompt pair_prompt,
                           const engine_input *input, size_t index, struct token_input *texts);

/* Spans of tokens [n] count in a text and its prompt as one: makes them count in the text. */
void prompt_move_spans(struct prompt prompt, struct prompt pair_prompt, struct token *tokens,
                       size_t n);

#endif
