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

/* Makes a directory of a kind, "KIND --option value ...", by the script of that name: the shared
 * folder's checkpoints.py, or one beside oracle.c. Skips the test where it or numpy is absent.
 * Returns its path. */
const char *oracle_make(const char *script, const char *kind);

/* Imports a directory, with --weights where a type is given. */
void oracle_import(const char *from, const char *type);

/* Compares all that the directory expects with what the imported file gives. */
void oracle_judge(const char *from, double within, struct judged *judged);

/* No difference is above the bound; prints them. */
void oracle_assert(const char *kind, double within, const struct judged *judged);

/* All steps: makes, imports, judges, asserts. The kinds end with NULL; a sanitizer sees one. */
void oracle_check(const char *script, const char *kind, double within);
void oracle_check_all(const char *script, double within, const char *const *kinds);
#define ORACLE_CHECK(script, within, ...)                                                          \
    oracle_check_all(script, within, (const char *const[]){__VA_ARGS__, NULL})

/* The same of shapes of published models, with as many seeds, from the first on, as SEEDS in the
 * environment says; skips the test without it. */
struct oracle_shape {
    const char *kind;
    double within;
};
void oracle_check_shapes(const char *script, int first_seed, const struct oracle_shape *shapes,
                         size_t n);

/* The same in int8: cosines of tokens and of pooled vectors are at least this. */
void oracle_check_int8(const char *script, const char *kind, double least);

#endif
