/* output_check.c - see output_check.h. Two paths are one file where device and inode are the same:
 * links and other ways of writing a path are seen through. Devices and pipes can be read and
 * written at once.
 */
#include "tools/import/output_check.h"

#include "tools/common/options.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* "-" is stdin, which may come from a file. */
static bool is_output(const char *output, const char *input)
{
    struct stat out, in;
    if (input == NULL || stat(output, &out) != 0 || !S_ISREG(out.st_mode))
        return false;
    int failed = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &in) : stat(input, &in);
    return failed == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

static int refuse(const char *output, const char *input)
{
    return program_misuse("-o %s is %s, which is read, and would be replaced: name another file",
                          output, strcmp(input, "-") == 0 ? "the file on stdin" : input);
}

/* As the writer would open it; what it made goes away again. */
static int check_place(const char *output)
{
    engine_error error = {ENGINE_OK, ""};
    struct weight_writer *writer;
    if (weight_writer_open(output, &writer, &error) != ENGINE_OK)
        return program_fail("%s", error.message);
    weight_writer_abort(writer);
    return PROGRAM_DONE;
}

int import_output_check(const struct import_options *options)
{
    const char *const inputs[] = {options->vectors.path, options->vectors.only_words_of,
                                  options->tokenizer};
    if (options->is_dry_run)
        return PROGRAM_DONE;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (is_output(options->output, inputs[i]))
            return refuse(options->output, inputs[i]);
    if (strcmp(options->output, "-") == 0)
        return program_misuse("-o - would be standard output, and a weight file needs a place of "
                              "its own: name a file (./- for one of that name)");
    return check_place(options->output);
}

int import_output_check_folder(const struct import_options *options, const struct folder *folder)
{
    for (size_t i = 0; !options->is_dry_run && i < folder->n; i++) {
        char path[FOLDER_PATH];
        struct problem ignored;
        if (folder_join(folder, folder->names[i], path, &ignored) &&
            is_output(options->output, path))
            return refuse(options->output, path);
    }
    return PROGRAM_DONE;
}
