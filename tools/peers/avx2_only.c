/* avx2_only.c - answers cpuid as a processor with AVX2 and no later instructions.
 *
 * bench_peers.py --isa avx2 preloads it (LD_PRELOAD) with a copy of ONNX Runtime in which each
 * cpuid is the undefined instruction ud2, which has as many bytes. The handler of its signal
 * removes the features later than AVX2 from the answer. So one machine compares both on AVX2.
 */
#include <cpuid.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

enum { UD2_BYTES = 2, FEATURES = 7 };

/* Of leaf 7, subleaf 0: AVX-512 in its parts, GFNI, VAES, VNNI and AMX. */
static const unsigned LATER_B =
    1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 | 1u << 27 | 1u << 28 | 1u << 30 | 1u << 31;
static const unsigned LATER_C =
    1u << 1 | 1u << 6 | 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 14;
static const unsigned LATER_D =
    1u << 2 | 1u << 3 | 1u << 8 | 1u << 22 | 1u << 23 | 1u << 24 | 1u << 25;

static void answer_cpuid(int signal, siginfo_t *info, void *context)
{
    ucontext_t *thread = context;
    greg_t *registers = thread->uc_mcontext.gregs;
    const unsigned char *at = (const unsigned char *)registers[REG_RIP];
    unsigned leaf = (unsigned)registers[REG_RAX], subleaf = (unsigned)registers[REG_RCX];
    unsigned a, b, c, d;
    (void)info;
    if (memcmp(at, "\x0f\x0b", UD2_BYTES) != 0) {
        struct sigaction as_before = {.sa_handler = SIG_DFL};
        sigaction(signal, &as_before, NULL);
        return;
    }
    __cpuid_count(leaf, subleaf, a, b, c, d);
    if (leaf == FEATURES) {
        a = subleaf == 0 ? a : 0; /* of the later subleaves nothing is left */
        b = subleaf == 0 ? b & ~LATER_B : 0;
        c = subleaf == 0 ? c & ~LATER_C : 0;
        d = subleaf == 0 ? d & ~LATER_D : 0;
    }
    registers[REG_RAX] = a;
    registers[REG_RBX] = b;
    registers[REG_RCX] = c;
    registers[REG_RDX] = d;
    registers[REG_RIP] += UD2_BYTES;
}

__attribute__((constructor)) static void install(void)
{
    struct sigaction action = {.sa_sigaction = answer_cpuid, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGILL, &action, NULL);
}
