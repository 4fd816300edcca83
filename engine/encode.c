/* encode.c - engine_encode: inputs to passes, passes through the model, rows to the caller.
 *
 * Two ways to share a pass, with the same bits: many texts fall into one group per thread, and each thread takes its group
 * through the model alone; few texts are one group, and the threads share its heads and columns.
 */
#include "engine/encode.h"

#include "engine/forward.h"
#include "engine/status.h"
#include "model/mask.h"

#include <omp.h>

struct call {
    struct engine_session *session;
    const struct encode_settings *settings;
    const struct answer *answer;
    bool counting; /* the buffer is too small: find out how large it should be */
    float *out;
    size_t cap, out_rows; /* per token: rows given out so far */
};

static void write_group(const struct call *call, const struct group *group, struct team team,
                        float *scratch)
{
    const struct sequence *sequences = &call->session->pass.sequences[group->sequence];
    struct share share = team_share(team, group->n_sequences);
    for (size_t i = share.begin; i < share.end; i++)
        answer_write(call->session, call->answer, &sequences[i], call->out, scratch);
}

/* ---- passes ---- */

/* Cuts the pass into one group per thread of about equally many rows, in order. False if that would leave threads with little to do. */
static bool split_pass(struct pass *pass, size_t n_groups)
{
    size_t row = 0, sequence = 0, largest = 0;
    if (n_groups < 2 || pass->n_sequences < n_groups)
        return false;
    for (size_t g = 0; g < n_groups; g++) {
        struct group *group = &pass->groups[g];
        size_t goal = pass->n_rows * (g + 1) / n_groups;
        *group = (struct group){.sequence = sequence, .row = row};
        while (sequence < pass->n_sequences &&
               (g + 1 == n_groups || row + pass->sequences[sequence].n_rows / 2 < goal))
            row += pass->sequences[sequence++].n_rows;
        group->n_sequences = sequence - group->sequence;
        group->n_rows = row - group->row;
        largest = group->n_rows > largest ? group->n_rows : largest;
    }
    return largest * n_groups * 4 <= pass->n_rows * 5;
}

/* One thread's part of a pass. alone: the groups are walked one by each thread, not together. */
static void share_pass(const struct call *call, size_t n_groups, bool alone, struct team all)
{
    struct engine_session *session = call->session;
    struct pass *pass = &session->pass;
    float *scratch = pass->scratch + all.rank * pass->scratch_floats;
    struct profile_slot *profile = session->profile != NULL ? &session->profile[all.rank] : NULL;
    struct team team = alone ? (struct team){0, 1, NULL} : all;
    profile_start(profile);
    for (size_t g = alone ? all.rank : 0; g < n_groups; g += alone ? all.size : 1) {
        forward(session, &pass->groups[g], team, profile, scratch);
        write_group(call, &pass->groups[g], team, scratch);
        profile_lap(profile, ENGINE_STEP_ANSWER);
    }
    team_wait(all); /* OpenMP's own barrier at the end spins for long: arrive there together */
    profile_lap(profile, ENGINE_STEP_WAIT);
}

static void run_pass(const struct call *call)
{
    struct engine_session *session = call->session;
    struct pass *pass = &session->pass;
    size_t n_groups = session->n_threads;
    bool alone = session->trace == 0 && split_pass(pass, n_groups);
    if (!alone) {
        n_groups = 1;
        pass->groups[0] = (struct group){.n_sequences = pass->n_sequences, .n_rows = pass->n_rows};
    }
    int n_threads = (int)session->n_threads;
    if (n_threads == 1 || threads_lost()) { /* a region, even of one thread, makes OpenMP allocate */
        share_pass(call, n_groups, alone, (struct team){0, 1, NULL});
    } else {
#pragma omp parallel num_threads(n_threads)
        share_pass(call, n_groups, alone,
                   (struct team){(size_t)omp_get_thread_num(), (size_t)omp_get_num_threads(),
                                 &session->barrier});
    }
    pass->n_rows = pass->n_sequences = 0;
}

/* A place in the pass for an input of n_rows rows; runs the pass first if it is full. */
static struct sequence *begin_sequence(const struct call *call, size_t input, size_t n_rows)
{
    struct pass *pass = &call->session->pass;
    bool full = pass->n_rows + n_rows > pass->row_cap || pass->n_sequences == pass->row_cap;
    if (pass->n_sequences > 0 && (full || call->session->trace != 0))
        run_pass(call);
    struct sequence *sequence = &pass->sequences[pass->n_sequences++];
    *sequence = (struct sequence){.row = pass->n_rows, .n_rows = n_rows, .input = input};
    return sequence;
}

static void add_row(struct pass *pass, int32_t id, int32_t type, size_t position, size_t offset)
{
    pass->ids[pass->n_rows] = id;
    pass->types[pass->n_rows] = type;
    pass->positions[pass->n_rows] = (uint32_t)position;
    pass->out_offsets[pass->n_rows] = (uint32_t)offset;
    pass->n_rows++;
}

/* ---- inputs ---- */

/* An input without its row in the caller's buffer is counted, and so are all after it. */
static void stop_if_full(struct call *call, size_t n_tokens)
{
    size_t rows = call->out_rows + n_tokens;
    if (answers_per_token(call->answer) && rows > call->cap / call->answer->width)
        call->counting = true;
}

static engine_status add_text(struct call *call, const engine_input *input, size_t index,
                              engine_result *result)
{
    struct engine_session *session = call->session;
    struct token_count count;
    profile_start(session->profile);
    engine_status status = read_tokens(session, input, index, call->settings, &count);
    profile_lap(session->profile, ENGINE_STEP_TOKENIZE);
    if (status != ENGINE_OK)
        return status;
    *result = (engine_result){.n_tokens = count.n, .n_dropped = count.n_dropped};
    stop_if_full(call, count.n);
    if (call->counting)
        return ENGINE_OK;
    struct sequence *sequence = begin_sequence(call, index, count.n);
    sequence->out_row = call->out_rows;
    sequence->n_out = count.n;
    for (size_t i = 0; i < count.n; i++)
        add_row(&session->pass, session->tokens[i].id, session->tokens[i].type, i, i);
    return ENGINE_OK;
}

static engine_status check_ids(struct call *call, const engine_input *input, size_t index,
                               struct kept_tokens *kept)
{
    const struct model_config *config = &call->session->model->encoder.config;
    engine_error *error = &call->session->error;
    int64_t n_types = config->token_types > 0 ? config->token_types : 1; /* without a table, 0 alone */
    size_t limit = call->session->max_tokens;
    if (call->settings->max_tokens > 0 && call->settings->max_tokens < limit)
        limit = call->settings->max_tokens;
    if (input->text != NULL || input->pair != NULL || input->text_len > 0 || input->pair_len > 0)
        return fail(error, ENGINE_ERROR_ARGUMENT, "input %zu has a text and ids: expected one of them", index);
    *kept = mask_kept(input->mask, input->n_ids);
    if (kept->span > limit)
        return fail(error, ENGINE_ERROR_LENGTH, "input %zu has %zu ids, the limit is %zu; ids are taken as "
                    "they are, not truncated", index, kept->span, limit);
    for (size_t i = 0; i < input->n_ids; i++) {
        if (!mask_keeps(input->mask, i))
            continue;
        if (input->ids[i] < 0 || input->ids[i] >= config->vocabulary)
            return fail(error, ENGINE_ERROR_ARGUMENT, "input %zu: id %d at place %zu is out of range, expected "
                        "0 to %lld", index, (int)input->ids[i], i, (long long)config->vocabulary - 1);
        if (input->types != NULL && (input->types[i] < 0 || input->types[i] >= n_types))
            return fail(error, ENGINE_ERROR_ARGUMENT, "input %zu: type %d at place %zu is out of range, "
                        "expected 0 to %lld", index, (int)input->types[i], i, (long long)n_types - 1);
    }
    return ENGINE_OK;
}

static engine_status add_ids(struct call *call, const engine_input *input, size_t index,
                             engine_result *result)
{
    struct kept_tokens kept = {0};
    engine_status status = check_ids(call, input, index, &kept);
    if (status != ENGINE_OK)
        return status;
    *result = (engine_result){.n_tokens = input->n_ids};
    stop_if_full(call, input->n_ids);
    if (call->counting)
        return ENGINE_OK;
    struct sequence *sequence = begin_sequence(call, index, kept.n_kept);
    sequence->out_row = call->out_rows;
    sequence->n_out = input->n_ids;
    for (size_t i = kept.first; i < kept.first + kept.span; i++)
        if (mask_keeps(input->mask, i))
            add_row(&call->session->pass, input->ids[i],
                    input->types != NULL ? input->types[i] : 0, i - kept.first, i);
    return ENGINE_OK;
}

static engine_status add_input(struct call *call, const engine_input *input, size_t index,
                               engine_result *result)
{
    engine_status status = input->ids != NULL ? add_ids(call, input, index, result)
                                              : add_text(call, input, index, result);
    result->row = answers_per_token(call->answer) ? call->out_rows : index;
    call->out_rows += status == ENGINE_OK ? result->n_tokens : 0;
    return status;
}

static engine_status encode_inputs(struct call *call, const engine_input *inputs, size_t n,
                                   size_t *needed, engine_result *results)
{
    bool per_token = answers_per_token(call->answer);
    engine_error *error = &call->session->error;
    size_t width = call->answer->kind == ANSWER_NOTHING ? 0 : call->answer->width, floats;
    if (__builtin_mul_overflow(n, width, &floats))
        return fail(error, ENGINE_ERROR_ARGUMENT, "%zu inputs are too many", n);
    call->counting = !per_token && call->cap < floats;
    for (size_t i = 0; i < n; i++) {
        engine_result result = {0};
        engine_status status = add_input(call, &inputs[i], i, &result);
        if (status != ENGINE_OK)
            return status;
        if (results != NULL)
            results[i] = result;
    }
    if (per_token && __builtin_mul_overflow(call->out_rows, width, &floats))
        return fail(error, ENGINE_ERROR_ARGUMENT, "%zu tokens are too many", call->out_rows);
    if (needed != NULL)
        *needed = floats;
    if (call->counting)
        return fail(error, ENGINE_ERROR_BUFFER, "the answer takes %zu numbers, the buffer has %zu", floats,
                    call->cap);
    if (call->session->pass.n_sequences > 0)
        run_pass(call);
    return succeed(error);
}

engine_status encode(struct engine_session *session, const engine_input *inputs, size_t n,
                     const struct encode_settings *settings, const struct answer *answer, float *out,
                     size_t cap, size_t *needed, engine_result *results)
{
    struct call call = {.session = session, .settings = settings, .answer = answer, .out = out, .cap = cap};
    if (!session->model->has_encoder)
        return fail(&session->error, ENGINE_ERROR_UNSUPPORTED, "the weight file holds a tokenizer alone");
    if ((inputs == NULL && n > 0) || (out == NULL && cap > 0))
        return fail(&session->error, ENGINE_ERROR_ARGUMENT, "inputs is NULL, or out is NULL and cap is not 0");
    session->pass.n_rows = session->pass.n_sequences = 0;
    return encode_inputs(&call, inputs, n, needed, results);
}

engine_status settle_answer(struct engine_session *session, const struct encode_settings *settings,
                            struct answer *answer)
{
    const struct encoder *encoder = &session->model->encoder;
    enum head_kind head = (enum head_kind)encoder->config.head;
    *answer = (struct answer){
        .kind = settings->pooling == POOLING_NONE ? ANSWER_TOKENS : ANSWER_POOLED,
        .pooling = settings->pooling,
        .project = settings->project,
        .normalize = settings->normalize,
        .width = settings->project ? encoder->output_width : (size_t)encoder->config.width,
    };
    /* A classifier's dense layer is a pooler if it is BERT's: with tanh. */
    bool is_pooler = encoder->head.has_dense &&
                     (head == HEAD_POOLER ||
                      (head == HEAD_SEQUENCE && encoder->head.dense.activation == DENSE_TANH));
    if (settings->pooling == POOLING_POOLER && !is_pooler)
        return fail(&session->error, ENGINE_ERROR_UNSUPPORTED, "the model has no pooler");
    return ENGINE_OK;
}

engine_status engine_encode(engine_session *session, const engine_input *inputs, size_t n,
                            const engine_encode_options *options, float *out, size_t cap,
                            size_t *needed, engine_result *results)
{
    struct encode_settings settings = {0};
    struct answer answer;
    if (session == NULL)
        return ENGINE_ERROR_ARGUMENT;
    engine_status status = settle_options(session, options, &settings);
    if (status == ENGINE_OK)
        status = settle_answer(session, &settings, &answer);
    if (status != ENGINE_OK)
        return status;
    return encode(session, inputs, n, &settings, &answer, out, cap, needed, results);
}
