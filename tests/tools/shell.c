/* shell.c - running programs by shell commands; see shell.h. */
#include "tests/tools/shell.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static char *read_all(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *len = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*len + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *len, file), *len);
    data[*len] = '\0';
    fclose(file);
    return data;
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
    result.out = read_all(".out", &result.out_len);
    result.err = read_all(".err", &result.err_len);
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

void assert_lines(const char *text, size_t n)
{
    size_t found = 0;
    for (const char *at = text; *at; at++)
        found += *at == '\n';
    if (found != n)
        fail_msg("%zu lines, expected %zu: %.2000s", found, n, text);
}

void shell_setup(void)
{
    shell_set_program("ENCODE", "encode");
    shell_set_program("NEW", "encode-new");
    shell_set_program("ENCODE_BUILD", "."); /* absolute: the folder changes */
    assert_int_equal(chdir(support_folder()), 0);
    setenv("ENCODE_MODEL", "toy.weights", 1);
    setenv("AWAIT", "sh .await", 1);
    unsetenv("OMP_NUM_THREADS");
    shell_expect(0, "echo 'for i in $(seq 3000); do grep -qs \"$1\" \"$2\" && exit; sleep 0.1; "
                    "done' >.await");
    shell_expect(0, "$NEW -o toy.weights --name Toy --keras --max-tokens 16 --width 8 --heads 2 "
                    "--words '[PAD] [UNK] i ride bike dog cat 桜 naïve' --token-types 2 "
                    "--add-token '[CLS]' --add-token '[SEP]' --template-single '[CLS]:0 A:0 "
                    "[SEP]:0' --template-pair '[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1'");
    shell_expect(0, "echo 'i ride bike dog cat' | $NEW -o plain.weights --name Plain --fit - --oov "
                    "'' --width 8 --heads 2 --max-tokens 64 --pooling none --normalize no");
}
