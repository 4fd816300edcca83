/* pretoken_reading.h - puts a word together, character by character, and hands it to the kind of
 * pieces that the tokenizer has.
 */
#ifndef MODEL_PRETOKEN_READING_H
#define MODEL_PRETOKEN_READING_H

#include "model/tokenizer/split/pretoken.h"
#include "model/unicode/normal_form.h"

/* Adds a character; with byte_level, a character for each of its bytes. */
void pretoken_append(struct pretoken *word, struct normal_char c);

/* Adds bytes of ASCII from text[at .. end), as they stand in table, up to one that is 0 there or
 * does not fit; returns where it stops. */
size_t pretoken_append_ascii(struct pretoken *word, const uint8_t table[256], const char *text,
                             size_t at, size_t end);

/* The word ends; nothing happens if it has no characters. */
void pretoken_end(struct pretoken *word);

/* Its first n characters are a word, the others begin the next one. */
void pretoken_end_first(struct pretoken *word, size_t n);

#endif
