/* bpe_model.c - the model BPE of a tokenizer.json: its merges as section MERG of the weight file,
 * and parts that only BPE has: ByteLevel, Split with one of the patterns of published tokenizers,
 * trimmed spans. */
#include "tools/import/tokenizer/tokenizer_parts.h"

#include "tools/common/alloc.h"
#include "tools/writer/weight_writer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Merges ---- */

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
static struct writer_merge make_merge(const struct json_tokenizer *json, size_t index,
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
    return (struct writer_merge){.left = ids[0], .right = ids[1], .id = ids[2]};
}

static void read_merges(struct json_tokenizer *json, const json_t *model, const char *prefix,
                        const char *suffix)
{
    struct tokenizer_draft *draft = &json->tokenizer->draft;
    const json_t *list = json_object_get(model, "merges"), *entry;
    struct writer_merges out = {.texts = (const char *const *)draft->words.texts,
                                .lens = draft->words.lens,
                                .n_texts = draft->words.n,
                                .prefix = prefix,
                                .suffix = suffix};
    struct merge_text text;
    void *section;
    size_t i, len = 0, bad = 0;
    if (!json_is_array(list))
        file_die(json->file.name, "the model's 'merges' is %s; expected an array", json_kind(list));
    struct writer_merge *merges = alloc_zeros(json_array_size(list) + 1, sizeof *merges);
    json_array_foreach(list, i, entry)
    {
        if (json_is_string(entry) && strncmp(json_string_value(entry), "#version", 8) == 0)
            continue;
        if (!read_merge(entry, &text))
            file_die(json->file.name, "merge %zu of the model is not a pair of texts", i);
        merges[out.n++] = make_merge(json, i, &text, strlen(prefix));
    }
    out.merges = merges;
    const char *wrong = weight_writer_merges(&out, &section, &len, &bad);
    if (wrong != NULL)
        file_die(json->file.name, "merge %zu of the model: %s", bad, wrong);
    draft_add_section(draft, "MERG", alloc_own(section), len);
}

/* ---- The model ---- */

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

void bpe_model_read(struct json_tokenizer *json, const json_t *model)
{
    struct tokenizer_draft *draft = &json->tokenizer->draft;
    const json_t *dropout = json_object_get(model, "dropout");
    draft_set_text(draft, "kind", "bpe");
    if (dropout != NULL && !json_is_null(dropout) && json_number_value(dropout) != 0)
        file_die(json->file.name,
                 "the model's 'dropout' is %g, which makes its tokens random; expected none",
                 json_number_value(dropout));
    vocabulary_read(json, model);
    unknown_read(json, model, false);
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

/* ---- Parts that only BPE has ---- */

/* The patterns of published tokenizers, each as they write it. */
#define CONTRACTIONS   "'s|'t|'re|'ve|'m|'ll|'d"
#define BLANKS         "\\s+(?!\\S)|\\s+"
#define BEFORE_NUMBERS "(?i:" CONTRACTIONS ")|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|"
#define AFTER_NUMBERS  "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|" BLANKS

static const struct {
    const char *regex, *name;
} PATTERNS[] = {
    {CONTRACTIONS "| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|" BLANKS, "gpt2"},
    {"<\\|startoftext\\|>|<\\|endoftext\\|>|" CONTRACTIONS
     "|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+",
     "clip"},
    {BEFORE_NUMBERS "\\p{N}{1,3}" AFTER_NUMBERS, "cl100k"},
    {"(?i:" CONTRACTIONS ")|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}| "
     "?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|" BLANKS,
     "cl100k"},
    {BEFORE_NUMBERS "\\p{N}" AFTER_NUMBERS, "qwen2"},
};

static void check_is_bpe(const struct json_tokenizer *json, const char *what)
{
    if (strcmp(draft_get(&json->tokenizer->draft, "kind"), "bpe") != 0)
        file_die(json->file.name, "the pre-tokenizer %s requires the model BPE", what);
}

static void set_pattern(struct json_tokenizer *json, const char *name)
{
    json->pattern = name;
    draft_set_text(&json->tokenizer->draft, "pattern", name);
}

/* "Isolated" makes words of the matches and of the text between them, which is empty with all of
 * these patterns but clip, which drops it. */
void split_read(struct json_tokenizer *json, const json_t *part)
{
    const json_t *pattern = json_object_get(part, "pattern");
    const char *regex = json_string_value(json_object_get(pattern, "Regex"));
    const char *text = json_string_value(json_object_get(pattern, "String"));
    const char *behavior = json_text(&json->file, part, "behavior", "");
    bool invert = json_flag(&json->file, part, "invert", false);
    bool is_removed = strcmp(behavior, "Removed") == 0 && invert;
    bool is_isolated = strcmp(behavior, "Isolated") == 0 && !invert;
    check_is_bpe(json, "Split");
    if (text != NULL && strcmp(text, " ") == 0 && strcmp(behavior, "MergedWithPrevious") == 0 &&
        !invert) {
        set_pattern(json, "after_blanks");
        return;
    }
    for (size_t i = 0; regex != NULL && i < sizeof PATTERNS / sizeof *PATTERNS; i++)
        if (strcmp(regex, PATTERNS[i].regex) == 0 &&
            (is_removed || (is_isolated && strcmp(PATTERNS[i].name, "clip") != 0))) {
            set_pattern(json, PATTERNS[i].name);
            return;
        }
    file_die(
        json->file.name,
        "the pre-tokenizer Split has the pattern '%.400s', behavior %s, invert %s; expected that "
        "of GPT-2, CLIP, GPT-4, Llama 3 or Qwen2, or blanks merged with what is before them",
        regex != NULL  ? regex
        : text != NULL ? text
                       : "",
        behavior, invert ? "true" : "false");
}

/* After CLIP's pattern, ByteLevel splits words by its own pattern too, which changes only cases
 * that the library handles (split/pattern.c). */
void byte_level_read(struct json_tokenizer *json, const json_t *part)
{
    bool has_own = json_flag(&json->file, part, "use_regex", true);
    bool is_clip = json->pattern != NULL && strcmp(json->pattern, "clip") == 0;
    bool adds_blank = json_flag(&json->file, part, "add_prefix_space", true);
    check_is_bpe(json, "ByteLevel");
    if (json->pattern != NULL && (has_own != is_clip || adds_blank))
        file_die(json->file.name,
                 "the pre-tokenizer ByteLevel has 'use_regex' %s and 'add_prefix_space' %s after "
                 "Split; expected %s and false",
                 has_own ? "true" : "false", adds_blank ? "true" : "false",
                 is_clip ? "true" : "false");
    json->is_byte_level = true;
    draft_set_text(&json->tokenizer->draft, "byte_level", "yes");
    if (adds_blank)
        draft_set_text(&json->tokenizer->draft, "first_blank", "yes");
    if (has_own && json->pattern == NULL)
        set_pattern(json, "gpt2");
}

void trim_read(struct json_tokenizer *json, const json_t *part)
{
    bool adds_blank = json_flag(&json->file, part, "add_prefix_space", true);
    if (!json_flag(&json->file, part, "trim_offsets", true))
        return;
    if (json->trims)
        file_die(json->file.name, "two post-processors have 'trim_offsets'; expected one");
    json->trims = true;
    draft_set_text(&json->tokenizer->draft, "trim", adds_blank ? "but_first" : "yes");
}
