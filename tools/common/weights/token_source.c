/* token_source.c - words, word lists, and what of them is written; keras_json.c and fit.c are
 * the other sources.
 */
#include "tools/common/weights/token_source.h"

#include "tools/common/options.h"
#include "tools/common/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#define MOST_BYTES ((size_t)1 << 30)

int no_memory(void)
{
    return program_fail("out of memory");
}

bool bytes_copy_set(struct bytes_copy *copy, const char *data, size_t len)
{
    char *fresh = malloc(len + 1);
    if (fresh == NULL)
        return false;
    memcpy(fresh, data, len);
    fresh[len] = '\0';
    free(copy->data);
    *copy = (struct bytes_copy){.data = fresh, .len = len};
    return true;
}

int token_source_begin(struct token_source *source, bool is_keras)
{
    *source = (struct token_source){.is_keras = is_keras, .lower = is_keras, .unknown = WORD_NONE};
    if (!bytes_copy_set(&source->filters, KERAS_FILTERS, strlen(KERAS_FILTERS)) ||
        !bytes_copy_set(&source->split, " ", 1))
        return no_memory();
    return PROGRAM_DONE;
}

void token_source_free(struct token_source *source)
{
    word_list_free(&source->words);
    free(source->filters.data);
    free(source->split.data);
    *source = (struct token_source){.unknown = WORD_NONE};
}

static int find_unknown(struct token_source *source, bool tell)
{
    static const char *const names[] = {"[UNK]", "<unk>"};
    for (size_t i = 0; i < 2 && source->unknown == WORD_NONE; i++)
        source->unknown = word_list_find(&source->words, names[i], strlen(names[i]));
    if (source->unknown != WORD_NONE)
        return PROGRAM_DONE;
    source->unknown = source->words.n;
    if (!word_list_append(&source->words, names[0], strlen(names[0])))
        return no_memory();
    if (tell)
        program_note("the list has no [UNK] and no <unk>; [UNK] is appended as id %zu",
                     source->unknown);
    return PROGRAM_DONE;
}

int token_source_words(struct token_source *source, const char *words)
{
    static const char blanks[] = " \t\r\n\v\f";
    bool invalid = false;
    utf8_repaired_len(words, strlen(words), &invalid);
    if (invalid)
        return program_misuse("--words is not UTF-8");
    words += strspn(words, blanks);
    if (*words == '\0')
        return program_misuse("--words has no word");
    for (; *words != '\0'; words += strspn(words, blanks)) {
        size_t len = strcspn(words, blanks);
        if (word_list_find(&source->words, words, len) == WORD_NONE &&
            !word_list_append(&source->words, words, len))
            return no_memory();
        words += len;
    }
    return find_unknown(source, false);
}

/* Unicode's property White_Space, at which texts are split. */
static bool is_white_space(uint32_t character)
{
    switch (utf8proc_category((utf8proc_int32_t)character)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return true;
    default: return (character >= '\t' && character <= '\r') || character == 0x85;
    }
}

static bool has_blank(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        uint32_t character;
        at += utf8_next(text + at, len - at, &character);
        if (is_white_space(character))
            return true;
    }
    return false;
}

static int add_line(struct token_source *source, const char *path, const char *line, size_t len)
{
    size_t number = source->words.n + 1;
    if (!utf8_is_valid(line, len))
        return program_fail("'%s', line %zu: not UTF-8", path, number);
    if (!source->is_keras && has_blank(line, len))
        return program_fail(
            "'%s', line %zu: this token has a blank in it, and texts are split at blanks", path,
            number);
    size_t other = word_list_find(&source->words, line, len);
    if (other != WORD_NONE)
        return program_fail("'%s', line %zu: the same token stands in line %zu", path, number,
                            other + 1);
    return word_list_append(&source->words, line, len) ? PROGRAM_DONE : no_memory();
}

int token_source_list(struct token_source *source, const char *path, const char *data, size_t len)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    size_t at = len >= 3 && memcmp(data, byte_order_mark, 3) == 0 ? 3 : 0;
    int code = PROGRAM_DONE;
    while (at < len && code == PROGRAM_DONE) {
        const char *end = memchr(data + at, '\n', len - at);
        size_t line_len = end == NULL ? len - at : (size_t)(end - data) - at;
        size_t token_len = line_len;
        if (token_len > 0 && data[at + token_len - 1] == '\r')
            token_len--;
        code = add_line(source, path, data + at, token_len);
        at += line_len + (end != NULL);
    }
    if (code == PROGRAM_DONE && source->words.n == 0)
        return program_fail("'%s': has no tokens", path);
    return code == PROGRAM_DONE ? find_unknown(source, true) : code;
}

int token_source_add(struct token_source *source, const char *token)
{
    bool invalid = false;
    size_t len = strlen(token);
    utf8_repaired_len(token, len, &invalid);
    if (len == 0 || invalid)
        return program_misuse("--add-token takes a token that is UTF-8 and not empty");
    if (word_list_find(&source->words, token, len) != WORD_NONE)
        return PROGRAM_DONE;
    return word_list_append(&source->words, token, len) ? PROGRAM_DONE : no_memory();
}

static void setting(struct weight_writer *writer, const char *key, const char *value)
{
    weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, key, value, strlen(value));
}

static void setting_bytes(struct weight_writer *writer, const char *key, struct bytes_copy value)
{
    weight_writer_setting(writer, ENGINE_SETTINGS_TOKENIZER, key, value.data, value.len);
}

engine_status token_source_write(const struct token_source *source, struct weight_writer *writer)
{
    char number[32];
    setting(writer, "kind", source->is_keras ? "keras" : "blanks");
    setting(writer, "lower", source->lower ? "yes" : "no");
    if (source->is_keras) {
        setting_bytes(writer, "filters", source->filters);
        setting_bytes(writer, "split", source->split);
        setting(writer, "char_level", source->char_level ? "yes" : "no");
    }
    if (source->num_words > 0) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)source->num_words);
        setting(writer, "num_words", number);
    }
    if (source->unknown != WORD_NONE) {
        snprintf(number, sizeof number, "%zu", source->unknown);
        setting(writer, "unknown", number);
    }
    return weight_writer_vocabulary(writer, (const char *const *)source->words.texts,
                                    source->words.lens, source->words.n);
}

static int read_stream(const char *path, FILE *stream, char **data, size_t *len)
{
    size_t cap = 0;
    for (;;) {
        if (*len == cap) {
            cap = cap * 2 + 65536;
            char *grown = realloc(*data, cap);
            if (grown == NULL)
                return no_memory();
            *data = grown;
        }
        size_t n = fread(*data + *len, 1, cap - *len, stream);
        *len += n;
        if (ferror(stream))
            return program_fail("cannot read '%s': %s", path, strerror(errno));
        if (n == 0)
            return PROGRAM_DONE;
        if (*len > MOST_BYTES)
            return program_fail("'%s' is longer than 1 GiB", path);
    }
}

int read_whole(const char *path, char **data, size_t *len)
{
    *data = NULL;
    *len = 0;
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *stream = is_stdin ? stdin : fopen(path, "rb");
    if (stream == NULL)
        return program_fail("cannot read '%s': %s", path, strerror(errno));
    int code = read_stream(path, stream, data, len);
    if (!is_stdin)
        fclose(stream);
    if (code != PROGRAM_DONE) {
        free(*data);
        *data = NULL;
    }
    return code;
}
