/* keras.c - see keras.h. */
#include "tools/writer/tokenizer/keras.h"

#include "model/unicode/unicode.h"
#include "tools/common/alloc.h"
#include "tools/common/line_reader.h"
#include "tools/common/options.h"
#include "tools/common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Texts, as Keras' Tokenizer.fit_on_texts reads them ----
 *
 * Each line is a text: it is put into lower case, and words are what is between blanks and
 * characters of the filter list. Ids: 0 is padding and has no text, 1 the token for unknown words
 * (if there is one), then the words, the most frequent first, equally frequent ones in the order in
 * which they first occur. */

size_t text_lower(const char *text, size_t len, bool lower, char *out)
{
    size_t out_len = 0;
    for (size_t at = 0; at < len;) {
        const struct letter letter = letter_read(text, len, at, lower);
        for (size_t i = 0; i < letter.n_codes; i++)
            out_len += utf8_encode(letter.codes[i], out + out_len);
        at += letter.len;
    }
    return out_len;
}

/* How often a word occurs; its id says where it occurs first. */
struct count {
    size_t id, n;
};

struct counts {
    struct word_list words; /* in the order in which they first occur */
    struct count *counts;   /* [words.n], room for words.cap */
};

static void count_word(struct counts *counts, const char *word, size_t len)
{
    size_t id = word_list_find(&counts->words, word, len);
    if (id == WORD_NONE) {
        const size_t cap = counts->words.cap;
        id = counts->words.n;
        word_list_append(&counts->words, word, len);
        if (counts->words.cap > cap)
            counts->counts =
                alloc_resize(counts->counts, counts->words.cap, sizeof *counts->counts);
        counts->counts[id] = (struct count){.id = id};
    }
    counts->counts[id].n++;
}

static void count_line(struct counts *counts, bool lower, const char *line, size_t line_len)
{
    char *text = alloc_resize(NULL, 3 * line_len + 1, 1);
    size_t len = text_lower(line, line_len, lower, text);
    for (size_t at = 0, begin = 0; at <= len; at++) {
        if (at < len && text[at] != ' ' &&
            memchr(KERAS_FILTERS, text[at], sizeof KERAS_FILTERS - 1) == NULL)
            continue;
        if (at > begin)
            count_word(counts, text + begin, at - begin);
        begin = at + 1;
    }
    alloc_free(text);
}

static int by_count(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

/* Appends padding, the token for unknown words, and the counted words. */
static void append_counted(struct tokenizer_draft *draft, const char *path, struct counts *counts,
                           const struct fit_options *options)
{
    struct word_list *words = &draft->words;
    size_t most = options->num_words > 0 ? options->num_words : SIZE_MAX, n_words = 0;
    word_list_append(words, NULL, 0);
    if (options->oov[0] != '\0') {
        draft->unknown = words->n;
        word_list_append(words, options->oov, strlen(options->oov));
    }
    qsort(counts->counts, counts->words.n, sizeof *counts->counts, by_count);
    for (size_t i = 0; i < counts->words.n && n_words < most; i++) {
        const char *word = counts->words.texts[counts->counts[i].id];
        size_t len = counts->words.lens[counts->counts[i].id];
        if (counts->counts[i].n < options->min_count)
            break;
        if (word_list_find(words, word, len) == WORD_NONE) {
            word_list_append(words, word, len);
            n_words++;
        }
    }
    if (n_words == 0 && options->min_count > 1)
        program_die("'%s': --min-count %zu leaves no word of it", path, options->min_count);
    if (n_words == 0)
        program_die("'%s': there is no word in it but that of --oov", path);
}

void keras_fit(struct tokenizer_draft *draft, const char *path, const struct fit_options *options)
{
    struct counts counts = {0};
    struct line_reader reader;
    enum line_state state;
    char *line;
    size_t len;
    input_remember(path);
    int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        program_die("cannot read '%s': %s", path, strerror(errno));
    line_reader_begin(&reader, fd);
    while ((state = line_reader_next(&reader, true, &line, &len)) == LINE_READ)
        count_line(&counts, draft->lower, line, len);
    if (state == LINE_TOO_LONG)
        program_die("'%s': line %zu is longer than 64 MiB", path, reader.n_lines + 1);
    if (state != LINE_END)
        program_die("cannot read '%s': %s", path, strerror(reader.error));
    if (counts.words.n == 0)
        program_die("'%s': there is no word in it", path);
    append_counted(draft, path, &counts, options);
    line_reader_free(&reader);
    if (fd != STDIN_FILENO)
        close(fd);
}

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
