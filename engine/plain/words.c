/* words.c - see words.h: decode, normalize, split, look up. */
#include "engine/plain/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

enum { MAX_WORD = 100, MAX_PREFIX = 64, UTF8_MOST = 4, PARTS_MOST = 24 };

/* A character, and the bytes of the text that it was made from. */
struct character {
    int32_t code;
    size_t begin, end;
};

static struct character *decode(const char *text, size_t *n)
{
    size_t len = strlen(text), i = 0;
    struct character *read = plain_new(len, sizeof *read);
    for (*n = 0; i < len; i = read[(*n)++].end) {
        int32_t code;
        utf8proc_ssize_t size =
            utf8proc_iterate((const uint8_t *)text + i, (utf8proc_ssize_t)(len - i), &code);
        read[*n] =
            (struct character){size > 0 ? code : 0xFFFD, i, i + (size_t)(size > 0 ? size : 1)};
    }
    return read;
}

/* A setting of the tokenizer that is a number; 0 if it is absent. */
static int32_t number(const struct plain_weights *weights, const char *key)
{
    return (int32_t)strtol(plain_setting(&weights->tokn, key, "0"), NULL, 10);
}

/* ---- The normalizer "clean space_cjk nfd drop_nonspacing lower" ---- */

static bool is_blank(int32_t c)
{
    utf8proc_category_t kind = utf8proc_category(c);
    return (c >= '\t' && c <= '\r') || c == 0x85 || kind == UTF8PROC_CATEGORY_ZS ||
           kind == UTF8PROC_CATEGORY_ZL || kind == UTF8PROC_CATEGORY_ZP;
}

static bool is_dropped(int32_t c)
{
    utf8proc_category_t kind = utf8proc_category(c);
    return c != '\t' && c != '\n' && c != '\r' &&
           (c == 0 || c == 0xFFFD || kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CF ||
            kind == UTF8PROC_CATEGORY_CO);
}

static bool is_cjk(int32_t c)
{
    static const int32_t ranges[][2] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF},
                                        {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF},
                                        {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

static struct character *normalize(const struct character *read, size_t n, size_t *n_out)
{
    struct character *out = plain_new(n * (PARTS_MOST + 2), sizeof *out);
    *n_out = 0;
    for (size_t i = 0; i < n; i++) {
        const struct character blank = {' ', read[i].begin, read[i].end};
        const int32_t code = is_blank(read[i].code) ? ' ' : read[i].code;
        int32_t parts[PARTS_MOST];
        int boundary = 0;
        if (is_dropped(read[i].code))
            continue;
        if (is_cjk(code))
            out[(*n_out)++] = blank;
        utf8proc_ssize_t n_parts =
            utf8proc_decompose_char(code, parts, PARTS_MOST, UTF8PROC_DECOMPOSE, &boundary);
        for (utf8proc_ssize_t k = 0; k < n_parts; k++)
            if (utf8proc_category(parts[k]) != UTF8PROC_CATEGORY_MN)
                out[(*n_out)++] =
                    (struct character){utf8proc_tolower(parts[k]), read[i].begin, read[i].end};
        if (is_cjk(code))
            out[(*n_out)++] = blank;
    }
    return out;
}

/* ---- Words: the splitter "blanks punctuation" ---- */

static bool is_punctuation(int32_t c)
{
    utf8proc_category_t kind = utf8proc_category(c);
    bool is_symbol = c > ' ' && c < 127 && kind != UTF8PROC_CATEGORY_LU &&
                     kind != UTF8PROC_CATEGORY_LL && kind != UTF8PROC_CATEGORY_ND;
    return is_symbol || (kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO);
}

/* The end of the word at characters[i]; punctuation is a word by itself. */
static size_t word_end(const struct character *characters, size_t n, size_t i)
{
    if (is_punctuation(characters[i].code))
        return i + 1;
    while (i < n && characters[i].code != ' ' && !is_punctuation(characters[i].code))
        i++;
    return i;
}

/* The id of the longest piece with which word [n] begins, after the prefix, and its length; -1 if
 * there is none. */
static int32_t longest_piece(const struct plain_weights *weights, const struct character *word,
                             size_t n, const char *prefix, size_t *len)
{
    char piece[MAX_PREFIX + UTF8_MOST * MAX_WORD];
    size_t n_bytes = strnlen(prefix, MAX_PREFIX), ends[MAX_WORD];
    memcpy(piece, prefix, n_bytes);
    for (size_t i = 0; i < n; i++)
        ends[i] = n_bytes += (size_t)utf8proc_encode_char(word[i].code, (uint8_t *)piece + n_bytes);
    for (*len = n; *len > 0; --*len) {
        int32_t id = plain_word(weights, piece, ends[*len - 1]);
        if (id >= 0)
            return id;
    }
    return -1;
}

/* Writes the tokens of a word [n], or one that is unknown if a piece is missing. Returns their
 * number. */
static size_t word_tokens(const struct plain_weights *weights, const struct character *word,
                          size_t n, struct plain_token *out)
{
    size_t n_out = 0, len;
    for (size_t i = 0; i < n && n <= MAX_WORD; i += len) {
        const char *prefix = i > 0 ? plain_setting(&weights->tokn, "prefix", "##") : "";
        int32_t id = longest_piece(weights, word + i, n - i, prefix, &len);
        if (id < 0)
            break;
        out[n_out++] = (struct plain_token){id, word[i].begin, word[i + len - 1].end};
        if (i + len == n)
            return n_out;
    }
    *out = (struct plain_token){number(weights, "unknown"), word->begin, word[n - 1].end};
    return 1;
}

/* ---- The text ---- */

static bool is_set(const struct plain_weights *weights, const char *key, const char *value)
{
    return strcmp(plain_setting(&weights->tokn, key, "no"), value) == 0;
}

/* The tokenizer `blanks`: what is between two blanks is a word, and is looked up as it is. */
static size_t split_at_blanks(const struct plain_weights *weights, const char *text,
                              const struct character *characters, size_t n, struct plain_token *out)
{
    size_t n_out = 0;
    for (size_t i = 0, end; i < n; i = end + 1) {
        for (end = i; end < n && !is_blank(characters[end].code);)
            end++;
        if (end == i)
            continue;
        const size_t begin = characters[i].begin, len = characters[end - 1].end - begin;
        int32_t id = plain_word(weights, text + begin, len);
        out[n_out++] =
            (struct plain_token){id >= 0 ? id : number(weights, "unknown"), begin, begin + len};
    }
    return n_out;
}

/* BERT's: words and punctuation, in pieces. */
static size_t split_in_pieces(const struct plain_weights *weights,
                              const struct character *characters, size_t n, struct plain_token *out)
{
    size_t n_out = 0;
    for (size_t i = 0, end; i < n; i = end) {
        bool is_word = characters[i].code != ' ';
        end = is_word ? word_end(characters, n, i) : i + 1;
        n_out += is_word ? word_tokens(weights, characters + i, end - i, out + n_out) : 0;
    }
    return n_out;
}

struct plain_token *plain_tokens(const struct plain_weights *weights, const char *text, size_t *n)
{
    const bool is_bert =
        is_set(weights, "kind", "wordpiece") &&
        is_set(weights, "normalizer", "clean space_cjk nfd drop_nonspacing lower") &&
        is_set(weights, "splitter", "blanks punctuation") && is_set(weights, "max_word", "100");
    if (!is_bert && !(is_set(weights, "kind", "blanks") && is_set(weights, "lower", "no")))
        return NULL;
    size_t n_read, n_characters;
    struct character *read = decode(text, &n_read);
    struct character *characters = normalize(read, n_read, &n_characters);
    const char *frame = plain_setting(&weights->tokn, "single", "A:0");
    const int32_t padded = number(weights, "padded_tokens");
    const size_t n_padded = padded > 0 ? (size_t)padded : 0;
    struct plain_token *tokens =
        plain_new((n_characters + 1) * (strlen(frame) + 1) + n_padded, sizeof *tokens);
    *n = 0;
    for (const char *piece = frame; piece; piece = strchr(piece, ' ')) {
        piece += *piece == ' ';
        if (*piece != 'A')
            tokens[(*n)++].id = (int32_t)strtol(piece, NULL, 10);
        else if (is_bert)
            *n += split_in_pieces(weights, characters, n_characters, tokens + *n);
        else
            *n += split_at_blanks(weights, text, read, n_read, tokens + *n);
    }
    while (*n < n_padded)
        tokens[(*n)++].id = number(weights, "padding");
    free(read);
    free(characters);
    return tokens;
}
