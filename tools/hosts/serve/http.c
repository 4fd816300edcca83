/* http.c - see serve.h. A call is made at its first line, receives its body in parts, is read when
 * the body is complete, waits suspended until it has its rows, and is answered. */
#include "tools/common/alloc.h"
#include "tools/common/inputs.h"
#include "tools/hosts/serve/serve.h"

#include <malloc.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LONG_BODY = 1 << 14, LARGE_BODY = 1 << 18 };

/* The page runs its own script and style, by their SHA-256, and calls this server alone. */
#define PAGE_POLICY                                                                                \
    "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; "                \
    "frame-ancestors 'none'; style-src 'sha256-Bpx0O2jCza6wnZ4/VM5JszF8IthwtyECHAhs+Tj+5To='; "    \
    "script-src 'sha256-G1Yubi9XR9CvJxxKtVNkqT/hwWcQz5i9Y7ObnVB0l6Y='"

static struct {
    struct MHD_Daemon *daemon;
    enum log_format log;
    atomic_size_t n_calls;
    atomic_bool is_draining, has_ended;
} http;

static int descriptor_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static void notify_connection(void *unused, struct MHD_Connection *connection, void **state,
                              enum MHD_ConnectionNotificationCode code)
{
    (void)unused;
    (void)state;
    clients_set(descriptor_of(connection),
                code == MHD_CONNECTION_NOTIFY_STARTED ? PHASE_SENDS : PHASE_CLOSED);
}

struct headers {
    size_t n_hosts, n_lengths, n_codings;
    bool is_wrong;
};

/* libmicrohttpd 0.9 joins a folded line to the one before, and leaves its value elsewhere than
 * after its name; 1.0 refuses it by itself. */
static enum MHD_Result look_at_header(void *user, enum MHD_ValueKind kind, const char *name,
                                      const char *value)
{
    struct headers *headers = user;
    const char *at = name + strlen(name) + 1;
    (void)kind;
    headers->n_hosts += strcasecmp(name, "Host") == 0;
    headers->n_lengths += strcasecmp(name, "Content-Length") == 0;
    if (strcasecmp(name, "Transfer-Encoding") == 0) {
        headers->n_codings++;
        headers->is_wrong |= strcasecmp(value, "chunked") != 0;
    }
    if (MHD_get_version()[0] == '0')
        headers->is_wrong |= value && value != at + strspn(at, " \t");
    return MHD_YES;
}

/* Refuses what a proxy in between may read in another way, and calls of pages of other sites. */
static bool check_headers(struct call *call)
{
    const char *host =
        MHD_lookup_connection_value(call->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    const char *origin = MHD_lookup_connection_value(call->connection, MHD_HEADER_KIND, "Origin");
    struct headers headers = {0};
    call->origin = access_shares(origin) ? origin : NULL;
    MHD_get_connection_values(call->connection, MHD_HEADER_KIND, look_at_header, &headers);
    if (headers.is_wrong || headers.n_hosts > 1 || headers.n_lengths + headers.n_codings > 1)
        return call_fail(call, FAULT_REQUEST,
                         "the headers are folded, or have two hosts or two "
                         "lengths of the body");
    return access_allows(host, origin) ||
           call_fail(call, FAULT_SITE,
                     "Host or Origin is of another site than this machine (see --allow-host)");
}

/* Makes the call, and finds out what is wrong with it before its body is read. */
static struct call *begin_call(struct MHD_Connection *connection, const char *url,
                               const char *method)
{
    struct call *call = alloc_zeros(1, sizeof *call);
    atomic_fetch_add(&http.n_calls, 1);
    call->connection = connection;
    call->fd = descriptor_of(connection);
    call->models = models_borrow();
    call->options = ENGINE_ENCODE_OPTIONS();
    call->began = program_seconds();
    clients_set(call->fd, PHASE_SENDS);
    snprintf(call->method, sizeof call->method, "%s",
             method[strspn(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] ? "?" : method);
    snprintf(call->path, sizeof call->path, "%s", url);
    for (char *c = call->path; *c; c++)
        *c = (signed char)*c < ' ' || *c == '"' || *c == '\\' || *c == '\x7f' ? '?' : *c;
    const char *key = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    const bool has_route = call_find_route(call);
    if (check_headers(call) && has_route && call->route->work != WORK_OPEN && !access_has_key(key))
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
        if (!call_hold(call, n_more))
            return;
        call->body = alloc_resize(call->body, call->body_cap += n_more, 1);
    }
    memcpy(call->body + call->body_len, data, len);
    call->body_len += len;
}

/* Frees all of a call but its answer. */
static void free_work(struct call *call)
{
    json_decref(call->json);
    free(call->body);
    free(call->texts);
    free(call->tokens);
    free(call->rows);
    call->json = NULL;
    call->body = NULL;
    call->texts = NULL;
    call->tokens = NULL;
    call->rows = NULL;
    call_keep(call, call->answer_len);
    if (call->body_len > LARGE_BODY)
        malloc_trim(0); /* what parsed JSON took goes back to Linux */
}

/* Lets a page of this machine read the answer (CORS). A browser asks first, by OPTIONS, and gets
 * the methods and headers that it may send. */
static void share_answer(const struct call *call, struct MHD_Response *response)
{
    if (!call->origin)
        return;
    MHD_add_response_header(response, "Access-Control-Allow-Origin", call->origin);
    MHD_add_response_header(response, "Vary", "Origin");
    if (call->status != MHD_HTTP_NO_CONTENT)
        return;
    MHD_add_response_header(response, "Access-Control-Allow-Methods", call->allowed);
    MHD_add_response_header(response, "Access-Control-Allow-Headers",
                            "Authorization, Content-Type");
}

static enum MHD_Result send_answer(struct call *call)
{
    char number[24];
    if (call->fault == FAULT_NONE)
        call_hold_answer(call);
    call_answer(call);
    if (call->origin && call->fault == FAULT_METHOD && strcmp(call->method, "OPTIONS") == 0) {
        call->status = MHD_HTTP_NO_CONTENT;
        call->answer_len = 0;
    }
    free_work(call);
    clients_set(call->fd, PHASE_READS);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(call->answer_len, call->answer, MHD_RESPMEM_MUST_FREE);
    if (!response)
        return MHD_NO;
    call->answer = NULL;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, call->type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    share_answer(call, response);
    if (strncmp(call->type, "text/html", 9) == 0)
        MHD_add_response_header(response, "Content-Security-Policy", PAGE_POLICY);
    if (call->fault == FAULT_BUSY || call->fault == FAULT_ENDING)
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    if (call->fault == FAULT_KEY)
        MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    if (call->fault == FAULT_METHOD)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, call->allowed);
    snprintf(number, sizeof number, "%zu", call->n_cut);
    if (call->n_cut > 0 && call->fault == FAULT_NONE)
        MHD_add_response_header(response, "X-Truncated-Texts", number);
    if (http.is_draining || call->fault == FAULT_REQUEST)
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
        return call->fault == FAULT_REQUEST ? send_answer(call) : MHD_YES;
    }
    if (*len > 0) {
        receive(call, data, *len);
        *len = 0;
        return MHD_YES;
    }
    if (call->queued > 0) /* it comes back from the queue */
        return call->is_gone ? MHD_NO : send_answer(call);
    clients_set(call->fd, PHASE_WAITS);
    if (http.has_ended) /* nothing may be suspended any more */
        call_fail(call, FAULT_ENDING, "the server is ending");
    const bool is_long = call->body_len > LONG_BODY; /* and may take seconds */
    if (call->fault != FAULT_NONE || (!is_long && !queue_admit(call)))
        return call->is_gone ? MHD_NO : send_answer(call);
    MHD_suspend_connection(connection);
    (is_long ? queue_read : queue_add)(call);
    return MHD_YES;
}

static void end_call(void *unused, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode code)
{
    struct call *call = *state;
    (void)unused;
    (void)connection;
    if (!call)
        return;
    call->is_gone |= code != MHD_REQUEST_TERMINATED_COMPLETED_OK;
    metrics_end_call(call, http.log);
    models_return(call->models);
    call->answer_len = 0;
    free_work(call);
    clients_set(call->fd, PHASE_SENDS);
    free(call);
    atomic_fetch_sub(&http.n_calls, 1);
}

void http_start(int socket, const struct serve_options *options)
{
    http.log = options->log;
    access_start(socket, options);
    http.daemon = MHD_start_daemon(
        MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL,
        handle, NULL, MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_THREAD_POOL_SIZE,
        (unsigned)HTTP_THREADS, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)clients_start((double)options->timeout), MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_NOTIFY_COMPLETED, end_call, NULL, MHD_OPTION_NOTIFY_CONNECTION,
        notify_connection, NULL, MHD_OPTION_END);
    if (!http.daemon)
        program_die("cannot start the HTTP server: too few descriptors, threads or memory");
}

bool http_is_draining(void)
{
    return http.is_draining;
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
