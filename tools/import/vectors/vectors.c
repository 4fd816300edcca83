/* vectors.c - word vectors become a weight file; see vectors.h.
 *
 *     tokenizer of the texts (only_words_of)  →  table of the file  →  tokenizer of its words
 *     →  settings, vocabulary, embedding.token.weight, row by row  →  the report
 */
#include "tools/import/vectors/vectors.h"

#include "tools/common/options.h"
#include "tools/import/import_options.h"
#include "tools/import/provenance.h"
#include "tools/import/report.h"
#include "tools/import/tokenizer/tokenizer_source.h"
#include "tools/import/vectors/vectors_report.h"
#include "tools/import/writing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Texts of many words have their mean; a session's memory grows with this. */
enum { LONGEST_TEXT = 4096 };

void vectors_defaults(struct vectors_options *options)
{
    *options = (struct vectors_options){.path = NULL};
    config_defaults(&options->model);
    options->model.layers = 0;
    options->model.max_tokens = LONGEST_TEXT;
    options->model.pooling = POOLING_MEAN;
}

void vectors_options_free(struct vectors_options *options)
{
    position_options_free(&options->positions);
}

struct vectors_import {
    const struct import_options *options;
    const struct vectors_options *vectors;
    struct token_source source; /* only_words_of: its words and how texts are split into them */
    struct word_list words;     /* else */
    struct vectors_file file;
    struct vectors_table table;
    struct import_tokenizer tokenizer;
    struct model_config model;
    bool is_lower;
    char name[256];
};

/* ---- Reading ---- */

/* Keras puts texts into lower case; that is what is expected of its ids. */
static int fit_texts(struct vectors_import *import)
{
    const struct fit_options options = {.oov = ""};
    int code = token_source_begin(&import->source, true);
    if (import->vectors->lower != NULL)
        import->source.lower = strcmp(import->vectors->lower, "yes") == 0;
    import->is_lower = import->source.lower;
    if (code == PROGRAM_DONE)
        code = token_source_fit(&import->source, import->vectors->only_words_of, &options);
    return code;
}

static bool read_table(struct vectors_import *import, struct problem *problem)
{
    const struct vectors_options *vectors = import->vectors;
    bool is_wanted = vectors->only_words_of != NULL;
    struct word_list *words = is_wanted ? &import->source.words : &import->words;
    if (!vectors_file_open(&import->file, vectors->path, problem))
        return false;
    bool ok = vectors_table_read(&import->table, &import->file, words, is_wanted, vectors->limit,
                                 problem);
    progress_end(&import->file.progress);
    if (!ok)
        return false;
    if (import->table.rows.n == 0)
        return problem_say(problem, "'%s' has none of the words of '%s'", vectors->path,
                           vectors->only_words_of);
    return true;
}

/* ---- The tokenizer ---- */

/* Row 0 gets the first of these names that is no word of the file. */
static bool name_unknown(struct word_list *words, struct problem *problem)
{
    static const char *const names[] = {"<unk>", "[UNK]", "<unknown>"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (word_list_find(words, names[i], strlen(names[i])) == WORD_NONE)
            return word_list_place(words, 0, names[i], strlen(names[i])) || problem_memory(problem);
    return true;
}

static bool make_tokenizer(struct vectors_import *import, struct problem *problem)
{
    const struct vectors_options *vectors = import->vectors;
    if (vectors->only_words_of != NULL)
        return import_tokenizer_take(&import->tokenizer, &import->source, problem);
    import->is_lower =
        vectors->lower != NULL ? strcmp(vectors->lower, "yes") == 0 : import->table.cased == NULL;
    return name_unknown(&import->words, problem) &&
           import_tokenizer_take_words(&import->tokenizer, &import->words, import->is_lower,
                                       vectors->splits_at_blanks, 0, problem);
}

/* Into the file's settings; their values were checked when they were read. */
static void set_positions(struct model_config *model, const struct position_options *positions)
{
    if (positions->position != 0)
        config_set(model, "position", position_name(positions->position));
    if (positions->base > 0)
        model->position_base = positions->base;
    model->position_frequencies = (int64_t)positions->n_frequencies;
    if (positions->has_embedding_scale)
        model->embedding_scale = positions->embedding_scale_is_sqrt ? sqrt((double)model->width)
                                                                    : positions->embedding_scale;
    if (positions->has_position_scale)
        model->position_scale = positions->position_scale;
}

static bool settle_model(struct vectors_import *import, struct problem *problem)
{
    import->model = import->vectors->model;
    import->model.width = (int64_t)import->table.width;
    import->model.vocabulary = (int64_t)import->table.n_ids;
    set_positions(&import->model, &import->vectors->positions);
    const char *wrong = config_check(&import->model);
    return wrong == NULL || problem_say(problem, "'%s': the weight file cannot hold this: %s",
                                        import->vectors->path, wrong);
}

/* ---- Writing ---- */

/* A pipe cannot be read once more. */
static bool is_file(const char *path)
{
    struct stat status;
    return path != NULL && strcmp(path, "-") != 0 && stat(path, &status) == 0 &&
           S_ISREG(status.st_mode);
}

static bool write_sources(const struct vectors_import *import, struct weight_writer *writer,
                          struct problem *problem)
{
    const char *const paths[] = {import->vectors->path, import->vectors->only_words_of};
    size_t n = 0;
    for (size_t i = 0; i < 2; i++)
        if (is_file(paths[i]) && !provenance_write_file(n++, paths[i], writer, problem))
            return false;
    return true;
}

static bool write_rows(const struct vectors_import *import, struct weight_writer *writer,
                       struct problem *problem)
{
    const struct vectors_table *table = &import->table;
    enum tensor_type type = import->options->plan.type;
    float *zeros = calloc(table->width, sizeof *zeros);
    if (zeros == NULL)
        return problem_memory(problem);
    engine_status status =
        weight_writer_begin_tensor(writer, "embedding.token.weight", type != 0 ? type : TENSOR_F32,
                                   LAYOUT_ROWS, 2, table->n_ids, table->width);
    for (size_t id = 0; status == ENGINE_OK && id < table->n_ids; id++) {
        const float *row = vectors_table_row(table, id);
        status = weight_writer_rows(writer, row != NULL ? row : zeros, 1);
    }
    free(zeros);
    return status == ENGINE_OK || problem_say(problem, "%s", ""); /* the writer has the words */
}

static int write_file(const struct vectors_import *import)
{
    const struct import_options *options = import->options;
    engine_error error = {ENGINE_OK, ""};
    struct problem problem = {""};
    struct weight_writer *writer;
    if (weight_writer_open(options->output, &writer, &error) != ENGINE_OK)
        return program_fail("%s", error.message);
    weight_writer_config(writer, &import->model);
    import_tokenizer_write(&import->tokenizer, 0, false, writer);
    import_metadata(writer, "name", import->name);
    import_metadata(writer, "made_by", "encode-import " ENGINE_VERSION);
    import_metadata(writer, "architecture", "word vectors");
    weight_writer_frequencies(writer, import->vectors->positions.frequencies,
                              import->vectors->positions.n_frequencies);
    bool ok = error.status == ENGINE_OK && write_sources(import, writer, &problem) &&
              write_rows(import, writer, &problem);
    return import_finish(writer, ok, &error, &problem);
}

/* ---- All of it ---- */

static void name_file(struct vectors_import *import)
{
    const char *path = import->vectors->path, *slash = strrchr(path, '/');
    const char *name = slash != NULL && slash[1] != '\0' ? slash + 1 : path;
    if (import->options->name != NULL)
        name = import->options->name;
    else if (strcmp(path, "-") == 0)
        name = "word vectors";
    snprintf(import->name, sizeof import->name, "%s", name);
}

static int carry_out(struct vectors_import *import)
{
    struct problem problem = {""};
    const char *output = import->options->output;
    int code = import->vectors->only_words_of != NULL ? fit_texts(import) : PROGRAM_DONE;
    if (code != PROGRAM_DONE)
        return code;
    name_file(import);
    if (!read_table(import, &problem) || !make_tokenizer(import, &problem) ||
        !settle_model(import, &problem))
        return program_fail("%s", problem.text);
    vectors_report_skipped(&import->file);
    const struct vectors_result result = {
        .options = import->vectors,
        .file = &import->file,
        .table = &import->table,
        .tokenizer = &import->tokenizer,
        .is_lower = import->is_lower,
    };
    if (import->options->is_dry_run) {
        report_vectors(&import->tokenizer, &import->model, import->name);
        vectors_report_words(&result, NULL);
        return PROGRAM_DONE;
    }
    code = write_file(import);
    if (code == PROGRAM_DONE)
        vectors_report_words(&result, output);
    return code;
}

int import_vectors(const struct import_options *options)
{
    struct vectors_import import = {
        .options = options, .vectors = &options->vectors, .file = {.reader = {.fd = -1}}};
    int code = carry_out(&import);
    vectors_file_close(&import.file);
    vectors_table_free(&import.table);
    import_tokenizer_free(&import.tokenizer);
    token_source_free(&import.source);
    word_list_free(&import.words);
    return program_end(code);
}
