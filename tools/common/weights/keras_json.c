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
#include "tools/common/weights/keras_json.h"

#include "tools/common/options.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_IDS = 1 << 24 };

struct reader {
    struct token_source *source;
    const char *path;
    const json_t *config;
    struct problem *problem;
};

static json_t *parse(const char *text, size_t len, json_error_t *error)
{
    return json_loadb(text, len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, error);
}

static bool wrong_type(const struct reader *reader, const char *key, const char *expected)
{
    return problem_say(reader->problem, "'%s': '%s' in 'config' is not %s", reader->path, key,
                       expected);
}

/* ---- The rules ---- */

/* A missing key, or null, leaves the default. */
static const json_t *member(const struct reader *reader, const char *key)
{
    const json_t *value = json_object_get(reader->config, key);
    return json_is_null(value) ? NULL : value;
}

static bool read_flag(const struct reader *reader, const char *key, bool *flag)
{
    const json_t *value = member(reader, key);
    if (value != NULL && !json_is_boolean(value))
        return wrong_type(reader, key, "true or false");
    if (value != NULL)
        *flag = json_is_true(value);
    return true;
}

static bool read_text(const struct reader *reader, const char *key, struct bytes_copy *text)
{
    const json_t *value = member(reader, key);
    if (value != NULL && !json_is_string(value))
        return wrong_type(reader, key, "a string");
    return value == NULL ||
           bytes_copy_set(text, json_string_value(value), json_string_length(value)) ||
           problem_memory(reader->problem);
}

static bool read_num_words(const struct reader *reader)
{
    const json_t *num_words = member(reader, "num_words");
    if (num_words != NULL && (!json_is_integer(num_words) || json_integer_value(num_words) < 0 ||
                              json_integer_value(num_words) > INT32_MAX))
        return wrong_type(reader, "num_words", "null or a whole number from 0 to 2147483647");
    if (num_words != NULL)
        reader->source->num_words = (uint64_t)json_integer_value(num_words);
    return true;
}

static bool read_rules(const struct reader *reader)
{
    struct token_source *source = reader->source;
    if (!read_flag(reader, "lower", &source->lower) ||
        !read_flag(reader, "char_level", &source->char_level) ||
        !read_text(reader, "filters", &source->filters) ||
        !read_text(reader, "split", &source->split))
        return false;
    if (source->split.len == 0 || source->split.len > SPLIT_BYTES_MOST)
        return problem_say(reader->problem,
                           "'%s': 'split' takes %zu bytes; a weight file holds 1 to %d",
                           reader->path, source->split.len, SPLIT_BYTES_MOST);
    return read_num_words(reader);
}

/* ---- The words ---- */

static bool place(const struct reader *reader, long long id, const char *text, size_t len)
{
    struct word_list *words = &reader->source->words;
    if (id < 0 || id >= MOST_IDS)
        return problem_say(reader->problem, "'%s': the id %lld is not one from 0 to %d",
                           reader->path, id, MOST_IDS - 1);
    size_t slot = (size_t)id;
    if (slot < words->n && words->texts[slot] != NULL)
        return problem_say(reader->problem, "'%s': two words have the id %lld", reader->path, id);
    if (word_list_find(words, text, len) != WORD_NONE)
        return problem_say(reader->problem, "'%s': the word with the id %lld has another id too",
                           reader->path, id);
    return word_list_place(words, slot, text, len) || problem_memory(reader->problem);
}

static bool place_word_index(const struct reader *reader, json_t *index)
{
    const char *word;
    json_t *id;
    json_object_foreach(index, word, id)
    {
        if (!json_is_integer(id))
            return problem_say(reader->problem, "'%s': an id in 'word_index' is not a whole number",
                               reader->path);
        if (!place(reader, json_integer_value(id), word, strlen(word)))
            return false;
    }
    return true;
}

/* Digits alone; -1: it is no id. */
static long long read_id(const char *text)
{
    size_t len = strlen(text);
    return len > 0 && len < 10 && strspn(text, "0123456789") == len ? atoll(text) : -1;
}

static bool place_index_word(const struct reader *reader, json_t *index)
{
    const char *key;
    json_t *word;
    json_object_foreach(index, key, word)
    {
        if (!json_is_string(word) || read_id(key) < 0)
            return problem_say(reader->problem, "'%s': 'index_word' is not a map from ids to words",
                               reader->path);
        if (!place(reader, read_id(key), json_string_value(word), json_string_length(word)))
            return false;
    }
    return true;
}

/* The map of that name, which is the text of a JSON object, or the object itself. */
static json_t *load_map(const struct reader *reader, const char *key, json_error_t *error)
{
    json_t *map = json_object_get(reader->config, key);
    if (json_is_string(map))
        return parse(json_string_value(map), json_string_length(map), error);
    snprintf(error->text, sizeof error->text, "it is missing");
    return json_incref(map);
}

static bool read_words(const struct reader *reader)
{
    json_error_t error = {0};
    json_t *map = load_map(reader, "word_index", &error);
    bool is_word_index = true, ok;
    if (map == NULL && json_error_code(&error) == json_error_null_byte_in_key) {
        map = load_map(reader, "index_word", &error);
        is_word_index = false;
    }
    if (!json_is_object(map))
        ok = problem_say(reader->problem, "'%s': '%s' in 'config' is not a map: %s", reader->path,
                         is_word_index ? "word_index" : "index_word",
                         map == NULL ? error.text : "it is something else");
    else
        ok = is_word_index ? place_word_index(reader, map) : place_index_word(reader, map);
    json_decref(map);
    return ok;
}

static bool read_unknown(const struct reader *reader)
{
    const json_t *token = member(reader, "oov_token");
    struct token_source *source = reader->source;
    if (token != NULL && !json_is_string(token))
        return wrong_type(reader, "oov_token", "null or a string");
    if (token == NULL)
        return true;
    source->unknown =
        word_list_find(&source->words, json_string_value(token), json_string_length(token));
    if (source->unknown == WORD_NONE)
        program_note("'%s': the oov_token has no id: unknown words are dropped, as Keras does",
                     reader->path);
    return true;
}

/* ---- The file ---- */

bool keras_json_read(struct token_source *source, const char *path, const char *data, size_t len,
                     struct problem *problem)
{
    json_error_t error;
    json_t *root = parse(data, len, &error);
    if (root == NULL)
        return problem_say(problem, "'%s', line %d: not JSON: %s", path, error.line, error.text);
    const struct reader reader = {source, path, json_object_get(root, "config"), problem};
    bool ok;
    if (!json_is_object(reader.config))
        ok = problem_say(problem, "'%s': not from Keras' Tokenizer.to_json(): it has no 'config'",
                         path);
    else
        ok = read_rules(&reader) && read_words(&reader) && read_unknown(&reader);
    if (ok && source->words.n == 0)
        ok = problem_say(problem, "'%s': has no words", path);
    json_decref(root);
    return ok;
}

int token_source_keras(struct token_source *source, const char *path, const char *data, size_t len)
{
    struct problem problem;
    return keras_json_read(source, path, data, len, &problem) ? PROGRAM_DONE
                                                              : program_fail("%s", problem.text);
}
