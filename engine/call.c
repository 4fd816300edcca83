/* call.c - from inputs to rows: checks ids, tokenizes texts, notes where each answer goes.
 *
 * How many rows are left is guessed from the lengths of texts, about four bytes to a token, and
 * corrected by what the texts taken so far have turned out to be.
 */
#include "engine/call.h"

#include "engine/status.h"

enum { BYTES_PER_TOKEN = 4, SPECIAL_TOKENS = 2, PRIOR_ROWS = 64 };

static size_t guess_rows(const struct call *call, const engine_input *input)
{
    size_t limit = call->session->max_tokens;
    size_t rows = input->ids != NULL ? input->n_ids
                                     : input->text_len / BYTES_PER_TOKEN +
                                           input->pair_len / BYTES_PER_TOKEN + SPECIAL_TOKENS;
    return rows < limit ? rows : limit;
}

void call_begin(struct call *call)
{
    for (size_t i = 0; i < call->n; i++)
        call->guess_left += guess_rows(call, &call->inputs[i]);
}

size_t call_rows_left(const struct call *call)
{
    double taken = (double)(call->rows_taken + PRIOR_ROWS);
    return (size_t)((double)call->guess_left * taken / (double)(call->guess_taken + PRIOR_ROWS));
}

bool call_has_more(const struct call *call)
{
    return call->next < call->n && call->status == ENGINE_OK;
}

/* ---- the input that is next ---- */

static engine_status check_ids(struct call *call, const engine_input *input, size_t index,
                               struct kept_tokens *kept)
{
    const struct model_config *config = &call->session->model->encoder.config;
    engine_error *error = &call->session->error;
    int64_t n_types =
        config->token_types > 0 ? config->token_types : 1; /* without a table, 0 alone */
    size_t limit = call->session->max_tokens;
    if (call->settings->max_tokens > 0 && call->settings->max_tokens < limit)
        limit = call->settings->max_tokens;
    if (input->text != NULL || input->pair != NULL || input->text_len > 0 || input->pair_len > 0)
        return fail(error, ENGINE_ERROR_ARGUMENT,
                    "input %zu has a text and ids: expected one of them", index);
    *kept = mask_kept(input->mask, input->n_ids);
    if (kept->span > limit)
        return fail(
            error, ENGINE_ERROR_LENGTH,
            "input %zu has %zu ids, the limit is %zu; ids are taken as they are, not truncated",
            index, kept->span, limit);
    for (size_t i = 0; i < input->n_ids; i++) {
        if (!mask_keeps(input->mask, i))
            continue;
        if (input->ids[i] < 0 || input->ids[i] >= config->vocabulary)
            return fail(error, ENGINE_ERROR_ARGUMENT,
                        "input %zu: id %d at place %zu is out of range, expected 0 to %lld", index,
                        (int)input->ids[i], i, (long long)config->vocabulary - 1);
        if (input->types != NULL && (input->types[i] < 0 || input->types[i] >= n_types))
            return fail(error, ENGINE_ERROR_ARGUMENT,
                        "input %zu: type %d at place %zu is out of range, expected 0 to %lld",
                        index, (int)input->types[i], i, (long long)n_types - 1);
    }
    return ENGINE_OK;
}

static engine_status read_input(struct call *call, const engine_input *input,
                                struct head_of_line *head)
{
    if (input->ids != NULL) {
        head->result.n_tokens = input->n_ids;
        engine_status status = check_ids(call, input, call->next, &head->kept);
        head->n_rows = head->kept.n_kept;
        return status;
    }
    struct token_count count = {0};
    profile_start(call->profile);
    engine_status status = read_tokens(call->session, input, call->next, call->settings, &count);
    profile_lap(call->profile, ENGINE_STEP_TOKENIZE);
    head->n_rows = count.n;
    head->result.n_tokens = count.n;
    head->result.n_dropped = count.n_dropped;
    return status;
}

/* An input without its row in the caller's buffer is counted, and so are all after it. */
static void stop_if_full(struct call *call, size_t n_tokens)
{
    size_t rows = call->out_rows + n_tokens;
    if (answers_per_token(call->answer) && rows > call->cap / call->answer->width)
        call->counting = true;
}

/* Reads the next input unless that has been done. False: there is none, or it is wrong. */
static bool read_next(struct call *call)
{
    if (!call_has_more(call))
        return false;
    if (call->head.is_read)
        return true;
    call->head = (struct head_of_line){.is_read = true};
    call->status = read_input(call, &call->inputs[call->next], &call->head);
    if (call->status != ENGINE_OK)
        return false;
    session_positions(call->session, call->head.result.n_tokens);
    stop_if_full(call, call->head.result.n_tokens);
    return true;
}

/* ---- its rows ---- */

static void add_row(struct pass *pass, struct group *group, int32_t id, int32_t type,
                    struct place place, size_t offset)
{
    size_t row = group->row + group->n_rows++;
    pass->ids[row] = id;
    pass->types[row] = type;
    pass->positions[row] = (uint32_t)place.position;
    pass->lengths[row] = (uint32_t)place.n_tokens;
    pass->out_offsets[row] = (uint32_t)offset;
}

static void add_sequence(struct call *call, struct group *group)
{
    struct engine_session *session = call->session;
    const engine_input *input = &call->inputs[call->next];
    const struct head_of_line *head = &call->head;
    session->pass.sequences[group->sequence + group->n_sequences++] = (struct sequence){
        .row = group->row + group->n_rows,
        .n_rows = head->n_rows,
        .input = call->next,
        .out_row = call->out_rows,
        .n_out = head->result.n_tokens,
    };
    if (input->ids == NULL) {
        for (size_t i = 0; i < head->n_rows; i++)
            add_row(&session->pass, group, session->tokens[i].id, session->tokens[i].type,
                    (struct place){i, head->n_rows}, i);
        return;
    }
    for (size_t i = head->kept.first; i < head->kept.first + head->kept.span; i++)
        if (mask_keeps(input->mask, i))
            add_row(&session->pass, group, input->ids[i],
                    input->types != NULL ? input->types[i] : 0,
                    (struct place){i - head->kept.first, head->kept.span}, i);
}

static void step(struct call *call)
{
    struct head_of_line *head = &call->head;
    size_t guess = guess_rows(call, &call->inputs[call->next]);
    head->result.row = answers_per_token(call->answer) ? call->out_rows : call->next;
    if (call->results != NULL)
        call->results[call->next] = head->result;
    call->out_rows += head->result.n_tokens;
    call->rows_taken += head->n_rows;
    call->guess_taken += guess;
    call->guess_left -= guess;
    head->is_read = false;
    call->next++;
}

void call_take(struct call *call, size_t first, size_t most, size_t room, struct group *group)
{
    *group = (struct group){.sequence = first, .row = first};
    for (; read_next(call); step(call)) {
        if (call->counting)
            continue;
        bool is_long = group->n_rows + call->head.n_rows > most || group->n_sequences == most;
        if (is_long && (group->n_sequences > 0 || call->head.n_rows > room))
            return;
        add_sequence(call, group);
    }
}
