/* tokenizer_vocab.c - a vocab.txt, one token per line, and what BertTokenizer makes of it: the
 * steps and the frame of BERT, special tokens by their names.
 */

#include "tools/common/print/utf8.h"
#include "tools/import/tokenizer/tokenizer_beside.h"
#include "tools/import/tokenizer/tokenizer_json.h"

#include <inttypes.h>
#include <string.h>

/* ---- tokenizer_config.json and special_tokens_map.json ---- */

/* "[CLS]", or {"content": "[CLS]", ...} */
static const char *special_text(const struct json_file *file, const char *key)
{
    const json_t *value = json_object_get(file->root, key);
    return json_string_value(json_is_object(value) ? json_object_get(value, "content") : value);
}

bool tokenizer_map_counts(const struct tokenizer_beside *beside)
{
    return json_object_get(beside->config.root, "added_tokens_decoder") == NULL;
}

const char *tokenizer_special(const struct tokenizer_beside *beside, const char *key)
{
    const char *text = tokenizer_map_counts(beside) ? special_text(&beside->map, key) : NULL;
    return text != NULL ? text : special_text(&beside->config, key);
}

const char *tokenizer_model_type(const struct tokenizer_beside *beside)
{
    return json_string_value(json_object_get(beside->model.root, "model_type"));
}

void tokenizer_config_check(const struct tokenizer_beside *beside)
{
    static const char *const flags[] = {"do_lower_case", "tokenize_chinese_chars", "strip_accents"};
    const struct json_file *file = &beside->config;
    json_text(file, NULL, "tokenizer_class", NULL);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        json_flag(file, NULL, flags[i], false);
    if (!json_flag(file, NULL, "do_basic_tokenize", true) ||
        json_array_size(json_member(file, NULL, "never_split")) > 0)
        file_die(file->name,
                 "'do_basic_tokenize' is false or 'never_split' has words; expected neither");
}

static void check_class(const char *name)
{
    static const char *const classes[] = {"BertTokenizer", "DistilBertTokenizer",
                                          "ElectraTokenizer", "MobileBertTokenizer",
                                          "RetriBertTokenizer"};
    if (name == NULL)
        return;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (parts_is_class(name, classes[i]))
            return;
    program_die("tokenizer_config.json: 'tokenizer_class' is '%.100s', with a vocab.txt and no "
                "tokenizer.json; expected BertTokenizer, DistilBertTokenizer or ElectraTokenizer",
                name);
}

/* ---- The vocabulary ---- */

/* Line i is token i; lines may end with CR LF. An empty one is an id without text. */
static void read_lines(struct import_tokenizer *tokenizer, const char *text, size_t len)
{
    const char *line;
    size_t at = 0, n = 0;
    for (uint64_t id = 0; (line = parts_next_line(text, len, &at, &n)) != NULL; id++) {
        if (!utf8_is_valid(line, n))
            file_die(tokenizer->name, "line %" PRIu64 " is not UTF-8", id + 1);
        parts_place(tokenizer, id, line, n);
    }
}

/* ---- What stands around it ---- */

struct special {
    const char *key, *usual;
    bool is_needed; /* by the frame, or for unknown words */
};

enum { UNKNOWN, SEP, PAD, CLS, MASK, N_SPECIALS };

/* The ids of the special tokens, and those that there are as added tokens. */
static void find_specials(struct import_tokenizer *tokenizer, const struct tokenizer_beside *beside,
                          size_t ids[N_SPECIALS], json_t *added)
{
    static const struct special specials[N_SPECIALS] = {
        [UNKNOWN] = {"unk_token", "[UNK]", true}, [SEP] = {"sep_token", "[SEP]", true},
        [PAD] = {"pad_token", "[PAD]", false},    [CLS] = {"cls_token", "[CLS]", true},
        [MASK] = {"mask_token", "[MASK]", false},
    };
    for (size_t i = 0; i < N_SPECIALS; i++) {
        const char *said = tokenizer_special(beside, specials[i].key);
        const char *text = said != NULL ? said : specials[i].usual;
        ids[i] = specials[i].is_needed
                     ? parts_special(tokenizer, text)
                     : word_list_find(&tokenizer->draft.words, text, strlen(text));
        if (ids[i] != WORD_NONE)
            json_array_append_new(added, json_pack("{s:s, s:i, s:b}", "content", text, "id",
                                                   (int)ids[i], "special", true));
    }
    tokenizer->draft.unknown = ids[UNKNOWN];
}

/* More tokens that texts can name: only a tokenizer.json says all that there is to know of them. */
static void check_no_more(const struct tokenizer_beside *beside, const json_t *added)
{
    const struct json_file *files[] = {&beside->config, &beside->map};
    json_t *listed = json_object_get(beside->config.root, "added_tokens_decoder"), *token, *other;
    const char *id;
    size_t i;
    for (i = 0; i < 2; i++)
        if (json_array_size(json_object_get(files[i]->root, "additional_special_tokens")) > 0)
            file_die(files[i]->name, "'additional_special_tokens' has tokens, with a vocab.txt; "
                                     "expected none, or a tokenizer.json");
    json_object_foreach(listed, id, token)
    {
        const json_t *text = json_object_get(token, "content");
        bool is_known = false;
        json_array_foreach(added, i, other)
        {
            is_known = is_known || json_equal(text, json_object_get(other, "content"));
        }
        if (!is_known)
            file_die(beside->config.name,
                     "'added_tokens_decoder' has the token '%.100s', with a vocab.txt; expected "
                     "the special ones alone, or a tokenizer.json",
                     json_is_string(text) ? json_string_value(text) : "");
    }
}

/* The same parts as a tokenizer.json has them. Switches that are not there are as usual. */
static json_t *bert_parts(const json_t *config, json_t *added)
{
    json_t *normalizer = json_pack("{s:s, s:O?, s:O?, s:O?}", "type", "BertNormalizer", "lowercase",
                                   json_object_get(config, "do_lower_case"), "handle_chinese_chars",
                                   json_object_get(config, "tokenize_chinese_chars"),
                                   "strip_accents", json_object_get(config, "strip_accents"));
    return json_pack("{s:o, s:{s:s}, s:O}", "normalizer", normalizer, "pre_tokenizer", "type",
                     "BertPreTokenizer", "added_tokens", added);
}

static void read_parts(struct import_tokenizer *tokenizer, const struct tokenizer_beside *beside,
                       json_t *added)
{
    struct json_tokenizer json = {.tokenizer = tokenizer};
    size_t ids[N_SPECIALS];
    find_specials(tokenizer, beside, ids, added);
    check_no_more(beside, added);
    json.file.root = bert_parts(beside->config.root, added);
    added_tokens_read(&json);
    draft_set_text(&tokenizer->draft, "kind", "wordpiece");
    draft_set_number(&tokenizer->draft, "unknown", ids[UNKNOWN]);
    steps_read(&json);
    parts_frame(tokenizer, ids[CLS], ids[SEP], FRAME_BERT);
}

void tokenizer_vocab_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                          const struct tokenizer_beside *beside)
{
    json_t *added = json_array();
    check_class(json_string_value(json_object_get(beside->config.root, "tokenizer_class")));
    read_lines(tokenizer, text, len);
    read_parts(tokenizer, beside, added);
}
