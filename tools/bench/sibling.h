/* sibling.h - the other programs of this directory, run as processes. */
#ifndef TOOLS_BENCH_SIBLING_H
#define TOOLS_BENCH_SIBLING_H

/* Runs the program named arguments[0] that lies beside this one to its end; NULL stands behind the
 * last argument. Returns its exit code; where that is not 0, what it says on stderr is said. */
int sibling_run(const char *arguments[]);

#endif
