/* inputs.c - see inputs.h. */
#include "tools/common/inputs.h"

#include "tools/common/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct input {
    dev_t device;
    ino_t inode;
    const char *name; /* for the message */
};

static struct input *inputs; /* [n_inputs], kept until the program ends */
static size_t n_inputs;

/* NULL: a descriptor's file. False: it is not there, or no regular file. */
static bool look_at(const char *path, int descriptor, struct stat *file)
{
    return (path ? stat(path, file) : fstat(descriptor, file)) == 0 && S_ISREG(file->st_mode);
}

static void spare(const struct stat *output, const char *name)
{
    for (size_t i = 0; i < n_inputs; i++)
        if (inputs[i].device == output->st_dev && inputs[i].inode == output->st_ino)
            exit(program_misuse("%s is %s, which is read, and would be replaced: name another file",
                                name, inputs[i].name));
}

void input_spare(const char *output)
{
    struct stat file;
    if (look_at(output, -1, &file))
        spare(&file, output);
}

void input_remember(const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "the file on stdin" : path;
    struct stat file;
    if (!look_at(is_stdin ? NULL : path, STDIN_FILENO, &file))
        return;
    inputs = alloc_resize(inputs, n_inputs + 1, sizeof *inputs);
    inputs[n_inputs++] =
        (struct input){file.st_dev, file.st_ino, strcpy(alloc_zeros(strlen(name) + 1, 1), name)};
    if (look_at(NULL, STDOUT_FILENO, &file))
        spare(&file, "stdout");
}
