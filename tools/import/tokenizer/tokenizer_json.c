/* tokenizer_json.c - a tokenizer.json, of Keras or of HuggingFace tokenizers: normalizer,
 * pre_tokenizer, model, post_processor and added_tokens become settings of weights/FORMAT.md. Parts
 * that are not known here are refused by their names; decoder, truncation and padding are not read.
 */
#include "tools/common/alloc.h"
#include "tools/import/files/json_file.h"
#include "tools/import/tokenizer/tokenizer_class.h"
#include "tools/writer/tokenizer/keras.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORD_CHARS = 10000, MOST_PREFIX_BYTES = 32 };

/* ---- Model ---- */

static void read_vocabulary(struct json_tokenizer *json, const json_t *model)
{
    json_t *vocabulary = json_object_get(model, "vocab"), *value;
    const char *text;
    uint64_t id;
    if (!json_is_object(vocabulary))
        file_die(json->file.name, "the model's 'vocab' is %s; expected an object",
                 json_kind(vocabulary));
    json->n_model = (int64_t)json_object_size(vocabulary);
    json_object_foreach(vocabulary, text, value)
    {
        if (text[0] == '\0') /* no text ever becomes this token */
            continue;
        if (!json_whole(value, &id))
            file_die(json->file.name, "the id of '%.100s' is not a whole number", text);
        token_place(json->tokenizer, id, text, strlen(text));
    }
}

static void read_unknown(struct json_tokenizer *json, const json_t *model, bool is_needed)
{
    struct tokenizer_draft *draft = &json->tokenizer->draft;
    const char *unknown = json_text(&json->file, model, "unk_token", NULL);
    if (unknown != NULL)
        draft->unknown = word_list_find(&draft->words, unknown, strlen(unknown));
    if (draft->unknown == WORD_NONE && is_needed)
        file_die(json->file.name,
                 "the model's 'unk_token' is '%.100s'; expected a token of its vocabulary",
                 unknown == NULL ? "missing" : unknown);
    if (draft->unknown != WORD_NONE)
        draft_set_number(draft, "unknown", draft->unknown);
}

static void read_wordpiece(struct json_tokenizer *json, const json_t *model)
{
    read_vocabulary(json, model);
    read_unknown(json, model, true);
    const char *prefix = json_text(&json->file, model, "continuing_subword_prefix", "##");
    size_t most_chars = json_count(&json->file, model, "max_input_chars_per_word", 1, 100);
    if (strlen(prefix) > MOST_PREFIX_BYTES || most_chars > MOST_WORD_CHARS)
        file_die(json->file.name,
                 "the model's continuing_subword_prefix has %zu bytes and its "
                 "max_input_chars_per_word is %zu; expected at most %d and %d",
                 strlen(prefix), most_chars, MOST_PREFIX_BYTES, MOST_WORD_CHARS);
    draft_set_text(&json->tokenizer->draft, "prefix", prefix);
    draft_set_number(&json->tokenizer->draft, "max_word", most_chars);
    draft_set_text(&json->tokenizer->draft, "kind", "wordpiece");
}

static void read_word_level(struct json_tokenizer *json, const json_t *model)
{
    draft_set_text(&json->tokenizer->draft, "kind", "words");
    read_vocabulary(json, model);
    read_unknown(json, model, true);
}

/* "vocab": [["<unk>", 0.0], ["\u2581the", -3.5], ...], by id */
static void read_unigram(struct json_tokenizer *json, const json_t *model)
{
    const json_t *pieces = json_object_get(model, "vocab"), *piece;
    size_t n = json_array_size(pieces), id;
    double *scores = alloc_zeros(n, sizeof *scores);
    if (!json_is_array(pieces))
        file_die(json->file.name, "the model's 'vocab' is %s; expected an array",
                 json_kind(pieces));
    json_array_foreach(pieces, id, piece)
    {
        const json_t *text = json_array_get(piece, 0), *score = json_array_get(piece, 1);
        if (json_array_size(piece) != 2 || !json_is_string(text) || !json_is_number(score))
            file_die(json->file.name, "piece %zu is not [text, score]", id);
        if (json_string_length(text) > 0) /* no text ever becomes this token */
            token_place(json->tokenizer, id, json_string_value(text), json_string_length(text));
        scores[id] = json_number_value(score);
    }
    word_list_place(&json->tokenizer->draft.words, n - (n > 0), "", 0);
    json->n_model = (int64_t)n;
    unigram_set(json->tokenizer, scores, json_count(&json->file, model, "unk_id", 0, SIZE_MAX),
                json_flag(&json->file, model, "byte_fallback", false));
}

/* ---- BPE, whose merges are section MERG of the weight file ---- */

enum { MOST_AFFIX_BYTES = 32, MOST_TOKEN_BYTES = 4096 };

/* A merge as the file has it: "Ġ t" or ["Ġ", "t"]. */
struct merge_text {
    const char *left, *right;
    size_t left_len, right_len;
};

static bool read_merge(const json_t *entry, struct merge_text *merge)
{
    const char *text = json_string_value(entry), *blank = text != NULL ? strchr(text, ' ') : NULL;
    if (blank != NULL) {
        *merge = (struct merge_text){text, blank + 1, (size_t)(blank - text), strlen(blank + 1)};
        return strchr(blank + 1, ' ') == NULL;
    }
    const json_t *left = json_array_get(entry, 0), *right = json_array_get(entry, 1);
    *merge = (struct merge_text){json_string_value(left), json_string_value(right),
                                 json_string_length(left), json_string_length(right)};
    return json_array_size(entry) == 2 && json_is_string(left) && json_is_string(right);
}

/* Makes the merge of two texts, whose result is both, the second without its prefix. The vocabulary
 * must have all three. */
static struct draft_merge make_merge(const struct json_tokenizer *json, size_t index,
                                     const struct merge_text *text, size_t prefix_len)
{
    char whole[2 * MOST_TOKEN_BYTES];
    if (text->left_len > MOST_TOKEN_BYTES || text->right_len > MOST_TOKEN_BYTES ||
        text->right_len < prefix_len)
        file_die(json->file.name,
                 "merge %zu of the model has a text of %zu or %zu bytes; expected at most %d, and "
                 "no fewer than its prefix has",
                 index, text->left_len, text->right_len, MOST_TOKEN_BYTES);
    memcpy(whole, text->left, text->left_len);
    memcpy(whole + text->left_len, text->right + prefix_len, text->right_len - prefix_len);
    const char *const texts[] = {text->left, text->right, whole};
    const size_t lens[] = {text->left_len, text->right_len,
                           text->left_len + text->right_len - prefix_len};
    uint32_t ids[3];
    for (size_t i = 0; i < 3; i++) {
        size_t id = word_list_find(&json->tokenizer->draft.words, texts[i], lens[i]);
        if (id == WORD_NONE)
            file_die(json->file.name,
                     "merge %zu of the model needs '%.*s', which is not in its vocabulary", index,
                     (int)(lens[i] < 100 ? lens[i] : 100), texts[i]);
        ids[i] = (uint32_t)id;
    }
    return (struct draft_merge){.left = ids[0], .right = ids[1], .id = ids[2]};
}

static void read_merges(struct json_tokenizer *json, const json_t *model, const char *prefix,
                        const char *suffix)
{
    const json_t *list = json_object_get(model, "merges"), *entry;
    struct merge_text text;
    size_t i, n = 0, bad = 0;
    if (!json_is_array(list))
        file_die(json->file.name, "the model's 'merges' is %s; expected an array", json_kind(list));
    struct draft_merge *merges = alloc_zeros(json_array_size(list), sizeof *merges);
    json_array_foreach(list, i, entry)
    {
        if (json_is_string(entry) && strncmp(json_string_value(entry), "#version", 8) == 0)
            continue;
        if (!read_merge(entry, &text))
            file_die(json->file.name, "merge %zu of the model is not a pair of texts", i);
        merges[n++] = make_merge(json, i, &text, strlen(prefix));
    }
    const char *wrong = draft_add_merges(&json->tokenizer->draft, merges, n, prefix, suffix, &bad);
    if (wrong != NULL)
        file_die(json->file.name, "merge %zu of the model: %s", bad, wrong);
    alloc_free(merges);
}

/* Reads and sets a prefix or suffix. */
static const char *read_affix(struct json_tokenizer *json, const json_t *model, const char *key,
                              const char *setting)
{
    const char *text = json_text(&json->file, model, key, "");
    const size_t len = strlen(text);
    if (len > MOST_AFFIX_BYTES)
        file_die(json->file.name, "the model's '%s' has %zu bytes; expected at most %d", key, len,
                 MOST_AFFIX_BYTES);
    draft_set_text(&json->tokenizer->draft, setting, text);
    return text;
}

static void read_bpe(struct json_tokenizer *json, const json_t *model)
{
    struct tokenizer_draft *draft = &json->tokenizer->draft;
    const json_t *dropout = json_object_get(model, "dropout");
    draft_set_text(draft, "kind", "bpe");
    if (dropout != NULL && !json_is_null(dropout) && json_number_value(dropout) != 0)
        file_die(json->file.name,
                 "the model's 'dropout' is %g, which makes its tokens random; expected none",
                 json_number_value(dropout));
    read_vocabulary(json, model);
    read_unknown(json, model, false);
    const char *prefix = read_affix(json, model, "continuing_subword_prefix", "prefix");
    const char *suffix = read_affix(json, model, "end_of_word_suffix", "suffix");
    if (json_flag(&json->file, model, "fuse_unk", false))
        draft_set_text(draft, "fuse_unknown", "yes");
    if (json_flag(&json->file, model, "ignore_merges", false))
        draft_set_text(draft, "whole_words", "yes");
    if (json_flag(&json->file, model, "byte_fallback", false)) {
        if (prefix[0] != '\0' || suffix[0] != '\0')
            file_die(json->file.name, "the model has 'byte_fallback' and a prefix or suffix of "
                                      "words; expected one of them");
        byte_fallback_set(json->tokenizer);
    }
    read_merges(json, model, prefix, suffix);
}

/* ---- All models ---- */

/* Old files do not say the type of their model: it follows from its members. */
static void read_model(struct json_tokenizer *json)
{
    static const struct part_reader kinds[] = {
        {"WordPiece", NULL, read_wordpiece},
        {"WordLevel", NULL, read_word_level},
        {"Unigram", NULL, read_unigram},
        {"BPE", NULL, read_bpe},
        {NULL, NULL, NULL},
    };
    json_t *model = json_object_get(json->file.root, "model");
    if (json_is_object(model) && json_object_get(model, "type") == NULL) {
        bool has_most = json_object_get(model, "max_input_chars_per_word") != NULL;
        const char *type = json_object_get(model, "merges") != NULL         ? "BPE"
                           : json_is_array(json_object_get(model, "vocab")) ? "Unigram"
                           : has_most                                       ? "WordPiece"
                                                                            : "WordLevel";
        json_object_set_new(model, "type", json_string(type));
    }
    part_read(json, "model", model, kinds);
}

/* ---- Numbers ---- */

/* Returns the number as the reference's parser reads it (serde_json without float_roundtrip): the
 * digits as a whole number of 64 bits, further ones dropped, then one product with a power of ten
 * or one quotient, which may be one step off. */
static double reference_number(const char *text)
{
    const bool is_negative = *text == '-';
    bool in_fraction = false, is_full = false;
    uint64_t digits = 0;
    int exponent = 0;
    char power[16];
    for (text += is_negative; isdigit((unsigned char)*text) || *text == '.'; text++) {
        const uint64_t digit = (uint64_t)(*text - '0');
        if (*text == '.') {
            in_fraction = true;
            is_full = false;
            continue;
        }
        is_full = is_full || digits > (UINT64_MAX - digit) / 10;
        digits = is_full ? digits : digits * 10 + digit;
        exponent += is_full - in_fraction;
    }
    if (*text == 'e' || *text == 'E') {
        const long more = strtol(text + 1, NULL, 10);
        exponent += more < -9999 ? -9999 : more > 9999 ? 9999 : (int)more;
    }
    double number = (double)digits;
    for (; exponent < -308 && number != 0; exponent += 308)
        number /= 1e308;
    exponent = exponent < -308 ? 0 : exponent;
    snprintf(power, sizeof power, "1e%d", abs(exponent));
    number = exponent < 0 ? number / strtod(power, NULL) : number * strtod(power, NULL);
    return is_negative ? -number : number;
}

/* Returns the length of what may be a number at text[0], and stores whether it is a number that the
 * reference does not read as strtod does; *number is then what the reference reads. */
static size_t read_number(const char *text, size_t len, double *number, bool *differs)
{
    char copy[64] = "", *end = copy;
    size_t n = 0;
    while (n < len && text[n] != '\0' && strchr("+-.0123456789eE", text[n]) != NULL)
        n++;
    if (n < sizeof copy && n > 0 && (*text == '-' || isdigit((unsigned char)*text))) {
        memcpy(copy, text, n);
        *number = reference_number(copy);
        *differs = strtod(copy, &end) != *number;
    }
    *differs = *differs && end == copy + n && isfinite(*number) && strpbrk(copy, ".eE") != NULL;
    return n;
}

/* Returns the file's text, allocated, with numbers as the reference reads them: scores of Unigram,
 * of which the last bit decides between two ways that are equally good. */
static char *with_reference_numbers(const char *text, size_t len, size_t *new_len)
{
    struct written copy;
    FILE *stream = alloc_open(&copy);
    bool in_text = false;
    for (size_t at = 0, n; at < len; at += n) {
        double number = 0;
        bool differs = false;
        n = in_text ? 0 : read_number(text + at, len - at, &number, &differs);
        if (n == 0) {
            n = in_text && text[at] == '\\' && at + 1 < len ? 2 : 1;
            in_text = in_text != (text[at] == '"');
        }
        if (differs)
            fprintf(stream, "%.17g", number);
        else
            fwrite(text + at, 1, n, stream);
    }
    alloc_close(stream, &copy);
    *new_len = copy.len;
    return copy.bytes;
}

/* ---- The file ---- */

/* Words with ids from num_words on are dropped: texts never give them. */
static void read_keras(struct import_tokenizer *tokenizer, const char *text, size_t len)
{
    struct tokenizer_draft *draft = &tokenizer->draft;
    keras_json_read(draft, tokenizer->name, text, len);
    size_t most = draft->num_words > 0 ? (size_t)draft->num_words : SIZE_MAX;
    if (draft->unknown != WORD_NONE && draft->unknown >= most)
        most = draft->unknown + 1;
    word_list_cut(&draft->words, most);
}

void json_parts_read(struct json_tokenizer *json)
{
    read_model(json);
    if (json->class != NULL && !json->is_vocabulary)
        class_kind_check(json);
    if (json->beside != NULL)
        class_tokens_set(json);
    steps_read(json);
    added_tokens_read(json);
    post_processor_read(json);
}

/* Reads the truncation, which the code of static embeddings leaves in force. */
static void read_truncation(struct json_tokenizer *json)
{
    const json_t *truncation = json_typed(&json->file, "truncation", JSON_OBJECT, "an object");
    const char *direction = json_text(&json->file, truncation, "direction", "Right");
    if (truncation == NULL)
        return;
    if (strcmp(direction, "Right") != 0)
        file_die(json->file.name, "the truncation's 'direction' is '%.100s'; expected Right",
                 direction);
    json->tokenizer->truncation = json_count(&json->file, truncation, "max_length", 1, 0);
}

void tokenizer_json_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                         const struct tokenizer_beside *beside)
{
    struct json_tokenizer json = {.tokenizer = tokenizer,
                                  .beside = beside->folder != NULL ? beside : NULL};
    if (json.beside != NULL)
        json.class = class_find(beside, text, len);
    size_t n_copy;
    char *copy = with_reference_numbers(text, len, &n_copy);
    json_file_parse(&json.file, tokenizer->name, copy, n_copy, false);
    alloc_free(copy);
    const json_t *root = json.file.root;
    /* The file of Keras' Tokenizer.to_json() has the same name. */
    if (json_object_get(root, "model") == NULL && json_is_object(json_object_get(root, "config"))) {
        read_keras(tokenizer, text, len);
        return;
    }
    json.is_static = beside->is_static;
    json_parts_read(&json);
    if (json.is_static)
        read_truncation(&json);
    if (json.beside == NULL)
        return;
    class_conflicts_check(&json);
    known_keys_check(&json.file, KEYS_TOKENIZER_JSON, NULL, beside->folder);
}
