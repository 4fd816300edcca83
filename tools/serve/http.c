/* http.c - see serve.h. A call is made at its first line, receives its body in parts, is read when
 * the body is complete, waits suspended until it has its rows, and is answered. */
#include "tools/common/alloc.h"
#include "tools/common/inputs.h"
#include "tools/serve/serve.h"

#include <malloc.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 4096, MORE_CONNECTIONS = 250, LARGE_BODY = 1 << 18 };

static struct {
    struct MHD_Daemon *daemon;
    enum log_format log;
    double seconds; /* that a client has to send a call */
    atomic_size_t n_calls;
    atomic_bool is_draining, has_ended;
    pthread_mutex_t lock;                  /* of what follows */
    char *keys;                            /* lines; NULL: none is asked for */
    int n_connections, n_descriptors;      /* n_descriptors: the highest one so far, plus 1 */
    double silent_since[MOST_DESCRIPTORS]; /* 0: closed, or a call is open; < 0: minus the time
                                              since which its answer is being sent */
} http = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool http_read_keys(const char *path)
{
    char *keys = NULL;
    size_t len;
    if (path && input_read(path, &keys, &len) != PROGRAM_DONE)
        return false;
    pthread_mutex_lock(&http.lock);
    free(http.keys);
    http.keys = keys;
    pthread_mutex_unlock(&http.lock);
    return true;
}

/* Returns whether a header "Bearer KEY" has one of the keys, in a time that depends on lengths
 * alone. */
static bool is_admitted(const char *authorization)
{
    const bool is_bearer = authorization && strncasecmp(authorization, "Bearer ", 7) == 0;
    const char *text = is_bearer ? authorization + 7 : "";
    const size_t len = strlen(text);
    bool is_one = false;
    pthread_mutex_lock(&http.lock);
    for (const char *key = http.keys; key && *key;) {
        const size_t key_len = strcspn(key, "\r\n");
        unsigned char difference = key_len != len || len == 0;
        for (size_t i = 0; i < len; i++)
            difference |= (unsigned char)(text[i] ^ key[key_len ? i % key_len : 0]);
        is_one |= difference == 0;
        key += key_len + strspn(key + key_len, "\r\n");
    }
    is_one |= !http.keys;
    pthread_mutex_unlock(&http.lock);
    return is_one;
}

static int descriptor_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* A connection has opened or closed, or its call has begun or ended (since: see silent_since).
 * Closes those whose clients have not read their answer in time and, if too many are open, the one
 * that has been silent for the longest time: clients that have something to say say it. */
static void set_silent(int fd, double since, int n_more)
{
    const double now = program_seconds();
    int oldest = -1;
    pthread_mutex_lock(&http.lock);
    http.n_connections += n_more;
    if (fd < MOST_DESCRIPTORS)
        http.silent_since[fd] = since;
    if (fd >= http.n_descriptors)
        http.n_descriptors = fd < MOST_DESCRIPTORS ? fd + 1 : MOST_DESCRIPTORS;
    for (int i = 0; since > 0 && i < http.n_descriptors; i++) {
        const double silent = http.silent_since[i];
        if (silent < 0 && now + silent > http.seconds)
            shutdown(i, SHUT_RDWR);
        if (silent > 0 && (oldest < 0 || silent < http.silent_since[oldest]))
            oldest = i;
    }
    if (n_more > 0 && http.n_connections > MOST_CONNECTIONS && oldest >= 0)
        shutdown(oldest, SHUT_RDWR);
    pthread_mutex_unlock(&http.lock);
}

static void notify_connection(void *unused, struct MHD_Connection *connection, void **state,
                              enum MHD_ConnectionNotificationCode code)
{
    const bool is_new = code == MHD_CONNECTION_NOTIFY_STARTED;
    (void)unused;
    (void)state;
    set_silent(descriptor_of(connection), is_new ? program_seconds() : 0, is_new ? 1 : -1);
}

/* Makes the call, and finds out what is wrong with it before its body is read. */
static struct call *begin_call(struct MHD_Connection *connection, const char *url,
                               const char *method)
{
    struct call *call = alloc_zeros(1, sizeof *call);
    atomic_fetch_add(&http.n_calls, 1);
    call->connection = connection;
    call->models = models_borrow();
    call->options = ENGINE_ENCODE_OPTIONS();
    call->began = program_seconds();
    set_silent(descriptor_of(connection), call->began, 0);
    snprintf(call->method, sizeof call->method, "%s",
             method[strspn(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] ? "?" : method);
    snprintf(call->path, sizeof call->path, "%s", url);
    for (char *c = call->path; *c; c++)
        *c = (signed char)*c < ' ' || *c == '"' || *c == '\\' || *c == '\x7f' ? '?' : *c;
    const char *key = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    if (call_find_route(call) && call->route->work != WORK_OPEN && !is_admitted(key))
        call_fail(call, FAULT_KEY, "the API key is missing or wrong (Authorization: Bearer KEY)");
    return call;
}

/* The body of a call that has failed is read and dropped, so that the client gets the error. */
static void receive(struct call *call, const char *data, size_t len)
{
    if (call->fault == FAULT_NONE && call->body_len + len > MOST_BODY_BYTES)
        call_fail(call, FAULT_LARGE, "the body has more than %d bytes", MOST_BODY_BYTES);
    if (call->fault != FAULT_NONE)
        return;
    if (call->body_len + len > call->body_cap) {
        const size_t n_more = 2 * len + call->body_len;
        call->body = alloc_resize(call->body, call->body_cap += n_more, 1);
        call->n_held += n_more;
        queue_held += n_more;
        if (queue_held > MOST_HELD)
            call_fail(call, FAULT_BUSY, "the server is busy; try again later");
    }
    memcpy(call->body + call->body_len, data, len);
    call->body_len += len;
}

/* A client may read for as long as it may send. */
static enum MHD_Result send_answer(struct call *call)
{
    char number[24];
    call_answer(call);
    json_decref(call->json);
    free(call->rows);
    call->json = NULL;
    call->rows = NULL;
    call->n_held += call->answer_len;
    queue_held += call->answer_len;
    set_silent(descriptor_of(call->connection), -program_seconds(), 0);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(call->answer_len, call->answer, MHD_RESPMEM_MUST_FREE);
    if (!response)
        return MHD_NO;
    call->answer = NULL;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, call->type);
    if (call->fault == FAULT_BUSY || call->fault == FAULT_ENDING)
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    if (call->fault == FAULT_KEY)
        MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    if (call->fault == FAULT_METHOD)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, call->allowed);
    snprintf(number, sizeof number, "%zu", call->n_cut);
    if (call->n_cut > 0 && call->fault == FAULT_NONE)
        MHD_add_response_header(response, "X-Truncated-Texts", number);
    if (http.is_draining)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    const enum MHD_Result result = MHD_queue_response(call->connection, call->status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result handle(void *unused, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *len, void **state)
{
    struct call *call = *state;
    (void)unused;
    (void)version;
    if (!call) {
        *state = call = begin_call(connection, url, method);
        return MHD_YES;
    }
    if (*len > 0) {
        receive(call, data, *len);
        *len = 0;
        return program_seconds() - call->began < http.seconds ? MHD_YES : MHD_NO;
    }
    if (call->queued > 0) /* it comes back from the queue */
        return call->is_gone ? MHD_NO : send_answer(call);
    set_silent(descriptor_of(connection), 0, 0);
    if (http.has_ended) /* nothing may be suspended any more */
        call_fail(call, FAULT_ENDING, "the server is ending");
    if (call->fault != FAULT_NONE || !call_read(call) || call->width == 0 || call->rows ||
        !queue_admit(call))
        return send_answer(call);
    MHD_suspend_connection(connection);
    queue_add(call);
    return MHD_YES;
}

static void end_call(void *unused, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode code)
{
    struct call *call = *state;
    (void)unused;
    if (!call)
        return;
    set_silent(descriptor_of(connection), program_seconds(), 0);
    call->is_gone |= code != MHD_REQUEST_TERMINATED_COMPLETED_OK;
    metrics_end_call(call, http.log);
    queue_held -= call->n_held;
    json_decref(call->json);
    models_return(call->models);
    free(call->body);
    free(call->texts);
    free(call->tokens);
    free(call->rows);
    if (call->body_len > LARGE_BODY)
        malloc_trim(0); /* what parsed JSON took goes back to Linux */
    free(call);
    atomic_fetch_sub(&http.n_calls, 1);
}

void http_start(int socket, const struct serve_options *options)
{
    http.log = options->log;
    http.seconds = (double)options->timeout;
    http.daemon = MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL,
        handle, NULL, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_THREAD_POOL_SIZE,
        (unsigned)HTTP_THREADS, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)(MOST_CONNECTIONS + MORE_CONNECTIONS), MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)options->timeout, MHD_OPTION_NOTIFY_COMPLETED, end_call, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, notify_connection, NULL, MHD_OPTION_END);
    if (!http.daemon)
        program_die("cannot start the HTTP server: too few descriptors, threads or memory");
}

/* A call that begins after has_ended is set is not suspended; calls before are waited for. */
bool http_drain(void)
{
    if (!atomic_exchange(&http.is_draining, true))
        close(MHD_quiesce_daemon(http.daemon));
    if (http.n_calls > 0 || !atomic_exchange(&http.has_ended, true))
        return false;
    MHD_stop_daemon(http.daemon);
    return true;
}
