/* threads.c - the number of threads: environment, affinity, cgroup quota.
 *
 * cgroup v2: cpu.max holds "QUOTA PERIOD" or "max PERIOD" in the group's directory and each one
 * above it; v1: cpu.cfs_quota_us and cpu.cfs_period_us. Files are read with read(2), so that
 * opening a session allocates nothing here.
 */
#include "engine/runtime/cpus.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool read_text(const char *path, char *text, size_t cap)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, cap - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* ⌈quota / period⌉ CPUs; 0 if there is no limit. */
static size_t cpus_of(long long quota, long long period)
{
    return quota > 0 && period > 0 ? (size_t)((quota + period - 1) / period) : 0;
}

static size_t smaller_limit(size_t a, size_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static size_t quota_v2(const char *directory)
{
    char path[512], text[64];
    long long quota, period;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", directory);
    if (!read_text(path, text, sizeof text) || sscanf(text, "%lld %lld", &quota, &period) != 2)
        return 0;
    return cpus_of(quota, period);
}

static size_t quota_v1(const char *directory)
{
    char path[512], quota[32], period[32];
    snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_quota_us", directory);
    if (!read_text(path, quota, sizeof quota))
        return 0;
    snprintf(path, sizeof path, "/sys/fs/cgroup/cpu%s/cpu.cfs_period_us", directory);
    return read_text(path, period, sizeof period) ? cpus_of(atoll(quota), atoll(period)) : 0;
}

/* "cpu" among controllers such as "cpu,cpuacct"; not in "cpuset". */
static bool lists_cpu(const char *controllers)
{
    for (const char *at = controllers; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, "cpu", 3) == 0 && (at[3] == '\0' || at[3] == ','))
            return true;
    }
    return false;
}

/* The least quota of this process's group and those above it; 0 if none. */
static size_t cgroup_cpus(void)
{
    char groups[4096], directory[256];
    size_t least = 0;
    if (!read_text("/proc/self/cgroup", groups, sizeof groups))
        return 0;
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
            least = smaller_limit(least, v2 ? quota_v2(directory) : quota_v1(directory));
            char *slash = strrchr(directory, '/');
            if (slash == NULL)
                break;
            *slash = '\0';
        }
    }
    return least;
}

static size_t affinity_cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (size_t)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* more CPUs than a cpu_set_t holds */
    return online > 0 ? (size_t)online : 1;
}

/* OMP_NUM_THREADS, its first number; 0: it says nothing. */
static size_t asked_by_environment(void)
{
    const char *asked = getenv("OMP_NUM_THREADS");
    long n = asked != NULL ? strtol(asked, NULL, 10) : 0;
    return n > 0 ? (size_t)n : 0;
}

size_t threads_choose(size_t n_asked)
{
    if (n_asked == 1)
        return 1;
    size_t by_environment = asked_by_environment();
    size_t cpus = smaller_limit(affinity_cpus(), cgroup_cpus());
    size_t most = by_environment > cpus ? by_environment : cpus;
    size_t threads = n_asked > 0 ? n_asked : by_environment > 0 ? by_environment : cpus;
    threads = threads < most ? threads : most;
    return threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
}
