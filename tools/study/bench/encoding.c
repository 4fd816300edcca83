/* encoding.c - sessions, calls, and their profile. */
#include "tools/study/bench/encoding.h"

#include "tools/common/alloc.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Series: a call is repeated. Quantiles between two samples are their weighted mean (type 7 of
 * ---- Hyndman and Fan 1996) ---- */

enum { RUNS_LEAST = 3, RUNS_MOST = 100000 };

static const double LONG_RUN = 3; /* seconds */

static int compare_times(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t n, double share)
{
    double rank = share * (double)(n - 1);
    size_t below = (size_t)rank, above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (rank - (double)below) * (sorted[above] - sorted[below]);
}

struct timing timing_of(double *samples, size_t n)
{
    qsort(samples, n, sizeof *samples, compare_times);
    double median = quantile(samples, n, 0.5);
    return (struct timing){
        .n_runs = n,
        .median = median,
        .min = samples[0],
        .spread = (quantile(samples, n, 0.75) - quantile(samples, n, 0.25)) / median,
    };
}

/* Calls once() for warming up, then as often as the length says. If once() returns false, after a
 * message, this function does too. */
static bool time_series(struct series_length length, bool (*once)(void *user), void *user,
                        struct timing *timing)
{
    double *samples = alloc_zeros(RUNS_MOST, sizeof *samples), start = program_seconds();
    size_t n = 0;
    bool done = once(user);
    double first = program_seconds() - start, begin = program_seconds();
    size_t least = length.n_runs > 0 ? length.n_runs : first > LONG_RUN ? 1 : RUNS_LEAST;
    while (done && n < RUNS_MOST &&
           (n < least || (length.n_runs == 0 && program_seconds() - begin < length.seconds))) {
        start = program_seconds();
        done = once(user);
        samples[n++] = program_seconds() - start;
    }
    if (done)
        *timing = timing_of(samples, n);
    free(samples);
    return done;
}

/* ---- Calls ---- */

enum { SESSION_TOKENS = 512 };

struct timed_session {
    engine_session *session;
    const struct workload *workload;
    float *out;
    size_t cap;
};

static void close_encoding(struct timed_session *encoding)
{
    engine_session_free(encoding->session);
    free(encoding->out);
}

static bool open_encoding(struct timed_session *encoding, const struct subject *subject,
                          const struct workload *workload, size_t n_threads, bool profile)
{
    size_t tokens = workload->longest > SESSION_TOKENS ? workload->longest : SESSION_TOKENS;
    engine_session_options options =
        ENGINE_SESSION_OPTIONS(.n_threads = n_threads, .profile = profile);
    engine_error error;
    options.max_tokens = tokens < subject->info.max_tokens ? tokens : 0;
    *encoding =
        (struct timed_session){.workload = workload, .cap = workload->n * subject->info.width};
    encoding->out = alloc_zeros(encoding->cap, sizeof *encoding->out);
    if (engine_session_new(subject->model, &options, &encoding->session, &error) == ENGINE_OK)
        return true;
    close_encoding(encoding);
    return program_refuse("%s: %s", workload->name, error.message);
}

static bool encode_once(void *user)
{
    const engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN, .on_long = ENGINE_ON_LONG_TRUNCATE);
    struct timed_session *encoding = user;
    const struct workload *workload = encoding->workload;
    return engine_encode(encoding->session, workload->inputs, workload->n, &options, encoding->out,
                         encoding->cap, NULL, NULL) == ENGINE_OK ||
           program_refuse("%s: %s", workload->name, engine_session_message(encoding->session));
}

bool encoding_time(const struct subject *subject, const struct workload *workload,
                   size_t *n_threads, struct series_length length, struct timing *timing)
{
    struct timed_session encoding;
    if (!open_encoding(&encoding, subject, workload, *n_threads, false))
        return false;
    const size_t has = engine_session_threads(encoding.session);
    if (has != *n_threads)
        program_note("%zu threads asked, the session has %zu", *n_threads, has);
    *n_threads = has;
    bool done = time_series(length, encode_once, &encoding, timing);
    close_encoding(&encoding);
    return done;
}

float *encoding_vectors(const struct subject *subject, const struct workload *workload)
{
    struct timed_session encoding;
    if (!open_encoding(&encoding, subject, workload, 0, false))
        return NULL;
    const bool done = encode_once(&encoding);
    float *out = encoding.out;
    encoding.out = NULL;
    close_encoding(&encoding);
    if (!done)
        free(out);
    return done ? out : NULL;
}

/* ---- Profile ---- */

const char *profile_share_name(size_t index)
{
    return index < ENGINE_N_STEPS ? engine_step_name((engine_step)index) : "other";
}

/* The first call warms up: the profile is the difference of two readings. */
bool encoding_profile(const struct subject *subject, const struct workload *workload,
                      size_t n_threads, struct series_length length, struct profile_shares *profile)
{
    struct timed_session encoding;
    engine_profile before, after;
    double elapsed, accounted = 0;
    size_t n = 0;
    if (!open_encoding(&encoding, subject, workload, n_threads, true))
        return false;
    bool done = encode_once(&encoding);
    engine_session_profile(encoding.session, &before);
    double start = program_seconds();
    do {
        done = done && encode_once(&encoding);
        elapsed = program_seconds() - start;
        n++;
    } while (done && (length.n_runs > 0 ? n < length.n_runs : elapsed < length.seconds / 2));
    engine_session_profile(encoding.session, &after);
    double all = elapsed * (double)engine_session_threads(encoding.session);
    for (size_t i = 0; i < ENGINE_N_STEPS; i++) {
        profile->share[i] = 1e-9 * (double)(after.ns[i] - before.ns[i]) / all;
        accounted += profile->share[i];
    }
    profile->share[ENGINE_N_STEPS] = 1 - accounted;
    close_encoding(&encoding);
    return done;
}
