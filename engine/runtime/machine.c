/* machine.c - asks Linux for AMX (arch_prctl(2), ARCH_REQ_XCOMP_PERM), and loads OpenBLAS.
 *
 * OpenBLAS initialises itself while it is loaded: it starts a thread for each CPU that the loading
 * thread may use but one, and ends the process if threads are refused. So the loading thread is
 * bound to one CPU meanwhile. It also reserves 32 MB of addresses and more at a time for each
 * thread that calls it, and retries forever if they are refused; so it is not used in a process
 * whose memory is limited.
 */
#include "engine/runtime/machine.h"

#include "engine/status.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char OPENBLAS[] = "libopenblas.so.0";

bool machine_allow_tiles(void)
{
#if defined(__x86_64__)
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
#else
    return false;
#endif
}

const struct kernels *machine_kernels(bool int8, engine_error *error)
{
    const char *isa = getenv("ENGINE_ISA");
    const struct kernels *kernels = kernels_select(isa, int8);
    if (kernels == NULL)
        misused(
            error,
            "the environment's ENGINE_ISA is '%.32s', expected portable, avx2, avxvnni, avx512, "
            "avx512vnni, amx, neon, neondot or neoni8mm",
            isa);
    return kernels != NULL && kernels->needs_tiles && !machine_allow_tiles()
               ? kernels_select("avx512vnni", false)
               : kernels;
}

static bool memory_is_limited(void)
{
    struct rlimit addresses, data;
    return getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur != RLIM_INFINITY ||
           getrlimit(RLIMIT_DATA, &data) != 0 || data.rlim_cur != RLIM_INFINITY;
}

/* Calls dlopen while the thread is bound to its current CPU. */
static void *load_on_one_cpu(const char *name)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    if (sched_getaffinity(0, sizeof all, &all) != 0 || sched_setaffinity(0, sizeof one, &one) != 0)
        return NULL;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    sched_setaffinity(0, sizeof all, &all);
    return library;
}

/* Stores the library's function of that name in *function, a pointer to a function. */
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static struct blas openblas; /* sgemm NULL: not loaded */

static void load_openblas(void)
{
    enum { SEQUENTIAL = 0, PTHREADS = 1, OPENMP = 2 }; /* answers of openblas_get_parallel */
    int (*get_parallel)(void);
    void (*set_num_threads)(int);
    struct blas found;
    if (memory_is_limited())
        return;
    void *library = dlopen(OPENBLAS, RTLD_NOW | RTLD_NOLOAD); /* the host's own, if any */
    if (library == NULL)
        library = load_on_one_cpu(OPENBLAS);
    if (library == NULL || !find(library, "openblas_get_parallel", &get_parallel) ||
        !find(library, "openblas_set_num_threads", &set_num_threads) ||
        !find(library, "cblas_sgemm", &found.sgemm) || get_parallel() != PTHREADS)
        return;
    set_num_threads(1);
    openblas = found;
}

const struct blas *machine_blas(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_openblas);
    return openblas.sgemm != NULL ? &openblas : NULL;
}
