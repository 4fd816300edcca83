/* letters.h - reads a text character by character, in Unicode lower case or unchanged; and, for
 * search, word by word.
 */
#ifndef MODEL_LETTERS_H
#define MODEL_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LETTER_CODES = 2 };

/* A character's effect on a sigma near it. */
enum letter_context { LETTER_OTHER, LETTER_CASED, LETTER_CASE_IGNORABLE };

/* Case_Ignorable has precedence for the few characters that are also Cased, as in the rule. */
enum letter_context letter_context(uint32_t code);

struct letter {
    uint32_t codes[LETTER_CODES]; /* the character, or its lower case: at most two code points */
    size_t n_codes;
    size_t len; /* its bytes in the text */
};

/* Reads the character at text[at]. In lower case, U+03A3 depends on the text around it. */
struct letter letter_read(const char *text, size_t len, size_t at, bool lower);

/* ---- Words, for search ----
 *
 * Runs of letters, marks, digits and connectors, in lower case and decomposed (NFD, if marks are in
 * order); each ideograph alone. */

/* Finds the next word from text[*at] on, and advances *at past it: *key is the 64-bit FNV-1a hash
 * of its UTF-8. Returns false at the end. */
bool word_next(const char *text, size_t len, size_t *at, uint64_t *key);

#endif
