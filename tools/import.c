/* import.c - encode-import: a weight file of a HuggingFace or sentence-transformers directory, of
 * its tokenizer alone, or of word vectors.
 *
 *     checkpoint     the directory, read and checked whole: config, tokenizer, modules, plan
 *     report         --dry-run: what would be written
 *     plan_write     the tensors, streamed
 *     output_files   that no input is written over; names and hashes of what was read
 *     vectors        --vectors: GloVe, word2vec, fastText
 *
 * Formats and names: tools/import/. See encode-import(1).
 */
#include "tools/common/alloc.h"
#include "tools/import/checkpoint/checkpoint.h"
#include "tools/import/import_options.h"
#include "tools/import/output_files.h"
#include "tools/import/progress.h"
#include "tools/import/report.h"
#include "tools/import/vectors/vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What the path is called at its end: "all-MiniLM-L6-v2", also of "." and "dir/". */
static void name_of(const char *path, char *name, size_t cap)
{
    char *whole = realpath(path, NULL);
    snprintf(name, cap, "%s", path_name(whole != NULL ? whole : path));
    free(whole);
}

/* --name, or what the source is called. */
static void name_source(const struct import_options *options, const char *path, char *name,
                        size_t cap)
{
    if (options->name != NULL)
        snprintf(name, cap, "%s", options->name);
    else
        name_of(path, name, cap);
}

/* ---- A model ---- */

static void write_metadata(const struct checkpoint *checkpoint, struct weight_output *output)
{
    char text[FOLDER_PATH];
    weight_output_metadata(output, "architecture", checkpoint->config.architecture->class_name);
    name_of(checkpoint->folder.path, text, sizeof text);
    weight_output_metadata(output, "source", text);
    for (size_t i = 0; i < (size_t)checkpoint->config.model.labels; i++) {
        const char *label = checkpoint_label(&checkpoint->config, i);
        if (label != NULL)
            weight_output_label(output, i, label, strlen(label));
    }
    prompts_write(&checkpoint->st, output->writer);
    colbert_write(&checkpoint->token_modules, output);
}

/* Without a tokenizer the vocabulary is empty, and the model takes ids only. */
static void write_tokenizer(const struct checkpoint *checkpoint, struct weight_output *output)
{
    if (checkpoint->has_tokenizer)
        import_tokenizer_write(&checkpoint->tokenizer, (size_t)checkpoint->config.model.token_types,
                               checkpoint->truncate, output->writer);
    else
        weight_output_set(output, ENGINE_SETTINGS_TOKENIZER, "kind", "blanks");
}

static int write_checkpoint(const struct checkpoint *checkpoint, const char *path, const char *name)
{
    struct weight_output output;
    weight_output_open(&output, path, name);
    weight_writer_config(output.writer, &checkpoint->config.model);
    write_tokenizer(checkpoint, &output);
    write_metadata(checkpoint, &output);
    progress_begin("importing",
                   import_source_bytes(&checkpoint->folder) + checkpoint->plan.n_source_bytes);
    import_add_sources(&output, &checkpoint->folder);
    plan_write(&checkpoint->plan, output.writer);
    progress_end();
    int code = weight_output_finish(&output);
    if (code == PROGRAM_DONE)
        program_note("wrote %s: %s, %zu tensor%s, %" PRIu64 " parameter%s", path,
                     checkpoint->config.architecture->class_name, checkpoint->plan.n,
                     plural(checkpoint->plan.n), checkpoint->plan.n_parameters,
                     plural(checkpoint->plan.n_parameters));
    return code;
}

static void say_notes(const struct checkpoint *checkpoint)
{
    char note[INT8_NOTE];
    if (!checkpoint->has_tokenizer)
        program_note("%s has no tokenizer: the file will take token ids only",
                     checkpoint->folder.path);
    else if (checkpoint->tokenizer.note[0] != '\0')
        program_note("%s", checkpoint->tokenizer.note);
    if (checkpoint->token_modules.note[0] != '\0')
        program_note("%s", checkpoint->token_modules.note);
    int8_layers_note(&checkpoint->plan.int8_layers, note);
    if (note[0] != '\0')
        program_note("%s", note);
    if (checkpoint->plan.n_left_out > 0)
        program_note("left out, since a %s does not use them: %zu tensors, '%s' first (--dry-run "
                     "lists them)",
                     checkpoint->config.architecture->class_name, checkpoint->plan.n_left_out,
                     checkpoint->plan.left_out[0]->name);
}

static int import_checkpoint(const struct import_options *options)
{
    static struct checkpoint checkpoint;
    char name[FOLDER_PATH];
    checkpoint_read(&checkpoint, options->directory,
                    (struct stored_types){options->type, options->table_type});
    int code = PROGRAM_DONE;
    name_source(options, options->directory, name, sizeof name);
    say_notes(&checkpoint);
    if (options->is_dry_run)
        report_checkpoint(&checkpoint, name);
    else
        code = write_checkpoint(&checkpoint, options->output, name);
    checkpoint_free(&checkpoint);
    return code;
}

/* ---- A tokenizer alone ---- */

/* A file without a model has neither width nor layers: CONF says how many ids and types there are.
 * The folder has no path where the tokenizer is a file. */
static int write_tokenizer_alone(const struct import_options *options,
                                 const struct import_tokenizer *tokenizer,
                                 const struct folder *folder, const char *name)
{
    enum { TYPES = 2 }; /* of the texts of a pair */
    struct weight_output output;
    char count[32];
    weight_output_open(&output, options->output, name);
    snprintf(count, sizeof count, "%zu", tokenizer->draft.words.n);
    weight_output_set(&output, ENGINE_SETTINGS_CONFIG, "vocabulary", count);
    snprintf(count, sizeof count, "%d", TYPES);
    weight_output_set(&output, ENGINE_SETTINGS_CONFIG, "token_types", count);
    import_tokenizer_write(tokenizer, TYPES, false, output.writer);
    weight_output_metadata(&output, "source", name);
    if (folder->path != NULL)
        import_add_sources(&output, folder);
    else
        import_add_source(&output, 0, path_name(options->tokenizer), options->tokenizer);
    int code = weight_output_finish(&output);
    if (code == PROGRAM_DONE)
        program_note("wrote %s: a tokenizer of %zu tokens", options->output,
                     tokenizer->draft.words.n);
    return code;
}

static bool is_directory(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void read_from_directory(struct folder *folder, const char *path,
                                struct import_tokenizer *tokenizer)
{
    struct sentence_transformers st;
    folder_open(folder, path);
    sentence_transformers_read(&st, folder);
    import_tokenizer_read(tokenizer, folder, st.transformer);
    sentence_transformers_free(&st);
}

static int import_tokenizer(const struct import_options *options)
{
    struct folder folder = {0};
    struct import_tokenizer tokenizer;
    char name[FOLDER_PATH];
    if (is_directory(options->tokenizer))
        read_from_directory(&folder, options->tokenizer, &tokenizer);
    else
        import_tokenizer_read_file(&tokenizer, options->tokenizer);
    int code = PROGRAM_DONE;
    name_source(options, options->tokenizer, name, sizeof name);
    if (tokenizer.note[0] != '\0')
        program_note("%s", tokenizer.note);
    if (options->is_dry_run)
        report_tokenizer(&tokenizer, NULL, name);
    else
        code = write_tokenizer_alone(options, &tokenizer, &folder, name);
    import_tokenizer_free(&tokenizer);
    folder_close(&folder);
    return code;
}

static int carry_out(const struct import_options *options)
{
    int code = import_check_output(options);
    if (code != PROGRAM_DONE)
        return code;
    if (options->vectors.path != NULL)
        return import_vectors(options);
    return options->directory != NULL ? import_checkpoint(options) : import_tokenizer(options);
}

int main(int argc, char *argv[])
{
    struct import_options options;
    program_begin("encode-import", argv);
    json_set_alloc_funcs(alloc_bytes, free);
    problem.before_end = progress_end;
    import_options_read(&options, argc, argv);
    return program_end(carry_out(&options));
}
