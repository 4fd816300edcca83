/* cpus.h - how many threads to work with. */
#ifndef ENGINE_CPUS_H
#define ENGINE_CPUS_H

#include <stddef.h>

enum { MAX_THREADS = 1024 };

/* The number of threads to work with where the caller asks for so many. More than there are CPUs
 * for this process (by its affinity mask and the cgroup's quota) would only wait for each other, so
 * there are no more, unless OMP_NUM_THREADS (its first number) asks for them. 0: OMP_NUM_THREADS,
 * else the CPUs. At least 1, at most MAX_THREADS and OpenMP's limit (OMP_THREAD_LIMIT). */
size_t threads_choose(size_t n_asked);

/* Those of this process, the host's too; 1 where /proc does not say. */
size_t process_threads(void);

#endif
