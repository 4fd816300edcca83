/* Entities of labelled tokens: known texts, and random ones against the plain twin, which asks of
 * each two neighbours whether they belong together. */
#include "tests/support.h"

#include "model/layers/entities.h"

#include <string.h>

enum { MOST = 12 };

static const char *const labels[] = {"O",  "B-PER", "I-PER", "B-LOC", "I-LOC", "PER", "B-",
                                     "I-", "B",     "I",     "O-PER", "",      NULL};
enum { N_LABELS = sizeof labels / sizeof *labels };

static const char *plain_kind(const char *name)
{
    return strncmp(name, "B-", 2) == 0 || strncmp(name, "I-", 2) == 0 ? name + 2 : name;
}

static bool plain_is_outside(const struct labelled_token *token)
{
    return token->name == NULL || strcmp(token->name, "O") == 0;
}

/* Two neighbouring tokens are of one entity. */
static bool plain_together(const struct labelled_token *a, const struct labelled_token *b)
{
    return !plain_is_outside(a) && !plain_is_outside(b) && a->in_pair == b->in_pair &&
           strcmp(plain_kind(a->name), plain_kind(b->name)) == 0 &&
           (strncmp(b->name, "B-", 2) != 0 || b->continues_word);
}

static size_t plain_entities(const struct labelled_token *tokens, size_t n, engine_entity *out)
{
    size_t n_out = 0;
    for (size_t i = 0, end; i < n; i = end) {
        double sum = (double)tokens[i].score;
        for (end = i + 1; end < n && plain_together(&tokens[end - 1], &tokens[end]); end++)
            sum += (double)tokens[end].score;
        if (!plain_is_outside(&tokens[i]))
            out[n_out++] = (engine_entity){.label = tokens[i].label,
                                           .score = (float)(sum / (double)(end - i)),
                                           .begin = tokens[i].begin,
                                           .end = tokens[end - 1].end,
                                           .in_pair = tokens[i].in_pair};
    }
    return n_out;
}

static void assert_same(const engine_entity *a, const engine_entity *b)
{
    assert_int_equal(a->label, b->label);
    assert_true(a->score == b->score);
    assert_int_equal(a->begin, b->begin);
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->in_pair, b->in_pair);
}

TEST(random)
{
    uint64_t state = 5;
    size_t n_entities = 0;
    for (size_t round = 0; round < 20000; round++) {
        struct labelled_token tokens[MOST];
        engine_entity expected[MOST], got[MOST];
        size_t n = support_below(&state, MOST + 1), cap = support_below(&state, MOST + 1);
        size_t pair = support_below(&state, MOST + 1); /* the first token of the pair */
        for (size_t i = 0; i < n; i++) {
            size_t label = support_below(&state, round % 2 ? N_LABELS : 5);
            tokens[i] = (struct labelled_token){
                .label = label,
                .name = labels[label],
                .score = (float)(support_random(&state) % 1000) / 1000,
                .begin = 10 * i,
                .end = 10 * i + 7,
                .in_pair = i >= pair,
                .continues_word = support_random(&state) % 3 == 0,
            };
        }
        struct entity_list list = {.out = got, .cap = cap};
        for (size_t i = 0; i < n; i++)
            entities_add(&list, &tokens[i]);
        entities_close(&list);
        assert_int_equal(list.n, plain_entities(tokens, n, expected));
        for (size_t i = 0; i < list.n && i < cap; i++)
            assert_same(&got[i], &expected[i]);
        n_entities += list.n;
    }
    assert_true(n_entities > 20000);
}

TEST(known)
{
    /* "Jo|hn Smith of New York York": John Smith, New York, York; a special token parts the two
     * last words, of one kind, as a B- would. */
    static const struct labelled_token tokens[] = {
        {1, "B-PER", 0.5f, 0, 2, false, false},    {1, "B-PER", 0.75f, 2, 4, false, true},
        {2, "I-PER", 1, 5, 10, false, false},      {0, "O", 1, 11, 13, false, false},
        {4, "I-LOC", 0.25f, 14, 17, false, false}, {4, "I-LOC", 0.75f, 18, 22, false, false},
    };
    static const struct labelled_token last = {4, "I-LOC", 1, 23, 27, false, false};
    static const engine_entity expected[] = {
        {1, 0.75f, 0, 10, 0}, {4, 0.5f, 14, 22, 0}, {4, 1, 23, 27, 0}};
    engine_entity got[3];
    struct entity_list list = {.out = got, .cap = 3};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        entities_add(&list, &tokens[i]);
    entities_close(&list);
    entities_close(&list); /* again: nothing is open */
    entities_add(&list, &last);
    entities_close(&list);
    assert_int_equal(list.n, 3);
    for (size_t i = 0; i < 3; i++)
        assert_same(&got[i], &expected[i]);
}
