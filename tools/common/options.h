/* options.h - what every program does alike: messages, exit codes, reading option values, and
 * noticing that stdout could not be written. Results go to stdout, everything else to stderr. A
 * mistake on the command line ends the program where it is found. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_DONE = 0, PROGRAM_FAILED = 1, PROGRAM_MISUSED = 2 };

#if defined(__GNUC__)
#define PROGRAM_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define PROGRAM_PRINTF(text, first)
#endif

/* Call it first in main, with the name that opens messages, a string that lives on ("encode").
 * Descriptors 0 to 2 are open from here on, a file that would be too long is a write that fails
 * rather than a signal, and a mapped file that was cut off (SIGBUS) ends the program with a message
 * and exit code 1. */
void program_begin(char *name, char *argv[]);
const char *program_name(void);

/* Threads leave the processors to others while they have no work. Called before anything is read or
 * written, with the arguments of main, by a program that will encode with so many threads (0: the
 * engine's choice). May start the program again. */
void set_passive_waiting(char *argv[], size_t n_threads);

/* "name: message" on stderr, as display_copy shows it, with a line end; after it, for
 * PROGRAM_MISUSED, "Try 'name --help'.". Returns the code. */
int program_say(int code, const char *format, ...) PROGRAM_PRINTF(2, 3);

/* What follows from the message: nothing, an exit code, or false of a function that returns whether
 * all is well. */
#define program_note(...)   ((void)program_say(PROGRAM_DONE, __VA_ARGS__))
#define program_fail(...)   program_say(PROGRAM_FAILED, __VA_ARGS__)
#define program_refuse(...) (program_say(PROGRAM_FAILED, __VA_ARGS__) == PROGRAM_DONE)

/* Or the end of the program. Of output files that are not finished nothing is left. file_die puts a
 * file's name before the message: "NAME: words", or, where the format starts with a blank or a
 * comma, "NAME words" or "NAME, words". */
#define program_die(...)         program_die_as(PROGRAM_FAILED, NULL, __VA_ARGS__)
#define program_die_misused(...) program_die_as(PROGRAM_MISUSED, NULL, __VA_ARGS__)
#define file_die(name, ...)      program_die_as(PROGRAM_FAILED, name, __VA_ARGS__)
#define program_exit(code)       program_ending(code, NULL)
_Noreturn void program_die_as(int code, const char *file, const char *format, ...)
    PROGRAM_PRINTF(3, 4);

/* Prints the message, if it is not NULL, and exits. A test puts here what leads back to it. */
extern void (*program_ending)(int code, const char *message) __attribute__((noreturn));

/* Set by --quiet: notes, which follow from nothing and change nothing, are not printed. */
extern bool program_is_quiet;

/* Unless NULL, called before a message is printed: removes a line of progress. */
extern void (*program_before_message)(void);

/* Prints the version to stdout. Returns as program_end. */
int program_version(void);

/* Flushes stdout and returns `code`, or PROGRAM_FAILED after a message; of a reader that went away
 * (EPIPE) without one. The last call of every program that prints results. */
int program_end(int code);

/* The last part of a path; all of one that ends there. */
const char *path_name(const char *path);

bool name_ends_in(const char *name, const char *ending);

/* The same of a path, in which capitals are small letters: "OUT.NPY". */
bool path_ends_in(const char *path, const char *ending);

/* Returns what the ending of a path means; NULL if it means nothing here, or path is NULL. The last
 * of the endings is all NULL. */
struct path_ending {
    const char *ending, *meaning;
};
const char *path_kind(const char *path, const struct path_ending *endings);

/* Seconds of a clock that only goes forward. */
double program_seconds(void);

/* The ending of a noun that is counted: "1 token", "2 tokens". */
#define plural(n) ((n) == 1 ? "" : "s")

/* Whole decimal numbers from least to most. `option` is as the user types it, "--seed"; most calls
 * are by the table of options, option_table.h. */
uint64_t option_number(const char *option, const char *text, uint64_t least, uint64_t most);
#define option_count(...) ((size_t)option_number(__VA_ARGS__))

/* A decimal number from least to most; and any finite one. */
#define option_real(option, text) option_between(option, text, -INFINITY, INFINITY)
double option_between(const char *option, const char *text, double least, double most);

#endif
