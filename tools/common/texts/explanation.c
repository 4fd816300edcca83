/* explanation.c - see explanation.h. */
#include "tools/common/texts/explanation.h"

#include "tools/common/output.h"
#include "tools/common/print/display.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 1 << 24 }; /* 4,096 words of each text: some ten seconds and a gigabyte */

void explanation_check(struct text_encoder *encoder, engine_metric metric, const char *name)
{
    const engine_pooling pooling = encoder->shape.pooling;
    const engine_input empty = {.text = ""};
    if (metric == ENGINE_METRIC_EUCLIDEAN || metric == ENGINE_METRIC_MANHATTAN)
        program_die("%s: the %s of two vectors is no sum over pairs of words; the cosine and the "
                    "dot product are",
                    name, metric_words(metric));
    if (pooling == ENGINE_POOLING_COLBERT || pooling == ENGINE_POOLING_SPARSE)
        return;
    if (engine_encode_parts(encoder->session, &empty, &encoder->options, NULL, 0, NULL, NULL) ==
        ENGINE_ERROR_UNSUPPORTED)
        program_die("%s: %s", name, engine_session_message(encoder->session));
}

/* ---- Words of a text ---- */

/* Returns whether the character that begins, or ends, at a byte is part of a word; those from
 * U+2E80 on, which are written without blanks, are words by themselves. */
static bool is_in_word(const char *text, size_t len, size_t at, bool ends_there)
{
    uint32_t character;
    while (ends_there && at > 0 && ((unsigned char)text[--at] & 0xC0) == 0x80)
        continue;
    if (at >= len)
        return false;
    utf8_next(text + at, len - at, &character);
    return character < 0x80 ? isalnum((int)character) || character == '_' : character < 0x2E80;
}

/* Returns whether token i continues the word of the token before it: no blank or punctuation is
 * where they meet, or they share a character. */
static bool continues_word(const struct item *item, size_t i)
{
    const engine_input *input = &item->record.input;
    const engine_token *token = &item->tokens[i], *before = &item->tokens[i - (i > 0)];
    const char *text = token->in_pair ? input->pair : input->text;
    const size_t len = token->in_pair ? input->pair_len : input->text_len;
    if (i == 0 || !item_has_span(item, i) || !item_has_span(item, i - 1) ||
        token->in_pair != before->in_pair || token->in_prompt != before->in_prompt ||
        token->begin > before->end)
        return false;
    return token->begin < before->end || (is_in_word(text, len, token->begin, true) &&
                                          is_in_word(text, len, token->begin, false));
}

/* Makes the word that token i begins. *is_quoted: its text is bytes of the input, which tokens that
 * continue it make longer; else the vocabulary's. */
static struct explained_word begin_word(const struct text_encoder *encoder, const struct item *item,
                                        size_t i, bool *is_quoted)
{
    const engine_token *token = &item->tokens[i];
    const size_t prompt_len = token->in_pair ? 0 : item->prompt_len;
    struct explained_word word = {.in_pair = token->in_pair};
    word.text = item_span_text(item, i, &word.len);
    word.is_of_text = word.len > 0 && !token->in_prompt;
    for (; word.len > 0 && *word.text == ' '; word.len--)
        word.text++;
    *is_quoted = word.len > 0;
    if (!*is_quoted)
        word.text = encoder_token_text(encoder, item, i, &word.len);
    else if (word.is_of_text) /* a token may begin in the prompt */
        word.begin = token->end - word.len > prompt_len ? token->end - word.len - prompt_len : 0;
    word.end = word.is_of_text ? token->end - prompt_len : 0;
    return word;
}

/* Sets the words of an item, and which of them each token belongs to. */
static void find_words(struct explained_text *text, const struct text_encoder *encoder,
                       const struct item *item)
{
    bool is_quoted = false;
    for (size_t i = 0; i < item->n_tokens; i++) {
        const size_t end = item->tokens[i].end;
        if (!is_quoted || !continues_word(item, i)) {
            text->words[text->n_words++] = begin_word(encoder, item, i, &is_quoted);
        } else if (end > item->tokens[i - 1].end) {
            text->words[text->n_words - 1].len += end - item->tokens[i - 1].end;
            text->words[text->n_words - 1].end += end - item->tokens[i - 1].end;
        }
        text->word_of[i] = text->n_words - 1;
    }
}

/* ---- Rows ---- */

/* Removes the rows of tokens that have no vector. */
static void keep_vectors(struct explained_text *text, const struct text_encoder *encoder,
                         const struct item *item, engine_role role)
{
    size_t n = 0;
    for (size_t i = 0; i < item->n_tokens; i++)
        if (engine_token_has_vector(encoder->model, item->tokens[i].id, i, role))
            text->word_of[n++] = text->word_of[i];
    text->n_rows = n;
}

/* Makes a word and a row of one column, its id in word_of, of each id that has a weight. */
static void keep_weights(struct explained_text *text, const struct text_encoder *encoder)
{
    size_t n = 0;
    for (size_t id = 0; id < encoder->width; id++)
        n += text->rows[id] != 0;
    text->words = alloc_resize(text->words, n + 1, sizeof *text->words);
    text->word_of = alloc_resize(text->word_of, n + 1, sizeof *text->word_of);
    text->n_words = text->n_rows = 0;
    text->width = 1;
    for (size_t id = 0; id < encoder->width; id++) {
        struct explained_word *word = &text->words[text->n_rows];
        if (text->rows[id] == 0)
            continue;
        *word = (struct explained_word){.is_of_text = true};
        word->text = encoder_id_text(encoder, (int32_t)id, &word->len);
        text->rows[text->n_rows] = text->rows[id];
        text->word_of[text->n_rows++] = id;
    }
    text->n_words = text->n_rows;
}

/* Makes a word of the last row, the biases, or removes it if they are zeros. */
static void name_biases(struct explained_text *text)
{
    static const char NAME[] = "(biases)";
    const float *biases = text->rows + (text->n_rows - 1) * text->width;
    size_t i = 0;
    while (i < text->width && biases[i] == 0)
        i++;
    if (i == text->width) {
        text->n_rows--;
        return;
    }
    text->word_of[text->n_rows - 1] = text->n_words;
    text->words[text->n_words++] = (struct explained_word){.text = NAME, .len = sizeof NAME - 1};
}

void explained_text_make(struct explained_text *text, struct text_encoder *encoder,
                         struct item *item, engine_role role)
{
    const engine_input input = {
        .tokens = item->tokens, .mask = item->mask, .n_tokens = item->n_tokens};
    const engine_pooling pooling = encoder->shape.pooling;
    const bool is_sum = pooling != ENGINE_POOLING_COLBERT && pooling != ENGINE_POOLING_SPARSE;
    const size_t n = item->n_tokens + 1, cap = n * encoder->width;
    engine_encode_options options = encoder->options;
    options.max_tokens = 0;
    options.role = role;
    alloc_for("%s", item_name(item));
    *text = (struct explained_text){.words = alloc_zeros(n, sizeof *text->words),
                                    .rows = alloc_zeros(n, encoder->width * sizeof *text->rows),
                                    .n_rows = n,
                                    .word_of = alloc_zeros(n, sizeof *text->word_of),
                                    .width = encoder->width};
    if ((is_sum
             ? engine_encode_parts(encoder->session, &input, &options, text->rows, cap, NULL, NULL)
             : engine_encode(encoder->session, &input, 1, &options, text->rows, cap, NULL, NULL)) !=
        ENGINE_OK) {
        encoder_fail_in_engine(encoder, item);
        program_die("%s", item_fault(item));
    }
    find_words(text, encoder, item);
    if (is_sum)
        name_biases(text);
    else if (pooling == ENGINE_POOLING_COLBERT)
        keep_vectors(text, encoder, item, role);
    else
        keep_weights(text, encoder);
}

void explained_text_free(struct explained_text *text)
{
    free(text->words);
    free(text->rows);
    free(text->word_of);
    *text = (struct explained_text){0};
}

/* ---- Shares ---- */

static double product(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* Returns the length of the sum of all rows. */
static double length_of(const struct explained_text *text)
{
    double squares = 0;
    for (size_t i = 0; i < text->width; i++) {
        double sum = 0;
        for (size_t row = 0; row < text->n_rows; row++)
            sum += (double)text->rows[row * text->width + i];
        squares += sum * sum;
    }
    return sqrt(squares);
}

static void add_products(struct explanation *explanation, const struct explained_text *a,
                         const struct explained_text *b, double factor)
{
    for (size_t i = 0; i < a->n_rows; i++)
        for (size_t k = 0; k < b->n_rows; k++)
            explanation->shares[a->word_of[i] * b->n_words + b->word_of[k]] +=
                factor * product(a->rows + i * a->width, b->rows + k * b->width, a->width);
}

/* MaxSim: of each row of a its best match alone counts. */
static void add_matches(struct explanation *explanation, const struct explained_text *a,
                        const struct explained_text *b)
{
    for (size_t i = 0; i < a->n_rows && b->n_rows > 0; i++) {
        double best = -INFINITY;
        size_t which = 0;
        for (size_t k = 0; k < b->n_rows; k++) {
            const double score = product(a->rows + i * a->width, b->rows + k * b->width, a->width);
            if (score > best)
                best = score, which = k;
        }
        explanation->shares[a->word_of[i] * b->n_words + b->word_of[which]] += best;
    }
}

/* Sparse weights: ids that both have. */
static void add_common(struct explanation *explanation, const struct explained_text *a,
                       const struct explained_text *b, double factor)
{
    for (size_t i = 0, k = 0; i < a->n_rows; i++) {
        while (k < b->n_rows && b->word_of[k] < a->word_of[i])
            k++;
        if (k < b->n_rows && b->word_of[k] == a->word_of[i])
            explanation->shares[i * b->n_words + k] =
                factor * (double)a->rows[i] * (double)b->rows[k];
    }
}

static int compare_pairs(const void *first, const void *second)
{
    const struct word_pair *one = first, *other = second;
    if (fabs(one->share) != fabs(other->share))
        return fabs(one->share) > fabs(other->share) ? -1 : 1;
    return one->a != other->a ? (one->a < other->a ? -1 : 1) : one->b < other->b ? -1 : 1;
}

/* Adds up the shares, and lists the pairs that have one. */
static void sum_shares(struct explanation *explanation, struct explained_text *a,
                       struct explained_text *b, bool only_text)
{
    for (size_t i = 0; i < a->n_words; i++)
        for (size_t k = 0; k < b->n_words; k++) {
            const double share = explanation->shares[i * b->n_words + k];
            explanation->score += share;
            a->words[i].share += share;
            b->words[k].share += share;
            if (share != 0 && (!only_text || (a->words[i].is_of_text && b->words[k].is_of_text)))
                explanation->pairs[explanation->n_pairs++] = (struct word_pair){i, k, share};
        }
    qsort(explanation->pairs, explanation->n_pairs, sizeof *explanation->pairs, compare_pairs);
}

void explanation_make(struct explanation *explanation, const struct text_encoder *encoder,
                      engine_metric metric, struct explained_text *a, struct explained_text *b,
                      bool only_text)
{
    const engine_pooling pooling = encoder->shape.pooling;
    const size_t n = a->n_words * b->n_words;
    const double lengths = metric == ENGINE_METRIC_COSINE ? length_of(a) * length_of(b) : 1;
    const double factor = lengths > 0 ? 1 / lengths : 0;
    if (n > MOST_PAIRS)
        program_die("an explanation of %zu words and %zu has %zu pairs; expected at most %d: "
                    "give shorter texts",
                    a->n_words, b->n_words, n, MOST_PAIRS);
    *explanation = (struct explanation){
        .shares = alloc_zeros(n, sizeof *explanation->shares),
        .pairs = alloc_zeros(n, sizeof *explanation->pairs),
    };
    for (size_t i = 0; i < b->n_words; i++) /* of an earlier explanation */
        b->words[i].share = 0;
    for (size_t i = 0; i < a->n_words; i++)
        a->words[i].share = 0;
    if (pooling == ENGINE_POOLING_COLBERT)
        add_matches(explanation, a, b);
    else if (pooling == ENGINE_POOLING_SPARSE)
        add_common(explanation, a, b, factor);
    else
        add_products(explanation, a, b, factor);
    sum_shares(explanation, a, b, only_text);
}

void explanation_free(struct explanation *explanation)
{
    free(explanation->shares);
    free(explanation->pairs);
    *explanation = (struct explanation){0};
}
