/* metrics.c - what has been served: counts and histograms in the text format of Prometheus, and a
 * line on stderr for each call, without its texts. */
#include "tools/hosts/serve/metrics.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { HUNG_UP = 499, MOST_COUNTED = 256, N_BOUNDS = 16 };

struct histogram {
    const char *name;
    double least, sum; /* bounds are least, 2 * least, 4 * least ... */
    uint64_t n[N_BOUNDS + 1];
};

atomic_size_t queue_tokens;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all counts */
static struct {
    const char *path; /* of the route */
    unsigned status;
    uint64_t n;
} calls[MOST_COUNTED];

enum { SECONDS, WAIT, TEXTS, TOKENS, N_HISTOGRAMS };
static struct histogram histograms[] = {
    [SECONDS] = {.name = "encode_request_seconds", .least = .5e-3},
    [WAIT] = {.name = "encode_queue_seconds", .least = .5e-3},
    [TEXTS] = {.name = "encode_batch_texts", .least = 1},
    [TOKENS] = {.name = "encode_batch_tokens", .least = 4},
};

static void observe(struct histogram *histogram, double value)
{
    size_t i = 0;
    for (double bound = histogram->least; i < N_BOUNDS && value > bound; bound *= 2)
        i++;
    histogram->n[i]++;
    histogram->sum += value;
}

void metrics_add_batch(size_t n_texts, size_t n_tokens)
{
    pthread_mutex_lock(&lock);
    observe(&histograms[TEXTS], (double)n_texts);
    observe(&histograms[TOKENS], (double)n_tokens);
    pthread_mutex_unlock(&lock);
}

void metrics_end_call(const struct call *call, enum log_format format)
{
    static const char *const LINES[] = {
        [LOG_TEXT] = "%s.%03dZ %s %s %u %s texts=%zu cut=%zu tokens=%zu wait_ms=%.3f "
                     "ms=%.3f bytes=%zu\n",
        [LOG_JSON] =
            "{\"time\": \"%s.%03dZ\", \"method\": \"%s\", \"path\": "
            "\"%s\", \"status\": %u, \"model\": \"%s\", \"texts\": %zu, \"cut\": %zu, \"tokens\": "
            "%zu, \"wait_ms\": %.3f, \"ms\": %.3f, \"bytes\": %zu}\n"};
    const struct request *request = &call->request;
    const double seconds = program_seconds() - request->began;
    const double wait = call->started > 0 ? call->started - call->queued : 0;
    const unsigned status = request->is_gone ? HUNG_UP : call->result.status;
    const char *path = request->route ? request->route->path : "other";
    char when[24];
    struct timespec now;
    struct tm parts;
    size_t i = 0;
    pthread_mutex_lock(&lock);
    while (i < MOST_COUNTED - 1 && calls[i].n > 0 &&
           (strcmp(calls[i].path, path) != 0 || calls[i].status != status))
        i++;
    calls[i].path = path;
    calls[i].status = status;
    calls[i].n++;
    observe(&histograms[SECONDS], seconds);
    if (call->started > 0)
        observe(&histograms[WAIT], wait);
    pthread_mutex_unlock(&lock);
    if (format == LOG_NONE)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &parts));
    dprintf(STDERR_FILENO, LINES[format], when, (int)(now.tv_nsec / 1000000), request->method,
            request->path, status, request->model ? request->model->name : "-", request->n_texts,
            request->n_cut, request->n_tokens, 1e3 * wait, 1e3 * seconds, call->result.answer_len);
}

static void write_histogram(FILE *stream, const struct histogram *histogram)
{
    const char *name = histogram->name;
    uint64_t n = 0;
    double bound = histogram->least;
    fprintf(stream, "# TYPE %s histogram\n", name);
    for (size_t i = 0; i < N_BOUNDS; i++, bound *= 2)
        fprintf(stream, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name, bound, n += histogram->n[i]);
    n += histogram->n[N_BOUNDS];
    fprintf(stream, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %.9g\n%s_count %" PRIu64 "\n", name,
            n, name, histogram->sum, name, n);
}

void metrics_write(FILE *stream)
{
    pthread_mutex_lock(&lock);
    fputs("# TYPE encode_requests_total counter\n", stream);
    for (size_t i = 0; i < MOST_COUNTED && calls[i].n > 0; i++)
        fprintf(stream, "encode_requests_total{path=\"%s\",code=\"%u\"} %" PRIu64 "\n",
                calls[i].path, calls[i].status, calls[i].n);
    fprintf(stream, "# TYPE encode_queue_tokens gauge\nencode_queue_tokens %zu\n", queue_tokens);
    for (int i = 0; i < N_HISTOGRAMS; i++)
        write_histogram(stream, &histograms[i]);
    pthread_mutex_unlock(&lock);
}
