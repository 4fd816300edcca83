/* import_cases.h - what the suites of encode-import share: a directory to break, reading it in the
 * process, and the words with which it must be refused. */
#ifndef TESTS_TOOLS_IMPORT_CASES_H
#define TESTS_TOOLS_IMPORT_CASES_H

#include "tests/tools/import/tiny_checkpoint.h"
#include "tools/import/checkpoint/checkpoint.h"

/* cmocka's group functions: those of shell.h, and $IMPORT and $INSPECT. */
void import_setup(void);

/* The directory, which these make by tiny_checkpoint, the second with tiny_sentence_transformers;
 * and the result of the last read. */
extern char import_directory[SUPPORT_PATH];
extern struct checkpoint import_checkpoint;
void import_make(void);
void import_make_modules(void);

/* Reads the directory. What is read is kept until the next read. */
bool import_read(void);
void import_accepted(const char *what);
void import_refused(const char *what, const char *words);

/* The directory is read, and its config has these values: "KEY=VALUE KEY=VALUE", keys of CONF. */
void import_is(const char *values);
void config_is(const struct model_config *config, const char *values, const char *what);

/* A file in the directory; config.json of tiny_config_of(members). */
void import_write(const char *name, const char *text);
void import_config(const char *members);

/* Each of these files alone is in a directory that make makes; NULL: config.json, of
 * tiny_config_of(text). Words of the refusal; NULL, or "= "
 * and values of the config: it is accepted. */
struct import_case {
    const char *file, *text, *words;
};
void import_each(void (*make)(void), const struct import_case *cases, size_t n);
#define IMPORT_EACH(make, cases) import_each(make, cases, sizeof(cases) / sizeof *(cases))

#endif
