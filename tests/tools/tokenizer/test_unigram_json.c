/* What a tokenizer.json says of Unigram and its steps that is not so, or not known: refused, by its
 * name. */
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
    import_tokenizer_free(&tokenizer);
    assert_false(is_right);
    if (strstr(problem.text, words) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", text, problem.text, words);
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
