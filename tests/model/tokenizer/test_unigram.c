/* tags: sizes */
/* Kind unigram: its pieces against the plain way, a table of the best sum up to each character of
 * the whole word; words that are longer than the memory, also such of which nothing is certain
 * before their end. What the reference says is in test_wordpiece_cases.c. */
#include "tests/model/tokenizer/tokenizer_fixture.h"
#include "tests/owned.h"
#include "tests/support.h"

#include <string.h>

enum { MOST_CHARS = 40000, N_LETTERS = 3 };

static const char *const TEXTS[] = {"?",   "a",    "b",     "aa",      "ab",      "ba",
                                    "aba", "aaaa", "bbbbb", "abababa", "aaabaaa", "zz"};
enum { N_TEXTS = sizeof TEXTS / sizeof *TEXTS };

struct made {
    struct fixture fixture;
    double scores[N_TEXTS];
};

static void make(struct made *made, uint64_t seed)
{
    made->fixture = fixture_new(TEXTS, N_TEXTS, 1, SETTINGS("kind", "unigram", "unknown", "0"));
    double *scores = (double *)(void *)((char *)made->fixture.pieces + 24);
    for (size_t i = 0; i < N_TEXTS; i++) {
        if (support_below(&seed, 3) != 0) /* else as they are: equal sums are common */
            scores[i] = -3 + random_within(&seed, 1) * (double)strlen(TEXTS[i]);
        made->scores[i] = scores[i];
    }
}

/* ---- The plain way ---- */

struct plain {
    double score;
    size_t from;
    int32_t id;
    bool is_there;
};

static void improve(struct plain *to, double score, size_t from, int32_t id)
{
    if (!to->is_there || score > to->score)
        *to = (struct plain){score, from, id, true};
}

/* Ids of the word's tokens, the last one first; returns how many. */
static size_t plain_tokens(const struct made *made, const char *word, size_t n, int32_t *ids)
{
    struct plain *best = new_bytes((n + 1) * sizeof *best);
    size_t n_tokens = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_piece = false;
        for (size_t len = 1; len <= 7 && i + len <= n; len++)
            for (int32_t id = 0; id < N_TEXTS; id++)
                if (strlen(TEXTS[id]) == len && memcmp(word + i, TEXTS[id], len) == 0) {
                    improve(&best[i + len], best[i].score + made->scores[id], i, id);
                    is_piece = is_piece || len == 1;
                }
        if (!is_piece)
            improve(&best[i + 1], best[i].score + -18, i, 0);
    }
    for (size_t at = n; at > 0; at = best[at].from)
        if (best[at].id != 0 || n_tokens == 0 || ids[n_tokens - 1] != 0)
            ids[n_tokens++] = best[at].id;
    return n_tokens;
}

static void compare(const struct made *made, const char *word, size_t n)
{
    const size_t mark = owned_mark();
    int32_t *ids = new_bytes((n + 1) * sizeof *ids);
    const engine_token *tokens = found_tokens;
    const size_t n_tokens = plain_tokens(made, word, n, ids);
    assert_int_equal(encode_text(&made->fixture, word, n).n, n_tokens);
    for (size_t i = 0; i < n_tokens; i++) {
        assert_int_equal(tokens[i].id, ids[n_tokens - 1 - i]);
        assert_int_equal(tokens[i].begin, i > 0 ? tokens[i - 1].end : 0);
    }
    assert_int_equal(tokens[n_tokens - 1].end, n);
    owned_release(mark);
}

TEST(random_words)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct made made;
        char word[200];
        uint64_t random = seed;
        make(&made, seed);
        for (size_t i = 0; i < sizeof word; i++)
            word[i] = "abz"[support_below(&random, seed % 2 == 0 ? N_LETTERS : 2)];
        for (size_t n = 1; n <= sizeof word; n += 1 + n / 8)
            compare(&made, word, n);
    }
}

/* Words of the same few letters again and again: where odd pieces occur depends on the length. */
TEST(undecided_words)
{
    static const char *const rows[] = {"a", "ab", "b", "aab", "z"};
    static char word[MOST_CHARS];
    for (unsigned seed = 1; seed <= 10; seed++) {
        struct made made;
        make(&made, seed);
        for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
            for (size_t i = 0; i < MOST_CHARS; i++)
                word[i] = rows[row][i % strlen(rows[row])];
            for (size_t n = 4095; n <= 4098; n++)
                compare(&made, word, n);
            compare(&made, word, 9001 + seed);
            compare(&made, word, MOST_CHARS - seed);
            word[seed * 1500] = 'z';
            compare(&made, word, MOST_CHARS - 1);
        }
    }
}

static void compare_unknown(const struct made *made, const char *word)
{
    assert_int_equal(encode_text(&made->fixture, word, strlen(word)).n, 1);
    assert_true(found_tokens->id == 0 && found_tokens->begin == 0 &&
                found_tokens->end == strlen(word));
}

/* Sections that are too short, or say what is not so. */
TEST(bad_sections)
{
    struct made made;
    struct unigram_pieces pieces;
    make(&made, 1);
    uint32_t *header = made.fixture.pieces;
    const size_t len = 24 + 8 * N_TEXTS + 4 * made.fixture.tokenizer.unigram.trie.n;
    assert_null(unigram_view(&pieces, header, len));
    assert_non_null(unigram_view(&pieces, header, 23));
    assert_non_null(unigram_view(&pieces, header, len - 4));
    header[1] = 0; /* without the set of texts no text is a piece */
    assert_null(unigram_view(&made.fixture.tokenizer.unigram, header, 24 + 8 * N_TEXTS));
    compare_unknown(&made, "ab");
    header[1] = (uint32_t)(len - 24 - 8 * N_TEXTS) / 4;
    assert_null(unigram_view(&made.fixture.tokenizer.unigram, header, len));
    uint32_t *units = header + 6 + 2 * N_TEXTS, *child = &units['a' ^ units[0] >> 10];
    *child |= 0x1FFFFFu << 10; /* the number of "a" would be outside: it reads as 0 */
    compare_unknown(&made, "a");
    header[2] = UNIGRAM_LONGEST + 1;
    assert_non_null(unigram_view(&pieces, header, len));
    made.fixture.tokenizer.unigram.n = N_TEXTS + 1;
    assert_non_null(tokenizer_check(&made.fixture.tokenizer, 1));
}
