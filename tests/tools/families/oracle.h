/* oracle.h - directories that shared/checkpoints/checkpoints.py makes, with numbers computed in
 * float64; encode-import and the engine together are compared with them. */
#ifndef TESTS_TOOLS_ORACLE_H
#define TESTS_TOOLS_ORACLE_H

#include "tests/support.h"

/* The largest differences of a run, and the smallest cosines. */
struct judged {
    struct worst tokens, pooled, states, logits;
    double token_cosine, pooled_cosine;
};

/* cmocka's set-up: where directories and files go. */
void oracle_setup(void);

/* The script's path; false, and said, where it or numpy is not there. */
bool oracle_can_make(char script[SUPPORT_PATH]);

/* Makes a directory of a kind, "KIND --option value ..."; returns its path. */
const char *oracle_make(const char *script, const char *kind);

/* Imports a directory, with --weights where a type is given. */
void oracle_import(const char *from, const char *type);

/* Compares all that the directory expects with what the imported file gives. */
void oracle_judge(const char *from, double within, struct judged *judged);

/* No difference is above the bound; prints them. */
void oracle_assert(const char *kind, double within, const struct judged *judged);

/* All steps: makes, imports, judges, asserts. The kinds end with NULL; a sanitizer sees one. */
void oracle_check(const char *script, const char *kind, double within);
void oracle_check_all(const char *script, const char *const *kinds, double within);

/* The same in int8: cosines of tokens and of pooled vectors are at least this. */
void oracle_check_int8(const char *script, const char *kind, double least);

#endif
