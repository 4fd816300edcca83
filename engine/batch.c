/* batch.c - from inputs to rows: checks ids, tokenizes texts, records where each answer is stored.
 *
 * The number of remaining rows is estimated from the lengths of texts, about four bytes per token,
 * and corrected by the actual rows of the texts read so far.
 */
#include "engine/batch.h"

#include "engine/status.h"

enum { BYTES_PER_TOKEN = 4, SPECIAL_TOKENS = 2, PRIOR_ROWS = 64 };

/* Returns whether an input has tokens: ids with types, or tokens of engine_tokenize. */
static bool brings_tokens(const engine_input *input)
{
    return input->ids != NULL || input->tokens != NULL;
}

static size_t n_brought(const engine_input *input)
{
    return input->ids != NULL ? input->n_ids : input->n_tokens;
}

static engine_token token_at(const engine_input *input, size_t i)
{
    if (input->ids == NULL)
        return (input->tokens)[i];
    return (engine_token){.id = input->ids[i], .type = input->types != NULL ? input->types[i] : 0};
}

static size_t guess_rows(const struct batch *batch, const engine_input *input)
{
    size_t limit = batch->session->max_tokens;
    size_t rows = brings_tokens(input)
                      ? n_brought(input)
                      : text_bytes(input->text, input->text_len) / BYTES_PER_TOKEN +
                            text_bytes(input->pair, input->pair_len) / BYTES_PER_TOKEN +
                            SPECIAL_TOKENS;
    return rows < limit ? rows : limit;
}

void batch_begin(struct batch *batch)
{
    for (size_t i = 0; i < batch->n; i++)
        batch->guess_left += guess_rows(batch, &batch->inputs[i]);
}

size_t batch_rows_left(const struct batch *batch)
{
    double taken = (double)(batch->rows_taken + PRIOR_ROWS);
    return (size_t)((double)batch->guess_left * taken / (double)(batch->guess_taken + PRIOR_ROWS));
}

/* ---- the input that is next ---- */

/* Masked tokens may be anything. */
static engine_status check_brought(struct batch *batch, const engine_input *input,
                                   const struct kept_tokens *kept)
{
    const struct model_config *config = &batch->session->model->encoder.config;
    engine_error *error = &batch->session->error;
    const char *what = input->ids != NULL ? "ids" : "tokens";
    size_t index = batch->request->first_input + batch->n_taken, limit = batch->session->max_tokens;
    /* A model without a table of types accepts type 0 alone. */
    size_t n_types = config->token_types > 0 ? config->token_types : 1;
    if (batch->request->max_tokens > 0 && batch->request->max_tokens < limit)
        limit = batch->request->max_tokens;
    if (input->text != NULL || input->pair != NULL || input->text_len > 0 || input->pair_len > 0)
        return misused_input(error, index, " has a text and %s: expected one of them", what);
    if (input->ids != NULL && (input->tokens != NULL || input->n_tokens > 0))
        return misused_input(error, index, " has ids and tokens: expected one of them");
    if (kept->span > limit)
        return fail_input(error, ENGINE_ERROR_LENGTH, ENGINE_REASON_LONG_IDS, index,
                          " has %zu %s, the limit is %zu; %s are never truncated", kept->span, what,
                          limit, what);
    for (size_t i = 0; i < n_brought(input); i++) {
        engine_token token = token_at(input, i);
        if (!mask_keeps(input->mask, i))
            continue;
        if ((size_t)token.id >= config->vocabulary)
            return fail_input(error, ENGINE_ERROR_ARGUMENT, ENGINE_REASON_BAD_ID, index,
                              ": id %d at index %zu is out of range, expected 0 to %zu",
                              (int)token.id, i, config->vocabulary - 1);
        if ((size_t)token.type >= n_types)
            return fail_input(error, ENGINE_ERROR_ARGUMENT, ENGINE_REASON_BAD_ID, index,
                              ": type %d at index %zu is out of range, expected 0 to %zu",
                              (int)token.type, i, n_types - 1);
    }
    return ENGINE_OK;
}

static engine_status read_input(struct batch *batch, const engine_input *input,
                                struct next_input *next)
{
    if (brings_tokens(input)) {
        next->kept = mask_kept(input->mask, n_brought(input));
        next->n_rows = next->kept.n_kept;
        next->result.n_tokens = n_brought(input);
        return check_brought(batch, input, &next->kept);
    }
    engine_session *session = batch->session;
    const size_t most = session->max_tokens,
                 wanted = request_token_limit(batch->request, session->model);
    const struct token_room room = {session->tokens, most, wanted < most ? wanted : most};
    struct token_count count = {0};
    profile_start(batch->profile);
    engine_status status = read_tokens(session, batch->request, input,
                                       batch->request->first_input + batch->n_taken, room, &count);
    profile_lap(batch->profile, ENGINE_STEP_TOKENIZE);
    next->n_rows = count.n;
    next->result.n_tokens = count.n;
    next->result.n_dropped = count.n_dropped;
    return status;
}

static bool has_vector(const struct batch *batch, engine_token token, size_t index)
{
    return token_has_vector(batch->session->model, token.id, index, batch->request->is_query);
}

/* Returns the answer rows of an input, one per token. Padding has rows of zeros, but no vectors. */
static size_t count_answered(const struct batch *batch, const engine_input *input,
                             const struct next_input *next)
{
    size_t n = 0, index = 0;
    if (batch->request->kind != ANSWER_VECTORS)
        return next->result.n_tokens;
    for (size_t i = 0; i < next->result.n_tokens; i++)
        if (!brings_tokens(input))
            n += has_vector(batch, batch->session->tokens[i], index++);
        else if (mask_keeps(input->mask, i))
            n += has_vector(batch, token_at(input, i), index++);
    return n;
}

/* Reads the next input unless it is read. Returns false if no input remains or it is invalid. */
static bool read_next(struct batch *batch)
{
    if (batch->n_taken == batch->n || batch->status != ENGINE_OK || is_interrupted(batch->session))
        return false;
    if (batch->next.is_read)
        return true;
    batch->next = (struct next_input){.is_read = true};
    batch->status = read_input(batch, &batch->inputs[batch->n_taken], &batch->next);
    if (batch->status != ENGINE_OK)
        return false;
    session_positions(batch->session, batch->next.result.n_tokens);
    const engine_input *input = &batch->inputs[batch->n_taken];
    batch->next.n_out = count_answered(batch, input, &batch->next);
    if (batch->request->have_text != NULL) /* of ids it is not known */
        batch->request->have_text[batch->n_taken] =
            input->ids != NULL ||
            engine_has_text(input->tokens != NULL ? input->tokens : batch->session->tokens,
                            batch->next.result.n_tokens);
    const size_t n_rows = batch->out_rows + batch->next.n_out;
    if (answers_per_token(batch->request) && n_rows > batch->cap / batch->request->width)
        batch->counting = true; /* from the first input on whose rows do not fit */
    return true;
}

/* ---- its rows ---- */

/* index: the token's index in the input, including padding. Tokens without a vector get no answer
 * row. */
static void add_row(struct batch *batch, struct group *group, engine_token token,
                    struct text_position at, size_t index)
{
    struct pass *pass = &batch->session->pass;
    struct sequence *sequence = &pass->sequences[group->sequence + group->n_sequences - 1];
    size_t row = group->row + group->n_rows++, offset = index;
    if (gives_vectors(batch->request))
        offset = has_vector(batch, token, row - sequence->row) ? sequence->n_vectors++ : NO_ROW;
    pass->ids[row] = token.id;
    pass->types[row] = token.type;
    pass->positions[row] = (uint32_t)at.position;
    pass->lengths[row] = (uint32_t)at.n_tokens;
    pass->out_offsets[row] = (uint32_t)offset;
}

static void add_sequence(struct batch *batch, struct group *group)
{
    engine_session *session = batch->session;
    const engine_input *input = &batch->inputs[batch->n_taken];
    const struct next_input *next = &batch->next;
    const bool is_brought = brings_tokens(input);
    const size_t first = is_brought ? next->kept.first : 0;
    const size_t span = is_brought ? next->kept.span : next->n_rows;
    size_t n_skipped = 0;
    session->pass.sequences[group->sequence + group->n_sequences++] = (struct sequence){
        .row = group->row + group->n_rows,
        .n_rows = next->n_rows,
        .input = batch->n_taken,
        .out_row = batch->out_rows,
        .n_out = next->n_out,
    };
    for (size_t i = first; i < first + span; i++) {
        const engine_token token = is_brought ? token_at(input, i) : session->tokens[i];
        if (!is_brought || mask_keeps(input->mask, i))
            add_row(batch, group, token, (struct text_position){i - first - n_skipped, span}, i);
        n_skipped += session->embedding.positions.scheme == POSITION_LEARNED &&
                     embedding_skips(&session->model->encoder.config, token.id);
    }
}

void batch_fill(struct batch *batch, size_t first, size_t most, size_t room, struct group *group)
{
    struct next_input *next = &batch->next;
    *group = (struct group){.sequence = first, .row = first};
    while (read_next(batch)) {
        bool is_long = group->n_rows + next->n_rows > most || group->n_sequences == most;
        if (!batch->counting && is_long && (group->n_sequences > 0 || next->n_rows > room))
            return;
        if (!batch->counting)
            add_sequence(batch, group);
        size_t guess = guess_rows(batch, &batch->inputs[batch->n_taken]);
        next->result.row = answers_per_token(batch->request) ? batch->out_rows : batch->n_taken;
        if (batch->results != NULL)
            batch->results[batch->n_taken] = next->result;
        batch->out_rows += next->n_out;
        batch->rows_taken += next->n_rows;
        batch->guess_taken += guess;
        batch->guess_left -= guess;
        next->is_read = false;
        batch->n_taken++;
    }
}
