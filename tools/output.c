/* output.c - stdout or a file; see output.h. */
#include "tools/output.h"

#include "tools/options.h"

#include <errno.h>
#include <string.h>

bool output_open(struct output *output, const char *path)
{
    *output = (struct output){.stream = stdout};
    if (!path)
        return true;
    if (output_file_open(path, OUTPUT_STREAM, &output->file, &output->error) != ENGINE_OK) {
        program_fail("%s", output->error.message);
        return false;
    }
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

static int say_failure(const struct output *output, const char *message)
{
    return output->reason == EPIPE ? PROGRAM_FAILED : program_fail("%s", message);
}

int output_end(struct output *output, int code)
{
    if (!output->file) {
        errno = 0;
        if (output_check(output, true))
            return code;
        char message[128];
        snprintf(message, sizeof message, "cannot write to stdout: %s", strerror(output->reason));
        return say_failure(output, message);
    }
    if (code == PROGRAM_DONE || output->reason != 0) {
        errno = output->reason;
        if (output_file_finish(output->file) != ENGINE_OK)
            code = say_failure(output, output->error.message);
    } else {
        output_file_abort(output->file);
    }
    return code;
}
