/* tokenizer.c - the settings of a tokenizer: reading and checking them, and building tables. */
#include "model/tokenizer/tokenizer.h"

#include "model/unicode/unicode.h"

const char TOKENIZER_UNKNOWN_KEY[] = "a key that this version knows";

enum { NO_KIND = -1 };

void tokenizer_defaults(struct tokenizer *tokenizer, size_t n_types)
{
    *tokenizer = (struct tokenizer){
        .kind = (enum tokenizer_kind)NO_KIND,
        .keras = {.filters = {"", 0}, .split = {" ", 1}},
        .prefix = {"##", 2},
        .bpe = {.suffix = {"", 0}},
        .max_word_chars = 100,
        .splitter = {.space = METASPACE, .space_splits = true},
        .added = {.list = {"", 0}},
        .unknown = -1,
        .mask_token = -1,
        .dropped = -1,
        .padding = -1,
        .single = {.pieces = {{TEMPLATE_A, 0}}, .n_pieces = 1},
        .pair = {.pieces = {{TEMPLATE_A, 0}, {TEMPLATE_B, n_types < 2 ? 0 : 1}}, .n_pieces = 2},
    };
}

/* ---- One setting ---- */

/* Reads pieces, `A`, `B` or a special token's id, each with a token type: "101:0 A:0 102:0".
 * n_texts is 1 or 2. Returns false if it is invalid. */
static bool template_parse(struct token_template *template, struct text_view text, size_t n_texts)
{
    struct text_view item, id, type;
    size_t n_a = 0, n_b = 0;
    *template = (struct token_template){.n_pieces = 0};
    for (size_t at = 0; list_next(text, &at, &item);) {
        if (template->n_pieces == TEMPLATE_PIECES || !list_split(item, &id, &type))
            return false;
        struct template_piece *piece = &template->pieces[template->n_pieces++];
        piece->type = list_number(type);
        piece->id = list_item_is(id, "A")   ? TEMPLATE_A
                    : list_item_is(id, "B") ? TEMPLATE_B
                                            : list_number(id);
        if (piece->type < 0 || piece->id == -1)
            return false;
        n_a += piece->id == TEMPLATE_A;
        n_b += piece->id == TEMPLATE_B;
    }
    template->n_special = template->n_pieces - n_texts;
    return n_a == 1 && n_b == n_texts - 1;
}

enum value_kind {
    VALUE_KIND, /* of the tokenizer */
    VALUE_TRIM,
    VALUE_PATTERN,
    VALUE_YES_NO,
    VALUE_ID, /* or -1 */
    VALUE_NUMBER,
    VALUE_TEXT,
    VALUE_CHARACTER,
    VALUE_TEMPLATE,
    VALUE_NORMALIZER,
    VALUE_SPLITTER,
    VALUE_ADDED,
    VALUE_ID_LIST
};

struct key {
    const char *name;
    enum value_kind kind;
    size_t offset;      /* of its field */
    size_t least, most; /* of a number, or of a text's bytes; least: texts of a template */
    const char *expected;
};

/* Names of enum tokenizer_kind, span_trim and pattern_kind, and of a bool, in their order. */
static const char *const NAMES[][8] = {
    [VALUE_KIND] = {"blanks", "keras", "wordpiece", "words", "unigram", "bpe"},
    [VALUE_TRIM] = {"no", "yes", "but_first"},
    [VALUE_PATTERN] = {"none", "gpt2", "clip", "cl100k", "qwen2", "o200k", "after_blanks"},
    [VALUE_YES_NO] = {"no", "yes"},
};

/* Returns false if an item is not an id, or the list is too long. */
static bool set_ids(struct id_list *list, struct text_view value)
{
    struct text_view item;
    list->n = 0;
    for (size_t at = 0; list_next(value, &at, &item); list->n++)
        if (list->n == ID_LIST_MOST || (list->ids[list->n] = list_number(item)) < 0)
            return false;
    return true;
}

static bool set_character(uint32_t *field, struct text_view value)
{
    const struct utf8_char c =
        value.len > 0 ? utf8_decode(value.text, value.len) : (struct utf8_char){0, 1};
    *field = c.code;
    return c.len == value.len && utf8_valid(value.text, value.len);
}

#define FIELD(field) offsetof(struct tokenizer, field)

static const struct key KEYS[] = {
    {"kind", VALUE_KIND, FIELD(kind), 0, 0, "one of blanks, keras, wordpiece, words, unigram, bpe"},
    {"filters", VALUE_TEXT, FIELD(keras.filters), 0, 4096, "UTF-8 text of at most 4096 bytes"},
    {"split", VALUE_TEXT, FIELD(keras.split), 1, SPLIT_BYTES, "UTF-8 text of 1 to 32 bytes"},
    {"num_words", VALUE_NUMBER, FIELD(keras.num_words), 0, INT32_MAX,
     "a whole number from 0 to 2147483647"},
    {"unknown", VALUE_ID, FIELD(unknown), 0, 0, "a whole number from -1 to 2147483647"},
    {"mask_token", VALUE_ID, FIELD(mask_token), 0, 0, "a whole number from -1 to 2147483647"},
    {"dropped", VALUE_ID, FIELD(dropped), 0, 0, "a whole number from -1 to 2147483647"},
    {"padding", VALUE_ID, FIELD(padding), 0, 0, "a whole number from -1 to 2147483647"},
    {"padded_tokens", VALUE_NUMBER, FIELD(padded_tokens), 0, 1 << 20,
     "a whole number from 0 to 1048576"},
    {"max_chars", VALUE_NUMBER, FIELD(max_chars), 0, INT32_MAX,
     "a whole number from 0 to 2147483647"},
    {"skip_weights", VALUE_ID_LIST, FIELD(skip_weights), 0, 0, "at most 64 ids, like 0 1 2"},
    {"skip_vectors", VALUE_ID_LIST, FIELD(skip_vectors), 0, 0, "at most 64 ids, like 0 1 2"},
    {"lower", VALUE_YES_NO, FIELD(keras.lower), 0, 0, "yes or no"},
    {"char_level", VALUE_YES_NO, FIELD(keras.char_level), 0, 0, "yes or no"},
    {"truncate", VALUE_YES_NO, FIELD(truncate), 0, 0, "yes or no"},
    {"single", VALUE_TEMPLATE, FIELD(single), 1, 0,
     "at most 16 pieces like 101:0 A:0 102:0, with A once and without B"},
    {"pair", VALUE_TEMPLATE, FIELD(pair), 2, 0,
     "at most 16 pieces like 101:0 A:0 102:0 B:1 102:1, with A and B once each"},
    {"normalizer", VALUE_NORMALIZER, FIELD(normalizer), 0, 0,
     "at most 64 of clean, space_cjk, nfd, nfc, nfkd, nfkc, drop_nonspacing, drop_marks, lower, "
     "strip_start, strip_end, nmt, charsmap, prepend:TEXT, replace:FROM:TO, "
     "replace_runs:LEAST:CHARACTER:TO, replace_blanks:LEAST:TO"},
    {"splitter", VALUE_SPLITTER, FIELD(splitter), 0, 0,
     "some of blanks, word_runs, punctuation, punctuation_runs, punctuation_dropped, digits, "
     "digit_runs, and at most one of metaspace:always, metaspace:first, metaspace:never"},
    {"metaspace", VALUE_CHARACTER, FIELD(splitter.space), 0, 0, "one character"},
    {"metaspace_splits", VALUE_YES_NO, FIELD(splitter.space_splits), 0, 0, "yes or no"},
    {"byte_fallback", VALUE_YES_NO, FIELD(byte_fallback), 0, 0, "yes or no"},
    {"prefix", VALUE_TEXT, FIELD(prefix), 0, AFFIX_BYTES, "UTF-8 text of at most 32 bytes"},
    {"suffix", VALUE_TEXT, FIELD(bpe.suffix), 0, AFFIX_BYTES, "UTF-8 text of at most 32 bytes"},
    {"pattern", VALUE_PATTERN, FIELD(splitter.pattern), 0, 0,
     "one of none, gpt2, clip, cl100k, qwen2, o200k, after_blanks"},
    {"byte_level", VALUE_YES_NO, FIELD(bpe.byte_level), 0, 0, "yes or no"},
    {"first_blank", VALUE_YES_NO, FIELD(splitter.first_blank), 0, 0, "yes or no"},
    {"fuse_unknown", VALUE_YES_NO, FIELD(bpe.fuse_unknown), 0, 0, "yes or no"},
    {"whole_words", VALUE_YES_NO, FIELD(bpe.whole_words), 0, 0, "yes or no"},
    {"trim", VALUE_TRIM, FIELD(trim), 0, 0, "one of no, yes, but_first"},
    {"max_word", VALUE_NUMBER, FIELD(max_word_chars), 1, WORDPIECE_CHARS,
     "a whole number from 1 to 10000"},
    {"added", VALUE_ADDED, FIELD(added), 0, 0, "ids with flags, like 101 103:l 30522:nx"},
};

const char *tokenizer_set(struct tokenizer *tokenizer, const char *name, const char *text,
                          size_t len)
{
    const struct text_view value = {text, len};
    const int32_t number = list_number(value);
    const struct key *key = KEYS, *end = KEYS + sizeof KEYS / sizeof *KEYS;
    bool is_valid = false;
    unsigned index = 0;
    while (key < end && strcmp(name, key->name) != 0)
        key++;
    if (key == end)
        return TOKENIZER_UNKNOWN_KEY;
    void *field = (char *)tokenizer + key->offset;
    switch (key->kind) {
    case VALUE_KIND:
    case VALUE_TRIM:
    case VALUE_PATTERN:
    case VALUE_YES_NO:
        while (NAMES[key->kind][index] != NULL && !list_item_is(value, NAMES[key->kind][index]))
            index++;
        is_valid = NAMES[key->kind][index] != NULL;
        if (key->kind == VALUE_YES_NO)
            *(bool *)field = index == 1;
        else
            memcpy(field, &index, sizeof index); /* an enum, as large as this */
        break;
    case VALUE_ID:
        *(int32_t *)field = number;
        is_valid = number >= 0 || list_item_is(value, "-1");
        break;
    case VALUE_NUMBER:
        *(int64_t *)field = number;
        is_valid = number >= 0 && (size_t)number >= key->least && (size_t)number <= key->most;
        break;
    case VALUE_TEXT:
        *(struct text_view *)field = value;
        is_valid = len >= key->least && len <= key->most && utf8_valid(text, len);
        break;
    case VALUE_CHARACTER: is_valid = set_character(field, value); break;
    case VALUE_TEMPLATE: is_valid = template_parse(field, value, key->least); break;
    case VALUE_NORMALIZER: is_valid = normalizer_parse(field, value); break;
    case VALUE_SPLITTER: is_valid = splitter_parse(field, value); break;
    case VALUE_ID_LIST: is_valid = set_ids(field, value); break;
    case VALUE_ADDED: is_valid = added_tokens_parse(field, value); break;
    }
    return is_valid ? NULL : key->expected;
}

const char *tokenizer_view(struct tokenizer *tokenizer, const char *tag, const void *section,
                           size_t len)
{
    if (strcmp(tag, "PIEC") == 0)
        return unigram_view(&tokenizer->unigram, section, len);
    if (strcmp(tag, "MERG") == 0)
        return merges_view(&tokenizer->bpe.merges, section, len, tokenizer->vocabulary.n);
    if (strcmp(tag, "CMAP") == 0)
        return charsmap_view(&tokenizer->normalizer.charsmap, section, len);
    return NULL;
}

const char *tokenizer_check(const struct tokenizer *tokenizer, size_t n_types)
{
    const struct unigram_pieces *pieces = &tokenizer->unigram;
    const uint32_t n_ids = tokenizer->vocabulary.n;
    if ((unsigned)tokenizer->kind > TOKENIZER_BPE)
        return "the kind is not given: one of blanks, keras, wordpiece, words, unigram, bpe";
    if (tokenizer->unknown >= 0 && (uint32_t)tokenizer->unknown >= n_ids)
        return "the id of unknown words is not in the vocabulary";
    if (tokenizer->unknown < 0 && tokenizer_has_pipeline(tokenizer) &&
        tokenizer->kind != TOKENIZER_BPE)
        return "the id of unknown words is not given";
    if (tokenizer->mask_token >= 0 && (uint32_t)tokenizer->mask_token >= n_ids)
        return "the id of the mask token is not in the vocabulary";
    if (tokenizer->padding < 0 ? tokenizer->padded_tokens > 0
                               : (uint32_t)tokenizer->padding >= n_ids)
        return "texts are padded, and the id of padding is not in the vocabulary";
    if (tokenizer->kind == TOKENIZER_UNIGRAM && pieces->scores == NULL)
        return "the kind is unigram, but the file has no section PIEC";
    if (tokenizer->kind == TOKENIZER_BPE && tokenizer->bpe.merges.slots == NULL)
        return "the kind is bpe, but the file has no section MERG";
    if (tokenizer->kind == TOKENIZER_BPE && tokenizer->vocabulary.longest_bytes > BPE_LONGEST)
        return "the kind is bpe, and a token has more than 65536 bytes";
    if (tokenizer->kind != TOKENIZER_BPE &&
        (tokenizer->splitter.pattern != PATTERN_NONE || tokenizer->bpe.byte_level ||
         tokenizer->splitter.first_blank))
        return "pattern, byte_level or first_blank is set, and the kind is not bpe";
    if (pieces->n > tokenizer->vocabulary.n)
        return "section PIEC has more pieces than the vocabulary";
    if ((tokenizer->normalizer.steps & 1u << NORMALIZE_CHARSMAP) &&
        tokenizer->normalizer.charsmap.strings == NULL)
        return "the normalizer has the step charsmap, but the file has no section CMAP";
    for (size_t i = 0; i < 2 * TEMPLATE_PIECES; i++) {
        const struct token_template *template = i % 2 == 0 ? &tokenizer->single : &tokenizer->pair;
        const struct template_piece piece = template->pieces[i / 2];
        if (i / 2 < template->n_pieces && piece.id >= 0 && (uint32_t)piece.id >= n_ids)
            return "a template names a special token that is not in the vocabulary";
        if (i / 2 < template->n_pieces && piece.type > 0 && (size_t)piece.type >= n_types)
            return "a template names a token type that the model does not have";
    }
    return NULL;
}

static void build_ids(struct tokenizer *tokenizer)
{
    static const char digits[] = "0123456789ABCDEF";
    for (uint32_t code = 0; code < BYTE_LEVEL_CODES; code++) {
        char bytes[UTF8_BYTES];
        tokenizer->codes[code] =
            vocabulary_find(&tokenizer->vocabulary, bytes, utf8_encode(code, bytes));
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        const char text[] = {'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>'};
        tokenizer->bytes[byte] = vocabulary_find(&tokenizer->vocabulary, text, sizeof text);
    }
}

const char *tokenizer_build(struct tokenizer *tokenizer, size_t n_types, struct arena *arena)
{
    const char *wrong = tokenizer_check(tokenizer, n_types);
    if (wrong != NULL || !tokenizer_has_pipeline(tokenizer))
        return wrong;
    wrong = added_tokens_build(&tokenizer->added, &tokenizer->vocabulary, &tokenizer->normalizer,
                               arena);
    if (wrong != NULL || arena->base == NULL)
        return wrong;
    splitter_build(&tokenizer->splitter, &tokenizer->normalizer);
    if (tokenizer->kind == TOKENIZER_BPE || tokenizer->kind == TOKENIZER_UNIGRAM)
        build_ids(tokenizer);
    return NULL;
}
