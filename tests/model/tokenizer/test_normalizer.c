/* tags: sizes aarch64 */
/* Unicode data, normal forms and the steps of the normalizer: normal forms against utf8proc's own
 * on whole texts, the rest against expectations written down. */
#include "model/tokenizer/normalizer.h"
#include "model/unicode/unicode.h"
#include "tests/support.h"
#include "tools/writer/tokenizer/tokenizer_draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { MOST = 8192 };

struct output {
    struct normal_char chars[MOST];
    size_t n;
};

static void take(void *user, struct normal_char c)
{
    struct output *output = user;
    assert_true(output->n < MOST);
    output->chars[output->n++] = c;
}

/* A map of characters for the step charsmap: U+0001 is dropped, TAB and U+00A0 are a blank, U+FB01
 * is fi, A is a, e with U+0301 is U+00E9. */
static const struct charsmap *small_map(void)
{
    static const char *const keys[] = {"\x01", "\t", "\u00A0", "\uFB01", "A", "e\u0301"};
    static const size_t lens[] = {1, 1, 2, 3, 1, 3};
    static const size_t values[] = {0, 1, 1, 3, 6, 8}; /* in the strings */
    static const char strings[] = "\0 \0fi\0a\0\u00E9";
    static uint32_t section[1024];
    static struct charsmap map;
    size_t n_units;
    if (map.strings != NULL)
        return &map;
    uint32_t *units = trie_write(keys, lens, 6, &n_units); /* the numbers are those of the keys */
    assert_true(4 * (n_units + 1) + sizeof strings <= sizeof section);
    for (size_t i = 0; i < n_units; i++)
        if (units[i] >> 31 && units[i] != UINT32_C(1) << 31)
            units[i] = UINT32_C(1) << 31 | (uint32_t)values[units[i] & 7];
    section[0] = (uint32_t)(4 * n_units);
    memcpy(section + 1, units, 4 * n_units);
    memcpy(section + 1 + n_units, strings, sizeof strings);
    free(units);
    assert_null(charsmap_view(&map, section, 4 * (n_units + 1) + sizeof strings));
    return &map;
}

static struct normalizer_plan plan_of(const char *steps)
{
    struct normalizer_plan plan;
    assert_true(normalizer_parse(&plan, (struct text_view){steps, strlen(steps)}));
    plan.charsmap = *small_map();
    return plan;
}

static void normalize(const char *steps, const char *text, size_t len, struct output *output)
{
    const struct normalizer_plan plan = plan_of(steps);
    struct normalizer normalizer;
    struct arena arena = {0};
    output->n = 0;
    do
        normalizer_carve(&normalizer, &plan, take, output, &arena);
    while (arena_allocate(&arena));
    assert_non_null(arena.base);
    normalizer.meter = &(struct meter){.left = SIZE_MAX};
    normalizer_begin(&normalizer, 0);
    for (size_t at = 0; at < len;) {
        const struct utf8_char c = utf8_decode(text + at, len - at);
        normalizer_add(&normalizer, 0, (struct normal_char){c.code, at, at + c.len});
        at += c.len;
    }
    normalizer_empty(&normalizer, true);
    free(arena.base);
}

/* "code(begin,end) ..." */
static const char *shown(const char *steps, const char *text, size_t len)
{
    static struct output output;
    static char line[4096];
    size_t n = 0;
    normalize(steps, text, len, &output);
    line[0] = '\0';
    for (size_t i = 0; i < output.n; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%X(%zu,%zu)", i > 0 ? " " : "",
                              (unsigned)output.chars[i].code, output.chars[i].begin,
                              output.chars[i].end);
    return line;
}

#define assert_normalized(steps, text, expected)                                                   \
    assert_string_equal(shown(steps, text, sizeof(text) - 1), expected)

TEST(lists)
{
    struct normalizer_plan plan;
    char bad[] =
        "x|clean,nfd|Clean|clean nf|clean  nfdx|charsmap:x|replace:a|replace::b|replace:%2:b|"
        "replace:%FF:b|replace_runs:a:b|replace_runs:0:a:b|replace_runs:2:ab:c|"
        "replace_runs:8:a:b|replace_runs:2:%4:b|replace:%G0:b|replace:%2G:b|replace:a:%FF|"
        "prepend:123456789012345678901234567890123|replace:123456789:a|prepend:123456789|"
        "nmt:x|charsmap charsmap";
    for (char *list = strtok(bad, "|"); list != NULL; list = strtok(NULL, "|"))
        assert_false(normalizer_parse(&plan, (struct text_view){list, strlen(list)}));
    assert_true(normalizer_parse(&plan, (struct text_view){"", 0}));
    assert_int_equal(plan.n, 0);
    assert_true(normalizer_parse(&plan, (struct text_view){"  clean   strip_end ", 20}));
    assert_int_equal(plan.n, 2);
    char many[65 * 6 + 1] = "";
    for (int i = 0; i < 65; i++)
        memcpy(many + 6 * i, "lower ", 7);
    assert_true(normalizer_parse(&plan, (struct text_view){many, 64 * 6}));
    assert_false(normalizer_parse(&plan, (struct text_view){many, 65 * 6}));
}

TEST(steps)
{
    assert_normalized("", "aB\u00E9", "61(0,1) 42(1,2) E9(2,4)");
    assert_normalized("clean", "a\0\t\x0B\x1F\x7F\u00A0\u00AD\uFFFD\xFF\u200D\uE000z",
                      "61(0,1) 20(2,3) 20(6,8) 7A(20,21)");
    assert_normalized("clean", "\u0378\u0890",
                      "378(0,2) 890(2,5)"); /* unassigned; assigned later */
    assert_normalized("space_cjk", "a\u65E5\u3042", "61(0,1) 20(1,4) 65E5(1,4) 20(1,4) 3042(4,7)");
    assert_normalized("lower", "A\u0130\u03A3\u00DF", "61(0,1) 69(1,3) 307(1,3) 3C3(3,5) DF(5,7)");
    assert_normalized("nfd drop_nonspacing", "\u00E9 \u0903\u0301", "65(0,2) 20(2,3) 903(3,6)");
    assert_normalized("drop_marks", "e\u0301\u0903\u20DD", "65(0,1)");
    assert_normalized("nmt", "a\x01\t\u2581\x7F", "61(0,1) 20(2,3) 20(3,6)");
    assert_normalized("nmt", "\u00AD\uFEFF\xC2\x8F", "AD(0,2) 20(2,5)");
    assert_normalized("nmt", "A\0", "41(0,1) 0(1,2)");
    assert_normalized("nmt", "\xC2\x9F\f\r\u1680\u200A\u200B\u200F\u2010",
                      "20(2,3) 20(3,4) 20(4,7) 200A(7,10) 20(10,13) 20(13,16) 2010(16,19)");
    assert_normalized("nmt", "\u2028\u2029\uFFFD", "20(0,3) 20(3,6) 20(6,9)");
    assert_normalized("prepend:%E2%96%81x", "ab", "2581(0,1) 78(0,1) 61(0,1) 62(1,2)");
    assert_normalized("prepend:x", "", "");
    assert_normalized("replace:aab:%20%3A", "aaabaab", "61(0,1) 20(3,4) 3A(3,4) 20(6,7) 3A(6,7)");
    assert_normalized("replace:aa:", "aaab", "61(2,3) 62(3,4)");
    assert_normalized("replace_runs:2:%20:%E2%96%81", "a   b c  ",
                      "61(0,1) 2581(3,4) 62(4,5) 20(5,6) 63(6,7) 2581(8,9)");
    assert_normalized("replace_blanks:1:x", " \t\u00A0y", "78(2,4) 79(4,5)");
    assert_normalized("strip_start", " \t a b ", "61(3,4) 20(4,5) 62(5,6) 20(6,7)");
    assert_normalized("strip_end", " a b \u3000", "20(0,1) 61(1,2) 20(2,3) 62(3,4)");
    assert_normalized("strip_start strip_end", " \u00A0 ", "");
    assert_normalized("strip_end lower", "A  B", "61(0,1) 20(1,2) 20(2,3) 62(3,4)");
}

/* More blanks than strip_end can hold: the first ones and the last one are kept, or none. */
TEST(more_blanks_than_are_held)
{
    static struct output output;
    char text[NORMALIZER_BLANKS + 10];
    memset(text, ' ', sizeof text);
    normalize("strip_end", text, sizeof text, &output);
    assert_int_equal(output.n, 0);
    text[sizeof text - 1] = 'x';
    normalize("strip_end", text, sizeof text, &output);
    assert_int_equal(output.n, NORMALIZER_BLANKS + 1);
    assert_int_equal(output.chars[NORMALIZER_BLANKS - 2].begin, NORMALIZER_BLANKS - 2);
    assert_int_equal(output.chars[NORMALIZER_BLANKS - 1].begin, sizeof text - 2);
    assert_int_equal(output.chars[NORMALIZER_BLANKS].code, 'x');
}

static bool is_spaced(uint32_t code)
{
    static struct output output;
    char text[UTF8_BYTES];
    normalize("space_cjk", text, utf8_encode(code, text), &output);
    return output.n == 3;
}

/* The blocks of CJK ideographs that BERT's code names, and no character outside them. */
TEST(cjk_blocks)
{
    static const uint32_t blocks[][2] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                         {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F},
                                         {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
    enum { N = sizeof blocks / sizeof blocks[0] };
    for (size_t i = 0; i < N; i++) {
        bool follows = i > 0 && blocks[i - 1][1] + 1 == blocks[i][0];
        bool goes_on = i + 1 < N && blocks[i][1] + 1 == blocks[i + 1][0];
        assert_true(is_spaced(blocks[i][0]) && is_spaced(blocks[i][1]));
        assert_int_equal(is_spaced(blocks[i][0] - 1), follows);
        assert_int_equal(is_spaced(blocks[i][1] + 1), goes_on);
    }
    assert_false(is_spaced('a') || is_spaced(0xAC00) || is_spaced(0x10FFFF));
}

/* Spans stay where they were when marks are reordered; a composite has the span of its first
 * character. */
TEST(spans)
{
    assert_normalized("nfd", "\u00E9\u0323", "65(0,2) 323(2,4) 301(2,4)");
    assert_normalized("nfd", "e\u0301\u0323", "65(0,1) 323(1,3) 301(3,5)");
    assert_normalized("nfc", "e\u0301x", "E9(0,1) 78(3,4)");
    assert_normalized("nfc", "\u00E9x", "E9(0,2) 78(2,3)");
    assert_normalized("nfc", "e\u0331\u0301", "E9(0,1) 331(3,5)");
    assert_normalized("nfc", "\u1100\u1161\u11A8", "AC01(0,3)");
    assert_normalized("nfc", "\uAC00\u11A7", "AC00(0,3) 11A7(3,6)");
    assert_normalized("nfkc", "\uAC00\u11A8", "AC01(0,3)");
    assert_normalized("nfc", "\uAC00\u11C3", "AC00(0,3) 11C3(3,6)");
    assert_normalized("nfkc", "\uFB01\u00BD", "66(0,3) 69(0,3) 31(3,5) 2044(3,5) 32(3,5)");
    assert_normalized("nfd", "\u0301\u0323", "323(0,2) 301(2,4)");
    assert_normalized("nfc", "\u0958", "915(0,3) 93C(0,3)"); /* a composition exclusion */
}

/* Characters that Unicode changed after the reference's versions. */
TEST(exceptions)
{
    uint32_t codes[UNICODE_DECOMPOSED];
    assert_true(unicode_properties(0x166D) & UNICODE_PUNCTUATION);
    assert_false(unicode_properties(0x61D) & UNICODE_PUNCTUATION);
    assert_true(unicode_properties(0x1CF2) & UNICODE_MARK);
    assert_false(unicode_properties(0x7FD) & UNICODE_NONSPACING);
    assert_true(unicode_properties(0x24B6) & UNICODE_WORD);
    assert_true(unicode_properties(0x16D70) & UNICODE_NUMBER);
    assert_int_equal(unicode_combining_class(0x7FD), 0);
    assert_int_equal(unicode_combining_class(0x301), 230);
    assert_int_equal(unicode_lower(0x1C89, codes), 1);
    assert_int_equal(codes[0], 0x1C8A);
    assert_int_equal(unicode_decompose(0x11938, false, codes), 1);
    assert_int_equal(unicode_compose(0x11935, 0x11930), 0);
    assert_int_equal(unicode_compose('e', 0x301), 0xE9);
    assert_int_equal(unicode_decompose(0x32FF, true, codes), 1);
    for (uint32_t c = 0x21; c < 0x7F; c++)
        assert_int_equal((unicode_properties(c) & UNICODE_PUNCTUATION) != 0,
                         strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", (int)c) != NULL);
}

/* ---- Normal forms ---- */

static const uint32_t LETTERS[] = {'a',    'e',     0xE9,   0x301,  0x323, 0x315,  0x334,  0x307,
                                   0x345,  0x300,   0x344,  0xF73,  0xF71, 0xF72,  0x1100, 0x1161,
                                   0x11A8, 0xAC00,  0xAC01, 0x212B, 0xC5,  0x1E9B, 0xB47,  0xB56,
                                   0xB3E,  0x9C7,   0x9BE,  0x1F82, 0x958, 0x93C,  0xFB01, 0x2460,
                                   0xFDFA, 0x1D15E, 0xFF21, 0xBD,   ' '};

TEST(forms)
{
    static struct output output;
    static const struct {
        const char *step;
        utf8proc_option_t options;
    } kinds[] = {
        {"nfd", UTF8PROC_STABLE | UTF8PROC_DECOMPOSE},
        {"nfc", UTF8PROC_STABLE | UTF8PROC_COMPOSE},
        {"nfkd", UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT},
        {"nfkc", UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT},
    };
    uint64_t random = 1;
    for (int round = 0; round < 20000; round++) {
        char text[64];
        size_t len = 0;
        for (size_t n = support_below(&random, 15); n > 0; n--)
            len += utf8_encode(LETTERS[support_below(&random, sizeof LETTERS / sizeof *LETTERS)],
                               text + len);
        const size_t kind = support_below(&random, 4);
        utf8proc_uint8_t *expected = NULL;
        const utf8proc_ssize_t n_expected = utf8proc_map(
            (const utf8proc_uint8_t *)text, (utf8proc_ssize_t)len, &expected, kinds[kind].options);
        assert_true(n_expected >= 0);
        normalize(kinds[kind].step, text, len, &output);
        char found[MOST];
        size_t n = 0;
        for (size_t i = 0; i < output.n; i++) {
            n += utf8_encode(output.chars[i].code, found + n);
            assert_true(i == 0 || output.chars[i].begin >= output.chars[i - 1].begin);
            assert_true(output.chars[i].end <= len);
        }
        assert_int_equal(n, n_expected);
        assert_memory_equal(found, expected, n);
        free(expected);
    }
}

/* More marks than are put in order at a time: none is lost. */
TEST(many_marks)
{
    static struct output output;
    static const char *const kinds[] = {"nfd", "nfc", "nfkc nfd"};
    enum { MARKS = 2000 };
    char text[1 + 2 * MARKS] = "e";
    for (size_t i = 0; i < MARKS; i++)
        memcpy(text + 1 + 2 * i, i % 2 == 0 ? "\u0315" : "\u0323", 2);
    for (size_t kind = 0; kind < 3; kind++) {
        size_t n_315 = 0, n_323 = 0;
        normalize(kinds[kind], text, sizeof text, &output);
        for (size_t i = 0; i < output.n; i++) {
            n_315 += output.chars[i].code == 0x315;
            n_323 += output.chars[i].code == 0x323;
        }
        assert_int_equal(n_315, MARKS / 2);
        assert_true(n_323 == MARKS / 2 ||
                    (n_323 == MARKS / 2 - 1 && output.chars[0].code == 0x1EB9));
    }
}

/* As the reference does it: a cluster of fewer than 6 bytes is replaced whole by what it begins
 * with; what is dropped at the start moves all spans, elsewhere none. */
TEST(charsmap)
{
    assert_normalized("charsmap", "xAy\t", "78(0,1) 61(1,2) 79(2,3) 20(3,4)");
    assert_normalized("charsmap", "x\x01y", "78(0,1) 79(2,3)");
    assert_normalized("charsmap", "\x01xyz", "78(0,1) 79(1,2) 7A(2,3)");
    assert_normalized("charsmap", "\uFB01x", "66(0,3) 69(0,3) 78(3,4)");
    assert_normalized("charsmap", "\uFB01\x01x", "66(0,3) 69(3,4) 78(4,5)");
    assert_normalized("charsmap", "e\u0301x", "E9(0,1) 78(3,4)");
    assert_normalized("charsmap", "A\u0301x", "61(0,1) 78(3,4)"); /* 3 bytes */
    assert_normalized("charsmap", "A\u0301\u0301\u0301x",
                      "61(0,1) 301(1,3) 301(3,5) 301(5,7) 78(7,8)"); /* 7 bytes */
    assert_normalized("charsmap", "A\u0897", "61(0,1)");             /* U+0897, of Unicode 16 */
    assert_normalized("charsmap lower", "\u00A0\u0301B", "20(0,2) 62(4,5)");
    assert_normalized("charsmap", "\x01", "");
}

/* Texts of the map that do not end in it, or do not begin there. */
TEST(damaged_charsmap)
{
    uint32_t section[4] = {4, 0, 0, 0};
    struct charsmap map;
    assert_null(charsmap_view(&map, section, sizeof section));
    assert_string_equal(charsmap_view(&map, section, 3),
                        "the section is shorter than its header of 4 bytes");
    section[0] = 5;
    assert_string_equal(charsmap_view(&map, section, sizeof section),
                        "the trie exceeds the section");
    section[0] = 16;
    assert_string_equal(charsmap_view(&map, section, sizeof section),
                        "the trie exceeds the section");
    struct charsmap cut = *small_map();
    size_t n = 0;
    cut.n_strings = 9; /* within U+00E9, the text of e with U+0301 */
    assert_ptr_equal(charsmap_find(&cut, "e\u0301", 3, &n), cut.strings + 8);
    assert_int_equal(n, 1);
    cut.n_strings = 8;
    assert_null(charsmap_find(&cut, "e\u0301", 3, &n));
}

/* normalizer_ascii decides for one character as the steps do for the character among others. */
TEST(ascii)
{
    static const char *const lists_of_steps[] = {
        "",
        "clean",
        "nfkd",
        "lower clean",
        "nfc",
        "charsmap",
        "nfd drop_marks",
        "strip_start strip_end",
        "lower replace:x: nfc",
        "replace:q:\u0301 nfc",
        "clean space_cjk nfd drop_nonspacing lower",
        "nmt replace:q%20:ab replace_runs:2:z: prepend:ab"};
    static struct output output;
    for (size_t i = 0; i < sizeof lists_of_steps / sizeof *lists_of_steps; i++) {
        const struct normalizer_plan plan = plan_of(lists_of_steps[i]);
        size_t n_decided = 0;
        for (unsigned byte = 0; byte < 256; byte++) {
            bool drops;
            const uint8_t value = normalizer_ascii(&plan, (uint8_t)byte, &drops);
            const char text[5] = {'a', 'a', (char)byte, 'y', 'y'};
            normalize(lists_of_steps[i], text, 5, &output);
            if (byte < 0x80 && output.n < 5 && strcmp(lists_of_steps[i], "charsmap") != 0)
                assert_true(drops);
            if (value == 0)
                continue;
            assert_false(drops);
            n_decided++;
            assert_int_equal(output.chars[output.n - 3].code, value);
            assert_int_equal(output.chars[output.n - 3].begin, 2);
        }
        assert_true(n_decided > 80);
    }
}
