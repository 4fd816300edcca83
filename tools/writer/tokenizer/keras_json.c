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

static json_t *parse(const char *text, size_t len, json_error_t *error)
{
    return json_loadb(text, len, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, error);
}

/* ---- The rules ---- */

/* NULL where the key is missing or null, which leaves the default. */
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

static void read_flag(const struct reader *reader, const char *key, bool *flag)
{
    const json_t *value = member(reader, key, JSON_TRUE, "true or false");
    *flag = value != NULL ? json_is_true(value) : *flag;
}

static void read_text(const struct reader *reader, const char *key, const char **text, size_t *len)
{
    const json_t *value = member(reader, key, JSON_STRING, "a string");
    if (value != NULL) {
        *text = json_string_value(value);
        *len = json_string_length(value);
    }
}

static void read_rules(const struct reader *reader, struct keras_rules *rules)
{
    reader->draft->lower = true;
    read_flag(reader, "lower", &reader->draft->lower);
    read_flag(reader, "char_level", &rules->char_level);
    read_text(reader, "filters", &rules->filters, &rules->filters_len);
    read_text(reader, "split", &rules->split, &rules->split_len);
    if (rules->split_len == 0 || rules->split_len > MOST_SPLIT_BYTES)
        file_die(reader->name, "'split' takes %zu bytes; a weight file holds 1 to %d",
                 rules->split_len, MOST_SPLIT_BYTES);
    reader->draft->num_words =
        (uint64_t)json_integer_value(/* absent: 0, all */
                                     member(reader, "num_words", JSON_INTEGER,
                                            "null or a whole number from 0 to 2147483647"));
}

/* ---- The words ---- */

static void place(const struct reader *reader, long long id, const char *text, size_t len)
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

static void place_word_index(const struct reader *reader, json_t *index)
{
    const char *word;
    json_t *id;
    json_object_foreach(index, word, id)
    {
        if (!json_is_integer(id))
            file_die(reader->name, "an id in 'word_index' is not a whole number");
        place(reader, json_integer_value(id), word, strlen(word));
    }
}

static void place_index_word(const struct reader *reader, json_t *index)
{
    const char *id;
    json_t *word;
    json_object_foreach(index, id, word)
    {
        size_t len = strlen(id);
        if (!json_is_string(word) || len == 0 || len > 9 || strspn(id, "0123456789") < len)
            file_die(reader->name, "'index_word' is not a map from ids to words");
        place(reader, atoll(id), json_string_value(word), json_string_length(word));
    }
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

static void read_words(const struct reader *reader)
{
    json_error_t error = {0};
    const char *key = "word_index";
    json_t *map = load_map(reader, key, &error);
    bool has_nul = map == NULL && json_error_code(&error) == json_error_null_byte_in_key;
    if (has_nul)
        map = load_map(reader, key = "index_word", &error);
    if (!json_is_object(map))
        file_die(reader->name, "'%s' in 'config' is not a map: %s", key,
                 map == NULL ? error.text : "it is something else");
    if (has_nul)
        place_index_word(reader, map);
    else
        place_word_index(reader, map);
}

static void read_unknown(const struct reader *reader)
{
    const json_t *token = member(reader, "oov_token", JSON_STRING, "null or a string");
    struct tokenizer_draft *draft = reader->draft;
    if (token == NULL)
        return;
    draft->unknown =
        word_list_find(&draft->words, json_string_value(token), json_string_length(token));
    if (draft->unknown == WORD_NONE)
        program_note("%s: the oov_token has no id: unknown words are dropped, as Keras does",
                     reader->name);
}

/* ---- The file ---- */

void keras_json_read(struct tokenizer_draft *draft, const char *path, const char *data, size_t len)
{
    struct reader reader = {.draft = draft};
    struct keras_rules rules = KERAS_DEFAULTS;
    json_error_t error;
    json_t *root = parse(data, len, &error);
    reader.config = json_object_get(root, "config");
    snprintf(reader.name, sizeof reader.name, "'%s'", path);
    if (root == NULL)
        file_die(reader.name, ", line %d: not JSON: %s", error.line, error.text);
    if (!json_is_object(reader.config))
        file_die(reader.name, "not from Keras' Tokenizer.to_json(): it has no 'config'");
    read_rules(&reader, &rules);
    read_words(&reader);
    read_unknown(&reader);
    if (draft->words.n == 0)
        file_die(reader.name, "has no words");
    draft_set_rules(draft, &rules);
}
