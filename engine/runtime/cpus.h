/* cpus.h - how many threads to use. */
#ifndef ENGINE_CPUS_H
#define ENGINE_CPUS_H

#include <stddef.h>

enum { MAX_THREADS = 1024 };

/* Returns the number of threads to use if the caller asks for n_asked. More threads than CPUs of
 * this process (by its affinity mask and the cgroup's quota) would only wait for each other, so the
 * CPUs are the limit, unless OMP_NUM_THREADS (its first number) is larger. 0: OMP_NUM_THREADS, else
 * the CPUs. At least 1, at most MAX_THREADS and OpenMP's limit (OMP_THREAD_LIMIT). */
size_t threads_choose(size_t n_asked);

/* Returns the number of threads of this process, the host's included; 1 without /proc. */
size_t process_threads(void);

#endif
