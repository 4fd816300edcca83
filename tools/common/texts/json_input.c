/* json_input.c - JSON lines with jansson; see json_input.h.
 *
 * jansson refuses bytes that are not UTF-8 and escapes of half a surrogate pair. Text is full of
 * both, so they are replaced first, as a decoder of text would.
 */
#include "tools/common/texts/json_input.h"

#include "tools/common/alloc.h"
#include "tools/common/print/utf8.h"

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

/* \ud800 alone becomes \ufffd, in place. A backslash outside of strings is an error whatever
 * follows it, so strings need not be told from the rest. The text ends with a NUL byte. */
static void replace_lone_surrogates(char *text, size_t len)
{
    const char *end = text + len;
    for (char *at = text; at < end && (at = memchr(at, '\\', (size_t)(end - at))) != NULL;) {
        const unsigned long first = unicode_escape(at);
        const bool is_surrogate = (first & 0xF800) == 0xD800;
        const bool is_pair =
            (first & 0xFC00) == 0xD800 && (unicode_escape(at + 6) & 0xFC00) == 0xDC00;
        if (is_surrogate && !is_pair)
            memcpy(at + 2, "fffd", 4);
        at += is_pair ? 12 : first ? 6 : 2;
    }
}

static json_t *parse(const char *line, size_t len, char *message)
{
    const size_t repaired_len = utf8_repaired_len(line, len);
    char *repaired = alloc_zeros(repaired_len + 1, 1);
    json_error_t error;

    utf8_repair(line, len, repaired);
    replace_lone_surrogates(repaired, repaired_len);
    json_set_alloc_funcs(alloc_bytes, free);
    json_t *value = json_loadb(repaired, repaired_len,
                               JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &error);
    free(repaired);
    if (!value)
        fail(message, "this is not JSON: %s, at byte %d", error.text, error.position);
    return value;
}

/* ---- Texts ---- */

/* pair may be NULL. Returns true. */
static bool set_texts(const json_t *text, const json_t *pair, struct record *record)
{
    size_t text_len = json_string_length(text);
    size_t pair_len = json_string_length(pair);
    char *storage = alloc_zeros(text_len + pair_len, 1);
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
    return set_texts(text, pair, record);
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
    return set_texts(members[TEXT], members[PAIR], record);
}

static bool read_value(json_t *value, struct record *record, char *message)
{
    if (json_is_string(value))
        return set_texts(value, NULL, record);
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

bool json_input_read(const char *line, size_t len, struct record *record,
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
