/* machine.h - the library's requests to the machine; engine.h documents them for hosts. */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

#include "engine/engine.h"
#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"

/* Asks Linux for AMX's tile registers, for kernels that need tiles. Returns false if refused. */
bool machine_allow_tiles(void);

/* Returns the kernels that ENGINE_ISA names, else the best that this CPU has and this process may
 * use. Returns NULL if the name is unknown. */
const struct kernels *machine_kernels(bool int8, engine_error *error);

/* Returns OpenBLAS, set to one thread, so that each of ours can call it; loaded by the first call
 * in the process, and never unloaded. Returns NULL if it is missing, its build cannot be used
 * (blas.h), or the process's memory is limited. */
const struct blas *machine_blas(void);

#endif
