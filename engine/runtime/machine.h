/* machine.h - the library's requests to the machine; engine.h documents them for hosts. */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

#include "engine/engine.h"
#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"

enum { MAX_THREADS = 1024 };

/* Returns the number of threads to use if the caller asks for n_asked. More threads than CPUs of
 * this process (by its affinity mask and the cgroup's quota) would only wait for each other, so the
 * CPUs are the limit, unless OMP_NUM_THREADS (its first number) is larger. 0: OMP_NUM_THREADS, else
 * the CPUs. At least 1, at most MAX_THREADS and OpenMP's limit (OMP_THREAD_LIMIT). */
size_t threads_choose(size_t n_asked);

/* Returns the number of threads of this process, the host's included; 1 without /proc. */
size_t process_threads(void);

/* Asks Linux for AMX's tile registers, for kernels that need tiles. Returns false if refused. */
bool machine_allow_tiles(void);

/* Returns the kernels that ENGINE_ISA names, else the best that this CPU has and this process may
 * use. Returns NULL if the name is unknown. */
const struct kernels *machine_kernels(bool tiles, engine_error *error);

/* Returns OpenBLAS, set to one thread, so that each of ours can call it; loaded by the first call
 * in the process, and never unloaded. Returns NULL if it is missing, its build cannot be used
 * (blas.h), or the process's memory is limited. */
const struct blas *machine_blas(void);

#endif
