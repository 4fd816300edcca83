/* output.c - stdout or a file; see output.h. */
#include "tools/common/output.h"

#include "tools/common/alloc.h"
#include "tools/common/inputs.h"
#include "tools/common/options.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What encode may write beside an output. */
static const char *const OTHERS[] = {OUTPUT_ROWS, OUTPUT_LEFT_OUT, OUTPUT_ORIGIN};
enum { N_OTHERS = sizeof OTHERS / sizeof OTHERS[0] };

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

void output_open(struct output *output, const char *path, enum output_kind kind)
{
    *output = (struct output){
        .stream = stdout, .path = path, .kind = kind, .is_kept = kind == OUTPUT_RESUMES};
    if (!path)
        return;
    input_refuse_output(path);
    for (size_t i = 0; i < N_OTHERS; i++) {
        char *other = alloc_text("%s%s", path, OTHERS[i]);
        input_refuse_output(other);
        free(other);
    }
    atexit(drop_unfinished);
    if (output_file_open(path, kind, &output->file, &output->error) != ENGINE_OK)
        program_die("%s", output->error.message);
    unfinished = output;
    output->stream = output_file_stream(output->file);
}

static bool look_at_folder(const char *path, struct stat *folder)
{
    char *copy = alloc_text("%s", path);
    bool is_there = stat(dirname(copy), folder) == 0;
    free(copy);
    return is_there;
}

static bool is_one(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool output_are_same(const char *a, const char *b)
{
    struct stat one, other;
    return (strcmp(path_name(a), path_name(b)) == 0 && look_at_folder(a, &one) &&
            look_at_folder(b, &other) && is_one(&one, &other)) ||
           (stat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) &&
            is_one(&one, &other));
}

/* A file beside the output has a name of its own: not that of the output or of another file beside
 * it, nor of the part and the journal that these have until they are in their places. */
static void refuse_same(const struct output *output, const char *path)
{
    static const char *const endings[] = {"", ".part", ".journal"};
    for (size_t i = 0; i <= output->n_beside; i++)
        for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
            char *other =
                alloc_text("%s%s", i == 0 ? output->path : output->beside[i - 1].path, endings[k]);
            if (output_are_same(path, other))
                program_die_misused("'%s' is written already: name another file", other);
            free(other);
        }
}

FILE *output_beside(struct output *output, const char *name, const char *ending)
{
    if (!output->file || !output_file_has_place(output->file))
        return NULL;
    struct output_beside *beside = &output->beside[output->n_beside];
    char *path = alloc_text("%s%s", name, ending);
    input_refuse_output(path);
    refuse_same(output, path);
    if (output_file_open(path, output->kind, &beside->file, &output->error) != ENGINE_OK) {
        free(path);
        program_die("%s", output->error.message);
    }
    if (!output_file_has_place(beside->file))
        program_die("cannot write '%s' beside '%s': it is a pipe, a terminal or a device, "
                    "and a regular file is expected",
                    path, output->path);
    beside->path = path;
    output->n_beside++;
    return output_file_stream(beside->file);
}

size_t output_n_parts(const struct output *output)
{
    return output->file ? 1 + output->n_beside : 0;
}

struct output_file *output_part(const struct output *output, size_t i)
{
    return i == 0 ? output->file : output->beside[i - 1].file;
}

bool output_keep(struct output *output)
{
    bool is_good = output->is_kept = true;
    for (size_t i = 0; i < output_n_parts(output) && is_good; i++)
        is_good = output_file_keep(output_part(output, i)) == ENGINE_OK;
    return is_good;
}

void output_release(struct output *output)
{
    output->is_kept = false;
    for (size_t i = 0; i < output_n_parts(output); i++)
        output_file_release(output_part(output, i));
}

bool output_sync(struct output *output)
{
    bool is_good = true;
    for (size_t i = 0; i < output_n_parts(output) && is_good; i++)
        is_good = output_file_sync(output_part(output, i)) == ENGINE_OK;
    return is_good;
}

bool output_check(struct output *output, bool flush)
{
    for (size_t i = 0; i <= output->n_beside; i++) {
        FILE *stream = i == 0 ? output->stream : output_file_stream(output->beside[i - 1].file);
        if (flush)
            fflush(stream);
        if (ferror(stream) && output->reason == 0)
            output->reason = errno ? errno : EIO;
    }
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

/* The programs never write directories, so one of that name stays. A file that a power cut would
 * bring back would describe another output, so its removal is synced. */
static bool remove_file(struct output *output, const char *path)
{
    struct stat file;
    if (lstat(path, &file) != 0 || S_ISDIR(file.st_mode))
        return true;
    const bool is_removed = unlink(path) == 0;
    if (!is_removed)
        snprintf(output->error.message, sizeof output->error.message, "cannot remove '%s': %s",
                 path, strerror(errno));
    output_file_sync_folder(path);
    return is_removed;
}

static bool is_beside(const struct output *output, const char *path)
{
    for (size_t i = 0; i < output->n_beside; i++)
        if (output_are_same(path, output->beside[i].path))
            return true;
    return false;
}

bool output_drop_others(struct output *output)
{
    bool is_good = true;
    for (size_t i = 0; i < N_OTHERS && is_good; i++) {
        char *path = alloc_text("%s%s", output->path, OTHERS[i]);
        is_good = (is_beside(output, path) && strcmp(OTHERS[i], OUTPUT_ORIGIN) != 0) ||
                  remove_file(output, path);
        free(path);
    }
    return is_good;
}

/* One that has nothing to say leaves nothing, also of an earlier run. */
static bool put_beside(struct output *output, struct output_beside *beside)
{
    const off_t n_bytes = ftello(output_file_stream(beside->file));
    if (n_bytes > 0)
        return put_in_place(&beside->file);
    if (n_bytes < 0)
        snprintf(output->error.message, sizeof output->error.message, "cannot write to '%s': %s",
                 beside->path, strerror(errno));
    if (n_bytes < 0 || !remove_file(output, beside->path))
        return false;
    output_file_release(beside->file);
    return true;
}

/* What tells of the output comes first, so that the output never has another's beside it. Its
 * origin comes last, and the old one has gone before: it is right or absent. */
static bool put_all_in_place(struct output *output)
{
    struct output_beside *origin = NULL;
    if (output_file_has_place(output->file) && !output_drop_others(output))
        return false;
    for (size_t i = 0; i < output->n_beside; i++) {
        struct output_beside *beside = &output->beside[i];
        if (path_ends_in(beside->path, OUTPUT_ORIGIN))
            origin = beside;
        else if (!put_beside(output, beside))
            return false;
    }
    if (put_in_place(&output->file))
        return !origin || put_beside(output, origin);
    for (size_t i = 0; i < output->n_beside && !output->is_kept; i++)
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
