/* polite_threads.c - OpenMP's threads spin for milliseconds when a call is over, and slow down
 * whatever else runs, unless OMP_WAIT_POLICY is passive. GCC's runtime reads that when loaded,
 * before any line of the program: so the program sets it and starts itself again, which takes a
 * millisecond. LLVM's can be told.
 */
#include "tools/common/options.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Of LLVM's runtime, NULL without it: for how many milliseconds its threads spin. */
__attribute__((weak)) void kmp_set_blocktime(int milliseconds);

/* Where the user has threads bound to CPUs, GCC's runtime has bound this one too: started again,
 * the program would have that CPU alone. */
static bool user_has_chosen(void)
{
    static const char *const CHOICES[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME",
                                          "OMP_PROC_BIND",   "OMP_PLACES",     "GOMP_CPU_AFFINITY"};
    for (size_t i = 0; i < sizeof CHOICES / sizeof CHOICES[0]; i++)
        if (getenv(CHOICES[i]) != NULL)
            return true;
    return false;
}

/* "ld.so PROGRAM" runs the dynamic linker, which is then no program's and has no base address: to
 * the system ld.so is the program, which could not be started with PROGRAM's arguments. */
static bool linker_was_started(void)
{
    return getauxval(AT_BASE) == 0;
}

/* Returns only where that fails: then threads spin, and all else is as it should be. */
static void start_again(char *argv[])
{
    char program[PATH_MAX];
    ssize_t len =
        linker_was_started() ? 0 : readlink("/proc/self/exe", program, sizeof program - 1);
    if (len <= 0 || setenv("OMP_WAIT_POLICY", "passive", 1) != 0)
        return;
    program[len] = '\0';
    execv(program, argv);
}

void polite_threads(char *argv[], size_t n_threads)
{
    if (n_threads == 1 || user_has_chosen())
        return;
    if (kmp_set_blocktime != NULL)
        kmp_set_blocktime(0);
    else
        start_again(argv);
}
