/* output.c - stdout or a file; see output.h. */
#include "tools/common/output.h"

#include "tools/common/inputs.h"
#include "tools/common/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What exit() leaves behind when a program ends in the middle of its results. */
static struct output_file *unfinished;

static void drop_unfinished(void)
{
    output_file_abort(unfinished);
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
    unfinished = output->file;
    output->stream = output_file_stream(output->file);
    return true;
}

bool output_check(struct output *output, bool flush)
{
    if (flush)
        fflush(output->stream);
    if (ferror(output->stream) && output->reason == 0)
        output->reason = errno ? errno : EIO;
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

int output_end(struct output *output, int code)
{
    bool is_written = output_check(output, false); /* why it failed, the last write has told */
    errno = 0;
    if (!is_written || !output_check(output, true))
        code = say_failure(output);
    if (!output->file)
        return code;
    unfinished = NULL;
    if (code != PROGRAM_DONE)
        output_file_abort(output->file);
    else if (output_file_finish(output->file) != ENGINE_OK)
        code = program_fail("%s", output->error.message);
    return code;
}
