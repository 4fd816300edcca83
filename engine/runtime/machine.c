/* machine.c - what the library asks of Linux and OpenMP: time, CPUs, threads and how they wait for
 * each other by futex(2), AMX (arch_prctl(2), ARCH_REQ_XCOMP_PERM), and OpenBLAS.
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
#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Time ---- one reading of the clock takes some 20 ns. */

uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void profile_lap(struct profile_slot *slot, engine_step step)
{
    if (slot == NULL)
        return;
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    slot->ns[step] += now - slot->last_ns;
    slot->last_ns = now;
}

const char *engine_step_name(engine_step step)
{
    static const char *const NAMES[ENGINE_N_STEPS] = {
        [ENGINE_STEP_TOKENIZE] = "tokenize", [ENGINE_STEP_EMBED] = "embed",
        [ENGINE_STEP_LINEAR] = "linear",     [ENGINE_STEP_ATTENTION] = "attention",
        [ENGINE_STEP_NORM] = "norm",         [ENGINE_STEP_QUANTIZE] = "quantize",
        [ENGINE_STEP_ANSWER] = "answer",     [ENGINE_STEP_WAIT] = "wait",
    };
    return (unsigned)step < ENGINE_N_STEPS ? NAMES[step] : NULL;
}

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

/* Returns the least quota of this process's group and those above it, ⌈quota / period⌉ CPUs;
 * SIZE_MAX if unlimited. */
static size_t cgroup_cpus(void)
{
    static const char V1[] = "/sys/fs/cgroup/cpu", V2[] = "/sys/fs/cgroup";
    char groups[4096], directory[256], text[96];
    long long quota, period;
    size_t least = SIZE_MAX;
    read_text("/proc/self/cgroup", "", "", groups, sizeof groups);
    for (char *rest = groups, *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *controllers = strchr(line, ':');
        char *name = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (name == NULL || strlen(name + 1) >= sizeof directory)
            continue;
        bool v2 = name == controllers + 1, is_of_cpus = v2;
        *name = '\0';
        for (char *list = controllers + 1, *one; (one = strsep(&list, ",")) != NULL;)
            is_of_cpus |= strcmp(one, "cpu") == 0;
        if (!is_of_cpus)
            continue;
        strcpy(directory, strcmp(name + 1, "/") == 0 ? "" : name + 1);
        for (char *end = strchr(directory, '\0'); end != NULL; end = strrchr(directory, '/')) {
            *end = '\0';
            size_t len = v2 ? read_text(V2, directory, "/cpu.max", text, sizeof text)
                            : read_text(V1, directory, "/cpu.cfs_quota_us", text, 32);
            if (!v2)
                read_text(V1, directory, "/cpu.cfs_period_us", text + len, sizeof text - len);
            if (sscanf(text, "%lld %lld", &quota, &period) != 2 || quota <= 0 || period <= 0)
                continue;
            size_t cpus = (size_t)((quota + period - 1) / period);
            least = cpus < least ? cpus : least;
        }
    }
    return least;
}

size_t threads_choose(size_t n_asked)
{
    if (n_asked == 1)
        return 1;
    const char *asked = getenv("OMP_NUM_THREADS");
    long first_number = asked != NULL ? strtol(asked, NULL, 10) : 0;
    size_t by_environment = first_number > 0 ? (size_t)first_number : 0; /* 0: not set */
    /* OpenMP reports the process's CPUs even if it has bound this thread to one of them. */
    size_t cpus = (size_t)omp_get_num_procs(), quota = cgroup_cpus();
    size_t limit = (size_t)omp_get_thread_limit();
    cpus = quota < cpus ? quota : cpus;
    limit = limit < MAX_THREADS ? limit : MAX_THREADS;
    size_t most = by_environment > cpus ? by_environment : cpus;
    size_t threads = n_asked > 0 ? n_asked : by_environment > 0 ? by_environment : cpus;
    most = most < limit ? most : limit;
    return threads < most ? threads : most;
}

/* ---- Waiting: spin, then sleep ---- */

/* Nanoseconds. Linux puts threads that sleep at every barrier on one processor, where they work in
 * turn: on two idle processors a 16-token text took 1.8 ms with 100 microseconds of spinning, 3 to
 * 5 ms with 5 or 20. So a thread whose spin time is short tries the longest now and then, for at
 * most a twentieth of the time. */
enum { LEAST_SPIN = 1000, MOST_SPIN = 100000, BETWEEN_TRIALS = 20 * MOST_SPIN };
enum { PAUSES = 8 }; /* between readings of the clock */

/* 15 to 55 ns on the measured processors; without it, the core's other hardware thread slows. */
#if defined(__x86_64__) || defined(__i386__)
#define PAUSE() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define PAUSE() __asm__ volatile("yield")
#else
#define PAUSE() ((void)0)
#endif

/* Returns whether the threads met while it spun, for an adaptive time: next time twice as long
 * if it succeeded, half as long if not. */
static bool spin(struct barrier *barrier, uint32_t n_seen)
{
    uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    uint32_t spin_ns = atomic_load_explicit(&barrier->spin_ns, memory_order_relaxed);
    bool is_trial = begin >= atomic_load_explicit(&barrier->trial_ns, memory_order_relaxed);
    if (is_trial) {
        atomic_store_explicit(&barrier->trial_ns, begin + BETWEEN_TRIALS, memory_order_relaxed);
        spin_ns = MOST_SPIN;
    }
    bool have_met = false;
    do {
        for (int i = 0; i < PAUSES && !have_met; i++) {
            PAUSE();
            have_met = atomic_load_explicit(&barrier->n_meetings, memory_order_acquire) != n_seen;
        }
    } while (!have_met && clock_ns(CLOCK_MONOTONIC) - begin <= spin_ns);
    uint32_t next = have_met ? 2 * spin_ns : spin_ns / 2;
    next = next < LEAST_SPIN ? LEAST_SPIN : next > MOST_SPIN ? MOST_SPIN : next;
    if (have_met || !is_trial)
        atomic_store_explicit(&barrier->spin_ns, next, memory_order_relaxed);
    return have_met;
}

/* The last to arrive wakes the others. n_sleepers is raised before the kernel reads n_meetings, and
 * the last thread raises n_meetings before it reads n_sleepers: one of them always sees the other.
 */
void end_step(struct team team, engine_step step)
{
    profile_lap(team.profile, step);
    if (team.size == 1)
        return;
    struct barrier *barrier = team.barrier;
    uint32_t n_seen = atomic_load(&barrier->n_meetings);
    if (atomic_fetch_add(&barrier->n_arrived, 1) + 1 == team.size) {
        atomic_store(&barrier->n_arrived, 0);
        atomic_fetch_add(&barrier->n_meetings, 1);
        if (atomic_load(&barrier->n_sleepers) > 0)
            syscall(SYS_futex, &barrier->n_meetings, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
    } else if (atomic_load(&barrier->n_meetings) == n_seen && !spin(barrier, n_seen)) {
        atomic_fetch_add(&barrier->n_sleepers, 1);
        while (atomic_load(&barrier->n_meetings) == n_seen)
            syscall(SYS_futex, &barrier->n_meetings, FUTEX_WAIT_PRIVATE, n_seen, NULL, NULL, 0);
        atomic_fetch_sub(&barrier->n_sleepers, 1);
    }
    profile_lap(team.profile, ENGINE_STEP_WAIT);
}

/* ---- Regions ----
 * OpenMP keeps a pool of threads for each host thread that starts regions, and ends the process if
 * the system refuses it a thread. So before a pool grows, the missing threads are started here and
 * ended again: if the system allows these, it allows OpenMP's a moment later. */

enum { LEAST_STACK = 256 * 1024 }; /* of a thread that computes */

/* Threads of the last region that the calling thread started, including itself. */
static _Thread_local size_t n_in_pool = 1;

/* Process that ran the first parallel region; 0 before that. A child does not have the pool that it
 * remembers, and GCC's OpenMP would wait for it forever. */
static _Atomic pid_t process_of_pools;

/* A thread inherits its creator's signal mask. OpenMP creates threads when a pool grows, but also
 * if the host has had a smaller region since, and for a nested region. They block every signal
 * except their own faults and SIGPROF, so that the host's handlers run on the host's threads: a
 * fault must reach its handler, and a profiler counts all threads. (LLVM's block all in any case.)
 */
static void block_signals(sigset_t *before)
{
    static const int OWN[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof OWN / sizeof *OWN; i++)
        sigdelset(&others, OWN[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

static void *wait_for_lock(void *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

/* Returns how many threads in addition to this one, at most n, the system allows at the same time,
 * with the stacks of OpenMP's threads: OMP_STACKSIZE, or GOMP_STACKSIZE, is a number of KB, or of
 * the unit after it; an invalid or refused one leaves the default. */
static size_t count_threads(size_t n)
{
    static const char UNITS[] = "BbKkMmGg";
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* until all are made */
    pthread_t threads[MAX_THREADS];
    pthread_attr_t attributes;
    sigset_t before;
    char *unit;
    const char *asked = getenv("OMP_STACKSIZE");
    if (asked == NULL)
        asked = getenv("GOMP_STACKSIZE");
    size_t n_made = 0, stack = strtoul(asked != NULL ? asked : "", &unit, 10);
    unit += strspn(unit, " \t\n\v\f\r");
    const char *known = strchr(UNITS, *unit != '\0' ? *unit : 'K');
    const size_t bits = known != NULL ? (size_t)(known - UNITS) / 2 * 10 : 0;
    pthread_attr_init(&attributes);
    if (stack > 0 && known != NULL && stack <= SIZE_MAX >> bits)
        pthread_attr_setstacksize(&attributes, stack << bits);
    if (pthread_attr_getstacksize(&attributes, &stack) != 0 || stack < LEAST_STACK)
        n = 0;
    block_signals(&before);
    pthread_mutex_lock(&lock);
    while (n_made < n && pthread_create(&threads[n_made], &attributes, wait_for_lock, &lock) == 0)
        n_made++;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < n_made; i++)
        pthread_join(threads[i], NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return n_made;
}

size_t region_threads(size_t n, bool *is_refused)
{
    pid_t none = 0, process = getpid();
    bool is_inside = omp_get_level() > 0; /* GCC creates new threads for each nested region */
    size_t n_ready = is_inside ? 1 : n_in_pool;
    char status[4096];
    size_t n_all = 1; /* threads of this process, the host's included; 1 without /proc */
    if (is_refused != NULL)
        *is_refused = false;
    if (n <= 1 || omp_get_active_level() >= omp_get_max_active_levels() ||
        (!atomic_compare_exchange_strong(&process_of_pools, &none, process) && none != process))
        return 1;
    if (n > n_ready) {
        read_text("/proc/self/status", "", "", status, sizeof status);
        const char *line = strstr(status, "\nThreads:");
        if (line != NULL)
            sscanf(line, "\nThreads: %zu", &n_all);
        /* The total is limited: each host thread that calls has a pool of its own. */
        if (n_all + n - n_ready > MAX_THREADS)
            return 1;
        size_t n_possible = n_ready + count_threads(n - n_ready);
        if (is_refused != NULL)
            *is_refused = n_possible < n;
        n = n_possible;
    }
    if (is_inside || n == n_ready)
        return n;
    /* This region only makes the pool: its threads, and OpenMP's allocations for a region of that
     * size, stay for the next. */
    struct barrier barrier = {0};
    region_run(n, &barrier, NULL, NULL);
    return n_in_pool;
}

double region_run(size_t n, struct barrier *barrier, team_job job, void *user)
{
    if (n == 1) {
        job(user, (struct team){0, 1, barrier, barrier->profile});
        return 1;
    }
    sigset_t before;
    uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
    _Atomic uint64_t all_threads_ns = 0; /* of processor time */
    block_signals(&before);
#pragma omp parallel num_threads((int)n)
    {
        uint64_t begin_own_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        struct team team = {(size_t)omp_get_thread_num(), (size_t)omp_get_num_threads(), barrier,
                            NULL};
        if (team.rank == 0) {
            pthread_sigmask(SIG_SETMASK, &before, NULL);
            n_in_pool = omp_get_level() == 1 ? team.size : n_in_pool;
        }
        if (barrier->profile != NULL)
            team.profile = &barrier->profile[team.rank];
        if (job != NULL)
            job(user, team);
        atomic_fetch_add(&all_threads_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_own_ns);
        end_step(team, ENGINE_STEP_WAIT); /* passively, for any setting of OpenMP's own barrier */
    }
    return (double)all_threads_ns / (double)(clock_ns(CLOCK_MONOTONIC) - begin_ns);
}

/* ---- Several threads, or one ---- */

enum { FIRST_PAUSE = 1000000, LAST_PAUSE = 64000000 }; /* nanoseconds */
enum { LAST_WAIT = 256 };                              /* passes */

/* Threads that share a pass wait for each other after every step: some 2 microseconds each, 8 times
 * a layer. The default model's 8 tokens took 121 microseconds with two threads, 103 with one; those
 * of a model of width 384, 350 and 490. So short passes are timed both ways, and take the faster
 * until the other is tried again; each failed try makes the next wait longer. And if other work
 * uses the other processors, Linux wakes a thread on the processor of the thread that wakes it:
 * they take turns on one, and a text of 16 tokens took 2.6 ms instead of 2.1 ms with one thread. So
 * if a pass uses little more than one processor, the next passes use one thread, for 1 ms; then
 * several are tried again; each failed try makes the next pause four times as long, up to 64 ms. */
void region_share(struct sharing *seen, size_t n_rows, size_t n, struct barrier *barrier,
                  team_job job, void *user)
{
    size_t bits = n_rows > 1 ? 64 - (size_t)__builtin_clzll(n_rows - 1) : 0;
    struct ways *ways =
        bits < sizeof seen->by_rows / sizeof *seen->by_rows ? &seen->by_rows[bits] : NULL;
    uint64_t begin_ns = n > 1 ? clock_ns(CLOCK_MONOTONIC) : 0;
    if (n == 1 || begin_ns < seen->alone_until_ns) {
        region_run(1, barrier, job, user);
        return;
    }
    const bool one_was_faster = ways != NULL && ways->ns[1] < ways->ns[0];
    bool is_one = one_was_faster;
    if (ways != NULL && ways->ns[0] > 0 && ways->ns[1] > 0 && ways->until_trial-- == 0) {
        ways->wait = 4 * ways->wait + 4 < LAST_WAIT ? 4 * ways->wait + 4 : LAST_WAIT;
        ways->until_trial = ways->wait;
        is_one = !is_one;
    }
    double n_processors = region_run(is_one ? 1 : n, barrier, job, user);
    uint64_t end_ns = clock_ns(CLOCK_MONOTONIC);
    if (ways != NULL) { /* a time counts as at most twice the average: a pass may be disturbed */
        uint64_t ns = end_ns - begin_ns, average = ways->ns[is_one];
        ways->ns[is_one] =
            average == 0 ? ns : (3 * average + (ns < 2 * average ? ns : 2 * average)) / 4;
        if ((ways->ns[1] < ways->ns[0]) != one_was_faster)
            ways->wait = ways->until_trial = 0;
    }
    if (is_one)
        return;
    uint64_t longer = seen->pause_ns == 0 ? FIRST_PAUSE : 4 * seen->pause_ns;
    seen->pause_ns = n_processors > 1.1 ? 0 : longer < LAST_PAUSE ? longer : LAST_PAUSE;
    seen->alone_until_ns = end_ns + seen->pause_ns;
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
