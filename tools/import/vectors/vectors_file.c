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

static bool refuse_format(const struct vectors_file *file, struct problem *problem)
{
    const struct kept_line *line = &file->ahead[0];
    for (size_t i = 0; file->n_ahead > 0 && i < sizeof FORMATS / sizeof *FORMATS; i++)
        if (line->len >= FORMATS[i].n && memcmp(line->text, FORMATS[i].start, FORMATS[i].n) == 0)
            return problem_say(problem, "'%s' is %s", file->path, FORMATS[i].what);
    return true;
}

/* ---- Lines ---- */

static bool read_line(struct vectors_file *file, char **line, size_t *len, bool *is_end,
                      struct problem *problem)
{
    *is_end = false;
    switch (line_reader_next(&file->reader, true, line, len)) {
    case LINE_READ: return true;
    case LINE_END: *is_end = true; return true;
    case LINE_TOO_LONG:
        return problem_say(problem,
                           "'%s', line %zu is longer than 64 MiB; expected the text form of word "
                           "vectors, a word and its numbers per line",
                           file->path, file->reader.n_lines + 1);
    default:
        return problem_say(problem, "'%s' cannot be read: %s", file->path,
                           strerror(file->reader.error));
    }
}

static bool keep_lines(struct vectors_file *file, struct problem *problem)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    bool is_end = false;
    while (file->n_ahead < VECTOR_LINES_AHEAD) {
        struct kept_line *kept = &file->ahead[file->n_ahead];
        char *line;
        size_t len;
        if (!read_line(file, &line, &len, &is_end, problem))
            return false;
        if (is_end)
            return true;
        if (file->n_ahead == 0 && len >= 3 && memcmp(line, byte_order_mark, 3) == 0) {
            line += 3;
            len -= 3;
        }
        kept->text = malloc(len + 1);
        if (kept->text == NULL)
            return problem_memory(problem);
        memcpy(kept->text, line, len);
        kept->len = len;
        file->n_ahead++;
    }
    return true;
}

static bool next_line(struct vectors_file *file, const char **line, size_t *len, bool *is_end,
                      struct problem *problem)
{
    char *read = NULL;
    if (file->next_ahead < file->n_ahead) {
        *is_end = false;
        *line = file->ahead[file->next_ahead].text;
        *len = file->ahead[file->next_ahead++].len;
    } else {
        if (!read_line(file, &read, len, is_end, problem))
            return false;
        *line = read;
    }
    file->line += !*is_end;
    if (!*is_end)
        progress_add(&file->progress, *len + 1);
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
static bool settle_width(struct vectors_file *file, struct problem *problem)
{
    uint64_t width = 0;
    if (file->n_ahead == 0)
        return problem_say(problem, "'%s' is empty", file->path);
    file->has_header =
        vector_line_header(file->ahead[0].text, file->ahead[0].len, &file->header_words, &width);
    size_t usual = usual_width(file, file->has_header);
    if (file->has_header && usual == 1 && width != 1) {
        file->has_header = false;
        usual = usual_width(file, 0);
    }
    file->next_ahead = file->line = file->has_header;
    file->width = usual;
    if (usual == 0 || usual > VECTOR_WIDTH_MOST)
        return problem_say(
            problem,
            "'%s' is not a file of word vectors: no line starts with a word and ends with 1 to %d "
            "numbers%s",
            file->path, VECTOR_WIDTH_MOST,
            file->has_header ? " (word2vec's binary form is not read: convert it to text)" : "");
    if (file->has_header && width != usual)
        return problem_say(
            problem,
            "'%s', line 1 says %llu numbers for each word, but the lines behind it have %zu",
            file->path, (unsigned long long)width, usual);
    return true;
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

static bool check_right(const struct vectors_file *file, struct problem *problem)
{
    if (file->n_right > 0 && file->n_right >= file->broken.n)
        return true;
    return problem_say(problem,
                       "'%s' is not a file of word vectors: of its %s%zu lines %zu are a word and "
                       "%zu numbers; line %zu: %s",
                       file->path, file->line == VECTOR_LINES_AHEAD ? "first " : "",
                       file->n_right + file->broken.n, file->n_right, file->width,
                       file->broken.n > 0 ? file->broken.shown[0].line : 0,
                       file->broken.n > 0 ? file->broken.shown[0].text : "it has no words");
}

/* ---- The file ---- */

static bool open_reader(struct vectors_file *file, uint64_t *n_bytes, struct problem *problem)
{
    struct stat status;
    bool is_stdin = strcmp(file->path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(file->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return problem_say(problem, "'%s' cannot be read: %s", file->path, strerror(errno));
    line_reader_begin(&file->reader, fd);
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        *n_bytes = (uint64_t)status.st_size;
    return true;
}

bool vectors_file_open(struct vectors_file *file, const char *path, struct problem *problem)
{
    uint64_t n_bytes = 0;
    *file = (struct vectors_file){.path = path};
    if (!open_reader(file, &n_bytes, problem))
        return false;
    if (!keep_lines(file, problem) || !refuse_format(file, problem) ||
        !settle_width(file, problem)) {
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
                       bool *is_end, struct problem *problem)
{
    char fault[VECTOR_FAULT];
    for (;;) {
        const char *line;
        size_t len;
        if (!next_line(file, &line, &len, is_end, problem))
            return false;
        if (*is_end)
            return check_right(file, problem);
        bool is_right = vector_line_read(line, len, file->width, word, values, fault);
        if (is_right)
            file->n_right++;
        else
            add_fault(&file->broken, file->line, fault);
        if (file->line == VECTOR_LINES_AHEAD && !check_right(file, problem))
            return false;
        if (is_right)
            return true;
    }
}
