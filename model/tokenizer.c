/* tokenizer.c - the settings of a tokenizer (section TOKN of weights/FORMAT.md) and the way through
 * it: fill the template; where two texts meet a limit, share it out and fill the template again.
 */
#include "model/tokenizer.h"

#include "model/template.h"
#include "model/utf8.h"

#include <string.h>

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
        .unknown = -1,
        .mask_token = -1,
    };
    plain_template(&tokenizer->single, 0, 1);
    plain_template(&tokenizer->pair, n_types < 2 ? 0 : 1, 2);
}

static bool equals(const char *value, size_t len, const char *word)
{
    return len == strlen(word) && memcmp(value, word, len) == 0;
}

static const char *set_yes_no(bool *field, const char *value, size_t len)
{
    if (!equals(value, len, "yes") && !equals(value, len, "no"))
        return "yes or no";
    *field = equals(value, len, "yes");
    return NULL;
}

static const char *set_kind(struct tokenizer *tokenizer, const char *value, size_t len)
{
    if (equals(value, len, "blanks"))
        tokenizer->kind = TOKENIZER_BLANKS;
    else if (equals(value, len, "keras"))
        tokenizer->kind = TOKENIZER_KERAS;
    else
        return "one of blanks, keras";
    return NULL;
}

static const char *set_filters(struct tokenizer *tokenizer, const char *value, size_t len)
{
    if (!utf8_valid(value, len))
        return "UTF-8 text";
    tokenizer->filters = value;
    tokenizer->filters_bytes = len;
    return NULL;
}

static const char *set_split(struct tokenizer *tokenizer, const char *value, size_t len)
{
    if (len < 1 || len > SPLIT_BYTES || !utf8_valid(value, len))
        return "UTF-8 text of 1 to 32 bytes";
    tokenizer->split = value;
    tokenizer->split_bytes = len;
    return NULL;
}

static const char *set_num_words(struct tokenizer *tokenizer, const char *value, size_t len)
{
    const int32_t number = template_number(value, len);
    if (number < 0)
        return "a whole number from 0 to 2147483647";
    tokenizer->num_words = number;
    return NULL;
}

static const char *set_unknown(struct tokenizer *tokenizer, const char *value, size_t len)
{
    const int32_t number = template_number(value, len);
    if (number < 0 && !equals(value, len, "-1"))
        return "a whole number from -1 to 2147483647";
    tokenizer->unknown = number;
    return NULL;
}

static const char *set_single(struct tokenizer *tokenizer, const char *value, size_t len)
{
    return template_parse(&tokenizer->single, value, len, 1)
               ? NULL
               : "at most 16 pieces like 101:0 A:0 102:0, with A once and without B";
}

static const char *set_pair(struct tokenizer *tokenizer, const char *value, size_t len)
{
    return template_parse(&tokenizer->pair, value, len, 2)
               ? NULL
               : "at most 16 pieces like 101:0 A:0 102:0 B:1 102:1, with A and B once each";
}

const char *tokenizer_set(struct tokenizer *tokenizer, const char *key, const char *value,
                          size_t value_len)
{
    static const struct {
        const char *key;
        const char *(*set)(struct tokenizer *tokenizer, const char *value, size_t len);
    } setters[] = {
        {"kind", set_kind},           {"filters", set_filters}, {"split", set_split},
        {"num_words", set_num_words}, {"unknown", set_unknown}, {"single", set_single},
        {"pair", set_pair},
    };
    for (size_t i = 0; i < sizeof setters / sizeof *setters; i++)
        if (strcmp(key, setters[i].key) == 0)
            return setters[i].set(tokenizer, value, value_len);
    if (strcmp(key, "lower") == 0)
        return set_yes_no(&tokenizer->lower, value, value_len);
    if (strcmp(key, "char_level") == 0)
        return set_yes_no(&tokenizer->char_level, value, value_len);
    if (strcmp(key, "truncate") == 0)
        return set_yes_no(&tokenizer->truncate, value, value_len);
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
    if (tokenizer->kind != TOKENIZER_BLANKS && tokenizer->kind != TOKENIZER_KERAS)
        return "the kind is not given: one of blanks, keras";
    if (tokenizer->unknown >= 0 && (uint32_t)tokenizer->unknown >= n_ids)
        return "the id of unknown words is not in the vocabulary";
    const char *wrong = check_template(&tokenizer->single, n_ids, n_types);
    return wrong != NULL ? wrong : check_template(&tokenizer->pair, n_ids, n_types);
}

/* Room for the longest word of the vocabulary; never 0, so that there is memory to point to. */
size_t tokenizer_scratch_bytes(const struct tokenizer *tokenizer)
{
    return (size_t)tokenizer->vocabulary.longest_bytes + 1;
}

struct token_count tokenizer_encode(const struct tokenizer *tokenizer,
                                    const struct token_input *input, bool special, size_t limit,
                                    struct token *out, size_t cap, void *scratch)
{
    const bool two = input->pair != NULL;
    const size_t n_special = !special ? 0
                             : two    ? tokenizer->pair.n_special
                                      : tokenizer->single.n_special;
    const size_t room = limit == SIZE_MAX ? SIZE_MAX : limit > n_special ? limit - n_special : 0;
    size_t kept[2] = {room, room}, counts[2] = {0, 0};
    size_t n = template_fill(tokenizer, input, special, kept, out, cap, scratch, counts);
    if (two) {
        template_truncate(counts[0], counts[1], room, kept);
        if (kept[0] < counts[0] || kept[1] < counts[1])
            n = template_fill(tokenizer, input, special, kept, out, cap, scratch, counts);
    }
    return (struct token_count){.n = n, .n_dropped = counts[0] + counts[1] + n_special - n};
}
