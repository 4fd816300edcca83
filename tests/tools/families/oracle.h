/* oracle.h - directories that shared/checkpoints/checkpoints.py makes, with numbers computed in
 * float64; encode-import and the engine together are compared with them. */
#ifndef TESTS_TOOLS_ORACLE_H
#define TESTS_TOOLS_ORACLE_H

#include "tests/support.h"

enum { ORACLE_ARGUMENTS = 24 };

/* The largest differences of a run, and the smallest cosines. */
struct judged {
    struct worst tokens, pooled, states, logits;
    double token_cosine, pooled_cosine;
};

/* cmocka's set-up: where directories and files go. */
void oracle_setup(void);

/* The script's path; false, and said, where it or numpy is not there. */
bool oracle_can_make(char script[SUPPORT_PATH]);

/* Makes a directory; the arguments of `make`, the kind first, NULL at the end. Its path. */
const char *oracle_make(const char *script, const char *const *arguments);

/* Imports a directory, with --weights where a type is given. */
void oracle_import(const char *from, const char *type);

/* Compares all that the directory expects with what the imported file gives. */
void oracle_judge(const char *from, double within, struct judged *judged);

/* No difference is above the bound; prints them. */
void oracle_assert(const char *kind, double within, const struct judged *judged);

/* All steps: makes, imports, judges, asserts. */
void oracle_check(const char *script, const char *const *arguments, double within);

#endif
