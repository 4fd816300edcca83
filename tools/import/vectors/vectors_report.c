/* vectors_report.c - see vectors_report.h. */
#include "tools/import/vectors/vectors_report.h"

#include "tools/common/options.h"
#include "tools/common/weights/problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Skipped lines ---- */

static void say_faults(const struct vectors_file *file, const struct vector_faults *faults)
{
    for (size_t i = 0; i < faults->n && i < VECTOR_FAULTS_SHOWN; i++) {
        struct problem hidden; /* words of the file may hold control characters */
        problem_say(&hidden, "'%s', line %zu: %s; skipped", file->path, faults->shown[i].line,
                    faults->shown[i].text);
        program_note("%s", hidden.text);
    }
}

void vectors_report_skipped(const struct vectors_file *file)
{
    size_t n = file->broken.n + file->repeated.n;
    say_faults(file, &file->broken);
    say_faults(file, &file->repeated);
    if (n > 0)
        program_note("'%s': %zu line%s skipped: %zu broken, %zu with a word that was there already",
                     file->path, n, n == 1 ? " was" : "s were", file->broken.n, file->repeated.n);
}

/* ---- Lists of words ---- */

enum { WORDS_NAMED = 20 };

/* "'a', 'b', 'c' and 4 more", as far as there is room; whole words. */
struct word_names {
    char text[900];
    size_t len, n;
};

static void name_word(struct word_names *names, const struct import_tokenizer *tokenizer, size_t id)
{
    size_t len = tokenizer->lens[id];
    if (names->n == WORDS_NAMED || names->len + len + 40 > sizeof names->text)
        return;
    names->len +=
        (size_t)snprintf(names->text + names->len, sizeof names->text - names->len, "%s'%.*s'",
                         names->n > 0 ? ", " : "", (int)len, tokenizer->texts[id]);
    names->n++;
}

static void say_names(struct word_names *names, size_t n_all, const char *sentence)
{
    struct problem hidden;
    if (n_all > names->n)
        snprintf(names->text + names->len, sizeof names->text - names->len, " and %zu more",
                 n_all - names->n);
    problem_say(&hidden, "%s: %s", sentence, names->text);
    program_note("%s", hidden.text);
}

/* ---- Words of the file ---- */

static void say_size(const struct vectors_result *result, const char *output)
{
    const struct vectors_table *table = result->table;
    bool is_wanted = result->options->only_words_of != NULL;
    program_note("%s%s%s%zu word%s of %zu number%s, table [%zu, %zu]; row 0, of zeros, is %s",
                 output != NULL ? "wrote '" : "", output != NULL ? output : "",
                 output != NULL ? "': " : "", table->n_ids - 1, plural(table->n_ids - 1),
                 table->width, plural(table->width), table->n_ids, table->width,
                 is_wanted ? "padding" : "for words that are not in the file");
}

static void say_header(const struct vectors_result *result)
{
    const struct vectors_file *file = result->file;
    if (file->has_header && result->options->limit == 0 && file->header_words != file->n_right)
        program_note("'%s', line 1 says %" PRIu64 " word%s; %zu line%s right", file->path,
                     file->header_words, plural(file->header_words), file->n_right,
                     file->n_right == 1 ? " was" : "s were");
}

static void say_splitting(const struct vectors_result *result)
{
    const struct vectors_table *table = result->table;
    const char *place = result->options->splits_at_blanks ? "blanks" : "blanks and punctuation";
    struct problem hidden;
    if (result->options->lower != NULL)
        program_note("texts %s and are split at %s",
                     result->is_lower ? "are put into lower case" : "keep their capitals", place);
    else if (result->is_lower)
        program_note("texts are put into lower case, for no word has a capital (--lower no), and "
                     "split at %s",
                     place);
    else {
        problem_say(&hidden,
                    "texts keep their capitals, for words have them, '%.*s' first (--lower yes), "
                    "and are split at %s",
                    table->cased_len < 100 ? (int)table->cased_len : 0, table->cased, place);
        program_note("%s", hidden.text);
    }
}

static void say_absent(const struct vectors_result *result)
{
    const struct vectors_table *table = result->table;
    struct word_names names = {.len = 0};
    char sentence[256];
    if (table->n_absent == 0)
        return;
    for (size_t id = 0; id < table->n_ids; id++)
        if (result->tokenizer->lens[id] > 0 && vectors_table_row(table, id) == NULL)
            name_word(&names, result->tokenizer, id);
    snprintf(sentence, sizeof sentence, "%zu of these words ha%s no vector, and rows of zeros%s",
             table->n_absent, table->n_absent == 1 ? "s" : "ve",
             result->is_lower ? " (texts are in lower case; --lower no keeps capitals)" : "");
    say_names(&names, table->n_absent, sentence);
}

static void say_out_of_reach(const struct vectors_result *result, const char *output)
{
    size_t ids[WORDS_NAMED], n_ids = result->table->n_ids;
    size_t n = vectors_out_of_reach(output, n_ids, ids, WORDS_NAMED);
    struct word_names names = {.len = 0};
    char sentence[256];
    if (n == 0 || n == SIZE_MAX)
        return;
    for (size_t i = 0; i < n && i < 6; i++)
        name_word(&names, result->tokenizer, ids[i]);
    snprintf(sentence, sizeof sentence, "%zu word%s can be met in no text, as texts are split%s", n,
             plural(n),
             result->options->splits_at_blanks
                 ? ""
                 : " (--split blanks: for texts in which such words stand alone)");
    say_names(&names, n, sentence);
}

void vectors_report_words(const struct vectors_result *result, const char *output)
{
    say_header(result);
    say_size(result, output);
    if (result->options->only_words_of != NULL) {
        say_absent(result);
        return;
    }
    say_splitting(result);
    if (output != NULL)
        say_out_of_reach(result, output);
}
