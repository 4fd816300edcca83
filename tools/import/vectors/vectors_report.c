/* vectors_report.c - what became of a file of word vectors, in words; see vectors.h. */
#include "tools/import/vectors/vectors.h"

#include "tools/common/options.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Skipped lines ---- */

static void say_faults(const struct vectors_file *file, const struct vector_faults *faults)
{
    for (size_t i = 0; i < faults->n && i < VECTOR_FAULTS_SHOWN; i++)
        program_note("%s, line %zu: %s; skipped", file->name, faults->shown[i].line,
                     faults->shown[i].text);
}

void vectors_report_skipped(const struct vectors_file *file)
{
    size_t n = file->broken.n + file->repeated.n;
    say_faults(file, &file->broken);
    say_faults(file, &file->repeated);
    if (n > 0)
        program_note("%s: %zu line%s skipped: %zu broken, %zu with a word that was there already",
                     file->name, n, n == 1 ? " was" : "s were", file->broken.n, file->repeated.n);
}

/* ---- Lists of words ---- */

/* "'a', 'b', 'c' and 4 more": whole words, as far as there is room. */
struct word_names {
    char text[900];
    size_t len, n, n_all;
};

/* One more word, which is named unless `most` are. */
static void name_word(struct word_names *names, const struct word_list *words, size_t id,
                      size_t most)
{
    size_t len = words->lens[id];
    names->n_all++;
    if (names->n == most || names->len + len + 40 > sizeof names->text)
        return;
    names->len +=
        (size_t)snprintf(names->text + names->len, sizeof names->text - names->len, "%s'%.*s'",
                         names->n > 0 ? ", " : "", (int)len, words->texts[id]);
    names->n++;
}

static void say_names(struct word_names *names, const char *what, const char *why)
{
    if (names->n_all > names->n)
        snprintf(names->text + names->len, sizeof names->text - names->len, " and %zu more",
                 names->n_all - names->n);
    if (names->n_all > 0)
        program_note("%zu %s%s: %s", names->n_all, what, why, names->text);
}

static void say_absent(const struct vectors_import *import)
{
    const struct vectors_table *table = &import->table;
    const struct word_list *words = &import->tokenizer.draft.words;
    struct word_names names = {.len = 0};
    for (size_t id = 0; id < table->n_ids; id++)
        if (words->lens[id] > 0 && table->row_of[id] == 0)
            name_word(&names, words, id, 20);
    say_names(&names,
              names.n_all == 1 ? "of these words has no vector, and rows of zeros"
                               : "of these words have no vector, and rows of zeros",
              import->tokenizer.draft.lower
                  ? " (texts are in lower case; --lower no keeps capitals)"
                  : "");
}

/* Whether the tokenizer of the weight file gives the word for its own text: not where it makes
 * several tokens of it or changes its letters. */
static bool is_met(engine_session *session, const engine_model *model, size_t id)
{
    engine_input input = {.text = NULL};
    engine_token token;
    size_t n_tokens = 0;
    if (engine_token_text(model, (int32_t)id, &input.text, &input.text_len) != ENGINE_OK)
        return true; /* no word */
    engine_status status = engine_tokenize(session, &input, NULL, &token, 1, &n_tokens, NULL);
    return status == ENGINE_OK && n_tokens == 1 && token.id == (int32_t)id;
}

/* Words that no text can have. */
static void say_out_of_reach(const struct vectors_import *import)
{
    const engine_session_options options = {
        .struct_bytes = sizeof options, .n_threads = 1, .max_tokens = 1};
    engine_model *model = NULL;
    engine_session *session = NULL;
    struct word_names names = {.len = 0};
    if (engine_model_open(import->options->output, NULL, &model, NULL) == ENGINE_OK &&
        engine_session_new(model, &options, &session, NULL) == ENGINE_OK)
        for (size_t id = 1; id < import->table.n_ids; id++)
            if (!is_met(session, model, id))
                name_word(&names, &import->tokenizer.draft.words, id, 6);
    engine_session_free(session);
    engine_model_close(model);
    say_names(&names,
              names.n_all == 1 ? "word can be met in no text, as texts are split"
                               : "words can be met in no text, as texts are split",
              import->options->vectors.splits_at_blanks
                  ? ""
                  : " (--split blanks: for texts in which such words stand alone)");
}

/* ---- All of it ---- */

static void say_size(const struct vectors_import *import)
{
    const struct vectors_file *file = &import->file;
    const struct vectors_options *options = &import->options->vectors;
    const char *output = import->options->is_dry_run ? NULL : import->options->output;
    size_t n_ids = import->table.n_ids, width = import->table.width;
    if (file->has_header && options->limit == 0 && file->header_words != file->n_right)
        program_note("%s, line 1 says %" PRIu64 " word%s; %zu line%s right", file->name,
                     file->header_words, plural(file->header_words), file->n_right,
                     file->n_right == 1 ? " was" : "s were");
    program_note("%s%s%s%zu word%s of %zu number%s, table [%zu, %zu]; row 0, of zeros, is %s",
                 output != NULL ? "wrote '" : "", output != NULL ? output : "",
                 output != NULL ? "': " : "", n_ids - 1, plural(n_ids - 1), width, plural(width),
                 n_ids, width,
                 options->only_words_of != NULL ? "padding" : "for words that are not in the file");
}

static void say_splitting(const struct vectors_import *import)
{
    const struct vectors_options *options = &import->options->vectors;
    const struct word_list *words = &import->tokenizer.draft.words;
    const char *place = options->splits_at_blanks ? "blanks" : "blanks and punctuation";
    size_t cased = import->table.cased;
    if (options->lower != NULL)
        program_note("texts %s and are split at %s",
                     import->tokenizer.draft.lower ? "are put into lower case"
                                                   : "keep their capitals",
                     place);
    else if (import->tokenizer.draft.lower)
        program_note("texts are put into lower case, for no word has a capital (--lower no), and "
                     "split at %s",
                     place);
    else
        program_note(
            "texts keep their capitals, for words have them, '%.*s' first (--lower yes), and are "
            "split at %s",
            words->lens[cased] < 100 ? (int)words->lens[cased] : 0, words->texts[cased], place);
}

void vectors_report_words(const struct vectors_import *import)
{
    say_size(import);
    if (import->options->vectors.only_words_of != NULL) {
        say_absent(import);
        return;
    }
    say_splitting(import);
    if (!import->options->is_dry_run)
        say_out_of_reach(import);
}
