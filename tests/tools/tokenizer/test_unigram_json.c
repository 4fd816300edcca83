/* What a tokenizer.json says of Unigram and its steps that is not so, or not known: refused, by its
 * name. Scores: as the reference reads them. */
#include "tests/support.h"
#include "tests/tools/import/refusals.h"
#include "tools/import/tokenizer/tokenizer_file.h"

#include <stdio.h>
#include <string.h>

static void refused(const char *text, const char *words)
{
    static struct import_tokenizer tokenizer;
    static bool is_right;
    READ_OR_REFUSE(&is_right,
                   import_tokenizer_parse(&tokenizer, "tokenizer.json", text, strlen(text)));
    import_free();
    assert_false(is_right);
    if (strstr(program_words, words) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", text, program_words, words);
}

TEST(refused_parts)
{
    static const char *const cases[][2] = {
        {"\"normalizer\": {\"type\": \"Replace\", \"pattern\": {\"Regex\": \"a|b\"}, "
         "\"content\": \"\"}",
         "regular expression of the normalizer Replace is 'a|b'; expected one of ' {2,}'"},
        {"\"normalizer\": {\"type\": \"Replace\", \"pattern\": {}, \"content\": \"\"}",
         "'pattern'"},
        {"\"normalizer\": {\"type\": \"Replace\", \"pattern\": {\"String\": \"a\"}, "
         "\"content\": \"123456789\"}",
         "'123456789'; expected at most 8 characters"},
        {"\"normalizer\": {\"type\": \"Precompiled\", \"precompiled_charsmap\": \"AAA.\"}",
         "not in base64"},
        {"\"normalizer\": {\"type\": \"Precompiled\", \"precompiled_charsmap\": \"BAAAAA==\"}",
         "charsmap is damaged"},
        {"\"pre_tokenizer\": {\"type\": \"Metaspace\", \"prepend_scheme\": \"last\"}", "'last'"},
        {"\"pre_tokenizer\": {\"type\": \"Metaspace\", \"add_prefix_space\": false}",
         "without add_prefix_space is 'always'; expected never"},
        {"\"pre_tokenizer\": {\"type\": \"Metaspace\", \"replacement\": \"ab\"}", "'ab'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{%s, \"model\": {\"type\": \"Unigram\", \"vocab\": [[\"a\", 0]], \"unk_id\": 0}}",
                 cases[i][0]);
        refused(text, cases[i][1]);
    }
}

TEST(refused_models)
{
    static const char *const cases[][2] = {
        {"{\"model\": {\"type\": \"Unigram\", \"vocab\": {}, \"unk_id\": 0}}",
         "'vocab' is an object"},
        {"{\"model\": {\"type\": \"Unigram\", \"vocab\": [[\"a\"]], \"unk_id\": 0}}",
         "piece 0 is not [text, score]"},
        {"{\"model\": {\"type\": \"Unigram\", \"vocab\": [[\"a\", 0], [\"a\", 0]], \"unk_id\": 0}}",
         "'a' is there twice"},
        {"{\"model\": {\"type\": \"Unigram\", \"vocab\": [[\"<0x00>\", 0]], \"unk_id\": 0, "
         "\"byte_fallback\": true}}",
         "tokens <0x00> ... of 1 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(cases[i][0], cases[i][1]);
}

/* Scores as tokenizers 0.23.3 read them: one step off strtod's, but for the last three. */
TEST(scores)
{
    static const char text[] =
        "{\"model\": {\"type\": \"Unigram\", \"unk_id\": 0, \"vocab\": [[\"\\\"9e-301\", "
        "-3.4473929405212402], [\"b\", 9.806641173781827e-06], [\"c\", 9e-301], "
        "[\"d\", 606166853147800.70848], [\"e\", -3.58E+41], [\"f\", 1844674407370955161699.75], "
        "[\"g\", 0.1844674407370955161699e1], [\"h\", -13.5], [\"i\", 7], [\"j\", 1e-9999]]}}";
    static const double expected[] = {-0x1.b9442bfffffffp+1,
                                      0x1.490e680000001p-17,
                                      0x1.34982fc46749cp-997,
                                      0x1.13a71bfa6e4c5p+49,
                                      -0x1.07045100947d2p+138,
                                      0x1.9000000000000p+70,
                                      0x1.d83c94fb6d2adp+0,
                                      -13.5,
                                      7,
                                      0};
    double found[10];
    static struct import_tokenizer tokenizer;
    READ_OR_FAIL(import_tokenizer_parse(&tokenizer, "tokenizer.json", text, sizeof text - 1));
    assert_string_equal(tokenizer.draft.sections[0].tag, "PIEC");
    memcpy(found, (const char *)tokenizer.draft.sections[0].data + 24, sizeof found);
    for (size_t i = 0; i < 10; i++)
        assert_true(found[i] == expected[i]);
    assert_memory_equal(tokenizer.draft.words.texts[0], "\"9e-301", 7);
    import_free();
}
