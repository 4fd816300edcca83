/* machine.h - what the library asks of the machine; engine.h tells the host. */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

#include "engine/engine.h"
#include "model/kernels/blas.h"
#include "model/kernels/kernels.h"

/* Asks Linux for AMX's tile registers, which the kernels that need tiles use. False: refused. */
bool machine_allow_tiles(void);

/* The kernels that ENGINE_ISA names, else the best that this CPU has and this process may use.
 * NULL: there is no such name. */
const struct kernels *machine_kernels(bool int8, engine_error *error);

/* OpenBLAS, set to one thread, so that each of ours can call it; loaded by the first call in the
 * process, and never unloaded. NULL: it is not there, its build cannot be used (blas.h), or the
 * process may not have the memory that it takes. */
const struct blas *machine_blas(void);

#endif
