/* serve.c - encode-serve: calls over HTTP. Read the options, open the models and the socket,
 * start the threads of calls and of HTTP; meanwhile wait for signals. */
#include "tools/hosts/serve/serve.h"
#include "tools/common/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

union address {
    struct sockaddr any;
    struct sockaddr_un path;
    struct sockaddr_storage room;
};

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

static struct {
    struct serve_options options;
    atomic_bool is_opening, is_serving;
} server;

/* A thread of its own, so that signals and timeouts wait for no file. The first one starts all. */
static void *open_files(void *unused)
{
    const struct serve_options *options = &server.options;
    const bool has_keys = access_read_keys(options->key_file), has_models = models_open(options);
    (void)unused;
    if (server.is_serving) {
        program_note("%s; %s",
                     has_models ? "weight files: opened anew" : "the old weight files stay",
                     has_keys ? "keys: read anew" : "the old keys stay");
    } else {
        if (!has_keys || !has_models)
            exit(PROGRAM_FAILED);
        queue_start(options->queue_tokens, options->batch_tokens);
        http_start(open_socket(options->listen), options);
    }
    server.is_serving = true;
    server.is_opening = false;
    return NULL;
}

static void start_opening(void)
{
    pthread_t thread;
    server.is_opening = true;
    if (pthread_create(&thread, NULL, open_files, NULL) != 0)
        program_die("cannot start a thread");
    pthread_detach(thread);
}

/* Until SIGTERM or SIGINT; then until all calls are answered, or for 30 seconds. SIGHUP waits for
 * the files that are being opened. */
static void wait_for_signals(const sigset_t *signals, const sigset_t *ends)
{
    static const double MOST_SECONDS = 30;
    const struct timespec moment = {.tv_nsec = 10000000}, half = {.tv_nsec = 500000000};
    for (int got; (got = sigtimedwait(server.is_opening ? ends : signals, NULL, &half)) < 0 ||
                  got == SIGHUP;) {
        if (server.is_serving)
            clients_sweep();
        if (got == SIGHUP)
            start_opening();
    }
    if (!server.is_serving)
        _exit(PROGRAM_DONE);
    const double since = program_seconds();
    while (!http_drain()) {
        if (program_seconds() - since > MOST_SECONDS)
            _exit(PROGRAM_FAILED);
        clients_sweep();
        nanosleep(&moment, NULL);
    }
    if (server.is_opening)
        _exit(PROGRAM_DONE);
}

int main(int argc, char *argv[])
{
    sigset_t signals, ends;
    program_begin("encode-serve", argv);
    serve_options_read(&server.options, argc, argv);
    set_passive_waiting(argv, server.options.n_threads);
    never_wait_for_stderr();
    mallopt(M_MMAP_THRESHOLD, 1 << 17); /* large blocks go back to Linux when they are freed */
    json_set_alloc_funcs(read_alloc, read_free);
    json_object_seed(0);
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    signals = ends;
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    start_opening();
    wait_for_signals(&signals, &ends);
    return PROGRAM_DONE;
}
