/* vectors_file.c - reads files of word vectors; see vectors_file.h. The programs that write them
 * split their texts at blanks, so that no word has one; a word may have other spaces in it
 * (U+00A0).
 */
#include "tools/import/vectors/vectors_file.h"

#include "tools/common/options.h"
#include "tools/common/print/utf8.h"
#include "tools/import/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_WIDTH = 1 << 16, MOST_WORD_BYTES = 1024, MOST_SHOWN_BYTES = 40 };

/* A line, or what is left of it. */
struct span {
    const char *text;
    size_t len;
};

#define SHOWN(field)                                                                               \
    (int)((field).len < MOST_SHOWN_BYTES ? (field).len : MOST_SHOWN_BYTES), (field).text

/* ---- Lines ---- */

/* Whether it has no bytes that only compressed and binary files have. */
static bool is_text(const struct span *line)
{
    for (size_t i = 0; i < line->len; i++)
        if ((unsigned char)line->text[i] < ' ' && line->text[i] != '\t')
            return false;
    return utf8_is_valid(line->text, line->len);
}

__attribute__((format(printf, 3, 4))) static _Noreturn void line_die(
    const struct vectors_file *file, const struct span *line, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    program_die("'%s', line %zu: %s%s", file->path, file->reader.n_lines, what,
                is_text(line) ? ""
                              : " (this is not UTF-8 text; of a compressed file: zcat FILE | "
                                "encode-import --vectors -; of a binary model: export its text)");
}

/* Returns false at the end. A mark of the byte order in front of the first line is skipped. */
static bool read_line(struct vectors_file *file, struct span *line)
{
    char *text = NULL;
    size_t len = 0, mark;
    switch (line_reader_next(&file->reader, true, &text, &len)) {
    case LINE_READ: break;
    case LINE_TOO_LONG:
        program_die("'%s', line %zu: longer than 64 MiB; expected a word and its numbers",
                    file->path, file->reader.n_lines + 1);
    case LINE_FAILED:
        program_die("'%s' cannot be read: %s", file->path, strerror(file->reader.error));
    default: return false;
    }
    mark = file->reader.n_lines == 1 ? utf8_mark_len(text, len) : 0;
    *line = (struct span){text + mark, len - mark};
    return true;
}

/* ---- Fields of a line ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cuts the bytes up to the next blank off the front of the line, then blanks. */
static struct span cut_field(struct span *line)
{
    const char *at = line->text, *end = at + line->len;
    struct span field = {at, 0};
    while (at < end && !is_blank(*at))
        at++;
    field.len = (size_t)(at - field.text);
    while (at < end && is_blank(*at))
        at++;
    *line = (struct span){at, (size_t)(end - at)};
    return field;
}

/* A decimal number: not all that strtof reads ("nan", "0x1p3"). The byte after the field is no part
 * of a number. */
static bool read_number(const struct vectors_file *file, const struct span *field, float *value)
{
    char *end;
    *value = strtof_l(field->text, &end, file->c_locale);
    return end == field->text + field->len &&
           strspn(field->text, "+-.0123456789eE") >= field->len && isfinite(*value);
}

static bool read_count(const struct span *field, uint64_t *value)
{
    *value = strtoull(field->text, NULL, 10);
    return field->len > 0 && strspn(field->text, "0123456789") >= field->len;
}

/* "400000 100"; or the width is how many numbers the first line has. */
static void read_width(struct vectors_file *file)
{
    struct span line;
    uint64_t width = 0;
    if (!read_line(file, &line))
        program_die("'%s' is empty; expected lines of a word and its numbers", file->path);
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
}

/* ---- The file ---- */

void vectors_file_open(struct vectors_file *file, const char *path, size_t limit)
{
    struct stat status;
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *file = (struct vectors_file){.path = path, .limit = limit};
    line_reader_begin(&file->reader, fd);
    file->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (fd < 0 || file->c_locale == (locale_t)0)
        program_die("'%s' cannot be read: %s", path, strerror(errno));
    read_width(file);
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
        field = cut_field(&rest);
        if (field.len == 0)
            line_die(file, &line, "%zu number%s; expected %zu", i, plural(i), file->width);
        if (!read_number(file, &field, &values[i]))
            line_die(file, &line, "number %zu is '%.*s'; expected a finite decimal number", i + 1,
                     SHOWN(field));
    }
    if (rest.len > 0)
        line_die(file, &line, "'%.*s' after %zu numbers; expected the line's end", SHOWN(rest),
                 file->width);
    return true;
}
