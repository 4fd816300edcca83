/* picture_order.c - encode-plot order: a sentence and its permutations, and how far each one's
 * pooled vector is from the sentence's, with positions and without. Words are separated by blanks.
 *
 * There are n! / (m_1! m_2! …) different permutations where words occur m_i times. If these are
 * few, all of them are shown, in the order of Narayana's next permutation; else seeded random ones
 * (Fisher, Yates), each once.
 */
#include "tools/study/plot/pictures/pictures.h"

#include "tools/common/options.h"
#include "tools/common/random.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_MOST = 119, SOME = 40, WORDS_MOST = 4096 };

/* A sentence and other orders of its words. */
struct orders {
    char **words; /* [n_words] */
    size_t n_words;
    size_t *indices; /* [n, n_words]: of words, of equal ones that of the first; the first order is
                        the sentence itself */
    size_t n;
};

static struct orders split_sentence(const char *text)
{
    static const char blanks[] = " \t\n\v\f\r";
    char *copy = alloc_own(alloc_text("%s", text)), *at;
    struct orders orders = {.words = alloc_zeros(strlen(text) / 2 + 1, sizeof *orders.words)};
    for (char *word = strtok_r(copy, blanks, &at); word; word = strtok_r(NULL, blanks, &at))
        orders.words[orders.n_words++] = word;
    if (orders.n_words > WORDS_MOST)
        program_die("the sentence has %zu words; at most %d can be permuted", orders.n_words,
                    WORDS_MOST);
    return orders;
}

/* ---- Permutations ---- */

static void swap(size_t *order, size_t a, size_t b)
{
    size_t swapped = order[a];
    order[a] = order[b];
    order[b] = swapped;
}

static bool next_permutation(size_t *order, size_t n)
{
    size_t i = n, j = n;
    while (i > 1 && order[i - 2] >= order[i - 1])
        i--;
    if (i < 2)
        return false;
    while (order[j - 1] <= order[i - 2])
        j--;
    swap(order, i - 2, j - 1);
    for (size_t a = i - 1, b = n - 1; a < b; a++, b--)
        swap(order, a, b);
    return true;
}

static int by_number(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void add_new(struct orders *orders, const size_t *order)
{
    size_t n = orders->n_words, bytes = n * sizeof *order;
    for (size_t i = 0; i < orders->n; i++)
        if (memcmp(orders->indices + i * n, order, bytes) == 0)
            return;
    memcpy(orders->indices + orders->n++ * n, order, bytes);
}

/* Adds all other orders if there are at most ALL_MOST, else some random ones, always the same.
 * Returns whether these are all. */
static bool permute(struct orders *orders)
{
    size_t n = orders->n_words, *order = alloc_zeros(n, sizeof *order);
    uint64_t seed = 1;
    orders->indices = alloc_zeros((ALL_MOST + 2) * n, sizeof *order);
    for (size_t i = 0; i < n; i++)
        while (strcmp(orders->words[order[i]], orders->words[i]) != 0)
            order[i]++;
    add_new(orders, order);
    qsort(order, n, sizeof *order, by_number);
    do
        add_new(orders, order);
    while (orders->n <= ALL_MOST + 1 && next_permutation(order, n));
    if (orders->n <= ALL_MOST + 1)
        return true;
    for (orders->n = 1; orders->n <= SOME;) {
        memcpy(order, orders->indices, n * sizeof *order);
        for (size_t i = n; i > 1; i--)
            swap(order, i - 1, random_below(&seed, i));
        add_new(orders, order);
    }
    return false;
}

/* Makes a text of each order but the first, which is the sentence. */
static void tokenize_orders(struct plot_source *source, const struct orders *orders)
{
    size_t n = orders->n_words;
    for (size_t i = 1; i < orders->n; i++) {
        struct written text;
        FILE *stream = alloc_open(&text);
        for (size_t k = 0; k < n; k++)
            fprintf(stream, "%s%s", k ? " " : "", orders->words[orders->indices[i * n + k]]);
        alloc_close(stream, &text);
        source_tokenize(source, text.bytes, text.len, 1);
    }
}

/* ---- Panel ---- */

struct permutation {
    double distances[2]; /* [n_kinds]: |a - b| to the sentence */
    size_t index;        /* of the text */
};

static int by_distance(const void *a, const void *b)
{
    const struct permutation *x = a, *y = b;
    if (x->distances[0] != y->distances[0])
        return (x->distances[0] > y->distances[0]) - (x->distances[0] < y->distances[0]);
    return (x->index > y->index) - (x->index < y->index);
}

/* Fills one kind of distances of n permutations. */
static void measure_permutations(struct plot_source *source, enum with_positions with, size_t kind,
                                 struct permutation *permutations, size_t n)
{
    size_t width;
    const float *a = source_pool(source, with, &width), *b = a;
    for (size_t i = 0; i < n; i++) {
        double squares = 0;
        b += width;
        for (size_t k = 0; k < width; k++)
            squares += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
        permutations[i].index = i + 1;
        permutations[i].distances[kind] = sqrt(squares);
    }
}

/* Shows distances with positions, the nearest first, beside those without; a model without
 * positions has only these. */
static void add_dots(struct plot_source *source, struct figure *figure)
{
    size_t n = source->n_items - 1, n_kinds = source->position != ENGINE_POSITION_NONE ? 2 : 1;
    struct panel *panel = figure_add(figure, PANEL_DOTS, n, n_kinds);
    struct permutation *permutations = alloc_zeros(n, sizeof *permutations);
    axis_name_all(&panel->x);
    axis_name_all(&panel->y);
    for (size_t k = 0; k < n_kinds; k++) {
        enum with_positions with = k + 1 < n_kinds ? WITH_POSITIONS : WITHOUT_POSITIONS;
        measure_permutations(source, with, k, permutations, n);
        panel->x.labels[k] = source_positions(source, with);
    }
    qsort(permutations, n, sizeof *permutations, by_distance);
    for (size_t i = 0; i < n; i++) {
        panel->y.labels[i] = text_new("%s", source->items[permutations[i].index].record.input.text);
        memcpy(panel->values + i * n_kinds, permutations[i].distances, n_kinds * sizeof(double));
    }
    panel->unit = "Euclidean distance to the sentence's vector";
}

void picture_order(struct plot_source *source, struct figure *figure)
{
    const engine_input *input = &source->items[0].record.input;
    const char *text = alloc_own(alloc_text("%.*s", (int)input->text_len, input->text));
    struct orders orders = split_sentence(text);
    bool is_all = permute(&orders);
    if (orders.n < 2)
        program_die("these words have no other order: a sentence of two different words is needed");
    tokenize_orders(source, &orders);
    add_dots(source, figure);
    figure->title = text_new(
        "%s%zu other order%s of “%s”: %s, %s pooling", is_all && orders.n > 2 ? "All " : "",
        orders.n - 1, plural(orders.n - 1), text, source->encoder.name, source_pooling(source));
}
