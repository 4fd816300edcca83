/* picture_order.c - encode-plot order: a sentence and its permutations, and how far each one's
 * pooled vector is from the sentence's, with positions and without. Words are what blanks separate.
 *
 * There are n! / (m_1! m_2! …) different ones where words occur m_i times. If these are few, all of
 * them are taken in the order of Narayana's next permutation; else seeded random ones (Fisher,
 * Yates), each once.
 */
#include "tools/plot/pictures/pictures.h"

#include "tools/common/options.h"
#include "tools/common/random.h"
#include "tools/plot/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_MOST = 120, DEFAULT_RANDOM = 40, WORDS_MOST = 4096, TRIES_PER_PERMUTATION = 50 };

struct sentence {
    const char **words; /* [n], borrowed */
    size_t *lens;
    size_t *classes; /* [n]: equal words have the same number, that of the first */
    size_t n;
};

struct permutations {
    size_t *orders; /* [n, words]: classes; the first is the sentence itself */
    size_t n, n_words;
    bool is_all;
};

/* ---- Words ---- */

static size_t class_of(const struct sentence *sentence, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (sentence->lens[j] == sentence->lens[i] &&
            memcmp(sentence->words[j], sentence->words[i], sentence->lens[i]) == 0)
            return j;
    return i;
}

static struct sentence split(const char *text)
{
    static const char blanks[] = " \t\n\v\f\r";
    size_t cap = strlen(text) / 2 + 1, len;
    struct sentence sentence = {.words = alloc_zeros(cap, sizeof *sentence.words),
                                .lens = alloc_zeros(cap, sizeof *sentence.lens),
                                .classes = alloc_zeros(cap, sizeof *sentence.classes)};
    for (text += strspn(text, blanks); *text; text += len + strspn(text + len, blanks)) {
        len = strcspn(text, blanks);
        sentence.words[sentence.n] = text;
        sentence.lens[sentence.n] = len;
        if (sentence.n < WORDS_MOST)
            sentence.classes[sentence.n] = class_of(&sentence, sentence.n);
        sentence.n++;
    }
    return sentence;
}

/* ---- Permutations ---- */

/* Of the classes; a number above `most` stands for all that are larger. */
static size_t count_permutations(const struct sentence *sentence, size_t most)
{
    double n = 1;
    for (size_t i = 0; i < sentence->n; i++) {
        size_t times = 1;
        for (size_t j = 0; j < i; j++)
            times += sentence->classes[j] == sentence->classes[i];
        n *= (double)(i + 1) / (double)times;
    }
    return n < (double)most + 0.5 ? (size_t)(n + 0.5) : most + 1;
}

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

static size_t *order_at(const struct permutations *permutations, size_t i)
{
    return permutations->orders + i * permutations->n_words;
}

static void add_new(struct permutations *permutations, const size_t *order)
{
    size_t bytes = permutations->n_words * sizeof *order;
    for (size_t i = 0; i < permutations->n; i++)
        if (memcmp(order_at(permutations, i), order, bytes) == 0)
            return;
    memcpy(order_at(permutations, permutations->n++), order, bytes);
}

static void take_all(struct permutations *permutations, size_t *order)
{
    qsort(order, permutations->n_words, sizeof *order, by_number);
    do
        add_new(permutations, order);
    while (next_permutation(order, permutations->n_words));
}

static void take_random(struct permutations *permutations, size_t *order, size_t wanted,
                        uint64_t seed)
{
    size_t n = permutations->n_words;
    for (size_t tries = 0; permutations->n <= wanted && tries < TRIES_PER_PERMUTATION * wanted;
         tries++) {
        memcpy(order, permutations->orders, n * sizeof *order);
        for (size_t i = n; i > 1; i--)
            swap(order, i - 1, random_below(&seed, i));
        add_new(permutations, order);
    }
}

/* wanted 0: as many as look well. */
static struct permutations permute(const struct sentence *sentence, size_t wanted, uint64_t seed)
{
    size_t all = count_permutations(sentence, ALL_MOST), n = sentence->n;
    bool is_all = all <= ALL_MOST && (!wanted || wanted + 1 >= all);
    size_t most = is_all ? all - 1 : wanted ? wanted : DEFAULT_RANDOM;
    size_t *order = alloc_zeros(n, sizeof *order);
    struct permutations permutations = {
        .orders = alloc_zeros((most + 1) * n, sizeof *order), .n_words = n, .is_all = is_all};
    memcpy(order, sentence->classes, n * sizeof *order);
    add_new(&permutations, order); /* the sentence itself */
    if (is_all)
        take_all(&permutations, order);
    else
        take_random(&permutations, order, most, seed);
    return permutations;
}

static char *write_order(const struct sentence *sentence, const size_t *order)
{
    char *text;
    size_t len;
    FILE *stream = alloc_open(&text, &len);
    for (size_t i = 0; i < sentence->n; i++) {
        if (i)
            putc(' ', stream);
        fwrite(sentence->words[order[i]], 1, sentence->lens[order[i]], stream);
    }
    text_close(stream, &text);
    return text;
}

/* ---- Distances ---- */

static double float_distance(const float *a, const float *b, size_t n, bool by_cosine)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return by_cosine ? 1 - engine_cosine(a, b, n) : sqrt(squares);
}

/* Of each text to the first. */
static double *measure(struct source *source, enum with_positions with)
{
    size_t width;
    const float *vectors = source_pool(source, with, &width);
    double *distances = alloc_zeros(source->n_items, sizeof *distances);
    for (size_t i = 1; i < source->n_items; i++)
        distances[i] =
            float_distance(vectors, vectors + i * width, width, source->options->by_cosine);
    return distances;
}

/* ---- Panel ---- */

struct place {
    double distance;
    size_t index;
};

static int by_distance(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->distance != y->distance)
        return (x->distance > y->distance) - (x->distance < y->distance);
    return (x->index > y->index) - (x->index < y->index);
}

/* The texts but the sentence itself, the nearest first. */
static struct place *sort_texts(const double *distances, size_t n)
{
    struct place *places = alloc_zeros(n, sizeof *places);
    for (size_t i = 0; i < n; i++)
        places[i] = (struct place){distances[i + 1], i + 1};
    qsort(places, n, sizeof *places, by_distance);
    return places;
}

/* Distances with positions, and those without beside them; a model without positions has these
 * alone. */
static void add_dots(struct source *source, struct figure *figure)
{
    static const enum with_positions kinds[] = {WITH_POSITIONS, WITHOUT_POSITIONS};
    bool has_positions = strcmp(source->position, "none") != 0;
    size_t n = source->n_items - 1, n_kinds = has_positions ? 2 : 1;
    struct panel *panel = figure_add(figure, PANEL_DOTS, n, n_kinds);
    const struct place *places = NULL;
    axis_name_all(&panel->x);
    axis_name_all(&panel->y);
    for (size_t k = 0; k < n_kinds; k++) {
        enum with_positions with = has_positions ? kinds[k] : WITHOUT_POSITIONS;
        const double *distances = measure(source, with);
        places = places ? places : sort_texts(distances, n);
        panel->x.labels[k] = source_positions(source, with);
        for (size_t row = 0; row < n; row++)
            panel->values[row * n_kinds + k] = distances[places[row].index];
    }
    for (size_t row = 0; row < n; row++)
        panel->y.labels[row] = text_new("%s", source->items[places[row].index].record.input.text);
    panel->unit = source->options->by_cosine ? "1 − cosine to the sentence's vector"
                                             : "Euclidean distance to the sentence's vector";
}

void picture_order(struct source *source, struct figure *figure)
{
    const struct plot_options *options = source->options;
    const char *text = options->request.texts[0];
    const struct sentence sentence = split(text);
    if (sentence.n > WORDS_MOST)
        program_die("the sentence has %zu words; at most %d can be permuted", sentence.n,
                    WORDS_MOST);
    if (sentence.n == 0 || count_permutations(&sentence, 1) < 2)
        program_die(
            "there is no other order of these words: a sentence of two different words is needed");
    struct permutations permutations = permute(&sentence, options->n_permutations, options->seed);
    for (size_t i = 0; i < permutations.n; i++) {
        const char *order = write_order(&sentence, order_at(&permutations, i));
        source_tokenize(source, order, strlen(order), 1);
    }
    add_dots(source, figure);
    figure->title =
        text_new("%s%zu other order%s of “%s”: %s, %s pooling",
                 permutations.is_all && permutations.n > 2 ? "All " : "", permutations.n - 1,
                 plural(permutations.n - 1), text, source->encoder.name, source_pooling(source));
}
