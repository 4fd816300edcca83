/* tokenizer_class.c - what the files beside a tokenizer say, and what AutoTokenizer of transformers
 * makes of a tokenizer.json: a class, by tokenizer_config.json or config.json, adds tokens to it
 * and replaces some of its parts. Tokens are added here too; a part that the class would change is
 * refused. Checked with 4.57 and 5.23 by tests/tools/tokenizer/reference_classes.py. */
#include "tools/common/options.h"
#include "tools/import/files/known_keys.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

#include <string.h>

/* ---- Files beside the tokenizer ---- */

/* Whether special_tokens_map.json is read: the newer added_tokens_decoder has all tokens. */
static bool map_is_read(const struct tokenizer_beside *beside)
{
    return json_object_get(beside->config.root, "added_tokens_decoder") == NULL;
}

/* "[CLS]", or {"content": "[CLS]", ...} */
static const char *text_of(const json_t *token)
{
    return json_string_value(json_is_object(token) ? json_object_get(token, "content") : token);
}

const char *tokenizer_special(const struct tokenizer_beside *beside, const char *key)
{
    const json_t *map = map_is_read(beside) ? beside->map.root : NULL;
    const char *text = text_of(json_object_get(map, key));
    return text != NULL ? text : text_of(json_object_get(beside->config.root, key));
}

const char *tokenizer_model_type(const struct tokenizer_beside *beside)
{
    return json_string_value(json_object_get(beside->model.root, "model_type"));
}

bool tokenizer_is_class(const char *tokenizer_class, const char *name)
{
    size_t len = strlen(name);
    return strncmp(name, tokenizer_class, len) == 0 &&
           (tokenizer_class[len] == '\0' || strcmp(tokenizer_class + len, "Fast") == 0);
}

/* ---- Classes ---- */

enum { UNK, CLS, SEP, PAD, MASK, N_SPECIALS };
static const char *const SPECIALS[N_SPECIALS] = {"unk_token", "cls_token", "sep_token", "pad_token",
                                                 "mask_token"};
enum { BERT = 1, MPNET = 2, ROBERTA = 4, XLM_ROBERTA = 8, CAMEMBERT = 16, ALBERT = 32 };

// clang-format off
#define BERT_TOKENS    {"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"}
#define MPNET_TOKENS   {"[UNK]", "<s>", "</s>", "<pad>", "<mask>"}
#define ROBERTA_TOKENS {"<unk>", "<s>", "</s>", "<pad>", "<mask>"}
#define ALBERT_TOKENS  {"<unk>", "[CLS]", "[SEP]", "<pad>", "[MASK]"}

/* Classes that set parts; for others transformers uses a tokenizer.json as it is. */
static const struct reference_class {
    int kind;
    const char *names, *model_types;
    const char *specials[N_SPECIALS]; /* unless the files name others */
    bool frames_by_ends;              /* with bos_token and eos_token */
} CLASSES[] = {
    {BERT, "BertTokenizer ElectraTokenizer", "bert distilbert electra nomic_bert", BERT_TOKENS,
     false},
    {BERT, "DistilBertTokenizer", "", BERT_TOKENS, false},
    {MPNET, "MPNetTokenizer", "mpnet", MPNET_TOKENS, false},
    {ROBERTA, "RobertaTokenizer", "roberta", ROBERTA_TOKENS, false},
    {XLM_ROBERTA, "XLMRobertaTokenizer", "xlm-roberta", ROBERTA_TOKENS, true},
    {CAMEMBERT, "CamembertTokenizer", "camembert", ROBERTA_TOKENS, true},
    {ALBERT, "AlbertTokenizer", "albert", ALBERT_TOKENS, false},
};
// clang-format on

/* Stores the name of the class without "Fast", or "". */
static void read_class(const struct tokenizer_beside *beside, char base[100])
{
    const char *name = json_text(&beside->config, NULL, "tokenizer_class", NULL);
    if (name == NULL)
        name = json_string_value(json_object_get(beside->model.root, "tokenizer_class"));
    name = name != NULL ? name : "";
    snprintf(base, 100, "%.*s", (int)(strlen(name) - (path_ends_in(name, "Fast") ? 4 : 0)), name);
}

static const struct reference_class *find_class(const struct tokenizer_beside *beside)
{
    const char *type = tokenizer_model_type(beside);
    char base[100];
    read_class(beside, base);
    for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++)
        if (base[0] != '\0' ? name_is_listed(CLASSES[i].names, base)
            : type != NULL  ? name_is_listed(CLASSES[i].model_types, type)
                            : false)
            return &CLASSES[i];
    return NULL;
}

bool class_gives_types(const struct tokenizer_beside *beside)
{
    static const char others[] = "DebertaTokenizer DebertaV2Tokenizer ConvBertTokenizer "
                                 "MobileBertTokenizer SqueezeBertTokenizer LayoutLMTokenizer "
                                 "DPRQuestionEncoderTokenizer DPRContextEncoderTokenizer";
    char base[100];
    read_class(beside, base);
    return find_class(beside) == &CLASSES[0] || name_is_listed(others, base);
}

/* ---- Tokens ---- */

/* Adds a token that is in the vocabulary and not among the file's added tokens. is_usual: no file
 * names it, it is the class's. */
static void add_token(struct json_tokenizer *json, const char *key, json_t *value, bool is_special,
                      bool is_usual)
{
    const struct word_list *words = &json->tokenizer->draft.words;
    const char *text = text_of(value);
    json_t *all = json_object_get(json->file.root, "added_tokens"), *other;
    size_t i, id = text != NULL ? word_list_find(words, text, strlen(text)) : WORD_NONE;
    json_array_foreach(all, i, other)
    {
        const char *known = json_string_value(json_object_get(other, "content"));
        if (text != NULL && known != NULL && strcmp(text, known) == 0)
            return;
    }
    if (text == NULL || text[0] == '\0' || (id == WORD_NONE && is_usual))
        return;
    if (id == WORD_NONE)
        program_die("the token '%.100s' of '%s' beside tokenizer.json is not in it, and "
                    "transformers would give it a new id; expected it among 'added_tokens' "
                    "(save_pretrained of the tokenizer that the model was trained with)",
                    text, key);
    json_t *token = json_is_object(value) ? json_copy(value) : json_pack("{s:s}", "content", text);
    json_object_set_new(token, "id", json_real((double)id));
    if (is_special)
        json_object_set_new(token, "special", json_true());
    if (!json_is_array(all))
        json_object_set_new(json->file.root, "added_tokens", all = json_array());
    json_array_append_new(all, token);
}

/* "cls_token": a token; lists of tokens, by names or by ids. */
static void add_tokens_of(struct json_tokenizer *json, const struct json_file *file)
{
    static const char lists[] =
        "additional_special_tokens extra_special_tokens model_specific_special_tokens";
    const char *key, *name;
    json_t *value, *token;
    size_t i;
    json_object_foreach(file->root, key, value)
    {
        bool is_decoder = strcmp(key, "added_tokens_decoder") == 0;
        if (path_ends_in(key, "_token"))
            add_token(json, key, value, true, false);
        if (!is_decoder && !name_is_listed(lists, key))
            continue;
        json_array_foreach(value, i, token) add_token(json, key, token, true, false);
        json_object_foreach(value, name, token) add_token(json, key, token, !is_decoder, false);
    }
}

void class_tokens_add(struct json_tokenizer *json, const struct tokenizer_beside *beside)
{
    const struct reference_class *class = find_class(beside);
    add_tokens_of(json, &beside->config);
    if (map_is_read(beside))
        add_tokens_of(json, &beside->map);
    for (size_t i = 0; class != NULL && i < N_SPECIALS; i++)
        if (tokenizer_special(beside, SPECIALS[i]) == NULL) {
            bool takes_blanks = i == MASK && (class->kind & (MPNET | CAMEMBERT)) != 0;
            add_token(json, SPECIALS[i],
                      json_pack("{s:s, s:b, s:b}", "content", class->specials[i], "lstrip",
                                takes_blanks, "normalized", takes_blanks),
                      true, true);
        }
}

/* ---- Parts ---- */

#define AS_TRAINED                                                                                 \
    "expected both alike (save_pretrained of the tokenizer that the model was trained with)"

static bool is_part(const struct json_tokenizer *json, const char *part, const char *type)
{
    const json_t *object = json_object_get(json->file.root, part);
    const char *found = json_string_value(json_object_get(object, "type"));
    return found != NULL && strcmp(found, type) == 0;
}

/* Refuses a switch, read or by default, that is not as tokenizer.json's parts have it. */
static void check_switch(const struct tokenizer_beside *beside, const char *key, bool usual,
                         bool found)
{
    bool is_absent = json_member(&beside->config, NULL, key) == NULL;
    bool value = json_flag(&beside->config, NULL, key, usual);
    if (value != found)
        program_die("tokenizer_config.json: '%s' is %s%s, which transformers follows, but "
                    "tokenizer.json says %s; expected both alike (set \"%s\": %s if the model was "
                    "trained with tokenizer.json as it is)",
                    key, is_absent ? "absent, so by default " : "", value ? "true" : "false",
                    found ? "true" : "false", key, found ? "true" : "false");
}

static void check_switches(const struct json_tokenizer *json, const struct tokenizer_beside *beside,
                           int kind)
{
    const struct tokenizer_draft *draft = &json->tokenizer->draft;
    const char *steps = draft_get(draft, "normalizer"), *splitter = draft_get(draft, "splitter");
    bool lower = name_is_listed(steps, "lower");
    if ((kind & (BERT | MPNET)) != 0 && is_part(json, "normalizer", "BertNormalizer")) {
        check_switch(beside, "do_lower_case", true, lower);
        check_switch(beside, "tokenize_chinese_chars", true, name_is_listed(steps, "space_cjk"));
        check_switch(beside, "strip_accents", lower, name_is_listed(steps, "drop_nonspacing"));
    }
    if (kind == ALBERT) {
        check_switch(beside, "do_lower_case", true, lower);
        check_switch(beside, "keep_accents", false, !name_is_listed(steps, "drop_marks"));
    }
    if ((kind & (XLM_ROBERTA | CAMEMBERT | ALBERT)) != 0 && strstr(splitter, "metaspace") != NULL)
        check_switch(beside, "add_prefix_space", true, strstr(splitter, "metaspace:never") == NULL);
    if (is_part(json, "pre_tokenizer", "ByteLevel") || (kind == ROBERTA && json->is_byte_level))
        check_switch(beside, "add_prefix_space", false, draft_get(draft, "first_blank")[0] != '\0');
}

/* transformers 5 replaces the templates and the token for unknown words by its own. */
static void check_frame(const struct json_tokenizer *json, const struct tokenizer_beside *beside,
                        const struct reference_class *class)
{
    static const char *const ends[] = {"bos_token", "eos_token"};
    const struct word_list *words = &json->tokenizer->draft.words;
    const char *texts[3];
    char frame[64];
    size_t ids[3];
    for (size_t i = UNK; i <= SEP; i++) {
        bool is_end = i != UNK && class->frames_by_ends;
        texts[i] = tokenizer_special(beside, is_end ? ends[i - CLS] : SPECIALS[i]);
        texts[i] = texts[i] != NULL ? texts[i] : class->specials[i];
        ids[i] = word_list_find(words, texts[i], strlen(texts[i]));
    }
    snprintf(frame, sizeof frame, "%zu:0 A:0 %zu:0", ids[CLS], ids[SEP]);
    if (ids[CLS] != WORD_NONE && ids[SEP] != WORD_NONE &&
        strcmp(json->tokenizer->single, frame) != 0)
        file_die(json->file.name,
                 "the post-processor does not put '%.100s' before a text and '%.100s' after it, as "
                 "the class of tokenizer_config.json does; " AS_TRAINED,
                 texts[CLS], texts[SEP]);
    if ((class->kind & (BERT | MPNET)) != 0 && ids[UNK] != WORD_NONE &&
        json->tokenizer->draft.unknown != ids[UNK])
        file_die(json->file.name,
                 "the model's 'unk_token' is not '%.100s', as the class of tokenizer_config.json "
                 "has it; " AS_TRAINED,
                 texts[UNK]);
}

void class_conflicts_check(const struct json_tokenizer *json, const struct tokenizer_beside *beside)
{
    static const struct json_only only[] = {{"split_special_tokens", "false", false, NULL},
                                            {"truncation_side", "\"right\"", false, NULL},
                                            {.name = NULL}};
    const struct reference_class *class = find_class(beside);
    const json_t *truncation = json_member(&json->file, NULL, "truncation");
    const char *direction = json_string_value(json_object_get(truncation, "direction"));
    json_only_check(&beside->config, only);
    if (direction != NULL && strcmp(direction, "Right") != 0 &&
        json_member(&beside->config, NULL, "truncation_side") == NULL)
        file_die(json->file.name,
                 "the truncation's 'direction' is '%.100s'; expected Right, or "
                 "\"truncation_side\": \"right\" in tokenizer_config.json",
                 direction);
    check_switches(json, beside, class != NULL ? class->kind : 0);
    if (class != NULL)
        check_frame(json, beside, class);
}
