/* command_line.h - bytes as a command line: a line for each argument, and after an empty line what
 * the program reads from stdin. What it prints goes nowhere meanwhile. */
#ifndef TESTS_FUZZ_COMMAND_LINE_H
#define TESTS_FUZZ_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARGUMENTS_MOST = 40 };

struct command_line {
    int argc;
    char *argv[ARGUMENTS_MOST + 2];
    const char *input; /* [input_len] bytes of the rest */
    size_t input_len;
    char *storage;
};

/* name: what argv[0] is. getopt starts over. */
void command_line_begin(struct command_line *line, const char *name, const uint8_t *data,
                        size_t size);
void command_line_end(struct command_line *line);

/* Output printed between the two calls is discarded. */
void be_silent(void);
void speak_again(void);

/* A file of these bytes that has no name; its descriptor. */
int unnamed_file(const void *data, size_t len);

/* The path of one, the same each time: what a program remembers of its inputs does not grow. */
const char *same_file(const void *data, size_t len);

/* The path of what a descriptor is of. */
enum { DESCRIPTOR_PATH = 32 };
void descriptor_path(int fd, char path[DESCRIPTOR_PATH]);

#endif
