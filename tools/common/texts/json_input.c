/* json_input.c - JSON lines with jansson; see json_input.h.
 *
 * jansson refuses bytes that are not UTF-8 and escapes of half a surrogate pair. Text is full of
 * both, so they are replaced first, as a decoder of text would.
 */
#include "tools/common/texts/json_input.h"

#include "tools/common/alloc.h"
#include "tools/common/print/display.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of one line; each is looked for from its start. */
enum { MOST_LARGE = 16 };

#define EXPECTED                                                                                   \
    "expected \"text\", [\"text\", \"pair\"], {\"text\": \"…\", \"pair\": \"…\"} or "          \
    "{\"ids\": […], \"types\": […], \"mask\": […]}"

/* The members of an object that are read, by their keys: the members that make the input, then
 * the members that are also copied. */
enum member {
    TEXT,
    PAIR,
    IDS,
    TYPES,
    MASK,
    N_OF_INPUT,
    TITLE = N_OF_INPUT,
    ID,
    BEIR_ID,
    N_MEMBERS
};
static const char *const KEYS[N_MEMBERS] = {"text", "pair",  "ids", "types",
                                            "mask", "title", "id",  "_id"};

static bool PROGRAM_PRINTF(2, 3) fail(char *message, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, JSON_MESSAGE_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Before parsing ---- */

/* The number of an escape \uXXXX, or 0. */
static unsigned long unicode_escape(const char *text)
{
    char digits[5] = "";
    if (strncmp(text, "\\u", 2) != 0 || strspn(text + 2, "0123456789abcdefABCDEF") < 4)
        return 0;
    return strtoul(memcpy(digits, text + 2, 4), NULL, 16);
}

/* \ud800 alone becomes \ufffd, in place. Returns whether there was one. A backslash outside of
 * strings is always an error, so strings need not be found. The text ends with a NUL byte. */
static bool replace_lone_surrogates(char *text, size_t len)
{
    const char *end = text + len;
    bool is_changed = false;
    for (char *at = text; at < end && (at = memchr(at, '\\', (size_t)(end - at))) != NULL;) {
        const unsigned long first = unicode_escape(at);
        const bool is_surrogate = (first & 0xF800) == 0xD800;
        const bool is_pair =
            (first & 0xFC00) == 0xD800 && (unicode_escape(at + 6) & 0xFC00) == 0xDC00;
        if (is_surrogate && !is_pair)
            is_changed = memcpy(at + 2, "fffd", 4);
        at += is_pair ? 12 : first ? 6 : 2;
    }
    return is_changed;
}

/* To be freed. A NUL byte follows. U+FFFD takes three bytes. */
static char *repair(const char *line, size_t len, size_t *repaired_len, struct record *record)
{
    char *repaired = alloc_resize(NULL, 3 * len + 1, 1), *end = repaired;
    uint32_t character;
    for (size_t at = 0; at < len; end += utf8_put(character, end))
        at += utf8_next(line + at, len - at, &character);
    *end = '\0';
    *repaired_len = (size_t)(end - repaired);
    const bool is_utf8 = *repaired_len == len && memcmp(repaired, line, len) == 0;
    record->has_half_pair = replace_lone_surrogates(repaired, *repaired_len) && is_utf8;
    record->is_repaired = !is_utf8 || record->has_half_pair;
    return repaired;
}

/* The value of a line with some numbers that are too large for jansson: the error is at the end of
 * the first. What is kept of it are its characters, so any number may replace it: one that is not
 * whole, which no id of a token is. */
static json_t *parse_large(const char *line, size_t len, size_t flags, json_error_t *error)
{
    char *copy = memcpy(alloc_zeros(len, 1), line, len);
    json_t *value = NULL;
    for (size_t i = 0; i < MOST_LARGE && !value; i++) {
        if (json_error_code(error) != json_error_numeric_overflow)
            break;
        size_t end = (size_t)error->position, begin = end;
        while (begin > 0 && strchr("0123456789+-.eE", copy[begin - 1]))
            begin--;
        memset(copy + begin, ' ', end - begin);
        memcpy(copy + begin, "0.5", 3);
        value = json_loadb(copy, len, flags, error);
    }
    free(copy);
    return value;
}

json_t *json_input_parse(const char *line, size_t len, char message[JSON_MESSAGE_BYTES])
{
    const char *nul = memchr(line, '\0', len); /* jansson ignores one after a number */
    const size_t flags = JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES;
    json_error_t error;
    if (nul) {
        fail(message, "this is not JSON: a NUL byte, at byte %zu", (size_t)(nul - line) + 1);
        return NULL;
    }
    json_t *value = json_loadb(line, len, flags, &error);
    if (!value)
        value = parse_large(line, len, flags, &error);
    if (!value)
        fail(message, "this is not JSON: %s, at byte %d", error.text, error.position);
    return value;
}

/* ---- Texts ---- */

/* NULL: nothing. Returns the end. */
static char *append_string(char *out, const json_t *string)
{
    size_t len = json_string_length(string);
    return len ? mempcpy(out, json_string_value(string), len) : out;
}

/* title and pair may be NULL. The title is written before the text, with a blank between. Returns
 * true. */
static bool set_texts(const json_t *title, const json_t *text, const json_t *pair,
                      struct record *record)
{
    const bool has_blank = json_string_length(title) > 0 && json_string_length(text) > 0;
    const size_t pair_len = json_string_length(pair);
    const size_t text_len = json_string_length(title) + has_blank + json_string_length(text);
    char *storage = alloc_zeros(text_len + pair_len, 1), *end = append_string(storage, title);
    if (has_blank)
        *end++ = ' ';
    end = append_string(end, text);
    append_string(end, pair);
    record->storage = storage;
    record->input = (engine_input){
        .text = storage, .text_len = text_len, .pair = pair ? end : NULL, .pair_len = pair_len};
    return true;
}

/* ---- Ids ---- */

/* Of an array that is absent: 0. */
static json_int_t number_at(const json_t *array, size_t i)
{
    return json_integer_value(json_array_get(array, i));
}

static bool check_numbers(const json_t *array, const char *key, size_t n, json_int_t most,
                          char *message)
{
    if (!json_is_array(array))
        return fail(message, "\"%s\" is not an array of whole numbers", key);
    if (json_array_size(array) != n)
        return fail(message, "\"%s\" has %zu number%s where \"ids\" has %zu", key,
                    json_array_size(array), plural(json_array_size(array)), n);
    for (size_t i = 0; i < n; i++)
        if (!json_is_integer(json_array_get(array, i)) || number_at(array, i) < 0 ||
            number_at(array, i) > most)
            return fail(message, "\"%s\"[%zu] is not a whole number from 0 to %lld", key, i,
                        (long long)most);
    return true;
}

static bool set_ids(const json_t *const members[N_MEMBERS], struct record *record, char *message)
{
    size_t n = json_array_size(members[IDS]);
    for (enum member i = IDS; i <= MASK; i++)
        if (members[i] &&
            !check_numbers(members[i], KEYS[i], n, i == MASK ? 1 : INT32_MAX, message))
            return false;
    int32_t *ids = alloc_zeros(n, 2 * sizeof *ids + 1); /* not NULL, which would mean a text */
    int32_t *types = ids + n;
    uint8_t *mask = (uint8_t *)(types + n);
    for (size_t i = 0; i < n; i++) {
        ids[i] = (int32_t)number_at(members[IDS], i);
        types[i] = (int32_t)number_at(members[TYPES], i);
        mask[i] = (uint8_t)number_at(members[MASK], i);
    }
    record->storage = ids;
    record->input = (engine_input){.ids = ids,
                                   .types = members[TYPES] ? types : NULL,
                                   .mask = members[MASK] ? mask : NULL,
                                   .n_ids = n};
    return true;
}

/* ---- Objects ---- */

static bool is_of_input(const char *key)
{
    enum member i = 0;
    while (i < N_OF_INPUT && strcmp(KEYS[i], key) != 0)
        i++;
    return i < N_OF_INPUT;
}

/* Reads an object. A member that is null counts as absent. A title is used as BEIR does for the
 * texts of a corpus. */
static bool read_object(json_t *object, struct record *record, char *message)
{
    const json_t *members[N_MEMBERS];
    for (enum member i = 0; i < N_MEMBERS; i++) {
        const json_t *value = json_object_get(object, KEYS[i]);
        members[i] = json_is_null(value) ? NULL : value;
    }
    const enum member name = members[BEIR_ID] ? BEIR_ID : ID;
    const bool has_title = members[BEIR_ID] && json_is_string(members[TITLE]);
    if (members[name] && !json_is_string(members[name]) && !json_is_number(members[name]))
        return fail(message, "\"%s\" is neither a string nor a number", KEYS[name]);
    if (members[IDS] && (members[TEXT] || members[PAIR]))
        return fail(message, "\"ids\" cannot be combined with \"text\" and \"pair\"; " EXPECTED);
    if (members[IDS])
        return set_ids(members, record, message);
    if (members[TYPES] || members[MASK])
        return fail(message, "\"types\" and \"mask\" require \"ids\"; " EXPECTED);
    if (!members[TEXT])
        return fail(message, "this object has no \"text\" and no \"ids\"; " EXPECTED);
    for (enum member i = TEXT; i <= PAIR; i++)
        if (members[i] && !json_is_string(members[i]))
            return fail(message, "\"%s\" is not a string; " EXPECTED, KEYS[i]);
    return set_texts(has_title ? members[TITLE] : NULL, members[TEXT], members[PAIR], record);
}

/* ---- Members that are kept: read from the text of an object and from jansson's parsed object,
 * which keeps their order. ---- */

static const char BLANKS[] = " \t\r\n";

/* Returns the end of a string, after its closing quote. */
static const char *skip_string(const char *at)
{
    for (at++; *at != '"'; at++)
        at += *at == '\\';
    return at + 1;
}

static const char *skip_value(const char *at)
{
    size_t depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        depth += *at == '{' || *at == '[';
        depth -= *at == '}' || *at == ']';
        at++;
    } while (depth > 0 || !strchr(",]} \t\r\n", *at));
    return at;
}

/* Returns the value of the next member of an object. Moves *at, which is after "{" or a value, to
 * its end. */
static const char *next_value(const char **at, size_t *len)
{
    const char *key = *at + strspn(*at, " \t\r\n,");
    const char *colon = skip_string(key) + strspn(skip_string(key), BLANKS);
    const char *value = colon + 1 + strspn(colon + 1, BLANKS);
    *at = skip_value(value);
    *len = (size_t)(*at - value);
    return value;
}

void json_members_keep(json_t *object, const char *text, bool (*taken)(const char *key),
                       struct record *record)
{
    size_t n = 0, n_bytes = strlen(text) + 1, len;
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        n += !taken(key);
        n_bytes += strlen(key) + 1;
    }
    if (n == 0)
        return;
    struct record_member *members = alloc_zeros(n * sizeof *members + n_bytes, 1);
    char *copy = (char *)(members + n), *keys = copy + strlen(text) + 1;
    const char *at = strchr(strcpy(copy, text), '{') + 1;
    record->members = record->members_storage = members;
    json_object_foreach(object, key, value)
    {
        const char *written = next_value(&at, &len);
        if (taken(key))
            continue;
        members[record->n_members++] = (struct record_member){strcpy(keys, key), written, len};
        const bool is_first_choice = strcmp(keys, "_id") == 0;
        if (!json_is_null(value) && (is_first_choice || (!record->id && strcmp(keys, "id") == 0))) {
            record->id = written;
            record->id_len = len;
        }
        keys += strlen(key) + 1;
    }
}

/* ---- Lines ---- */

static bool read_value(json_t *value, struct record *record, char *message)
{
    if (json_is_string(value))
        return set_texts(NULL, value, NULL, record);
    if (json_is_array(value)) {
        const json_t *text = json_array_get(value, 0), *pair = json_array_get(value, 1);
        if (json_array_size(value) != 2 || !json_is_string(text) || !json_is_string(pair))
            return fail(message, "this array is not two strings; " EXPECTED);
        return set_texts(NULL, text, pair, record);
    }
    if (json_is_object(value))
        return read_object(value, record, message);
    return fail(message, "this value is not a text; " EXPECTED);
}

bool json_input_read(const char *line, size_t len, struct record *record,
                     char message[JSON_MESSAGE_BYTES])
{
    *record = (struct record){0};
    size_t n_blanks = 0;
    while (n_blanks < len && strchr(" \t\r", line[n_blanks]) && line[n_blanks])
        n_blanks++;
    if (n_blanks == len)
        return fail(message, "this line is empty; " EXPECTED);
    char *repaired = repair(line, len, &len, record);
    json_t *value = json_input_parse(repaired, len, message);
    bool is_read = value && read_value(value, record, message);
    if (is_read && json_is_object(value))
        json_members_keep(value, repaired, is_of_input, record);
    json_decref(value);
    free(repaired);
    return is_read;
}
