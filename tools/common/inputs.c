/* inputs.c - see inputs.h. */
#include "tools/common/inputs.h"

#include "tools/common/alloc.h"
#include "tools/common/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INPUT_BYTES_MOST ((size_t)1 << 30)

struct input {
    dev_t device;
    ino_t inode;
    const char *name; /* for the message */
};

static struct input *inputs; /* [n_inputs], each once, kept until the program ends */
static size_t n_inputs;

/* Stores what a path, or if that is NULL a descriptor, leads to: all zero, if that is no regular
 * file. Returns the input that it is, or NULL. */
static const struct input *find_input(const char *path, int descriptor, struct stat *file)
{
    if ((path ? stat(path, file) : fstat(descriptor, file)) != 0 || !S_ISREG(file->st_mode))
        *file = (struct stat){0};
    for (size_t i = 0; i < n_inputs; i++)
        if (inputs[i].device == file->st_dev && inputs[i].inode == file->st_ino)
            return &inputs[i];
    return NULL;
}

static void die_of_input(const struct input *input, const char *name)
{
    if (strcmp(input->name, name) == 0)
        program_die_misused("%s is read, and cannot be the output", name);
    program_die_misused("%s would be written over %s, which is read: name another file", name,
                        input->name);
}

void input_refuse_output(const char *output)
{
    struct stat file;
    const struct input *input = find_input(output, -1, &file);
    if (input)
        die_of_input(input, alloc_text("'%s'", output));
}

void input_remember(const char *path)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    struct stat file;
    const struct input *input = find_input(is_stdin ? NULL : path, STDIN_FILENO, &file);
    if (!S_ISREG(file.st_mode))
        return;
    if (!input) {
        inputs = reallocarray(inputs, n_inputs + 1, sizeof *inputs);
        if (inputs == NULL)
            alloc_die();
        inputs[n_inputs++] = (struct input){
            file.st_dev, file.st_ino, is_stdin ? "the file on stdin" : alloc_text("'%s'", path)};
    }
    if (find_input(NULL, STDERR_FILENO, &file)) { /* a message would be written into it */
        int nothing = open("/dev/null", O_WRONLY);
        if (nothing < 0 || dup2(nothing, STDERR_FILENO) < 0)
            close(STDERR_FILENO);
        program_exit(PROGRAM_MISUSED);
    }
    if ((input = find_input(NULL, STDOUT_FILENO, &file)) != NULL)
        die_of_input(input, "stdout");
}

static int read_stream(const char *path, FILE *stream, char **data, size_t *len)
{
    for (size_t cap = 0, n = 1; n > 0; *len += n) {
        if (*len == cap) {
            cap = cap * 2 + 65536;
            *data = alloc_resize(*data, cap, 1);
        }
        n = fread(*data + *len, 1, cap - *len, stream);
        if (ferror(stream))
            return program_fail("cannot read '%s': %s", path, strerror(errno));
        if (n > 0 && *len + n > INPUT_BYTES_MOST)
            return program_fail("'%s' is longer than 1 GiB", path);
    }
    (*data)[*len] = '\0'; /* there is room: the last read had some, and found nothing */
    return PROGRAM_DONE;
}

int input_read(const char *path, char **data, size_t *len)
{
    FILE *stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    input_remember(path);
    *data = NULL;
    *len = 0;
    if (stream == NULL)
        return program_fail("cannot read '%s': %s", path, strerror(errno));
    int code = read_stream(path, stream, data, len);
    if (stream != stdin)
        fclose(stream);
    return code;
}
