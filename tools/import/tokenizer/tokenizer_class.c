/* tokenizer_class.c - the class that AutoTokenizer of transformers chooses by the files beside a
 * tokenizer, and the parts of a tokenizer.json that it replaces by its own: always in version 5, by
 * some switches of tokenizer_config.json in 4.x too. Where the versions give other ids, --as says
 * which is followed. Checked with 4.57 and 5.24 by tests/tools/tokenizer/reference_classes.py. */
#include "tools/import/tokenizer/tokenizer_class.h"

#include "tools/common/options.h"
#include "tools/import/files/json_file.h"

#include <string.h>

const char *tokenizer_model_type(const struct tokenizer_beside *beside)
{
    return json_string_value(json_object_get(beside->model.root, "model_type"));
}

/* ---- Classes ---- */

// clang-format off
#define ENDS           "<|endoftext|>"
#define BERT_TOKENS    {NULL, NULL, "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}
#define MPNET_TOKENS   {"<s>", "</s>", "[UNK]", "</s>", "<pad>", "<s>", "<mask>:l"}
#define XLM_TOKENS     {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}
#define ROBERTA_TOKENS {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>:4"}
#define CLS_AND_SEP    .first = TOKEN_CLS, .last = TOKEN_SEP
#define BOS_AND_EOS    .first = TOKEN_BOS, .last = TOKEN_EOS
#define WORD_STEPS     "clean space_cjk nfd drop_nonspacing lower"
#define BLANKS         "blanks metaspace:always"
#define SPACES_TO_ONE  "replace_runs:2:%20:"
#define ODD_BLANKS     "replace_blanks:2:%20 replace:\n:%20 replace:\r:%20 replace:\t:%20 "
#define USUAL_STEPS    "charsmap strip_end " SPACES_TO_ONE METASPACE

static const struct reference_class CLASSES[] = {
    {"BertTokenizer DistilBertTokenizer ElectraTokenizer MobileBertTokenizer RetriBertTokenizer "
     "SqueezeBertTokenizer LayoutLMTokenizer LxmertTokenizer",
     "bert distilbert electra nomic_bert mobilebert squeezebert layoutlm ernie megatron-bert",
     BERT_TOKENS, .kind = "wordpiece", .prefix = "##", .unknown = UNK_TOKEN, .lowercases = true,
     .normalizer = WORD_STEPS, .splitter = "blanks punctuation", CLS_AND_SEP, .frame = FRAME_BERT},
    {"MPNetTokenizer", "mpnet", MPNET_TOKENS, .kind = "wordpiece", .prefix = "##",
     .unknown = UNK_TOKEN, .lowercases = true, .normalizer = WORD_STEPS,
     .splitter = "blanks punctuation", CLS_AND_SEP, .frame = FRAME_ROBERTA, .trims = true},
    {"RobertaTokenizer LongformerTokenizer BartTokenizer LEDTokenizer",
     "roberta longformer bart data2vec-text",
     ROBERTA_TOKENS, .kind = "bpe", .pattern = "gpt2", .may_add_blank = true, CLS_AND_SEP,
     .frame = FRAME_ROBERTA, .trims = true},
    {"GPT2Tokenizer CodeGenTokenizer", "gpt2 codegen", {ENDS, ENDS, ENDS}, .kind = "bpe",
     .pattern = "gpt2", .may_add_blank = true},
    {"CLIPTokenizer", "clip", {"<|startoftext|>", ENDS, ENDS, NULL, ENDS}, .kind = "bpe",
     .suffix = "</w>", .unknown = UNK_TOKEN, .normalizer = "nfc replace_blanks:1:%20 lower",
     .lowercases = true, .pattern = "clip", BOS_AND_EOS, .frame = FRAME_ROBERTA},
    {"Qwen2Tokenizer", "qwen2 qwen3", {NULL, ENDS, ENDS, NULL, ENDS}, .kind = "bpe",
     .normalizer = "nfc", .pattern = "qwen2", .resets_tokens = true},
    {"GemmaTokenizer", "gemma gemma2 gemma3 gemma3_text",
     {"<bos>", "<eos>", "<unk>", NULL, "<pad>", NULL, "<mask>"}, .kind = "bpe",
     .unknown = UNK_TOKEN, .falls_back = true, .normalizer = "replace:%20:" METASPACE,
     .pattern = "after_blanks"},
    {"Siglip2Tokenizer", "siglip2 siglip2_text_model",
     {"<bos>", "<eos>", "<unk>", NULL, "<pad>", NULL, "<mask>"}, .kind = "bpe",
     .unknown = UNK_TOKEN, .falls_back = true, .lowercases = true,
     .normalizer = "lower replace:%20:" METASPACE, .pattern = "after_blanks"},
    {"XLMRobertaTokenizer", "xlm-roberta jina_embeddings_v3 gte", XLM_TOKENS, .kind = "unigram",
     .unknown = 3, .normalizer = "charsmap", .splitter = BLANKS, BOS_AND_EOS,
     .frame = FRAME_ROBERTA,
     .pieces = {"sentencepiece.bpe.model", {"<s>", "<pad>", "</s>", "<unk>"}, .n_skipped = 3,
                .unknown = 3, .mask = "<mask>", USUAL_STEPS, "<s> <pad> </s> <unk> <mask>:l"}},
    {"CamembertTokenizer", "camembert",
     {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>:l"}, .kind = "unigram",
     .unknown = UNK_TOKEN, .normalizer = "charsmap", .splitter = BLANKS, BOS_AND_EOS,
     .frame = FRAME_ROBERTA, .more = {"<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"},
     .pieces = {"", {"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED"},
                .last_before = -100, .n_skipped = 1, .unknown = 3, .mask = "<mask>", USUAL_STEPS,
                "<s> <pad> </s> <unk> <mask>:l"}},
    {"T5Tokenizer", "t5 mt5", {NULL, "</s>", "<unk>", NULL, "<pad>"}, .kind = "unigram",
     .unknown = 2, .normalizer = "charsmap", .splitter = BLANKS, .first = TOKEN_EOS,
     .last = TOKEN_EOS, .frame = FRAME_T5,
     .pieces = {"spiece.model", .has_extra_ids = true, .unknown = NO_ID, .mask = NULL, USUAL_STEPS,
                "<pad> </s> <unk>"}},
    {"AlbertTokenizer", "albert yoso",
     {"[CLS]", "[SEP]", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"}, .kind = "unigram",
     .unknown = 1, .lowercases = true,
     .normalizer = "replace:``:\" replace:'':\" nfkd drop_marks lower charsmap",
     .splitter = BLANKS, CLS_AND_SEP, .frame = FRAME_BERT, .yields = true,
     .pieces = {"", .lowers_numbers = true, .unknown = NO_ID, .mask = NULL,
                "replace:``:\" replace:'':\" nfkd drop_marks lower charsmap " SPACES_TO_ONE "%20",
                "<pad> <unk> [CLS] [SEP] [MASK]:l"}},
    {"DebertaTokenizer", "deberta",
     {"[CLS]", "[SEP]", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]:4"}, .kind = "bpe",
     .pattern = "gpt2", .may_add_blank = true, CLS_AND_SEP, .frame = FRAME_ROBERTA,
     .is_of_4 = true, .frame_4 = FRAME_BERT},
    {"DebertaV2Tokenizer", "deberta-v2",
     {"[CLS]", "[SEP]", "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}, .kind = "unigram",
     .unknown = UNK_TOKEN, .normalizer = "lower " ODD_BLANKS "nfc strip_end",
     .splitter = "punctuation metaspace:always", CLS_AND_SEP, .frame = FRAME_BERT, .is_of_4 = true,
     .frame_4 = FRAME_BERT,
     .pieces = {"spm.model", .unknown = NO_ID, .mask = "[MASK]",
                "lower strip_start strip_end charsmap " SPACES_TO_ONE "%20",
                "[PAD] [CLS] [SEP] [UNK]:n [MASK]"}},
};
// clang-format on

/* Classes of transformers 5 that replace parts of a tokenizer.json by parts that are not known
 * here. */
static const char OTHER_CLASSES[] =
    " BarthezTokenizer BigBirdTokenizer BlenderbotTokenizer CodeLlamaTokenizer CohereTokenizer "
    "ConvBertTokenizer "
    "DPRQuestionEncoderTokenizer DPRContextEncoderTokenizer DPRReaderTokenizer "
    "EsmcTokenizer FunnelTokenizer GPTNeoXTokenizer HerbertTokenizer "
    "LasrTokenizer LayoutLMv2Tokenizer LayoutLMv3Tokenizer LayoutXLMTokenizer LlamaTokenizer "
    "LukeTokenizer MBart50Tokenizer MBartTokenizer MLukeTokenizer MarkupLMTokenizer MvpTokenizer "
    "NllbTokenizer NougatTokenizer OpenAIGPTTokenizer PegasusTokenizer Qwen3_5Tokenizer "
    "ReformerTokenizer RemBertTokenizer SeamlessM4TTokenizer "
    "SplinterTokenizer Tipsv2Tokenizer UdopTokenizer VideoPrismTokenizer "
    "WhisperTokenizer XGLMTokenizer XLNetTokenizer ";

/* Classes that have no tokenizer of the library tokenizers: their files are read by Python. */
static const char PYTHON_CLASSES[] =
    " BartphoTokenizer BertGenerationTokenizer BertJapaneseTokenizer BertweetTokenizer "
    "BioGptTokenizer BlenderbotSmallTokenizer ByT5Tokenizer CTRLTokenizer CanineTokenizer "
    "ClvpTokenizer CpmAntTokenizer CpmTokenizer DiaTokenizer EsmTokenizer FSMTTokenizer "
    "FlaubertTokenizer GPTNeoXJapaneseTokenizer GPTSw3Tokenizer M2M100Tokenizer MarianTokenizer "
    "MgpstrTokenizer MyT5Tokenizer PLBartTokenizer PerceiverTokenizer PhobertTokenizer "
    "ProphetNetTokenizer RagTokenizer RoCBertTokenizer RoFormerTokenizer SiglipTokenizer "
    "Speech2TextTokenizer "
    "SpeechT5Tokenizer TapasTokenizer VitsTokenizer Wav2Vec2CTCTokenizer "
    "Wav2Vec2PhonemeCTCTokenizer XLMTokenizer ";

const char *tokenizer_class_name(const struct tokenizer_beside *beside)
{
    const char *name = json_text(&beside->config, NULL, "tokenizer_class", NULL);
    return name != NULL ? name
                        : json_string_value(json_object_get(beside->model.root, "tokenizer_class"));
}

/* Stores the name of the class without "Fast", or "". Returns whether there is one. Of these
 * model_types only the class is known that is refused: RoFormer's splits words by jieba. */
static bool read_name(const struct tokenizer_beside *beside, char base[100])
{
    static const char *const by_type[][2] = {{"roformer", "RoFormerTokenizer"},
                                             {"siglip siglip_text_model", "SiglipTokenizer"}};
    const char *name = tokenizer_class_name(beside), *type = tokenizer_model_type(beside);
    for (size_t i = 0; name == NULL && type != NULL && i < 2; i++)
        if (name_is_listed(by_type[i][0], type))
            name = by_type[i][1];
    const size_t len = name != NULL ? strlen(name) : 0;
    snprintf(base, 100, "%.*s", (int)(len - (len > 0 && name_ends_in(name, "Fast") ? 4 : 0)),
             name != NULL ? name : "");
    return name != NULL;
}

/* Returns whether the class is one of these by its name or, if no file has that, by the type. */
static bool is_one_of(const struct tokenizer_beside *beside, const char *names, const char *types)
{
    const char *type = tokenizer_model_type(beside);
    char base[100];
    return read_name(beside, base) ? name_is_listed(names, base)
                                   : type != NULL && name_is_listed(types, type);
}

const struct reference_class *class_named(const char *name)
{
    for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++)
        if (name_is_listed(CLASSES[i].names, name))
            return &CLASSES[i];
    return NULL;
}

const struct reference_class *class_of_pieces(const struct tokenizer_beside *beside,
                                              const char *file)
{
    const bool has_name = tokenizer_class_name(beside) != NULL;
    const struct reference_class *found = NULL;
    for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++) {
        const struct reference_class *class = &CLASSES[i];
        if (class->pieces.added == NULL)
            continue;
        if (is_one_of(beside, class->names, class->model_types))
            return class;
        if (!has_name && strcmp(file, class->pieces.file) == 0)
            found = class;
    }
    return found;
}

bool class_gives_types(const struct tokenizer_beside *beside)
{
    static const char names[] =
        "BertTokenizer ElectraTokenizer DebertaTokenizer DebertaV2Tokenizer "
        "ConvBertTokenizer MobileBertTokenizer SqueezeBertTokenizer "
        "LayoutLMTokenizer DPRQuestionEncoderTokenizer "
        "DPRContextEncoderTokenizer";
    return is_one_of(beside, names, CLASSES[0].model_types) ||
           is_one_of(beside, "", "deberta deberta-v2");
}

const struct reference_class *class_find(const struct tokenizer_beside *beside, const char *json,
                                         size_t len)
{
    const char *type = tokenizer_model_type(beside);
    char base[100];
    /* Of these the type says the class, whatever the name is; of Qwen 2 in 5 alone. */
    if (type != NULL && (json != NULL ? name_is_listed("modernbert mistral xlm-roberta-xl", type)
                                      : strcmp(type, "modernbert") == 0))
        return NULL;
    if (type != NULL && strcmp(type, "siglip2") == 0)
        return class_named("Siglip2Tokenizer");
    if (type != NULL && strcmp(type, "qwen2") == 0 && beside->as != AS_TRANSFORMERS_4)
        return class_named("Qwen2Tokenizer");
    for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++)
        if (is_one_of(beside, CLASSES[i].names, CLASSES[i].model_types))
            return &CLASSES[i];
    read_name(beside, base);
    if (name_is_listed(PYTHON_CLASSES, base))
        program_die("the 'tokenizer_class' is '%.100s', which transformers has in Python alone; "
                    "expected a class that uses a tokenizer.json, or no tokenizer, for ids alone",
                    base);
    /* Of Llama 3, whose tokenizer is not what its files name. */
    bool is_none = strcmp(base, "LlamaTokenizer") == 0 && json != NULL &&
                   memmem(json, len, "\"ByteLevel\"", strlen("\"ByteLevel\"")) != NULL;
    if (json != NULL && !is_none && name_is_listed(OTHER_CLASSES, base) &&
        beside->as != AS_TRANSFORMERS_4)
        program_die("the 'tokenizer_class' is '%.100s', and transformers 5 replaces parts of "
                    "tokenizer.json by those of that class; expected --as transformers-4, for "
                    "tokenizer.json as it is, or \"tokenizer_class\": \"PreTrainedTokenizerFast\"",
                    base);
    return NULL;
}

/* ---- What a class makes ---- */

static bool keeps_step(const char *step, const struct class_switches *switches)
{
    const char *const groups[] = {"space_cjk", "nfd drop_nonspacing", "lower", "nfkd drop_marks",
                                  "charsmap",  "punctuation"};
    const bool is_on[] = {switches->cjk,     switches->strips,
                          switches->lower,   !switches->keeps_accents,
                          switches->has_map, switches->at_punctuation};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (name_is_listed(groups[i], step))
            return is_on[i];
    return true;
}

void class_steps(struct blank_list *list, const char *steps, const struct class_switches *switches)
{
    const char *item;
    for (size_t len; (len = list_cut_item(&steps, &item)) > 0;) {
        char step[64];
        snprintf(step, sizeof step, "%.*s", (int)len, item);
        if (keeps_step(step, switches))
            list_add(list, "%s", step);
    }
}

/* Sets what the class makes, or removes the setting (NULL or ""); an absent prefix is "##". */
static void make(struct tokenizer_draft *draft, const char *key, const char *value)
{
    bool is_made = (value != NULL && value[0] != '\0') || strcmp(key, "prefix") == 0;
    draft_replace(draft, key, !is_made ? NULL : value != NULL ? value : "");
}

static const char *yes(bool is_on)
{
    return is_on ? "yes" : NULL;
}

static void make_model(const struct json_tokenizer *json, struct tokenizer_draft *draft)
{
    const struct reference_class *class = json->class;
    const struct word_list *words = &json->tokenizer->draft.words;
    char unknown[32] = "", text[64];
    const char *token = class_special(class, json->beside, TOKEN_UNK, text);
    size_t id = class->unknown == UNK_TOKEN ? word_list_find(words, token, strlen(token))
                                            : (size_t) class->unknown;
    if (class->unknown != 0 && id != WORD_NONE)
        snprintf(unknown, sizeof unknown, "%zu", id);
    make(draft, "kind", class->kind);
    make(draft, "prefix", class->prefix);
    make(draft, "suffix", class->suffix);
    make(draft, "unknown", unknown);
    if (class->prefix != NULL)
        make(draft, "max_word", "100");
    make(draft, "byte_fallback",
         yes(class->falls_back && word_list_find(words, "<0x00>", 6) != WORD_NONE));
    make(draft, "fuse_unknown", yes(class->falls_back));
    make(draft, "whole_words", NULL);
}

struct class_switches class_switches_read(const struct json_file *config,
                                          const struct reference_class *class, bool has_map)
{
    bool lower = class->lowercases;
    if (class->pattern == NULL)
        lower = json_flag(config, NULL, "do_lower_case", lower);
    return (struct class_switches){
        .cjk = json_flag(config, NULL, "tokenize_chinese_chars", true),
        .strips = json_flag(config, NULL, "strip_accents", lower),
        .lower = lower,
        .keeps_accents = json_flag(config, NULL, "keep_accents", false),
        .at_punctuation = class->is_of_4 && json_flag(config, NULL, "split_by_punct", false),
        .has_map = has_map};
}

/* Sets in `draft` what the class makes of the files. */
static void make_settings(const struct json_tokenizer *json, struct tokenizer_draft *draft)
{
    const struct json_file *config = &json->beside->config;
    const struct reference_class *class = json->class;
    bool is_prefixed = class->splitter != NULL && strstr(class->splitter, "metaspace") != NULL;
    bool adds_blank = !json_is_null(json_object_get(config->root, "add_prefix_space")) &&
                      json_flag(config, NULL, "add_prefix_space", is_prefixed);
    const char *pattern = class->pattern != NULL ? class->pattern : "";
    if (adds_blank && strcmp(pattern, "qwen2") == 0)
        file_die(config->name, "'add_prefix_space' is true, which adds a blank to every word of "
                               "Qwen2; expected false");
    const struct class_switches switches =
        class_switches_read(config, class, draft_has_section(&json->tokenizer->draft, "CMAP"));
    struct blank_list steps = {.n = 0}, splitter = {.n = 0};
    make_model(json, draft);
    class_steps(&steps, class->normalizer != NULL ? class->normalizer : "", &switches);
    make(draft, "normalizer", steps.text);
    if (is_prefixed && adds_blank)
        class_steps(&splitter, class->splitter, &switches);
    else if (is_prefixed && class->is_of_4)
        class_steps(&splitter, "punctuation metaspace:first", &switches);
    else
        list_add(&splitter, "%s",
                 is_prefixed               ? "blanks metaspace:never"
                 : class->splitter != NULL ? class->splitter
                                           : "");
    make(draft, "splitter", splitter.text);
    make(draft, "pattern", pattern);
    make(draft, "byte_level", yes(pattern[0] != '\0' && strcmp(pattern, "after_blanks") != 0));
    make(draft, "first_blank", yes(class->may_add_blank && adds_blank));
    if (is_prefixed) {
        make(draft, "metaspace", METASPACE);
        make(draft, "metaspace_splits", NULL);
    }
}

void class_frame_set(struct import_tokenizer *tokenizer, const struct tokenizer_beside *beside,
                     const struct reference_class *class)
{
    char text[64];
    bool is_newer = beside != NULL && beside->as == AS_TRANSFORMERS_5;
    if (class->last == 0 || (class->yields && tokenizer->single[0] != '\0'))
        return;
    size_t last = special_id(tokenizer, class_special(class, beside, (size_t) class->last, text));
    size_t first = special_id(tokenizer, class_special(class, beside, (size_t) class->first, text));
    templates_set(tokenizer, first, last,
                  class->is_of_4 && !is_newer ? class->frame_4 : class->frame);
}

/* BERT's class makes pieces of a model of words; other models are of no use to another class. */
void class_kind_check(struct json_tokenizer *json)
{
    const char *kind = draft_get(&json->tokenizer->draft, "kind");
    bool is_of_words = strcmp(kind, "words") == 0 && json->class->prefix != NULL;
    if (strcmp(kind, json->class->kind) == 0)
        return;
    if (json->beside->as == AS_TRANSFORMERS_5 || (is_of_words && json->beside->as == AS_ANY))
        file_die(json->file.name,
                 "the model is %s, and the tokenizer's class in transformers 5 needs %s; expected "
                 "another 'tokenizer_class', or --as transformers-4, for tokenizer.json as it is",
                 kind, json->class->kind);
    snprintf(json->tokenizer->note, sizeof json->tokenizer->note,
             "the model of tokenizer.json is %s, which the tokenizer's class does not read in "
             "transformers 5: tokenizer.json is followed",
             kind);
    json->class = NULL;
}

void class_settings_set(struct json_tokenizer *json)
{
    struct tokenizer_draft *draft = &json->tokenizer->draft;
    make_settings(json, draft);
    if (json->class->trims)
        draft_replace(draft, "trim",
                      draft_get(draft, "first_blank")[0] != '\0' ? "but_first" : "yes");
    class_frame_set(json->tokenizer, json->beside, json->class);
}

/* ---- What tokenizer.json has ---- */

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

/* The switches that 4.x follows too. */
static void check_switches(const struct json_tokenizer *json)
{
    const struct tokenizer_beside *beside = json->beside;
    const struct reference_class *class = json->class;
    const struct tokenizer_draft *draft = &json->tokenizer->draft;
    const char *steps = draft_get(draft, "normalizer"), *splitter = draft_get(draft, "splitter");
    bool lower = name_is_listed(steps, "lower");
    bool is_roberta = class != NULL && class->may_add_blank && class->trims;
    if (class != NULL && class->prefix != NULL && is_part(json, "normalizer", "BertNormalizer")) {
        check_switch(beside, "do_lower_case", true, lower);
        check_switch(beside, "tokenize_chinese_chars", true, name_is_listed(steps, "space_cjk"));
        check_switch(beside, "strip_accents", lower, name_is_listed(steps, "drop_nonspacing"));
    }
    if (class != NULL && class->splitter != NULL && strstr(class->normalizer, "nfkd") != NULL) {
        check_switch(beside, "do_lower_case", true, lower);
        check_switch(beside, "keep_accents", false, !name_is_listed(steps, "drop_marks"));
    }
    if (class != NULL && class->splitter != NULL && !class->is_of_4 &&
        strstr(splitter, "metaspace") != NULL)
        check_switch(beside, "add_prefix_space", true, strstr(splitter, "metaspace:never") == NULL);
    if (is_part(json, "pre_tokenizer", "ByteLevel") || (is_roberta && json->is_byte_level))
        check_switch(beside, "add_prefix_space", false, draft_get(draft, "first_blank")[0] != '\0');
}

static void part_differs(const struct json_tokenizer *json, const char *part, const char *found,
                         const char *made)
{
    if (json->class->is_of_4) {
        snprintf(json->tokenizer->note, sizeof json->tokenizer->note,
                 "tokens are as tokenizer.json says and in transformers 4: 5 replaces its %s",
                 part);
        return;
    }
    file_die(
        json->file.name,
        "transformers 5 replaces the %s, '%.200s', by that of the tokenizer's class, '%.200s'; "
        "expected --as transformers-4, for tokenizer.json as it is, or --as transformers-5",
        part, found, made);
}

/* Returns a list without the steps that only change blanks, and which the class does otherwise. */
static const char *without_blanks(const char *steps)
{
    struct blank_list list = {.n = 0};
    const char *item;
    for (size_t len; (len = list_cut_item(&steps, &item)) > 0;)
        if (strncmp(item, "strip_", 6) != 0 && strncmp(item, "replace_runs", 12) != 0 &&
            (len != 6 || strncmp(item, "blanks", 6) != 0))
            list_add(&list, "%.*s", (int)len, item);
    return list.n > 0 ? list.text : "";
}

/* In 4.x some classes make the templates by two switches, whatever tokenizer.json says; all but the
 * first have a token before a text by default. Refuses what differs, unless a version is given. */
static void set_ends_of_4(struct json_tokenizer *json)
{
    static const struct reference_class classes[] = {
        {"GPTNeoXTokenizer", "", .specials = {ENDS, ENDS}},
        {"LlamaTokenizer CodeLlamaTokenizer", "llama mistral", .specials = {"<s>", "</s>"}},
        {"GemmaTokenizer", "gemma gemma2 gemma3 gemma3_text siglip2",
         .specials = {"<bos>", "<eos>"}},
        {"CohereTokenizer", "", .specials = {"<BOS_TOKEN>", "<|END_OF_TURN_TOKEN|>"}},
    };
    enum { N = sizeof classes / sizeof *classes };
    struct import_tokenizer *own = json->tokenizer;
    const struct tokenizer_beside *beside = json->beside;
    char first[32] = "", last[32] = "", text[64], made[2][TEMPLATE_BYTES], found[TEMPLATE_BYTES];
    size_t i = 0;
    while (i < N && !is_one_of(beside, classes[i].names, classes[i].model_types))
        i++;
    if (i == N || beside->as == AS_TRANSFORMERS_5)
        return;
    if (json_flag(&beside->config, NULL, "add_bos_token", i > 0))
        snprintf(first, sizeof first, "%zu:0 ",
                 special_id(own, class_special(&classes[i], beside, TOKEN_BOS, text)));
    if (json_flag(&beside->config, NULL, "add_eos_token", false))
        snprintf(last, sizeof last, " %zu:0",
                 special_id(own, class_special(&classes[i], beside, TOKEN_EOS, text)));
    snprintf(made[0], TEMPLATE_BYTES, "%sA:0%s", first, last);
    snprintf(made[1], TEMPLATE_BYTES, "%sA:0%s %sB:0%s", first, last, first, last);
    for (size_t k = 0; k < 2; k++) {
        char *template = k == 0 ? own->single : own->pair;
        template_without_types(found, template[0] != '\0' ? template : k == 0 ? "A:0" : "A:0 B:0");
        if (beside->as == AS_ANY && strcmp(found, made[k]) != 0)
            file_die(json->file.name,
                     "transformers 4 replaces the template of %s, '%s', by '%s', as add_bos_token "
                     "and add_eos_token say; expected --as transformers-4, or --as "
                     "transformers-5, for tokenizer.json as it is",
                     k == 0 ? "one text" : "pairs", found, made[k]);
        if (beside->as == AS_TRANSFORMERS_4)
            strcpy(template, made[k]);
    }
}

/* Refuses a tokenizer.json whose parts are not those of the class; templates of pairs are compared
 * without the types if the class gives none. Returns whether they differ in odd blanks alone: newer
 * files of sentencepiece's classes drop blanks by the normalizer, and maybe not at the end of a
 * text. */
static bool compare_parts(const struct json_tokenizer *json)
{
    static const struct {
        const char *key, *part;
    } parts[] = {{"kind", "kind of model"},
                 {"prefix", "model's 'continuing_subword_prefix'"},
                 {"suffix", "model's 'end_of_word_suffix'"},
                 {"unknown", "model's 'unk_token'"},
                 {"max_word", "model's 'max_input_chars_per_word'"},
                 {"byte_fallback", "model's 'byte_fallback'"},
                 {"fuse_unknown", "model's 'fuse_unk'"},
                 {"whole_words", "model's 'ignore_merges'"},
                 {"normalizer", "normalizer"},
                 {"splitter", "pre-tokenizer"},
                 {"pattern", "pre-tokenizer"},
                 {"byte_level", "pre-tokenizer"},
                 {"first_blank", "pre-tokenizer"},
                 {"metaspace", "pre-tokenizer"},
                 {"metaspace_splits", "pre-tokenizer"}};
    static struct import_tokenizer made;
    const struct import_tokenizer *own = json->tokenizer;
    const struct reference_class *class = json->class;
    char pair[TEMPLATE_BYTES];
    bool in_blanks = false;
    struct tokenizer_beside newer = *json->beside;
    newer.as = AS_TRANSFORMERS_5;
    made = (struct import_tokenizer){.draft.words = own->draft.words, .name = own->name};
    make_settings(json, &made.draft);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *key = parts[i].key, *found = draft_get(&own->draft, key);
        const char *value = draft_get(&made.draft, key);
        bool is_unused = (strcmp(key, "metaspace") == 0 && found[0] == '\0') ||
                         (json->is_byte_level && class->unknown == 0 && /* each byte is a token */
                          name_is_listed("unknown fuse_unknown", key));
        if (is_unused || strcmp(found, value) == 0)
            continue;
        bool is_odd = strcmp(class->kind, "unigram") == 0 &&
                      name_is_listed("normalizer splitter", key) && !class->is_of_4 &&
                      strcmp(without_blanks(value), without_blanks(found)) == 0;
        if (!is_odd)
            part_differs(json, parts[i].part, found, value);
        in_blanks = in_blanks || is_odd;
    }
    class_frame_set(&made, &newer, class);
    if (class->last == 0 || (class->yields && own->single[0] != '\0'))
        return in_blanks;
    template_without_types(pair, own->pair);
    if (strcmp(own->single, made.single) != 0)
        part_differs(json, "template of one text", own->single, made.single);
    if (strcmp(class->frame == FRAME_BERT ? own->pair : pair, made.pair) != 0)
        part_differs(json, "template of pairs", own->pair, made.pair);
    return in_blanks;
}

void class_conflicts_check(struct json_tokenizer *json)
{
    const struct tokenizer_beside *beside = json->beside;
    const json_t *truncation = json_member(&json->file, NULL, "truncation");
    const char *direction = json_string_value(json_object_get(truncation, "direction"));
    bool in_blanks = false;
    if (direction != NULL && strcmp(direction, "Right") != 0 &&
        json_member(&beside->config, NULL, "truncation_side") == NULL)
        file_die(json->file.name,
                 "the truncation's 'direction' is '%.100s'; expected Right, or "
                 "\"truncation_side\": \"right\" in tokenizer_config.json",
                 direction);
    if (beside->as != AS_TRANSFORMERS_5)
        check_switches(json);
    set_ends_of_4(json);
    if (json->class == NULL || beside->as == AS_TRANSFORMERS_4)
        return;
    if (beside->as == AS_ANY)
        in_blanks = compare_parts(json);
    if (in_blanks || beside->as == AS_TRANSFORMERS_5)
        class_settings_set(json);
    if (in_blanks)
        snprintf(json->tokenizer->note, sizeof json->tokenizer->note, BLANKS_NOTE "tokenizer.json");
}
