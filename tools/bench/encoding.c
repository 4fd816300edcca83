/* encoding.c - sessions, calls, and their profile. */
#include "tools/bench/encoding.h"

#include "tools/bench/together.h"
#include "tools/common/options.h"

#include <stdlib.h>

enum { SESSION_TOKENS = 512, TEXT_TOKENS = 4096 };

struct encoding {
    engine_session *session;
    const struct workload *workload;
    engine_encode_options options;
    float *out;
    size_t cap;
    engine_result *results;
};

static void close_encoding(struct encoding *encoding)
{
    engine_session_free(encoding->session);
    free(encoding->out);
    free(encoding->results);
}

static bool open_encoding(struct encoding *encoding, const struct subject *subject,
                          const struct workload *workload, size_t n_threads, bool profile)
{
    size_t tokens = workload->longest > SESSION_TOKENS ? workload->longest : SESSION_TOKENS;
    engine_session_options options = {.n_threads = n_threads, .profile = profile};
    engine_error error;
    options.max_tokens = tokens < subject->info.max_tokens ? tokens : 0;
    *encoding = (struct encoding){.workload = workload, .cap = workload->n * subject->info.width};
    encoding->options.pooling = ENGINE_POOLING_MEAN;
    encoding->options.on_long = ENGINE_ON_LONG_TRUNCATE;
    encoding->out = malloc(encoding->cap * sizeof *encoding->out);
    encoding->results = calloc(workload->n, sizeof *encoding->results);
    if (encoding->out == NULL || encoding->results == NULL) {
        program_note("out of memory");
    } else if (engine_session_new(subject->model, &options, &encoding->session, &error) !=
               ENGINE_OK) {
        program_note("%s: %s", workload->name, error.message);
    } else {
        return true;
    }
    close_encoding(encoding);
    return false;
}

static bool encode_once(void *user)
{
    struct encoding *encoding = user;
    const struct workload *workload = encoding->workload;
    if (engine_encode(encoding->session, workload->inputs, workload->n, &encoding->options,
                      encoding->out, encoding->cap, NULL, encoding->results) == ENGINE_OK)
        return true;
    program_note("%s: %s", workload->name, engine_session_message(encoding->session));
    return false;
}

size_t encoding_threads(const struct subject *subject, size_t n_threads)
{
    engine_session_options options = {.n_threads = n_threads, .max_tokens = 1};
    engine_session *session;
    engine_error error;
    if (engine_session_new(subject->model, &options, &session, &error) != ENGINE_OK) {
        program_note("%s", error.message);
        return 0;
    }
    size_t n = engine_session_threads(session);
    engine_session_free(session);
    return n;
}

/* ---- Profile ---- */

const char *profile_share_name(size_t index)
{
    return index < ENGINE_N_STEPS ? engine_step_name((engine_step)index) : "other";
}

/* The difference of two readings, since the first call warms up. */
static bool take_profile(const struct subject *subject, const struct workload *workload,
                         size_t n_threads, const struct series_length *length,
                         struct profile_shares *profile)
{
    struct encoding encoding;
    engine_profile before, after;
    double elapsed, accounted = 0;
    size_t n = 0;
    if (!open_encoding(&encoding, subject, workload, n_threads, true))
        return false;
    bool done = encode_once(&encoding);
    engine_session_profile(encoding.session, &before);
    double start = now_seconds();
    do {
        done = done && encode_once(&encoding);
        elapsed = now_seconds() - start;
        n++;
    } while (done && (length->n_runs > 0 ? n < length->n_runs : elapsed < length->seconds / 2));
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

bool encoding_time(const struct subject *subject, struct workload *workload, size_t n_threads,
                   const struct series_length *length, struct timing *timing,
                   struct profile_shares *profile)
{
    struct encoding encoding;
    if (!open_encoding(&encoding, subject, workload, n_threads, false))
        return false;
    bool done = series(length, encode_once, &encoding, timing);
    if (done && workload->text != NULL)
        workload_count(workload, encoding.results);
    close_encoding(&encoding);
    return done && (profile == NULL || take_profile(subject, workload, n_threads, length, profile));
}

/* ---- Tokenizing ---- */

struct tokenizing {
    engine_session *session;
    const struct workload *texts;
    engine_token tokens[TEXT_TOKENS];
};

static bool tokenize_once(void *user)
{
    struct tokenizing *tokenizing = user;
    const struct workload *texts = tokenizing->texts;
    for (size_t i = 0; i < texts->n; i++)
        if (engine_tokenize(tokenizing->session, &texts->inputs[i], NULL, tokenizing->tokens,
                            TEXT_TOKENS, NULL, NULL) != ENGINE_OK) {
            program_note("%s: %s", texts->name, engine_session_message(tokenizing->session));
            return false;
        }
    return true;
}

bool tokenizing_rate(const struct subject *subject, const struct workload *texts,
                     const struct series_length *length, double *mb_per_s)
{
    engine_session_options options = {.n_threads = 1, .max_tokens = 1};
    struct tokenizing *tokenizing = malloc(sizeof *tokenizing);
    struct series_length shorter = {length->seconds / 4, length->n_runs};
    struct timing timing = {0};
    engine_error error = {ENGINE_ERROR_MEMORY, "out of memory"};
    bool done = false;
    if (tokenizing == NULL ||
        engine_session_new(subject->model, &options, &tokenizing->session, &error) != ENGINE_OK) {
        program_note("%s: %s", texts->name, error.message);
    } else {
        tokenizing->texts = texts;
        done = series(&shorter, tokenize_once, tokenizing, &timing);
        engine_session_free(tokenizing->session);
    }
    if (done)
        *mb_per_s = 1e-6 * (double)texts->text_bytes / timing.median;
    free(tokenizing);
    return done;
}
