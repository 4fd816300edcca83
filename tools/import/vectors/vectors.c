/* vectors.c - word vectors become a static embedding; see vectors.h.
 *
 *     words of the texts (only_words_of)  →  rows of the file  →  tokenizer  →  model and plan
 */
#include "tools/import/vectors/vectors.h"

#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/common/print/utf8.h"
#include "tools/import/checkpoint/static_embedding.h"
#include "tools/import/vectors/vectors_file.h"
#include "tools/writer/tokenizer/token_source.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

static const struct architecture WORD_VECTORS = {.class_name = "word vectors"};

/* ---- Rows ---- */

/* Rows of words by their ids. Pages that are not written yet take no memory, so that growing by
 * half is cheap. */
struct rows {
    size_t n, cap, width;
    float *values;  /* [cap, width] */
    bool *are_read; /* [cap] */
};

static void make_room(struct rows *rows, size_t n)
{
    enum { FIRST_FLOATS = 1 << 20 };
    if (n > rows->cap) {
        size_t before = rows->cap;
        rows->cap = n + n / 2 + FIRST_FLOATS / rows->width;
        rows->values = alloc_resize(rows->values, rows->cap, rows->width * sizeof *rows->values);
        rows->are_read = alloc_resize(rows->are_read, rows->cap, sizeof *rows->are_read);
        memset(rows->are_read + before, 0, (rows->cap - before) * sizeof *rows->are_read);
    }
    memset(rows->values + rows->n * rows->width, 0,
           (n - rows->n) * rows->width * sizeof *rows->values);
    rows->n = n;
}

/* Adds the words of the file to those of the list, which has row 0 alone, or only reads those that
 * are wanted. Of a word that is there twice, as in some published files, the first vector
 * counts. */
static void read_rows(struct vectors_file *file, struct word_list *words, bool are_wanted,
                      struct rows *rows)
{
    float *values = alloc_zeros(file->width, sizeof *values);
    const char *word;
    size_t len, n_read = 0, n_repeated = 0, repeated_line = 0;
    make_room(rows, words->n);
    while (vectors_file_next(file, &word, &len, values)) {
        size_t id = word_list_find(words, word, len);
        if (id == WORD_NONE && are_wanted)
            continue;
        if (id == WORD_NONE) {
            id = words->n;
            word_list_append(words, word, len);
            make_room(rows, words->n);
        } else if (rows->are_read[id]) {
            if (n_repeated++ == 0)
                repeated_line = file->reader.n_lines;
            continue;
        }
        memcpy(rows->values + id * rows->width, values, rows->width * sizeof *values);
        rows->are_read[id] = true;
        n_read++;
    }
    alloc_free(values);
    if (n_read == 0)
        program_die("'%s' contains no word%s", file->path, are_wanted ? " of the texts" : "");
    if (n_repeated > 0)
        program_note("'%s': %zu line%s skipped, line %zu first: the word has a vector already",
                     file->path, n_repeated, n_repeated == 1 ? " was" : "s were", repeated_line);
}

/* Names the wanted words that the file has not, as far as there is room. */
static void note_absent(const struct rows *rows, const struct tokenizer_draft *draft)
{
    enum { MOST_NAMED = 20 };
    char names[900] = "";
    size_t n = 0, n_named = 0, at = 0;
    for (size_t id = 1; id < rows->n; id++) {
        size_t len = draft->words.lens[id];
        if (rows->are_read[id] || n++ >= MOST_NAMED || at + len + 5 > sizeof names)
            continue;
        at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s'", n_named++ > 0 ? ", " : "",
                               draft->words.texts[id]);
    }
    if (n > 0)
        program_note("%zu of these words %s no vector, and rows of zeros%s: %s%s", n,
                     n == 1 ? "has" : "have",
                     draft->lower ? " (texts are in lower case; --lower no keeps capitals)" : "",
                     names, n > n_named ? " …" : "");
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
    struct blank_list list = {.n = 0};
    for (size_t id = 0; id < draft->words.n; id++)
        if (is_joined(draft->words.texts[id], draft->words.lens[id]))
            list_add(&list, "%zu:nw", id);
    list_set(&list, draft, "added");
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

static size_t first_with_capital(const struct word_list *words)
{
    for (size_t id = 0; id < words->n; id++)
        for (size_t at = 0; at < words->lens[id];) {
            uint32_t character;
            at += utf8_next(words->texts[id] + at, words->lens[id] - at, &character);
            if (character < 0x80 ? character >= 'A' && character <= 'Z'
                                 : utf8proc_tolower((int32_t)character) != (int32_t)character)
                return id;
        }
    return WORD_NONE;
}

/* Texts are split at blanks and at punctuation, unless at_blanks says at blanks alone. Words with
 * punctuation between letters or digits ("well-known", "1,000", "u.s.") are then kept whole, as
 * added tokens. */
static void make_tokenizer(struct tokenizer_draft *draft, const struct vectors_options *vectors)
{
    char why[160] = "";
    if (vectors->lower == NULL) {
        size_t cased = first_with_capital(&draft->words);
        draft->lower = cased == WORD_NONE;
        if (draft->lower)
            snprintf(why, sizeof why, ", for no word has a capital (--lower no)");
        else
            snprintf(why, sizeof why, ", for words have them, '%.100s' first (--lower yes)",
                     draft->words.texts[cased]);
    }
    draft->unknown = 0;
    name_unknown(&draft->words);
    draft_set_text(draft, "kind", "words");
    if (draft->lower)
        draft_set_text(draft, "normalizer", "lower");
    draft_set_text(draft, "splitter", vectors->splits_at_blanks ? "blanks" : "blanks punctuation");
    draft_set_number(draft, "unknown", draft->unknown);
    if (!vectors->splits_at_blanks)
        keep_joined(draft);
    program_note("texts %s%s, and are split at %s",
                 draft->lower ? "are put into lower case" : "keep their capitals", why,
                 vectors->splits_at_blanks ? "blanks" : "blanks and punctuation");
}

/* ---- The model ---- */

static void make_model(struct model_config *model, const struct vectors_options *vectors,
                       const struct rows *rows)
{
    const struct position_options *positions = &vectors->positions;
    const struct position_numbers numbers = position_numbers(positions, NULL, rows->width);
    static_embedding_defaults(model, rows->n, rows->width);
    model->max_tokens = vectors->max_tokens;
    if (positions->position != 0)
        config_set(model, "position", engine_position_name(positions->position));
    model->position_base = numbers.base;
    model->position_scale = numbers.position_scale;
    model->embedding_scale = numbers.embedding_scale;
    model->position_frequencies = (int64_t)numbers.n_frequencies;
    const char *wrong = config_check(model);
    if (wrong != NULL)
        program_die("'%s': the weight file cannot hold this: %s", vectors->path, wrong);
}

void vectors_read(struct checkpoint *checkpoint, const struct import_options *options)
{
    const struct vectors_options *vectors = &options->vectors;
    const struct fit_options fit = {.oov = ""};
    struct tokenizer_draft *draft = &checkpoint->tokenizer.draft;
    struct vectors_file file;
    *checkpoint = (struct checkpoint){.has_tokenizer = true, .tokenizer.draft = DRAFT_EMPTY};
    draft->lower = vectors->lower == NULL || strcmp(vectors->lower, "yes") == 0;
    if (vectors->only_words_of != NULL)
        token_source_fit(draft, vectors->only_words_of, &fit);
    else
        word_list_append(&draft->words, NULL, 0); /* row 0 */
    vectors_file_open(&file, vectors->path, vectors->limit);
    struct rows rows = {.width = file.width};
    read_rows(&file, &draft->words, vectors->only_words_of != NULL, &rows);
    vectors_file_close(&file);
    program_note("'%s': %zu word%s of %zu number%s, table [%zu, %zu]; row 0, of zeros, is %s",
                 vectors->path, rows.n - 1, plural(rows.n - 1), rows.width, plural(rows.width),
                 rows.n, rows.width,
                 vectors->only_words_of != NULL ? "padding" : "for words that are not in the file");
    if (vectors->only_words_of != NULL) {
        draft_set_rules(draft, &KERAS_DEFAULTS);
        note_absent(&rows, draft);
    } else {
        make_tokenizer(draft, vectors);
    }
    make_model(&checkpoint->config.model, vectors, &rows);
    checkpoint->config.architecture = &WORD_VECTORS;
    static_embedding_plan_values(&checkpoint->plan,
                                 options->table_type != 0 ? options->table_type : options->type,
                                 rows.values, &checkpoint->config.model);
}
