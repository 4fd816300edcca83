/* test_openblas.c - OpenBLAS is loaded when a model is opened whose kernels want it, starts no
 * thread of its own and leaves the process as it was; where it cannot be had, models work all the
 * same. Each case is a child process, as a library is loaded once.
 *
 * Guarantee: OpenBLAS is loaded only if it is needed, without threads of its own. */
#include "tests/support.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 32, N_TEXT = 50 };
enum { AS_EXPECTED, LOADED, NOT_LOADED, MORE_THREADS, OTHER_CPUS, CANNOT_ENCODE, CANNOT_TRY };

static char path[SUPPORT_PATH];

static bool is_loaded(void)
{
    return dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD) != NULL;
}

static size_t count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    size_t n = 0;
    assert_non_null(tasks);
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(tasks);
    return n;
}

/* Opens and encodes alone; false: it fails. */
static bool encode(float vector[WIDTH])
{
    int32_t ids[N_TEXT];
    engine_session_options options = ENGINE_SESSION_OPTIONS(.n_threads = 1);
    engine_encode_options mean = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_MEAN);
    engine_model *model;
    engine_session *session;
    for (int i = 0; i < N_TEXT; i++)
        ids[i] = i % 20;
    engine_input input = support_ids(ids, N_TEXT);
    return engine_model_open(path, NULL, &model, NULL) == 0 &&
           engine_session_new(model, &options, &session, NULL) == 0 &&
           engine_encode(session, &input, 1, &mean, vector, WIDTH, NULL, NULL) == 0;
}

/* Returns what the child finds that `prepare` has prepared. */
static int in_child(const char *isa, void (*prepare)(void), bool wants_blas)
{
    float vector[WIDTH];
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    setenv("ENGINE_ISA", isa, 1);
    prepare();
    alarm(300); /* OpenBLAS waits for ever for memory that is refused */
    if (!encode(vector))
        return CANNOT_ENCODE;
    if (is_loaded() != wants_blas)
        return wants_blas ? NOT_LOADED : LOADED;
    if (count_threads() != 1)
        return MORE_THREADS;
    sched_getaffinity(0, sizeof after, &after);
    return CPU_EQUAL(&before, &after) ? AS_EXPECTED : OTHER_CPUS;
}

static void check(const char *isa, void (*prepare)(void), bool wants_blas)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        support_exit(in_child(isa, prepare, wants_blas));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT_TRY) {
        print_message("skipped: root cannot become another user here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), AS_EXPECTED);
}

static void change_nothing(void)
{
}

static bool is_here(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        support_exit(dlopen("libopenblas.so.0", RTLD_NOW) == NULL);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status == 0;
}

TEST(loaded_for_the_portable_kernels_alone)
{
    for (size_t i = 0; support_isa(i) != NULL; i++)
        check(support_isa(i), change_nothing, is_here() && strcmp(support_isa(i), "portable") == 0);
}

static void ask_for_threads(void)
{
    setenv("OPENBLAS_NUM_THREADS", "4", 1);
}

TEST(starts_no_thread_that_the_environment_asks_for)
{
    check("portable", ask_for_threads, is_here());
}

/* Limits of threads are for other users than root. */
static void refuse_threads(void)
{
    const struct rlimit one = {1, 1};
    if (setrlimit(RLIMIT_NPROC, &one) != 0 ||
        (getuid() == 0 && setresuid(65534, 65534, 65534) != 0) || access(path, R_OK) != 0)
        support_exit(CANNOT_TRY);
}

TEST(needs_no_thread)
{
    check("portable", refuse_threads, is_here());
}

static void limit_addresses(void)
{
    const rlim_t most = (rlim_t)100 << 20;
    if (setrlimit(RLIMIT_AS, &(struct rlimit){most, most}) != 0)
        support_exit(CANNOT_ENCODE);
}

TEST(not_loaded_where_memory_is_limited)
{
    if (support_sanitized()) /* they reserve terabytes of addresses */
        skip();
    check("portable", limit_addresses, false);
}

SET_UP()
{
    support_path(path, support_folder(), "m.weights");
    support_make_model(path, NULL, "--layers 1 --width 32 --heads 2 --feed-forward 64");
    assert_int_equal(chmod(support_folder(), 0711), 0); /* for other users */
}
