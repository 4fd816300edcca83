/* json_input.c - JSON lines with jansson; see json_input.h.
 *
 * jansson refuses bytes that are not UTF-8 and escapes of half a surrogate pair. Text is full of
 * both, so they are replaced first, as a decoder of text would.
 */
#include "tools/common/texts/json_input.h"

#include "tools/common/options.h"
#include "tools/common/utf8.h"

#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECTED                                                                                   \
    "expected \"text\", [\"text\", \"pair\"], {\"text\": \"…\", \"pair\": \"…\"} or "          \
    "{\"ids\": […], \"types\": […], \"mask\": […]}"

/* The members of an object, by their keys. */
enum member { TEXT, PAIR, IDS, TYPES, MASK, N_MEMBERS };
static const char *const KEYS[N_MEMBERS] = {"text", "pair", "ids", "types", "mask"};

__attribute__((format(printf, 2, 3))) static bool fail(char *message, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, JSON_MESSAGE_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Before parsing ---- */

/* The number of an escape \uXXXX at text, or -1. */
static int32_t unicode_escape(const char *text, size_t len)
{
    int32_t value = 0;
    if (len < 6 || text[0] != '\\' || text[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        int digit = tolower((unsigned char)text[i]);
        if (!isxdigit(digit))
            return -1;
        value = value * 16 + (isdigit(digit) ? digit - '0' : digit - 'a' + 10);
    }
    return value;
}

static bool is_between(int32_t value, int32_t first, int32_t last)
{
    return value >= first && value <= last;
}

/* \ud800 alone becomes \ufffd, in place. A backslash outside of strings is an error whatever
 * follows it, so strings need not be told from the rest. */
static void replace_lone_surrogates(char *text, size_t len)
{
    size_t at = 0;
    while (at + 1 < len) {
        if (text[at] != '\\') {
            at++;
            continue;
        }
        int32_t first = unicode_escape(text + at, len - at);
        if (first < 0) {
            at += 2;
            continue;
        }
        int32_t second = len - at > 6 ? unicode_escape(text + at + 6, len - at - 6) : -1;
        if (is_between(first, 0xD800, 0xDBFF) && is_between(second, 0xDC00, 0xDFFF)) {
            at += 12;
            continue;
        }
        if (is_between(first, 0xD800, 0xDFFF))
            memcpy(text + at + 2, "fffd", 4);
        at += 6;
    }
}

static json_t *parse(char *line, size_t len, char *message)
{
    bool invalid;
    size_t repaired_len = utf8_repaired_len(line, len, &invalid);
    char *repaired = NULL;
    json_error_t error;

    replace_lone_surrogates(line, len);
    if (invalid) {
        repaired = malloc(repaired_len);
        if (!repaired) {
            fail(message, "not enough memory");
            return NULL;
        }
        utf8_repair(line, len, repaired);
    }
    json_t *value = json_loadb(invalid ? repaired : line, invalid ? repaired_len : len,
                               JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    free(repaired);
    if (!value)
        fail(message, "this is not JSON: %s, at byte %d", error.text, error.position);
    return value;
}

/* ---- Texts ---- */

static bool set_texts(const json_t *text, const json_t *pair, struct record *record, char *message)
{
    size_t text_len = json_string_length(text);
    size_t pair_len = pair ? json_string_length(pair) : 0;
    char *storage = malloc(text_len + pair_len + 1);
    if (!storage)
        return fail(message, "not enough memory");
    memcpy(storage, json_string_value(text), text_len);
    if (pair)
        memcpy(storage + text_len, json_string_value(pair), pair_len);
    record->storage = storage;
    record->input = (engine_input){.text = storage,
                                   .text_len = text_len,
                                   .pair = pair ? storage + text_len : NULL,
                                   .pair_len = pair_len};
    return true;
}

static bool read_array(const json_t *array, struct record *record, char *message)
{
    const json_t *text = json_array_get(array, 0), *pair = json_array_get(array, 1);
    if (json_array_size(array) != 2 || !json_is_string(text) || !json_is_string(pair))
        return fail(message, "this array is not two strings; " EXPECTED);
    return set_texts(text, pair, record, message);
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

static bool read_ids(const json_t *const members[N_MEMBERS], struct record *record, char *message)
{
    size_t n = json_array_size(members[IDS]);
    for (enum member i = IDS; i <= MASK; i++)
        if (members[i] &&
            !check_numbers(members[i], KEYS[i], n, i == MASK ? 1 : INT32_MAX, message))
            return false;
    /* One byte more, so that no ids at all have an address: ids that are NULL mean a text. */
    int32_t *ids = malloc(n * (2 * sizeof *ids + 1) + 1);
    if (!ids)
        return fail(message, "not enough memory");
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

static bool fail_unknown_key(const char *key, char *message)
{
    size_t len = strlen(key), most = 40;
    if (len > most)
        for (len = most; len > 0 && ((unsigned char)key[len] & 0xC0) == 0x80;)
            len--;
    return fail(message, "the key \"%.*s%s\" is not known; " EXPECTED, (int)len, key,
                key[len] ? "…" : "");
}

/* A member that is null is as good as absent. */
static bool find_members(json_t *object, const json_t *members[N_MEMBERS], char *message)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        size_t i = 0;
        while (i < N_MEMBERS && strcmp(KEYS[i], key) != 0)
            i++;
        if (i == N_MEMBERS)
            return fail_unknown_key(key, message);
        members[i] = json_is_null(value) ? NULL : value;
    }
    return true;
}

static bool read_object(json_t *object, struct record *record, char *message)
{
    const json_t *members[N_MEMBERS] = {NULL};
    if (!find_members(object, members, message))
        return false;
    if (members[IDS] && (members[TEXT] || members[PAIR]))
        return fail(message, "\"ids\" goes without \"text\" and \"pair\"; " EXPECTED);
    if (members[IDS])
        return read_ids(members, record, message);
    if (members[TYPES] || members[MASK])
        return fail(message, "\"types\" and \"mask\" go with \"ids\"; " EXPECTED);
    if (!members[TEXT])
        return fail(message, "this object has no \"text\" and no \"ids\"; " EXPECTED);
    for (enum member i = TEXT; i <= PAIR; i++)
        if (members[i] && !json_is_string(members[i]))
            return fail(message, "\"%s\" is not a string; " EXPECTED, KEYS[i]);
    return set_texts(members[TEXT], members[PAIR], record, message);
}

static bool read_value(json_t *value, struct record *record, char *message)
{
    if (json_is_string(value))
        return set_texts(value, NULL, record, message);
    if (json_is_array(value))
        return read_array(value, record, message);
    if (json_is_object(value))
        return read_object(value, record, message);
    return fail(message, "this value is no text; " EXPECTED);
}

static bool is_empty_line(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            return false;
    return true;
}

bool json_input_read(char *line, size_t len, struct record *record,
                     char message[JSON_MESSAGE_BYTES])
{
    *record = (struct record){0};
    if (is_empty_line(line, len))
        return fail(message, "this line is empty; " EXPECTED);
    json_t *value = parse(line, len, message);
    bool is_read = value && read_value(value, record, message);
    json_decref(value);
    return is_read;
}
