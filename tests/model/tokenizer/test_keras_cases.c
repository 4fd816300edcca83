/* tags: no-asan no-coverage */
/* Every case of ../shared/tokenizers/cases/keras, which Keras itself answered, with the
 * Tokenizer.to_json() file that it was answered with. All ids must be equal, and every span must
 * hold its token's text.
 *
 * Guarantee: 33,270 texts have the ids that Keras gives (../shared). */
#include "tests/model/tokenizer/pieces_section.h"
#include "tests/owned.h"
#include "tests/support.h"

#include "model/unicode/unicode.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct keras_file {
    json_t *root, *word_index;
    struct tokenizer tokenizer;
    void *scratch;
    char num_words[24], unknown[24];
};

static void set(struct keras_file *file, const char *key, const char *value, size_t len)
{
    const char *wrong = tokenizer_set(&file->tokenizer, key, value, len);
    if (wrong != NULL)
        fail_msg("%s: expected %s", key, wrong);
}

static void set_string(struct keras_file *file, const char *key, const json_t *value)
{
    assert_true(json_is_string(value));
    set(file, key, json_string_value(value), json_string_length(value));
}

static void set_yes_no(struct keras_file *file, const char *key, const json_t *value)
{
    assert_true(json_is_boolean(value));
    set(file, key, json_is_true(value) ? "yes" : "no", json_is_true(value) ? 3 : 2);
}

static void build_vocabulary(struct keras_file *file)
{
    size_t n = 1;
    const char *word;
    json_t *id;
    json_object_foreach(file->word_index, word, id) if ((size_t)json_integer_value(id) >= n) n =
        (size_t)json_integer_value(id) + 1;
    const char **texts = new_bytes(n * sizeof *texts);
    json_object_foreach(file->word_index, word, id) texts[json_integer_value(id)] = word;
    owned(vocabulary_section(&file->tokenizer, texts, n), free);
}

static void open_keras_file(struct keras_file *file, const char *name)
{
    char path[SUPPORT_PATH], below[128];
    json_error_t error;
    snprintf(below, sizeof below, "tokenizers/definitions/%s.json", name);
    support_shared(below, path);
    file->root = json_load_file(path, JSON_ALLOW_NUL, &error);
    if (file->root == NULL)
        fail_msg("%s: %s", path, error.text);
    const json_t *config = json_object_get(file->root, "config");
    const json_t *num_words = json_object_get(config, "num_words");
    const json_t *oov = json_object_get(config, "oov_token");
    file->word_index =
        json_loads(json_string_value(json_object_get(config, "word_index")), 0, &error);
    assert_non_null(file->word_index);

    tokenizer_defaults(&file->tokenizer, 0);
    set(file, "kind", "keras", 5);
    set_string(file, "filters", json_object_get(config, "filters"));
    set_string(file, "split", json_object_get(config, "split"));
    set_yes_no(file, "lower", json_object_get(config, "lower"));
    set_yes_no(file, "char_level", json_object_get(config, "char_level"));
    snprintf(file->num_words, sizeof file->num_words, "%lld",
             (long long)json_integer_value(num_words));
    set(file, "num_words", file->num_words, strlen(file->num_words));
    if (json_is_string(oov)) {
        const json_t *id = json_object_get(file->word_index, json_string_value(oov));
        assert_true(json_is_integer(id));
        snprintf(file->unknown, sizeof file->unknown, "%lld", (long long)json_integer_value(id));
        set(file, "unknown", file->unknown, strlen(file->unknown));
    }
    build_vocabulary(file);
    assert_null(tokenizer_check(&file->tokenizer, 0));
    file->scratch = new_bytes(tokenizer_scratch_bytes(&file->tokenizer));
}

static void close_keras_file(struct keras_file *file)
{
    json_decref(file->root);
    json_decref(file->word_index);
}

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

static bool case_is_right(const struct keras_file *file, const json_t *text, const json_t *ids)
{
    const struct tokenizer *tokenizer = &file->tokenizer;
    const struct token_input input = {.text = json_string_value(text),
                                      .text_len = json_string_length(text)};
    const size_t n = json_array_size(ids);
    engine_token *out = calloc(n + 1, sizeof *out);
    assert_non_null(out);
    const struct token_count count =
        tokenizer_encode(tokenizer, &input, true, NULL, out, n, file->scratch);
    bool right = count.n == n && count.n_dropped == 0;
    for (size_t i = 0; right && i < n; i++) {
        right = out[i].id == json_integer_value(json_array_get(ids, i));
        if (right && out[i].id != tokenizer->unknown)
            right = span_holds_token(tokenizer, input.text, input.text_len, &out[i]);
    }
    free(out);
    return right;
}

/* Returns how many cases a file has, all of which must be right. */
static size_t all_cases(const char *name)
{
    char command[1024], path[SUPPORT_PATH], below[128];
    size_t cap = 0, n_cases = 0, n_wrong = 0;
    struct keras_file file;
    char *line = NULL;
    snprintf(below, sizeof below, "tokenizers/cases/keras/%s.jsonl.gz", name);
    if (!support_shared(below, path))
        return 0;
    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    FILE *cases = popen(command, "r");
    assert_non_null(cases);
    open_keras_file(&file, name);
    while (getline(&line, &cap, cases) > 0) {
        n_cases++;
        json_error_t error;
        json_t *root = json_loads(line, JSON_ALLOW_NUL, &error);
        if (root == NULL) /* a lone surrogate, say: no UTF-8 text can hold it */
            fail_msg("case %zu: %s", n_cases, error.text);
        const json_t *text = json_object_get(root, "text"), *ids = json_object_get(root, "ids");
        assert_true(json_is_string(text) && json_is_array(ids));
        if (!case_is_right(&file, text, ids)) {
            if (n_wrong++ < 5)
                print_error("%s differs: %s", name, line);
        }
        json_decref(root);
    }
    free(line);
    pclose(cases);
    close_keras_file(&file);
    print_message("%s: %zu cases, %zu differ\n", name, n_cases, n_wrong);
    assert_int_equal(n_wrong, 0);
    return n_cases;
}

TEST(all_files)
{
    enum { EXPECTED_CASES = 33270 }; /* tests/README.md says so */
    static const char *const names[] = {
        "keras-char",         "keras-default",          "keras-filters_custom",
        "keras-nofilter",     "keras-nolower",          "keras-oov",
        "keras-num_words500", "keras-oov_num_words300", "keras-split_pipe"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        n += all_cases(names[i]);
    if (n == 0) {
        print_message("skipped: no cases in ../shared/tokenizers\n");
        skip();
    }
    assert_int_equal(n, EXPECTED_CASES);
}
