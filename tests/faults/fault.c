/* fault.c - see fault.h. The tracer stops the program at each of its system calls (ptrace). One
 * that is to fail is not made: its number is changed to one that there is not, and its answer to
 * the reason. */
#include "tests/faults/fault.h"

#include "tests/support.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void fault_setup(void)
{
    char build[SUPPORT_PATH];
    support_link_build(build);
    setenv("ENCODE_BUILD", build, 1);
    setenv("OMP_WAIT_POLICY", "passive", 1); /* or programs start themselves again to set it */
    assert_int_equal(chdir(support_folder()), 0);
    support_make_model("toy.weights", "i ride bike the dog",
                       "--width 8 --heads 2 --max-tokens 16 --position learned");
}

char *const *fault_arguments(const char *command, const char *more)
{
    enum { MOST = 48 };
    static char words[1024], program[SUPPORT_PATH], *arguments[MOST];
    char *rest = NULL;
    size_t n = 0;
    snprintf(words, sizeof words, "%s %s", command, more);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_true(n < MOST - 1);
        arguments[n++] = word;
    }
    arguments[n] = NULL;
    support_program(arguments[0], program);
    arguments[0] = program;
    return arguments;
}

bool fault_wants_all(void)
{
    const char *which = getenv("FAULTS");
    return which != NULL && strcmp(which, "all") == 0;
}

#if defined(__x86_64__) && defined(__GLIBC__)
#include <sys/user.h>

enum { SECONDS_MOST = 600 };

#define READS  SYS_read, SYS_pread64, SYS_readv
#define WRITES SYS_write, SYS_pwrite64, SYS_writev
#define CALLS(...)                                                                                 \
    {                                                                                              \
        __VA_ARGS__, -1                                                                            \
    }

static const struct fault_kind KINDS[] = {
    {"allocation", ENOMEM, false, {-1}},
    {"allocation and all behind it", ENOMEM, true, {-1}},
    {"read", EIO, false, CALLS(READS)},
    {"interrupted read", EINTR, false, CALLS(READS)},
    {"short read", 0, false, CALLS(SYS_read, SYS_pread64)},
    {"write", EIO, false, CALLS(WRITES)},
    {"full disk", ENOSPC, true, CALLS(WRITES)},
    {"interrupted write", EINTR, false, CALLS(WRITES)},
    {"short write", 0, false, CALLS(SYS_write, SYS_pwrite64)},
    {"open", EMFILE, false, CALLS(SYS_open, SYS_openat, SYS_memfd_create, SYS_pipe2)},
    {"close", EIO, false, CALLS(SYS_close)},
    {"seek", EIO, false, CALLS(SYS_lseek)},
    {"stat", EIO, false,
     CALLS(SYS_stat, SYS_fstat, SYS_lstat, SYS_newfstatat, SYS_statx, SYS_access, SYS_faccessat,
           SYS_faccessat2, SYS_readlink)},
    {"mmap", ENOMEM, false, CALLS(SYS_mmap, SYS_mremap, SYS_mprotect)},
    {"directory", EIO, false, CALLS(SYS_getdents64, SYS_mkdir, SYS_getcwd)},
    {"sync", EIO, false, CALLS(SYS_fsync, SYS_fdatasync)},
    {"rename", EIO, false, CALLS(SYS_rename, SYS_renameat, SYS_renameat2, SYS_link, SYS_linkat)},
    {"truncate", ENOSPC, false, CALLS(SYS_ftruncate, SYS_fallocate)},
    {"mode", EPERM, false, CALLS(SYS_chmod, SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fcntl)},
    {"process", EAGAIN, false,
     CALLS(SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, SYS_execve, SYS_dup, SYS_dup2, SYS_dup3)},
    {"wait", EINTR, false, CALLS(SYS_wait4, SYS_waitid, SYS_poll)},
};

enum { N_KINDS = sizeof KINDS / sizeof KINDS[0] };

const struct fault_kind *fault_kind(size_t index)
{
    return index < N_KINDS ? &KINDS[index] : NULL;
}

bool fault_can_run(void)
{
    int status;
    pid_t child = support_sanitized() || support_emulated() ? -1 : fork();
    if (child == 0)
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* ---- The program, in the child ---- */

static void open_as(const char *path, int flags, int descriptor)
{
    int file = open(path, flags, 0600);
    if (file < 0 || dup2(file, descriptor) < 0 || close(file) != 0)
        _exit(126);
}

static void say_fault(const struct fault_kind *kind, uint64_t n)
{
    char number[24];
    bool is_allocation = kind->calls[0] < 0;
    snprintf(number, sizeof number, "%llu", (unsigned long long)(is_allocation ? n : 0));
    setenv("FAULT_ALLOCATION", number, 1);
    if (kind->is_lasting && is_allocation)
        setenv("FAULT_LASTING", "", 1);
}

_Noreturn static void become(char *const arguments[], const char *folder,
                             const char *const streams[3])
{
    open_as(streams[0], O_RDONLY, 0);
    open_as(streams[1], O_WRONLY | O_CREAT | O_TRUNC, 1);
    open_as(streams[2], O_WRONLY | O_CREAT | O_TRUNC, 2);
    alarm(SECONDS_MOST);
    if (chdir(folder) == 0 && ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
        execv(arguments[0], arguments);
    _exit(126);
}

/* ---- The tracer ---- */

struct tracer {
    pid_t program;
    const struct fault_kind *kind;
    uint64_t n;
    struct fault_run *run;
    bool is_over;                   /* the program has ended and writes counts (preload.c) */
    pid_t changed;                  /* the thread in whose call something was changed, or 0 */
    struct user_regs_struct before; /* its registers at the call */
    void (*watch)(void *user, pid_t thread, const struct fault_call *call); /* or NULL */
    void *user;
};

static bool is_of_kind(const struct fault_kind *kind, const struct user_regs_struct *call)
{
    const int *number = kind->calls;
    bool is_write = call->orig_rax == SYS_write || call->orig_rax == SYS_writev;
    if (is_write && call->rdi == STDERR_FILENO)
        return false;
    while (*number >= 0 && (unsigned long long)*number != call->orig_rax)
        number++;
    return *number >= 0;
}

/* Zero bytes and one byte cannot be halved. */
static bool has_half(const struct fault_kind *kind, const struct user_regs_struct *call)
{
    return kind->reason != 0 || call->rdx > 1;
}

static bool shall_fail(struct tracer *tracer, const struct user_regs_struct *call)
{
    bool fails = false;
    for (size_t i = 0; i < N_KINDS; i++) {
        if (!is_of_kind(&KINDS[i], call) || !has_half(&KINDS[i], call))
            continue;
        uint64_t n = ++tracer->run->n_seen[i];
        if (&KINDS[i] == tracer->kind && tracer->n != 0)
            fails = n == tracer->n || (tracer->kind->is_lasting && n > tracer->n);
    }
    return fails;
}

static void at_entry(struct tracer *tracer, pid_t thread)
{
    struct user_regs_struct call;
    if (ptrace(PTRACE_GETREGS, thread, NULL, &call) != 0)
        return;
    tracer->is_over |= call.orig_rax == (unsigned long long)-1;
    if (tracer->is_over || !shall_fail(tracer, &call))
        return;
    tracer->changed = thread;
    tracer->before = call;
    if (tracer->kind->reason == 0)
        call.rdx = (call.rdx + 1) / 2;
    else if (call.orig_rax != SYS_close) /* a close that fails has closed: the file is gone */
        call.orig_rax = (unsigned long long)-1;
    ptrace(PTRACE_SETREGS, thread, NULL, &call);
}

static void at_exit(struct tracer *tracer, pid_t thread)
{
    struct user_regs_struct call;
    if ((thread != tracer->changed && !tracer->watch) || tracer->is_over ||
        ptrace(PTRACE_GETREGS, thread, NULL, &call) != 0)
        return;
    if (tracer->watch)
        tracer->watch(tracer->user, thread,
                      &(struct fault_call){(long long)call.orig_rax,
                                           (long long)call.rax,
                                           {call.rdi, call.rsi, call.rdx}});
    if (thread != tracer->changed)
        return;
    tracer->changed = 0;
    call.rdx = tracer->before.rdx;
    if (tracer->kind->reason != 0)
        call.rax = (unsigned long long)-(long long)tracer->kind->reason;
    ptrace(PTRACE_SETREGS, thread, NULL, &call);
}

/* Threads begin with a SIGSTOP that is the tracer's; other signals are the program's. */
static void on_stop(struct tracer *tracer, pid_t thread, int status)
{
    struct __ptrace_syscall_info info;
    int signal = WSTOPSIG(status), event = status >> 16;
    bool is_call = signal == (SIGTRAP | 0x80);
    if (is_call && ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0) {
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
            at_entry(tracer, thread);
        else
            at_exit(tracer, thread);
    }
    bool is_another = event == PTRACE_EVENT_EXEC && thread != tracer->program;
    bool is_ours = is_call || event != 0 || signal == SIGSTOP;
    ptrace(is_another        ? PTRACE_DETACH
           : tracer->is_over ? PTRACE_CONT
                             : PTRACE_SYSCALL,
           thread, NULL, is_ours ? 0 : (long)signal);
}

static void trace(struct tracer *tracer)
{
    int status;
    pid_t thread;
    ptrace(PTRACE_SETOPTIONS, tracer->program, NULL,
           PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
               PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
    ptrace(PTRACE_SYSCALL, tracer->program, NULL, NULL);
    while ((thread = waitpid(-1, &status, __WALL)) > 0) {
        if (WIFSTOPPED(status))
            on_stop(tracer, thread, status);
        else if (thread == tracer->program)
            break;
    }
    tracer->run->status = status;
}

/* From its start to the SIGSTOP before main; false if it has ended. */
static bool run_to_main(pid_t program, int *status)
{
    while (waitpid(program, status, 0) == program && WIFSTOPPED(*status)) {
        if (WSTOPSIG(*status) == SIGSTOP)
            return true;
        ptrace(PTRACE_CONT, program, NULL, NULL);
    }
    return false;
}

static void run_traced(struct tracer *tracer)
{
    bool needs_no_tracer = tracer->kind->calls[0] < 0 && tracer->n != 0;
    if (!run_to_main(tracer->program, &tracer->run->status))
        return;
    if (!needs_no_tracer) {
        trace(tracer);
        return;
    }
    ptrace(PTRACE_DETACH, tracer->program, NULL, NULL);
    waitpid(tracer->program, &tracer->run->status, 0);
}

/* ---- Both ---- */

static uint64_t read_count(const char *path)
{
    uint64_t count = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fread(&count, sizeof count, 1, file) != 1)
        fail_msg("%s cannot be read", path);
    fclose(file);
    return count;
}

static void begin_count(const char *path)
{
    const uint64_t none = 0;
    support_write(path, &none, sizeof none);
}

static void run_with(struct tracer *tracer, char *const arguments[], const char *folder,
                     const char *const streams[3])
{
    char count[SUPPORT_PATH], library[SUPPORT_PATH];
    *tracer->run = (struct fault_run){.status = -1};
    support_path(count, support_folder(), "count");
    support_program("tests/faults/preload.so", library);
    if (access(library, R_OK) != 0)
        fail_msg("%s is not built", library);
    begin_count(count);
    tracer->program = fork();
    if (tracer->program == 0) {
        setenv("LD_PRELOAD", library, 1);
        setenv("FAULT_COUNT", count, 1);
        say_fault(tracer->kind, tracer->n);
        become(arguments, folder, streams);
    }
    run_traced(tracer);
    for (size_t i = 0; i < N_KINDS; i++)
        if (KINDS[i].calls[0] < 0)
            tracer->run->n_seen[i] = read_count(count);
}

void fault_run(char *const arguments[], const char *folder, const char *const streams[3],
               size_t kind, uint64_t n, struct fault_run *run)
{
    struct tracer tracer = {.kind = &KINDS[kind], .n = n, .run = run};
    run_with(&tracer, arguments, folder, streams);
}

int fault_watch(char *const arguments[], const char *folder, const char *const streams[3],
                void (*watch)(void *user, pid_t thread, const struct fault_call *call), void *user)
{
    struct fault_run run;
    struct tracer tracer = {.kind = &KINDS[0], .run = &run, .watch = watch, .user = user};
    run_with(&tracer, arguments, folder, streams);
    return run.status;
}

#else

const struct fault_kind *fault_kind(size_t index)
{
    (void)index;
    return NULL;
}

bool fault_can_run(void)
{
    return false;
}

void fault_run(char *const arguments[], const char *folder, const char *const streams[3],
               size_t kind, uint64_t n, struct fault_run *run)
{
    (void)arguments, (void)folder, (void)streams, (void)kind, (void)n;
    *run = (struct fault_run){.status = -1};
}

int fault_watch(char *const arguments[], const char *folder, const char *const streams[3],
                void (*watch)(void *user, pid_t thread, const struct fault_call *call), void *user)
{
    (void)arguments, (void)folder, (void)streams, (void)watch, (void)user;
    return -1;
}

#endif
