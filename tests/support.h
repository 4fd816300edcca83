/* support.h - what several suites need: programs, temporary folders, random models, random numbers,
 * and comparisons that no NaN passes. Failures of the surroundings end the running test. Models,
 * sessions and bytes that are returned are released after the test (owned.h). */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include "engine/engine.h"
#include "tests/suite.h"

#include <stdbool.h>

enum { SUPPORT_PATH = 512 };

/* Path of a built program: in $ENCODE_BUILD, else $BUILD, else build/. */
void support_program(const char *name, char path[SUPPORT_PATH]);

/* Path below the folder with shared test data ($SHARED_DIR, else ../shared); false where it is
 * absent. */
bool support_shared(const char *below, char path[SUPPORT_PATH]);

/* folder/name */
void support_path(char path[SUPPORT_PATH], const char *folder, const char *name);

void support_temp_dir(char path[SUPPORT_PATH]);
void support_remove_dir(const char *path);

/* Links the folder of built programs into the suite's folder: for commands and LD_PRELOAD, which
 * take a path with blanks for several, wherever the tree may be. */
void support_link_build(char link[SUPPORT_PATH]);

/* Writes a file with these bytes, or with this text, or into a folder. */
void support_write(const char *path, const void *bytes, size_t len);
void support_write_text(const char *path, const char *text);
void support_write_in(const char *folder, const char *name, const void *bytes, size_t len);

/* Returns a file's bytes, aligned to 64. */
void *support_read(const char *path, size_t *len);
size_t support_count_files(const char *folder);

/* The suite's own folder: made when first asked for, removed with all that is in it after the
 * last test. */
const char *support_folder(void);
void support_remove_folder(void);

/* Runs argv[0], found by PATH, and waits. Its stdout and stderr go to log, or nowhere if that is
 * NULL. Returns the exit code, 128 + the signal, or -1 if it cannot be started. */
int support_run(const char *const argv[], const char *log);

/* The same, but if the exit code is not 0, prints the command and the log, and fails. */
void support_must_run(const char *const argv[], const char *log);

/* encode-new -o path, with options separated by blanks, and the vocabulary words: texts separated
 * by blanks, or NULL for 26 names of letters. */
__attribute__((format(printf, 3, 4))) void support_make_model(const char *path, const char *words,
                                                              const char *options, ...);

/* The same, opened. */
__attribute__((format(printf, 2, 3))) engine_model *support_new_model(const char *words,
                                                                      const char *options, ...);

/* A random model of one layer, width 16 and two heads, with these options and five words, "I ride
 * bike dog cat". */
engine_model *support_small_model(const char *options);

engine_model *support_open(const char *path);
engine_model *support_open_with(const char *path, const engine_model_options *options);
engine_model *support_open_memory(const void *bytes, size_t len);

/* Built with a sanitizer: ten times slower, and looking for other things than numbers, so suites
 * that go through many models take fewer of them. */
bool support_sanitized(void);

/* Run by an emulator (RUNNER of tests/run.sh), which computes vectors a hundred times slower. */
bool support_emulated(void);

/* Either, or built to count branches (make coverage). */
bool support_slow(void);

/* Ends a forked child by _exit, after what it counted for make coverage is written. */
_Noreturn void support_exit(int code);

/* The instruction sets that this CPU runs, by index; NULL past the last. */
const char *support_isa(size_t index);

size_t support_isas(void); /* how many */

/* Puts that name into the environment for searches; past the last, takes it out again. */
const char *support_set_isa(size_t index);

/* Opens the model under that instruction set and checks that it is in use. */
engine_model *support_open_isa(const char *path, const char *isa, engine_precision precision);

/* Sessions made from now on may have so many threads, however few CPUs this machine has. */
void support_allow_threads(size_t n);

engine_session *support_session(const engine_model *model, const engine_session_options *options);

/* What engine_encode gives for n inputs, and how many numbers, unless n_floats is NULL. */
float *support_encode(engine_session *session, const engine_input *inputs, size_t n,
                      const engine_encode_options *options, size_t *n_floats);

engine_input support_text(const char *text);
engine_input support_ids(const int32_t *ids, size_t n);

/* Sets a locale with a decimal comma: one of the machine's, or one that localedef makes in the
 * folder. False: neither is there. */
bool support_comma_locale(const char *folder);

/* The call returns this status, and the error has it too, with words. */
#define assert_refuses(name, error, call) support_assert_refused(call, ENGINE_ERROR_##name, error)
void support_assert_refused(engine_status status, engine_status expected,
                            const engine_error *error);

void support_assert_tokens(const engine_token *got, const engine_token *expected, size_t n);

/* A deterministic generator (splitmix64): the next number, and one below n. */
uint64_t support_random(uint64_t *state);
size_t support_below(uint64_t *state, size_t n);
void support_random_ids(uint64_t *state, int32_t *ids, size_t n, size_t n_ids);

/* The largest |got - expected|, divided by max(1, |expected|) unless it is to be absolute, or
 * infinity if any is NaN, and where. */
struct difference {
    double largest;
    size_t index;
    double got, expected;
};
struct difference support_difference(const float *got, const double *expected, size_t n,
                                     bool absolute);

/* The largest difference of many comparisons, and which. */
struct worst {
    struct difference difference;
    bool absolute;
    char where[256];
    size_t n_compared, n_wrong; /* comparisons; those above the tolerance */
};

/* Prints the first few above the tolerance at once. */
__attribute__((format(printf, 6, 7))) void support_compare(struct worst *worst, double tolerance,
                                                           const float *got, const double *expected,
                                                           size_t n, const char *where, ...);

/* Prints the largest difference and fails unless everything was within the tolerance. */
void support_assert_within(const struct worst *worst, double tolerance, const char *what);

#endif
