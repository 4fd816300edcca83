/* tokenizer_parts.c - see tokenizer_parts.h. */
#include "tools/import/tokenizer/tokenizer_parts.h"

#include "tools/common/alloc.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* More than any public vocabulary has, and few enough that a wrong number takes little memory. */
enum { MOST_IDS = 1 << 22 };

void parts_place(struct import_tokenizer *tokenizer, uint64_t id, const char *text, size_t len)
{
    struct word_list *words = &tokenizer->draft.words;
    size_t other = word_list_find(words, text, len);
    if (id >= MOST_IDS)
        file_die(tokenizer->name, "a token has the id %" PRIu64 "; expected at most %d", id,
                 MOST_IDS - 1);
    if (id < words->n && words->texts[id] != NULL)
        file_die(tokenizer->name, "two tokens have the id %" PRIu64 ": '%.100s' and '%.100s'", id,
                 words->texts[id], text);
    if (other != WORD_NONE)
        file_die(tokenizer->name, "'%.100s' is there twice, as token %zu and token %" PRIu64,
                 words->texts[other], other, id);
    word_list_place(words, (size_t)id, text, len);
}

size_t parts_special(const struct import_tokenizer *tokenizer, const char *text)
{
    size_t id = word_list_find(&tokenizer->draft.words, text, strlen(text));
    if (id == WORD_NONE)
        file_die(tokenizer->name, "the special token '%.100s' is missing", text);
    return id;
}

bool parts_is_class(const char *tokenizer_class, const char *name)
{
    size_t len = strlen(name);
    return strncmp(name, tokenizer_class, len) == 0 &&
           (tokenizer_class[len] == '\0' || strcmp(tokenizer_class + len, "Fast") == 0);
}

const char *parts_next_line(const char *text, size_t text_len, size_t *at, size_t *len)
{
    if (*at == text_len)
        return NULL;
    const char *line = text + *at, *end = memchr(line, '\n', text_len - *at);
    *len = end != NULL ? (size_t)(end - line) : text_len - *at;
    *at += *len + (end != NULL);
    *len -= *len > 0 && line[*len - 1] == '\r';
    return line;
}

void parts_frame(struct import_tokenizer *tokenizer, size_t first, size_t last, enum frame frame)
{
    snprintf(tokenizer->single, TEMPLATE_BYTES, "%zu:0 A:0 %zu:0", first, last);
    if (frame == FRAME_BERT)
        snprintf(tokenizer->pair, TEMPLATE_BYTES, "%zu:0 A:0 %zu:0 B:1 %zu:1", first, last, last);
    else
        snprintf(tokenizer->pair, TEMPLATE_BYTES, "%zu:0 A:0 %zu:0 %zu:0 B:0 %zu:0", first, last,
                 last, last);
}

/* ---- Settings ---- */

static void append(struct blank_list *list, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const size_t n = (size_t)vsnprintf(NULL, 0, format, arguments);
    if (list->len + n >= list->cap) {
        list->cap = 2 * (list->len + n) + 64;
        list->text = alloc_resize(list->text, list->cap, 1);
    }
    vsnprintf(list->text + list->len, n + 1, format, again);
    list->len += n;
    va_end(again);
}

void list_append(struct blank_list *list, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append(list, format, arguments);
    va_end(arguments);
}

void list_add(struct blank_list *list, const char *format, ...)
{
    va_list arguments;
    if (list->n++ > 0)
        list_append(list, " ");
    va_start(arguments, format);
    append(list, format, arguments);
    va_end(arguments);
}

void list_set(struct blank_list *list, struct tokenizer_draft *draft, const char *key)
{
    if (list->n > 0)
        draft_set(draft, key, list->text, list->len);
}

bool parts_have_bytes(const struct import_tokenizer *tokenizer)
{
    size_t n = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", byte);
        n += word_list_find(&tokenizer->draft.words, name, strlen(name)) != WORD_NONE;
    }
    if (n > 0 && n < 256)
        file_die(tokenizer->name,
                 "the model has 'byte_fallback', and tokens <0x00> ... of %zu bytes; "
                 "expected those of all 256, or none",
                 n);
    return n > 0;
}
