/* sentences.c - made-up texts with the statistics of English ones, of words that the model's
 * vocabulary has.
 *
 * The word of rank r (by id: vocabularies are sorted by frequency) comes with a probability of
 * about 1/r, as Zipf found. One word in eight is two in one, so that the tokenizer has pieces to
 * look for. Sentences of 4 to 20 words begin with a capital letter and end with a full stop; some
 * words have a comma behind them.
 */
#include "tools/bench/workload.h"

#include "tools/common/weights/random.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_LEAST = 10, SENTENCE_LEAST = 4, SENTENCE_MOST = 20, WORD_BYTES_MOST = 20 };
enum { SENTENCE_BYTES = SENTENCE_MOST * (2 * WORD_BYTES_MOST + 2) };

struct lexicon {
    const char **words; /* borrowed from the model */
    size_t *lens;
    size_t n;
};

static bool is_word(const char *text, size_t len)
{
    if (len == 0 || len > WORD_BYTES_MOST)
        return false;
    for (size_t i = 0; i < len; i++)
        if (!islower((unsigned char)text[i]))
            return false;
    return true;
}

static bool read_lexicon(struct lexicon *lexicon, const engine_model *model)
{
    engine_info info = {.struct_bytes = sizeof info};
    if (engine_model_info(model, &info) != ENGINE_OK)
        return false;
    lexicon->words = calloc(info.n_vocabulary, sizeof *lexicon->words);
    lexicon->lens = calloc(info.n_vocabulary, sizeof *lexicon->lens);
    if (lexicon->words == NULL || lexicon->lens == NULL)
        return false;
    for (size_t id = 0; id < info.n_vocabulary; id++) {
        const char *text;
        size_t len;
        if (engine_token_text(model, (int32_t)id, &text, &len) != ENGINE_OK || !is_word(text, len))
            continue;
        lexicon->words[lexicon->n] = text;
        lexicon->lens[lexicon->n++] = len;
    }
    return true;
}

static char *put_word(const struct lexicon *lexicon, char *to, uint64_t *state)
{
    size_t rank = (size_t)pow((double)lexicon->n, random_unit(state));
    rank = rank <= lexicon->n ? rank - 1 : lexicon->n - 1;
    memcpy(to, lexicon->words[rank], lexicon->lens[rank]);
    return to + lexicon->lens[rank];
}

static char *put_sentence(const struct lexicon *lexicon, char *to, uint64_t *state)
{
    size_t n_words = SENTENCE_LEAST + random_below(state, SENTENCE_MOST - SENTENCE_LEAST + 1);
    char *start = to;
    for (size_t i = 0; i < n_words; i++) {
        to = put_word(lexicon, to, state);
        if (random_below(state, 8) == 0)
            to = put_word(lexicon, to, state);
        if (i + 1 < n_words) {
            if (random_below(state, 12) == 0)
                *to++ = ',';
            *to++ = ' ';
        }
    }
    *start = (char)toupper((unsigned char)*start);
    *to++ = '.';
    return to;
}

bool workload_sentences(struct workload *workload, const char *name, const engine_model *model,
                        size_t n, uint64_t seed)
{
    struct lexicon lexicon = {0};
    uint64_t state = seed;
    snprintf(workload->name, sizeof workload->name, "%s", name);
    bool done = read_lexicon(&lexicon, model);
    if (done && lexicon.n >= WORDS_LEAST) {
        workload->inputs = calloc(n, sizeof *workload->inputs);
        workload->text = malloc(n * SENTENCE_BYTES);
        done = workload->inputs != NULL && workload->text != NULL;
        char *at = workload->text;
        for (; done && workload->n < n; workload->n++) {
            char *end = put_sentence(&lexicon, at, &state);
            workload->inputs[workload->n].text = at;
            workload->inputs[workload->n].text_len = (size_t)(end - at);
            at = end;
        }
        workload->text_bytes = done ? (size_t)(at - workload->text) : 0;
    }
    free(lexicon.words);
    free(lexicon.lens);
    return done;
}
