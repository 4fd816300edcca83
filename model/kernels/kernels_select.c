/* kernels_select.c - which of the compiled instruction sets this CPU runs. */
#include "model/kernels/kernels.h"

#include <stdbool.h>
#include <string.h>

enum { AMX = 4 }; /* its place in both lists */

#if defined(__x86_64__)
#include <cpuid.h>

static const struct kernels *const KERNEL_SETS[] = {
    &kernels_portable, &kernels_avx2, &kernels_avx512, &kernels_avx512vnni, &kernels_amx};

static bool cpu_has_tiles(void)
{
    enum { AMX_TILE = 1 << 24, AMX_INT8 = 1 << 25 }; /* of edx, leaf 7 */
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & AMX_TILE) != 0 && (d & AMX_INT8) != 0;
}

static bool cpu_has(size_t set)
{
    switch (set) {
    case 1:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); /* and so f16c */
    case 2:
        return cpu_has(1) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    case 3: return cpu_has(2) && __builtin_cpu_supports("avx512vnni");
    case AMX: return cpu_has(3) && cpu_has_tiles();
    default: return true;
    }
}
#else
static const struct kernels *const KERNEL_SETS[] = {&kernels_portable};

static bool cpu_has(size_t set)
{
    return set == 0;
}
#endif

static const char *const NAMES[] = {"portable", "avx2", "avx512", "avx512vnni", "amx"};

const struct kernels *kernels_select(const char *isa, bool int8)
{
    size_t n_sets = sizeof KERNEL_SETS / sizeof KERNEL_SETS[0];
    size_t wanted = n_sets - 1;
    if (isa != NULL && isa[0] != '\0') {
        for (wanted = 0; strcmp(NAMES[wanted], isa) != 0;)
            if (++wanted == sizeof NAMES / sizeof NAMES[0])
                return NULL;
        wanted = wanted < n_sets ? wanted : n_sets - 1;
    }
    while ((wanted == AMX && !int8) || !cpu_has(wanted))
        wanted--;
    return KERNEL_SETS[wanted];
}
