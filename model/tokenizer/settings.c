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

static const char *set_yes_no(bool *field, struct list_item value)
{
    if (!list_item_is(value, "yes") && !list_item_is(value, "no"))
        return "yes or no";
    *field = list_item_is(value, "yes");
    return NULL;
}

static const char *const KINDS[] = {
    [TOKENIZER_BLANKS] = "blanks",
    [TOKENIZER_KERAS] = "keras",
    [TOKENIZER_WORDPIECE] = "wordpiece",
    [TOKENIZER_WORDS] = "words",
};

static const char *set_kind(struct tokenizer *tokenizer, struct list_item value)
{
    for (unsigned kind = 0; kind < sizeof KINDS / sizeof *KINDS; kind++)
        if (list_item_is(value, KINDS[kind])) {
            tokenizer->kind = (enum tokenizer_kind)kind;
            return NULL;
        }
    return "one of blanks, keras, wordpiece, words";
}

static const char *set_filters(struct tokenizer *tokenizer, struct list_item value)
{
    if (!utf8_valid(value.text, value.len))
        return "UTF-8 text";
    tokenizer->filters = value.text;
    tokenizer->filters_bytes = value.len;
    return NULL;
}

static const char *set_split(struct tokenizer *tokenizer, struct list_item value)
{
    if (value.len < 1 || value.len > SPLIT_BYTES || !utf8_valid(value.text, value.len))
        return "UTF-8 text of 1 to 32 bytes";
    tokenizer->split = value.text;
    tokenizer->split_bytes = value.len;
    return NULL;
}

static const char *set_num_words(struct tokenizer *tokenizer, struct list_item value)
{
    const int32_t number = list_number(value);
    if (number < 0)
        return "a whole number from 0 to 2147483647";
    tokenizer->num_words = number;
    return NULL;
}

static const char *set_id(int32_t *field, struct list_item value)
{
    const int32_t number = list_number(value);
    if (number < 0 && !list_item_is(value, "-1"))
        return "a whole number from -1 to 2147483647";
    *field = number;
    return NULL;
}

static const char *set_normalizer(struct tokenizer *tokenizer, struct list_item value)
{
    return normalizer_parse(&tokenizer->normalizer, value.text, value.len)
               ? NULL
               : "at most 32 of clean, space_cjk, nfd, nfc, nfkd, nfkc, drop_nonspacing, "
                 "drop_marks, lower, strip_start, strip_end";
}

static const char *set_splitter(struct tokenizer *tokenizer, struct list_item value)
{
    return splitter_parse(&tokenizer->splitter, value.text, value.len)
               ? NULL
               : "some of blanks, word_runs, punctuation, punctuation_runs, punctuation_dropped, "
                 "digits, digit_runs";
}

static const char *set_prefix(struct tokenizer *tokenizer, struct list_item value)
{
    if (value.len > WORDPIECE_PREFIX_BYTES || !utf8_valid(value.text, value.len))
        return "UTF-8 text of at most 32 bytes";
    tokenizer->prefix = value.text;
    tokenizer->prefix_bytes = value.len;
    return NULL;
}

static const char *set_max_word(struct tokenizer *tokenizer, struct list_item value)
{
    const int32_t number = list_number(value);
    if (number < 1 || number > WORDPIECE_MOST_CHARS)
        return "a whole number from 1 to 10000";
    tokenizer->max_word_chars = number;
    return NULL;
}

static const char *set_added(struct tokenizer *tokenizer, struct list_item value)
{
    tokenizer->added_list = value.text;
    tokenizer->added_list_bytes = value.len;
    return added_tokens_expected(value.text, value.len);
}

static const char *set_single(struct tokenizer *tokenizer, struct list_item value)
{
    return template_parse(&tokenizer->single, value.text, value.len, 1)
               ? NULL
               : "at most 16 pieces like 101:0 A:0 102:0, with A once and without B";
}

static const char *set_pair(struct tokenizer *tokenizer, struct list_item value)
{
    return template_parse(&tokenizer->pair, value.text, value.len, 2)
               ? NULL
               : "at most 16 pieces like 101:0 A:0 102:0 B:1 102:1, with A and B once each";
}

const char *tokenizer_set(struct tokenizer *tokenizer, const char *key, const char *text,
                          size_t len)
{
    const struct list_item value = {text, len};
    static const struct {
        const char *key;
        const char *(*set)(struct tokenizer *tokenizer, struct list_item value);
    } setters[] = {
        {"kind", set_kind},
        {"filters", set_filters},
        {"split", set_split},
        {"num_words", set_num_words},
        {"single", set_single},
        {"pair", set_pair},
        {"normalizer", set_normalizer},
        {"splitter", set_splitter},
        {"prefix", set_prefix},
        {"max_word", set_max_word},
        {"added", set_added},
    };
    for (size_t i = 0; i < sizeof setters / sizeof *setters; i++)
        if (strcmp(key, setters[i].key) == 0)
            return setters[i].set(tokenizer, value);
    if (strcmp(key, "unknown") == 0)
        return set_id(&tokenizer->unknown, value);
    if (strcmp(key, "mask_token") == 0)
        return set_id(&tokenizer->mask_token, value);
    if (strcmp(key, "lower") == 0)
        return set_yes_no(&tokenizer->lower, value);
    if (strcmp(key, "char_level") == 0)
        return set_yes_no(&tokenizer->char_level, value);
    if (strcmp(key, "truncate") == 0)
        return set_yes_no(&tokenizer->truncate, value);
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
