/* tokenizer_cases.c - see tokenizer_cases.h. Cases count code points where we count bytes. */
#include "tests/model/tokenizer/tokenizer_cases.h"

#include "model/unicode/unicode.h"
#include "tests/support.h"
#include "tests/tools/import/refusals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tokenizers ---- */

static void set(struct tokenizer *tokenizer, const char *key, const char *value, size_t len)
{
    const char *wrong = tokenizer_set(tokenizer, key, value, len);
    if (wrong != NULL)
        fail_msg("%s = %s: expected %s", key, value, wrong);
}

static const char *build(struct case_tokenizer *made)
{
    const struct import_tokenizer *source = &made->source;
    const struct tokenizer_draft *draft = &source->draft;
    struct tokenizer *tokenizer = &made->tokenizer;
    size_t bad_id;
    tokenizer_defaults(tokenizer, 2);
    for (size_t i = 0; i < draft->n_settings; i++)
        set(tokenizer, draft->settings[i].key, draft->settings[i].value, draft->settings[i].len);
    if (source->single[0] != '\0')
        set(tokenizer, "single", source->single, strlen(source->single));
    if (source->pair[0] != '\0')
        set(tokenizer, "pair", source->pair, strlen(source->pair));
    const size_t n_bytes = vocabulary_bytes(draft->words.lens, draft->words.n);
    made->section = malloc(n_bytes);
    assert_non_null(made->section);
    assert_null(vocabulary_build(made->section, n_bytes, (const char *const *)draft->words.texts,
                                 draft->words.lens, draft->words.n, &bad_id));
    assert_null(vocabulary_view(&tokenizer->vocabulary, made->section, n_bytes));
    for (size_t i = 0; i < draft->n_sections; i++)
        assert_null(tokenizer_view(tokenizer, draft->sections[i].tag, draft->sections[i].data,
                                   draft->sections[i].len));
    struct arena tables = {0};
    const char *wrong;
    do
        wrong = tokenizer_build(tokenizer, 2, &tables);
    while (arena_allocate(&tables));
    made->tables = tables.base;
    made->scratch = malloc(tokenizer_scratch_bytes(tokenizer));
    assert_non_null(made->scratch);
    made->tokens = NULL;
    made->cap = 0;
    if (wrong != NULL)
        case_tokenizer_close(made);
    return wrong;
}

const char *case_tokenizer_make(struct case_tokenizer *made, const char *text, size_t len)
{
    static bool is_right;
    READ_OR_REFUSE(&is_right, import_tokenizer_parse(&made->source, "tokenizer.json", text, len));
    if (!is_right) {
        import_free();
        return program_words;
    }
    return build(made);
}

bool case_tokenizer_open(struct case_tokenizer *opened, const char *name)
{
    char path[SUPPORT_PATH], below[128];
    snprintf(below, sizeof below, "tokenizers/definitions/%s.json", name);
    if (!support_shared(below, path))
        return false;
    READ_OR_FAIL(import_tokenizer_read_file(&opened->source, path));
    assert_null(build(opened));
    return true;
}

void case_tokenizer_close(struct case_tokenizer *opened)
{
    import_free();
    free(opened->section);
    free(opened->tables);
    free(opened->scratch);
    free(opened->tokens);
}

struct token_count case_encode(struct case_tokenizer *tokenizer, const struct token_input *input,
                               bool special, const struct token_limit *limit)
{
    struct token_count count =
        tokenizer_encode(&tokenizer->tokenizer, input, special, limit, tokenizer->tokens,
                         tokenizer->cap, tokenizer->scratch);
    if (count.n <= tokenizer->cap)
        return count;
    free(tokenizer->tokens);
    tokenizer->cap = 2 * count.n;
    tokenizer->tokens = calloc(tokenizer->cap, sizeof *tokenizer->tokens);
    assert_non_null(tokenizer->tokens);
    return case_encode(tokenizer, input, special, limit);
}

/* ---- Comparing ---- */

/* Code points in the first n bytes. */
static size_t code_points(const char *text, size_t n)
{
    size_t count = 0;
    for (size_t at = 0; at < n; count++)
        at += utf8_decode(text + at, n - at).len;
    return count;
}

static bool numbers_are(const json_t *expected, size_t n, const engine_token *tokens, size_t offset)
{
    if (expected == NULL)
        return true;
    if (json_array_size(expected) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int32_t number;
        memcpy(&number, (const char *)&tokens[i] + offset, sizeof number);
        if (json_integer_value(json_array_get(expected, i)) != number)
            return false;
    }
    return true;
}

/* The reference tells the text that became the token: with the blanks that an added token took,
 * and instead of Unigram's unknown token. */
static bool text_is(const json_t *expected, int32_t id, const struct tokenizer *tokenizer)
{
    const size_t text_len = json_string_length(expected);
    size_t len = 0;
    const char *found = vocabulary_text(&tokenizer->vocabulary, id, &len);
    if (tokenizer->kind == TOKENIZER_UNIGRAM && id == tokenizer->unknown)
        return true;
    return found != NULL && text_len >= len &&
           memcmp(json_string_value(expected) + text_len - len, found, len) == 0;
}

static bool texts_are(const json_t *expected, size_t n, const engine_token *tokens,
                      const struct tokenizer *tokenizer)
{
    if (expected == NULL)
        return true;
    for (size_t i = 0; i < n; i++)
        if (!text_is(json_array_get(expected, i), tokens[i].id, tokenizer))
            return false;
    return true;
}

static bool spans_are(const json_t *expected, size_t n, const engine_token *tokens,
                      const struct token_input *input)
{
    if (expected == NULL)
        return true;
    if (json_array_size(expected) != 2 * n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const char *text = tokens[i].in_pair ? input->pair : input->text;
        const size_t begin = (size_t)json_integer_value(json_array_get(expected, 2 * i));
        const size_t end = (size_t)json_integer_value(json_array_get(expected, 2 * i + 1));
        if (code_points(text, tokens[i].begin) != begin || code_points(text, tokens[i].end) != end)
            return false;
    }
    return true;
}

static bool specials_are(const json_t *expected, size_t n, const engine_token *tokens)
{
    for (size_t i = 0; expected != NULL && i < n; i++)
        if (json_integer_value(json_array_get(expected, i)) != tokens[i].special)
            return false;
    return true;
}

static struct token_limit limit_of(const json_t *truncation)
{
    const char *strategy = json_string_value(json_object_get(truncation, "strategy"));
    const char *direction = json_string_value(json_object_get(truncation, "direction"));
    struct token_limit limit = {.most = SIZE_MAX};
    if (!json_is_object(truncation))
        return limit;
    limit.most = (size_t)json_integer_value(json_object_get(truncation, "max"));
    limit.left = direction != NULL && strcmp(direction, "left") == 0;
    limit.truncation = strcmp(strategy, "OnlyFirst") == 0    ? ENGINE_TRUNCATE_ONLY_FIRST
                       : strcmp(strategy, "OnlySecond") == 0 ? ENGINE_TRUNCATE_ONLY_SECOND
                                                             : ENGINE_TRUNCATE_LONGEST_FIRST;
    return limit;
}

static struct token_input input_of(const json_t *text, const json_t *pair)
{
    return (struct token_input){.text = json_string_value(text),
                                .text_len = json_string_length(text),
                                .pair = json_string_value(pair),
                                .pair_len = json_string_length(pair)};
}

/* Cases of a definition with truncation and padding baked in: as many ids as it pads to, the first
 * of them the text's. */
static bool padded_is(struct case_tokenizer *tokenizer, const json_t *root,
                      const struct token_input *input, const json_t *ones)
{
    json_t *ids = json_object_get(root, "ids");
    const size_t n = (size_t)json_integer_value(ones);
    const struct token_limit limit = {.most = json_array_size(ids)};
    const struct token_count count = case_encode(tokenizer, input, true, &limit);
    while (json_array_size(ids) > n && json_integer_value(json_array_get(ids, n)) == 0)
        json_array_remove(ids, n);
    return count.wrong == NULL &&
           numbers_are(ids, count.n, tokenizer->tokens, offsetof(engine_token, id));
}

static bool answer_is(struct case_tokenizer *tokenizer, const json_t *root,
                      const struct token_input *input)
{
    const json_t *ones = json_object_get(root, "attention_mask_ones");
    if (ones != NULL)
        return padded_is(tokenizer, root, input, ones);
    const struct token_limit limit = limit_of(json_object_get(root, "truncation"));
    const bool special = !json_is_false(json_object_get(root, "add_special_tokens"));
    const struct token_count count = case_encode(tokenizer, input, special, &limit);
    const engine_token *tokens = tokenizer->tokens;
    if (json_object_get(root, "error") != NULL)
        return count.wrong != NULL;
    return count.wrong == NULL &&
           numbers_are(json_object_get(root, "ids"), count.n, tokens, offsetof(engine_token, id)) &&
           numbers_are(json_object_get(root, "type_ids"), count.n, tokens,
                       offsetof(engine_token, type)) &&
           texts_are(json_object_get(root, "tokens"), count.n, tokens, &tokenizer->tokenizer) &&
           spans_are(json_object_get(root, "offsets"), count.n, tokens, input) &&
           specials_are(json_object_get(root, "special_mask"), count.n, tokens);
}

/* The attention mask says which ids of a padded row are the text's. */
static bool row_is(const json_t *root, size_t row, size_t n, const engine_token *tokens)
{
    const json_t *ids = json_array_get(json_object_get(root, "ids"), row);
    const json_t *mask = json_array_get(json_object_get(root, "attention_mask"), row);
    size_t found = 0;
    for (size_t i = 0; i < json_array_size(mask); i++) {
        if (json_integer_value(json_array_get(mask, i)) == 0)
            continue;
        if (found == n || json_integer_value(json_array_get(ids, i)) != tokens[found].id)
            return false;
        found++;
    }
    return found == n;
}

static bool batch_is(struct case_tokenizer *tokenizer, const json_t *root, const json_t *batch)
{
    const struct token_limit limit = limit_of(json_object_get(root, "truncation"));
    for (size_t i = 0; i < json_array_size(batch); i++) {
        const json_t *entry = json_array_get(batch, i);
        const bool two = json_is_array(entry);
        const struct token_input input =
            input_of(two ? json_array_get(entry, 0) : entry, two ? json_array_get(entry, 1) : NULL);
        const struct token_count count = case_encode(tokenizer, &input, true, &limit);
        if (count.wrong != NULL || !row_is(root, i, count.n, tokenizer->tokens))
            return false;
    }
    return true;
}

static size_t from_hex(const char *hex, char *bytes)
{
    size_t n = 0;
    unsigned byte;
    for (; sscanf(hex + 2 * n, "%2x", &byte) == 1; n++)
        bytes[n] = (char)byte;
    return n;
}

static bool bytes_are(struct case_tokenizer *tokenizer, const json_t *root, const char *hex)
{
    char *bytes = malloc(strlen(hex) / 2 + 1);
    assert_non_null(bytes);
    const struct token_input input = {.text = bytes, .text_len = from_hex(hex, bytes)};
    const bool right = answer_is(tokenizer, root, &input);
    free(bytes);
    return right;
}

bool case_is_right(struct case_tokenizer *tokenizer, const char *line)
{
    json_error_t error;
    json_t *root = json_loads(line, JSON_ALLOW_NUL, &error);
    if (root == NULL)
        fail_msg("%s", error.text);
    const char *hex = json_string_value(json_object_get(root, "bytes_hex"));
    const json_t *batch = json_object_get(root, "batch");
    bool right;
    if (hex != NULL) {
        right = bytes_are(tokenizer, root, hex);
    } else if (batch != NULL) {
        right = batch_is(tokenizer, root, batch);
    } else {
        const struct token_input input =
            input_of(json_object_get(root, "text"), json_object_get(root, "pair"));
        right = answer_is(tokenizer, root, &input);
    }
    json_decref(root);
    return right;
}

/* HEX<TAB>ids of 'a', the code point, 'b', without special tokens. */
bool case_code_point_is_right(struct case_tokenizer *tokenizer, const char *line)
{
    char *at, text[8] = "a", *ids;
    const size_t n = utf8_encode((uint32_t)strtoul(line, &ids, 16), text + 1);
    text[n + 1] = 'b';
    const struct token_input input = {.text = text, .text_len = n + 2};
    const struct token_count count = case_encode(tokenizer, &input, false, NULL);
    size_t i = 0;
    for (; i < count.n; i++, ids = at)
        if (strtol(ids, &at, 10) != tokenizer->tokens[i].id || at == ids)
            return false;
    return strspn(ids, " \t\r\n") == strlen(ids);
}

struct case_result case_run(struct case_tokenizer *tokenizer, const char *below,
                            bool (*is_right)(struct case_tokenizer *tokenizer, const char *line))
{
    struct case_result result = {0, 0};
    char path[SUPPORT_PATH], command[SUPPORT_PATH + 32], name[128], *line = NULL;
    size_t cap = 0;
    snprintf(name, sizeof name, "tokenizers/cases/%s", below);
    if (!support_shared(name, path))
        return result;
    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    FILE *cases = popen(command, "r");
    assert_non_null(cases);
    while (getline(&line, &cap, cases) > 0) {
        result.n++;
        if (!is_right(tokenizer, line) && result.n_wrong++ < 5)
            print_error("%s differs: %.1000s\n", below, line);
    }
    free(line);
    assert_int_equal(pclose(cases), 0);
    return result;
}
