/* child.h - the other programs of this directory, run as processes. */
#ifndef TOOLS_BENCH_CHILD_H
#define TOOLS_BENCH_CHILD_H

/* Runs the program of that name that lies beside this one to its end, with these arguments (NULL
 * behind the last) and without its stdout. Returns its exit code; where there is none, 1 after a
 * message. */
int child_run(const char *name, const char *const arguments[]);

#endif
