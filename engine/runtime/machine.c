/* machine.c - asks Linux how many CPUs and threads there are (environment, affinity, cgroup quota),
 * and for AMX (arch_prctl(2), ARCH_REQ_XCOMP_PERM); and loads OpenBLAS.
 *
 * cgroup v2: cpu.max has "QUOTA PERIOD" or "max PERIOD" in the group's directory and each one above
 * it; v1: cpu.cfs_quota_us and cpu.cfs_period_us. Files are read with read(2), so that opening a
 * session allocates nothing here.
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
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- CPUs and threads ---- */

/* Reads the start of a file whose path has three parts. Returns its length; "" on failure. */
static size_t read_text(const char *root, const char *directory, const char *file, char *text,
                        size_t cap)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s%s", root, directory, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, cap - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

static size_t smaller_limit(size_t a, size_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Finds "cpu" among controllers such as "cpu,cpuacct"; not in "cpuset". */
static bool lists_cpu(const char *controllers)
{
    for (const char *at = controllers; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, "cpu", 3) == 0 && (at[3] == '\0' || at[3] == ','))
            return true;
    }
    return false;
}

/* Returns the least quota of this process's group and those above it, ⌈quota / period⌉ CPUs; 0 if
 * unlimited. */
static size_t cgroup_cpus(void)
{
    static const char V1[] = "/sys/fs/cgroup/cpu", V2[] = "/sys/fs/cgroup";
    char groups[4096], directory[256], text[96];
    long long quota, period;
    size_t least = 0;
    read_text("/proc/self/cgroup", "", "", groups, sizeof groups);
    for (char *rest = groups, *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *controllers = strchr(line, ':');
        char *name = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (name == NULL || strlen(name + 1) >= sizeof directory)
            continue;
        bool v2 = name == controllers + 1;
        *name = '\0';
        if (!v2 && !lists_cpu(controllers + 1))
            continue;
        strcpy(directory, strcmp(name + 1, "/") == 0 ? "" : name + 1);
        for (char *end = strchr(directory, '\0'); end != NULL; end = strrchr(directory, '/')) {
            *end = '\0';
            size_t len = v2 ? read_text(V2, directory, "/cpu.max", text, sizeof text)
                            : read_text(V1, directory, "/cpu.cfs_quota_us", text, 32);
            if (!v2)
                read_text(V1, directory, "/cpu.cfs_period_us", text + len, sizeof text - len);
            if (sscanf(text, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0)
                least = smaller_limit(least, (size_t)((quota + period - 1) / period));
        }
    }
    return least;
}

size_t process_threads(void)
{
    char status[4096];
    size_t n = 1;
    read_text("/proc/self/status", "", "", status, sizeof status);
    const char *line = strstr(status, "\nThreads:");
    return line != NULL && sscanf(line, "\nThreads: %zu", &n) == 1 ? n : 1;
}

size_t threads_choose(size_t n_asked)
{
    if (n_asked == 1)
        return 1;
    const char *asked = getenv("OMP_NUM_THREADS");
    long first_number = asked != NULL ? strtol(asked, NULL, 10) : 0;
    size_t by_environment = first_number > 0 ? (size_t)first_number : 0; /* 0: not set */
    /* OpenMP reports the process's CPUs even if it has bound this thread to one of them. */
    size_t cpus = smaller_limit((size_t)omp_get_num_procs(), cgroup_cpus());
    size_t most = by_environment > cpus ? by_environment : cpus;
    size_t threads = n_asked > 0 ? n_asked : by_environment > 0 ? by_environment : cpus;
    threads = smaller_limit(threads < most ? threads : most, (size_t)omp_get_thread_limit());
    return threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
}

/* ---- Instruction sets ---- */

bool machine_allow_tiles(void)
{
#if defined(__x86_64__)
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
#else
    return false;
#endif
}

const struct kernels *machine_kernels(bool tiles, engine_error *error)
{
    const char *isa = getenv("ENGINE_ISA");
    const struct kernels *kernels = kernels_select(isa, tiles);
    if (kernels == NULL)
        misused(
            error,
            "the environment's ENGINE_ISA is '%.32s', expected portable, avx2, avxvnni, avx512, "
            "avx512vnni, avx512bf16, amx, neon, neondot or neoni8mm",
            isa);
    return kernels != NULL && kernels->needs_tiles && !machine_allow_tiles()
               ? kernels_select(isa, false)
               : kernels;
}

/* ---- OpenBLAS ---- */

static const char OPENBLAS[] = "libopenblas.so.0";

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
