/* machine.c - asks Linux for AMX (arch_prctl(2), ARCH_REQ_XCOMP_PERM), sets OpenBLAS' threads. */
#include "engine/runtime/machine.h"

#include "model/kernels/blas.h"

#include <cblas.h>
#include <sys/syscall.h>
#include <unistd.h>

bool machine_allow_tiles(void)
{
#if defined(__x86_64__)
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
#else
    return false;
#endif
}

bool machine_prepare_blas(void)
{
    if (!blas_is_usable())
        return false;
    openblas_set_num_threads(1);
    return true;
}
