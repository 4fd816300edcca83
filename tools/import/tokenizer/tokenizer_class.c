/* tokenizer_class.c - the class that AutoTokenizer of transformers chooses by the files beside a
 * tokenizer; what it makes of them is in class_tokens.c and class_parts.c. Checked with 4.57 and
 * 5.24 by tests/tools/tokenizer/reference_classes.py. */
#include "tools/import/tokenizer/tokenizer_class.h"

#include "tools/common/options.h"
#include "tools/import/files/known_keys.h"

#include <string.h>

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

// clang-format off
#define ENDS           "<|endoftext|>"
#define BERT_TOKENS    {NULL, NULL, "[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"}
#define MPNET_TOKENS   {"<s>", "</s>", "[UNK]", "</s>", "<pad>", "<s>", "<mask>:l"}
#define XLM_TOKENS     {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>"}
#define ROBERTA_TOKENS {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>:4"}
#define WORD_STEPS     "clean space_cjk nfd drop_nonspacing lower"
#define BLANKS         "blanks metaspace:always"

static const struct reference_class CLASSES[] = {
    {"BertTokenizer DistilBertTokenizer ElectraTokenizer MobileBertTokenizer RetriBertTokenizer "
     "SqueezeBertTokenizer LayoutLMTokenizer LxmertTokenizer",
     "bert distilbert electra nomic_bert mobilebert squeezebert layoutlm ernie",
     BERT_TOKENS, .kind = "wordpiece", .prefix = "##", .unknown = UNK_TOKEN, .lowercases = true,
     .normalizer = WORD_STEPS, .splitter = "blanks punctuation", .first = CLS, .last = SEP,
     .frame = FRAME_BERT},
    {"MPNetTokenizer", "mpnet", MPNET_TOKENS, .kind = "wordpiece", .prefix = "##",
     .unknown = UNK_TOKEN, .lowercases = true, .normalizer = WORD_STEPS,
     .splitter = "blanks punctuation", .first = CLS, .last = SEP, .frame = FRAME_ROBERTA,
     .trims = true},
    {"RobertaTokenizer LongformerTokenizer BartTokenizer LEDTokenizer", "roberta longformer bart",
     ROBERTA_TOKENS, .kind = "bpe", .pattern = "gpt2", .may_add_blank = true, .first = CLS,
     .last = SEP, .frame = FRAME_ROBERTA, .trims = true},
    {"GPT2Tokenizer CodeGenTokenizer", "gpt2 codegen", {ENDS, ENDS, ENDS}, .kind = "bpe",
     .pattern = "gpt2", .may_add_blank = true},
    {"CLIPTokenizer", "clip", {"<|startoftext|>", ENDS, ENDS, NULL, ENDS}, .kind = "bpe",
     .suffix = "</w>", .unknown = UNK_TOKEN, .normalizer = "nfc replace_blanks:1:%20 lower",
     .lowercases = true, .pattern = "clip", .first = BOS, .last = EOS, .frame = FRAME_ROBERTA},
    {"Qwen2Tokenizer", "qwen2 qwen3", {NULL, ENDS, ENDS, NULL, ENDS}, .kind = "bpe",
     .normalizer = "nfc", .pattern = "qwen2", .resets_tokens = true},
    {"GemmaTokenizer", "gemma gemma2 gemma3 gemma3_text",
     {"<bos>", "<eos>", "<unk>", NULL, "<pad>", NULL, "<mask>"}, .kind = "bpe",
     .unknown = UNK_TOKEN, .falls_back = true, .normalizer = "replace:%20:\xE2\x96\x81",
     .pattern = "after_blanks"},
    {"XLMRobertaTokenizer", "xlm-roberta jina_embeddings_v3 gte", XLM_TOKENS,
     .kind = "unigram", .unknown = 3, .normalizer = "charsmap", .splitter = BLANKS, .first = BOS,
     .last = EOS, .frame = FRAME_ROBERTA},
    {"CamembertTokenizer", "camembert",
     {"<s>", "</s>", "<unk>", "</s>", "<pad>", "<s>", "<mask>:l"}, .kind = "unigram",
     .unknown = UNK_TOKEN, .normalizer = "charsmap", .splitter = BLANKS, .first = BOS, .last = EOS,
     .frame = FRAME_ROBERTA, .more = {"<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"}},
    {"T5Tokenizer", "t5 mt5", {NULL, "</s>", "<unk>", NULL, "<pad>"}, .kind = "unigram",
     .unknown = 2, .normalizer = "charsmap", .splitter = BLANKS, .last = EOS, .frame = FRAME_T5},
    {"AlbertTokenizer", "albert yoso",
     {"[CLS]", "[SEP]", "<unk>", "[SEP]", "<pad>", "[CLS]", "[MASK]"}, .kind = "unigram",
     .unknown = 1, .lowercases = true,
     .normalizer = "replace:``:\" replace:'':\" nfkd drop_marks lower charsmap",
     .splitter = BLANKS, .first = CLS, .last = SEP, .frame = FRAME_BERT, .yields = true},
};
// clang-format on

/* Classes of transformers 5 that replace parts of a tokenizer.json by parts that are not known
 * here. */
static const char OTHER_CLASSES[] =
    " BarthezTokenizer BigBirdTokenizer BlenderbotTokenizer CodeLlamaTokenizer CohereTokenizer "
    "ConvBertTokenizer "
    "DPRQuestionEncoderTokenizer DPRContextEncoderTokenizer DPRReaderTokenizer DebertaTokenizer "
    "DebertaV2Tokenizer EsmcTokenizer FunnelTokenizer GPTNeoXTokenizer HerbertTokenizer "
    "LasrTokenizer LayoutLMv2Tokenizer LayoutLMv3Tokenizer LayoutXLMTokenizer LlamaTokenizer "
    "LukeTokenizer MBart50Tokenizer MBartTokenizer MLukeTokenizer MarkupLMTokenizer MvpTokenizer "
    "NllbTokenizer NougatTokenizer OpenAIGPTTokenizer PegasusTokenizer Qwen3_5Tokenizer "
    "ReformerTokenizer RemBertTokenizer RoFormerTokenizer SeamlessM4TTokenizer Siglip2Tokenizer "
    "SplinterTokenizer Tipsv2Tokenizer UdopTokenizer VideoPrismTokenizer "
    "WhisperTokenizer XGLMTokenizer XLNetTokenizer ";

/* Classes that have no tokenizer of the library tokenizers: their files are read by Python. */
static const char PYTHON_CLASSES[] =
    " BartphoTokenizer BertGenerationTokenizer BertJapaneseTokenizer BertweetTokenizer "
    "BioGptTokenizer BlenderbotSmallTokenizer ByT5Tokenizer CTRLTokenizer CanineTokenizer "
    "ClvpTokenizer CpmAntTokenizer CpmTokenizer DiaTokenizer EsmTokenizer FSMTTokenizer "
    "FlaubertTokenizer GPTNeoXJapaneseTokenizer GPTSw3Tokenizer M2M100Tokenizer MarianTokenizer "
    "MgpstrTokenizer MyT5Tokenizer PLBartTokenizer PerceiverTokenizer PhobertTokenizer "
    "ProphetNetTokenizer RagTokenizer RoCBertTokenizer SiglipTokenizer Speech2TextTokenizer "
    "SpeechT5Tokenizer TapasTokenizer VitsTokenizer Wav2Vec2CTCTokenizer "
    "Wav2Vec2PhonemeCTCTokenizer XLMTokenizer ";

const char *tokenizer_class_name(const struct tokenizer_beside *beside)
{
    const char *name = json_text(&beside->config, NULL, "tokenizer_class", NULL);
    return name != NULL ? name
                        : json_string_value(json_object_get(beside->model.root, "tokenizer_class"));
}

/* Stores the name of the class without "Fast", or "". Returns whether there is one. */
static bool read_name(const struct tokenizer_beside *beside, char base[100])
{
    const char *name = tokenizer_class_name(beside);
    const size_t len = name != NULL ? strlen(name) : 0;
    snprintf(base, 100, "%.*s", (int)(len - (len > 0 && path_ends_in(name, "Fast") ? 4 : 0)),
             name != NULL ? name : "");
    return name != NULL;
}

const struct reference_class *class_named(const char *name)
{
    for (size_t i = 0; i < sizeof CLASSES / sizeof *CLASSES; i++)
        if (name_is_listed(CLASSES[i].names, name))
            return &CLASSES[i];
    return NULL;
}

bool class_gives_types(const struct tokenizer_beside *beside)
{
    static const char names[] =
        "BertTokenizer ElectraTokenizer DebertaTokenizer DebertaV2Tokenizer "
        "ConvBertTokenizer MobileBertTokenizer SqueezeBertTokenizer "
        "LayoutLMTokenizer DPRQuestionEncoderTokenizer "
        "DPRContextEncoderTokenizer";
    char base[100];
    const bool has_name = read_name(beside, base);
    const char *type = tokenizer_model_type(beside);
    return has_name ? name_is_listed(names, base)
                    : type != NULL && name_is_listed(CLASSES[0].model_types, type);
}

const struct reference_class *class_find(const struct tokenizer_beside *beside, bool has_json)
{
    const char *name = tokenizer_class_name(beside), *type = tokenizer_model_type(beside);
    char base[100];
    if (type != NULL && strcmp(type, "modernbert") == 0) /* whatever the name is */
        return NULL;
    read_name(beside, base);
    for (size_t i = 0; name == NULL && type != NULL && i < sizeof CLASSES / sizeof *CLASSES; i++)
        if (name_is_listed(CLASSES[i].model_types, type))
            return &CLASSES[i];
    const struct reference_class *class = class_named(base);
    if (class != NULL)
        return class;
    if (name_is_listed(PYTHON_CLASSES, base))
        program_die("the 'tokenizer_class' is '%.100s', which transformers has in Python alone; "
                    "expected a class that uses a tokenizer.json",
                    name);
    if (has_json && name_is_listed(OTHER_CLASSES, base) && beside->as != AS_TRANSFORMERS_4)
        program_die("the 'tokenizer_class' is '%.100s', and transformers 5 replaces parts of "
                    "tokenizer.json by those of that class; expected --as transformers-4, for "
                    "tokenizer.json as it is, or \"tokenizer_class\": \"PreTrainedTokenizerFast\"",
                    name);
    return NULL;
}
