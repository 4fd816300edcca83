/* words.c - see words.h: decode, normalize, split, look up. */
#include "engine/plain/words.h"

#include "engine/plain/config.h"

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
    struct character *read = plain_new(strlen(text), sizeof *read);
    *n = 0;
    for (size_t i = 0; text[i] != '\0'; i = read[(*n)++].end) {
        int32_t code;
        const utf8proc_ssize_t size = utf8proc_iterate((const uint8_t *)text + i, -1, &code);
        read[*n] = size > 0 ? (struct character){code, i, i + (size_t)size}
                            : (struct character){0xFFFD, i, i + 1};
    }
    return read;
}

/* ---- The normalizer of BERT ---- */

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

/* The characters that BERT's normalizer makes of those read, which are freed. */
static struct character *normalize(struct character *read, size_t *n)
{
    struct character *out = plain_new(*n * PARTS_MOST, sizeof *out);
    size_t n_out = 0;
    for (size_t i = 0; i < *n; i++) {
        const int32_t code = is_blank(read[i].code) ? ' ' : read[i].code;
        int32_t parts[PARTS_MOST];
        int boundary = 0;
        if (is_dropped(read[i].code))
            continue;
        utf8proc_ssize_t n_parts =
            utf8proc_decompose_char(code, parts, PARTS_MOST, UTF8PROC_DECOMPOSE, &boundary);
        for (utf8proc_ssize_t k = 0; k < n_parts; k++)
            if (utf8proc_category(parts[k]) != UTF8PROC_CATEGORY_MN)
                out[n_out++] =
                    (struct character){utf8proc_tolower(parts[k]), read[i].begin, read[i].end};
    }
    free(read);
    *n = n_out;
    return out;
}

/* ---- Words, and their pieces ---- */

/* Whether a character is a word by itself: punctuation, and CJK ideographs. */
static bool is_single(int32_t c)
{
    utf8proc_category_t kind = utf8proc_category(c);
    bool is_symbol = c > ' ' && c < 127 && kind != UTF8PROC_CATEGORY_LU &&
                     kind != UTF8PROC_CATEGORY_LL && kind != UTF8PROC_CATEGORY_ND;
    return is_symbol || is_cjk(c) || (kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO);
}

/* The end of the word at characters[i]; i if there is a blank. */
static size_t word_end(const struct character *characters, size_t n, size_t i, bool is_bert)
{
    const size_t first = i;
    while (i < n && !is_blank(characters[i].code) && !(is_bert && is_single(characters[i].code)))
        i++;
    return i > first || is_blank(characters[i].code) ? i : i + 1;
}

/* The id of the longest piece at the start of word [n], after the prefix, and its length; or -1. */
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

/* A setting of the tokenizer that is a number. */
static int32_t number(const struct plain_weights *weights, const char *key, const char *if_absent)
{
    return (int32_t)strtol(plain_setting(&weights->tokn, key, if_absent), NULL, 10);
}

/* Writes the tokens of a word [n], one if it is unknown: a piece is missing. Returns how many. */
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
    *out = (struct plain_token){number(weights, "unknown", "-1"), word->begin, word[n - 1].end};
    return 1;
}

/* Writes the tokens of all words: BERT's in pieces, the others as the text has them. */
static size_t split(const struct plain_weights *weights, const char *text,
                    const struct character *characters, size_t n, bool is_bert,
                    struct plain_token *out)
{
    size_t n_out = 0;
    for (size_t i = 0, end; i < n; i = end) {
        end = word_end(characters, n, i, is_bert);
        if (end == i) {
            end++;
        } else if (is_bert) {
            n_out += word_tokens(weights, characters + i, end - i, out + n_out);
        } else {
            const size_t begin = characters[i].begin, len = characters[end - 1].end - begin;
            int32_t id = plain_word(weights, text + begin, len);
            out[n_out++] = (struct plain_token){id >= 0 ? id : number(weights, "unknown", "-1"),
                                                begin, begin + len};
        }
    }
    return n_out;
}

/* ---- The text ---- */

/* The keys of TOKN that are read here, and then those that no token here depends on. */
static const char KEYS[] =
    " kind normalizer splitter max_word lower prefix unknown added dropped single padding "
    "padded_tokens max_chars mask_token pair truncate skip_weights skip_vectors ";

/* Returns whether the tokenizer is BERT's. Complains if it does not split at blanks either. */
static bool is_bert_or_blanks(const struct plain_weights *weights, char error[256])
{
    const struct plain_settings *tokn = &weights->tokn;
    const char *kind = plain_setting(tokn, "kind", "");
    const char *steps = plain_setting(tokn, "normalizer", "");
    const bool is_bert = plain_is(kind, "wordpiece") &&
                         plain_is(steps, "clean space_cjk nfd drop_nonspacing lower") &&
                         plain_is(plain_setting(tokn, "splitter", ""), "blanks punctuation") &&
                         plain_is(plain_setting(tokn, "max_word", "100"), "100");
    if (!is_bert &&
        !(plain_is(kind, "blanks") && plain_is(plain_setting(tokn, "lower", "no"), "no")))
        plain_complain(error, "its tokenizer is not BERT's: give ids, of encode --tokens -f ids");
    for (size_t i = 0; i < tokn->n; i++)
        if (!plain_is_among(tokn->pairs[i].key, KEYS))
            plain_complain(error, "TOKN: %s is not known: give ids", tokn->pairs[i].key);
    for (const char *at = plain_setting(tokn, "single", "A:0"); (at = strchr(at, ':'));)
        if (*++at != '0')
            plain_complain(error, "TOKN: single has other types than 0: give ids");
    return is_bert;
}

/* Complains of an added token in the text, or of one (flag n) that is looked for once the text is
 * normalized: how these are cut out is not here. */
static void refuse_added(const struct plain_weights *weights, const char *text, char error[256])
{
    const char *at = plain_setting(&weights->tokn, "added", NULL);
    for (size_t len; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        const char *word = plain_word_text(weights, (int32_t)strtol(at, NULL, 10), &len);
        if (at[strcspn(at, "n ")] == 'n' || (len > 0 && memmem(text, strlen(text), word, len)))
            plain_complain(error, "added tokens are not read from texts, as %.*s: give ids",
                           (int)len, word);
    }
}

struct plain_token *plain_tokens(const struct plain_weights *weights, const char *text, size_t *n,
                                 char error[256])
{
    const struct plain_settings *conf = &weights->conf, *tokn = &weights->tokn;
    const char *frame = plain_setting(tokn, "single", "A:0");
    const char *limit = plain_setting(conf, "max_tokens", "0");
    const size_t most = strtoul(plain_setting(conf, "max_text_tokens", limit), NULL, 10);
    const size_t padded = strtoul(plain_setting(tokn, "padded_tokens", "0"), NULL, 10);
    const size_t max_chars = strtoul(plain_setting(tokn, "max_chars", "0"), NULL, 10);
    const size_t n_padded = padded < most ? padded : most;
    size_t n_read, n_all = 0;
    error[0] = '\0';
    const bool is_bert = is_bert_or_blanks(weights, error);
    refuse_added(weights, text, error);
    struct character *read = decode(text, &n_read);
    const bool is_long = max_chars > 0 && n_read > max_chars;
    if (is_bert)
        read = normalize(read, &n_read);
    struct plain_token *tokens =
        plain_new((n_read + 1) * (strlen(frame) + 1) + n_padded, sizeof *tokens);
    for (const char *piece = frame; piece; piece = strchr(piece, ' ')) {
        piece += *piece == ' ';
        if (*piece == 'A')
            n_all += split(weights, text, read, n_read, is_bert, tokens + n_all);
        else
            tokens[n_all++] = (struct plain_token){.id = (int32_t)strtol(piece, NULL, 10)};
    }
    if (is_long || n_all > most)
        plain_complain(error, "%zu tokens, the limit is %zu, or too many characters", n_all, most);
    *n = 0;
    for (size_t i = 0; i < n_all && error[0] == '\0'; i++)
        if (tokens[i].id >= 0 && tokens[i].id != number(weights, "dropped", "-1"))
            tokens[(*n)++] = tokens[i];
    while (*n < n_padded && error[0] == '\0')
        tokens[(*n)++] = (struct plain_token){.id = number(weights, "padding", "-1")};
    free(read);
    return tokens;
}
