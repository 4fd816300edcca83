/* tokenizer_vocab.c - tokenizers without a tokenizer.json: a vocab.txt, one token per line, or a
 * vocab.json with merges.txt. The class of the tokenizer says the rest: its special tokens, how it
 * splits, its templates. */
#include "tools/common/print/utf8.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns the line at text[*at], [*len] without LF or CR LF, or NULL; moves *at past it. */
static const char *next_line(const char *text, size_t text_len, size_t *at, size_t *len)
{
    if (*at == text_len)
        return NULL;
    const char *line = text + *at, *end = memchr(line, '\n', text_len - *at);
    *len = end != NULL ? (size_t)(end - line) : text_len - *at;
    *at += *len + (end != NULL);
    *len -= *len > 0 && line[*len - 1] == '\r';
    return line;
}

/* ---- vocab.txt of BERT ---- */

/* Switches of the right type, and a class that is known. */
static void check_config(const struct json_file *file)
{
    static const char *const flags[] = {"do_lower_case", "tokenize_chinese_chars", "strip_accents"};
    static const char *const classes[] = {"BertTokenizer", "DistilBertTokenizer",
                                          "ElectraTokenizer", "MobileBertTokenizer",
                                          "RetriBertTokenizer"};
    const char *name = json_text(file, NULL, "tokenizer_class", NULL);
    bool is_known = name == NULL;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        json_flag(file, NULL, flags[i], false);
    if (!json_flag(file, NULL, "do_basic_tokenize", true) ||
        json_array_size(json_member(file, NULL, "never_split")) > 0)
        file_die(file->name,
                 "'do_basic_tokenize' is false or 'never_split' has words; expected neither");
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        is_known = is_known || tokenizer_is_class(name, classes[i]);
    if (!is_known)
        program_die(
            "tokenizer_config.json: 'tokenizer_class' is '%.100s', with a vocab.txt and no "
            "tokenizer.json; expected BertTokenizer, DistilBertTokenizer or ElectraTokenizer",
            name);
}

enum { BERT_UNK, BERT_SEP, BERT_PAD, BERT_CLS, BERT_MASK, N_BERT };

/* Stores the ids of the special tokens, and appends those of the vocabulary to `added`. */
static void find_specials(struct import_tokenizer *tokenizer, const struct tokenizer_beside *beside,
                          size_t ids[N_BERT], json_t *added)
{
    static const struct {
        const char *key, *usual;
        bool is_needed; /* by the templates, or for unknown words */
    } specials[N_BERT] = {
        [BERT_UNK] = {"unk_token", "[UNK]", true},     [BERT_SEP] = {"sep_token", "[SEP]", true},
        [BERT_PAD] = {"pad_token", "[PAD]", false},    [BERT_CLS] = {"cls_token", "[CLS]", true},
        [BERT_MASK] = {"mask_token", "[MASK]", false},
    };
    for (size_t i = 0; i < N_BERT; i++) {
        const char *said = tokenizer_special(beside, specials[i].key);
        const char *text = said != NULL ? said : specials[i].usual;
        ids[i] = specials[i].is_needed
                     ? special_id(tokenizer, text)
                     : word_list_find(&tokenizer->draft.words, text, strlen(text));
        if (ids[i] != WORD_NONE)
            json_array_append_new(added, json_pack("{s:s, s:i, s:b}", "content", text, "id",
                                                   (int)ids[i], "special", true));
    }
    tokenizer->draft.unknown = ids[BERT_UNK];
}

/* Refuses more tokens that texts can name: only a tokenizer.json says all about them. */
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

/* Line i is token i; an empty one is an id without text. The steps are those of BERT as a
 * tokenizer.json has them; absent switches have their defaults. */
void tokenizer_vocab_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                          const struct tokenizer_beside *beside)
{
    const json_t *config = beside->config.root;
    struct json_tokenizer json = {.tokenizer = tokenizer};
    json_t *added = json_array();
    const char *line;
    size_t ids[N_BERT], at = 0, n = 0;
    if (config != NULL)
        check_config(&beside->config);
    for (uint64_t id = 0; (line = next_line(text, len, &at, &n)) != NULL; id++) {
        if (!utf8_is_valid(line, n))
            file_die(tokenizer->name, "line %" PRIu64 " is not UTF-8", id + 1);
        token_place(tokenizer, id, line, n);
    }
    find_specials(tokenizer, beside, ids, added);
    check_no_more(beside, added);
    json_t *normalizer = json_pack("{s:s, s:O?, s:O?, s:O?}", "type", "BertNormalizer", "lowercase",
                                   json_object_get(config, "do_lower_case"), "handle_chinese_chars",
                                   json_object_get(config, "tokenize_chinese_chars"),
                                   "strip_accents", json_object_get(config, "strip_accents"));
    json.file.root = json_pack("{s:o, s:{s:s}, s:O}", "normalizer", normalizer, "pre_tokenizer",
                               "type", "BertPreTokenizer", "added_tokens", added);
    added_tokens_read(&json);
    draft_set_text(&tokenizer->draft, "kind", "wordpiece");
    draft_set_number(&tokenizer->draft, "unknown", ids[BERT_UNK]);
    steps_read(&json);
    templates_set(tokenizer, ids[BERT_CLS], ids[BERT_SEP], FRAME_BERT);
}

/* ---- vocab.json and merges.txt of BPE ---- */

/* Keys of special tokens in the files; a class names the tokens that the files do not name. */
static const char *const SPECIALS[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                       "pad_token", "cls_token", "mask_token"};
enum { BOS, EOS, UNK, SEP, PAD, CLS, MASK, N_SPECIALS };

// clang-format off
#define ENDS    "<|endoftext|>"
#define ROBERTA {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}
#define CLIP    {"<|startoftext|>", ENDS, ENDS, NULL, ENDS}
// clang-format on

static const struct bpe_class {
    const char *name, *model_type;
    const char *specials[N_SPECIALS]; /* or NULL */
    const char *suffix;
    const char *normalizer, *pattern; /* as in a weight file; normalizer NULL: none */
    int first, last;                  /* the special tokens of its templates, or -1 */
    bool trims, may_add_blank;
} CLASSES[] = {
    {"RobertaTokenizer", "roberta", ROBERTA, "", NULL, "gpt2", CLS, SEP, true, true},
    {"LongformerTokenizer", "longformer", ROBERTA, "", NULL, "gpt2", CLS, SEP, true, true},
    {"BartTokenizer", "bart", ROBERTA, "", NULL, "gpt2", CLS, SEP, true, true},
    {"GPT2Tokenizer", "gpt2", {ENDS, ENDS, ENDS}, "", NULL, "gpt2", -1, -1, false, true},
    {"CodeGenTokenizer", "codegen", {ENDS, ENDS, ENDS}, "", NULL, "gpt2", -1, -1, false, true},
    {"CLIPTokenizer", "clip", CLIP, "</w>", "nfc replace_blanks:1:%20 lower", "clip", BOS, EOS,
     false, false},
};

static const struct bpe_class *find_class(const struct tokenizer_beside *beside)
{
    const char *said = json_string_value(json_object_get(beside->config.root, "tokenizer_class"));
    const char *type = tokenizer_model_type(beside);
    for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++)
        if (said != NULL ? tokenizer_is_class(said, CLASSES[i].name)
                         : type != NULL && strcmp(CLASSES[i].model_type, type) == 0)
            return &CLASSES[i];
    program_die(
        "a vocab.json and a merges.txt without a tokenizer.json: the 'tokenizer_class' is '%.100s' "
        "and the 'model_type' '%.100s'; expected one of RobertaTokenizer, LongformerTokenizer, "
        "BartTokenizer, GPT2Tokenizer, CodeGenTokenizer, CLIPTokenizer",
        said != NULL ? said : "not given", type != NULL ? type : "not given");
}

/* The text of a special token, from the files, or from the class. */
static const char *special_of(const struct tokenizer_beside *beside, const struct bpe_class *class,
                              size_t which)
{
    const char *said = tokenizer_special(beside, SPECIALS[which]);
    return said != NULL ? said : class->specials[which];
}

/* The model as a tokenizer.json has it. merges.txt has a merge on each line; the first one may name
 * the version. */
static json_t *make_model(const struct tokenizer_beside *beside, const struct bpe_class *class,
                          json_t *vocabulary)
{
    const char *unknown = class->suffix[0] != '\0' ? special_of(beside, class, UNK) : NULL;
    json_t *merges = json_array();
    size_t at = 0, n = 0;
    const char *text;
    for (size_t line = 1; (text = next_line(beside->merges, beside->merges_len, &at, &n)) != NULL;
         line++) {
        if (!utf8_is_valid(text, n) || memchr(text, '\0', n) != NULL)
            program_die("merges.txt: line %zu is not UTF-8", line);
        if (n > 0)
            json_array_append_new(merges, json_stringn(text, n));
    }
    return json_pack("{s:s, s:s, s:O, s:s*, s:o}", "type", "BPE", "end_of_word_suffix",
                     class->suffix, "vocab", vocabulary, "unk_token", unknown, "merges", merges);
}

/* Inserts a token into a list in the order of ids; the first token with an id stays. */
static void add_token(json_t *added, json_t *said, const char *text, int64_t id, bool is_special,
                      bool strips_left)
{
    size_t at = 0, n = json_array_size(added);
    int64_t found = -1;
    for (; at < n; at++) {
        found = json_integer_value(json_object_get(json_array_get(added, at), "id"));
        if (found >= id)
            break;
    }
    if (found == id)
        return;
    json_t *token =
        json_is_object(said) ? json_copy(said) : json_pack("{s:b}", "lstrip", strips_left);
    json_object_del(token, "__type");
    json_object_set_new(token, "content", json_string(text));
    json_object_set_new(token, "id", json_integer(id));
    json_object_set_new(token, "special", json_boolean(is_special));
    if (json_object_get(token, "normalized") == NULL)
        json_object_set_new(token, "normalized", json_boolean(!is_special || json_is_object(said)));
    json_array_insert_new(added, at, token);
}

/* The added tokens as a tokenizer.json has them: those of added_tokens_decoder, or if there is
 * none, the special ones and those of added_tokens.json. */
static json_t *make_added(const struct tokenizer_beside *beside, const struct bpe_class *class,
                          const json_t *vocabulary)
{
    json_t *added = json_array(), *value;
    json_t *all = json_object_get(beside->config.root, "added_tokens_decoder");
    const char *key;
    uint64_t id;
    json_object_foreach(all, key, value)
    {
        const char *text = json_string_value(json_object_get(value, "content"));
        if (text != NULL)
            add_token(added, value, text, strtoll(key, NULL, 10),
                      json_is_true(json_object_get(value, "special")), false);
    }
    if (all != NULL)
        return added;
    for (size_t i = 0; i < N_SPECIALS; i++) {
        const char *text = special_of(beside, class, i);
        json_t *said = json_object_get(beside->map.root, SPECIALS[i]);
        json_t *of_model = text != NULL ? json_object_get(vocabulary, text) : NULL;
        if (of_model == NULL && text != NULL)
            of_model = json_object_get(beside->added.root, text);
        if (json_whole(of_model, &id))
            add_token(added, said, text, (int64_t)id, true, i == MASK);
    }
    json_object_foreach(beside->added.root, key, value)
    {
        if (json_whole(value, &id))
            add_token(added, NULL, key, (int64_t)id, false, false);
    }
    return added;
}

/* The model and the tokens become a tokenizer.json; what it would say of the class is set here. */
void bpe_files_read(struct import_tokenizer *tokenizer, const char *text, size_t len,
                    const struct tokenizer_beside *beside)
{
    const struct bpe_class *class = find_class(beside);
    struct tokenizer_draft *draft = &tokenizer->draft;
    struct json_tokenizer json = {.tokenizer = tokenizer};
    bool adds_blank = class->may_add_blank &&
                      json_is_true(json_object_get(beside->config.root, "add_prefix_space"));
    json_file_parse(&json.file, "vocab.json", text, len, false);
    json_t *ids = json.file.root;
    json.file.root = json_pack("{s:o, s:o}", "model", make_model(beside, class, ids),
                               "added_tokens", make_added(beside, class, ids));
    json_parts_read(&json);
    if (class->normalizer != NULL)
        draft_set_text(draft, "normalizer", class->normalizer);
    draft_set_text(draft, "pattern", class->pattern);
    draft_set_text(draft, "byte_level", "yes");
    if (adds_blank)
        draft_set_text(draft, "first_blank", "yes");
    if (class->trims)
        draft_set_text(draft, "trim", adds_blank ? "but_first" : "yes");
    if (class->first >= 0)
        templates_set(
            tokenizer, special_id(tokenizer, special_of(beside, class, (size_t) class->first)),
            special_id(tokenizer, special_of(beside, class, (size_t) class->last)), FRAME_ROBERTA);
}
