/* status.c - statuses and their messages. */
#include "engine/status.h"

#include "model/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

/* Line separators, controls and formats, which in utf8proc's list of categories are neighbours; but
 * not the joiners, U+200C and U+200D, which only choose the forms of letters. */
static bool is_hidden(utf8proc_int32_t character)
{
    utf8proc_category_t category = utf8proc_category(character);
    return category >= UTF8PROC_CATEGORY_ZL && category <= UTF8PROC_CATEGORY_CF &&
           character != 0x200C && character != 0x200D;
}

/* What a file says must not command a terminal: each hidden character, and each byte that is not
 * UTF-8, becomes one '?'. */
static void replace_hidden(char *text)
{
    char *out = text;
    for (size_t len; *text != '\0'; text += len) {
        utf8proc_int32_t character;
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text, -1, &character);
        len = n > 0 ? (size_t)n : 1;
        if (n <= 0 || is_hidden(character))
            *out++ = '?';
        else
            out = (char *)memmove(out, text, len) + len;
    }
    *out = '\0';
}

engine_status fail(engine_error *error, engine_status status, const char *format, ...)
{
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        replace_hidden(error->message);
        error->status = status;
    }
    return status;
}

engine_status succeed(engine_error *error)
{
    if (error != NULL) {
        error->status = ENGINE_OK;
        error->message[0] = '\0';
    }
    return ENGINE_OK;
}

engine_status answer_count(engine_error *error, const char *things, size_t n, size_t cap,
                           size_t *needed)
{
    if (needed != NULL)
        *needed = n;
    return n <= cap ? succeed(error)
                    : fail(error, ENGINE_ERROR_BUFFER, "the text has %zu %s, the buffer takes %zu",
                           n, things, cap);
}

size_t usable_bytes(const char *name, size_t struct_bytes, size_t first_bytes, size_t own_bytes,
                    engine_error *error)
{
    if (struct_bytes == 0)
        return first_bytes;
    if (struct_bytes == first_bytes || struct_bytes == own_bytes)
        return struct_bytes;
    fail(error, ENGINE_ERROR_ARGUMENT,
         "%s.struct_bytes is %zu, expected sizeof the struct, which is %zu, or 0", name,
         struct_bytes, own_bytes);
    return 0;
}

engine_status read_struct(const char *name, const void *given, size_t first_bytes, void *own,
                          size_t own_bytes, engine_error *error)
{
    size_t struct_bytes;
    memset(own, 0, own_bytes);
    if (given == NULL)
        return ENGINE_OK;
    memcpy(&struct_bytes, given, sizeof struct_bytes);
    size_t n = usable_bytes(name, struct_bytes, first_bytes, own_bytes, error);
    if (n == 0)
        return ENGINE_ERROR_ARGUMENT;
    memcpy(own, given, n);
    return ENGINE_OK;
}

size_t text_bytes(const char *text, size_t len)
{
    return text == NULL ? 0 : len == ENGINE_NUL_TERMINATED ? strlen(text) : len;
}

#define ONE_MORE(choice, value) _Static_assert((int)(choice) == (int)(value) + 1, #choice)
ONE_MORE(ENGINE_POOLING_NONE, POOLING_NONE);
ONE_MORE(ENGINE_POOLING_POOLER, POOLING_POOLER);
ONE_MORE(ENGINE_MASK_FULL, MASK_FULL);
ONE_MORE(ENGINE_MASK_CAUSAL, MASK_CAUSAL);
ONE_MORE(ENGINE_POSITION_NONE, POSITION_NONE);
ONE_MORE(ENGINE_POSITION_EXPONENTIAL, POSITION_EXPONENTIAL);

int64_t choice_value(int choice, int64_t own)
{
    return choice == 0 ? own : (int64_t)choice - 1;
}

int choice_of(int64_t value)
{
    return value < 0 ? -1 : (int)value + 1;
}
