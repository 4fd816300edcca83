/* model_use.c - see model_use.h. */
#include "tests/fuzz/model_use.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sessions of damaged models may ask for any amount of memory, and answers for any width. */
enum { MOST_SESSION_BYTES = 16 << 20, MOST_NUMBERS = 1 << 20, MOST_TOKENS = 256, N_IDS = 5 };

void must(bool holds)
{
    if (!holds)
        abort();
}

static bool are_finite(const float *numbers, size_t n)
{
    bool all = true;
    for (size_t i = 0; i < n; i++)
        all &= isfinite(numbers[i]) != 0;
    return all;
}

/* ---- What the file holds ---- */

static void look_at_file(const engine_model *model)
{
    engine_section_info section;
    engine_tensor_info tensor;
    const char *key, *text;
    size_t len;
    for (size_t i = 0; engine_model_section(model, i, &section) == ENGINE_OK; i++)
        must(strlen(section.tag) <= 4);
    for (size_t i = 0; engine_model_tensor(model, i, &tensor) == ENGINE_OK; i++)
        must(strlen(tensor.name) + strlen(tensor.type) + strlen(tensor.layout) > 0);
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 0;
             engine_model_setting(model, (engine_settings)kind, i, &key, &text, &len) == ENGINE_OK;
             i++)
            must(strlen(key) > 0 && text[len] == '\0');
}

static void look_at_words(const engine_model *model, const engine_info *info)
{
    const char *text;
    size_t len;
    for (int32_t id = -1; id <= MOST_TOKENS; id++)
        if (engine_token_text(model, id, &text, &len) == ENGINE_OK)
            must((size_t)id < info->n_vocabulary && memchr(text, 0, 0) == NULL);
    for (size_t i = 0; i <= info->n_labels && i < MOST_TOKENS; i++)
        must(i < info->n_labels || engine_label(model, i) == NULL);
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = 0);
    for (int role = 0; role < 3; role++) {
        options.role = (engine_role)role;
        engine_shape_of(model, &options, &ENGINE_SHAPE(), NULL);
    }
}

static void look_at_positions(const engine_model *model, const engine_info *info)
{
    enum { ROWS = 3 };
    engine_session_options options = ENGINE_SESSION_OPTIONS();
    for (int scheme = 0; engine_position_name((engine_position)scheme) != NULL; scheme++) {
        size_t n = 0;
        options.position = (engine_position)scheme;
        engine_status status = engine_position_matrix(model, &options, 0, ROWS, NULL, 0, &n, NULL);
        if (status != ENGINE_ERROR_BUFFER || n > MOST_NUMBERS)
            continue;
        float *rows = calloc(n, sizeof *rows);
        must(rows != NULL && n % ROWS == 0 && n / ROWS <= info->width);
        status = engine_position_matrix(model, &options, 0, ROWS, rows, n, NULL, NULL);
        must(status == ENGINE_ERROR_NOT_FINITE || (status == ENGINE_OK && are_finite(rows, n)));
        free(rows);
    }
}

/* ---- What it computes ---- */

/* A session with one number of everything, and the calls on it. */
struct use {
    const engine_info *info;
    engine_session *session;
    engine_encode_options options;
    const engine_input *inputs;
    size_t n_inputs;
};

/* A status with words, of which none says that the library is at fault. */
static bool is_done(const struct use *use, engine_status status)
{
    must(status != ENGINE_ERROR_INTERNAL);
    must(status == ENGINE_OK || engine_session_message(use->session)[0] != '\0');
    return status == ENGINE_OK;
}

/* Asks how many numbers there are, then for exactly these. */
static void ask_for_rows(const struct use *use)
{
    engine_result results[4];
    size_t n = 0, n_again = 0;
    engine_status status = engine_encode(use->session, use->inputs, use->n_inputs, &use->options,
                                         NULL, 0, &n, results);
    if (status != ENGINE_ERROR_BUFFER || n > MOST_NUMBERS) {
        is_done(use, status);
        return;
    }
    float *rows = calloc(n, sizeof *rows);
    must(rows != NULL);
    if (is_done(use, engine_encode(use->session, use->inputs, use->n_inputs, &use->options, rows, n,
                                   &n_again, results)))
        must(n_again == n && are_finite(rows, n));
    free(rows);
}

static void ask_for_vectors(struct use *use)
{
    for (int pooling = 0; pooling <= ENGINE_POOLING_LABELS; pooling++) {
        use->options.pooling = (engine_pooling)pooling;
        use->options.normalize = pooling > ENGINE_POOLING_NONE &&
                                 pooling != ENGINE_POOLING_SPARSE &&
                                 pooling != ENGINE_POOLING_LABELS;
        ask_for_rows(use);
    }
    use->options.pooling = ENGINE_POOLING_MODEL;
    use->options.normalize = 0;
}

static void ask_for_entities(const struct use *use, const engine_input *input)
{
    engine_entity entities[MOST_TOKENS];
    size_t n = 0;
    if (is_done(use, engine_entities(use->session, input, &use->options, entities, MOST_TOKENS, &n,
                                     NULL)))
        for (size_t i = 0; i < n; i++)
            must(entities[i].begin <= entities[i].end && entities[i].label < use->info->n_labels &&
                 entities[i].end <= (entities[i].in_pair ? input->pair_len : input->text_len));
}

static void ask_for_words(const struct use *use, const engine_input *input)
{
    enum { BEST = 3 };
    engine_candidate candidates[MOST_TOKENS];
    size_t n = 0;
    if (is_done(use, engine_fill(use->session, input, BEST, &use->options, candidates, MOST_TOKENS,
                                 &n, NULL)))
        for (size_t i = 0; i < n; i++)
            must(candidates[i].id >= 0 && (size_t)candidates[i].id < use->info->n_vocabulary);
}

/* The input's tokens, whole and in windows, each of which is then encoded. */
static void ask_for_windows(const struct use *use, const engine_input *text, unsigned choice)
{
    engine_token tokens[MOST_TOKENS], some[MOST_TOKENS];
    engine_window windows[MOST_TOKENS];
    engine_encode_options options = use->options;
    size_t n = 0, n_windows = 0;
    options.max_tokens = 0;
    if (!is_done(use, engine_tokenize(use->session, text, &options, tokens, MOST_TOKENS, &n, NULL)))
        return;
    options.max_tokens = 1 + choice % 8;
    options.stride = choice / 8 % 4;
    options.whole_words = choice / 32 % 2;
    if (!is_done(use, engine_windows(use->session, tokens, n, &options, windows, MOST_TOKENS,
                                     &n_windows)))
        return;
    struct use one = *use;
    for (size_t i = 0; i < n_windows && i < 4; i++) {
        must(windows[i].n_tokens <= options.max_tokens && windows[i].begin <= windows[i].end);
        engine_window_tokens(&windows[i], tokens, n, some);
        const engine_input input = {.tokens = some, .n_tokens = windows[i].n_tokens};
        one.inputs = &input;
        one.n_inputs = 1;
        ask_for_rows(&one);
    }
}

static void ask_for_ranks(const struct use *use)
{
    float scores[4];
    is_done(use, engine_rank(use->session, &use->inputs[0], use->inputs, use->n_inputs,
                             &use->options, scores));
}

static void ask_everything(struct use *use, unsigned choice)
{
    ask_for_vectors(use);
    use->options.raw_scores = 1;
    use->options.pooling = ENGINE_POOLING_LABELS;
    ask_for_rows(use);
    use->options.pooling = ENGINE_POOLING_MODEL;
    for (size_t i = 0; i < use->n_inputs; i++) {
        ask_for_entities(use, &use->inputs[i]);
        ask_for_words(use, &use->inputs[i]);
    }
    ask_for_ranks(use);
    ask_for_windows(use, &use->inputs[choice / 64 % 2], choice);
}

/* A text, a pair, no text, and ids with padding around and between them. */
static void use_session(struct use *use, const char *text, size_t text_len, unsigned choice)
{
    const size_t half = text_len / 2, n_ids = use->info->n_vocabulary;
    int32_t ids[N_IDS], types[N_IDS];
    uint8_t mask[N_IDS];
    for (size_t i = 0; i < N_IDS; i++) {
        ids[i] = (int32_t)((choice >> i) % (n_ids > 0 ? n_ids : 1));
        types[i] = use->info->n_types > 0 ? (int32_t)(choice >> i & 1) : 0;
        mask[i] = (choice >> (N_IDS + i) & 1) != 0;
    }
    const engine_input inputs[4] = {
        {.text = text, .text_len = text_len},
        {.text = text, .text_len = half, .pair = text + half, .pair_len = text_len - half},
        {0},
        {.ids = ids, .types = types, .mask = mask, .n_ids = N_IDS},
    };
    use->inputs = inputs;
    use->n_inputs = 4;
    use->options =
        ENGINE_ENCODE_OPTIONS(.on_long = (engine_on_long)(choice / 4 % 3),
                              .truncation = (engine_truncation)(choice / 16 % 3),
                              .truncate_left = choice / 128 % 2, .no_special = choice / 256 % 2,
                              .role = (engine_role)(choice / 512 % 3));
    ask_everything(use, choice);
}

/* Weights of attention are between 0 and 1, or no numbers at all where the file's are not. */
static void look_at_trace(const engine_trace_view *view, void *user)
{
    const bool is_attention = view->kind == ENGINE_TRACE_ATTENTION;
    const size_t n = view->n_tokens * (is_attention ? view->n_heads * view->n_tokens : view->width);
    for (size_t i = 0; i < n; i++)
        must(!is_attention || !(view->values[i] < 0) || !(view->values[i] > 1.0001F));
    *(size_t *)user += n;
}

void model_use(const engine_model *model, const char *text, size_t text_len, unsigned choice)
{
    engine_info info = ENGINE_INFO();
    engine_error error;
    struct use use = {.info = &info};
    static const unsigned kinds[] = {0, ENGINE_TRACE_HIDDEN, ENGINE_TRACE_ATTENTION,
                                     ENGINE_TRACE_ALL};
    size_t n_traced = 0;
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.n_threads = 1, .position = (engine_position)(choice % 8),
                               .mask = (engine_mask)(choice / 8 % 3),
                               .max_tokens = choice / 32 % 2 ? 16 : 0,
                               .trace = kinds[choice / 1024 % 4], .trace_callback = look_at_trace,
                               .trace_user = &n_traced, .profile = choice / 4096 % 2);
    must(engine_model_info(model, &info, NULL) == ENGINE_OK);
    look_at_file(model);
    look_at_words(model, &info);
    look_at_positions(model, &info);
    engine_model_verify(model, NULL);
    if (engine_session_bytes(model, &options) > MOST_SESSION_BYTES)
        options.max_tokens = 8;
    if (engine_session_bytes(model, &options) > MOST_SESSION_BYTES)
        return;
    engine_status status = engine_session_new(model, &options, &use.session, &error);
    must(status == ENGINE_OK || error.message[0] != '\0');
    if (status != ENGINE_OK)
        return;
    use_session(&use, text, text_len, choice);
    engine_session_free(use.session);
}
