/* tags: no-asan no-coverage */
/* Every case of ../shared/tokenizers/cases/keras, which Keras itself answered, with the
 * Tokenizer.to_json() file that it was answered with. All ids must be equal, and every span must
 * hold its token's text.
 *
 * Guarantee: 33,270 texts have the ids that Keras gives (../shared). */
#include "tests/model/tokenizer/pieces_section.h"

#include "model/unicode/unicode.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct keras_file {
    json_t *root, *word_index;
    struct tokenizer tokenizer;
    void *section, *scratch;
    char num_words[24], unknown[24];
};

static const char *shared_dir(void)
{
    const char *dir = getenv("SHARED_DIR");
    return dir != NULL ? dir : "../shared";
}

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
    const char **texts = calloc(n, sizeof *texts);
    assert_non_null(texts);
    json_object_foreach(file->word_index, word, id) texts[json_integer_value(id)] = word;
    file->section = vocabulary_section(&file->tokenizer, texts, n);
    free(texts);
}

static void open_keras_file(struct keras_file *file, const char *name)
{
    char path[1024];
    json_error_t error;
    snprintf(path, sizeof path, "%s/tokenizers/definitions/%s.json", shared_dir(), name);
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
    file->scratch = malloc(tokenizer_scratch_bytes(&file->tokenizer));
    assert_non_null(file->scratch);
}

static void close_keras_file(struct keras_file *file)
{
    json_decref(file->root);
    json_decref(file->word_index);
    free(file->section);
    free(file->scratch);
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

/* Counts over all files so far; in the end the numbers in tests/README.md. */
static size_t n_all_cases;
enum { EXPECTED_CASES = 33270 };

static void all_cases(void **state)
{
    const char *name = *state;
    char command[1024];
    snprintf(command, sizeof command,
             "gzip -dc '%s/tokenizers/cases/keras/%s.jsonl.gz' 2>/dev/null", shared_dir(), name);
    FILE *cases = popen(command, "r");
    assert_non_null(cases);
    struct keras_file file;
    char *line = NULL;
    size_t cap = 0, n_cases = 0, n_wrong = 0;
    while (getline(&line, &cap, cases) > 0) {
        if (n_cases++ == 0)
            open_keras_file(&file, name);
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
    if (n_cases == 0) {
        print_message("no cases in %s/tokenizers: skipped\n", shared_dir());
        skip();
    }
    close_keras_file(&file);
    n_all_cases += n_cases;
    print_message("%s: %zu cases, %zu differ\n", name, n_cases, n_wrong);
    assert_int_equal(n_wrong, 0);
}

static void all_files(void **state)
{
    (void)state;
    if (n_all_cases == 0)
        skip();
    assert_int_equal(n_all_cases, EXPECTED_CASES);
}

int main(void)
{
    static const char *const names[] = {
        "keras-char",         "keras-default",          "keras-filters_custom",
        "keras-nofilter",     "keras-nolower",          "keras-oov",
        "keras-num_words500", "keras-oov_num_words300", "keras-split_pipe"};
    enum { N = sizeof names / sizeof *names };
    struct CMUnitTest tests[N + 1] = {[N] = cmocka_unit_test(all_files)};
    for (size_t i = 0; i < N; i++)
        tests[i] = (struct CMUnitTest){names[i], all_cases, NULL, NULL, (void *)names[i]};
    return cmocka_run_group_tests_name("keras_cases", tests, NULL, NULL);
}
