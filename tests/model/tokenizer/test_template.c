/* tags: sizes aarch64 */
/* Special tokens around texts, and which tokens a limit leaves. */
#include "model/tokenizer/tokenize.h"
#include "tests/model/tokenizer/tokenizer_fixture.h"
#include "tests/owned.h"
#include "tests/support.h"

TEST(templates)
{
    struct fixture f = fixture_new(
        FEW_WORDS, N_FEW_WORDS, 2,
        SETTINGS("kind", "blanks", "single", "4:0 A:1 5:0", "pair", "4:0 B:1 5:1  A:0 5:0"));
    struct token_input input = {.text = "ride bike", .text_len = 9};
    struct token_count count = encode_input(&f, &input, true, NULL);
    static const engine_token one[] = {
        {.id = 4, .special = true},
        {.id = 2, .type = 1, .begin = 0, .end = 4},
        {.id = 3, .type = 1, .begin = 5, .end = 9},
        {.id = 5, .special = true},
    };
    static const engine_token two[] = {
        {.id = 4, .special = true},
        {.id = 1, .type = 1, .begin = 1, .end = 2, .in_pair = true},
        {.id = 5, .type = 1, .special = true},
        {.id = 2, .begin = 0, .end = 4},
        {.id = 3, .begin = 5, .end = 9},
        {.id = 5, .special = true},
    };
    const engine_token *expected = one;
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(count.n, pass == 0 ? 4 : 6);
        assert_int_equal(count.n_dropped, 0);
        support_assert_tokens(found_tokens, expected, count.n);
        expected = two;
        input.pair = " i";
        input.pair_len = 2;
        count = encode_input(&f, &input, true, NULL);
    }
    count = encode_input(&f, &input, false, NULL);
    assert_int_equal(count.n, 3);
    assert_int_equal(found_tokens[0].id, 1);
    assert_int_equal(found_tokens[0].type, 1);
    assert_true(found_tokens[0].in_pair);
    assert_int_equal(found_tokens[2].id, 3);

    input = (struct token_input){.text = NULL};
    count = encode_input(&f, &input, true, NULL);
    assert_int_equal(count.n, 2);
    count = encode_input(&f, &input, false, NULL);
    assert_int_equal(count.n, 0);
    input.pair = "";
    count = encode_input(&f, &input, true, NULL);
    assert_int_equal(count.n, 3);
}

/* The formula of weights/FORMAT.md, in signed numbers as it is written there. */
static void formula(long a, long b, long r, long kept[2])
{
    kept[0] = a;
    kept[1] = b;
    if (a + b <= r)
        return;
    long n1 = a < b ? a : b;
    long n2 = n1 > r - n1 ? n1 : r - n1;
    if (n1 + n2 > r) {
        n1 = r / 2;
        n2 = n1 + r % 2;
    }
    kept[a > b] = n1;
    kept[a <= b] = n2;
}

TEST(truncation_formula)
{
    for (long a = 0; a < 24; a++)
        for (long b = 0; b < 24; b++)
            for (long r = 0; r < 50; r++) {
                size_t kept[2];
                long expected[2];
                const size_t counts[2] = {(size_t)a, (size_t)b};
                assert_null(template_truncate(ENGINE_TRUNCATE_LONGEST_FIRST, true, counts,
                                              (size_t)r, kept));
                formula(a, b, r, expected);
                assert_int_equal(kept[0], expected[0]);
                assert_int_equal(kept[1], expected[1]);
                assert_true(kept[0] <= (size_t)a && kept[1] <= (size_t)b);
                assert_int_equal(kept[0] + kept[1], a + b < r ? a + b : r);
            }
    size_t kept[2];
    static const size_t halves[2] = {SIZE_MAX / 2, SIZE_MAX / 2}, wholes[2] = {SIZE_MAX, SIZE_MAX};
    assert_null(template_truncate(ENGINE_TRUNCATE_LONGEST_FIRST, true, halves, SIZE_MAX, kept));
    assert_true(kept[0] == SIZE_MAX / 2 && kept[1] == SIZE_MAX / 2);
    assert_null(template_truncate(ENGINE_TRUNCATE_LONGEST_FIRST, true, wholes, SIZE_MAX, kept));
    assert_true(kept[0] == SIZE_MAX / 2 && kept[1] == SIZE_MAX / 2 + 1);
}

struct cut {
    size_t a, b, limit, cap;
    bool two, special, left;
};

/* With the template "4:0 A:0 5:0 B:1 5:1" (one text: its beginning), each word being "i ". */
static void check_token(const engine_token *token, const struct cut *cut, const size_t kept[2],
                        size_t i)
{
    const size_t skipped[2] = {cut->left ? cut->a - kept[0] : 0, cut->left ? cut->b - kept[1] : 0};
    const size_t place = cut->special ? i : i + 1 + (i >= kept[0]); /* with special tokens */
    const size_t start_b = kept[0] + 2;
    const bool in_a = place >= 1 && place <= kept[0];
    const bool in_b = cut->two && place >= start_b && place < start_b + kept[1];
    const size_t word = in_a ? skipped[0] + place - 1 : in_b ? skipped[1] + place - start_b : 0;
    assert_int_equal(token->id, in_a || in_b ? 1 : place == 0 ? 4 : 5);
    assert_int_equal(token->type, place >= start_b);
    assert_int_equal(token->special, !in_a && !in_b);
    assert_int_equal(token->in_pair, in_b);
    assert_int_equal(token->begin, 2 * word);
    assert_int_equal(token->end, in_a || in_b ? 2 * word + 1 : 0);
}

static void check_cut(const struct fixture *f, const struct cut *cut)
{
    char text[64], pair[64];
    const struct token_input input = {.text = text,
                                      .text_len = words_of(text, cut->a),
                                      .pair = cut->two ? pair : NULL,
                                      .pair_len = words_of(pair, cut->b)};
    const size_t n_special = cut->special ? 2 + (size_t)cut->two : 0;
    const size_t room = cut->limit > n_special ? cut->limit - n_special : 0;
    const size_t counts[2] = {cut->a, cut->two ? cut->b : 0};
    size_t kept[2] = {counts[0], counts[1]};
    if (cut->limit >= n_special)
        assert_null(template_truncate(ENGINE_TRUNCATE_LONGEST_FIRST, cut->two, counts, room, kept));
    const size_t n = n_special + kept[0] + kept[1];

    engine_token *out = cut->cap > 0 ? new_bytes(cut->cap * sizeof *out) : NULL;
    const struct token_limit limit = {.most = cut->limit, .left = cut->left};
    const struct token_count count =
        tokenizer_encode(&f->tokenizer, &input, cut->special, &limit, out, cut->cap, f->scratch);
    assert_null(count.wrong);
    assert_int_equal(count.n, n);
    assert_int_equal(count.n_dropped, cut->a + (cut->two ? cut->b : 0) - kept[0] - kept[1]);
    for (size_t i = 0; i < cut->cap && i < n; i++)
        check_token(&out[i], cut, kept, i);
}

/* Every length of both texts, limit and room for the answer, with and without special tokens. */
TEST(truncation)
{
    static const size_t caps[] = {0, 1, 2, 3, 5, 8, 30};
    struct fixture f = fixture_new(
        FEW_WORDS, N_FEW_WORDS, 2,
        SETTINGS("kind", "keras", "single", "4:0 A:0 5:0", "pair", "4:0 A:0 5:0 B:1 5:1"));
    struct cut cut;
    for (cut.a = 0; cut.a < 8; cut.a++)
        for (cut.b = 0; cut.b < 8; cut.b++)
            for (cut.limit = 0; cut.limit < 20; cut.limit++)
                for (size_t i = 0; i < 8 * 7; i++) {
                    cut.two = i % 2 == 1;
                    cut.special = i / 2 % 2 == 1;
                    cut.left = i / 4 % 2 == 1;
                    cut.cap = caps[i / 8];
                    check_cut(&f, &cut);
                }
}
