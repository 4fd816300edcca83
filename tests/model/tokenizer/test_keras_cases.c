/* tags: no-asan no-coverage */
/* Every case of ../shared/tokenizers/cases/keras, which Keras itself answered, with the
 * Tokenizer.to_json() file that it was answered with. All ids must be equal, and every span must
 * hold its token's text.
 *
 * Guarantee: 33,270 texts have the ids that Keras gives (../shared). */
#include "tests/model/tokenizer/tokenizer_cases.h"
#include "tests/support.h"

#include "model/unicode/unicode.h"

#include <stdio.h>
#include <string.h>

/* The text of a span in lower case, as the vocabulary has it. */
static bool span_holds_token(const struct tokenizer *tokenizer, const char *text, size_t len,
                             const engine_token *token)
{
    size_t token_len = 0, n = 0;
    const char *expected = vocabulary_text(&tokenizer->vocabulary, token->id, &token_len);
    if (expected == NULL || token->begin >= token->end || token->end > len)
        return false;
    for (size_t at = token->begin; at < token->end;) {
        const struct letter letter = letter_read(text, len, at, tokenizer->keras.lower);
        for (size_t i = 0; i < letter.n_codes; i++) {
            char bytes[UTF8_BYTES];
            const size_t n_bytes = utf8_encode(letter.codes[i], bytes);
            /* At character level each half of U+0130 is a token. */
            if (tokenizer->keras.char_level && letter.n_codes == 2)
                return token->end - token->begin == 2;
            if (n + n_bytes > token_len || memcmp(expected + n, bytes, n_bytes) != 0)
                return false;
            n += n_bytes;
        }
        at += letter.len;
    }
    return n == token_len;
}

/* The ids, and a span for each. */
static bool answer_is_right(struct case_tokenizer *made, const char *line)
{
    json_t *root = json_loads(line, JSON_ALLOW_NUL, NULL), *text = json_object_get(root, "text");
    bool right = json_is_string(text) && case_is_right(made, line);
    for (size_t i = 0; right && i < json_array_size(json_object_get(root, "ids")); i++)
        right = made->tokens[i].id == made->tokenizer.unknown ||
                span_holds_token(&made->tokenizer, json_string_value(text),
                                 json_string_length(text), &made->tokens[i]);
    json_decref(root);
    return right;
}

TEST(all_files)
{
    enum { EXPECTED_CASES = 33270 }; /* tests/README.md says so */
    static const char *const names[] = {
        "keras-char",         "keras-default",          "keras-filters_custom",
        "keras-nofilter",     "keras-nolower",          "keras-oov",
        "keras-num_words500", "keras-oov_num_words300", "keras-split_pipe"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct case_tokenizer made;
        char below[128];
        if (!case_tokenizer_open(&made, names[i])) {
            print_message("skipped: no definitions in ../shared/tokenizers\n");
            skip();
        }
        snprintf(below, sizeof below, "keras/%s.jsonl.gz", names[i]);
        const struct case_result result = case_run(&made, below, answer_is_right);
        case_tokenizer_close(&made);
        print_message("%s: %zu cases, %zu differ\n", names[i], result.n, result.n_wrong);
        assert_int_equal(result.n_wrong, 0);
        n += result.n;
    }
    assert_int_equal(n, EXPECTED_CASES);
}
