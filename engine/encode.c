/* encode.c - engine_encode: shares a call's inputs among the threads, which encode them.
 *
 * Two ways, with the same bits. Many texts: each thread reads the next few inputs, runs them
 * through the model alone, and comes back for more; no thread waits for another until the inputs
 * are used up. Groups become smaller towards the end, so that all threads finish together. Few
 * texts, or one that is longer than a thread's part of the pass: they are collected in one pass,
 * which is cut into a group for each thread or, if that would leave threads idle, is one group
 * whose heads and columns the threads share.
 */
#include "engine/encode.h"

#include "engine/batch.h"
#include "engine/runtime/threads.h"
#include "engine/status.h"

#include <string.h>

enum { LEAST_ROWS = 48 }; /* fewer cost nearly as much: the weights are read once for each group */
enum { FIRST_PAUSE = 1000000, LAST_PAUSE = 64000000 }; /* nanoseconds */

static const struct team ALONE = {0, 1, NULL};

/* rank: of this thread among all of the session's threads */
static struct profile_slot *profile_of(const engine_session *session, size_t rank)
{
    return session->profile != NULL ? &session->profile[rank] : NULL;
}

static void note_not_finite(struct batch *batch, size_t input)
{
    pthread_mutex_lock(&batch->session->lock);
    batch->not_finite = input < batch->not_finite ? input : batch->not_finite;
    pthread_mutex_unlock(&batch->session->lock);
}

static void encode_group(struct batch *batch, const struct group *group, struct team team,
                         size_t rank)
{
    engine_session *session = batch->session;
    struct profile_slot *profile = profile_of(session, rank);
    profile_start(profile);
    forward(session, group, team, profile, rank);
    size_t wrong = answer_group(session, batch->request, group, team, batch->out,
                                &session->pass.works[rank].answer);
    if (wrong != SIZE_MAX)
        note_not_finite(batch, wrong);
    if (team.rank == 0 && batch->request->first_input != ENGINE_QUERY_INPUT &&
        !is_interrupted(session))
        session->n_done += group->n_sequences;
    if (rank == 0)
        session_report(session);
    profile_lap(profile, ENGINE_STEP_ANSWER);
}

/* Waits for all threads before the region ends, whose own wait is not timed. */
static void time_meeting(const struct batch *batch, struct team all)
{
    struct profile_slot *profile = profile_of(batch->session, all.rank);
    if (profile == NULL)
        return;
    team_wait(all);
    profile_lap(profile, ENGINE_STEP_WAIT);
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
    struct profile_slot *profile = profile_of(session, all.rank);
    struct group group;
    profile_start(profile);
    for (;;) {
        pthread_mutex_lock(&session->lock);
        profile_lap(profile, ENGINE_STEP_WAIT);
        batch->profile = profile;
        batch_fill(batch, room * all.rank, next_rows(batch, all.size), room, &group);
        pthread_mutex_unlock(&session->lock);
        if (group.n_sequences == 0)
            break;
        group.index = all.rank;
        encode_group(batch, &group, ALONE, all.rank);
    }
    time_meeting(batch, all);
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
    if (pass->n_groups == 1) {
        encode_group(batch, &pass->groups[0], all, all.rank);
    } else {
        for (size_t g = all.rank; g < pass->n_groups; g += all.size)
            encode_group(batch, &pass->groups[g], ALONE, all.rank);
    }
    time_meeting(batch, all);
}

/* Threads that share a group wait for each other after every step. If other work uses the other
 * processors, Linux wakes a thread on the processor of the thread that wakes it: they take turns on
 * one, and a text of 16 tokens took 2.6 ms instead of 2.1 ms with one thread. So if a pass uses
 * little more than one processor, the next passes use one thread, for 1 ms; then several are tried
 * again; each failed try makes the next pause four times as long, up to 64 ms. */
static void share_group(engine_session *session, size_t n_threads, struct batch *batch)
{
    if (clock_ns(CLOCK_MONOTONIC) < session->alone_until_ns)
        n_threads = 1;
    double n_processors = region_run(n_threads, &session->barrier, share_pass, batch);
    if (n_threads == 1)
        return;
    uint64_t longer = session->pause_ns == 0 ? FIRST_PAUSE : 4 * session->pause_ns;
    session->pause_ns = n_processors > 1.1 ? 0 : longer < LAST_PAUSE ? longer : LAST_PAUSE;
    session->alone_until_ns = clock_ns(CLOCK_MONOTONIC) + session->pause_ns;
}

/* Encodes the next inputs together. Returns false if no input remains or the next is invalid. */
static bool encode_pass(struct batch *batch, size_t n_threads)
{
    engine_session *session = batch->session;
    struct pass *pass = &session->pass;
    size_t most = session->trace != 0 ? 1 : n_threads * ROWS_PER_THREAD;
    struct group whole;
    batch->profile = profile_of(session, 0);
    batch_fill(batch, 0, most, pass->row_cap, &whole);
    if (whole.n_sequences == 0)
        return false;
    pass->n_groups = n_threads;
    if (session->trace == 0 && split_pass(pass, &whole, n_threads)) {
        region_run(n_threads, &session->barrier, share_pass, batch);
        return true;
    }
    pass->n_groups = 1;
    pass->groups[0] = whole;
    share_group(session, n_threads, batch);
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
    batch_begin(batch);
    bool is_alone = n_threads == 1 || batch->session->trace != 0;
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
    if (needed != NULL)
        *needed = floats;
    if (batch->counting)
        return fail(error, ENGINE_ERROR_BUFFER, "the answer takes %zu numbers, the buffer has %zu",
                    floats, batch->cap);
    return succeed(error);
}

engine_status encode(engine_session *session, const engine_input *inputs, size_t n,
                     const struct request *request, float *out, size_t cap, size_t *needed,
                     engine_result *results)
{
    size_t first = request->first_input;
    struct request seen = *request; /* texts are cut if the caller asked for it, or can see it */
    seen.truncate &= seen.truncates_unseen || results != NULL;
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
    struct request request;
    if (!session_begin(session))
        return session_refusal(session);
    engine_status status = request_read(session, options, FOR_VECTORS, &request);
    if (status == ENGINE_OK)
        status = encode(session, inputs, n, &request, out, cap, needed, results);
    return session_end(session, status);
}
