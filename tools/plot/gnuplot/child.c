/* child.c - see child.h. No shell is between: posix_spawnp finds the program by PATH. The pipes are
 * served together, so neither side waits for the other for ever. */
#include "tools/plot/gnuplot/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { READ_BYTES = 65536 };

/* ---- The process ---- */

enum { IN, OUT, ERR, N_PIPES };

struct child {
    pid_t pid;
    int fds[N_PIPES]; /* our ends; -1: closed */
};

static void close_all(int fds[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

/* The end of pipe i that is the child's descriptor i. */
static int child_end(const int pipes[N_PIPES][2], int i)
{
    return pipes[i][i == IN ? 0 : 1];
}

static int spawn(pid_t *pid, char *const arguments[], const int pipes[N_PIPES][2])
{
    posix_spawn_file_actions_t actions;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason)
        return reason;
    for (int i = 0; i < N_PIPES && !reason; i++)
        reason = posix_spawn_file_actions_adddup2(&actions, child_end(pipes, i), i);
    if (!reason)
        reason = posix_spawnp(pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return reason;
}

/* A pipe whose ends are above 2, so that dup2 to 0, 1 and 2 moves each of them. */
static bool open_pipe(int ends[2])
{
    int made[2];
    if (pipe2(made, O_CLOEXEC) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, 3);
    close_all(made, 2);
    return ends[0] >= 0 && ends[1] >= 0;
}

/* 0, or an errno value. */
static int start(struct child *child, char *const arguments[])
{
    int pipes[N_PIPES][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, reason = 0;
    for (int i = 0; i < N_PIPES && !reason; i++)
        if (!open_pipe(pipes[i]))
            reason = errno;
    if (!reason && fcntl(pipes[IN][1], F_SETFL, O_NONBLOCK) != 0)
        reason = errno;
    if (!reason)
        reason = spawn(&child->pid, arguments, (const int(*)[2])pipes);
    for (int i = 0; i < N_PIPES; i++) {
        int ours = i == IN ? 1 : 0;
        child->fds[i] = reason ? -1 : pipes[i][ours];
        close_all(pipes[i] + (reason ? 0 : 1 - ours), reason ? 2 : 1);
    }
    return reason;
}

/* ---- What it says ---- */

struct conversation {
    const char *input;
    size_t input_len, sent;
    struct child_result *result;
    size_t cap;
};

static void hang_up(int *fd)
{
    close(*fd);
    *fd = -1;
}

static void send_some(struct conversation *talk, int *fd)
{
    ssize_t n = write(*fd, talk->input + talk->sent, talk->input_len - talk->sent);
    if (n > 0)
        talk->sent += (size_t)n;
    bool is_gone = n < 0 && errno != EAGAIN && errno != EINTR;
    if (is_gone || talk->sent == talk->input_len)
        hang_up(fd);
}

static void take_output(struct conversation *talk, const char *bytes, size_t n)
{
    struct child_result *result = talk->result;
    if (result->no_memory)
        return;
    if (result->len + n + 1 > talk->cap) {
        size_t cap = 2 * talk->cap + n + 1;
        char *larger = realloc(result->bytes, cap);
        if (!larger) {
            result->no_memory = true;
            return;
        }
        result->bytes = larger;
        talk->cap = cap;
    }
    memcpy(result->bytes + result->len, bytes, n);
    result->len += n;
    result->bytes[result->len] = '\0';
}

/* The first words say what went wrong. */
static void take_message(struct child_result *result, const char *bytes, size_t n)
{
    size_t len = strlen(result->message), room = sizeof result->message - 1 - len;
    for (size_t i = 0; i < n && i < room; i++)
        result->message[len++] = bytes[i] ? bytes[i] : ' ';
    result->message[len] = '\0';
}

static void take_some(struct conversation *talk, int *fd, int which)
{
    char bytes[READ_BYTES];
    ssize_t n = read(*fd, bytes, sizeof bytes);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
        hang_up(fd);
    else if (n > 0 && which == OUT)
        take_output(talk, bytes, (size_t)n);
    else if (n > 0)
        take_message(talk->result, bytes, (size_t)n);
}

static void converse(struct conversation *talk, struct child *child)
{
    while (child->fds[IN] >= 0 || child->fds[OUT] >= 0 || child->fds[ERR] >= 0) {
        struct pollfd polls[N_PIPES];
        for (int i = 0; i < N_PIPES; i++)
            polls[i] = (struct pollfd){.fd = child->fds[i], .events = i == IN ? POLLOUT : POLLIN};
        if (poll(polls, N_PIPES, -1) < 0 && errno != EINTR && errno != EAGAIN)
            break;
        if (polls[IN].revents)
            send_some(talk, &child->fds[IN]);
        for (int i = OUT; i <= ERR; i++)
            if (polls[i].revents)
                take_some(talk, &child->fds[i], i);
    }
    close_all(child->fds, N_PIPES);
}

static int run(char *const arguments[], const char *input, size_t len, struct child_result *result)
{
    struct conversation talk = {.input = input, .input_len = len, .result = result};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    struct child child;

    int reason = start(&child, arguments);
    if (reason)
        return reason;
    sigaction(SIGPIPE, &ignore, &before); /* a child that ends early is told of by its status */
    if (len == 0)
        hang_up(&child.fds[IN]);
    converse(&talk, &child);
    sigaction(SIGPIPE, &before, NULL);
    while (waitpid(child.pid, &result->status, 0) < 0 && errno == EINTR)
        ;
    result->took_all = talk.sent == len;
    return 0;
}

/* Where SIGCHLD is ignored, as a parent may have left it to us, the system forgets a child's status
 * as soon as it ends; so it is not ignored while one runs. */
int child_run(char *const arguments[], const char *input, size_t len, struct child_result *result)
{
    struct sigaction by_default = {.sa_handler = SIG_DFL}, before;
    *result = (struct child_result){.status = -1};
    sigaction(SIGCHLD, &by_default, &before);
    int reason = run(arguments, input, len, result);
    sigaction(SIGCHLD, &before, NULL);
    return reason;
}
