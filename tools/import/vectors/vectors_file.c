/* vectors_file.c - reads files of word vectors; see vectors_file.h. The first lines are read ahead
 * and kept, so that a pipe will do as well as a file.
 */
#include "tools/import/vectors/vectors_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool refuse(const struct vectors_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The file's name in quotes, then the words. */
static bool refuse(const struct vectors_file *file, const char *format, ...)
{
    char name[600];
    va_list arguments;
    snprintf(name, sizeof name, "'%s'", file->path);
    va_start(arguments, format);
    problem_in(file->problem, name, format, arguments);
    va_end(arguments);
    return false;
}

static bool check_format(const struct vectors_file *file)
{
    const struct kept_line *line = &file->ahead[0];
    for (size_t i = 0; file->n_ahead > 0 && i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (line->len >= FORMATS[i].n && memcmp(line->text, FORMATS[i].start, FORMATS[i].n) == 0)
            return refuse(file, " is %s", FORMATS[i].what);
    return true;
}

/* ---- Lines ---- */

static bool read_line(struct vectors_file *file, char **line, size_t *len, bool *is_end)
{
    switch (line_reader_next(&file->reader, true, line, len)) {
    case LINE_READ: *is_end = false; return true;
    case LINE_END: *is_end = true; return true;
    case LINE_TOO_LONG:
        return refuse(file,
                      ", line %zu is longer than 64 MiB; expected the text form of word vectors, a "
                      "word and its numbers per line",
                      file->reader.n_lines + 1);
    default: return refuse(file, " cannot be read: %s", strerror(file->reader.error));
    }
}

static bool keep_line(struct vectors_file *file, const char *line, size_t len)
{
    struct kept_line *kept = &file->ahead[file->n_ahead];
    bool has_mark = file->n_ahead == 0 && len >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0;
    kept->len = has_mark ? len - 3 : len;
    kept->text = malloc(kept->len + 1);
    if (kept->text == NULL)
        return problem_memory(file->problem);
    memcpy(kept->text, line + len - kept->len, kept->len);
    file->n_ahead++;
    return true;
}

static bool keep_lines(struct vectors_file *file)
{
    while (file->n_ahead < VECTOR_LINES_AHEAD) {
        char *line;
        size_t len;
        bool is_end = false;
        if (!read_line(file, &line, &len, &is_end))
            return false;
        if (is_end)
            return true;
        if (!keep_line(file, line, len))
            return false;
    }
    return true;
}

/* One of those that were kept, or the next. */
static bool next_line(struct vectors_file *file, char **line, size_t *len, bool *is_end)
{
    *is_end = false;
    if (file->next_ahead < file->n_ahead) {
        *line = file->ahead[file->next_ahead].text;
        *len = file->ahead[file->next_ahead++].len;
    } else if (!read_line(file, line, len, is_end)) {
        return false;
    }
    if (!*is_end) {
        file->line++;
        progress_add(&file->progress, *len + 1);
    }
    return true;
}

/* ---- Width ---- */

/* The width that most of the lines from `first` on have; of equally many, the first. 0: none has
 * numbers. */
static size_t usual_width(const struct vectors_file *file, size_t first)
{
    size_t widths[VECTOR_LINES_AHEAD], most = 0, width = 0;
    for (size_t i = first; i < file->n_ahead; i++)
        widths[i] = vector_line_width(file->ahead[i].text, file->ahead[i].len);
    for (size_t i = first; i < file->n_ahead; i++) {
        size_t n = 0;
        for (size_t k = i; k < file->n_ahead; k++)
            n += widths[k] == widths[i];
        if (widths[i] > 0 && n > most) {
            most = n;
            width = widths[i];
        }
    }
    return width;
}

/* A header counts as one unless it fits the lines behind it better as a word and one number. */
static bool settle_width(struct vectors_file *file)
{
    uint64_t width = 0;
    if (file->n_ahead == 0)
        return refuse(file, " is empty");
    file->has_header =
        vector_line_header(file->ahead[0].text, file->ahead[0].len, &file->header_words, &width);
    file->width = usual_width(file, file->has_header);
    if (file->has_header && file->width == 1 && width != 1) {
        file->has_header = false;
        file->width = usual_width(file, 0);
    }
    file->next_ahead = file->line = file->has_header;
    if (file->width == 0 || file->width > VECTOR_WIDTH_MOST)
        return refuse(
            file,
            " is not a file of word vectors: no line starts with a word and ends with 1 to %d "
            "numbers%s",
            VECTOR_WIDTH_MOST,
            file->has_header ? " (word2vec's binary form is not read: convert it to text)" : "");
    return !file->has_header || width == file->width ||
           refuse(file,
                  ", line 1 says %llu numbers for each word, but the lines behind it have %zu",
                  (unsigned long long)width, file->width);
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

void vectors_file_repeated(struct vectors_file *file, const struct vector_word *word)
{
    char text[VECTOR_FAULT];
    size_t shown = word->len < 60 ? word->len : 60;
    while (shown < word->len && (word->text[shown] & 0xC0) == 0x80) /* whole characters */
        shown--;
    snprintf(text, sizeof text, "'%.*s%s' is there already", (int)shown, word->text,
             shown < word->len ? "…" : "");
    add_fault(&file->repeated, file->line, text);
}

static bool check_right(const struct vectors_file *file)
{
    const struct vector_faults *broken = &file->broken;
    return (file->n_right > 0 && file->n_right >= broken->n) ||
           refuse(file,
                  " is not a file of word vectors: of its %s%zu lines %zu are a word and %zu "
                  "numbers; line %zu: %s",
                  file->line == VECTOR_LINES_AHEAD ? "first " : "", file->n_right + broken->n,
                  file->n_right, file->width, broken->n > 0 ? broken->shown[0].line : 0,
                  broken->n > 0 ? broken->shown[0].text : "it has no words");
}

/* ---- The file ---- */

static bool open_reader(struct vectors_file *file, uint64_t *n_bytes)
{
    struct stat status;
    bool is_stdin = strcmp(file->path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return refuse(file, " cannot be read: %s", strerror(errno));
    line_reader_begin(&file->reader, fd);
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        *n_bytes = (uint64_t)status.st_size;
    return true;
}

bool vectors_file_open(struct vectors_file *file, const char *path, struct problem *problem)
{
    uint64_t n_bytes = 0;
    *file = (struct vectors_file){.path = path, .reader = {.fd = -1}, .problem = problem};
    if (!open_reader(file, &n_bytes) || !keep_lines(file) || !check_format(file) ||
        !settle_width(file)) {
        vectors_file_close(file);
        return false;
    }
    progress_begin(&file->progress, "reading", n_bytes);
    return true;
}

void vectors_file_close(struct vectors_file *file)
{
    progress_end(&file->progress);
    for (size_t i = 0; i < file->n_ahead; i++)
        free(file->ahead[i].text);
    line_reader_free(&file->reader);
    if (file->reader.fd > STDIN_FILENO)
        close(file->reader.fd);
    *file = (struct vectors_file){.reader = {.fd = -1}};
}

bool vectors_file_next(struct vectors_file *file, struct vector_word *word, float *values,
                       bool *is_end)
{
    for (;;) {
        char *line, fault[VECTOR_FAULT];
        size_t len;
        if (!next_line(file, &line, &len, is_end))
            return false;
        if (*is_end)
            return check_right(file);
        bool is_right = vector_line_read(line, len, file->width, word, values, fault);
        if (is_right)
            file->n_right++;
        else
            add_fault(&file->broken, file->line, fault);
        if (file->line == VECTOR_LINES_AHEAD && !check_right(file))
            return false;
        if (is_right)
            return true;
    }
}
