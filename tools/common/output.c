/* output.c - stdout or a file; see output.h. */
#include "tools/common/output.h"

#include "tools/common/alloc.h"
#include "tools/common/inputs.h"
#include "tools/common/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What exit() leaves behind when a program ends in the middle of its results. */
static struct output *unfinished;

static void drop_files(struct output *output)
{
    for (size_t i = 0; i < output->n_beside; i++) {
        output_file_abort(output->beside[i].file);
        free(output->beside[i].path);
    }
    output_file_abort(output->file);
    output->n_beside = 0;
    output->file = NULL;
    unfinished = NULL;
}

static void drop_unfinished(void)
{
    if (unfinished)
        drop_files(unfinished);
}

bool output_open(struct output *output, const char *path)
{
    *output = (struct output){.stream = stdout, .path = path};
    if (!path)
        return true;
    input_spare(path);
    atexit(drop_unfinished);
    if (output_file_open(path, OUTPUT_STREAM, &output->file, &output->error) != ENGINE_OK) {
        program_fail("%s", output->error.message);
        return false;
    }
    unfinished = output;
    output->stream = output_file_stream(output->file);
    return true;
}

/* What is written to directly is the file that the path names; else that is replaced later. */
static bool is_written_directly(const struct output *output)
{
    struct stat named, written;
    return stat(output->path, &named) == 0 && fstat(fileno(output->stream), &written) == 0 &&
           named.st_dev == written.st_dev && named.st_ino == written.st_ino;
}

FILE *output_beside(struct output *output, const char *ending)
{
    if (!output->file || is_written_directly(output))
        return NULL;
    struct output_beside *beside = &output->beside[output->n_beside];
    const size_t cap = strlen(output->path) + strlen(ending) + 1;
    char *path = alloc_zeros(cap, 1);
    snprintf(path, cap, "%s%s", output->path, ending);
    input_spare(path);
    if (output_file_open(path, OUTPUT_STREAM, &beside->file, &output->error) != ENGINE_OK) {
        free(path);
        exit(program_fail("%s", output->error.message));
    }
    beside->path = path;
    output->n_beside++;
    return output_file_stream(beside->file);
}

static void check_stream(struct output *output, FILE *stream, bool flush)
{
    if (flush)
        fflush(stream);
    if (ferror(stream) && output->reason == 0)
        output->reason = errno ? errno : EIO;
}

bool output_check(struct output *output, bool flush)
{
    check_stream(output, output->stream, flush);
    for (size_t i = 0; i < output->n_beside; i++)
        check_stream(output, output_file_stream(output->beside[i].file), flush);
    return output->reason == 0;
}

/* A reader that went away (head, less) has seen what it wanted: no message. */
static int say_failure(const struct output *output)
{
    const char *reason = strerror(output->reason);
    if (output->reason == EPIPE)
        return PROGRAM_FAILED;
    return output->path ? program_fail("cannot write to '%s': %s", output->path, reason)
                        : program_fail("cannot write to stdout: %s", reason);
}

static bool put_in_place(struct output_file **file)
{
    struct output_file *finished = *file;
    *file = NULL;
    return output_file_finish(finished) == ENGINE_OK;
}

/* One that has nothing to say leaves nothing, also of an earlier run. */
static bool put_beside(struct output *output, struct output_beside *beside)
{
    if (ftello(output_file_stream(beside->file)) > 0)
        return put_in_place(&beside->file);
    if (unlink(beside->path) == 0 || errno == ENOENT)
        return true;
    snprintf(output->error.message, sizeof output->error.message, "cannot remove '%s': %s",
             beside->path, strerror(errno));
    return false;
}

static bool put_all_in_place(struct output *output)
{
    for (size_t i = 0; i < output->n_beside; i++)
        if (!put_beside(output, &output->beside[i]))
            return false;
    if (put_in_place(&output->file))
        return true;
    for (size_t i = 0; i < output->n_beside; i++)
        unlink(output->beside[i].path); /* it tells of what is not there */
    return false;
}

int output_end(struct output *output, int code)
{
    bool is_written = output_check(output, false); /* why it failed, the last write has told */
    errno = 0;
    if (!is_written || !output_check(output, true))
        code = say_failure(output);
    if (!output->file)
        return code;
    if (code == PROGRAM_DONE && !put_all_in_place(output))
        code = program_fail("%s", output->error.message);
    drop_files(output);
    return code;
}
