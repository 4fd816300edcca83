/* keras_json.c - a tokenizer from Keras' Tokenizer.to_json():
 *
 *     {"class_name": "Tokenizer", "config": {"num_words": null, "filters": "!\"#…", "lower": true,
 *      "split": " ", "char_level": false, "oov_token": "<unk>", …,
 *      "word_index": "{\"<unk>\": 1, …}"}}
 *
 * word_index, from word to id, and its inverse index_word are JSON texts inside a JSON string. Ids
 * start at 1. A word with a NUL character can be only in index_word: jansson refuses such keys. */
#include "tools/writer/tokenizer/token_source.h"

#include "tools/common/alloc.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { MOST_IDS = 1 << 24, MOST_SPLIT_BYTES = 32 };

struct reader {
    struct tokenizer_draft *draft;
    char name[600]; /* of the file, in quotes, for messages */
    const json_t *config;
};

enum { PARSING = JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES };

/* ---- The rules ---- */

/* Returns a member of the config, or NULL if it is missing or null: the default. */
static const json_t *member(const struct reader *reader, const char *key, json_type type,
                            const char *expected)
{
    const json_t *value = json_object_get(reader->config, key);
    json_type found = json_is_false(value) ? JSON_TRUE
                      : value != NULL      ? json_typeof(value)
                                           : JSON_NULL;
    if (found == JSON_NULL)
        return NULL;
    if (found != type || (type == JSON_INTEGER &&
                          (json_integer_value(value) < 0 || json_integer_value(value) > INT32_MAX)))
        file_die(reader->name, "'%s' in 'config' is not %s", key, expected);
    return value;
}

static void read_rules(const struct reader *reader, struct keras_rules *rules)
{
    const json_t *lower = member(reader, "lower", JSON_TRUE, "true or false");
    const json_t *char_level = member(reader, "char_level", JSON_TRUE, "true or false");
    const json_t *filters = member(reader, "filters", JSON_STRING, "a string");
    const json_t *split = member(reader, "split", JSON_STRING, "a string");
    const json_t *num_words =
        member(reader, "num_words", JSON_INTEGER, "null or a whole number from 0 to 2147483647");
    reader->draft->lower = lower == NULL || json_is_true(lower);
    reader->draft->num_words = (uint64_t)json_integer_value(num_words); /* absent: 0, all */
    rules->char_level = json_is_true(char_level);
    if (filters != NULL) {
        rules->filters = json_string_value(filters);
        rules->filters_len = json_string_length(filters);
    }
    if (split != NULL) {
        rules->split = json_string_value(split);
        rules->split_len = json_string_length(split);
    }
    if (rules->split_len == 0 || rules->split_len > MOST_SPLIT_BYTES)
        file_die(reader->name, "'split' takes %zu bytes; a weight file holds 1 to %d",
                 rules->split_len, MOST_SPLIT_BYTES);
}

/* ---- The words ---- */

static void place_word(const struct reader *reader, long long id, const char *text, size_t len)
{
    struct word_list *words = &reader->draft->words;
    if (id < 0 || id >= MOST_IDS)
        file_die(reader->name, "the id %lld is not one from 0 to %d", id, MOST_IDS - 1);
    if ((size_t)id < words->n && words->texts[id] != NULL)
        file_die(reader->name, "two words have the id %lld", id);
    if (word_list_find(words, text, len) != WORD_NONE)
        file_die(reader->name, "the word with the id %lld has another id too", id);
    word_list_place(words, (size_t)id, text, len);
}

/* Returns the map of that name, which is the text of a JSON object, or the object itself. */
static json_t *load_map(const struct reader *reader, const char *key, json_error_t *error)
{
    json_t *map = json_object_get(reader->config, key);
    if (json_is_string(map))
        return json_loadb(json_string_value(map), json_string_length(map), PARSING, error);
    snprintf(error->text, sizeof error->text, "it is missing");
    return json_incref(map);
}

static void read_words(const struct reader *reader)
{
    json_error_t error = {0};
    const char *key = "word_index", *name;
    json_t *map = load_map(reader, key, &error), *value;
    bool has_nul = map == NULL && json_error_code(&error) == json_error_null_byte_in_key;
    if (has_nul)
        map = load_map(reader, key = "index_word", &error);
    if (!json_is_object(map))
        file_die(reader->name, "'%s' in 'config' is not a map: %s", key,
                 map == NULL ? error.text : "it is something else");
    json_object_foreach(map, name, value)
    {
        size_t len = strlen(name);
        if (!has_nul && !json_is_integer(value))
            file_die(reader->name, "an id in 'word_index' is not a whole number");
        if (!has_nul) {
            place_word(reader, json_integer_value(value), name, len);
            continue;
        }
        if (!json_is_string(value) || len == 0 || len > 9 || strspn(name, "0123456789") < len)
            file_die(reader->name, "'index_word' is not a map from ids to words");
        place_word(reader, atoll(name), json_string_value(value), json_string_length(value));
    }
}

/* ---- The file ---- */

void keras_json_read(struct tokenizer_draft *draft, const char *path, const char *data, size_t len)
{
    struct reader reader = {.draft = draft};
    struct keras_rules rules = KERAS_DEFAULTS;
    json_error_t error;
    json_t *root = json_loadb(data, len, PARSING, &error);
    reader.config = json_object_get(root, "config");
    snprintf(reader.name, sizeof reader.name, "'%s'", path);
    if (root == NULL)
        file_die(reader.name, ", line %d: not JSON: %s", error.line, error.text);
    if (!json_is_object(reader.config))
        file_die(reader.name, "not from Keras' Tokenizer.to_json(): it has no 'config'");
    read_rules(&reader, &rules);
    read_words(&reader);
    const json_t *oov = member(&reader, "oov_token", JSON_STRING, "null or a string");
    if (oov != NULL)
        draft->unknown =
            word_list_find(&draft->words, json_string_value(oov), json_string_length(oov));
    if (oov != NULL && draft->unknown == WORD_NONE)
        program_note("%s: the oov_token has no id: unknown words are dropped, as Keras does",
                     reader.name);
    if (draft->words.n == 0)
        file_die(reader.name, "has no words");
    draft_set_rules(draft, &rules);
}
