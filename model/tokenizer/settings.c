/* settings.c - the settings of a tokenizer (section TOKN of weights/FORMAT.md): reading, checking,
 * and the tables made of them.
 */
#include "model/tokenizer/tokenizer.h"

#include "model/tokenizer/list.h"
#include "model/tokenizer/wordpiece.h"
#include "model/tokenizer/words.h"
#include "model/unicode/utf8.h"

const char TOKENIZER_UNKNOWN_KEY[] = "a key that this version knows";

enum { NO_KIND = -1 };

static void plain_template(struct token_template *template, int32_t type_b, size_t n_texts)
{
    *template = (struct token_template){
        .pieces = {{.id = TEMPLATE_A, .type = 0}, {.id = TEMPLATE_B, .type = type_b}},
        .n_pieces = n_texts,
    };
}

void tokenizer_defaults(struct tokenizer *tokenizer, size_t n_types)
{
    *tokenizer = (struct tokenizer){
        .kind = (enum tokenizer_kind)NO_KIND,
        .filters = "",
        .split = " ",
        .split_bytes = 1,
        .prefix = "##",
        .prefix_bytes = 2,
        .max_word_chars = 100,
        .added_list = "",
        .unknown = -1,
        .mask_token = -1,
    };
    plain_template(&tokenizer->single, 0, 1);
    plain_template(&tokenizer->pair, n_types < 2 ? 0 : 1, 2);
}

static const char *const KINDS[] = {
    [TOKENIZER_BLANKS] = "blanks",
    [TOKENIZER_KERAS] = "keras",
    [TOKENIZER_WORDPIECE] = "wordpiece",
    [TOKENIZER_WORDS] = "words",
};

/* ---- One setting: false for a value that it cannot have ---- */

static bool set_kind(enum tokenizer_kind *field, struct list_item value)
{
    for (unsigned kind = 0; kind < sizeof KINDS / sizeof *KINDS; kind++)
        if (list_item_is(value, KINDS[kind])) {
            *field = (enum tokenizer_kind)kind;
            return true;
        }
    return false;
}

static bool set_yes_no(bool *field, struct list_item value)
{
    *field = list_item_is(value, "yes");
    return *field || list_item_is(value, "no");
}

static bool set_id(int32_t *field, struct list_item value)
{
    *field = list_number(value);
    return *field >= 0 || list_item_is(value, "-1");
}

static bool set_number(int64_t *field, struct list_item value, int32_t least, int32_t most)
{
    *field = list_number(value);
    return *field >= least && *field <= most;
}

static bool set_text(const char **text, size_t *n_bytes, struct list_item value, size_t least,
                     size_t most)
{
    *text = value.text;
    *n_bytes = value.len;
    return value.len >= least && value.len <= most && utf8_valid(value.text, value.len);
}

/* ---- All of them ---- */

enum key {
    KEY_KIND,
    KEY_FILTERS,
    KEY_SPLIT,
    KEY_NUM_WORDS,
    KEY_UNKNOWN,
    KEY_MASK_TOKEN,
    KEY_LOWER,
    KEY_CHAR_LEVEL,
    KEY_TRUNCATE,
    KEY_SINGLE,
    KEY_PAIR,
    KEY_NORMALIZER,
    KEY_SPLITTER,
    KEY_PREFIX,
    KEY_MAX_WORD,
    KEY_ADDED,
    N_KEYS
};

static const struct {
    const char *name, *expected;
} KEYS[N_KEYS] = {
    [KEY_KIND] = {"kind", "one of blanks, keras, wordpiece, words"},
    [KEY_FILTERS] = {"filters", "UTF-8 text"},
    [KEY_SPLIT] = {"split", "UTF-8 text of 1 to 32 bytes"},
    [KEY_NUM_WORDS] = {"num_words", "a whole number from 0 to 2147483647"},
    [KEY_UNKNOWN] = {"unknown", "a whole number from -1 to 2147483647"},
    [KEY_MASK_TOKEN] = {"mask_token", "a whole number from -1 to 2147483647"},
    [KEY_LOWER] = {"lower", "yes or no"},
    [KEY_CHAR_LEVEL] = {"char_level", "yes or no"},
    [KEY_TRUNCATE] = {"truncate", "yes or no"},
    [KEY_SINGLE] = {"single", "at most 16 pieces like 101:0 A:0 102:0, with A once and without B"},
    [KEY_PAIR] = {"pair",
                  "at most 16 pieces like 101:0 A:0 102:0 B:1 102:1, with A and B once each"},
    [KEY_NORMALIZER] = {"normalizer",
                        "at most 32 of clean, space_cjk, nfd, nfc, nfkd, nfkc, drop_nonspacing, "
                        "drop_marks, lower, strip_start, strip_end"},
    [KEY_SPLITTER] = {"splitter", "some of blanks, word_runs, punctuation, punctuation_runs, "
                                  "punctuation_dropped, digits, digit_runs"},
    [KEY_PREFIX] = {"prefix", "UTF-8 text of at most 32 bytes"},
    [KEY_MAX_WORD] = {"max_word", "a whole number from 1 to 10000"},
    [KEY_ADDED] = {"added", "ids with flags, like 101 103:l 30522:nx"},
};

static bool set(struct tokenizer *t, enum key key, struct list_item value)
{
    switch (key) {
    case KEY_KIND: return set_kind(&t->kind, value);
    case KEY_FILTERS: return set_text(&t->filters, &t->filters_bytes, value, 0, SIZE_MAX);
    case KEY_SPLIT: return set_text(&t->split, &t->split_bytes, value, 1, SPLIT_BYTES);
    case KEY_NUM_WORDS: return set_number(&t->num_words, value, 0, INT32_MAX);
    case KEY_UNKNOWN: return set_id(&t->unknown, value);
    case KEY_MASK_TOKEN: return set_id(&t->mask_token, value);
    case KEY_LOWER: return set_yes_no(&t->lower, value);
    case KEY_CHAR_LEVEL: return set_yes_no(&t->char_level, value);
    case KEY_TRUNCATE: return set_yes_no(&t->truncate, value);
    case KEY_SINGLE: return template_parse(&t->single, value.text, value.len, 1);
    case KEY_PAIR: return template_parse(&t->pair, value.text, value.len, 2);
    case KEY_NORMALIZER: return normalizer_parse(&t->normalizer, value.text, value.len);
    case KEY_SPLITTER: return splitter_parse(&t->splitter, value.text, value.len);
    case KEY_PREFIX:
        return set_text(&t->prefix, &t->prefix_bytes, value, 0, WORDPIECE_PREFIX_BYTES);
    case KEY_MAX_WORD: return set_number(&t->max_word_chars, value, 1, WORDPIECE_MOST_CHARS);
    case KEY_ADDED:
        t->added_list = value.text;
        t->added_list_bytes = value.len;
        return added_tokens_valid(value.text, value.len);
    case N_KEYS: break;
    }
    return false;
}

const char *tokenizer_set(struct tokenizer *tokenizer, const char *key, const char *text,
                          size_t len)
{
    struct tokenizer changed = *tokenizer;
    for (unsigned i = 0; i < N_KEYS; i++) {
        if (strcmp(key, KEYS[i].name) != 0)
            continue;
        if (!set(&changed, (enum key)i, (struct list_item){text, len}))
            return KEYS[i].expected;
        *tokenizer = changed;
        return NULL;
    }
    return TOKENIZER_UNKNOWN_KEY;
}

static const char *check_template(const struct token_template *template, uint32_t n_ids,
                                  size_t n_types)
{
    for (size_t i = 0; i < template->n_pieces; i++) {
        const struct template_piece piece = template->pieces[i];
        if (piece.id >= 0 && (uint32_t)piece.id >= n_ids)
            return "a template names a special token that is not in the vocabulary";
        if (piece.type > 0 && (size_t)piece.type >= n_types)
            return "a template names a token type that the model does not have";
    }
    return NULL;
}

const char *tokenizer_check(const struct tokenizer *tokenizer, size_t n_types)
{
    const uint32_t n_ids = tokenizer->vocabulary.n;
    if ((unsigned)tokenizer->kind >= sizeof KINDS / sizeof *KINDS)
        return "the kind is not given: one of blanks, keras, wordpiece, words";
    if (tokenizer->unknown >= 0 && (uint32_t)tokenizer->unknown >= n_ids)
        return "the id of unknown words is not in the vocabulary";
    if (tokenizer->unknown < 0 && tokenizer_has_pipeline(tokenizer))
        return "the id of unknown words is not given";
    if (tokenizer->mask_token >= 0 && (uint32_t)tokenizer->mask_token >= n_ids)
        return "the id of the mask token is not in the vocabulary";
    const char *wrong = check_template(&tokenizer->single, n_ids, n_types);
    return wrong != NULL ? wrong : check_template(&tokenizer->pair, n_ids, n_types);
}

size_t tokenizer_table_bytes(const struct tokenizer *tokenizer)
{
    return tokenizer_has_pipeline(tokenizer)
               ? added_tokens_bytes(tokenizer->added_list, tokenizer->added_list_bytes,
                                    &tokenizer->vocabulary, &tokenizer->normalizer)
               : 0;
}

const char *tokenizer_build(struct tokenizer *tokenizer, void *memory)
{
    if (!tokenizer_has_pipeline(tokenizer))
        return NULL;
    splitter_ascii(&tokenizer->ascii, &tokenizer->normalizer, &tokenizer->splitter);
    return added_tokens_build(&tokenizer->added, tokenizer->added_list, tokenizer->added_list_bytes,
                              &tokenizer->vocabulary, &tokenizer->normalizer, memory);
}
