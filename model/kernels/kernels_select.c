/* kernels_select.c - which of the compiled instruction sets this CPU runs. */
#include "model/kernels/kernels.h"

#include <stdbool.h>
#include <string.h>

/* Their places in both lists, a better one behind those it is better than. */
enum { PORTABLE, AVX2, AVX_VNNI, AVX512, AVX512_VNNI, AMX };

#if defined(__x86_64__)
#include <cpuid.h>

static const struct kernels *const KERNEL_SETS[] = {&kernels_portable,   &kernels_avx2,
                                                    &kernels_avxvnni,    &kernels_avx512,
                                                    &kernels_avx512vnni, &kernels_amx};

/* What the compilers' names do not cover: leaf 7's bits of the tiles, and of VNNI in AVX registers.
 */
static bool cpu_has_tiles(void)
{
    enum { AMX_TILE = 1 << 24, AMX_INT8 = 1 << 25 }; /* of edx */
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & AMX_TILE) != 0 && (d & AMX_INT8) != 0;
}

static bool cpu_has_avx_vnni(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1 << 4) != 0;
}

static bool cpu_has(size_t set)
{
    switch (set) {
    case AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); /* and so f16c */
    case AVX_VNNI: return cpu_has(AVX2) && cpu_has_avx_vnni();
    case AVX512:
        return cpu_has(AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    case AVX512_VNNI: return cpu_has(AVX512) && __builtin_cpu_supports("avx512vnni");
    case AMX: return cpu_has(AVX512_VNNI) && cpu_has_tiles();
    default: return true;
    }
}
#else
static const struct kernels *const KERNEL_SETS[] = {&kernels_portable};

static bool cpu_has(size_t set)
{
    return set == PORTABLE;
}
#endif

static const char *const NAMES[] = {"portable", "avx2", "avxvnni", "avx512", "avx512vnni", "amx"};

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
