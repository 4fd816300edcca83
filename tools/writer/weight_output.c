/* weight_output.c - see weight_output.h. */
#include "tools/writer/weight_output.h"

#include "tools/common/inputs.h"
#include "tools/common/options.h"
#include "tools/writer/weight_writer.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* Asks the file system of the folder if there is no such file yet. */
void weight_output_check_room(const char *path, double n_bytes)
{
    struct statvfs system;
    char folder[PATH_MAX];
    bool fits = (size_t)snprintf(folder, sizeof folder, "%s", path) < sizeof folder;
    if (statvfs(path, &system) != 0 && (!fits || statvfs(dirname(folder), &system) != 0))
        return;
    if (system.f_blocks == 0) /* as of a pipe */
        return;
    double n_free = (double)system.f_bavail * (double)system.f_frsize;
    if (n_bytes <= n_free)
        return;
    const char *unit = n_bytes >= 1e9 ? "GB" : "MB";
    double scale = n_bytes >= 1e9 ? 1e-9 : 1e-6;
    program_die("'%s' takes about %.2f %s; there is room for %.2f %s", path, scale * n_bytes, unit,
                scale * n_free, unit);
}

/* Removed if the program ends before it is finished. */
static struct weight_writer *unfinished;

void weight_output_drop(void)
{
    weight_writer_abort(unfinished);
    unfinished = NULL;
}

void weight_output_open(struct weight_output *output, const char *path, const char *name)
{
    char made_by[64];
    input_refuse_output(path);
    *output = (struct weight_output){0};
    if (weight_writer_open(path, &output->writer, &output->error) != ENGINE_OK)
        program_die("%s", output->error.message);
    static bool is_dropped_at_exit;
    unfinished = output->writer;
    if (!is_dropped_at_exit)
        is_dropped_at_exit = atexit(weight_output_drop) == 0;
    snprintf(made_by, sizeof made_by, "%s %s", program_name(), ENGINE_VERSION);
    weight_output_metadata(output, "name", name);
    weight_output_metadata(output, "made_by", made_by);
}

void weight_output_finish(struct weight_output *output)
{
    unfinished = NULL;
    if (weight_writer_finish(output->writer) != ENGINE_OK)
        program_die("%s", output->error.message);
}

void weight_output_set(struct weight_output *output, engine_settings settings, const char *key,
                       const char *value)
{
    weight_writer_setting(output->writer, settings, key, value, strlen(value));
}

void weight_output_label(struct weight_output *output, size_t label, const char *name, size_t len)
{
    char key[32];
    snprintf(key, sizeof key, "label.%zu", label);
    weight_writer_setting(output->writer, ENGINE_SETTINGS_METADATA, key, name, len);
}
