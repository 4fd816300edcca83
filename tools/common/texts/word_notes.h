/* word_notes.h - notes of texts in languages that the model was not made for. */
#ifndef TOOLS_WORD_NOTES_H
#define TOOLS_WORD_NOTES_H

#include "tools/common/texts/encoder.h"

/* Texts whose words the model hardly knows: the first of them are named, all are counted. */
struct word_notes {
    size_t n_unknown, n_foreign;
};
enum { WORD_NOTE_BYTES = 256, UNKNOWN_NAMED = 3 };

/* Counts a text whose tokens are set. True: the caller should print the note about it. */
bool word_notes_add(struct word_notes *notes, const struct encoder *encoder,
                    const struct item *item, char note[WORD_NOTE_BYTES]);

/* Prints how many of n texts there were, unless each was named. things: "texts" or "queries". */
void word_notes_end(const struct word_notes *notes, size_t n, const char *things);

#endif
