/* encode.c - engine_encode: collects a call's inputs in groups of rows, shares the groups among the
 * threads, and writes their answers to the caller's buffer.
 *
 * Two ways, with the same bits. Many texts: each thread reads the next few inputs, runs them
 * through the model alone, and comes back for more; no thread waits for another until the inputs
 * are used up. Groups become smaller towards the end, so that all threads finish together. Few
 * texts, or one that is longer than a thread's part of the pass: they are collected in one pass,
 * which is cut into a group for each thread or, if that would leave threads idle, is one group
 * whose heads, and rows or columns, the threads share.
 *
 * The number of remaining rows is estimated from the lengths of texts, about four bytes per token,
 * and corrected by the actual rows of the texts read so far.
 */
#include "engine/encode.h"

#include "engine/status.h"
#include "model/layers/attention.h"
#include "model/layers/head.h"
#include "model/layers/linear.h"
#include "model/layers/pooling.h"
#include "model/layers/search/sparse.h"
#include "model/layers/search/token_vector.h"

#include <math.h>
#include <string.h>

/* ---- The inputs of a call ---- */

/* The next input: read, but not yet in a group. Its tokens are in session->tokens, without the
 * padding around them. */
struct next_input {
    bool is_read;
    struct kept_tokens kept;
    const uint8_t *mask; /* [kept.span] of the tokens, or NULL */
    size_t n_out;        /* answer rows, if there is one per token */
    engine_result result;
};

/* Threads read from a batch one at a time (session->lock); each encodes its inputs alone. */
struct batch {
    engine_session *session;
    const struct request *request;
    const engine_input *inputs;
    size_t n, n_taken;      /* inputs 0 .. n_taken-1 are in groups, or counted */
    engine_result *results; /* [n] or NULL */
    float *out;
    size_t cap, out_rows; /* if answers have a row per token: rows assigned so far */
    bool counting;        /* the buffer is too small: continue counting the required size */
    engine_status status; /* of the next input; after a failure no input is read */
    size_t not_finite;    /* first input whose answer is not finite, under session->lock; or n */
    struct next_input next;
    struct profile_slot *profile; /* of the reading thread; NULL: no profile */
    size_t guess_left; /* rows of the remaining inputs, estimated from the length of their texts */
    size_t guess_taken, rows_taken; /* rows of the inputs in groups: estimated and actual */
};

enum { BYTES_PER_TOKEN = 4, SPECIAL_TOKENS = 2, PRIOR_ROWS = 64 };

static size_t guess_rows(const struct batch *batch, const engine_input *input)
{
    size_t limit = batch->session->max_tokens;
    size_t rows = SPECIAL_TOKENS + text_bytes(input->text, input->text_len) / BYTES_PER_TOKEN +
                  text_bytes(input->pair, input->pair_len) / BYTES_PER_TOKEN;
    if (input->ids != NULL || input->tokens != NULL)
        rows = input->ids != NULL ? input->n_ids : input->n_tokens;
    return rows < limit ? rows : limit;
}

/* Returns the estimated number of rows of the inputs not yet in a group. */
static size_t batch_rows_left(const struct batch *batch)
{
    double taken = (double)(batch->rows_taken + PRIOR_ROWS);
    return (size_t)((double)batch->guess_left * taken / (double)(batch->guess_taken + PRIOR_ROWS));
}

/* Reads ids with types, or tokens of engine_tokenize, from the first one that the mask keeps on:
 *
 *     ids   0  0  101  7592  0  102  0
 *     mask  0  0   1    1    0   1   0      kept.first 2, kept.span 4, kept.n_kept 3
 *
 * Padding within the span counts as a position, and gets no row (add_sequence). It may be anything:
 * only what is kept is checked. */
static engine_status read_ids_or_tokens(struct batch *batch, const engine_input *input)
{
    engine_session *session = batch->session;
    const struct request *request = batch->request;
    const struct model_config *config = &session->model->encoder.config;
    engine_error *error = &session->error;
    struct next_input *next = &batch->next;
    const bool are_ids = input->ids != NULL;
    const char *what = are_ids ? "ids" : "tokens";
    const size_t index = request->first_input + batch->n_taken;
    const size_t asked = request->options.max_tokens, most = session->max_tokens;
    const size_t limit = asked > 0 && asked < most ? asked : most;
    const size_t n_types = config->token_types > 0 ? config->token_types : 1; /* type 0 alone */
    if (input->text != NULL || input->pair != NULL || input->text_len > 0 || input->pair_len > 0)
        return misused_input(error, index, " has a text and %s: expected one of them", what);
    if (are_ids && (input->tokens != NULL || input->n_tokens > 0))
        return misused_input(error, index, " has ids and tokens: expected one of them");
    if (are_ids && request->is_own && !config->pools_prompt && request->prompt.len > 0)
        return misused_input(error, index,
                             " has ids, of which the prompt's are not known, and the model pools "
                             "without these: expected a text, tokens, or an empty prompt");
    next->result.n_tokens = are_ids ? input->n_ids : input->n_tokens;
    next->kept = mask_kept(input->mask, next->result.n_tokens);
    next->mask = input->mask != NULL ? input->mask + next->kept.first : NULL;
    if (next->kept.span > limit)
        return fail_input(error, ENGINE_ERROR_LENGTH, ENGINE_REASON_LONG_IDS, index,
                          " has %zu %s, the limit is %zu; %s are never truncated", next->kept.span,
                          what, limit, what);
    for (size_t k = 0, i = next->kept.first; k < next->kept.span; k++, i++) {
        engine_token *token = &session->tokens[k];
        const int32_t type = are_ids && input->types != NULL ? input->types[i] : 0;
        *token = are_ids ? (engine_token){.id = input->ids[i], .type = type} : input->tokens[i];
        if (!mask_keeps(next->mask, k))
            continue;
        if ((size_t)token->id >= config->vocabulary)
            return fail_input(error, ENGINE_ERROR_ARGUMENT, ENGINE_REASON_BAD_ID, index,
                              ": id %d at index %zu is out of range, expected 0 to %zu",
                              (int)token->id, i, config->vocabulary - 1);
        if ((size_t)token->type >= n_types)
            return fail_input(error, ENGINE_ERROR_ARGUMENT, ENGINE_REASON_BAD_ID, index,
                              ": type %d at index %zu is out of range, expected 0 to %zu",
                              (int)token->type, i, n_types - 1);
    }
    return ENGINE_OK;
}

static engine_status read_text(struct batch *batch, const engine_input *input)
{
    engine_session *session = batch->session;
    const struct request *request = batch->request;
    const size_t most = session->max_tokens, index = request->first_input + batch->n_taken;
    const size_t wanted = request_token_limit(request, session->model);
    const struct token_room room = {session->tokens, most, wanted < most ? wanted : most};
    struct token_count count = {0};
    profile_lap(batch->profile, ENGINE_N_STEPS);
    engine_status status = read_tokens(session, request, input, index, room, &count);
    profile_lap(batch->profile, ENGINE_STEP_TOKENIZE);
    batch->next.kept = (struct kept_tokens){.n_kept = count.n, .span = count.n};
    batch->next.result = (engine_result){.n_tokens = count.n, .n_dropped = count.n_dropped};
    return status;
}

bool token_has_vector(const engine_model *model, int32_t id, size_t index, bool in_query)
{
    return (index > 0 || model->encoder.config.token_vector_first) &&
           (in_query || !id_list_has(&model->tokenizer.skip_vectors, id));
}

static bool has_vector(const struct batch *batch, engine_token token, size_t index)
{
    return token_has_vector(batch->session->model, token.id, index, batch->request->is_query);
}

/* Reads the next input unless it is read. Returns false if no input remains or it is invalid. */
static bool read_next(struct batch *batch)
{
    const struct request *request = batch->request;
    engine_session *session = batch->session;
    struct next_input *next = &batch->next;
    if (batch->n_taken == batch->n || batch->status != ENGINE_OK || is_interrupted(session))
        return false;
    if (next->is_read)
        return true;
    const engine_input *input = &batch->inputs[batch->n_taken];
    *next = (struct next_input){.is_read = true};
    batch->status = input->ids != NULL || input->tokens != NULL ? read_ids_or_tokens(batch, input)
                                                                : read_text(batch, input);
    if (batch->status != ENGINE_OK)
        return false;
    session_positions(session, next->result.n_tokens);
    /* Padding has answer rows of zeros, but no vectors. */
    const bool has_vectors = request->kind == ANSWER_VECTORS;
    next->n_out = has_vectors ? 0 : next->result.n_tokens;
    for (size_t i = 0, index = 0; has_vectors && i < next->kept.span; i++)
        if (mask_keeps(next->mask, i))
            next->n_out += has_vector(batch, session->tokens[i], index++);
    if (request->have_text != NULL) /* of ids it is not known */
        request->have_text[batch->n_taken] =
            input->ids != NULL || engine_has_text(session->tokens, next->kept.span);
    if (answers_per_token(request) && batch->out_rows + next->n_out > batch->cap / request->width)
        batch->counting = true; /* from the first input on whose rows do not fit */
    return true;
}

/* Adds the rows of the next input. Tokens without a vector get no answer row. */
static void add_sequence(struct batch *batch, struct group *group)
{
    engine_session *session = batch->session;
    const struct request *request = batch->request;
    const struct model_config *config = &session->model->encoder.config;
    const struct next_input *next = &batch->next;
    const bool has_ids = batch->inputs[batch->n_taken].ids != NULL; /* a filler by its id alone */
    const bool hides_fillers = request->is_query && !config->query_filler_seen;
    struct pass *pass = &session->pass;
    struct sequence *sequence = &pass->sequences[group->sequence + group->n_sequences++];
    size_t n_skipped = 0;
    *sequence = (struct sequence){
        .row = group->row + group->n_rows,
        .n_rows = next->kept.n_kept,
        .input = batch->n_taken,
        .out_row = batch->out_rows,
        .n_out = next->n_out,
    };
    for (size_t i = 0; i < next->kept.span; i++) {
        const engine_token token = session->tokens[i];
        const size_t position = i - n_skipped;
        n_skipped += session->embedding.positions.scheme == POSITION_LEARNED &&
                     embedding_skips(config, token.id);
        if (!mask_keeps(next->mask, i))
            continue;
        const size_t row = group->row + group->n_rows++, index = row - sequence->row;
        size_t offset = next->kept.first + i;
        if (gives_vectors(request))
            offset = has_vector(batch, token, index) ? sequence->n_vectors++ : NO_ROW;
        const bool is_unseen =
            hides_fillers && (size_t)token.id == config->query_filler && (token.special || has_ids);
        sequence->n_unseen = is_unseen ? sequence->n_unseen + 1 : 0;
        sequence->n_unpooled += token.unpooled && sequence->n_unpooled == index;
        pass->ids[row] = request->by_ids && token.special ? -1 : token.id;
        pass->types[row] = token.type;
        pass->positions[row] = (uint32_t)position;
        pass->lengths[row] = (uint32_t)next->kept.span;
        pass->out_offsets[row] = (uint32_t)offset;
    }
}

/* Adds inputs to an empty group, whose rows and sequences start at `first` of the pass: up to
 * `most` rows, or one input of at most `room` >= most. The group stays empty if no input remains,
 * if the next one is invalid (status) or is longer than the room. */
static void batch_fill(struct batch *batch, size_t first, size_t most, size_t room,
                       struct group *group)
{
    struct next_input *next = &batch->next;
    *group = (struct group){.sequence = first, .row = first};
    while (read_next(batch)) {
        size_t n_rows = next->kept.n_kept;
        bool is_long = group->n_rows + n_rows > most || group->n_sequences == most;
        if (!batch->counting && is_long && (group->n_sequences > 0 || n_rows > room))
            return;
        if (!batch->counting)
            add_sequence(batch, group);
        size_t guess = guess_rows(batch, &batch->inputs[batch->n_taken]);
        next->result.row = answers_per_token(batch->request) ? batch->out_rows : batch->n_taken;
        if (batch->results != NULL)
            batch->results[batch->n_taken] = next->result;
        batch->out_rows += next->n_out;
        batch->rows_taken += n_rows;
        batch->guess_taken += guess;
        batch->guess_left -= guess;
        next->is_read = false;
        batch->n_taken++;
    }
}

/* ---- Answers: from the last hidden states of a sequence ---- */

static void note_not_finite(struct batch *batch, size_t input)
{
    pthread_mutex_lock(&batch->session->lock);
    batch->not_finite = input < batch->not_finite ? input : batch->not_finite;
    pthread_mutex_unlock(&batch->session->lock);
}

static void write_tokens(const struct batch *batch, const struct sequence *sequence, float *out,
                         const struct thread_work *work)
{
    const engine_session *session = batch->session;
    const struct request *request = batch->request;
    const struct encoder *encoder = &session->model->encoder;
    if (sequence->n_out > sequence->n_rows) /* rows of padding are zeros */
        memset(out, 0, sequence->n_out * request->width * sizeof *out);
    for (size_t r = sequence->row; r < sequence->row + sequence->n_rows; r++) {
        float *to = out + session->pass.out_offsets[r] * request->width;
        const float *values = hidden_row(session, r);
        if (request->kind == ANSWER_TOKEN_LABELS) {
            head_logits(encoder, values, work->logits, &work->head);
            head_scores(request->scores, work->logits, request->width);
            values = work->logits;
        }
        memcpy(to, values, request->width * sizeof *to);
    }
}

void write_pooled(const engine_session *session, const struct request *request, size_t row,
                  size_t n, size_t n_unpooled, float *out, const struct thread_work *work)
{
    pool_text(&session->model->encoder, request->pooling, request->is_own, hidden_row(session, row),
              session->pass.width_stride, n, n_unpooled, work->pooled, &work->head);
    memcpy(out, work->pooled, request->width * sizeof *out);
    if (request->normalize)
        normalize_row(out, request->width);
}

static void write_labels(const struct batch *batch, const struct sequence *sequence, float *out,
                         const struct thread_work *work)
{
    const engine_session *session = batch->session;
    const struct request *request = batch->request;
    const struct encoder *encoder = &session->model->encoder;
    float *logits = work->logits;
    memset(out, 0, request->width * sizeof *out);
    if (sequence->n_rows == 0) /* no token to classify */
        return;
    head_text_logits(encoder, hidden_row(session, sequence->row), session->pass.width_stride,
                     sequence->n_rows, work->pooled, logits, &work->head);
    if (request->width < encoder->config.labels) /* a score of two labels: see score_pairs */
        logits[0] = logits[1] - logits[0];
    head_scores(request->scores, logits, request->width);
    memcpy(out, logits, request->width * sizeof *out);
}

/* Writes the vectors of a sequence's tokens, block by block: to out, or scored against a
 * query's. */
static void write_vectors(const struct batch *batch, const struct sequence *sequence, float *out,
                          const struct thread_work *work)
{
    const engine_session *session = batch->session;
    const struct request *request = batch->request;
    const struct encoder *encoder = &session->model->encoder;
    bool is_score = request->kind == ANSWER_MAX_SIM;
    size_t width = is_score ? request->query_width : request->width;
    size_t stride = row_stride(encoder->config.token_vectors);
    float *best = work->best;
    size_t end = sequence->row + sequence->n_rows, n;
    for (size_t i = 0; i < request->n_query; i++)
        best[i] = -INFINITY;
    for (size_t row = sequence->row; row < end; row += n) {
        n = end - row < TOKEN_VECTOR_ROWS ? end - row : TOKEN_VECTOR_ROWS;
        token_vectors(encoder, hidden_row(session, row), session->pass.width_stride, n, width,
                      work->vectors, &work->of_vectors);
        for (size_t i = 0; i < n; i++) {
            const float *vector = work->vectors + i * stride;
            uint32_t offset = session->pass.out_offsets[row + i];
            if (offset != NO_ROW && is_score)
                best_products(request->query, request->n_query, width, vector, best);
            else if (offset != NO_ROW)
                memcpy(out + offset * width, vector, width * sizeof *out);
        }
    }
    if (is_score)
        *out = sequence->n_vectors > 0 ? (float)sum_of_best(best, request->n_query) : 0;
}

/* Writes the answer of a sequence to its rows of the caller's buffer. */
static void answer_write(struct batch *batch, const struct sequence *sequence,
                         const struct thread_work *work)
{
    const engine_session *session = batch->session;
    const struct request *request = batch->request;
    const struct encoder *encoder = &session->model->encoder;
    const struct id_list *skipped = &session->model->tokenizer.skip_weights;
    bool per_token = answers_per_token(request), is_finite = true;
    size_t n_rows = per_token ? sequence->n_out : 1;
    if (n_rows == 0 || request->kind == ANSWER_NOTHING) /* out may be NULL */
        return;
    float *out = batch->out + (per_token ? sequence->out_row : sequence->input) * request->width;
    switch (request->kind) {
    case ANSWER_TOKENS:
    case ANSWER_TOKEN_LABELS: write_tokens(batch, sequence, out, work); break;
    case ANSWER_POOLED:
        write_pooled(session, request, sequence->row, sequence->n_rows, sequence->n_unpooled, out,
                     work);
        break;
    case ANSWER_LABELS: write_labels(batch, sequence, out, work); break;
    case ANSWER_VECTORS:
    case ANSWER_MAX_SIM: write_vectors(batch, sequence, out, work); break;
    case ANSWER_SPARSE:
        if (request->by_ids)
            sparse_of_ids(encoder, session->pass.ids + sequence->row, sequence->n_rows, out);
        else
            is_finite =
                sparse_of_tokens(encoder, hidden_row(session, sequence->row),
                                 session->pass.width_stride, session->pass.ids + sequence->row,
                                 sequence->n_rows, skipped->ids, skipped->n, out, &work->sparse);
        break;
    case ANSWER_NOTHING: break;
    }
    if (!is_finite || !floats_are_finite(out, n_rows * request->width))
        note_not_finite(batch, sequence->input);
}

/* Writes sparse weights of the mask head. Its layer is as large as several of the encoder's, so
 * threads share its columns, the ids. Its input is stored in y, which the pass no longer needs. */
static void write_logits(struct batch *batch, const struct group *group, struct team team,
                         const struct thread_work *work)
{
    const engine_session *session = batch->session;
    const struct encoder *encoder = &session->model->encoder;
    const struct pass *pass = &session->pass;
    size_t stride = pass->width_stride;
    struct share rows = session_share(session, team, group->n_rows);
    for (size_t r = group->row + rows.begin; r < group->row + rows.end; r++)
        head_hidden(encoder, hidden_row(session, r), pass->y + r * stride, &work->head);
    end_step(team, ENGINE_STEP_ANSWER);
    struct share panels = session_share(session, team, linear_panels(&encoder->head.output));
    for (size_t panel = panels.begin; panel < panels.end; panel += SPARSE_PANELS) {
        size_t end = panels.end - panel < SPARSE_PANELS ? panels.end : panel + SPARSE_PANELS;
        struct sparse_block block = sparse_block(encoder, panel, end, &work->sparse);
        for (size_t i = 0; i < group->n_sequences; i++) {
            const struct sequence *sequence = &pass->sequences[group->sequence + i];
            if (!sparse_of_logits(
                    encoder, &block, pass->y + sequence->row * stride, stride, sequence->n_rows,
                    batch->out + sequence->input * batch->request->width, &work->sparse))
                note_not_finite(batch, sequence->input);
        }
    }
}

/* ---- Threads ---- */

enum { LEAST_ROWS = 48 }; /* fewer cost nearly as much: the weights are read once for each group */

/* Computes a group, and writes the answers of its sequences. Every thread of the team calls it; its
 * rank is that among all of the session's threads. */
static void encode_group(struct batch *batch, const struct group *group, struct team team,
                         size_t rank)
{
    engine_session *session = batch->session;
    const struct request *request = batch->request;
    const struct thread_work *work = &session->pass.works[rank];
    profile_lap(team.profile, ENGINE_N_STEPS);
    if (!request->by_ids)
        forward(session, group, team, rank);
    if (request->kind == ANSWER_SPARSE && !request->by_ids &&
        session->model->encoder.config.sparse == SPARSE_MASK) {
        write_logits(batch, group, team, work);
    } else {
        struct share share = session_share(session, team, group->n_sequences);
        for (size_t i = share.begin; i < share.end; i++)
            answer_write(batch, &session->pass.sequences[group->sequence + i], work);
    }
    if (team.rank == 0 && request->first_input != ENGINE_QUERY_INPUT && !is_interrupted(session))
        session->n_done += group->n_sequences;
    if (rank == 0)
        session_report(session);
    profile_lap(team.profile, ENGINE_STEP_ANSWER);
}

/* ---- Many texts ---- */

/* Returns the number of rows of the next group. */
static size_t next_rows(const struct batch *batch, size_t n_threads)
{
    size_t rows = batch_rows_left(batch) / n_threads;
    return rows < LEAST_ROWS ? LEAST_ROWS : rows < ROWS_PER_THREAD ? rows : ROWS_PER_THREAD;
}

static void encode_in_turn(void *user, struct team all)
{
    struct batch *batch = user;
    engine_session *session = batch->session;
    size_t room = session->pass.row_cap / session->n_threads;
    const struct team alone = {0, 1, NULL, all.profile};
    struct group group;
    profile_lap(all.profile, ENGINE_N_STEPS);
    for (;;) {
        pthread_mutex_lock(&session->lock);
        profile_lap(all.profile, ENGINE_STEP_WAIT);
        batch->profile = all.profile;
        batch_fill(batch, room * all.rank, next_rows(batch, all.size), room, &group);
        pthread_mutex_unlock(&session->lock);
        if (group.n_sequences == 0)
            break;
        group.index = all.rank;
        encode_group(batch, &group, alone, all.rank);
    }
}

/* ---- Few texts ---- */

/* Cuts the pass into one group per thread of about equally many rows, in order. Returns false if
 * that would leave threads with little to do. */
static bool split_pass(struct pass *pass, const struct group *whole, size_t n_groups)
{
    size_t row = 0, sequence = 0, largest = 0;
    if (n_groups < 2 || whole->n_sequences < n_groups)
        return false;
    for (size_t g = 0; g < n_groups; g++) {
        struct group *group = &pass->groups[g];
        size_t goal = whole->n_rows * (g + 1) / n_groups;
        *group = (struct group){.sequence = sequence, .row = row, .index = g};
        while (sequence < whole->n_sequences &&
               (g + 1 == n_groups || row + pass->sequences[sequence].n_rows / 2 < goal))
            row += pass->sequences[sequence++].n_rows;
        group->n_sequences = sequence - group->sequence;
        group->n_rows = row - group->row;
        largest = group->n_rows > largest ? group->n_rows : largest;
    }
    return largest * n_groups * 4 <= whole->n_rows * 5;
}

/* Computes one thread's part of the pass: its share of the only group, or its groups (one, unless
 * OpenMP started fewer threads than announced). */
static void share_pass(void *user, struct team all)
{
    struct batch *batch = user;
    const struct pass *pass = &batch->session->pass;
    const struct team alone = {0, 1, NULL, all.profile};
    if (pass->n_groups == 1) {
        encode_group(batch, &pass->groups[0], all, all.rank);
        return;
    }
    for (size_t g = all.rank; g < pass->n_groups; g += all.size)
        encode_group(batch, &pass->groups[g], alone, all.rank);
}

/* Encodes the next inputs together. Returns false if no input remains or the next is invalid. */
static bool encode_pass(struct batch *batch, size_t n_threads)
{
    engine_session *session = batch->session;
    struct pass *pass = &session->pass;
    size_t most = session->options.trace != 0 ? 1 : n_threads * ROWS_PER_THREAD;
    struct group whole;
    batch->profile = session->barrier.profile;
    batch_fill(batch, 0, most, pass->row_cap, &whole);
    if (whole.n_sequences == 0)
        return false;
    pass->n_groups = n_threads;
    if (session->options.trace == 0 && split_pass(pass, &whole, n_threads)) {
        region_run(n_threads, &session->barrier, share_pass, batch);
        return true;
    }
    pass->n_groups = 1;
    pass->groups[0] = whole;
    region_share(&session->sharing, whole.n_rows, n_threads, &session->barrier, share_pass, batch);
    return true;
}

/* ---- All of them ---- */

engine_status not_finite(engine_session *session, size_t input)
{
    engine_error *weights = &session->weights;
    if (weights->message[0] == '\0' &&
        weight_file_verify(&session->model->file, weights) == ENGINE_OK)
        strcpy(weights->message, "float32 overflows, so the weights, embedding_scale or "
                                 "position_scale are too large");
    return fail_input(&session->error, ENGINE_ERROR_NOT_FINITE,
                      weights->status == ENGINE_OK ? ENGINE_REASON_OVERFLOW : ENGINE_REASON_WEIGHTS,
                      input, " gives NaN or an infinity: %s", weights->message);
}

static engine_status encode_inputs(struct batch *batch, size_t *needed)
{
    engine_error *error = &batch->session->error;
    size_t width = batch->request->kind == ANSWER_NOTHING ? 0 : batch->request->width, floats;
    size_t n_threads = region_threads(batch->session->n_threads, NULL);
    bool per_token = answers_per_token(batch->request);
    if (__builtin_mul_overflow(batch->n, width, &floats))
        return misused(error, "%zu inputs are too many", batch->n);
    batch->counting = !per_token && batch->cap < floats;
    batch->not_finite = batch->n;
    for (size_t i = 0; i < batch->n; i++)
        batch->guess_left += guess_rows(batch, &batch->inputs[i]);
    bool is_alone = n_threads == 1 || batch->session->options.trace != 0;
    do { /* stops before a text that is too long for one thread: all threads share it */
        bool are_many = batch->n - batch->n_taken > n_threads &&
                        batch_rows_left(batch) > n_threads * ROWS_PER_THREAD;
        if (!batch->counting && !is_alone && are_many)
            region_run(n_threads, &batch->session->barrier, encode_in_turn, batch);
    } while (encode_pass(batch, n_threads));
    session_report(batch->session);
    if (is_interrupted(batch->session))
        return fail(error, ENGINE_ERROR_INTERRUPTED,
                    "interrupted: about %zu of %zu inputs are done", (size_t)batch->session->n_done,
                    batch->session->n_inputs);
    if (batch->not_finite < batch->n) /* its index is before any invalid input's */
        return not_finite(batch->session, batch->request->first_input + batch->not_finite);
    if (batch->status != ENGINE_OK)
        return batch->status;
    if (per_token && __builtin_mul_overflow(batch->out_rows, width, &floats))
        return misused(error, "%zu tokens are too many", batch->out_rows);
    return answer_count(error, "numbers", floats, batch->cap, needed);
}

engine_status encode(engine_session *session, const engine_input *inputs, size_t n,
                     const struct request *request, float *out, size_t cap, size_t *needed,
                     engine_result *results)
{
    size_t first = request->first_input;
    struct request seen = *request; /* texts are cut if the caller asked for it, or can see it */
    seen.truncate &= seen.options.on_long == ENGINE_ON_LONG_TRUNCATE || results != NULL;
    session->n_done = first == ENGINE_QUERY_INPUT ? 0 : first;
    session->n_inputs = request->n_inputs > 0 ? request->n_inputs : n;
    struct batch batch = {
        .session = session,
        .request = &seen,
        .inputs = inputs,
        .n = n,
        .results = results,
        .out = out,
        .cap = cap,
    };
    if ((inputs == NULL && n > 0) || (out == NULL && cap > 0))
        return misused(&session->error, "inputs is NULL, or out is NULL and cap is not 0");
    return encode_inputs(&batch, needed);
}

engine_status engine_encode(engine_session *session, const engine_input *inputs, size_t n,
                            const engine_encode_options *options, float *out, size_t cap,
                            size_t *needed, engine_result *results)
{
    ENDS_WITH(session_end) engine_session *call = session_begin(session);
    if (call == NULL)
        return session_refusal(session);
    struct request request;
    engine_status status =
        request_read(session->model, options, REQUEST_ANSWER, &request, &session->error);
    return status == ENGINE_OK ? encode(session, inputs, n, &request, out, cap, needed, results)
                               : status;
}
