/* kernels_select.c - chooses the compiled instruction set that this CPU runs. */
#include "model/kernels/kernels.h"

#include <stdbool.h>
#include <string.h>

/* From the plainest set to the best; cpu_has(i) returns whether this CPU runs set i. */
#if defined(__x86_64__)
#include <cpuid.h>

enum { PORTABLE, AVX2, AVX_VNNI, AVX512, AVX512_VNNI, AVX512_BF16, AMX };

static const struct kernels *const KERNEL_SETS[] = {
    &kernels_portable,   &kernels_avx2,       &kernels_avxvnni, &kernels_avx512,
    &kernels_avx512vnni, &kernels_avx512bf16, &kernels_amx};

/* CPUID leaf 7 bits that the compilers' names do not cover: tiles, int8 and bf16 (edx), and VNNI in
 * AVX registers (eax of subleaf 1). */
enum { AMX_BITS = 1 << 24 | 1 << 25 | 1 << 22, AVX_VNNI_BIT = 1 << 4 };

static bool cpu_has(size_t set)
{
    unsigned a, b, c, d;
    switch (set) {
    case AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); /* and hence f16c */
    case AVX_VNNI:
        return cpu_has(AVX2) && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & AVX_VNNI_BIT) != 0;
    case AVX512:
        return cpu_has(AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    case AVX512_VNNI: return cpu_has(AVX512) && __builtin_cpu_supports("avx512vnni");
    case AVX512_BF16: return cpu_has(AVX512_VNNI) && __builtin_cpu_supports("avx512bf16");
    case AMX:
        return cpu_has(AVX512_BF16) && __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
               (d & AMX_BITS) == AMX_BITS;
    default: return true;
    }
}

/* Intel's vdpbf16ps does half the products of its multiply-adds a second (measured on a Xeon with
 * AMX), AMD's twice as many: on Intel's processors the set must be asked for. */
#define CPU_IS_SLOW_WITH(set) ((set) == AVX512_BF16 && __builtin_cpu_is("intel"))
#elif defined(__aarch64__)
#include <sys/auxv.h>

static const struct kernels *const KERNEL_SETS[] = {&kernels_portable, &kernels_neon,
                                                    &kernels_neondot, &kernels_neoni8mm};

static bool cpu_has(size_t set)
{
    switch (set) {
    case 2: return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
    case 3: return cpu_has(2) && (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0;
    default: return true; /* every aarch64 CPU has NEON */
    }
}
#else
static const struct kernels *const KERNEL_SETS[] = {&kernels_portable};

static bool cpu_has(size_t set)
{
    return set == 0;
}
#endif

#if !defined(CPU_IS_SLOW_WITH)
#define CPU_IS_SLOW_WITH(set) false
#endif

/* Names for all processors. */
static const char NAMES[][12] = {"portable",   "avx2", "avxvnni", "avx512",  "avx512vnni",
                                 "avx512bf16", "amx",  "neon",    "neondot", "neoni8mm"};

const struct kernels *kernels_select(const char *isa, bool tiles)
{
    size_t chosen = sizeof KERNEL_SETS / sizeof KERNEL_SETS[0] - 1;
    const bool is_asked = isa != NULL && isa[0] != '\0';
    if (is_asked) {
        size_t name = 0;
        while (name < sizeof NAMES / sizeof NAMES[0] && strcmp(NAMES[name], isa) != 0)
            name++;
        if (name == sizeof NAMES / sizeof NAMES[0])
            return NULL;
        while (chosen > 0 && strcmp(KERNEL_SETS[chosen]->isa, isa) != 0)
            chosen--;
    }
    while ((KERNEL_SETS[chosen]->needs_tiles && !tiles) || !cpu_has(chosen) ||
           (!is_asked && CPU_IS_SLOW_WITH(chosen)))
        chosen--;
    return KERNEL_SETS[chosen];
}
