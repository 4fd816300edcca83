/* http.c - see http.h. A call is made at its first line, receives its body in parts, is read when
 * the body is complete, waits suspended until it has its rows, and is answered. */
#include "tools/hosts/serve/http.h"
#include "tools/common/alloc.h"
#include "tools/hosts/serve/access.h"
#include "tools/hosts/serve/answers.h"
#include "tools/hosts/serve/metrics.h"
#include "tools/hosts/serve/queue.h"

#include <malloc.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LONG_BODY = 1 << 14, LARGE_BODY = 1 << 18 };

/* The page has the script and the style of this server, and calls it alone. */
#define PAGE_POLICY                                                                                \
    "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self'; img-src data:; " \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static struct {
    struct MHD_Daemon *daemon;
    enum log_format log;
    atomic_size_t n_calls;
    atomic_bool has_ended;
} http;
atomic_bool http_is_draining;

static int descriptor_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static void notify_connection(void *unused, struct MHD_Connection *connection, void **state,
                              enum MHD_ConnectionNotificationCode code)
{
    (void)unused, (void)state;
    clients_set(descriptor_of(connection),
                code == MHD_CONNECTION_NOTIFY_STARTED ? PHASE_SENDS : PHASE_CLOSED);
}

struct headers {
    size_t n_hosts, n_lengths; /* of the body: a coding is one, too */
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
    headers->n_lengths +=
        strcasecmp(name, "Content-Length") == 0 || strcasecmp(name, "Transfer-Encoding") == 0;
    if (strcasecmp(name, "Transfer-Encoding") == 0)
        headers->is_wrong |= strcasecmp(value, "chunked") != 0;
    if (MHD_get_version()[0] == '0')
        headers->is_wrong |= value && value != at + strspn(at, " \t");
    return MHD_YES;
}

/* Sets the route, the dialect and the methods of the path. */
static bool find_route(struct request *request)
{
    const char *method = strcmp(request->method, "HEAD") == 0 ? "GET" : request->method;
    const char *path = request->path;
    const struct route *route = request->route = route_find(method, path, NULL);
    request->dialect = route                            ? route->dialect
                       : strncmp(path, "/api/", 5) == 0 ? DIALECT_OLLAMA
                       : strncmp(path, "/v1/", 4) == 0  ? DIALECT_OPENAI
                       : strncmp(path, "/v2/", 4) == 0  ? DIALECT_COHERE
                                                        : DIALECT_TEI;
    if (!route)
        return request_fail(request, FAULT_PATH, "nothing is served at %s", path);
    request->allowed = strcmp(route->path, "/") == 0       ? "GET, HEAD, POST"
                       : strcmp(route->method, "GET") == 0 ? "GET, HEAD"
                                                           : "POST";
    return strcmp(route->method, method) == 0 ||
           request_fail(request, FAULT_METHOD, "%s takes %s, not %s", path, request->allowed,
                        request->method);
}

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Refuses what a proxy in between may read in another way, and calls of pages of other sites. */
static bool check_headers(struct MHD_Connection *connection, struct request *request)
{
    const char *origin = header_of(connection, "Origin");
    struct headers headers = {0};
    request->origin = access_shares(origin) ? origin : NULL;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, look_at_header, &headers);
    if (headers.is_wrong || headers.n_hosts > 1 || headers.n_lengths > 1)
        return request_fail(request, FAULT_REQUEST,
                            "the headers are folded, or have two hosts or two lengths of the body");
    return access_allows(header_of(connection, MHD_HTTP_HEADER_HOST), origin) ||
           request_fail(request, FAULT_SITE,
                        "the header Host or Origin names another machine than this one: call the "
                        "server as localhost, or start it with --allow-host NAME, or --cors ORIGIN "
                        "for the pages "
                        "of a site");
}

/* Makes the call, and finds out what is wrong with it before its body is read. */
static struct call *begin_call(struct MHD_Connection *connection, const char *url,
                               const char *method)
{
    struct call *call = alloc_zeros(1, sizeof *call);
    struct request *request = &call->request;
    atomic_fetch_add(&http.n_calls, 1);
    call->connection = connection;
    request->fd = descriptor_of(connection);
    request->models = models_borrow();
    request->options = ENGINE_ENCODE_OPTIONS();
    request->types = 1 << TYPE_FLOAT;
    request->began = program_seconds();
    clients_set(request->fd, PHASE_SENDS);
    snprintf(request->method, sizeof request->method, "%s",
             method[strspn(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] ? "?" : method);
    snprintf(request->path, sizeof request->path, "%s", url);
    for (char *c = request->path; *c; c++)
        *c = (signed char)*c < ' ' || *c == '"' || *c == '\\' || *c == '\x7f' ? '?' : *c;
    const bool has_route = find_route(request);
    if (check_headers(connection, request) && has_route && request->route->work != WORK_OPEN &&
        !access_has_key(header_of(connection, "Authorization")))
        request_fail(request, FAULT_KEY,
                     "the API key is missing or wrong (Authorization: Bearer KEY)");
    return call;
}

/* The body of a request that has failed is read and dropped, so that the client gets the error. */
static void receive(struct request *request, const char *data, size_t len)
{
    const size_t n_more = 2 * len + request->body_len;
    if (request->fault == FAULT_NONE && request->body_len + len > MOST_BODY_BYTES)
        request_fail(request, FAULT_LARGE, "the body has more than %d bytes", MOST_BODY_BYTES);
    if (request->fault == FAULT_NONE && request->body_len + len > request->body_cap &&
        request_hold(request, request->n_held + n_more))
        request->body = alloc_resize(request->body, request->body_cap += n_more, 1);
    if (request->fault != FAULT_NONE)
        return;
    memcpy(request->body + request->body_len, data, len);
    request->body_len += len;
}

/* Frees all of a call but its answer, which n bytes are counted for. */
static void free_work(struct call *call, size_t n)
{
    struct request *request = &call->request;
    json_decref(request->json);
    free(request->body);
    free(request->texts);
    free(request->tokens);
    free(call->result.rows);
    request->json = NULL;
    request->body = NULL;
    request->texts = NULL;
    request->tokens = NULL;
    call->result.rows = NULL;
    request_hold(request, n);
    if (request->body_len > LARGE_BODY)
        malloc_trim(0); /* what parsed JSON took goes back to Linux */
}

/* A page of this machine may read the answer (CORS). Its browser asks first, by OPTIONS, and gets
 * the methods and headers that the page may send. */
static void add_headers(struct MHD_Response *response, const struct request *request,
                        const struct result *result)
{
    const enum fault fault = request->fault;
    const bool is_asked = result->status == MHD_HTTP_NO_CONTENT;
    char n_cut[24];
    snprintf(n_cut, sizeof n_cut, "%zu", request->n_cut);
    const struct {
        bool is_sent;
        const char *name, *value;
    } headers[] = {
        {true, MHD_HTTP_HEADER_CONTENT_TYPE, result->type},
        {true, "X-Content-Type-Options", "nosniff"},
        {request->origin, "Access-Control-Allow-Origin", request->origin},
        {request->origin, "Vary", "Origin"},
        {is_asked, "Access-Control-Allow-Methods", request->allowed},
        {is_asked, "Access-Control-Allow-Headers", "Authorization, Content-Type"},
        {strncmp(result->type, "text/html", 9) == 0, "Content-Security-Policy", PAGE_POLICY},
        {fault == FAULT_BUSY || fault == FAULT_ENDING, MHD_HTTP_HEADER_RETRY_AFTER, "1"},
        {fault == FAULT_KEY, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer"},
        {fault == FAULT_METHOD, MHD_HTTP_HEADER_ALLOW, request->allowed},
        {fault == FAULT_NONE && request->n_cut > 0, "X-Truncated-Texts", n_cut},
        {fault == FAULT_REQUEST || http_is_draining, MHD_HTTP_HEADER_CONNECTION, "close"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (headers[i].is_sent)
            MHD_add_response_header(response, headers[i].name, headers[i].value);
}

static enum MHD_Result send_answer(struct call *call)
{
    struct request *request = &call->request;
    struct result *result = &call->result;
    if (request->fault == FAULT_NONE && request->work == WORK_SPARSE)
        answer_hold(request, result); /* whose length is known now */
    answer_write(request, result);
    if (request->origin && request->fault == FAULT_METHOD &&
        strcmp(request->method, "OPTIONS") == 0) {
        result->status = MHD_HTTP_NO_CONTENT;
        result->answer_len = 0;
    }
    clients_set(request->fd, PHASE_READS);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(result->answer_len, result->answer, MHD_RESPMEM_MUST_FREE);
    if (!response)
        return MHD_NO;
    add_headers(response, request, result);
    free_work(call, result->answer_len);
    const enum MHD_Result sent = MHD_queue_response(call->connection, result->status, response);
    MHD_destroy_response(response);
    return sent;
}

static enum MHD_Result handle(void *unused, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *len, void **state)
{
    struct call *call = *state;
    (void)unused, (void)version;
    if (!call) {
        *state = call = begin_call(connection, url, method);
        return call->request.fault == FAULT_REQUEST ? send_answer(call) : MHD_YES;
    }
    struct request *request = &call->request;
    if (*len > 0) {
        receive(request, data, *len);
        *len = 0;
        return MHD_YES;
    }
    if (call->queued > 0) /* it comes back from the queue */
        return request->is_gone ? MHD_NO : send_answer(call);
    clients_set(request->fd, PHASE_WAITS);
    if (http.has_ended) /* nothing may be suspended any more */
        request_fail(request, FAULT_ENDING, "the server is ending");
    const bool is_long = request->body_len > LONG_BODY; /* and may take seconds */
    if (request->fault != FAULT_NONE || (!is_long && !queue_admit(call)))
        return request->is_gone ? MHD_NO : send_answer(call);
    MHD_suspend_connection(connection);
    queue_add(call);
    return MHD_YES;
}

static void end_call(void *unused, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode code)
{
    struct call *call = *state;
    (void)unused, (void)connection;
    if (!call)
        return;
    struct request *request = &call->request;
    request->is_gone |= code != MHD_REQUEST_TERMINATED_COMPLETED_OK;
    metrics_end_call(call, http.log);
    models_return(request->models);
    free_work(call, 0);
    clients_set(request->fd, PHASE_SENDS);
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

/* A call that begins after has_ended is set is not suspended; calls before are waited for. */
bool http_drain(void)
{
    if (!atomic_exchange(&http_is_draining, true))
        close(MHD_quiesce_daemon(http.daemon));
    if (http.n_calls > 0 || !atomic_exchange(&http.has_ended, true))
        return false;
    MHD_stop_daemon(http.daemon);
    return true;
}
