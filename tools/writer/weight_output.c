/* weight_output.c - see weight_output.h. */
#include "tools/writer/weight_output.h"

#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/writer/weight_writer.h"

#include <stdio.h>
#include <string.h>

static struct weight_writer *unfinished; /* whose file output_file.c removes */

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
    unfinished = output->writer;
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
