/* prompt.h - words before texts, because the model was trained with them ("query: ").
 *
 * A file stores its prompts in META as prompt.NAME, and the name of the default one as
 * default_prompt. A text and its prompt are tokenized as one text.
 */
#ifndef ENGINE_PROMPT_H
#define ENGINE_PROMPT_H

#include "engine/session.h"
#include "model/tokenizer/tokenize.h"

struct prompt {
    const char *text; /* [len], borrowed; NULL: no prompt */
    size_t len;
};

/* Returns whether the file's own prompts are used by default with this pooling. */
bool pooling_has_prompts(engine_pooling pooling);

/* Finds the prompt of this name ("": none). If name is NULL and by_default is true, finds the
 * file's prompt for the role, else for all texts. */
engine_status prompt_choose(const engine_model *model, engine_role role, const char *name,
                            bool by_default, struct prompt *prompt, engine_error *error);

/* Finds the prompt that the options (all members set) put before texts. */
engine_status prompt_of_options(const engine_model *model, const engine_encode_options *options,
                                bool by_default, struct prompt *prompt, engine_error *error);

/* Puts the texts of an input after their prompts, in the session's memory if there are prompts. */
engine_status prompt_apply(engine_session *session, struct prompt prompt, struct prompt pair_prompt,
                           const engine_input *input, size_t index, struct token_input *texts);

/* Changes spans of tokens [n] from offsets in prompt and text to offsets in the text. */
void prompt_move_spans(struct prompt prompt, struct prompt pair_prompt, engine_token *tokens,
                       size_t n);

#endif
