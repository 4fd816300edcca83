/* compare_sentence.c - what a comparison means, in words; see compare.h. It follows from the
 * numbers and from what the model was asked to do about positions and masks. */
#include "tools/encode/compare.h"

#include "tools/common/print/display.h"

#include <math.h>
#include <string.h>

/* Vectors that differ by no more than this part of their largest value are the same: float32 sums
 * of a few hundred terms, taken in another order, differ by less. */
static const double ROUNDING = 1e-5;

/* Words at the same position that differ by no more are reported as equal. */
static const double NOT_AT_ALL = 1e-6;

static double rounding_of(const struct comparison *comparison)
{
    return ROUNDING * fmax(1, comparison->largest_value);
}

static bool has_same_words(const struct comparison *comparison)
{
    return comparison->n_only[0] + comparison->n_only[1] == 0;
}

static bool has_positions(const struct comparison *comparison)
{
    const struct encoder *encoder = comparison->encoder;
    return (strcmp(encoder->position, "none") != 0 && encoder->numbers.position_scale != 0) ||
           strcmp(encoder->attention_position, "none") != 0;
}

/* Returns the name of the positions that the model adds, else of those in its attention. */
static const char *position_name(const struct encoder *encoder)
{
    return strcmp(encoder->position, "none") != 0 ? encoder->position : encoder->attention_position;
}

/* Returns whether a word sees all others, at any position. */
static bool sees_all(const struct comparison *comparison)
{
    return strcmp(comparison->encoder->mask, "full") == 0 && comparison->encoder->window == 0;
}

static bool is_causal(const struct comparison *comparison)
{
    return strcmp(comparison->encoder->mask, "causal") == 0;
}

static void conclude_same(const struct comparison *comparison, char *out, size_t cap)
{
    const struct encoder *encoder = comparison->encoder;
    bool same_words = has_same_words(comparison);
    double largest = comparison->largest;

    if (same_words && comparison->n_moved == 0)
        snprintf(out, cap,
                 "The same words in the same order: the same vectors (largest difference %.2g).",
                 largest);
    else if (same_words && !has_positions(comparison) && sees_all(comparison))
        snprintf(
            out, cap,
            "Without positions and with a full mask the order of the words makes no difference: "
            "the same words have the same vectors up to rounding (largest difference %.2g).",
            largest);
    else if (same_words && has_positions(comparison))
        snprintf(out, cap,
                 "Words moved, and the same words have the same vectors up to rounding (largest "
                 "difference %.2g): what the %s positions add in these places is the same, or too "
                 "little to show.",
                 largest, position_name(encoder));
    else
        snprintf(
            out, cap,
            "The shared words have the same vectors up to rounding (largest difference %.2g)%s.",
            largest,
            is_causal(comparison) && !same_words && encoder->info.n_layers > 0
                ? ": with a causal mask a word sees only itself and what comes before it"
                : "");
}

static void conclude_moved(const struct comparison *comparison, char *out, size_t cap)
{
    char range[80], kept[128] = "";
    bool all_differ = comparison->least_moved > rounding_of(comparison);
    if (comparison->least_moved < comparison->most_moved)
        snprintf(range, sizeof range, "by %.3g to %.3g", comparison->least_moved,
                 comparison->most_moved);
    else
        snprintf(range, sizeof range, "by %.3g", comparison->most_moved);
    if (comparison->n_moved < comparison->n_pairs && comparison->most_kept > NOT_AT_ALL)
        snprintf(kept, sizeof kept,
                 ", and those in the same place by up to %.3g because the others moved",
                 comparison->most_kept);
    else if (comparison->n_moved < comparison->n_pairs)
        snprintf(kept, sizeof kept, ", those in the same place not at all");
    snprintf(out, cap,
             all_differ ? "With %s positions the same word in another place gets another vector: "
                          "the words that moved differ %s%s."
                        : "With %s positions a word's vector depends on its place, but not every "
                          "two places differ: the words that moved differ %s%s.",
             position_name(comparison->encoder), range, kept);
}

/* Writes what a vector of this model depends on, as far as it differs here: "the whole text and its
 * word's place". */
static void describe_taken_in(const struct comparison *comparison, char *out, size_t cap)
{
    const struct encoder *encoder = comparison->encoder;
    bool by_place = has_positions(comparison) && comparison->n_moved > 0;
    bool by_length = has_positions(comparison) && strcmp(encoder->position, "index") == 0 &&
                     comparison->items[0].n_tokens != comparison->items[1].n_tokens;
    snprintf(out, cap, "%s%s%s",
             encoder->info.n_layers == 0 ? "its word"
             : is_causal(comparison)     ? "all that comes before its word"
                                         : "the whole text",
             by_place ? by_length ? ", its word's place" : " and its word's place" : "",
             by_length ? " and, as index positions do, the number of tokens" : "");
}

static void conclude_different(const struct comparison *comparison, char *out, size_t cap)
{
    if (!has_same_words(comparison)) {
        char taken_in[128];
        describe_taken_in(comparison, taken_in, sizeof taken_in);
        snprintf(out, cap,
                 "The texts have different words, and a vector takes in %s%s: those of the shared "
                 "words differ by up to %.3g.",
                 taken_in, comparison->encoder->info.n_layers == 0 ? " (there are no layers)" : "",
                 comparison->largest);
    } else if (has_positions(comparison)) {
        conclude_moved(comparison, out, cap);
    } else if (is_causal(comparison)) {
        snprintf(out, cap,
                 "Even without positions a causal mask lets order show, because a word sees only "
                 "itself and what comes before it: the same words differ by up to %.3g.",
                 comparison->largest);
    } else if (!sees_all(comparison)) {
        snprintf(out, cap,
                 "Even without positions a window lets order show, because a word sees only those "
                 "next to it: the same words differ by up to %.3g.",
                 comparison->largest);
    } else {
        snprintf(out, cap,
                 "Without positions and with a full mask the same words should have the same "
                 "vectors, but they differ by up to %.3g, which is more than rounding.",
                 comparison->largest);
    }
}

void comparison_conclude(const struct comparison *comparison, char out[COMPARISON_SENTENCE_BYTES])
{
    const size_t cap = COMPARISON_SENTENCE_BYTES;
    if (comparison->n_pairs == 0)
        snprintf(out, cap, "The texts share no word: there is nothing to compare.");
    else if (comparison->largest <= rounding_of(comparison))
        conclude_same(comparison, out, cap);
    else
        conclude_different(comparison, out, cap);
}

/* ---- Words that the vocabulary does not have ---- */

enum { WORDS_MOST = 8, WORD_COLUMNS = 24 };

/* Each spelling is named once. The token is the one that the model reads instead of the last. */
char *comparison_unknown_words(const struct comparison *comparison)
{
    const char *words[WORDS_MOST], *token = NULL;
    size_t lens[WORDS_MOST], n = 0, token_len = 0, line_len;
    char *line = NULL;
    bool are_more = false;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < comparison->items[side].n_tokens; i++) {
            const struct item *item = &comparison->items[side];
            size_t len, k = 0;
            const char *word = encoder_unknown_word(comparison->encoder, item, i, &len);
            if (!word)
                continue;
            token = encoder_token_text(comparison->encoder, item, i, &token_len);
            while (k < n && (lens[k] != len || memcmp(words[k], word, len) != 0))
                k++;
            are_more = are_more || k == WORDS_MOST;
            if (k == n && n < WORDS_MOST) {
                words[n] = word;
                lens[n++] = len;
            }
        }
    if (!token)
        return NULL;
    FILE *stream = alloc_open(&line, &line_len);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ", " : "", stream);
        display_text(stream, words[i], lens[i], WORD_COLUMNS);
    }
    fprintf(stream, "%s %s not in the vocabulary: %s the vector of ", are_more ? " and others" : "",
            n == 1 ? "is" : "are", n == 1 ? "it starts from" : "all start from");
    display_text(stream, token, token_len, WORD_COLUMNS);
    alloc_close(stream);
    return line;
}
