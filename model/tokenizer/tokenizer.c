/* tokenizer.c - the settings of a tokenizer (section TOKN of weights/FORMAT.md) and the way through
 * it: fill the template; where two texts meet a limit, share it out and fill the template again.
 */
#include "model/tokenizer/tokenizer.h"

#include "model/tokenizer/template.h"
#include "model/tokenizer/wordpiece.h"
#include "model/tokenizer/words.h"
#include "model/unicode/utf8.h"

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

static const char *const KINDS[] = {
    [TOKENIZER_BLANKS] = "blanks",
    [TOKENIZER_KERAS] = "keras",
    [TOKENIZER_WORDPIECE] = "wordpiece",
    [TOKENIZER_WORDS] = "words",
};

static const char *set_kind(struct tokenizer *tokenizer, const char *value, size_t len)
{
    for (unsigned kind = 0; kind < sizeof KINDS / sizeof *KINDS; kind++)
        if (equals(value, len, KINDS[kind])) {
            tokenizer->kind = (enum tokenizer_kind)kind;
            return NULL;
        }
    return "one of blanks, keras, wordpiece, words";
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

static const char *set_id(int32_t *field, const char *value, size_t len)
{
    const int32_t number = template_number(value, len);
    if (number < 0 && !equals(value, len, "-1"))
        return "a whole number from -1 to 2147483647";
    *field = number;
    return NULL;
}

static const char *set_normalizer(struct tokenizer *tokenizer, const char *value, size_t len)
{
    return normalizer_parse(&tokenizer->normalizer, value, len)
               ? NULL
               : "at most 32 of clean, space_cjk, nfd, nfc, nfkd, nfkc, drop_nonspacing, "
                 "drop_marks, lower, strip_start, strip_end";
}

static const char *set_splitter(struct tokenizer *tokenizer, const char *value, size_t len)
{
    return splitter_parse(&tokenizer->splitter, value, len)
               ? NULL
               : "some of blanks, word_runs, punctuation, punctuation_runs, punctuation_dropped, "
                 "digits, digit_runs";
}

static const char *set_prefix(struct tokenizer *tokenizer, const char *value, size_t len)
{
    if (len > WORDPIECE_PREFIX_BYTES || !utf8_valid(value, len))
        return "UTF-8 text of at most 32 bytes";
    tokenizer->prefix = value;
    tokenizer->prefix_bytes = len;
    return NULL;
}

static const char *set_max_word(struct tokenizer *tokenizer, const char *value, size_t len)
{
    const int32_t number = template_number(value, len);
    if (number < 1 || number > WORDPIECE_MOST_CHARS)
        return "a whole number from 1 to 10000";
    tokenizer->max_word_chars = number;
    return NULL;
}

static const char *set_added(struct tokenizer *tokenizer, const char *value, size_t len)
{
    tokenizer->added_list = value;
    tokenizer->added_list_bytes = len;
    return added_tokens_expected(value, len);
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
            return setters[i].set(tokenizer, value, value_len);
    if (strcmp(key, "unknown") == 0)
        return set_id(&tokenizer->unknown, value, value_len);
    if (strcmp(key, "mask_token") == 0)
        return set_id(&tokenizer->mask_token, value, value_len);
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

static bool has_pipeline(const struct tokenizer *tokenizer)
{
    return tokenizer->kind == TOKENIZER_WORDPIECE || tokenizer->kind == TOKENIZER_WORDS;
}

const char *tokenizer_check(const struct tokenizer *tokenizer, size_t n_types)
{
    const uint32_t n_ids = tokenizer->vocabulary.n;
    if ((unsigned)tokenizer->kind >= sizeof KINDS / sizeof *KINDS)
        return "the kind is not given: one of blanks, keras, wordpiece, words";
    if (tokenizer->unknown >= 0 && (uint32_t)tokenizer->unknown >= n_ids)
        return "the id of unknown words is not in the vocabulary";
    if (tokenizer->unknown < 0 && has_pipeline(tokenizer))
        return "the id of unknown words is not given";
    if (tokenizer->mask_token >= 0 && (uint32_t)tokenizer->mask_token >= n_ids)
        return "the id of the mask token is not in the vocabulary";
    const char *wrong = check_template(&tokenizer->single, n_ids, n_types);
    return wrong != NULL ? wrong : check_template(&tokenizer->pair, n_ids, n_types);
}

size_t tokenizer_table_bytes(const struct tokenizer *tokenizer)
{
    return has_pipeline(tokenizer)
               ? added_tokens_bytes(tokenizer->added_list, tokenizer->added_list_bytes,
                                    &tokenizer->vocabulary, &tokenizer->normalizer)
               : 0;
}

const char *tokenizer_build(struct tokenizer *tokenizer, void *memory)
{
    if (!has_pipeline(tokenizer))
        return NULL;
    splitter_ascii(&tokenizer->ascii, &tokenizer->normalizer, &tokenizer->splitter);
    return added_tokens_build(&tokenizer->added, tokenizer->added_list, tokenizer->added_list_bytes,
                              &tokenizer->vocabulary, &tokenizer->normalizer, memory);
}

/* Kinds blanks and keras: room for the longest word of the vocabulary; never 0, so that there is
 * memory to point to. */
size_t tokenizer_scratch_bytes(const struct tokenizer *tokenizer)
{
    return has_pipeline(tokenizer) ? pipeline_scratch_bytes(tokenizer)
                                   : (size_t)tokenizer->vocabulary.longest_bytes + 1;
}

/* What is the same in all passes over the texts of a call. */
struct encoding {
    const struct tokenizer *tokenizer;
    const struct token_input *input;
    bool special;
    void *scratch;
};

static size_t fill(const struct encoding *encoding, const struct text_cut cuts[2],
                   struct token *out, size_t cap, struct text_count counts[2])
{
    return template_fill(encoding->tokenizer, encoding->input, encoding->special, cuts, out, cap,
                         encoding->scratch, counts);
}

/* Tokens of each text as far as the reference counts them: it reads a text (from its end, if that
 * is kept) up to the end of the word that brings it to the limit; where only the second is to be
 * cut, it reads all of the first. */
static void count_read(const struct encoding *encoding, const struct token_limit *limit,
                       struct text_count counts[2], size_t read[2])
{
    static const struct text_cut NOTHING[2] = {{0, 0}, {0, 0}};
    if (limit->left) {
        for (size_t i = 0; i < 2; i++)
            counts[i].most_before = counts[i].n > limit->most ? counts[i].n - limit->most : 0;
        fill(encoding, NOTHING, NULL, 0, counts);
    }
    for (size_t i = 0; i < 2; i++)
        read[i] = limit->left                    ? counts[i].n - counts[i].before
                  : counts[i].reached < SIZE_MAX ? counts[i].reached
                                                 : counts[i].n;
    if (limit->truncation == TRUNCATE_ONLY_SECOND)
        read[0] = counts[0].n;
}

struct token_count tokenizer_encode(const struct tokenizer *tokenizer,
                                    const struct token_input *input, bool special,
                                    const struct token_limit *limit, struct token *out, size_t cap,
                                    void *scratch)
{
    static const struct token_limit NO_LIMIT = {.most = SIZE_MAX};
    const struct encoding encoding = {tokenizer, input, special, scratch};
    const bool two = input->pair != NULL;
    if (limit == NULL)
        limit = &NO_LIMIT;
    const size_t n_special = !special ? 0
                             : two    ? tokenizer->pair.n_special
                                      : tokenizer->single.n_special;
    const size_t room = limit->most == SIZE_MAX   ? SIZE_MAX
                        : limit->most > n_special ? limit->most - n_special
                                                  : 0;
    struct text_cut cuts[2] = {{0, room}, {0, room}};
    struct text_count counts[2] = {{.enough = limit->most}, {.enough = limit->most}};
    size_t n = fill(&encoding, cuts, out, cap, counts), read[2], kept[2];
    if (counts[0].n <= room && counts[1].n <= room - counts[0].n)
        return (struct token_count){.n = n};
    const size_t n_all = counts[0].n + counts[1].n + n_special;
    count_read(&encoding, limit, counts, read);
    const char *wrong = template_truncate(limit->truncation, two, read, room, kept);
    if (wrong != NULL)
        return (struct token_count){.n = n_all, .wrong = wrong};
    for (size_t i = 0; i < 2; i++)
        cuts[i] = (struct text_cut){limit->left ? counts[i].n - kept[i] : 0, kept[i]};
    n = fill(&encoding, cuts, out, cap, counts);
    return (struct token_count){.n = n, .n_dropped = n_all - n};
}
