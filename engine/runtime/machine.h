/* machine.h - the two settings of the process that a model may change; engine.h tells the host. */
#ifndef ENGINE_MACHINE_H
#define ENGINE_MACHINE_H

#include <stdbool.h>

/* Asks Linux for AMX's tile registers, which the kernels that need tiles use. False: refused. */
bool machine_allow_tiles(void);

/* Sets OpenBLAS to one thread, so that it can be called from each of ours. False: its build cannot
 * be used (model/kernels/blas.h). */
bool machine_prepare_blas(void);

#endif
