/* avx2_only.c - answers cpuid as a processor with AVX2 and no later instructions.
 *
 * bench_peers.py --isa avx2 preloads it (LD_PRELOAD) into its peers. Linux makes each cpuid of a
 * process a SIGSEGV where the machine can ("cpuid_fault" in /proc/cpuinfo).
 */
#include <asm/prctl.h>
#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { CPUID_BYTES = 2, FEATURES = 7, UP_TO_AVX2 = 0xffff };

static long allow_cpuid(long yes)
{
    return syscall(SYS_arch_prctl, ARCH_SET_CPUID, yes);
}

static void answer_cpuid(int number, siginfo_t *info, void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    unsigned leaf = (unsigned)registers[REG_RAX], subleaf = (unsigned)registers[REG_RCX];
    unsigned a, b, c, d;
    (void)info;
    if (memcmp((const void *)registers[REG_RIP], "\x0f\xa2", CPUID_BYTES) != 0) {
        signal(number, SIG_DFL);
        return;
    }
    allow_cpuid(1);
    __cpuid_count(leaf, subleaf, a, b, c, d);
    allow_cpuid(0);
    if (leaf == FEATURES) /* AVX-512, VNNI and AMX are above, or in other subleaves */
        a = c = d = 0, b &= subleaf == 0 ? UP_TO_AVX2 : 0;
    registers[REG_RAX] = a;
    registers[REG_RBX] = b;
    registers[REG_RCX] = c;
    registers[REG_RDX] = d;
    registers[REG_RIP] += CPUID_BYTES;
}

__attribute__((constructor)) static void install(void)
{
    struct sigaction action = {.sa_sigaction = answer_cpuid, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGSEGV, &action, NULL);
    if (allow_cpuid(0) != 0) {
        perror("avx2_only: this machine cannot hold a peer to AVX2: arch_prctl(ARCH_SET_CPUID)");
        _exit(1);
    }
}
