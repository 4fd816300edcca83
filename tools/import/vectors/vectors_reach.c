/* vectors_reach.c - which words of a weight file no text can have: asked of the file's own
 * tokenizer, word by word; see vectors_report.h.
 */
#include "tools/import/vectors/vectors_report.h"

#include "engine/engine.h"

static bool is_met(engine_session *session, const engine_model *model, size_t id)
{
    engine_input input = {.text = NULL};
    engine_token token;
    size_t n_tokens = 0;
    if (engine_token_text(model, (int32_t)id, &input.text, &input.text_len) != ENGINE_OK)
        return true; /* no word */
    engine_status status = engine_tokenize(session, &input, NULL, &token, 1, &n_tokens, NULL);
    return status == ENGINE_OK && n_tokens == 1 && token.id == (int32_t)id;
}

size_t vectors_out_of_reach(const char *path, size_t n_ids, size_t *ids, size_t cap)
{
    const engine_session_options options = {
        .struct_bytes = sizeof options, .n_threads = 1, .max_tokens = 1};
    engine_model *model = NULL;
    engine_session *session = NULL;
    size_t n = SIZE_MAX;
    if (engine_model_open(path, NULL, &model, NULL) == ENGINE_OK &&
        engine_session_new(model, &options, &session, NULL) == ENGINE_OK) {
        n = 0;
        for (size_t id = 1; id < n_ids; id++)
            if (!is_met(session, model, id)) {
                if (n < cap)
                    ids[n] = id;
                n++;
            }
    }
    engine_session_free(session);
    engine_model_close(model);
    return n;
}
