/* keras_json.c - a tokenizer from Keras' Tokenizer.to_json():
 *
 *     {"class_name": "Tokenizer", "config": {"num_words": null, "filters": "!\"#…", "lower": true,
 *      "split": " ", "char_level": false, "oov_token": "<unk>", …,
 *      "word_index": "{\"<unk>\": 1, …}"}}
 *
 * word_index, from word to id, and its inverse index_word are JSON texts inside a JSON string.
 * Ids start at 1. A word with a NUL character can stand in index_word only: jansson refuses such
 * keys.
 */
#include "tools/token_source.h"

#include "tools/options.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IDS = 1 << 24 };

static json_t *parse(const char *text, size_t len, json_error_t *error)
{
    return json_loadb(text, len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, error);
}

static int wrong_type(const char *path, const char *key, const char *expected)
{
    return program_fail("'%s': '%s' in 'config' is not %s", path, key, expected);
}

/* A missing key, or null, leaves the default. */
static const json_t *member(const json_t *config, const char *key)
{
    const json_t *value = json_object_get(config, key);
    return json_is_null(value) ? NULL : value;
}

static int read_flag(const char *path, const json_t *config, const char *key, bool *flag)
{
    const json_t *value = member(config, key);
    if (value != NULL && !json_is_boolean(value))
        return wrong_type(path, key, "true or false");
    if (value != NULL)
        *flag = json_is_true(value);
    return PROGRAM_DONE;
}

static int read_text(const char *path, const json_t *config, const char *key,
                     struct bytes_copy *text)
{
    const json_t *value = member(config, key);
    if (value != NULL && !json_is_string(value))
        return wrong_type(path, key, "a string");
    if (value != NULL && !bytes_copy_set(text, json_string_value(value), json_string_length(value)))
        return no_memory();
    return PROGRAM_DONE;
}

static int read_rules(struct token_source *source, const char *path, const json_t *config)
{
    int code = read_flag(path, config, "lower", &source->lower);
    if (code == PROGRAM_DONE)
        code = read_flag(path, config, "char_level", &source->char_level);
    if (code == PROGRAM_DONE)
        code = read_text(path, config, "filters", &source->filters);
    if (code == PROGRAM_DONE)
        code = read_text(path, config, "split", &source->split);
    if (code != PROGRAM_DONE)
        return code;
    if (source->split.len == 0 || source->split.len > SPLIT_BYTES_MOST)
        return program_fail("'%s': 'split' takes %zu bytes; a weight file holds 1 to %d", path,
                            source->split.len, SPLIT_BYTES_MOST);
    const json_t *num_words = member(config, "num_words");
    if (num_words != NULL && (!json_is_integer(num_words) || json_integer_value(num_words) < 0 ||
                              json_integer_value(num_words) > INT32_MAX))
        return wrong_type(path, "num_words", "null or a whole number from 0 to 2147483647");
    if (num_words != NULL)
        source->num_words = (uint64_t)json_integer_value(num_words);
    return PROGRAM_DONE;
}

static int place(struct token_source *source, const char *path, long long id, const char *text,
                 size_t len)
{
    if (id < 0 || id >= MOST_IDS)
        return program_fail("'%s': the id %lld is not one from 0 to %d", path, id, MOST_IDS - 1);
    size_t slot = (size_t)id;
    if (slot < source->words.n && source->words.texts[slot] != NULL)
        return program_fail("'%s': two words have the id %lld", path, id);
    if (word_list_find(&source->words, text, len) != WORD_NONE)
        return program_fail("'%s': the word with the id %lld has another id too", path, id);
    return word_list_place(&source->words, slot, text, len) ? PROGRAM_DONE : no_memory();
}

static int place_word_index(struct token_source *source, const char *path, json_t *index)
{
    const char *word;
    json_t *id;
    json_object_foreach (index, word, id) {
        if (!json_is_integer(id))
            return program_fail("'%s': an id in 'word_index' is not a whole number", path);
        int code = place(source, path, json_integer_value(id), word, strlen(word));
        if (code != PROGRAM_DONE)
            return code;
    }
    return PROGRAM_DONE;
}

static int place_index_word(struct token_source *source, const char *path, json_t *index)
{
    const char *key;
    json_t *word;
    json_object_foreach (index, key, word) {
        uint64_t id = 0;
        if (!json_is_string(word) || !option_number("an id in 'index_word'", key, 0, MOST_IDS, &id))
            return program_fail("'%s': 'index_word' is not a map from ids to words", path);
        int code = place(source, path, (long long)id, json_string_value(word),
                         json_string_length(word));
        if (code != PROGRAM_DONE)
            return code;
    }
    return PROGRAM_DONE;
}

/* The map of that name, which is the text of a JSON object, or the object itself. */
static json_t *load_map(const json_t *config, const char *key, json_error_t *error)
{
    json_t *map = json_object_get(config, key);
    if (json_is_string(map))
        return parse(json_string_value(map), json_string_length(map), error);
    snprintf(error->text, sizeof error->text, "it is missing");
    return json_incref(map);
}

static int read_words(struct token_source *source, const char *path, const json_t *config)
{
    json_error_t error = {0};
    json_t *map = load_map(config, "word_index", &error);
    bool is_word_index = true;
    if (map == NULL && json_error_code(&error) == json_error_null_byte_in_key) {
        map = load_map(config, "index_word", &error);
        is_word_index = false;
    }
    int code;
    if (!json_is_object(map))
        code = program_fail("'%s': '%s' in 'config' is not a map: %s", path,
                            is_word_index ? "word_index" : "index_word",
                            map == NULL ? error.text : "it is something else");
    else
        code = is_word_index ? place_word_index(source, path, map)
                             : place_index_word(source, path, map);
    json_decref(map);
    return code;
}

static int read_unknown(struct token_source *source, const char *path, const json_t *config)
{
    const json_t *token = member(config, "oov_token");
    if (token != NULL && !json_is_string(token))
        return wrong_type(path, "oov_token", "null or a string");
    if (token == NULL)
        return PROGRAM_DONE;
    source->unknown = word_list_find(&source->words, json_string_value(token),
                                     json_string_length(token));
    if (source->unknown == WORD_NONE)
        program_note("'%s': the oov_token has no id: unknown words are dropped, as Keras does",
                     path);
    return PROGRAM_DONE;
}

int token_source_keras(struct token_source *source, const char *path, const char *data, size_t len)
{
    json_error_t error;
    json_t *root = parse(data, len, &error);
    if (root == NULL)
        return program_fail("'%s', line %d: not JSON: %s", path, error.line, error.text);
    const json_t *config = json_object_get(root, "config");
    int code;
    if (!json_is_object(config)) {
        code = program_fail("'%s': not from Keras' Tokenizer.to_json(): it has no 'config'", path);
    } else {
        code = read_rules(source, path, config);
        if (code == PROGRAM_DONE)
            code = read_words(source, path, config);
        if (code == PROGRAM_DONE)
            code = read_unknown(source, path, config);
        if (code == PROGRAM_DONE && source->words.n == 0)
            code = program_fail("'%s': has no words", path);
    }
    json_decref(root);
    return code;
}
