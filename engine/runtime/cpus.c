/* cpus.c - the number of threads to use (environment, affinity, cgroup quota) and of existing ones.
 *
 * cgroup v2: cpu.max has "QUOTA PERIOD" or "max PERIOD" in the group's directory and each one above
 * it; v1: cpu.cfs_quota_us and cpu.cfs_period_us. Files are read with read(2), so that opening a
 * session allocates nothing here.
 */
#include "engine/runtime/cpus.h"

#include <fcntl.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Returns ⌈quota / period⌉ CPUs of a group; 0 if unlimited. */
static size_t quota_of(const char *directory, bool v2)
{
    static const char V1[] = "/sys/fs/cgroup/cpu";
    char text[96];
    long long quota, period;
    if (v2) {
        read_text("/sys/fs/cgroup", directory, "/cpu.max", text, sizeof text);
    } else {
        size_t len = read_text(V1, directory, "/cpu.cfs_quota_us", text, 32);
        read_text(V1, directory, "/cpu.cfs_period_us", text + len, sizeof text - len);
    }
    bool has_limit = sscanf(text, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0;
    return has_limit ? (size_t)((quota + period - 1) / period) : 0;
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

/* Returns the least quota of this process's group and those above it; 0 if unlimited. */
static size_t cgroup_cpus(void)
{
    char groups[4096], directory[256];
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
        for (;;) {
            least = smaller_limit(least, quota_of(directory, v2));
            char *slash = strrchr(directory, '/');
            if (slash == NULL)
                break;
            *slash = '\0';
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
