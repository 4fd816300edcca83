/* fault.h - a program runs while one thing that it asks of the system fails: its n-th allocation
 * (preload.c) or its n-th system call of a kind, which a tracer answers instead of the system
 * (fault.c). Calls count from main on; what threads and started processes do until they become
 * another program counts too, what is written to stderr does not: failures are reported there. */
#ifndef TESTS_FAULTS_FAULT_H
#define TESTS_FAULTS_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { FAULT_KINDS_MOST = 24, FAULT_CALLS_MOST = 16 };

/* One way to fail. */
struct fault_kind {
    const char *name;
    int reason;                  /* errno; 0: half of the bytes are transferred */
    bool is_lasting;             /* the calls after the n-th fail too */
    int calls[FAULT_CALLS_MOST]; /* numbers of system calls, then -1; none: allocations */
};

/* By index; NULL past the last. The first is an allocation. */
const struct fault_kind *fault_kind(size_t index);

struct fault_run {
    int status;                        /* of waitpid */
    uint64_t n_seen[FAULT_KINDS_MOST]; /* how often each kind could have failed */
};

/* False where this machine cannot: the tracer knows the registers of x86-64 alone, and a container
 * may forbid tracing. */
bool fault_can_run(void);

/* Goes into the suite's folder, from which built programs are found, and makes toy.weights there.
 * For SET_UP(). */
void fault_setup(void);

/* The words of a command, whose first is a built program, and of more; until the next call. */
char *const *fault_arguments(const char *command, const char *more);

/* Whether FAULTS=all in the environment asks for every fault, not for some of each kind. */
bool fault_wants_all(void);

/* Runs the program in `folder` with the files as stdin, stdout and stderr, and waits for its end.
 * The n-th call of the kind fails; n 0: none, and n_seen is filled. A program that takes too long
 * is ended by SIGALRM. */
void fault_run(char *const arguments[], const char *folder, const char *const streams[3],
               size_t kind, uint64_t n, struct fault_run *run);

/* A system call that has ended. */
struct fault_call {
    long long number, result;
    unsigned long long arguments[3];
};

/* Runs the program without a fault, and shows `watch` each system call when it has ended, before
 * the program continues. Returns the status of waitpid. */
int fault_watch(char *const arguments[], const char *folder, const char *const streams[3],
                void (*watch)(void *user, pid_t thread, const struct fault_call *call), void *user);

#endif
