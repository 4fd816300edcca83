/* command_line.c - see command_line.h. */
#include "tests/fuzz/command_line.h"

#include "tests/fuzz/model_use.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc lets its streams be replaced; what a sanitizer says goes to the descriptor. The stream
 * stays open to the end: a library that is loaded meanwhile may keep it, and flush it when all
 * ends. */
static FILE *said, *noted;

void be_silent(void)
{
    static FILE *nowhere;
    if (nowhere == NULL)
        nowhere = fopen("/dev/null", "w");
    must(nowhere != NULL);
    said = stdout;
    noted = stderr;
    stdout = stderr = nowhere;
}

void speak_again(void)
{
    stdout = said;
    stderr = noted;
}

/* The rest of the text from the next line on; that line's end becomes a NUL byte. */
static char *end_line(char *text, char *end)
{
    char *newline = memchr(text, '\n', (size_t)(end - text));
    if (newline == NULL)
        return end;
    *newline = '\0';
    return newline + 1;
}

void command_line_begin(struct command_line *line, const char *name, const uint8_t *data,
                        size_t size)
{
    const size_t name_bytes = strlen(name) + 1;
    *line = (struct command_line){.storage = malloc(name_bytes + size + 1)};
    must(line->storage != NULL);
    memcpy(line->storage, name, name_bytes);
    char *text = line->storage + name_bytes, *end = text + size;
    memcpy(text, data, size);
    *end = '\0';
    line->argv[line->argc++] = line->storage;
    while (text < end && *text != '\n' && line->argc <= ARGUMENTS_MOST) {
        line->argv[line->argc++] = text;
        text = end_line(text, end);
    }
    line->input = text < end && *text == '\n' ? text + 1 : text;
    line->input_len = (size_t)(end - line->input);
    optind = 0;
    be_silent();
}

void command_line_end(struct command_line *line)
{
    speak_again();
    free(line->storage);
}

int unnamed_file(const void *data, size_t len)
{
    int fd = memfd_create("fuzz", 0);
    must(fd >= 0 && write(fd, data, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

void descriptor_path(int fd, char path[DESCRIPTOR_PATH])
{
    snprintf(path, DESCRIPTOR_PATH, "/proc/self/fd/%d", fd);
}

const char *same_file(const void *data, size_t len)
{
    static char path[DESCRIPTOR_PATH];
    static int fd;
    if (fd == 0) {
        fd = unnamed_file("", 0);
        descriptor_path(fd, path);
    }
    must(ftruncate(fd, 0) == 0 && pwrite(fd, data, len, 0) == (ssize_t)len);
    return path;
}
