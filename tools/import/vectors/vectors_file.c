/* vectors_file.c - reads files of word vectors; see vectors_file.h. The first lines are read twice,
 * from memory, so that a pipe will do as well as a file.
 */
#include "tools/import/vectors/vectors_file.h"

#include "tools/common/options.h"
#include "tools/common/print/utf8.h"
#include "tools/import/progress.h"
#include "tools/import/vectors/decimal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WIDTH = 1 << 16, MOST_WORD_BYTES = 1024, LINES_AHEAD = 100 };

#define REFUSE(file, ...) problem_of((file)->name, __VA_ARGS__)

/* ---- Fields of a line ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static size_t skip_blanks(const struct text_span *line, size_t at)
{
    while (at < line->len && is_blank(line->text[at]))
        at++;
    return at;
}

static void cut_blanks(struct text_span *line)
{
    while (line->len > 0 && is_blank(line->text[line->len - 1]))
        line->len--;
}

/* Takes the last field off the line; false where there are only blanks. */
static bool take_last(struct text_span *line, struct text_span *field)
{
    cut_blanks(line);
    size_t end = line->len;
    while (line->len > 0 && !is_blank(line->text[line->len - 1]))
        line->len--;
    *field = (struct text_span){line->text + line->len, end - line->len};
    return field->len > 0;
}

/* Digits alone, and not too many for the type. */
static bool read_count(const struct text_span *field, uint64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < field->len; i++) {
        if (field->text[i] < '0' || field->text[i] > '9' || i == 18)
            return false;
        *value = *value * 10 + (uint64_t)(field->text[i] - '0');
    }
    return true;
}

/* "400000 100", the first line of word2vec's and fastText's files: exactly two whole numbers. */
static bool read_header(struct text_span line, uint64_t *count, uint64_t *width)
{
    struct text_span first, second, none;
    return take_last(&line, &second) && take_last(&line, &first) && !take_last(&line, &none) &&
           read_count(&first, count) && read_count(&second, width);
}

/* How many numbers the line seems to have: those at its end, but for the first field, which is the
 * word whatever it is. */
static size_t count_numbers(struct text_span line)
{
    struct text_span field;
    size_t n = 0, word = skip_blanks(&line, 0);
    float value;
    while (take_last(&line, &field) && line.len > word &&
           decimal_parse(field.text, field.len, &value))
        n++;
    return n;
}

/* ---- A line ---- */

static bool check_word(const struct text_span *word, char fault[VECTOR_FAULT])
{
    if (word->len > MOST_WORD_BYTES)
        snprintf(fault, VECTOR_FAULT, "a word of %zu bytes; at most %d are read", word->len,
                 MOST_WORD_BYTES);
    else if (!utf8_is_valid(word->text, word->len))
        snprintf(fault, VECTOR_FAULT, "the word is not UTF-8");
    else if (memchr(word->text, '\0', word->len) != NULL)
        snprintf(fault, VECTOR_FAULT, "the word has a NUL byte in it");
    else
        return true;
    return false;
}

/* From right to left: the last `width` fields, and the word is what stands before them. Numbers are
 * counted where that has blanks in it, or something is wrong: `fault` then says it. */
static bool read_vector(struct text_span line, size_t width, struct text_span *word, float *values,
                        char fault[VECTOR_FAULT])
{
    const struct text_span whole = line;
    size_t begin = skip_blanks(&line, 0), n_fields = 0, wrong_at = 0;
    struct text_span field, wrong = {"", 0};
    for (; n_fields < width && take_last(&line, &field); n_fields++)
        if (!decimal_parse(field.text, field.len, &values[width - 1 - n_fields])) {
            wrong_at = width - n_fields;
            wrong = (struct text_span){field.text, field.len < 40 ? field.len : 40};
        }
    cut_blanks(&line);
    *word = (struct text_span){line.text + begin, line.len > begin ? line.len - begin : 0};
    bool is_one = word->len > 0 && !memchr(word->text, ' ', word->len) &&
                  !memchr(word->text, '\t', word->len);
    size_t n_numbers = is_one && n_fields == width ? width : count_numbers(whole);
    if (begin == whole.len)
        snprintf(fault, VECTOR_FAULT, "the line is empty");
    else if (n_fields < width || word->len == 0 || n_numbers > width)
        snprintf(fault, VECTOR_FAULT, "%zu number%s; expected %zu", n_numbers, plural(n_numbers),
                 width);
    else if (wrong_at > 0)
        snprintf(fault, VECTOR_FAULT, "number %zu is '%.*s', which is no finite number", wrong_at,
                 utf8_is_valid(wrong.text, wrong.len) ? (int)wrong.len : 0, wrong.text);
    else
        return check_word(word, fault);
    return false;
}

/* ---- What is not text ---- */

static const struct {
    const char *start;
    size_t n;
    const char *what;
} FORMATS[] = {
    {"\x1f\x8b", 2, "compressed (gzip); unpack it, or pass it on: zcat FILE | … --vectors -"},
    {"PK\x03\x04", 4,
     "a ZIP archive; unpack it, or pass a file of it on: unzip -p FILE NAME | … --vectors -"},
    {"BZh", 3, "compressed (bzip2); unpack it, or pass it on: bzcat FILE | … --vectors -"},
    {"\xfd"
     "7zXZ",
     5, "compressed (xz); unpack it, or pass it on: xzcat FILE | … --vectors -"},
    {"\x28\xb5\x2f\xfd", 4,
     "compressed (zstd); unpack it, or pass it on: zstdcat FILE | … --vectors -"},
    {"\xba\x16\x4f\x2f", 4, "a binary model of fastText; the text with its vectors (.vec) is read"},
};

/* ---- Lines ---- */

/* Its text is NULL at the end. */
static struct text_span read_line(struct vectors_file *file)
{
    char *text = NULL;
    size_t len = 0;
    switch (line_reader_next(&file->reader, true, &text, &len)) {
    case LINE_READ:
    case LINE_END: break;
    case LINE_TOO_LONG:
        REFUSE(file,
               ", line %zu is longer than 64 MiB; expected the text form of word vectors, a word "
               "and its numbers per line",
               file->reader.n_lines + 1);
    default: REFUSE(file, " cannot be read: %s", strerror(file->reader.error));
    }
    return (struct text_span){text, len};
}

/* ---- Width ---- */

struct first_lines {
    size_t begin; /* of the first line: behind the mark of the byte order */
    size_t n, n_numbers[LINES_AHEAD];
};

/* Counts the numbers of the first lines, and goes back to the first. */
static void read_ahead(struct vectors_file *file, struct first_lines *lines)
{
    file->reader.keeps = true;
    struct text_span line = read_line(file);
    lines->begin = line.text != NULL ? utf8_mark_len(line.text, line.len) : 0;
    line_reader_return(&file->reader, lines->begin);
    while (lines->n < LINES_AHEAD && (line = read_line(file)).text != NULL)
        lines->n_numbers[lines->n++] = count_numbers(line);
    line_reader_return(&file->reader, lines->begin);
}

/* The width that most of the lines from `first` on have; of equally many, the first. 0: none has
 * numbers. */
static size_t usual_width(const struct first_lines *lines, size_t first)
{
    size_t most = 0, width = 0;
    for (size_t i = first; i < lines->n; i++) {
        size_t n = 0;
        for (size_t k = i; k < lines->n; k++)
            n += lines->n_numbers[k] == lines->n_numbers[i];
        if (lines->n_numbers[i] > 0 && n > most) {
            most = n;
            width = lines->n_numbers[i];
        }
    }
    return width;
}

/* A header counts as one unless it fits the lines behind it better as a word and one number. */
static void settle_width(struct vectors_file *file)
{
    struct first_lines lines = {.n = 0};
    uint64_t width = 0;
    read_ahead(file, &lines);
    if (lines.n == 0)
        REFUSE(file, " is empty");
    struct text_span line = read_line(file);
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (line.len >= FORMATS[i].n && memcmp(line.text, FORMATS[i].start, FORMATS[i].n) == 0)
            REFUSE(file, " is %s", FORMATS[i].what);
    file->has_header = read_header(line, &file->header_words, &width);
    file->width = usual_width(&lines, file->has_header);
    if (file->has_header && file->width == 1 && width != 1) {
        file->has_header = false;
        file->width = usual_width(&lines, 0);
    }
    if (file->width == 0 || file->width > MOST_WIDTH)
        REFUSE(file,
               " is not a file of word vectors: no line starts with a word and ends with 1 to %d "
               "numbers%s",
               MOST_WIDTH,
               file->has_header ? " (word2vec's binary form is not read: convert it to text)" : "");
    if (file->has_header && width != file->width)
        REFUSE(file, ", line 1 says %llu numbers for each word, but the lines behind it have %zu",
               (unsigned long long)width, file->width);
    file->line = file->has_header;
    if (!file->has_header)
        line_reader_return(&file->reader, lines.begin);
    file->reader.keeps = false;
}

/* ---- Faults ---- */

static void add_fault(struct vector_faults *faults, size_t line, const char *text)
{
    if (faults->n < VECTOR_FAULTS_SHOWN) {
        faults->shown[faults->n].line = line;
        snprintf(faults->shown[faults->n].text, VECTOR_FAULT, "%s", text);
    }
    faults->n++;
}

void vectors_file_repeated(struct vectors_file *file, const struct text_span *word)
{
    char text[VECTOR_FAULT];
    size_t shown = word->len < 60 ? word->len : 60;
    while (shown < word->len && (word->text[shown] & 0xC0) == 0x80) /* whole characters */
        shown--;
    snprintf(text, sizeof text, "'%.*s%s' is there already", (int)shown, word->text,
             shown < word->len ? "…" : "");
    add_fault(&file->repeated, file->line, text);
}

static void check_right(const struct vectors_file *file)
{
    const struct vector_faults *broken = &file->broken;
    if (file->n_right == 0 || file->n_right < broken->n)
        REFUSE(file,
               " is not a file of word vectors: of its %s%zu lines %zu are a word and %zu numbers; "
               "line %zu: %s",
               file->line == LINES_AHEAD ? "first " : "", file->n_right + broken->n, file->n_right,
               file->width, broken->n > 0 ? broken->shown[0].line : 0,
               broken->n > 0 ? broken->shown[0].text : "it has no words");
}

/* ---- The file ---- */

void vectors_file_open(struct vectors_file *file, const char *path)
{
    struct stat status;
    *file = (struct vectors_file){.reader = {.fd = -1}};
    snprintf(file->name, sizeof file->name, "'%s'", path);
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        REFUSE(file, " cannot be read: %s", strerror(errno));
    line_reader_begin(&file->reader, fd);
    settle_width(file);
    bool has_size = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    progress_begin("reading", has_size ? (uint64_t)status.st_size : 0);
}

void vectors_file_close(struct vectors_file *file)
{
    progress_end();
    line_reader_free(&file->reader);
    if (file->reader.fd > STDIN_FILENO)
        close(file->reader.fd);
    *file = (struct vectors_file){.reader = {.fd = -1}};
}

bool vectors_file_next(struct vectors_file *file, struct text_span *word, float *values)
{
    struct text_span line;
    while ((line = read_line(file)).text != NULL) {
        char fault[VECTOR_FAULT];
        file->line++;
        progress_add(line.len + 1);
        bool is_right = read_vector(line, file->width, word, values, fault);
        if (is_right)
            file->n_right++;
        else
            add_fault(&file->broken, file->line, fault);
        if (file->line == LINES_AHEAD)
            check_right(file);
        if (is_right)
            return true;
    }
    check_right(file);
    return false;
}
