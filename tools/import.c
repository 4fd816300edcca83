/* import.c - encode-import: a weight file of a HuggingFace or sentence-transformers directory, of
 * its tokenizer alone, or of word vectors.
 *
 *     checkpoint      reads and checks the directory: config, tokenizer, modules
 *     plan            what is written of which tensors; writes them, streamed
 *     import_output   that no input is overwritten; hashes of the files read; --dry-run
 *     vectors         --vectors: reads word vectors of GloVe, word2vec, fastText
 *     sandbox         limits what a stranger's file could make the program do
 *
 * Formats and names: tools/import/. See encode-import(1). */
#include "tools/common/alloc.h"
#include "tools/import/checkpoint/checkpoint.h"
#include "tools/import/import_options.h"
#include "tools/import/import_output.h"
#include "tools/import/sandbox.h"
#include "tools/import/vectors/word_vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Writes the last name of the source's path: "all-MiniLM-L6-v2", also of "." and "dir/". */
static void name_source(const struct import_options *options, char *name, size_t cap)
{
    const char *vectors = options->vectors.path;
    const char *path = options->directory != NULL ? options->directory : options->tokenizer;
    char *real = vectors == NULL ? realpath(path, NULL) : NULL;
    if (vectors != NULL)
        snprintf(name, cap, "%s", strcmp(vectors, "-") == 0 ? "word vectors" : path_name(vectors));
    else
        snprintf(name, cap, "%s", path_name(real != NULL ? real : path));
    free(real);
}

/* ---- A model ---- */

/* Prints what was written, with the types of its matrices and the bytes of the file. */
static void note_written(const struct checkpoint *checkpoint, const char *path)
{
    const struct plan *plan = &checkpoint->plan;
    char types[32] = "";
    unsigned seen = 0;
    struct stat file = {0};
    for (size_t i = 0; i < plan->n; i++)
        if (plan->tensors[i].n_dims == 2)
            seen |=
                1u << (tensor_is_int8(plan->tensors[i].type) ? TENSOR_INT8 : plan->tensors[i].type);
    for (size_t type = TENSOR_F32; type <= TENSOR_INT8; type++)
        if (seen >> type & 1)
            snprintf(types + strlen(types), sizeof types - strlen(types), ", %s",
                     TENSOR_TYPES[type]);
    stat(path, &file);
    const bool is_small = file.st_size < 1000000;
    program_note("wrote %s: %s, %zu tensor%s, %" PRIu64 " parameter%s%s, %.*f %s", path,
                 checkpoint->config.architecture->class_name, plan->n, plural(plan->n),
                 plan->n_parameters, plural(plan->n_parameters), types, is_small ? 0 : 1,
                 (double)file.st_size * (is_small ? 1e-3 : 1e-6), is_small ? "kB" : "MB");
}

/* Without a tokenizer the vocabulary is empty, and the model reads ids only. */
static void write_checkpoint(const struct checkpoint *checkpoint,
                             const struct import_options *options, const char *source)
{
    const struct position_options *positions = &options->vectors.positions;
    struct weight_output output;
    weight_output_open(&output, options->output, options->name != NULL ? options->name : source);
    weight_writer_config(output.writer, &checkpoint->config.model);
    if (checkpoint->has_tokenizer)
        import_tokenizer_write(&checkpoint->tokenizer, checkpoint->config.model.token_types,
                               checkpoint->truncate, output.writer);
    else
        weight_output_set(&output, ENGINE_SETTINGS_TOKENIZER, "kind", "blanks");
    weight_output_metadata(&output, "architecture", checkpoint->config.architecture->class_name);
    weight_output_metadata(&output, "source", source);
    for (size_t i = 0; i < checkpoint->config.model.labels; i++) {
        const char *label = checkpoint_label(&checkpoint->config, i);
        if (label != NULL)
            weight_output_label(&output, i, label, strlen(label));
    }
    prompts_write(&checkpoint->st, &checkpoint->config.model, &output);
    if (checkpoint->config.model.labels == 2 &&
        (checkpoint->config.is_cross_encoder || checkpoint->st.is_cross_encoder))
        weight_output_metadata(&output, "cross_encoder", "yes");
    colbert_write(&checkpoint->token_modules, &output);
    weight_writer_frequencies(output.writer, positions->frequencies, positions->n_frequencies);
    progress_begin("importing", checkpoint->folder.n_bytes + checkpoint->plan.n_source_bytes);
    import_add_sources(&output, options, &checkpoint->folder, &checkpoint->adapter);
    plan_write(&checkpoint->plan, output.writer);
    progress_end();
    weight_output_finish(&output);
    note_written(checkpoint, options->output);
}

static void print_notes(const struct checkpoint *checkpoint)
{
    char note[INT8_NOTE];
    if (!checkpoint->has_tokenizer)
        program_note("%s has no tokenizer: the file will take token ids only",
                     checkpoint->folder.path);
    else if (checkpoint->tokenizer.note[0] != '\0')
        program_note("%s", checkpoint->tokenizer.note);
    if (checkpoint->folder.unread[0] != '\0')
        program_note("no code reads these keys, so they change nothing: %s",
                     checkpoint->folder.unread);
    if (checkpoint->st.ignored[0] != '\0')
        program_note("%s is not read, since there is no modules.json", checkpoint->st.ignored);
    int8_layers_note(&checkpoint->plan.int8_layers, note);
    if (note[0] != '\0')
        program_note("%s", note);
    if (checkpoint->plan.n_left_out > 0)
        program_note("left out, since a %s does not use them: %zu tensor%s, '%s' first "
                     "(--dry-run lists them)",
                     checkpoint->config.architecture->class_name, checkpoint->plan.n_left_out,
                     plural(checkpoint->plan.n_left_out), checkpoint->plan.left_out[0]->name);
}

/* Imports a directory, or a file of word vectors. */
static void import_model(const struct import_options *options)
{
    static struct checkpoint checkpoint;
    char source[FOLDER_PATH];
    if (options->vectors.path != NULL)
        vectors_read(&checkpoint, options);
    else
        checkpoint_read(&checkpoint, options->directory,
                        (struct stored_types){options->type, options->table_type}, options->adapter,
                        options->as);
    name_source(options, source, sizeof source);
    print_notes(&checkpoint);
    if (options->is_dry_run)
        report_checkpoint(&checkpoint, options->name != NULL ? options->name : source);
    else
        write_checkpoint(&checkpoint, options, source);
}

/* ---- A tokenizer alone ---- */

/* A file without a model has no width and no layers: CONF says how many ids and types there are. */
static void write_tokenizer_alone(const struct import_options *options,
                                  const struct import_tokenizer *tokenizer,
                                  const struct folder *folder, const char *name)
{
    const size_t n_types = import_tokenizer_types(tokenizer);
    struct weight_output output;
    char count[32];
    weight_output_open(&output, options->output, name);
    snprintf(count, sizeof count, "%zu", tokenizer->draft.words.n);
    weight_output_set(&output, ENGINE_SETTINGS_CONFIG, "vocabulary", count);
    snprintf(count, sizeof count, "%zu", n_types);
    weight_output_set(&output, ENGINE_SETTINGS_CONFIG, "token_types", count);
    import_tokenizer_write(tokenizer, n_types, false, output.writer);
    weight_output_metadata(&output, "source", name);
    import_add_sources(&output, options, folder, &(struct folder){.n = 0});
    weight_output_finish(&output);
    program_note("wrote %s: a tokenizer of %zu tokens", options->output, tokenizer->draft.words.n);
}

static void import_tokenizer(const struct import_options *options)
{
    struct folder folder = {0};
    struct import_tokenizer tokenizer;
    char source[FOLDER_PATH];
    struct stat status;
    const char *name = options->name != NULL ? options->name : source;
    if (stat(options->tokenizer, &status) == 0 && S_ISDIR(status.st_mode)) {
        struct sentence_transformers st;
        folder_open(&folder, options->tokenizer);
        folder.as = options->as;
        sentence_transformers_read(&st, &folder);
        import_tokenizer_read(&tokenizer, &folder, st.transformer, st.is_static);
        checkpoint_check_lower(&st, &tokenizer);
    } else {
        import_tokenizer_read_file(&tokenizer, options->tokenizer);
    }
    name_source(options, source, sizeof source);
    if (tokenizer.note[0] != '\0')
        program_note("%s", tokenizer.note);
    if (options->is_dry_run)
        report_tokenizer(&tokenizer, name);
    else
        write_tokenizer_alone(options, &tokenizer, &folder, name);
}

static void import_source(const struct import_options *options)
{
    import_check_output(options);
    if (options->tokenizer != NULL)
        import_tokenizer(options);
    else
        import_model(options);
}

int main(int argc, char *argv[])
{
    struct import_options options;
    program_begin("encode-import", argv);
#ifdef FOR_LEAK_CHECKER
    alloc_in_arena(true);
#endif
    json_set_alloc_funcs(alloc_bytes, alloc_free);
    program_before_message = progress_end;
    import_options_read(&options, argc, argv);
    sandbox_enter(&options);
    import_source(&options);
    return program_end(PROGRAM_DONE);
}
