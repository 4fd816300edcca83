/* serve.c - encode-serve: calls over HTTP. Read the options, open the models and the socket,
 * start the threads of calls and of HTTP; meanwhile wait for signals. */
#include "tools/common/alloc.h"
#include "tools/common/options/option_table.h"
#include "tools/hosts/serve/access.h"
#include "tools/hosts/serve/http.h"
#include "tools/hosts/serve/queue.h"
#include "tools/hosts/serve/read.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Options ---- */

#define COUNT(member, least, most) COUNT_AT(struct serve_options, member, least, most)

/* What browsers send as Origin has no path. */
static void check_origin(void *options, const struct option_use *use)
{
    (void)options;
    const char *host = strstr(use->text, "://");
    if (strcmp(use->text, "*") != 0 && (!host || !host[3] || strpbrk(host + 3, "/ ")))
        program_die_misused("--cors takes SCHEME://HOST[:PORT] without a path, or '*', not '%s'",
                            use->text);
}

static const struct option_row ROWS[] = {
    {"model", 'm', "[NAME=]FILE",
     "serve this weight file, by NAME (default: that of the file); may be\n"
     "repeated; default $ENCODE_MODEL, else the default weights",
     TEXTS_AT(struct serve_options, models, n_models)},
    {"threads", 't', "N", "compute with N threads; default OMP_NUM_THREADS, else all CPUs",
     COUNT(n_threads, 1, 1024)},
    {"batch", 0, "TOKENS", "compute up to so many tokens at once (default 4096)",
     COUNT(batch_tokens, 1, 1 << 20)},
    {"queue", 0, "TOKENS", "refuse calls while more tokens wait (default 600000)",
     COUNT(queue_tokens, 1, INT32_MAX)},
    {"listen", 0, "ADDRESS",
     "HOST:PORT, [IPv6]:PORT (port 0: a free one) or unix:PATH\n"
     "(default 127.0.0.1:8080)",
     TEXT_AT(struct serve_options, listen)},
    {"api-key-file", 0, "FILE",
     "ask for one of the keys in FILE, a key per line:\n"
     "Authorization: Bearer KEY",
     TEXT_AT(struct serve_options, key_file)},
    {"allow-host", 0, "NAME",
     "on loopback serve clients and pages that call this machine NAME\n"
     "('*': any name); may be repeated",
     TEXTS_AT(struct serve_options, hosts, n_hosts)},
    {"cors", 0, "ORIGIN",
     "let pages of this origin (https://example.org; '*': all) call the server\n"
     "and read its answers; may be repeated",
     TEXTS_AT(struct serve_options, origins, n_origins), .set = check_origin},
    {"any-model", 0, NULL, "if one model is served, answer calls for other names by it",
     FLAG_AT(struct serve_options, takes_any_name)},
    {"timeout", 0, "SECONDS", "close a connection that is silent or slow for so long (default 60)",
     COUNT(timeout, 1, 86400)},
    {"log", 0, "KIND", "print a line for each call on stderr: text (default), json or none",
     CHOICE_AT(struct serve_options, log, LOG_TEXT, "text json none")},
};

static const struct option_group GROUPS[] = {{OPTION_GROUP("", ROWS)}, OPTION_GENERAL};

static const struct option_command COMMAND = {
    .usage = "[OPTION ...]\n",
    .about = "Answers calls over HTTP, as clients of OpenAI, Ollama, text-embeddings-inference,\n"
             "Cohere and Jina make them. SIGTERM: finish the calls, then end. SIGHUP: open the\n"
             "files again.\n",
};

static const struct option_table TABLE = {
    OPTION_TABLE(&COMMAND, 1, GROUPS, 25),
    .end = "Exit codes: 0 done, 1 failed, 2 misused. Manual: man encode-serve.",
};

/* The help, the version and errors end the program. */
static void read_options(struct serve_options *options, int argc, char **argv)
{
    struct option_reading reading;
    *options = (struct serve_options){
        .listen = "127.0.0.1:8080", .queue_tokens = 600000, .batch_tokens = 4096, .timeout = 60};
    options_read(&reading, &TABLE, 0, options, argc, argv);
    const char *folder = getenv("CREDENTIALS_DIRECTORY"); /* of LoadCredential in a unit */
    char *keys = folder ? alloc_text("%s/encode-serve.keys", folder) : NULL;
    if (!options->key_file && keys && access(keys, F_OK) == 0)
        options->key_file = keys;
    if (reading.n_arguments > 0)
        program_die_misused("'%s' is not an option: weight files are named by -m",
                            reading.arguments[0]);
}

/* ---- Models ---- */

static struct models *served;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of served and its users */

/* Makes the name, before '=' or the file's without ".weights", and the sessions; those for tokens
 * need no memory for rows. */
static engine_status open_model(struct model *model, const char *asked, size_t n_threads,
                                engine_error *error)
{
    const char *equals = asked ? strchr(asked, '=') : NULL;
    const engine_session_options computing = ENGINE_SESSION_OPTIONS(.n_threads = n_threads);
    const engine_session_options reading =
        ENGINE_SESSION_OPTIONS(.n_threads = 1, .max_tokens = 1, .position = ENGINE_POSITION_NONE,
                               .progress = request_is_over);
    engine_status status =
        engine_model_open(equals ? equals + 1 : asked, NULL, &model->model, error);
    if (status != ENGINE_OK)
        return status;
    model->info = ENGINE_INFO();
    engine_model_info(model->model, &model->info, NULL);
    const char *name = equals ? asked : path_name(model->info.path);
    const size_t ending = path_ends_in(name, ".weights") ? strlen(".weights") : 0;
    model->name =
        alloc_text("%.*s", (int)(equals ? (size_t)(equals - asked) : strlen(name) - ending), name);
    model->opened = time(NULL);
    if (model->info.has_model)
        status = engine_session_new(model->model, &computing, &model->session, error);
    for (size_t i = 0; status == ENGINE_OK && i < HTTP_THREADS + READERS; i++)
        status = engine_session_new(model->model, &reading, &model->readers[i], error);
    return status;
}

static bool is_named(const struct model *model, const char *name)
{
    const size_t len = strlen(model->name);
    return strncmp(name, model->name, len) == 0 &&
           (name[len] == '\0' || strcmp(name + len, ":latest") == 0); /* as Ollama completes it */
}

/* Returns false after a message: the old ones stay. */
static bool open_models(const struct serve_options *options)
{
    struct models *models = alloc_zeros(1, sizeof *models);
    engine_error error = {0};
    bool is_good = true;
    models->n_users = 1;
    models->takes_any_name = options->takes_any_name;
    while (is_good && models->n < (options->n_models ? options->n_models : 1)) {
        struct model *model = &models->models[models->n];
        if (open_model(model, options->models[models->n++], options->n_threads, &error))
            is_good = program_refuse("%s", error.message);
        const bool is_new = is_good && models_find(models, model->name, WORK_OPEN) == model;
        if (is_good && (!is_new || strpbrk(model->name, "\"\\\n\r\t\x1b")))
            is_good = program_refuse("the name '%s' %s: give the model another one by -m NAME=FILE",
                                     model->name,
                                     is_new ? "has a quotation mark, a backslash or a control "
                                              "character"
                                            : "is that of two models");
    }
    pthread_mutex_lock(&lock);
    struct models *old = is_good ? served : models;
    served = is_good ? models : served;
    pthread_mutex_unlock(&lock);
    models_return(old);
    return is_good;
}

struct models *models_borrow(void)
{
    pthread_mutex_lock(&lock);
    struct models *models = served;
    models->n_users++;
    pthread_mutex_unlock(&lock);
    return models;
}

void models_return(struct models *models)
{
    pthread_mutex_lock(&lock);
    const bool is_last = models && --models->n_users == 0;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; is_last && i < models->n; i++) {
        struct model *model = &models->models[i];
        for (size_t j = 0; j < HTTP_THREADS + READERS; j++)
            engine_session_free(model->readers[j]);
        engine_session_free(model->session);
        engine_model_close(model->model);
        free(model->name);
    }
    if (is_last)
        free(models);
}

static bool is_made_for(const struct model *model, enum work work)
{
    const bool has_labels = model->info.head == ENGINE_HEAD_SEQUENCE;
    return work == WORK_SPARSE   ? model->info.has_sparse
           : work == WORK_LABELS ? has_labels
           : work == WORK_RANKS  ? model->info.ranks_pairs
                                 : !has_labels && model->info.has_model;
}

struct model *models_find(struct models *models, const char *name, enum work work)
{
    for (size_t i = 0; i < models->n; i++)
        if (name ? (models->takes_any_name && models->n == 1) || is_named(&models->models[i], name)
                 : is_made_for(&models->models[i], work))
            return &models->models[i];
    return name ? NULL : &models->models[0];
}

engine_session *model_reader(struct model *model)
{
    static atomic_size_t n_threads;
    static _Thread_local size_t thread; /* from 1 */
    if (thread == 0)
        thread = atomic_fetch_add(&n_threads, 1) + 1;
    return model->readers[(thread - 1) % (HTTP_THREADS + READERS)];
}

/* ---- The socket and stderr ---- */

/* Reads "unix:PATH", "HOST:PORT" or "[IPv6]:PORT"; returns the address' length. */
static socklen_t read_address(const char *text, union address *address)
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    const char *colon = strrchr(text, ':');
    const size_t n_digits = colon ? strspn(colon + 1, "0123456789") : 0;
    const int n_brackets = text[0] == '[';
    struct addrinfo *found = NULL;
    if (strncmp(text, "unix:", 5) == 0) {
        if (!text[5] || strlen(text + 5) >= sizeof address->path.sun_path)
            program_die_misused("--listen takes unix:PATH of 1 to %zu bytes, not '%s'",
                                sizeof address->path.sun_path - 1, text);
        address->path.sun_family = AF_UNIX;
        strcpy(address->path.sun_path, text + 5);
        return sizeof address->path;
    }
    if (!colon || colon == text || (n_brackets && colon[-1] != ']') || n_digits == 0 ||
        colon[1 + n_digits] || n_digits > 5 || atoi(colon + 1) > UINT16_MAX)
        program_die_misused("--listen takes HOST:PORT, [IPv6]:PORT or unix:PATH, with a port from "
                            "0 to 65535, not '%s'",
                            text);
    char *host = alloc_text("%.*s", (int)(colon - text) - 2 * n_brackets, text + n_brackets);
    const int code = getaddrinfo(host, colon + 1, &hints, &found);
    if (code != 0)
        program_die("cannot listen on '%s': %s", text, gai_strerror(code));
    const socklen_t len = found->ai_addrlen;
    memcpy(address, found->ai_addr, len);
    freeaddrinfo(found);
    free(host);
    return len;
}

/* Returns a listening socket; one that systemd passes is used instead. */
static int open_socket(const char *text)
{
    enum { BACKLOG = 1024, FIRST_PASSED = 3, ON = 1 };
    const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
    union address address = {0};
    struct stat old;
    char port[16];
    if (pid && n && strtol(pid, NULL, 10) == getpid() && strtol(n, NULL, 10) == 1)
        return FIRST_PASSED;
    socklen_t len = read_address(text, &address);
    if (address.any.sa_family == AF_UNIX && stat(address.path.sun_path, &old) == 0 &&
        S_ISSOCK(old.st_mode)) /* that of a server that was killed */
        unlink(address.path.sun_path);
    const int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ON}, sizeof(int));
    if (bind(fd, &address.any, len) != 0 || listen(fd, BACKLOG) != 0)
        program_die("cannot listen on '%s': %s", text, strerror(errno));
    if (address.any.sa_family != AF_UNIX && getsockname(fd, &address.any, &len) == 0 &&
        getnameinfo(&address.any, len, NULL, 0, port, sizeof port, NI_NUMERICSERV) == 0)
        program_note("listening on http://%.*s:%s", (int)(strrchr(text, ':') - text), text, port);
    else
        program_note("listening on %s", text);
    return fd;
}

/* Writes to a pipe, a socket or a terminal that nobody reads fail at once; those to a file wait.
 * O_NONBLOCK is of this process alone if the pipe is opened again; a socket, journald's, is. */
static void never_wait_for_stderr(void)
{
    struct stat status;
    if (fstat(STDERR_FILENO, &status) != 0 || S_ISREG(status.st_mode))
        return;
    const int fd = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0)
        dup2(fd, STDERR_FILENO);
    else if (S_ISSOCK(status.st_mode))
        fcntl(STDERR_FILENO, F_SETFL, fcntl(STDERR_FILENO, F_GETFL) | O_NONBLOCK);
    if (fd > STDERR_FILENO)
        close(fd);
}

/* ---- Signals ---- */

static struct serve_options options;
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* A thread of its own, so that timeouts and the end wait for no file. */
_Noreturn static void *reopen(void *hang_up)
{
    for (int got;;) {
        sigwait(hang_up, &got);
        pthread_mutex_lock(&opening);
        const bool has_keys = access_read_keys(options.key_file),
                   has_models = open_models(&options);
        program_note("%s; %s",
                     has_models ? "weight files: opened again" : "the old weight files stay",
                     has_keys ? "keys: read again" : "the old keys stay");
        pthread_mutex_unlock(&opening);
    }
}

_Noreturn static void end_at_once(int signal)
{
    (void)signal;
    _exit(PROGRAM_DONE);
}

/* Serves until SIGTERM or SIGINT; then until all calls are answered, or for 30 seconds. */
static void serve_until(const sigset_t *ends)
{
    static const double MOST_SECONDS = 30;
    const struct timespec moment = {.tv_nsec = 10000000}, half = {.tv_nsec = 500000000};
    while (sigtimedwait(ends, NULL, &half) < 0)
        clients_sweep();
    const double since = program_seconds();
    while (!http_drain()) {
        if (program_seconds() - since > MOST_SECONDS)
            _exit(PROGRAM_FAILED);
        clients_sweep();
        nanosleep(&moment, NULL);
    }
    if (pthread_mutex_trylock(&opening) != 0)
        end_at_once(0);
}

int main(int argc, char *argv[])
{
    sigset_t ends, hang_up;
    pthread_t thread;
    program_begin("encode-serve", argv);
    read_options(&options, argc, argv);
    set_passive_waiting(argv, options.n_threads);
    never_wait_for_stderr();
    mallopt(M_MMAP_THRESHOLD, 1 << 17); /* large blocks go back to Linux when they are freed */
    json_set_alloc_funcs(read_alloc, read_free);
    json_object_seed(0);
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigemptyset(&hang_up);
    sigaddset(&hang_up, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, end_at_once);
    signal(SIGTERM, end_at_once);
    pthread_sigmask(SIG_BLOCK, &hang_up, NULL); /* until all is open */
    if (!access_read_keys(options.key_file) || !open_models(&options))
        return PROGRAM_FAILED;
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    queue_start(options.queue_tokens, options.batch_tokens);
    if (pthread_create(&thread, NULL, reopen, &hang_up) != 0)
        program_die("cannot start a thread");
    http_start(open_socket(options.listen), &options);
    serve_until(&ends);
    return PROGRAM_DONE;
}
