/* shell.c - running programs by shell commands; see shell.h. */
#include "tests/tools/shell.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COMMAND_BYTES = 8192 };

static struct shell_result result;

void shell_set_program(const char *variable, const char *name)
{
    char build[SUPPORT_PATH], path[SUPPORT_PATH];
    support_link_build(build);
    support_path(path, build, name);
    if (access(path, X_OK) != 0)
        fail_msg("%s is not built", name);
    setenv(variable, path, 1);
}

static char *read_all(const char *path)
{
    char *text = NULL;
    size_t cap = 0;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    if (getdelim(&text, &cap, '\0', file) < 0) { /* an empty file */
        free(text);
        text = strdup("");
    }
    fclose(file);
    return text;
}

static const struct shell_result *run(const char *format, va_list arguments)
{
    static char command[COMMAND_BYTES], whole[COMMAND_BYTES + 64];
    assert_in_range(vsnprintf(command, sizeof command, format, arguments), 1, sizeof command - 1);
    snprintf(whole, sizeof whole, "{ %s\n} >.out 2>.err", command);
    free(result.out);
    free(result.err);
    int status = system(whole);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = read_all(".out");
    result.err = read_all(".err");
    return &result;
}

const struct shell_result *shell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    run(format, arguments);
    va_end(arguments);
    return &result;
}

const struct shell_result *shell_expect(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    run(format, arguments);
    va_end(arguments);
    if (result.code != code)
        fail_msg("exit code %d, expected %d: %s\n%.1000s", result.code, code, format, result.err);
    return &result;
}

long shell_memory(const char *command)
{
    struct rusage usage;
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    assert_true(child > 0 && wait4(child, &status, 0, &usage) == child);
    assert_int_equal(status, 0);
    return usage.ru_maxrss;
}

void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in: %.2000s", part, text);
}

void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" is in: %.2000s", part, text);
}

void shell_setup(void)
{
    shell_set_program("ENCODE", "encode");
    shell_set_program("NEW", "encode-new");
    shell_set_program("ENCODE_BUILD", "."); /* absolute: the folder changes */
    assert_int_equal(chdir(support_folder()), 0);
    setenv("ENCODE_MODEL", "toy.weights", 1);
    unsetenv("OMP_NUM_THREADS");
    shell_expect(0, "$NEW -o toy.weights --name Toy --keras --max-tokens 16 --width 8 --heads 2 "
                    "--words '[PAD] [UNK] i ride bike dog cat 桜 naïve' --token-types 2 "
                    "--add-token '[CLS]' --add-token '[SEP]' --template-single '[CLS]:0 A:0 "
                    "[SEP]:0' --template-pair '[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1'");
}
