/* output_files.c - see output_files.h. */
#include "tools/import/output_files.h"

#include "tools/common/inputs.h"
#include "tools/common/options.h"
#include "tools/import/sha256.h"
#include "tools/writer/weight_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Its place ---- */

void import_check_output(const struct import_options *options)
{
    const char *const inputs[] = {options->vectors.path, options->vectors.only_words_of,
                                  options->tokenizer};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i] != NULL)
            input_remember(inputs[i]);
    if (options->is_dry_run)
        return;
    input_refuse_output(options->output);
    if (strcmp(options->output, "-") == 0)
        program_die_misused("-o - would be standard output, and a weight file needs a place of "
                            "its own: name a file (./- for one of that name)");
    /* As the writer will open it; what is made goes away again. */
    engine_error error = {0};
    struct weight_writer *writer;
    if (weight_writer_open(options->output, &writer, &error) != ENGINE_OK)
        program_die("%s", error.message);
    weight_writer_abort(writer);
}

/* ---- Where it came from ---- */

static void add_source(struct weight_output *output, size_t index, const char *name,
                       const char *path)
{
    char key[32], hash[SHA256_TEXT];
    if (!weight_output_is_right(output))
        return;
    FILE *stream = fopen(path, "rbe");
    if (stream == NULL || !sha256_of(stream, hash))
        program_die("%s cannot be read: %s", path, strerror(errno));
    fclose(stream);
    snprintf(key, sizeof key, "source.%zu", index);
    weight_output_metadata(output, key, name);
    snprintf(key, sizeof key, "sha256.%zu", index);
    weight_output_metadata(output, key, hash);
}

uint64_t import_source_bytes(const struct folder *folder)
{
    uint64_t total = 0;
    for (size_t i = 0; i < folder->n; i++) {
        char path[FOLDER_PATH];
        struct stat status;
        if (stat(folder_join(folder, folder->names[i], path), &status) == 0)
            total += (uint64_t)status.st_size;
    }
    return total;
}

/* Not of a pipe, which cannot be read once more. */
void import_add_sources(struct weight_output *output, const struct import_options *options,
                        const struct folder *folder)
{
    const char *const files[] = {options->vectors.path, options->vectors.only_words_of,
                                 options->tokenizer};
    struct stat status;
    size_t n = 0;
    for (; n < folder->n; n++) {
        char path[FOLDER_PATH];
        add_source(output, n, folder->names[n], folder_join(folder, folder->names[n], path));
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] != NULL && strcmp(files[i], "-") != 0 &&
            (stat(files[i], &status) != 0 || S_ISREG(status.st_mode)))
            add_source(output, n++, path_name(files[i]), files[i]);
}
