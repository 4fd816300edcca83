/* preload.c - a library put in front of a program (LD_PRELOAD) that counts what is allocated, by
 * whomever (the program, jansson, utf8proc, stdio), and lets one allocation fail. Counting begins
 * with main: what the dynamic linker and OpenMP's runtime need in order to start is not the
 * program's.
 *
 *     FAULT_ALLOCATION   the number of the allocation that fails; 0: none
 *     FAULT_LASTING      if it is set, all allocations after that one fail too
 *     FAULT_COUNT        a file of one uint64_t that receives the number of allocations
 *
 * Before main it stops itself, so that a tracer knows where its system calls begin to count. A
 * program that counts its branches (make coverage) writes the counts after its end: no allocation
 * fails then, and a system call that does not exist reports that to the tracer.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <dlfcn.h>

typedef int main_function(int, char **, char **);

static bool is_counting, is_lasting;
static uint64_t unseen, *n_allocations = &unseen, failing;
static main_function *program_main;

/* ---- Allocations: libc's own are called by the names that no program replaces ---- */

static bool may_allocate(void)
{
    if (!is_counting)
        return true;
    uint64_t n = __atomic_add_fetch(n_allocations, 1, __ATOMIC_RELAXED);
    bool fails = n == failing || (is_lasting && failing != 0 && n > failing);
    if (fails)
        errno = ENOMEM;
    return !fails;
}

void *__libc_malloc(size_t len);
void *__libc_calloc(size_t count, size_t len);
void *__libc_realloc(void *block, size_t len);
void *__libc_memalign(size_t alignment, size_t len);
void *memalign(size_t alignment, size_t len);

#pragma GCC visibility push(default)

void *malloc(size_t len)
{
    return may_allocate() ? __libc_malloc(len) : NULL;
}

void *calloc(size_t count, size_t len)
{
    return may_allocate() ? __libc_calloc(count, len) : NULL;
}

void *realloc(void *block, size_t len)
{
    return may_allocate() ? __libc_realloc(block, len) : NULL;
}

void *memalign(size_t alignment, size_t len)
{
    return may_allocate() ? __libc_memalign(alignment, len) : NULL;
}

void *aligned_alloc(size_t alignment, size_t len)
{
    return memalign(alignment, len);
}

int posix_memalign(void **block, size_t alignment, size_t len)
{
    void *made = memalign(alignment, len);
    if (made != NULL)
        *block = made;
    return made != NULL ? 0 : ENOMEM;
}

/* ---- The start ---- */

static uint64_t *map_count(const char *path)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *map = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED)
        abort();
    return map;
}

#ifdef COVERAGE
static void end_count(void)
{
    is_counting = false;
    syscall(-1);
}
#endif

/* Programs that the program runs are not held to account. */
static int counted_main(int argc, char **argv, char **environment)
{
    unsetenv("LD_PRELOAD");
    n_allocations = map_count(getenv("FAULT_COUNT"));
    failing = strtoull(getenv("FAULT_ALLOCATION"), NULL, 10);
    is_lasting = getenv("FAULT_LASTING") != NULL;
#ifdef COVERAGE
    atexit(end_count);
#endif
    raise(SIGSTOP);
    is_counting = true;
    return program_main(argc, argv, environment);
}

/* A program's first instructions call this; libc's own calls main, this one calls ours instead. */
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*start)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                 void *);
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&start, &found, sizeof start); /* C has no cast from an object to a function */
    program_main = main;
    return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

#pragma GCC visibility pop
