/* word_vectors.c - word vectors become a static embedding; see word_vectors.h. The programs that
 * write such files split their texts at blanks, so no word has one; a word may have other spaces
 * in it (U+00A0).
 *
 *     words of the texts (only_words_of)  →  lines of the file  →  tokenizer  →  model and plan
 */
#include "tools/import/vectors/word_vectors.h"

#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/common/print/display.h"
#include "tools/import/checkpoint/static_embedding.h"
#include "tools/import/import_output.h"
#include "tools/writer/tokenizer/keras.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utf8proc.h>

static const struct architecture WORD_VECTORS = {.class_name = "word vectors"};

enum { MOST_WIDTH = 1 << 16, MOST_WORD_BYTES = 1024, MOST_SHOWN_BYTES = 40 };

/* ---- Lines of the file ---- */

/* A line without its end, or one field of it. */
struct span {
    const char *text;
    size_t len;
};

#define SHOWN(field)                                                                               \
    (int)((field).len < MOST_SHOWN_BYTES ? (field).len : MOST_SHOWN_BYTES), (field).text

/* Returns a hint for a line with bytes that only compressed and binary files have, or "". */
static const char *hint_of(const struct span *line)
{
    bool is_text = utf8_is_valid(line->text, line->len);
    for (size_t i = 0; i < line->len; i++)
        is_text = is_text && ((unsigned char)line->text[i] >= ' ' || line->text[i] == '\t');
    return is_text ? ""
                   : " (this is not UTF-8 text; of a compressed file: zcat FILE | encode-import "
                     "--vectors -; of a binary model: export its text)";
}

/* Refuses a line. */
#define line_die(file, line, format, ...)                                                          \
    program_die("'%s', line %zu: " format "%s", (file)->path, (file)->reader.n_lines, __VA_ARGS__, \
                hint_of(line))

/* Returns false at the end. A byte order mark before the first line is skipped. */
static bool read_line(struct vectors_file *file, struct span *line)
{
    char *text = NULL;
    size_t len = 0, mark;
    switch (line_reader_next(&file->reader, true, &text, &len)) {
    case LINE_READ: break;
    case LINE_TOO_LONG:
        program_die("'%s', line %zu: longer than 64 MiB; expected a word and its numbers",
                    file->path, file->reader.n_lines + 1);
    case LINE_FAILED: program_die("cannot read '%s': %s", file->path, strerror(file->reader.error));
    default: return false;
    }
    mark = file->reader.n_lines == 1 ? utf8_mark_len(text, len) : 0;
    *line = (struct span){text + mark, len - mark};
    return true;
}

/* Cuts the bytes up to the next blank off the front of the line, then blanks. */
static struct span cut_field(struct span *line)
{
    const char *at = line->text, *end = at + line->len;
    struct span field = {at, 0};
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    field.len = (size_t)(at - field.text);
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    *line = (struct span){at, (size_t)(end - at)};
    return field;
}

static bool read_count(const struct span *field, uint64_t *value)
{
    *value = strtoull(field->text, NULL, 10);
    return field->len > 0 && strspn(field->text, "0123456789") >= field->len;
}

/* Opens the file, and reads the header "400000 100"; without one, the first line's numbers are
 * counted. */
void vectors_file_open(struct vectors_file *file, const char *path, size_t limit)
{
    struct stat status;
    struct span line;
    uint64_t width = 0;
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *file = (struct vectors_file){.path = path, .limit = limit};
    line_reader_begin(&file->reader, fd);
    file->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (fd < 0 || file->c_locale == (locale_t)0)
        program_die("cannot read '%s': %s", path, strerror(errno));
    if (!read_line(file, &line))
        program_die("'%s' is empty; expected lines of a word and its numbers", path);
    struct span rest = line, first = cut_field(&rest), second = cut_field(&rest);
    file->has_header =
        rest.len == 0 && read_count(&first, &file->n_promised) && read_count(&second, &width);
    if (!file->has_header)
        for (width = second.len > 0; rest.len > 0; width++)
            cut_field(&rest);
    if (width == 0 || width > MOST_WIDTH)
        line_die(file, &line, "%s %" PRIu64 " numbers; expected a word and 1 to %d numbers",
                 file->has_header ? "words of" : "a word and", width, MOST_WIDTH);
    file->width = (size_t)width;
    if (!file->has_header)
        line_reader_undo(&file->reader);
    bool has_size = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    progress_begin("reading", has_size ? (uint64_t)status.st_size : 0);
}

void vectors_file_close(struct vectors_file *file)
{
    progress_end();
    line_reader_free(&file->reader);
    if (file->reader.fd > STDIN_FILENO)
        close(file->reader.fd);
    freelocale(file->c_locale);
}

/* Numbers are decimal: not all that strtof reads ("nan", "0x1p3"). The byte after a field is not
 * part of a number, so strtof ends there. */
bool vectors_file_next(struct vectors_file *file, const char **word, size_t *len, float *values)
{
    struct span line;
    if (file->limit > 0 && file->n == file->limit)
        return false;
    if (!read_line(file, &line)) {
        if (file->has_header && file->n != file->n_promised)
            program_die("'%s', line 1 says %" PRIu64 " words; found %zu", file->path,
                        file->n_promised, file->n);
        return false;
    }
    progress_add(line.len + 1);
    file->n++;
    struct span rest = line, field = cut_field(&rest);
    *word = field.text;
    *len = field.len;
    if (field.len == 0 || field.len > MOST_WORD_BYTES ||
        memchr(field.text, '\0', field.len) != NULL || !utf8_is_valid(field.text, field.len))
        line_die(file, &line, "it starts with '%.*s', %zu bytes; expected a word of 1 to %d bytes",
                 SHOWN(field), field.len, MOST_WORD_BYTES);
    for (size_t i = 0; i < file->width; i++) {
        char *end;
        field = cut_field(&rest);
        if (field.len == 0)
            line_die(file, &line, "%zu number%s; expected %zu", i, plural(i), file->width);
        values[i] = strtof_l(field.text, &end, file->c_locale);
        if (end != field.text + field.len || !isfinite(values[i]) ||
            strspn(field.text, "+-.0123456789eE") < field.len)
            line_die(file, &line, "number %zu is '%.*s'; expected a finite decimal number", i + 1,
                     SHOWN(field));
    }
    if (rest.len > 0)
        line_die(file, &line, "'%.*s' after %zu numbers; expected the line's end", SHOWN(rest),
                 file->width);
    return true;
}

/* ---- Rows ---- */

/* Rows of words by ids. */
struct rows {
    size_t n, cap, width;
    float *values;  /* [cap, width] */
    bool *are_read; /* [cap] */
};

/* Adds rows of zeros up to n. Growing by half is cheap: unwritten pages take no memory. */
static void extend_rows(struct rows *rows, size_t n)
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

/* Adds the words of the file to the list, or reads only words that are in it. Of a word that occurs
 * twice, as in some published files, the first vector counts. */
static void read_rows(struct vectors_file *file, struct word_list *words, bool are_wanted,
                      struct rows *rows)
{
    float *values = alloc_zeros(file->width, sizeof *values);
    const char *word;
    size_t len, n_read = 0, n_repeated = 0, repeated_line = 0;
    extend_rows(rows, words->n);
    while (vectors_file_next(file, &word, &len, values)) {
        size_t id = word_list_find(words, word, len);
        if (id == WORD_NONE && are_wanted)
            continue;
        if (id == WORD_NONE) {
            id = words->n;
            word_list_append(words, word, len);
            extend_rows(rows, words->n);
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

/* Names words that the file does not have, as far as there is room. */
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

/* By general category, in the order of utf8proc_category_t. */
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

/* Whether a word has a letter or digit at both ends, punctuation between them and no blank; a full
 * stop may follow ("u.s."). */
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

/* Returns the first word with a capital, or WORD_NONE. */
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

/* Row 0 is the unknown word, with a name that is not a word of the file. Texts are split at blanks
 * and at punctuation, unless splits_at_blanks. Words with punctuation between letters or digits
 * ("well-known", "1,000", "u.s.") are then added tokens, which are not split: n: cut from the text
 * in lower case; w: only if no letter is beside them. */
static void make_tokenizer(struct tokenizer_draft *draft, const struct vectors_options *vectors)
{
    static const char *const names[] = {"<unk>", "[UNK]", "<unknown>"};
    struct word_list *words = &draft->words;
    struct blank_list joined = {.n = 0};
    size_t name = 0;
    char why[160] = "";
    if (vectors->lower == NULL) {
        size_t cased = first_with_capital(words);
        draft->lower = cased == WORD_NONE;
        if (draft->lower)
            snprintf(why, sizeof why, ", for no word has a capital (--lower no)");
        else
            snprintf(why, sizeof why, ", for words have them, '%.100s' first (--lower yes)",
                     words->texts[cased]);
    }
    while (name < 3 && word_list_find(words, names[name], strlen(names[name])) != WORD_NONE)
        name++;
    if (name < 3)
        word_list_place(words, 0, names[name], strlen(names[name]));
    draft->unknown = 0;
    draft_set_text(draft, "kind", "words");
    if (draft->lower)
        draft_set_text(draft, "normalizer", "lower");
    draft_set_text(draft, "splitter", vectors->splits_at_blanks ? "blanks" : "blanks punctuation");
    draft_set_number(draft, "unknown", draft->unknown);
    for (size_t id = 0; !vectors->splits_at_blanks && id < words->n; id++)
        if (is_joined(words->texts[id], words->lens[id]))
            list_add(&joined, "%zu:nw", id);
    list_set(&joined, draft, "added");
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
    model->position_frequencies = numbers.n_frequencies;
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
        keras_fit(draft, vectors->only_words_of, &fit);
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
