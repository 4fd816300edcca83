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

#define REFUSE(file, ...) problem_of((file)->problem, (file)->name, __VA_ARGS__)

static bool check_format(const struct vectors_file *file)
{
    const struct text_span *line = &file->ahead[0];
    for (size_t i = 0; file->n_ahead > 0 && i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (line->len >= FORMATS[i].n && memcmp(line->text, FORMATS[i].start, FORMATS[i].n) == 0)
            return REFUSE(file, " is %s", FORMATS[i].what);
    return true;
}

/* ---- Lines ---- */

/* The text of the line is NULL at the end. */
static bool read_line(struct vectors_file *file, struct text_span *line)
{
    char *text = NULL;
    switch (line_reader_next(&file->reader, true, &text, &line->len)) {
    case LINE_READ: line->text = text; return true;
    case LINE_END: line->text = NULL; return true;
    case LINE_TOO_LONG:
        return REFUSE(file,
                      ", line %zu is longer than 64 MiB; expected the text form of word vectors, a "
                      "word and its numbers per line",
                      file->reader.n_lines + 1);
    default: return REFUSE(file, " cannot be read: %s", strerror(file->reader.error));
    }
}

/* The first lines, without the mark of the byte order in front of them. */
static bool keep_lines(struct vectors_file *file)
{
    struct text_span line;
    for (size_t n = 0; n < VECTOR_LINES_AHEAD; n++) {
        if (!read_line(file, &line))
            return false;
        if (line.text == NULL)
            return true;
        size_t mark = n == 0 && line.len >= 3 && memcmp(line.text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
        char *copy = file->kept[n] = malloc(line.len + 1);
        if (copy == NULL)
            return problem_memory(file->problem);
        memcpy(copy, line.text, line.len);
        file->ahead[n] = (struct text_span){copy + mark, line.len - mark};
        file->n_ahead++;
    }
    return true;
}

/* One of those that were kept, or the next. */
static bool next_line(struct vectors_file *file, struct text_span *line)
{
    if (file->next_ahead < file->n_ahead)
        *line = file->ahead[file->next_ahead++];
    else if (!read_line(file, line))
        return false;
    if (line->text != NULL) {
        file->line++;
        progress_add(&file->progress, line->len + 1);
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
        widths[i] = vector_line_width(file->ahead[i]);
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
        return REFUSE(file, " is empty");
    file->has_header = vector_line_header(file->ahead[0], &file->header_words, &width);
    file->width = usual_width(file, file->has_header);
    if (file->has_header && file->width == 1 && width != 1) {
        file->has_header = false;
        file->width = usual_width(file, 0);
    }
    file->next_ahead = file->line = file->has_header;
    if (file->width == 0 || file->width > VECTOR_WIDTH_MOST)
        return REFUSE(
            file,
            " is not a file of word vectors: no line starts with a word and ends with 1 to %d "
            "numbers%s",
            VECTOR_WIDTH_MOST,
            file->has_header ? " (word2vec's binary form is not read: convert it to text)" : "");
    return !file->has_header || width == file->width ||
           REFUSE(file,
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

static bool check_right(const struct vectors_file *file)
{
    const struct vector_faults *broken = &file->broken;
    return (file->n_right > 0 && file->n_right >= broken->n) ||
           REFUSE(file,
                  " is not a file of word vectors: of its %s%zu lines %zu are a word and %zu "
                  "numbers; line %zu: %s",
                  file->line == VECTOR_LINES_AHEAD ? "first " : "", file->n_right + broken->n,
                  file->n_right, file->width, broken->n > 0 ? broken->shown[0].line : 0,
                  broken->n > 0 ? broken->shown[0].text : "it has no words");
}

/* ---- The file ---- */

static bool open_reader(struct vectors_file *file, const char *path, uint64_t *n_bytes)
{
    struct stat status;
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return REFUSE(file, " cannot be read: %s", strerror(errno));
    line_reader_begin(&file->reader, fd);
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        *n_bytes = (uint64_t)status.st_size;
    return true;
}

bool vectors_file_open(struct vectors_file *file, const char *path, struct problem *problem)
{
    uint64_t n_bytes = 0;
    *file = (struct vectors_file){.reader = {.fd = -1}, .problem = problem};
    snprintf(file->name, sizeof file->name, "'%s'", path);
    if (!open_reader(file, path, &n_bytes) || !keep_lines(file) || !check_format(file) ||
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
        free(file->kept[i]);
    line_reader_free(&file->reader);
    if (file->reader.fd > STDIN_FILENO)
        close(file->reader.fd);
    *file = (struct vectors_file){.reader = {.fd = -1}};
}

bool vectors_file_next(struct vectors_file *file, struct text_span *word, float *values)
{
    for (bool is_right = false; !is_right;) {
        struct text_span line;
        char fault[VECTOR_FAULT];
        if (!next_line(file, &line))
            return false;
        *word = line;
        if (line.text == NULL)
            return check_right(file);
        is_right = vector_line_read(line, file->width, word, values, fault);
        if (is_right)
            file->n_right++;
        else
            add_fault(&file->broken, file->line, fault);
        if (file->line == VECTOR_LINES_AHEAD && !check_right(file))
            return false;
    }
    return true;
}
