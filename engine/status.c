/* status.c - statuses and their messages. */
#include "engine/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

/* Returns whether a character is a line separator, control or format, which are neighbours in
 * utf8proc's list of categories; but not a joiner, U+200C or U+200D, which only affects letter
 * forms. */
static bool is_hidden(utf8proc_int32_t character)
{
    utf8proc_category_t category = utf8proc_category(character);
    return category >= UTF8PROC_CATEGORY_ZL && category <= UTF8PROC_CATEGORY_CF &&
           character != 0x200C && character != 0x200D;
}

/* A file's text must not control a terminal: each hidden character, and each byte that is not
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

engine_status fail_input(engine_error *error, engine_status status, engine_reason reason,
                         size_t input, const char *format, ...)
{
    if (error == NULL)
        return status;
    *error = (engine_error){.status = status, .reason = reason, .input = input};
    if (input != ENGINE_NO_INPUT)
        error->name_len =
            (size_t)snprintf(error->message, sizeof error->message,
                             input == ENGINE_QUERY_INPUT ? "the query" : "input %zu", input);
    char *words = error->message + error->name_len;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof error->message - error->name_len, format, arguments);
    va_end(arguments);
    replace_hidden(words);
    return status;
}

engine_status succeed(engine_error *error)
{
    if (error != NULL)
        *error = (engine_error){.input = ENGINE_NO_INPUT};
    return ENGINE_OK;
}

engine_status answer_count(engine_error *error, const char *things, size_t n, size_t cap,
                           size_t *needed)
{
    if (needed != NULL)
        *needed = n;
    return n <= cap ? succeed(error)
                    : fail(error, ENGINE_ERROR_BUFFER,
                           "the answer has %zu %s, the buffer takes %zu", n, things, cap);
}

engine_status read_struct(const char *initialiser, const void *given, void *own, size_t own_bytes,
                          engine_error *error)
{
    size_t struct_bytes = own_bytes;
    if (given != NULL)
        memcpy(&struct_bytes, given, sizeof struct_bytes);
    if (struct_bytes != own_bytes)
        return misused(error, "struct_bytes is %zu, expected %zu: initialise the struct with %s()",
                       struct_bytes, own_bytes, initialiser);
    memset(own, 0, own_bytes);
    memcpy(own, &struct_bytes, sizeof struct_bytes);
    if (given != NULL)
        memcpy(own, given, own_bytes);
    return ENGINE_OK;
}

size_t text_bytes(const char *text, size_t len)
{
    return text == NULL ? 0 : len == ENGINE_NUL_TERMINATED ? strlen(text) : len;
}
