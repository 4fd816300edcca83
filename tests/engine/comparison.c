/* The comparison of one model: encodes, traces, and compares each number with the reference's. */
#include "tests/engine/comparison.h"

#include <stdio.h>

static const double TOLERANCE = 1e-5, ROW_SUM_TOLERANCE = 1e-6;

/* The states that the trace of one call shows. */
struct pass {
    const struct subject *subject;
    const struct texts *texts;
    unsigned char *seen; /* [n, 2, L + 1] */
    bool misshapen;
};

static struct worst hidden_states, attention_maps, row_sums, token_vectors, pooled_vectors;

static void free_weights(void *weights)
{
    plain_weights_free(weights);
}

/* The model is opened under an instruction set, or the best there is. */
void comparison_reopen(struct subject *subject, const char *isa)
{
    subject->model = isa ? support_open_isa(subject->path, isa, ENGINE_PRECISION_EXACT)
                         : support_open(subject->path);
    subject->info = ENGINE_INFO();
    assert_ok(engine_model_info(subject->model, &subject->info, NULL));
}

struct subject *comparison_make(const char *isa, const char *words, ...)
{
    struct subject *subject = new_bytes(sizeof *subject);
    va_list arguments;
    va_start(arguments, words);
    const int len = vsnprintf(subject->words, sizeof subject->words, words, arguments);
    va_end(arguments);
    assert_in_range(len, 0, sizeof subject->words - 1);
    support_path(subject->path, support_folder(), "model.weights");
    support_make_model(subject->path, NULL, "%s", subject->words);
    if (!plain_weights_read(&subject->weights, subject->path))
        fail_msg("%s: %s", subject->words, subject->weights.error);
    owned(&subject->weights, free_weights);
    comparison_reopen(subject, isa);
    return subject;
}

static void free_output(void *output)
{
    plain_output_free(output);
}

struct plain_output *comparison_expected(const struct plain_weights *weights,
                                         const struct plain_input *input,
                                         const struct plain_options *options)
{
    struct plain_output *output = new_bytes(sizeof *output);
    char error[256];
    if (!plain_encode(weights, input, options, output, error))
        fail_msg("%s", error);
    return owned(output, free_output);
}

struct texts *comparison_texts(const struct subject *subject, const size_t *lens, size_t n,
                               uint64_t seed, const struct plain_options *options)
{
    struct texts *texts = new_bytes(sizeof *texts);
    texts->n = n;
    for (size_t i = 0; i < n; i++) {
        int32_t *ids = new_bytes(lens[i] * sizeof *ids),
                *types = new_bytes(lens[i] * sizeof *types);
        support_random_ids(&seed, ids, lens[i], subject->info.n_vocabulary);
        if (subject->info.n_types > 0)
            support_random_ids(&seed, types, lens[i], subject->info.n_types);
        texts->inputs[i] = (engine_input){.ids = ids, .types = types, .n_ids = lens[i]};
        struct plain_input input = {.n = lens[i], .ids = ids, .types = types};
        texts->expected[i] = comparison_expected(&subject->weights, &input, options);
    }
    return texts;
}

static void compare_map(const struct pass *pass, const engine_trace_view *view, const double *map)
{
    size_t n_rows = view->n_heads * view->n_tokens;
    const size_t mark = owned_mark();
    float *sums = new_floats(n_rows);
    double *ones = new_doubles(n_rows);
    for (size_t row = 0; row < n_rows; row++) {
        double sum = 0;
        for (size_t key = 0; key < view->n_tokens; key++)
            sum += (double)view->values[row * view->n_tokens + key];
        sums[row] = (float)sum;
        ones[row] = 1;
    }
    support_compare(&row_sums, ROW_SUM_TOLERANCE, sums, ones, n_rows,
                    "%s (%s): rows of layer %zu, %zu tokens", pass->subject->words,
                    pass->subject->info.isa, view->index, view->n_tokens);
    owned_release(mark);
    support_compare(&attention_maps, TOLERANCE, view->values, map, n_rows * view->n_tokens,
                    "%s (%s): attention of layer %zu, %zu tokens", pass->subject->words,
                    pass->subject->info.isa, view->index, view->n_tokens);
}

static void on_trace(const engine_trace_view *view, void *user)
{
    struct pass *pass = user;
    const struct engine_info *info = &pass->subject->info;
    bool is_map = view->kind == ENGINE_TRACE_ATTENTION;
    size_t n_states = info->n_layers + 1;
    if (view->input >= pass->texts->n || view->index >= n_states - is_map ||
        view->n_tokens != pass->texts->inputs[view->input].n_ids ||
        view->n_heads != info->n_heads || view->width != info->width) {
        pass->misshapen = true;
        return;
    }
    pass->seen[(view->input * 2 + is_map) * n_states + view->index]++;
    const struct plain_output *expected = pass->texts->expected[view->input];
    size_t n_state = view->n_tokens * view->width;
    if (is_map)
        compare_map(pass, view,
                    expected->attention +
                        view->index * info->n_heads * view->n_tokens * view->n_tokens);
    else
        support_compare(&hidden_states, TOLERANCE, view->values,
                        expected->hidden + view->index * n_state, n_state,
                        "%s (%s): hidden state %zu, %zu tokens", pass->subject->words, info->isa,
                        view->index, view->n_tokens);
}

/* Each hidden state and each map of each text came once. */
static void assert_all_seen(const struct pass *pass)
{
    size_t n_states = pass->subject->info.n_layers + 1;
    assert_false(pass->misshapen);
    for (size_t i = 0; i < pass->texts->n; i++) {
        if (pass->texts->inputs[i].n_ids == 0)
            continue;
        const unsigned char *seen = pass->seen + i * 2 * n_states;
        for (size_t state = 0; state < n_states; state++) {
            assert_int_equal(seen[state], 1);
            assert_int_equal(seen[n_states + state], state < n_states - 1);
        }
    }
}

static void encode(engine_session *session, const struct texts *texts,
                   const engine_encode_options *options, float *out, size_t cap,
                   engine_result *results)
{
    size_t needed = 0;
    engine_status status =
        engine_encode(session, texts->inputs, texts->n, options, out, cap, &needed, results);
    if (status != ENGINE_OK)
        fail_msg("engine_encode: %s", engine_session_message(session));
    assert_int_equal(needed, cap);
}

static void compare_tokens(const struct subject *subject, const struct texts *texts,
                           engine_session *session)
{
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    engine_result results[MAX_TEXTS];
    size_t n_rows = 0, width = subject->info.width;
    for (size_t i = 0; i < texts->n; i++)
        n_rows += texts->inputs[i].n_ids;
    float *out = new_floats(n_rows * width);
    encode(session, texts, &options, out, n_rows * width, results);
    for (size_t i = 0, row = 0; i < texts->n; row += texts->inputs[i].n_ids, i++) {
        assert_int_equal(results[i].n_tokens, texts->inputs[i].n_ids);
        assert_int_equal(results[i].row, row);
        support_compare(&token_vectors, TOLERANCE, out + row * width, texts->expected[i]->tokens,
                        results[i].n_tokens * width, "%s (%s): tokens, %zu of them", subject->words,
                        subject->info.isa, results[i].n_tokens);
    }
}

static void compare_pooled(const struct subject *subject, const struct texts *texts,
                           engine_session *session, const engine_encode_options *options,
                           const char *pooling, bool normalize)
{
    static float out[MAX_TEXTS * MAX_LEN];
    static double expected[MAX_LEN];
    size_t width = subject->info.width;
    assert_true(width <= MAX_LEN);
    encode(session, texts, options, out, texts->n * width, NULL);
    for (size_t i = 0; i < texts->n; i++) {
        const struct plain_output *output = texts->expected[i];
        plain_pool(pooling, output->tokens, output->n_tokens, width, 0, expected);
        if (normalize)
            plain_to_unit_length(expected, width);
        support_compare(&pooled_vectors, TOLERANCE, out + i * width, expected, width,
                        "%s (%s): %s of %zu tokens%s", subject->words, subject->info.isa, pooling,
                        texts->inputs[i].n_ids, normalize ? ", length 1" : "");
    }
}

/* Everything a session with these options gives. */
void comparison_run(const struct subject *subject, const struct texts *texts,
                    engine_session_options options)
{
    const size_t mark = owned_mark();
    struct pass pass = {.subject = subject, .texts = texts};
    engine_session *session = support_session(subject->model, &options);
    engine_encode_options encode_options = ENGINE_ENCODE_OPTIONS();
    compare_tokens(subject, texts, session);
    if (subject->info.pooling != ENGINE_POOLING_NONE)
        compare_pooled(subject, texts, session, &encode_options,
                       engine_pooling_name(subject->info.pooling), subject->info.normalize);
    for (int mode = ENGINE_POOLING_MEAN; mode <= ENGINE_POOLING_MAX; mode++) {
        encode_options.pooling = (engine_pooling)mode;
        encode_options.normalize = mode % 2;
        compare_pooled(subject, texts, session, &encode_options,
                       engine_pooling_name((engine_pooling)mode), mode % 2);
    }

    options.trace = ENGINE_TRACE_HIDDEN | ENGINE_TRACE_ATTENTION;
    options.trace_callback = on_trace;
    options.trace_user = &pass;
    pass.seen = new_bytes(texts->n * 2 * (subject->info.n_layers + 1));
    session = support_session(subject->model, &options);
    compare_tokens(subject, texts, session);
    assert_all_seen(&pass);
    owned_release(mark);
}

void comparison_start(void)
{
    hidden_states = attention_maps = row_sums = token_vectors = pooled_vectors = (struct worst){0};
}

void comparison_finish(void)
{
    support_assert_within(&hidden_states, TOLERANCE, "hidden states");
    if (attention_maps.n_compared > 0) {
        support_assert_within(&attention_maps, TOLERANCE, "attention");
        support_assert_within(&row_sums, ROW_SUM_TOLERANCE, "sums of attention rows");
    }
    support_assert_within(&token_vectors, TOLERANCE, "tokens");
    support_assert_within(&pooled_vectors, TOLERANCE, "pooled");
}
