/* If memory is short, the message names its purpose, printed text stays, and an output file that
 * is not finished does not replace the existing one. */
#include "tools/common/alloc.h"
#include "tools/common/output.h"

#include "tests/support.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t TOO_MANY = (size_t)-1;

/* In a child: prints a result, then asks for more than there can be. */
static void run_out_of_memory(const char *folder)
{
    struct output file;
    assert_int_equal(chdir(folder), 0);
    assert_non_null(freopen("out", "w", stdout));
    assert_non_null(freopen("err", "w", stderr));
    program_begin("encode", (char *[]){NULL});
    puts("text 1");
    output_open(&file, "file", OUTPUT_STREAM);
    fputs("half a result", file.stream);
    alloc_for("text %d", 2);
    free(alloc_resize(alloc_zeros(0, 8), TOO_MANY, 8));
}

static void assert_file(const char *folder, const char *name, const char *expected)
{
    char path[SUPPORT_PATH], text[80];
    support_path(path, folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t len = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[len] = '\0';
    assert_string_equal(text, expected);
}

TEST(too_little_memory)
{
    char path[SUPPORT_PATH];
    const char *folder = support_folder();
    int status;
    support_path(path, folder, "file");
    support_write_text(path, "the old one");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        run_out_of_memory(folder);
        support_exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_file(folder, "out", "text 1\n");
    assert_file(folder, "err", "encode: text 2: not enough memory\n");
    assert_file(folder, "file", "the old one");
}
