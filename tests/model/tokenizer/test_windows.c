/* tags: sizes */
/* Windows over tokens that are made here, with and without whole words: what every window must be,
 * for each of many lists of tokens, rooms and strides. */
#include "tests/model/tokenizer/tokenizer_fixture.h"
#include "tests/support.h"

#include "model/tokenizer/tokens.h"

enum { MOST = 64, WORD = 0, GOES_ON = 1 };

static const char *const PIECES[] = {"bike", "##s"};
static struct fixture f;

SET_UP()
{
    f = fixture_new(
        PIECES, 2, 0,
        SETTINGS("kind", "wordpiece", "splitter", "blanks", "prefix", "##", "unknown", "0"));
}

/* Words of 1 to 5 pieces of a byte each, with a blank before each word. */
static size_t make_tokens(uint64_t *state, engine_token *made, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        bool goes_on = i > 0 && support_below(state, 3) > 0;
        at += goes_on ? 0 : 1;
        made[i] = (engine_token){.id = goes_on ? GOES_ON : WORD, .begin = at, .end = at + 1};
        at++;
    }
    return at;
}

/* Returns whether a word begins at an index after `least`, up to `most`. */
static bool has_begin(const engine_token *made, size_t least, size_t most)
{
    for (size_t i = least + 1; i <= most; i++)
        if (made[i].id == WORD)
            return true;
    return false;
}

/* Returns where the next window has to begin at the latest. */
static size_t check_window(const struct windows *windows, const engine_window *window, size_t last)
{
    const engine_token *made = windows->tokens;
    size_t end = window->first + window->n, next = end;
    assert_true(window->n > 0 && window->n <= windows->room);
    assert_int_equal(window->begin, made[window->first].begin);
    assert_int_equal(window->end, made[end - 1].end);
    if (!windows->whole_words)
        assert_true(end == windows->n || window->n == windows->room);
    else if (end < windows->n && made[end].id != WORD) /* within a word: no other end is possible */
        assert_false(
            has_begin(made, window->first + windows->stride, window->first + windows->room));
    if (windows->whole_words && window->first > 0 && made[window->first].id != WORD)
        assert_false(has_begin(made, last, window->first));
    return next;
}

static void check_windows(struct windows *windows, size_t most)
{
    engine_window window;
    size_t last = 0, latest = 0, n = 0;
    windows_begin(windows, ENGINE_TRUNCATE_LONGEST_FIRST, most);
    assert_int_equal(windows->room, most);
    while (windows_next(windows, &window)) {
        assert_true(n == 0 ? window.first == 0 : window.first > last);
        assert_true(n == 0 || window.first + windows->stride <= latest);
        if (n > 0 && !windows->whole_words)
            assert_int_equal(window.first, latest - windows->stride);
        latest = check_window(windows, &window, last);
        last = window.first;
        n++;
    }
    assert_int_equal(latest, windows->n);
    assert_false(windows_next(windows, &window));
}

TEST(every_window)
{
    engine_token made[MOST];
    uint64_t state = 5;
    for (size_t round = 0; round < 400; round++) {
        size_t n = 1 + support_below(&state, MOST), room = 1 + support_below(&state, 9);
        make_tokens(&state, made, n);
        for (size_t stride = 0; stride < room; stride++)
            for (int whole = 0; whole < 2; whole++)
                check_windows(&(struct windows){.tokenizer = &f.tokenizer,
                                                .tokens = made,
                                                .n_tokens = n,
                                                .stride = stride,
                                                .whole_words = whole != 0},
                              room);
    }
}

/* Between words: after a blank near the end, also one that is in a byte-level token; else before a
 * full stop; never within a character, whose pieces have one span. */
TEST(where_words_end)
{
    static const char *const pieces[] = {"a", ".", "\xC4\xA0"}; /* U+0120 */
    enum { A, STOP, BLANK };
    struct fixture level = fixture_new(pieces, 3, 0, SETTINGS("kind", "wordpiece", "unknown", "0"));
    engine_token made[32];
    engine_window window;
    struct windows windows = {
        .tokenizer = &level.tokenizer, .tokens = made, .n_tokens = 32, .whole_words = true};
    for (size_t i = 0; i < 32; i++)
        made[i] = (engine_token){.id = i == 15 ? STOP : A, .begin = i, .end = i + 1};
    level.tokenizer.kind = TOKENIZER_BPE;
    level.tokenizer.bpe.byte_level = true;
    level.tokenizer.prefix.len = 0;
    made[14].id = BLANK;
    windows_begin(&windows, ENGINE_TRUNCATE_LONGEST_FIRST, 16);
    assert_true(windows_next(&windows, &window) && window.n == 14); /* not before the stop, 15 */
    made[14].id = A;
    made[13].id = BLANK;
    windows_begin(&windows, ENGINE_TRUNCATE_LONGEST_FIRST, 16);
    assert_true(windows_next(&windows, &window) && window.n == 15); /* the blank is too far */
    made[16] = made[15] = (engine_token){.id = STOP, .begin = 15, .end = 17};
    windows_begin(&windows, ENGINE_TRUNCATE_LONGEST_FIRST, 16);
    assert_true(windows_next(&windows, &window) && window.n == 15);
}

/* A word that is left alone shares half a window with the one before, if words are kept whole. */
TEST(last_window)
{
    engine_token made[11];
    engine_window window;
    for (size_t i = 0; i < 11; i++)
        made[i] = (engine_token){.id = WORD, .begin = 2 * i + 1, .end = 2 * i + 2};
    struct windows windows = {.tokenizer = &f.tokenizer, .tokens = made, .n_tokens = 11};
    for (int whole = 0; whole < 2; whole++) {
        windows.whole_words = whole != 0;
        windows_begin(&windows, ENGINE_TRUNCATE_LONGEST_FIRST, 10);
        assert_true(windows_next(&windows, &window) && window.n == 10);
        assert_true(windows_next(&windows, &window));
        assert_int_equal(window.first, whole ? 6 : 10);
        assert_false(windows_next(&windows, &window));
    }
}

/* The text that goes in windows: the longer one, or the one that is asked for. */
TEST(which_text_is_cut)
{
    engine_token made[6] = {{.special = 1},
                            {.begin = 0, .end = 1},
                            {.begin = 0, .end = 1, .in_pair = 1},
                            {.begin = 2, .end = 3, .in_pair = 1},
                            {.special = 1},
                            {.in_prompt = 1}};
    struct windows windows = {.tokenizer = &f.tokenizer, .tokens = made, .n_tokens = 6};
    windows_begin(&windows, ENGINE_TRUNCATE_LONGEST_FIRST, 5);
    assert_true(windows.in_pair && windows.first == 2 && windows.n == 2 && windows.room == 1);
    windows_begin(&windows, ENGINE_TRUNCATE_ONLY_FIRST, 6);
    assert_true(!windows.in_pair && windows.first == 1 && windows.n == 1 && windows.room == 1);
    windows_begin(&windows, ENGINE_TRUNCATE_ONLY_SECOND, 4);
    assert_true(windows.in_pair && windows.first == 2 && windows.n == 2 && windows.room == 0);
    windows.n_tokens = 3;
    windows_begin(&windows, ENGINE_TRUNCATE_ONLY_SECOND, 4);
    assert_true(windows.in_pair && windows.first == 2 && windows.n == 1 && windows.room == 2);
    windows.n_tokens = 2; /* without a second text the first one is cut */
    windows_begin(&windows, ENGINE_TRUNCATE_ONLY_SECOND, 4);
    assert_true(!windows.in_pair && windows.first == 1 && windows.n == 1 && windows.room == 3);
    windows.n_tokens = 1;
    windows_begin(&windows, ENGINE_TRUNCATE_LONGEST_FIRST, 4);
    assert_true(!windows.in_pair && windows.first == 1 && windows.n == 0 && windows.room == 3);
}
