/* pretoken_reading.h - assembles a word, character by character, and passes it to the tokenizer's
 * kind of pieces.
 */
#ifndef MODEL_PRETOKEN_READING_H
#define MODEL_PRETOKEN_READING_H

#include "model/tokenizer/split/pretoken.h"
#include "model/unicode/normal_form.h"

/* Appends a character; with byte_level, a character for each of its bytes. */
void pretoken_append(struct pretoken *word, struct normal_char c);

/* Appends ASCII bytes from text[at .. end), as mapped by table, up to one whose value is 0 or that
 * does not fit. Returns the offset reached. */
size_t pretoken_append_ascii(struct pretoken *word, const uint8_t table[256], const char *text,
                             size_t at, size_t end);

/* Ends the word; does nothing if it has no characters. */
void pretoken_end(struct pretoken *word);

/* Ends a word of its first n characters; the others start the next one. */
void pretoken_end_first(struct pretoken *word, size_t n);

#endif
