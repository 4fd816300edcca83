/* What encode-import may not do while it reads a stranger's files, and that imports work in the
 * sandbox, also from a download cache, which is made of links, and without one.
 *
 * Guarantee: in encode-import's sandbox another file, a socket, another program and a signal to
 * another process are refused, and imports give the same bytes as without it. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"
#include "tools/import/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

SET_UP()
{
    import_setup();
}

static void make_cache(void)
{
    import_make();
    shell_expect(
        0,
        "mkdir -p cache/blobs cache/snapshots/x out; mv %s/* cache/blobs; cd "
        "cache/snapshots/x; for f in ../../blobs/*; do ln -s $f; done; cd ../..; ln -s "
        "snapshots/x latest; cd ..; echo secret >secret; mkdir -p out/folder; cp secret out; cp "
        "secret out/folder",
        import_directory);
}

static bool has_sandbox(void)
{
    make_cache();
    if (shell("$IMPORT cache/latest -o out/m.weights --sandbox require")->code == 0)
        return true;
    print_message("no sandbox here: skipped\n");
    return false;
}

static int opened(const char *path, int flags)
{
    const int fd = open(path, flags, 0600);
    return fd >= 0 ? 0 : errno;
}

/* In a child, after a sandbox of an import of cache/latest into out/m: "" if all is as it is to
 * be, else what is not. */
static const char *try_everything(void)
{
    struct import_options options = {
        .directory = "cache/latest", .output = "out/m.weights", .sandbox = SANDBOX_REQUIRE};
    char *const arguments[] = {(char[]){"true"}, NULL};
    const int before = open("secret", O_RDONLY);
    char byte;
    sandbox_enter(&options);
    const struct {
        const char *what;
        int found, expected;
    } tries[] = {
        {"config.json by a link", opened("cache/latest/config.json", O_RDONLY), 0},
        {"another file", opened("secret", O_RDONLY), EACCES},
        {"another folder", opened("cache", O_RDONLY | O_DIRECTORY), EACCES},
        {"the source for writing", opened("cache/blobs/config.json", O_WRONLY), EACCES},
        {"a new file of the source", opened("cache/snapshots/x/new", O_WRONLY | O_CREAT), EACCES},
        {"a new file beside the output", opened("out/new", O_WRONLY | O_CREAT), 0},
        {"its name changed", rename("out/new", "out/m.weights") == 0 ? 0 : errno, 0},
        {"the output", opened("out/m.weights", O_WRONLY | O_TRUNC), 0},
        {"the output for reading", opened("out/m.weights", O_RDONLY), EACCES},
        {"another file beside the output", opened("out/secret", O_RDONLY), EACCES},
        {"a file in a folder there", opened("out/folder/secret", O_RDWR), EACCES},
        {"the folder of the output, to sync it", opened("out", O_RDONLY | O_DIRECTORY), 0},
        {"a link there", symlink("secret", "out/link") == 0 ? 0 : errno, EACCES},
        {"a folder there", mkdir("out/new", 0700) == 0 ? 0 : errno, EACCES},
        {"random bytes", opened("/dev/urandom", O_RDONLY), 0},
        {"a file in /etc", opened("/etc/passwd", O_RDONLY), EACCES},
        {"a descriptor of before", read(before, &byte, 1) == 1 ? 0 : errno, 0},
        {"a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : errno, EPERM},
        {"a local socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ? 0 : errno, EPERM},
        {"another program", execv("/bin/true", arguments) == 0 ? 0 : errno, EPERM},
        {"a signal to another process", kill(getppid(), 0) == 0 ? 0 : errno, EPERM},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        if (tries[i].found != tries[i].expected)
            return tries[i].what;
    return "";
}

TEST(forbidden)
{
    char told[80] = "";
    int ends[2], status;
    if (!has_sandbox())
        skip();
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(support_folder()) == 0) {
            const char *wrong = try_everything();
            if (write(ends[1], wrong, strlen(wrong) + 1) > 0)
                _exit(0);
        }
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(read(ends[0], told, sizeof told - 1) > 0);
    assert_string_equal(told, "");
}

/* All that can be imported, with the sandbox and without: the same bytes. */
TEST(imports)
{
    static const char *const imports[] = {
        "cache/snapshots/x",
        "cache/latest",
        "cache/latest --weights int8",
        "--tokenizer-only cache/latest/vocab.txt",
        "--tokenizer-only cache/latest",
        "--vectors words --only-words-of text",
        "--vectors - <words",
        "--vectors /dev/stdin <words",
        "cache/latest --dry-run",
    };
    if (!has_sandbox())
        skip();
    shell_expect(0, "printf 'dog 1 2\\nbike 3 4\\n' >words; echo 'dog bike' >text");
    for (size_t i = 0; i < sizeof imports / sizeof *imports; i++)
        for (int to_link = 0; to_link < 2; to_link++) {
            shell_expect(0, "rm -rf a b to; mkdir a b to; %s",
                         to_link ? "for x in a b; do touch to/$x; ln -s ../to/$x $x/m; done" : "");
            shell_expect(0, "$IMPORT %s -o a/m --name m --sandbox require", imports[i]);
            shell_expect(0, "$IMPORT %s -o b/m --name m --sandbox off", imports[i]);
            shell_expect(0, "[ ! -e b/m ] || cmp a/m b/m");
        }
}

/* A link in a directory that is itself reached by a link is not followed: refused, not missed. */
TEST(a_link_in_a_linked_directory)
{
    static const char modules[] =
        "[{\\\"path\\\": \\\"\\\", \\\"type\\\": "
        "\\\"sentence_transformers.models.Transformer\\\"}, "
        "{\\\"path\\\": \\\"p\\\", \\\"type\\\": \\\"sentence_transformers.models.Pooling\\\"}]";
    if (!has_sandbox())
        skip();
    shell_expect(0,
                 "mkdir far linked; echo '{\"pooling_mode_cls_token\": true}' >far/config; ln -s "
                 "../far/config linked/config.json; ln -s ../../../linked cache/snapshots/x/p; "
                 "echo \"%s\" >cache/snapshots/x/modules.json",
                 modules);
    assert_contains(
        shell_expect(1, "$IMPORT cache/latest -o out/n --name m --sandbox require")->err,
        "p/config.json': Permission denied (links in linked directories need --sandbox off)");
    shell_expect(0, "$IMPORT cache/latest -o out/n --name m --sandbox off; code=$?; rm "
                    "cache/snapshots/x/p cache/snapshots/x/modules.json; exit $code");
}

/* A system without Landlock: its calls do not exist. */
static void lack_landlock(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = 4, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(2);
}

TEST(without_landlock)
{
    int status;
    if (!has_sandbox())
        skip();
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        lack_landlock();
        shell_expect(0, "$IMPORT cache/latest -o out/m.weights");
        assert_string_equal(shell_expect(1, "$IMPORT cache/latest -o out/x --sandbox require")->err,
                            "encode-import: --sandbox require: this system has no Landlock or no "
                            "filter of system calls\n");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
