/* sandbox.c - see sandbox.h. Interfaces of Linux: landlock(7), seccomp(2). libc has no functions
 * for the first. */
#include "tools/import/sandbox.h"

#include "tools/common/options.h"

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__i386__)
#define MACHINE AUDIT_ARCH_I386
#endif
#if defined(MACHINE) && !defined(WITHOUT_SANDBOX) && __has_include(<linux/landlock.h>)
#define HAS_SANDBOX
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Rights to files. ALL_1 is what the first version knows; REFER and TRUNCATE came later. OUTPUT is
 * to write, make and remove files, and to open the folder to sync it, which shows names. */
enum { READ_FILE = 1 << 2, READ_FOLDER = 1 << 3, READ = READ_FILE | READ_FOLDER };
enum { ALL_1 = (1 << 13) - 1, REFER = 1 << 13, TRUNCATE = 1 << 14 };
enum { OUTPUT = 1 << 1 | READ_FOLDER | 1 << 5 | 1 << 8 | TRUNCATE };

static int rules;
static unsigned handled;

/* Allows a path, if it exists; of a link, its target. */
static void allow(const char *path, unsigned rights)
{
    struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    struct stat status;
    const bool is_folder = fstat(rule.parent_fd, &status) == 0 && S_ISDIR(status.st_mode);
    rule.allowed_access = rights & handled & (is_folder ? ~0u : READ_FILE);
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    if (rule.parent_fd >= 0)
        close(rule.parent_fd);
}

static int allow_link(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    if (type == FTW_SL)
        allow(path, READ);
    return place->level > 2 ? FTW_SKIP_SIBLINGS : FTW_CONTINUE; /* modules are one level down */
}

static void allow_source(const char *path)
{
    char real[PATH_MAX];
    if (path == NULL || realpath(path, real) == NULL)
        return;
    allow(real, READ);
    nftw(real, allow_link, 8, FTW_PHYS | FTW_ACTIONRETVAL);
}

/* A new file is made in the folder of the output, or of the target of a link of that name. */
static void allow_output(const char *path)
{
    char real[PATH_MAX], folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    allow(dirname(folder), OUTPUT);
    if (realpath(path, real) != NULL)
        allow(dirname(real), OUTPUT);
}

/* jansson's hash tables begin with random bytes, so that no file can choose keys that collide. */
static bool restrict_files(const struct import_options *options)
{
    // clang-format off
    static const char *const system[] = {"/usr", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache",
        "/proc/self", "/proc/cpuinfo", "/dev/urandom", "/sys/fs/cgroup", "/sys/devices/system/cpu"};
    // clang-format on
    const char *const sources[] = {options->directory, options->tokenizer, options->vectors.path,
                                   options->vectors.only_words_of, options->adapter};
    const long version =
        syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    handled = ALL_1 | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
    const uint64_t attributes = handled;
    rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (version < 1 || rules < 0)
        return false;
    for (size_t i = 0; i < sizeof system / sizeof *system; i++)
        allow(system[i], READ);
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        allow_source(sources[i]);
    if (options->output != NULL)
        allow_output(options->output);
    const bool is_done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return is_done;
}

/* These calls fail, and so do those of other architectures (32 bits, x32). 425 is io_uring_setup,
 * which can open sockets, 438 pidfd_getfd. */
// clang-format off
static const unsigned REFUSED[] = {
    SYS_socket, SYS_connect, SYS_bind, SYS_execve, SYS_execveat, SYS_ptrace, SYS_kill, SYS_bpf,
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_unshare, SYS_setns, SYS_mount, 425, 438,
#ifdef SYS_socketcall
    SYS_socketcall,
#endif
};
// clang-format on

static bool restrict_calls(void)
{
    enum { N = sizeof REFUSED / sizeof *REFUSED, HEAD = 4, X32 = 0x40000000 };
    struct sock_filter filter[HEAD + N + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 0, N + 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, N + 1, 0),
        [HEAD + N] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        [HEAD + N + 1] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1), /* EPERM */
    };
    for (unsigned i = 0; i < N; i++)
        filter[HEAD + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, REFUSED[i],
                                                        (uint8_t)(N - i), 0);
    const struct sock_fprog program = {.len = HEAD + N + 2, .filter = filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#endif

void sandbox_enter(const struct import_options *options)
{
    bool is_safe = false;
    if (options->sandbox == SANDBOX_OFF)
        return;
#ifdef HAS_SANDBOX
    is_safe = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && restrict_files(options);
    is_safe = restrict_calls() && is_safe;
#endif
    if (!is_safe && options->sandbox == SANDBOX_REQUIRE)
        program_die("--sandbox require: this system has no Landlock or no filter of system calls");
}
