/* tags: sizes aarch64 */
/* Byte pair encoding against a plain twin, which looks at all pairs for each merge; words longer
 * than what is merged at a time; what a piece of a word is. */
#include "tests/model/tokenizer/tokenizer_fixture.h"
#include "tests/owned.h"
#include "tests/suite.h"

#include "model/tokenizer/tokens.h"

#include <stdio.h>
#include <string.h>

enum { LETTERS = 4, N_RULES = 40, N_WORD = 6000, MOST_TEXT = 24 };

/* A vocabulary of texts over a few letters, and merges that make them, in an order of chance. */
struct rules {
    char texts[LETTERS + N_RULES][MOST_TEXT + 1];
    struct merge merges[N_RULES];
    size_t n_texts, n;
    struct fixture fixture;
};

static size_t find_text(const struct rules *rules, const char *text)
{
    size_t id = 0;
    while (id < rules->n_texts && strcmp(rules->texts[id], text) != 0)
        id++;
    return id;
}

static void make_rules(struct rules *rules)
{
    *rules = (struct rules){.n_texts = LETTERS};
    for (size_t i = 0; i < LETTERS; i++)
        rules->texts[i][0] = (char)('a' + i);
    while (rules->n < N_RULES) {
        const size_t left = random_below(rules->n_texts), right = random_below(rules->n_texts);
        char text[2 * MOST_TEXT + 1];
        snprintf(text, sizeof text, "%s%s", rules->texts[left], rules->texts[right]);
        const size_t id = find_text(rules, text);
        if (strlen(text) > MOST_TEXT)
            continue;
        if (id == rules->n_texts)
            memcpy(rules->texts[rules->n_texts++], text, strlen(text) + 1);
        rules->merges[rules->n++] =
            (struct merge){.left = (uint32_t)left, .right = (uint32_t)right, .id = (uint32_t)id};
    }
}

static void open_rules(struct rules *rules)
{
    const char *texts[LETTERS + N_RULES];
    for (size_t i = 0; i < rules->n_texts; i++)
        texts[i] = rules->texts[i];
    rules->fixture = fixture_of(1, SETTINGS("kind", "bpe", "prefix", ""));
    rules->fixture.merges = rules->merges;
    rules->fixture.n_merges = rules->n;
    assert_null(fixture_build(&rules->fixture, texts, rules->n_texts));
}

/* The order of a pair, or SIZE_MAX; of a pair that is listed twice the last one counts. */
static size_t order_of(const struct rules *rules, size_t left, size_t right)
{
    for (size_t i = rules->n; i-- > 0;)
        if (rules->merges[i].left == left && rules->merges[i].right == right)
            return i;
    return SIZE_MAX;
}

static size_t plain_merge(const struct rules *rules, size_t *ids, size_t n)
{
    for (;;) {
        size_t best = SIZE_MAX, at = 0;
        for (size_t i = 0; i + 1 < n; i++)
            if (order_of(rules, ids[i], ids[i + 1]) < best) {
                best = order_of(rules, ids[i], ids[i + 1]);
                at = i;
            }
        if (best == SIZE_MAX)
            return n;
        ids[at] = rules->merges[best].id;
        memmove(ids + at + 1, ids + at + 2, (n - at - 2) * sizeof *ids);
        n--;
    }
}

static void check_word(const struct rules *rules, const char *word, size_t len)
{
    static size_t ids[N_WORD];
    const engine_token *found = found_tokens;
    const size_t n = encode_text(&rules->fixture, word, len).n;
    for (size_t i = 0; i < len; i++)
        ids[i] = (size_t)(word[i] - 'a');
    assert_int_equal(n, plain_merge(rules, ids, len));
    for (size_t i = 0, at = 0; i < n; i++) {
        assert_int_equal(found[i].id, ids[i]);
        assert_int_equal(found[i].begin, at);
        at += strlen(rules->texts[ids[i]]);
        assert_int_equal(found[i].end, at);
    }
}

TEST(plain_twin)
{
    char word[64];
    for (int round = 0; round < 200; round++) {
        struct rules rules;
        make_rules(&rules);
        open_rules(&rules);
        for (int i = 0; i < 40; i++) {
            const size_t len = 1 + random_below(sizeof word - 1);
            for (size_t k = 0; k < len; k++)
                word[k] = (char)('a' + random_below(LETTERS));
            check_word(&rules, word, len);
        }
    }
}

/* Longer than what is merged at a time, of chance and of few letters in a row. */
TEST(long_words)
{
    static char word[N_WORD];
    for (size_t letters = 1; letters <= LETTERS; letters++) {
        struct rules rules;
        make_rules(&rules);
        open_rules(&rules);
        for (size_t k = 0; k < N_WORD; k++)
            word[k] = (char)('a' + (letters == 2 ? k % 2 : random_below(letters)));
        check_word(&rules, word, N_WORD);
    }
}

/* By their own texts: with blanks before words, and with bytes as characters. */
TEST(pieces_of_words)
{
    static const char *const words[] = {"\xC4\xA0go", "ing",   "!",        "\xC3\xA9", "\xC4\x8A",
                                        "1",          "##ing", "\xC4\xA1", "\u2581go"};
    static const bool goes_on[] = {false, true, false, true, false, true, false, true, true};
    static const bool is_letter[] = {true, true, false, true, true, true, false, true, false};
    struct fixture f = fixture_new(words, 9, 1, SETTINGS("kind", "words", "unknown", "0"));
    assert_false(tokenizer_continues_word(&f.tokenizer, 1)); /* each token is a word */
    f.tokenizer.kind = TOKENIZER_BPE;
    f.tokenizer.bpe.byte_level = true;
    f.tokenizer.prefix.len = 0;
    assert_false(tokenizer_continues_word(&f.tokenizer, 9)); /* no token */
    for (int32_t id = 0; id < 9; id++)
        assert_int_equal(tokenizer_continues_word(&f.tokenizer, id), goes_on[id]);
    f.tokenizer.bpe.byte_level = false;
    for (int32_t id = 0; id < 9; id++)
        assert_int_equal(tokenizer_continues_word(&f.tokenizer, id), is_letter[id]);
    f.tokenizer.bpe.suffix =
        (struct text_view){"</w>", 4}; /* where words end, not where they begin */
    assert_false(tokenizer_continues_word(&f.tokenizer, 1));
    f.tokenizer.prefix.len = 2; /* ## */
    assert_false(tokenizer_continues_word(&f.tokenizer, 1));
    assert_true(tokenizer_continues_word(&f.tokenizer, 6));
    f.tokenizer.kind = TOKENIZER_WORDPIECE;
    assert_true(tokenizer_continues_word(&f.tokenizer, 6));
    f.tokenizer.prefix.len = 0;
    assert_false(tokenizer_continues_word(&f.tokenizer, 6));
    f.tokenizer.kind = TOKENIZER_UNIGRAM;
    assert_false(tokenizer_continues_word(&f.tokenizer, 1));
    f.tokenizer.splitter.metaspace = METASPACE_ALWAYS;
    assert_true(tokenizer_continues_word(&f.tokenizer, 1));
    assert_false(tokenizer_continues_word(&f.tokenizer, 8));
}

/* Sections that are not made: of another length, and of merges that name no token. */
TEST(refused_merges)
{
    static const struct merge bad[] = {{.left = 9}, {.right = 9}, {.id = 9}};
    const struct merge_affixes affixes = {{"", 0}, {"", 0}};
    struct rules rules;
    make_rules(&rules);
    open_rules(&rules);
    const struct vocabulary *vocabulary = &rules.fixture.tokenizer.vocabulary;
    const size_t len = merges_bytes(1, vocabulary->n);
    char *section = new_bytes(len), *memory = new_bytes(merges_build_bytes(vocabulary));
    size_t which;
    for (size_t i = 0; i < 3; i++) {
        struct merge merge = bad[i];
        merge.left += merge.left > 0 ? vocabulary->n : 0;
        merge.right += merge.right > 0 ? vocabulary->n : 0;
        merge.id += merge.id > 0 ? vocabulary->n : 0;
        assert_string_equal(
            merges_build(section, len, &merge, 1, vocabulary, &affixes, memory, &which),
            "a merge names a token that is not in the vocabulary");
        assert_int_equal(which, 0);
    }
    assert_string_equal(
        merges_build(section, len - 4, bad, 1, vocabulary, &affixes, memory, &which),
        "the section does not have the length that merges_bytes returned");
    assert_string_equal(merges_build(section, 0, bad, 1, vocabulary, &affixes, memory, &which),
                        "the section does not have the length that merges_bytes returned");
    assert_int_equal(merges_bytes(SIZE_MAX, vocabulary->n), 0);
}

/* A token is made whole only if the merges of its characters give this token, and not another. */
TEST(merges_that_make_another_token)
{
    static const char *const words[] = {"a", "b", "ab", "c"};
    const struct merge_affixes affixes = {{"", 0}, {"", 0}};
    struct fixture f = fixture_new(words, 4, 1, SETTINGS("kind", "words", "unknown", "0"));
    const struct vocabulary *vocabulary = &f.tokenizer.vocabulary;
    const size_t len = merges_bytes(1, vocabulary->n);
    char *section = new_bytes(len), *memory = new_bytes(merges_build_bytes(vocabulary));
    size_t which;
    for (uint32_t id = 2; id < 4; id++) {
        const struct merge merge = {.left = 0, .right = 1, .id = id};
        struct merges merges;
        assert_null(merges_build(section, len, &merge, 1, vocabulary, &affixes, memory, &which));
        assert_null(merges_view(&merges, section, len, vocabulary->n));
        assert_int_equal(merges_make_whole(&merges, 2), id == 2);
    }
}

TEST(damaged_sections)
{
    uint32_t section[4 + 4 * 2 + 1] = {1, 2, 5, 0, 0, 0, 1, 9};
    struct merges merges;
    assert_null(merges_view(&merges, section, sizeof section, 5));
    assert_null(merges_find(&merges, 0, 0)); /* makes an id that is not there */
    section[8] = section[9] = 3;
    section[10] = 1; /* no slot is free: the search ends all the same */
    assert_null(merges_find(&merges, 1, 1));
    assert_non_null(merges_view(&merges, section, sizeof section - 4, 5));
    assert_non_null(merges_view(&merges, section, 12, 5));
    assert_non_null(merges_view(&merges, NULL, 0, 5));
    assert_non_null(merges_view(&merges, section, sizeof section, 4));
    assert_non_null(merges_view(&merges, (char *)section + 4, sizeof section - 4, 5));
    section[1] = 3;
    assert_non_null(merges_view(&merges, section, sizeof section, 5));
    section[1] = 1;
    assert_non_null(merges_view(&merges, section, sizeof section, 5));
}
