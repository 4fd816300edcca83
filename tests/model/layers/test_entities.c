/* tags: numbers aarch64 */
/* Entities of labelled tokens: known texts, and random ones against the plain twin, which asks of
 * each two neighbours whether they belong together. */
#include "tests/support.h"

#include "model/layers/entities.h"

#include <string.h>

enum { MOST = 12 };

static const char *const labels[] = {"O",  "B-PER", "I-PER", "B-LOC", "I-LOC", "PER", "B-",
                                     "I-", "B",     "I",     "O-PER", "",      NULL};
enum { N_LABELS = sizeof labels / sizeof *labels };

static const char *plain_tag(const char *name)
{
    return strncmp(name, "B-", 2) == 0 || strncmp(name, "I-", 2) == 0 ? name + 2 : name;
}

static bool plain_is_outside(const struct labelled_token *token)
{
    const char *name = token->name;
    return name != NULL && (strcmp(name, "O") == 0 ||
                            (strchr(name, '-') != NULL && strcmp(strchr(name, '-'), "-O") == 0));
}

/* Two neighbouring tokens are of one entity. */
static bool plain_together(const struct labelled_token *a, const struct labelled_token *b)
{
    if (plain_is_outside(a) || plain_is_outside(b) || a->in_pair != b->in_pair)
        return false;
    if (a->name == NULL || b->name == NULL)
        return a->name == b->name && a->label == b->label;
    return strcmp(plain_tag(a->name), plain_tag(b->name)) == 0 && strncmp(b->name, "B-", 2) != 0;
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
    /* "Jo|hn Smith of New York York", each piece with a B-; BILOU's last token is another. */
    static const struct labelled_token tokens[] = {
        {1, "B-PER", 0.5f, 0, 2, false},    {2, "I-PER", 1, 5, 10, false},
        {1, "B-PER", 0.75f, 11, 13, false}, {0, "O", 1, 14, 16, false},
        {4, "I-LOC", 0.25f, 17, 20, false}, {4, "I-LOC", 0.75f, 21, 25, false},
        {5, "L-LOC", 1, 26, 30, false},
    };
    static const engine_entity simple[] = {
        {1, 0.75f, 0, 10, 0}, {1, 0.75f, 11, 13, 0}, {4, 0.5f, 17, 25, 0}, {5, 1, 26, 30, 0}};
    engine_entity got[7];
    struct entity_list list = {.out = got, .cap = 4},
                       each = {.out = got, .cap = 7, .is_each = true};
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        entities_add(&list, &tokens[i]);
    entities_close(&list);
    entities_close(&list); /* again: nothing is open */
    assert_int_equal(list.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_same(&got[i], &simple[i]);
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        entities_add(&each, &tokens[i]);
    entities_close(&each);
    assert_int_equal(each.n, 6);
    assert_true(got[5].label == 5 && got[5].begin == 26);
}
