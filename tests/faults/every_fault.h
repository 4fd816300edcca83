/* every_fault.h - runs a command again and again, each time with another fault (fault.h), and holds
 * it to this: either it ends with exit code 0 and has written, byte by byte, what it writes without
 * a fault; or with exit code 1, a message on stderr (which names memory if memory was short),
 * and the file it was to replace as it was. No signal, no hang, no file is left.
 *
 * Guarantee: every program survives each failing allocation and system call: exit code 0 and
 * the same bytes, or 1, a message, and no incomplete output. */
#ifndef TESTS_FAULTS_EVERY_FAULT_H
#define TESTS_FAULTS_EVERY_FAULT_H

#include <stdbool.h>
#include <stddef.h>

struct fault_case {
    const char *command; /* a program and its arguments, separated by blanks; run in a folder that
                          * holds a file named result, and nothing else */
    const char *input;   /* its stdin; NULL: none */
    bool varies; /* it prints times, and takes some: stdout is not compared, and it meets few
                          * faults */
};

/* Goes into the suite's folder with toy.weights, where a suite makes more files that its commands
 * name as ../NAME; skips where there are no faults to be had. For SET_UP(). */
void every_fault_setup(void);

/* Prints what was injected. Of each kind of fault a command meets at most a dozen, evenly
 * spread; with FAULTS=all in the environment every one. */
void every_fault(const struct fault_case *cases, size_t n_cases);

#define EVERY_FAULT(cases) every_fault(cases, sizeof(cases) / sizeof((cases)[0]))

#endif
