/* letter_case.h - reading a text character by character, in Unicode lower case or as it is. */
#ifndef MODEL_LETTER_CASE_H
#define MODEL_LETTER_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LETTER_CODES = 2 };

/* How a character acts on a sigma near it. */
enum letter_context { LETTER_OTHER, LETTER_CASED, LETTER_CASE_IGNORABLE };

/* Case_Ignorable comes before Cased for the few characters that are both, as in the rule. */
enum letter_context letter_context(uint32_t code);

struct letter {
    uint32_t codes[LETTER_CODES]; /* what it is read as: in lower case at most two code points */
    size_t n_codes;
    size_t len; /* bytes it takes in the text */
};

/* The character at text[at]. In lower case, U+03A3 depends on the text around it. */
struct letter letter_read(const char *text, size_t len, size_t at, bool lower);

#endif
