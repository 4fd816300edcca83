/* word_notes.c - what is said of texts in languages that the model was not made for: its vocabulary
 * does not have their words, so that such texts get nearly the same vector, or has them in pieces
 * only. See word_notes.h. */
#include "tools/common/texts/word_notes.h"

#include "tools/common/options.h"

#include <stdio.h>

/* With the default weights a quarter of the words or more are whole in English with many names or
 * code; fewer are in most lines of German, Polish, Turkish and Vietnamese. */
static bool is_foreign(const engine_word_counts *counts)
{
    return counts->n_latin >= 4 && 4 * counts->n_whole < counts->n_latin;
}

bool word_notes_add(struct word_notes *notes, const struct encoder *encoder,
                    const struct item *item, char note[WORD_NOTE_BYTES])
{
    engine_word_counts counts;
    if (item->record.input.ids || item->window.index > 0 ||
        engine_count_words(encoder->model, &item->record.input, item->tokens, item->n_tokens,
                           &counts) != ENGINE_OK)
        return false;
    if (2 * counts.n_unknown > counts.n) {
        snprintf(note, WORD_NOTE_BYTES,
                 "%s: the model knows %zu of its %zu word%s; texts of unknown words get nearly the "
                 "same vector",
                 item_name(item), counts.n - counts.n_unknown, counts.n, plural(counts.n));
        return item->number == 0 || notes->n_unknown++ < UNKNOWN_NAMED; /* 0: --rank's query */
    }
    if (!is_foreign(&counts))
        return false;
    snprintf(note, WORD_NOTE_BYTES,
             "%s: %zu of its %zu words of 3 letters or more are in pieces: names, terms, or a "
             "language that the model was not made for",
             item_name(item), counts.n_latin - counts.n_whole, counts.n_latin);
    return item->number == 0 || notes->n_foreign++ == 0;
}

void word_notes_end(const struct word_notes *notes, size_t n, const char *things)
{
    if (notes->n_unknown > UNKNOWN_NAMED)
        program_note("%zu of %zu %s: the model knows less than half of their words",
                     notes->n_unknown, n, things);
    if (notes->n_foreign > 1)
        program_note("%zu of %zu %s: most of their words are in pieces", notes->n_foreign, n,
                     things);
}
