/* vectors.c - word vectors become a weight file; see vectors.h.
 *
 *     words of the texts (only_words_of)  →  table of the file  →  tokenizer of its words
 *     →  settings, vocabulary, embedding.token.weight, row by row  →  the report
 */
#include "tools/import/vectors/vectors.h"

#include "tools/common/options.h"
#include "tools/common/print/utf8.h"
#include "tools/common/weights/token_source.h"
#include "tools/import/output_files.h"
#include "tools/import/progress.h"
#include "tools/import/report.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <utf8proc.h>

/* ---- The words ---- */

/* Without only_words_of the words come with their vectors. Keras puts texts into lower case; that
 * is what is expected of its ids. */
static void fit_texts(struct vectors_import *import)
{
    const struct vectors_options *vectors = &import->options->vectors;
    const struct fit_options options = {.oov = ""};
    struct tokenizer_draft *draft = &import->tokenizer.draft;
    draft->lower = vectors->lower == NULL || strcmp(vectors->lower, "yes") == 0;
    if (vectors->only_words_of != NULL)
        token_source_fit(draft, vectors->only_words_of, &options);
}

static void read_table(struct vectors_import *import)
{
    const struct vectors_options *vectors = &import->options->vectors;
    vectors_file_open(&import->file, vectors->path);
    vectors_table_read(&import->table, &import->file, &import->tokenizer.draft.words,
                       vectors->only_words_of != NULL, vectors->limit);
    progress_end();
    if (import->table.n_rows == 1)
        problem_say("'%s' has none of the words of '%s'", vectors->path, vectors->only_words_of);
}

/* Row 0 gets the first of these names that is no word of the file. */
static void name_unknown(struct word_list *words)
{
    static const char *const names[] = {"<unk>", "[UNK]", "<unknown>"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (word_list_find(words, names[i], strlen(names[i])) == WORD_NONE) {
            word_list_place(words, 0, names[i], strlen(names[i]));
            return;
        }
}

/* ---- The tokenizer: kind `words` of weights/FORMAT.md ---- */

enum { IS_WORD = 1, IS_PUNCTUATION = 2, IS_BLANK = 4, IS_CHARACTER = 8 };

/* By general category, which is near enough to tell which words to keep whole. The ranges are those
 * of utf8proc_category_t. */
static unsigned kind_of(uint32_t character)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)character);
    if ((category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_MC) ||
        category == UTF8PROC_CATEGORY_ND)
        return IS_WORD;
    if (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO)
        return IS_PUNCTUATION;
    if (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_CC)
        return IS_BLANK;
    return character < 0x80 ? IS_PUNCTUATION : 0;
}

/* A letter or digit at both ends, punctuation between them and no blank; then there may be a full
 * stop ("u.s."). */
static bool is_joined(const char *text, size_t len)
{
    unsigned first = 0, last = 0, all = 0;
    len -= len > 0 && text[len - 1] == '.';
    for (size_t at = 0; at < len;) {
        uint32_t character;
        at += utf8_next(text + at, len - at, &character);
        last = kind_of(character) | IS_CHARACTER;
        first = all == 0 ? last : first;
        all |= last;
    }
    return (first & IS_WORD) && (last & IS_WORD) && (all & IS_PUNCTUATION) && !(all & IS_BLANK);
}

/* n: cut from the text when it is in lower case; w: only where no letter stands beside them. */
static void keep_joined(struct tokenizer_draft *draft)
{
    struct blank_list list;
    list_open(&list);
    for (size_t id = 0; id < draft->words.n; id++)
        if (is_joined(draft->words.texts[id], draft->words.lens[id]))
            list_add(&list, "%zu:nw", id);
    list_set(&list, draft, "added");
}

/* Texts are split at blanks and at punctuation, unless at_blanks says at blanks alone. Words with
 * punctuation between letters or digits ("well-known", "1,000", "u.s.") are then kept whole, as
 * added tokens. */
static void set_splitting(struct tokenizer_draft *draft, bool at_blanks)
{
    draft_set_text(draft, "kind", "words");
    if (draft->lower)
        draft_set_text(draft, "normalizer", "lower");
    draft_set_text(draft, "splitter", at_blanks ? "blanks" : "blanks punctuation");
    draft_set_number(draft, "unknown", draft->unknown);
    if (!at_blanks)
        keep_joined(draft);
}

static void make_tokenizer(struct vectors_import *import)
{
    const struct vectors_options *vectors = &import->options->vectors;
    struct tokenizer_draft *draft = &import->tokenizer.draft;
    if (vectors->only_words_of != NULL) {
        draft_set_rules(draft, &KERAS_DEFAULTS);
        return;
    }
    if (vectors->lower == NULL)
        draft->lower = import->table.cased == 0;
    draft->unknown = 0;
    name_unknown(&draft->words);
    set_splitting(draft, vectors->splits_at_blanks);
}

/* ---- The model ---- */

/* Sizes and positions, whose values were checked when they were read. */
static void settle_model(struct vectors_import *import)
{
    const struct position_options *positions = &import->options->vectors.positions;
    struct model_config *model = &import->model;
    *model = import->options->vectors.model;
    model->width = (int64_t)import->table.width;
    model->vocabulary = (int64_t)import->table.n_ids;
    if (positions->position != 0)
        config_set(model, "position", engine_position_name(positions->position));
    if (positions->base > 0)
        model->position_base = positions->base;
    model->position_frequencies = (int64_t)positions->n_frequencies;
    if (positions->has_embedding_scale)
        model->embedding_scale = positions->embedding_scale_is_sqrt ? sqrt((double)model->width)
                                                                    : positions->embedding_scale;
    if (positions->has_position_scale)
        model->position_scale = positions->position_scale;
    const char *wrong = config_check(model);
    if (wrong != NULL)
        problem_say("'%s': the weight file cannot hold this: %s", import->options->vectors.path,
                    wrong);
}

/* ---- Writing ---- */

static void write_rows(const struct vectors_import *import, struct weight_output *output)
{
    const struct vectors_table *table = &import->table;
    enum tensor_type type = import->options->type;
    engine_status status = weight_writer_begin_tensor(output->writer, "embedding.token.weight",
                                                      type != 0 ? type : TENSOR_F32, LAYOUT_ROWS, 2,
                                                      table->n_ids, table->width);
    for (size_t id = 0; status == ENGINE_OK && id < table->n_ids; id++)
        status = weight_writer_rows(output->writer, vectors_table_row(table, id), 1);
}

/* Names and hashes of what was read, but of a pipe, which cannot be read once more. */
static void write_sources(const struct vectors_import *import, struct weight_output *output)
{
    const struct vectors_options *vectors = &import->options->vectors;
    const char *const sources[] = {vectors->path, vectors->only_words_of};
    struct stat status;
    size_t n = 0;
    for (size_t i = 0; i < 2; i++) {
        if (sources[i] == NULL || strcmp(sources[i], "-") == 0)
            continue;
        if (stat(sources[i], &status) != 0)
            problem_say("%s: %s", sources[i], strerror(errno));
        if (S_ISREG(status.st_mode))
            import_add_source(output, n++, path_name(sources[i]), sources[i]);
    }
}

static int write_file(const struct vectors_import *import)
{
    const struct position_options *positions = &import->options->vectors.positions;
    struct weight_output output;
    weight_output_open(&output, import->options->output, import->name);
    weight_writer_config(output.writer, &import->model);
    draft_write(&import->tokenizer.draft, output.writer);
    weight_output_metadata(&output, "architecture", "word vectors");
    weight_writer_frequencies(output.writer, positions->frequencies, positions->n_frequencies);
    write_sources(import, &output);
    if (weight_output_is_right(&output))
        write_rows(import, &output);
    return weight_output_finish(&output);
}

/* ---- All of it ---- */

static const char *name_of(const struct import_options *options)
{
    const char *path = options->vectors.path;
    if (options->name != NULL)
        return options->name;
    return strcmp(path, "-") == 0 ? "word vectors" : path_name(path);
}

static int carry_out(struct vectors_import *import)
{
    int code = PROGRAM_DONE;
    fit_texts(import);
    read_table(import);
    make_tokenizer(import);
    settle_model(import);
    vectors_report_skipped(&import->file);
    if (import->options->is_dry_run)
        report_tokenizer(&import->tokenizer, &import->model, import->name);
    else
        code = write_file(import);
    if (code == PROGRAM_DONE)
        vectors_report_words(import);
    return code;
}

int import_vectors(const struct import_options *options)
{
    struct vectors_import import = {.options = options,
                                    .file = {.reader = {.fd = -1}},
                                    .tokenizer = {.draft = DRAFT_EMPTY},
                                    .name = name_of(options)};
    int code = carry_out(&import);
    vectors_file_close(&import.file);
    vectors_table_free(&import.table);
    draft_free(&import.tokenizer.draft);
    return code;
}
