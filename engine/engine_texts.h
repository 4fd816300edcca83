/* engine_texts.h - the part of engine.h, which includes it, for preparing texts: prompts before
 * them, windows of long texts, and how many of their words are known. The rules of engine.h apply.
 */
#ifndef ENGINE_TEXTS_H
#define ENGINE_TEXTS_H

#ifndef ENGINE_H
#error "include engine.h, which includes this"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Counts the words of a text or pair, without its prompt, from the tokens of engine_tokenize. Texts
 * whose words are all unknown have nearly the same vector. */
ENGINE_API engine_status engine_count_words(const engine_model *model, const engine_input *input,
                                            const engine_token *tokens, size_t n_tokens,
                                            engine_word_counts *counts);

/* Returns 1 if one of the tokens is of the text itself: neither special nor of its prompt. A text
 * without such tokens (empty, only blanks) has a vector all the same: that of the others. */
ENGINE_API int engine_has_text(const engine_token *tokens, size_t n_tokens);

/* Writes the text of ids, not NUL-terminated, as HuggingFace's usual decoder of that kind
 * of tokenizer joins tokens; a file's own decoder is not kept. What the tokenizer changed or
 * dropped (case, blanks) is lost; ids that split a character give invalid UTF-8. skip_special: 1
 * leaves out those of the file's templates, and added ones like [PAD] or <pad>.
 * ENGINE_ERROR_ARGUMENT: the id of index error->input has no text. */
ENGINE_API engine_status engine_decode(const engine_model *model, const int32_t *ids, size_t n,
                                       int skip_special, char *out, size_t cap, size_t *needed,
                                       engine_error *error);

/* Returns the words that engine_encode puts before each text with these options, borrowed from the
 * model or the options; *len is 0 for an empty prompt. ENGINE_ERROR_ARGUMENT for a name that the
 * file does not have; the message lists the file's names. */
ENGINE_API engine_status engine_prompt(const engine_model *model,
                                       const engine_encode_options *options, const char **text,
                                       size_t *len, engine_error *error);

/* Divides all tokens [n_tokens] of a text, from engine_tokenize without a limit, into windows of at
 * most options->max_tokens (0: this session's limit for texts), each of which shares
 * options->stride tokens (with whole_words or more) with the window before. Of a pair the longer
 * text is split, or the one that options->truncation names. out is [windows]: one if the text is
 * not too long. */
ENGINE_API engine_status engine_windows(engine_session *session, const engine_token *tokens,
                                        size_t n_tokens, const engine_encode_options *options,
                                        engine_window *out, size_t cap, size_t *needed);

/* Writes a window's tokens to out [window->n_tokens], an input for engine_encode. NULL: a no-op. */
ENGINE_API void engine_window_tokens(const engine_window *window, const engine_token *tokens,
                                     size_t n_tokens, engine_token *out);

#ifdef __cplusplus
}
#endif
#endif
