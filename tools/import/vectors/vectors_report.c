/* vectors_report.c - see vectors_report.h. */
#include "tools/import/vectors/vectors_report.h"

#include "tools/common/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A note of words that come from files, which may hold control characters. */
static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void note(const char *format, ...)
{
    struct problem hidden = {""};
    va_list arguments;
    va_start(arguments, format);
    problem_in(&hidden, NULL, format, arguments);
    va_end(arguments);
    program_note("%s", hidden.text);
}

/* ---- Skipped lines ---- */

static void say_faults(const struct vectors_file *file, const struct vector_faults *faults)
{
    for (size_t i = 0; i < faults->n && i < VECTOR_FAULTS_SHOWN; i++)
        note("'%s', line %zu: %s; skipped", file->path, faults->shown[i].line,
             faults->shown[i].text);
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

static void name_word(struct word_names *names, const struct word_list *words, size_t id)
{
    size_t len = words->lens[id];
    if (names->n == WORDS_NAMED || names->len + len + 40 > sizeof names->text)
        return;
    names->len +=
        (size_t)snprintf(names->text + names->len, sizeof names->text - names->len, "%s'%.*s'",
                         names->n > 0 ? ", " : "", (int)len, words->texts[id]);
    names->n++;
}

static void say_names(struct word_names *names, size_t n_all, const char *sentence)
{
    if (n_all > names->n)
        snprintf(names->text + names->len, sizeof names->text - names->len, " and %zu more",
                 n_all - names->n);
    note("%s: %s", sentence, names->text);
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
    if (result->options->lower != NULL)
        program_note("texts %s and are split at %s",
                     result->is_lower ? "are put into lower case" : "keep their capitals", place);
    else if (result->is_lower)
        program_note("texts are put into lower case, for no word has a capital (--lower no), and "
                     "split at %s",
                     place);
    else
        note("texts keep their capitals, for words have them, '%.*s' first (--lower yes), and are "
             "split at %s",
             table->cased_len < 100 ? (int)table->cased_len : 0, table->cased, place);
}

static void say_absent(const struct vectors_result *result)
{
    const struct vectors_table *table = result->table;
    struct word_names names = {.len = 0};
    char sentence[256];
    if (table->n_absent == 0)
        return;
    for (size_t id = 0; id < table->n_ids; id++)
        if (result->words->lens[id] > 0 && vectors_table_row(table, id) == NULL)
            name_word(&names, result->words, id);
    snprintf(sentence, sizeof sentence, "%zu of these words ha%s no vector, and rows of zeros%s",
             table->n_absent, table->n_absent == 1 ? "s" : "ve",
             result->is_lower ? " (texts are in lower case; --lower no keeps capitals)" : "");
    say_names(&names, table->n_absent, sentence);
}

/* ---- Words that no text can have ---- */

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

static void say_out_of_reach(const struct vectors_result *result, const char *output)
{
    enum { NAMED = 6 };
    const engine_session_options options = {
        .struct_bytes = sizeof options, .n_threads = 1, .max_tokens = 1};
    engine_model *model = NULL;
    engine_session *session = NULL;
    struct word_names names = {.len = 0};
    char sentence[256];
    size_t n = 0;
    if (engine_model_open(output, NULL, &model, NULL) == ENGINE_OK &&
        engine_session_new(model, &options, &session, NULL) == ENGINE_OK)
        for (size_t id = 1; id < result->table->n_ids; id++)
            if (!is_met(session, model, id) && n++ < NAMED)
                name_word(&names, result->words, id);
    engine_session_free(session);
    engine_model_close(model);
    snprintf(sentence, sizeof sentence, "%zu word%s can be met in no text, as texts are split%s", n,
             plural(n),
             result->options->splits_at_blanks
                 ? ""
                 : " (--split blanks: for texts in which such words stand alone)");
    if (n > 0)
        say_names(&names, n, sentence);
}

/* ---- All of it ---- */

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
