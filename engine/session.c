/* session.c - a session: its options, with the positions that it adds; its block, which is carved
 * (model/arena.h) and freed; and the begin and the end of its calls. */
#include "engine/session.h"

#include "engine/info.h"
#include "engine/status.h"
#include "model/arena.h"
#include "model/layers/attention.h"
#include "model/layers/feed_forward.h"
#include "model/layers/linear.h"
#include "model/layers/search/token_vector.h"
#include "model/tokenizer/tokenize.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ---- */

/* The most columns of the linear layers that all rows pass through: of all, and of those that
 * decode their weights, that multiply rows in int8, and rows in bfloat16. */
struct widest {
    size_t columns, decoded, int8, bf16;
};

static struct widest widest_layers(const struct encoder *encoder)
{
    const struct linear *linear;
    struct widest widest = {0};
    for (size_t i = 0; (linear = encoder_linear(encoder, i)) != NULL; i++) {
        size_t columns = linear->weight.cols;
        widest.columns = larger(widest.columns, columns);
        if (linear_takes_int8(linear))
            widest.int8 = larger(widest.int8, columns);
        else if (linear->weight.layout == LAYOUT_PAIRS)
            widest.bf16 = larger(widest.bf16, columns);
        else
            widest.decoded = larger(widest.decoded, linear_decoded(linear));
    }
    return widest;
}

static void thread_work_carve(struct thread_work *work, const engine_session *session,
                              const struct widest *widest, struct arena *arena)
{
    const struct encoder *encoder = &session->model->encoder;
    const struct model_config *config = &encoder->config;
    const size_t max_tokens = session->max_tokens;
    work->row = arena_floats(arena, 1, row_stride(config->embedding_width));
    work->linear.panels = arena_floats(arena, widest->decoded, DECODED_COLUMNS);
    if (encoder->blas_rows > 0)
        blas_work_carve(&work->linear.blas, widest->columns, arena);
    attention_work_carve(&work->attention, config->layers > 0 ? max_tokens : 0,
                         larger(config->head_width, config->global_head_width),
                         config_has_bias(config), encoder->bf16, arena);
    if (config_span(config) > 0)
        disentangled_work_carve(&work->attention.positions, config, max_tokens, arena);
    work->pooled = arena_floats(
        arena, 1, row_stride(larger(config_pooled_width(config), encoder->output_width)));
    work->logits = arena_floats(arena, 1, row_stride(encoder->head.output.weight.rows));
    head_work_carve(&work->head, encoder, arena);
    work->vectors = arena_floats(arena, TOKEN_VECTOR_ROWS, row_stride(config->token_vectors));
    work->best = arena_floats(arena, 1, config->token_vectors > 0 ? max_tokens : 0);
    work->of_vectors.panels =
        arena_floats(arena, linear_decoded(&encoder->token_vector), DECODED_COLUMNS);
    if (config->sparse != SPARSE_NONE)
        sparse_work_carve(&work->sparse, encoder, arena);
}

static void experts_carve(struct pass *pass, const struct model_config *config, size_t n_threads,
                          struct arena *arena)
{
    size_t rows = pass->row_cap * config->experts_used, n = config->experts + 1;
    pass->chosen = arena_cut(arena, rows, sizeof *pass->chosen);
    pass->shares = arena_cut(arena, rows, sizeof *pass->shares);
    pass->expert_starts = arena_matrix(arena, n_threads, n, sizeof *pass->expert_starts);
    pass->gathered = arena_floats(arena, rows, row_stride(config->width));
    pass->expert_middle = arena_floats(arena, rows, row_stride(config->feed_forward));
}

static void pass_carve(struct pass *pass, const engine_session *session, struct arena *arena)
{
    const struct encoder *encoder = &session->model->encoder;
    const struct model_config *config = &encoder->config;
    size_t width = config->width, rows = pass->row_cap, queries = 0, qkv = 0;
    for (size_t l = 0; l < config->layers; l++) {
        const struct layer *layer = &encoder->layers[l];
        queries = larger(queries, config->heads * layer->head_width);
        qkv = larger(qkv, layer->qkv.weight.rows);
    }
    pass->width_stride = row_stride(larger(larger(width, queries), config->layer_input_width));
    pass->wide_stride = row_stride(
        larger(larger(larger(qkv, width), feed_forward_columns(config)), config->experts));
    struct widest widest = widest_layers(encoder);
    struct thread_work none; /* instead of works while memory is measured */
    pass->quantized_stride = round_up(widest.int8, QUANTIZED_STEP);
    pass->rounded_stride = round_up(widest.bf16, BF16_STEP);

    pass->ids = arena_cut(arena, rows, sizeof *pass->ids);
    pass->types = arena_cut(arena, rows, sizeof *pass->types);
    pass->positions = arena_cut(arena, rows, sizeof *pass->positions);
    pass->lengths = arena_cut(arena, rows, sizeof *pass->lengths);
    pass->out_offsets = arena_cut(arena, rows, sizeof *pass->out_offsets);
    pass->sequences = arena_cut(arena, rows, sizeof *pass->sequences);
    pass->groups = arena_cut(arena, session->n_threads, sizeof *pass->groups);
    pass->x = arena_floats(arena, rows, pass->width_stride);
    pass->y = arena_floats(arena, rows, pass->width_stride);
    if (config->layers > 0)
        pass->wide = arena_floats(arena, rows, pass->wide_stride);
    if (config->layer_input_width > 0)
        pass->embedding = arena_floats(arena, rows, pass->width_stride);
    if (config->attention_position == ATTENTION_POSITION_ROTARY) {
        struct rotary global = rotary_of(config, false), local = rotary_of(config, true);
        bool are_alike = global.base == local.base && global.width == local.width;
        pass->turns = arena_floats(arena, rows, global.width);
        pass->local_turns = are_alike ? pass->turns : arena_floats(arena, rows, local.width);
    }
    if (pass->quantized_stride > 0) {
        pass->quantized = arena_cut(arena, rows, pass->quantized_stride);
        pass->quantization = arena_cut(arena, rows, sizeof *pass->quantization);
    }
    if (config->experts > 0)
        experts_carve(pass, config, session->n_threads, arena);
    if (pass->rounded_stride > 0)
        pass->rounded = arena_matrix(
            arena, larger(rows, rows * config->experts_used) + PANEL * session->n_threads,
            pass->rounded_stride, sizeof *pass->rounded);
    pass->works = arena_cut(arena, session->n_threads, sizeof *pass->works);
    for (size_t i = 0; i < session->n_threads; i++)
        thread_work_carve(arena->base != NULL ? &pass->works[i] : &none, session, &widest, arena);
    if (session->options.trace & ~(unsigned)ENGINE_TRACE_ATTENTION)
        pass->trace_view =
            arena_floats(arena, session->max_tokens, larger(pass->width_stride, pass->wide_stride));
    if (session->options.trace & ENGINE_TRACE_ATTENTION)
        pass->attention_maps = arena_matrix(arena, config->heads, session->max_tokens,
                                            session->max_tokens * sizeof *pass->attention_maps);
}

/* Points every array of the session into the arena's block. The session itself is stored first. */
static void session_carve(engine_session *session, struct arena *arena)
{
    const engine_model *model = session->model;
    const struct model_config *config = &model->encoder.config;
    arena_cut(arena, 1, sizeof *session);
    session->token_scratch = arena_cut(arena, tokenizer_scratch_bytes(&model->tokenizer), 1);
    if (!model->has_encoder)
        return;
    session->tokens = arena_cut(arena, session->max_tokens, sizeof *session->tokens);
    if (session->options.profile)
        session->barrier.profile =
            arena_cut(arena, session->n_threads, sizeof *session->barrier.profile);
    /* Pages that engine_rank does not use are never touched, and so take no memory. */
    size_t widest =
        larger(larger(larger(model->encoder.output_width, config->width), config->labels),
               config->sparse != SPARSE_NONE ? config->vocabulary : 0);
    session->rank_vectors = arena_floats(arena, RANK_VECTORS, widest);
    if (config->token_vectors > 0)
        session->query_vectors = arena_floats(arena, session->max_tokens, config->token_vectors);
    const struct position_encoding *positions = &session->embedding.positions;
    if (position_has_rows(positions->scheme))
        session->embedding.rows =
            arena_floats(arena, session->max_tokens, row_stride(positions->width));
    if (positions->frequencies != NULL)
        session->frequencies =
            arena_cut(arena, positions->n_frequencies, sizeof *session->frequencies);
    pass_carve(&session->pass, session, arena);
}

/* ---- Positions ---- */

/* Sets the numbers that the options give: the base, frequencies, the scale of positions. */
static engine_status choose_numbers(const engine_session_options *options,
                                    struct position_encoding *encoding, engine_error *error)
{
    const double base = options->position_base;
    const double *const scales[] = {options->embedding_scale, options->position_scale};
    const float *frequencies = options->frequencies;
    const size_t n = options->n_frequencies;
    if (base != 0 && !position_is_base(base))
        return misused(error, "position_base is %g, expected a number from %g to %g", base,
                       ENGINE_POSITION_BASE_LEAST, ENGINE_POSITION_BASE_MOST);
    if (base != 0 && !position_has_base(encoding->scheme))
        return misused(error,
                       "position_base is given, but only positions " ENGINE_POSITIONS_WITH_BASE
                       " have a base");
    if (frequencies == NULL && n > 0)
        return misused(error, "frequencies is NULL, but n_frequencies is %zu", n);
    if (frequencies != NULL && encoding->scheme != POSITION_FOURIER)
        return misused(error, "frequencies are given, but only position fourier has them");
    if (n > (encoding->width + 1) / 2)
        return misused(
            error,
            "%zu frequencies are given, but rows of %zu columns hold at most %zu: each takes two",
            n, encoding->width, (encoding->width + 1) / 2);
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)frequencies[i]) <= ENGINE_POSITION_FREQUENCY_MOST))
            return misused(error, "frequency %zu is %g, expected a number up to %g", i,
                           (double)frequencies[i], ENGINE_POSITION_FREQUENCY_MOST);
    for (size_t i = 0; i < 2; i++)
        if (scales[i] != NULL && !(*scales[i] >= 0 && *scales[i] <= (double)FLT_MAX))
            return misused(error, "%s_scale is %g, expected a finite number, 0 or more",
                           i == 0 ? "embedding" : "position", *scales[i]);
    if (scales[1] != NULL && encoding->scheme == POSITION_NONE)
        return misused(error, "position_scale is given, but no positions are added");
    encoding->base = base != 0 ? base : encoding->base;
    encoding->scale = scales[1] != NULL ? *scales[1] : encoding->scale;
    if (frequencies != NULL) {
        encoding->n_frequencies = n;
        encoding->frequencies = frequencies;
    }
    return ENGINE_OK;
}

/* Sets scheme, factors, base and frequencies for rows of `width` columns; the options' frequencies
 * are borrowed. If model is NULL, uses the options alone. An option that the scheme does not use is
 * refused: its caller expects another scheme. */
static engine_status choose_positions(const engine_model *model,
                                      const engine_session_options *options, size_t width,
                                      struct position_encoding *encoding, engine_error *error)
{
    const engine_position position = options->position;
    *encoding = (struct position_encoding){.width = width, .base = 10000, .scale = 1};
    if (model != NULL) {
        const struct model_config *config = &model->encoder.config;
        encoding->scheme = config->position;
        encoding->base = config->position_base;
        encoding->scale = config->position_scale;
        encoding->n_frequencies = config->position_frequencies;
        encoding->frequencies = model->encoder.frequencies;
        encoding->period = config->max_tokens;
    }
    if ((unsigned)position > ENGINE_POSITION_EXPONENTIAL)
        return misused(error, "position is %d, expected 0 to %d", (int)position,
                       ENGINE_POSITION_EXPONENTIAL);
    if (position == ENGINE_POSITION_MODEL && model == NULL)
        return misused(error, "position is ENGINE_POSITION_MODEL, but model is NULL");
    if (position == ENGINE_POSITION_LEARNED && encoding->scheme != POSITION_LEARNED)
        return fail(error, ENGINE_ERROR_UNSUPPORTED, "%s",
                    model != NULL ? "the model has no table of learned positions"
                                  : "learned positions need a model, but model is NULL");
    if (position != ENGINE_POSITION_MODEL)
        encoding->scheme = (enum position_scheme)(position - FIRST_CHOICE);
    return choose_numbers(options, encoding, error);
}

/* ---- Making a session ---- */

/* Sets all members that do not point into the block. */
static engine_status read_options(engine_session *session, const engine_model *model,
                                  const engine_session_options *given, engine_error *error)
{
    const struct model_config *config = &model->encoder.config;
    size_t limit = config->max_tokens;
    *session = (engine_session){.model = model};
    engine_session_options *options = &session->options;
    engine_status status =
        read_struct("ENGINE_SESSION_OPTIONS", given, options, sizeof *options, error);
    if (status != ENGINE_OK)
        return status;
    if (options->n_threads > MAX_THREADS)
        return misused(error, "n_threads is %zu, expected at most %d", options->n_threads,
                       MAX_THREADS);
    if (options->max_tokens > limit)
        return misused(error, "max_tokens is %zu, the model takes at most %zu", options->max_tokens,
                       limit);
    if ((unsigned)options->mask > ENGINE_MASK_CAUSAL)
        return misused(error, "mask is %d, expected 0 to %d", (int)options->mask,
                       ENGINE_MASK_CAUSAL);
    if ((options->trace & ~ENGINE_TRACE_ALL) != 0 ||
        (options->trace != 0 && options->trace_callback == NULL))
        return misused(error, "trace is %u: expected engine_trace kinds, and a trace_callback",
                       options->trace);
    session->n_threads = threads_choose(options->n_threads);
    session->max_tokens = options->max_tokens > 0 ? options->max_tokens : limit;
    session->mask = options->mask == ENGINE_MASK_MODEL
                        ? config->mask
                        : (enum mask_kind)(options->mask - FIRST_CHOICE);
    /* Longer texts are shared by all threads, so that their memory does not grow with these. */
    size_t rows_of_thread = larger(
        ROWS_PER_THREAD, session->max_tokens < ROWS_OF_TEXT ? session->max_tokens : ROWS_OF_TEXT);
    session->pass.row_cap = larger(session->max_tokens, session->n_threads * rows_of_thread);
    session->embedding.token_scale =
        (float)(options->embedding_scale != NULL ? *options->embedding_scale
                                                 : config->embedding_scale);
    return choose_positions(model, options, config->embedding_width, &session->embedding.positions,
                            error);
}

size_t engine_session_bytes(const engine_model *model, const engine_session_options *options)
{
    engine_session session;
    if (model == NULL || read_options(&session, model, options, NULL) != ENGINE_OK)
        return 0;
    struct arena arena = {0};
    session_carve(&session, &arena);
    return arena.overflow ? 0 : arena.used;
}

/* If no number of threads was requested, fewer than planned will do. */
static engine_status make_session(const engine_model *model, const engine_session_options *options,
                                  engine_session **out, engine_error *error)
{
    engine_session session;
    bool is_refused = false, is_asked = options != NULL && options->n_threads > 0;
    engine_status status = read_options(&session, model, options, error);
    if (status != ENGINE_OK)
        return status;
    struct arena arena = {0};
    do
        session_carve(&session, &arena);
    while (arena_allocate(&arena));
    if (arena.base == NULL)
        return fail(error, ENGINE_ERROR_MEMORY,
                    "no memory for a session of %zu tokens and %zu threads (%zu bytes): ask for "
                    "fewer max_tokens",
                    session.max_tokens, session.n_threads, arena.overflow ? 0 : arena.used);
    struct position_encoding *positions = &session.embedding.positions;
    if (session.frequencies != NULL) /* the caller's are only borrowed */
        positions->frequencies = memcpy(session.frequencies, positions->frequencies,
                                        positions->n_frequencies * sizeof *session.frequencies);
    if (session.barrier.profile != NULL)
        memset(session.barrier.profile, 0, session.n_threads * sizeof *session.barrier.profile);
    size_t n_possible =
        model->has_encoder ? region_threads(session.n_threads, &is_refused) : session.n_threads;
    if (is_refused && is_asked) {
        free(arena.base);
        return fail(error, ENGINE_ERROR_MEMORY, "the system refuses %zu threads: ask for fewer",
                    session.n_threads);
    }
    session.n_threads = is_refused ? n_possible : session.n_threads;
    *out = memcpy(arena.base, &session, sizeof session);
    pthread_mutex_init(&(*out)->lock, NULL);
    return succeed(error);
}

engine_status engine_session_new(const engine_model *model, const engine_session_options *options,
                                 engine_session **out, engine_error *error)
{
    int cancel_state;
    if (out == NULL)
        return misused(error, "engine_session_new: session is NULL");
    *out = NULL;
    if (model == NULL)
        return misused(error, "engine_session_new: model is NULL");
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    engine_status status = make_session(model, options, out, error);
    pthread_setcancelstate(cancel_state, NULL);
    return status;
}

void session_positions(engine_session *session, size_t n)
{
    const struct embedding *embedding = &session->embedding;
    size_t begin = session->n_position_rows, end = larger(n, 2 * begin);
    if (embedding->rows == NULL || n <= begin)
        return;
    end = end < session->max_tokens ? end : session->max_tokens;
    position_rows(&embedding->positions, begin, end, row_stride(embedding->positions.width),
                  embedding->rows, NULL);
    session->n_position_rows = end;
}

void engine_session_free(engine_session *session)
{
    if (session == NULL)
        return;
    pthread_mutex_destroy(&session->lock);
    free(session->prompted);
    free(session);
}

/* ---- Calls ---- */

/* Delays a cancellation of the thread, which would leave the session busy, to the call's end. */
engine_session *session_begin(engine_session *session)
{
    if (session == NULL || atomic_exchange_explicit(&session->is_busy, true, memory_order_acquire))
        return NULL;
    atomic_store(&session->is_interrupted, false);
    session->caller = pthread_self();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &session->cancel_state);
    return session;
}

engine_status session_refusal(const engine_session *session)
{
    return session == NULL ? ENGINE_ERROR_ARGUMENT : ENGINE_ERROR_BUSY;
}

void session_end(engine_session **call)
{
    if (*call == NULL)
        return;
    int cancel_state = (*call)->cancel_state;
    atomic_store_explicit(&(*call)->is_busy, false, memory_order_release);
    pthread_setcancelstate(cancel_state, NULL);
}

void engine_session_interrupt(engine_session *session)
{
    if (session != NULL)
        atomic_store(&session->is_interrupted, true);
}

struct share session_share(const engine_session *session, struct team team, size_t n)
{
    return is_interrupted(session)
               ? (struct share){0, 0}
               : (struct share){n * team.rank / team.size, n * (team.rank + 1) / team.size};
}

void session_report(engine_session *session)
{
    const engine_session_options *options = &session->options;
    if (options->progress != NULL && !is_interrupted(session) &&
        options->progress(session->n_done, session->n_inputs, options->progress_user) != 0)
        engine_session_interrupt(session);
}

const engine_error *engine_session_error(const engine_session *session)
{
    static const engine_error ABSENT = {.status = ENGINE_ERROR_ARGUMENT,
                                        .input = ENGINE_NO_INPUT,
                                        .message = "the session is NULL"},
                              BUSY = {.status = ENGINE_ERROR_BUSY,
                                      .input = ENGINE_NO_INPUT,
                                      .message = "another call is using the session"};
    if (session == NULL)
        return &ABSENT;
    return atomic_load(&session->is_busy) ? &BUSY : &session->error;
}

const char *engine_session_message(const engine_session *session)
{
    return engine_session_error(session)->message;
}

size_t engine_session_threads(const engine_session *session)
{
    return session != NULL ? session->n_threads : 0;
}

engine_status engine_session_profile(const engine_session *session, engine_profile *out)
{
    if (session == NULL || out == NULL || !session->options.profile)
        return ENGINE_ERROR_ARGUMENT;
    if (atomic_load(&session->is_busy))
        return ENGINE_ERROR_BUSY;
    *out = (engine_profile){0};
    const struct profile_slot *profile = session->barrier.profile; /* NULL without a model */
    for (size_t thread = 0; profile != NULL && thread < session->n_threads; thread++)
        for (size_t step = 0; step < ENGINE_N_STEPS; step++)
            out->ns[step] += profile[thread].ns[step];
    return ENGINE_OK;
}

/* ---- The public matrix of positions ---- */

/* Computes rows of the table times the scale, in float32 like the rows that are added: the product
 * of two float32 is exact in double. Writes to out, or to exact if out is NULL. Returns false if
 * one is not finite. */
static bool learned_rows(const struct encoder *encoder, double scale, size_t n, size_t width,
                         float *out, double *exact)
{
    enum { PIECE = 64 };
    size_t offset = encoder->config.position_offset;
    bool are_finite = true;
    float piece[PIECE];
    for (size_t p = 0; p < n; p++)
        for (size_t k = 0; k < width; k += PIECE) {
            size_t count = width - k < PIECE ? width - k : PIECE;
            matrix_piece(&encoder->position_table, p + offset, k, count, piece);
            for (size_t i = 0; i < count; i++) {
                double value = (double)piece[i] * (double)(float)scale;
                are_finite &= isfinite((float)value);
                if (out != NULL)
                    out[p * width + k + i] = (float)value;
                else
                    exact[p * width + k + i] = value;
            }
        }
    return are_finite;
}

/* Implements both functions below: writes to out or, if that is NULL, to exact; [cap]. */
static engine_status position_matrix(const engine_model *model, const engine_session_options *given,
                                     size_t width, size_t n, float *out, double *exact, size_t cap,
                                     size_t *needed, engine_error *error)
{
    engine_session_options options;
    struct position_encoding encoding;
    size_t numbers, own = model != NULL ? model->encoder.config.embedding_width : width;
    if (model != NULL && !model->has_encoder)
        return fail(error, ENGINE_ERROR_UNSUPPORTED, "the weight file holds a tokenizer alone");
    if (own == 0 || (width != 0 && width != own))
        return misused(error,
                       model == NULL
                           ? "engine_position_matrix: model is NULL and width is %zu, expected "
                             "more than %zu"
                           : "engine_position_matrix: width is %zu, but the model adds positions "
                             "of %zu columns",
                       width, own);
    width = own;
    engine_status status =
        read_struct("ENGINE_SESSION_OPTIONS", given, &options, sizeof options, error);
    if (status == ENGINE_OK)
        status = choose_positions(model, &options, width, &encoding, error);
    if (status != ENGINE_OK)
        return status;
    if (out == NULL && exact == NULL && cap > 0)
        return misused(error, "positions: out is NULL, but cap is %zu", cap);
    if (encoding.scheme == POSITION_LEARNED) {
        size_t rows = model->encoder.position_table.rows - model->encoder.config.position_offset;
        if (n > rows)
            return fail(error, ENGINE_ERROR_LENGTH,
                        "%zu positions asked for, the model's table has %zu", n, rows);
    }
    if (__builtin_mul_overflow(n, width, &numbers))
        return misused(error, "%zu positions are too many", n);
    status = answer_count(error, "numbers", numbers, cap, needed);
    if (status != ENGINE_OK)
        return status;
    encoding.n_tokens = n;
    if (model == NULL)
        encoding.period = options.max_tokens > 0 ? options.max_tokens : n;
    bool are_finite = true;
    if (encoding.scheme == POSITION_LEARNED)
        are_finite = learned_rows(&model->encoder, encoding.scale, n, width, out, exact);
    else
        position_rows(&encoding, 0, n, width, out, exact);
    return are_finite ? succeed(error)
                      : fail(error, ENGINE_ERROR_NOT_FINITE,
                             "the model's table of positions, or that times position_scale, holds "
                             "NaN or an infinity");
}

engine_status engine_position_matrix(const engine_model *model,
                                     const engine_session_options *options, size_t width, size_t n,
                                     float *out, size_t cap, size_t *needed, engine_error *error)
{
    return position_matrix(model, options, width, n, out, NULL, cap, needed, error);
}

engine_status engine_position_matrix_exact(const engine_model *model,
                                           const engine_session_options *options, size_t width,
                                           size_t n, double *out, size_t cap, size_t *needed,
                                           engine_error *error)
{
    return position_matrix(model, options, width, n, NULL, out, cap, needed, error);
}
