/* encode.c - engine_encode: shares a call's inputs among the threads, which take them through the
 * model.
 *
 * Two ways, with the same bits. Many texts: each thread takes the next few inputs, goes through the
 * model with them alone, and comes back for more; nobody waits for anybody until the inputs are
 * used up. What a thread takes becomes smaller towards the end, so that all get there together. Few
 * texts, or one that is longer than a thread's part of the pass: they are gathered in one pass,
 * which is cut into a group for each thread, or, where that would leave threads idle, is one group
 * whose heads and columns the threads share.
 */
#include "engine/encode.h"

#include "engine/call.h"
#include "engine/forward.h"
#include "engine/status.h"

enum { LEAST_ROWS = 48 }; /* fewer cost nearly as much: the weights are read once for each group */

static const struct team ALONE = {0, 1, NULL};

/* rank: of this thread among all that the session has. */
static struct profile_slot *profile_of(const struct engine_session *session, size_t rank)
{
    return session->profile != NULL ? &session->profile[rank] : NULL;
}

static void walk_group(const struct call *call, const struct group *group, struct team team,
                       size_t rank)
{
    const struct engine_session *session = call->session;
    const struct sequence *sequences = &session->pass.sequences[group->sequence];
    struct profile_slot *profile = profile_of(session, rank);
    float *scratch = session->pass.scratch + rank * session->pass.scratch_floats;
    profile_start(profile);
    forward(session, group, team, profile, scratch);
    struct share share = team_share(team, group->n_sequences);
    for (size_t i = share.begin; i < share.end; i++)
        answer_write(session, call->answer, &sequences[i], call->out, scratch);
    profile_lap(profile, ENGINE_STEP_ANSWER);
}

/* Workers meet at the end of a job by themselves, but then the call may be gone: its time is taken
 * before. */
static void time_meeting(const struct call *call, struct team all)
{
    struct profile_slot *profile = profile_of(call->session, all.rank);
    if (profile == NULL)
        return;
    team_wait(all);
    profile_lap(profile, ENGINE_STEP_WAIT);
}

/* ---- Many texts ---- */

/* Rows that the next group should have. */
static size_t next_rows(const struct call *call, size_t n_threads)
{
    size_t rows = call_rows_left(call) / n_threads;
    return rows < LEAST_ROWS ? LEAST_ROWS : rows < ROWS_PER_THREAD ? rows : ROWS_PER_THREAD;
}

static void take_and_walk(void *user, struct team all)
{
    struct call *call = user;
    struct engine_session *session = call->session;
    size_t room = session->pass.row_cap / session->n_threads;
    struct profile_slot *profile = profile_of(session, all.rank);
    struct group group;
    profile_start(profile);
    for (;;) {
        pthread_mutex_lock(&session->lock);
        profile_lap(profile, ENGINE_STEP_WAIT);
        call->profile = profile;
        call_take(call, room * all.rank, next_rows(call, all.size), room, &group);
        pthread_mutex_unlock(&session->lock);
        if (group.n_sequences == 0)
            break;
        walk_group(call, &group, ALONE, all.rank);
    }
    time_meeting(call, all);
}

/* ---- Few texts ---- */

/* Cuts the pass into one group per thread of about equally many rows, in order. False if that would
 * leave threads with little to do. */
static bool split_pass(struct pass *pass, const struct group *whole, size_t n_groups)
{
    size_t row = 0, sequence = 0, largest = 0;
    if (n_groups < 2 || whole->n_sequences < n_groups)
        return false;
    for (size_t g = 0; g < n_groups; g++) {
        struct group *group = &pass->groups[g];
        size_t goal = whole->n_rows * (g + 1) / n_groups;
        *group = (struct group){.sequence = sequence, .row = row};
        while (sequence < whole->n_sequences &&
               (g + 1 == n_groups || row + pass->sequences[sequence].n_rows / 2 < goal))
            row += pass->sequences[sequence++].n_rows;
        group->n_sequences = sequence - group->sequence;
        group->n_rows = row - group->row;
        largest = group->n_rows > largest ? group->n_rows : largest;
    }
    return largest * n_groups * 4 <= whole->n_rows * 5;
}

/* One thread's part of the pass: its group, or its share of the only one. */
static void share_pass(void *user, struct team all)
{
    const struct call *call = user;
    const struct pass *pass = &call->session->pass;
    if (pass->n_groups == 1)
        walk_group(call, &pass->groups[0], all, all.rank);
    else
        walk_group(call, &pass->groups[all.rank], ALONE, all.rank);
    time_meeting(call, all);
}

/* Takes the next inputs and encodes them together. False: there is none, or it is wrong. */
static bool encode_pass(struct call *call, size_t n_threads)
{
    struct pass *pass = &call->session->pass;
    size_t most = call->session->trace != 0 ? 1 : n_threads * ROWS_PER_THREAD;
    struct group whole;
    call->profile = profile_of(call->session, 0);
    call_take(call, 0, most, pass->row_cap, &whole);
    if (whole.n_sequences == 0)
        return false;
    pass->n_groups = n_threads;
    if (call->session->trace != 0 || !split_pass(pass, &whole, n_threads)) {
        pass->n_groups = 1;
        pass->groups[0] = whole;
    }
    workers_run(&call->session->workers, share_pass, call);
    return true;
}

/* ---- All of them ---- */

static bool are_many(const struct call *call, size_t n_threads)
{
    return n_threads > 1 && call->session->trace == 0 && call->n - call->next > n_threads &&
           call_rows_left(call) > n_threads * ROWS_PER_THREAD;
}

static engine_status encode_inputs(struct call *call, size_t *needed)
{
    engine_error *error = &call->session->error;
    size_t width = call->answer->kind == ANSWER_NOTHING ? 0 : call->answer->width, floats;
    size_t n_threads = workers_team(&call->session->workers);
    bool per_token = answers_per_token(call->answer);
    if (__builtin_mul_overflow(call->n, width, &floats))
        return fail(error, ENGINE_ERROR_ARGUMENT, "%zu inputs are too many", call->n);
    call->counting = !per_token && call->cap < floats;
    call_begin(call);
    do { /* threads leave off before a text that is too long for one of them: that is for all, in a
            pass */
        if (!call->counting && are_many(call, n_threads))
            workers_run(&call->session->workers, take_and_walk, call);
    } while (encode_pass(call, n_threads));
    if (call->status != ENGINE_OK)
        return call->status;
    if (per_token && __builtin_mul_overflow(call->out_rows, width, &floats))
        return fail(error, ENGINE_ERROR_ARGUMENT, "%zu tokens are too many", call->out_rows);
    if (needed != NULL)
        *needed = floats;
    if (call->counting)
        return fail(error, ENGINE_ERROR_BUFFER, "the answer takes %zu numbers, the buffer has %zu",
                    floats, call->cap);
    return succeed(error);
}

engine_status encode(struct engine_session *session, const engine_input *inputs, size_t n,
                     const struct encode_settings *settings, const struct answer *answer,
                     float *out, size_t cap, size_t *needed, engine_result *results)
{
    struct call call = {
        .session = session,
        .settings = settings,
        .answer = answer,
        .inputs = inputs,
        .n = n,
        .results = results,
        .out = out,
        .cap = cap,
    };
    if (!session->model->has_encoder)
        return fail(&session->error, ENGINE_ERROR_UNSUPPORTED,
                    "the weight file holds a tokenizer alone");
    if ((inputs == NULL && n > 0) || (out == NULL && cap > 0))
        return fail(&session->error, ENGINE_ERROR_ARGUMENT,
                    "inputs is NULL, or out is NULL and cap is not 0");
    return encode_inputs(&call, needed);
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
    enum dense_activation dense = encoder->head.dense.activation;
    bool is_pooler = (head == HEAD_POOLER && dense != DENSE_NONE) ||
                     (head == HEAD_SEQUENCE && dense == DENSE_TANH &&
                      encoder->config.head_pooling == POOLING_CLS);
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
