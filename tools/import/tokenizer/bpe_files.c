/* bpe_files.c - see tokenizer_beside.h. What is not in the files is in the class of the tokenizer:
 * its special tokens, how it splits, its frame.
 */

#include "tools/common/print/utf8.h"
#include "tools/import/tokenizer/tokenizer_beside.h"
#include "tools/import/tokenizer/tokenizer_json.h"

#include <stdlib.h>
#include <string.h>

/* ---- Classes ---- */

/* Special tokens by their names in the files, and what they are where those do not say. */
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
    const char *specials[N_SPECIALS]; /* NULL: it has none */
    const char *suffix;
    const char *normalizer, *pattern; /* as in a weight file; normalizer NULL: none */
    int first, last;                  /* the special tokens of its frame, or -1 */
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
        if (said != NULL ? parts_is_class(said, CLASSES[i].name)
                         : type != NULL && strcmp(CLASSES[i].model_type, type) == 0)
            return &CLASSES[i];
    program_die("a vocab.json and a merges.txt stand there without a tokenizer.json, the "
                "'tokenizer_class' is '%.100s' and the 'model_type' '%.100s'; expected one of "
                "RobertaTokenizer, LongformerTokenizer, BartTokenizer, GPT2Tokenizer, "
                "CodeGenTokenizer, CLIPTokenizer",
                said != NULL ? said : "not given", type != NULL ? type : "not given");
}

/* ---- Parts of a tokenizer.json ---- */

/* A merge on each line; the first one may say the version. */
static json_t *merges_of(const struct tokenizer_beside *beside)
{
    json_t *merges = json_array();
    size_t at = 0, n = 0;
    const char *text;
    for (size_t line = 1;
         (text = parts_next_line(beside->merges, beside->merges_len, &at, &n)) != NULL; line++) {
        if (!utf8_is_valid(text, n) || memchr(text, '\0', n) != NULL)
            program_die("merges.txt: line %zu is not UTF-8", line);
        if (n > 0)
            json_array_append_new(merges, json_stringn(text, n));
    }
    return merges;
}

/* The text of a special token: of the files, or of the class. */
static const char *special_of(const struct tokenizer_beside *beside, const struct bpe_class *class,
                              size_t which)
{
    const char *said = tokenizer_special(beside, SPECIALS[which]);
    return said != NULL ? said : class->specials[which];
}

static json_t *model_of(const struct tokenizer_beside *beside, const struct bpe_class *class,
                        json_t *vocabulary)
{
    const char *unknown = class->suffix[0] != '\0' ? special_of(beside, class, UNK) : NULL;
    return json_pack("{s:s, s:s, s:O, s:s*, s:o}", "type", "BPE", "end_of_word_suffix",
                     class->suffix, "vocab", vocabulary, "unk_token", unknown, "merges",
                     merges_of(beside));
}

/* ---- Added tokens ---- */

static int64_t id_at(const json_t *added, size_t index)
{
    return json_integer_value(json_object_get(json_array_get(added, index), "id"));
}

/* In the order of ids, each of which the first one to come gets. */
static void add_token(json_t *added, json_t *said, const char *text, int64_t id, bool is_special,
                      bool strips_left)
{
    size_t at = 0, n = json_array_size(added);
    while (at < n && id_at(added, at) < id)
        at++;
    if (at < n && id_at(added, at) == id)
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

static int64_t id_of(const struct tokenizer_beside *beside, const json_t *vocabulary,
                     const char *text)
{
    uint64_t id;
    const json_t *value = json_object_get(vocabulary, text);
    if (value == NULL)
        value = json_object_get(beside->added.root, text);
    return json_whole(value, &id) ? (int64_t)id : -1;
}

/* In the order of their ids. tokenizer_config.json may tell all of them; else they are the special
 * ones and those of added_tokens.json. */
static json_t *added_of(const struct tokenizer_beside *beside, const struct bpe_class *class,
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
    for (size_t i = 0; i < N_SPECIALS; i++) {
        const char *text = special_of(beside, class, i);
        json_t *said = json_object_get(beside->map.root, SPECIALS[i]);
        int64_t at = text != NULL ? id_of(beside, vocabulary, text) : -1;
        if (at >= 0 && all == NULL)
            add_token(added, said, text, at, true, i == MASK);
    }
    json_object_foreach(beside->added.root, key, value)
    {
        if (all == NULL && json_whole(value, &id))
            add_token(added, NULL, key, (int64_t)id, false, false);
    }
    return added;
}

/* ---- The file ---- */

/* What a tokenizer.json would say of a class beside its model and its tokens. */
static void set_steps(struct import_tokenizer *tokenizer, const struct tokenizer_beside *beside,
                      const struct bpe_class *class)
{
    struct tokenizer_draft *draft = &tokenizer->draft;
    bool adds_blank = class->may_add_blank &&
                      json_is_true(json_object_get(beside->config.root, "add_prefix_space"));
    if (class->normalizer != NULL)
        draft_set_text(draft, "normalizer", class->normalizer);
    draft_set_text(draft, "pattern", class->pattern);
    draft_set_text(draft, "byte_level", "yes");
    if (adds_blank)
        draft_set_text(draft, "first_blank", "yes");
    if (class->trims)
        draft_set_text(draft, "trim", adds_blank ? "but_first" : "yes");
    if (class->first >= 0)
        parts_frame(tokenizer,
                    parts_special(tokenizer, special_of(beside, class, (size_t) class->first)),
                    parts_special(tokenizer, special_of(beside, class, (size_t) class->last)),
                    FRAME_ROBERTA);
}

void bpe_files_read(struct import_tokenizer *tokenizer, const char *vocabulary, size_t len,
                    const struct tokenizer_beside *beside)
{
    const struct bpe_class *class = find_class(beside);
    struct json_tokenizer json = {.tokenizer = tokenizer};
    json_file_parse(&json.file, "vocab.json", vocabulary, len, false);
    json_t *ids = json.file.root;
    json.file.root = json_pack("{s:o, s:o}", "model", model_of(beside, class, ids), "added_tokens",
                               added_of(beside, class, ids));
    json_parts_read(&json);
    set_steps(tokenizer, beside, class);
}
