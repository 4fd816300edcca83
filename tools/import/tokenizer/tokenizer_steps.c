/* tokenizer_steps.c - parts of a tokenizer.json beside its model: the normalizer and the
 * pre-tokenizer as lists of steps (settings `normalizer` and `splitter`); added_tokens, whose ids
 * must be equal to the ids of the reference, in the order of the file (`added`); post_processor,
 * which puts special tokens around one text and around two (the templates). */
#include "tools/common/alloc.h"
#include "tools/common/print/display.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NESTED = 8, MOST_STEPS = 64 };

/* ---- Parts that have settings ---- */

/* Switches: whether they are on if the file does not say, and the steps that they become. */
struct step_switch {
    const char *key;
    bool is_on;
    const char *step;
};

static void read_switches(struct json_tokenizer *json, const json_t *part,
                          const struct step_switch *switches, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (json_flag(&json->file, part, switches[i].key, switches[i].is_on))
            list_add(&json->steps, "%s", switches[i].step);
}

/* By default, accents are dropped if capitals are. */
static void read_bert_normalizer(struct json_tokenizer *json, const json_t *part)
{
    bool lowercase = !json_is_false(json_object_get(part, "lowercase"));
    const struct step_switch switches[] = {
        {"clean_text", true, "clean"},       {"handle_chinese_chars", true, "space_cjk"},
        {"strip_accents", lowercase, "nfd"}, {"strip_accents", lowercase, "drop_nonspacing"},
        {"lowercase", true, "lower"},
    };
    read_switches(json, part, switches, sizeof switches / sizeof *switches);
}

static void read_strip(struct json_tokenizer *json, const json_t *part)
{
    static const struct step_switch switches[] = {{"strip_left", true, "strip_start"},
                                                  {"strip_right", true, "strip_end"}};
    read_switches(json, part, switches, 2);
}

static void read_punctuation(struct json_tokenizer *json, const json_t *part)
{
    static const char *const behaviors[][2] = {{"Isolated", "punctuation"},
                                               {"Contiguous", "punctuation_runs"},
                                               {"Removed", "punctuation_dropped"}};
    const char *behavior = json_text(&json->file, part, "behavior", "Isolated");
    for (size_t i = 0; i < 3; i++)
        if (strcmp(behavior, behaviors[i][0]) == 0) {
            list_add(&json->steps, "%s", behaviors[i][1]);
            return;
        }
    part_die(json, "behavior of the pre-tokenizer Punctuation", behavior,
             "Isolated, Contiguous or Removed");
}

static void read_digits(struct json_tokenizer *json, const json_t *part)
{
    bool individual = json_flag(&json->file, part, "individual_digits", false);
    list_add(&json->steps, individual ? "digits" : "digit_runs");
}

/* ---- Steps with texts ---- */

enum { REPLACE_CHARS = 8 };

/* Appends ":TEXT", with %XX for the characters of a list's syntax. */
static void add_text(struct json_tokenizer *json, const char *part, const char *text)
{
    list_append(&json->steps, ":");
    for (const char *c = text; *c != '\0'; c++)
        list_append(&json->steps, strchr(" :%", *c) != NULL ? "%%%02X" : "%c", *c);
    if (utf8_count(text, strlen(text)) > REPLACE_CHARS)
        file_die(json->file.name, "the normalizer %s has '%.100s'; expected at most %d characters",
                 part, text, REPLACE_CHARS);
}

static void add_replacement(struct json_tokenizer *json, const char *step, const char *from,
                            const char *to)
{
    list_add(&json->steps, "%s", step);
    if (from != NULL)
        add_text(json, "Replace", from);
    add_text(json, "Replace", to);
}

/* Replaces each character of a class of ASCII punctuation, "[!\\#\\.]", as SigLIP's tokenizer.json
 * does. Returns false, and adds nothing, if the regular expression is no such class. */
static bool replace_punctuation(struct json_tokenizer *json, const char *regex, const char *content)
{
    char chars[64][2] = {""};
    const char *c = regex + (regex[0] == '[');
    size_t n = 0;
    for (; *c != ']' && c > regex; c++) {
        const bool is_escaped = *c == '\\';
        c += is_escaped;
        if (n == sizeof chars / sizeof *chars || !ispunct((unsigned char)*c) ||
            (!is_escaped && strchr("[^-&", *c) != NULL) || strchr(content, *c) != NULL)
            return false;
        chars[n++][0] = *c;
    }
    for (size_t i = 0; i < n && c[1] == '\0'; i++)
        add_replacement(json, "replace", chars[i], content);
    return n > 0 && c[1] == '\0';
}

/* The regular expressions of published tokenizers, each as one step or more. */
static void replace_regex(struct json_tokenizer *json, const char *regex, const char *content)
{
    static const struct {
        const char *regex, *step, *from;
    } steps[] = {
        {" {2,}", "replace_runs:2", " "},
        {" +", "replace_runs:1", " "},
        {"\\s+", "replace_blanks:1", NULL},
        {"\\s{2,}", "replace_blanks:2", NULL},
        {"\n", "replace", "\n"},
        {"\\n", "replace", "\n"},
        {"[\\n\\r\\t]", "replace", "\n"},
        {"[\\n\\r\\t]", "replace", "\r"},
        {"[\\n\\r\\t]", "replace", "\t"},
        {"\\s{2,}|[\\n\\r\\t]", "replace_blanks:2", NULL},
        {"\\s{2,}|[\\n\\r\\t]", "replace", "\n"},
        {"\\s{2,}|[\\n\\r\\t]", "replace", "\r"},
        {"\\s{2,}|[\\n\\r\\t]", "replace", "\t"},
    };
    size_t n_before = json->steps.n;
    bool is_set = strpbrk(content, "\n\r\t") == NULL || strchr(regex, '[') == NULL;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && is_set; i++)
        if (strcmp(regex, steps[i].regex) == 0)
            add_replacement(json, steps[i].step, steps[i].from, content);
    if (json->steps.n == n_before && !replace_punctuation(json, regex, content))
        part_die(json, "regular expression of the normalizer Replace", regex,
                 "one of ' {2,}', ' +', '\\s+', '\\s{2,}', '\\n', '[\\n\\r\\t]', "
                 "'\\s{2,}|[\\n\\r\\t]', a class of punctuation in ASCII");
}

static void read_replace(struct json_tokenizer *json, const json_t *part)
{
    const json_t *pattern = json_object_get(part, "pattern");
    const char *text = json_string_value(json_object_get(pattern, "String"));
    const char *regex = json_string_value(json_object_get(pattern, "Regex"));
    const char *content = json_text(&json->file, part, "content", NULL);
    if (content == NULL || (text == NULL) == (regex == NULL) || (text != NULL && *text == '\0'))
        file_die(json->file.name, "a normalizer 'Replace' lacks its 'pattern' or 'content'; "
                                  "expected {\"String\": ...} or {\"Regex\": ...}, and a text");
    if (regex != NULL)
        replace_regex(json, regex, content);
    else
        add_replacement(json, "replace", text, content);
}

static void read_prepend(struct json_tokenizer *json, const json_t *part)
{
    list_add(&json->steps, "prepend");
    add_text(json, "Prepend", json_text(&json->file, part, "prepend", "\xE2\x96\x81"));
}

/* A map of characters in base64. */
static void read_precompiled(struct json_tokenizer *json, const json_t *part)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *text = json_text(&json->file, part, "precompiled_charsmap", "");
    size_t len = strlen(text), n = 0, n_bits = 0;
    uint8_t *map = alloc_resize(NULL, len, 1);
    uint32_t bits = 0;
    while (len > 0 && text[len - 1] == '=')
        len--;
    for (size_t i = 0; i < len; i++) {
        const char *digit = memchr(digits, text[i], sizeof digits - 1);
        if (digit == NULL)
            file_die(json->tokenizer->name,
                     "the normalizer's precompiled charsmap is not in base64");
        bits = bits << 6 | (uint32_t)(digit - digits);
        n_bits += 6;
        if (n_bits >= 8)
            map[n++] = (uint8_t)(bits >> (n_bits -= 8));
    }
    charsmap_set(json->tokenizer, map, n);
    list_add(&json->steps, "charsmap");
}

/* Old files have add_prefix_space, which must then be what the reference assumes. */
static void read_metaspace(struct json_tokenizer *json, const json_t *part)
{
    struct tokenizer_draft *draft = &json->tokenizer->draft;
    const char *scheme = json_text(&json->file, part, "prepend_scheme", "always");
    const char *space = json_text(&json->file, part, "replacement", "\xE2\x96\x81");
    uint32_t character = 0;
    if (!name_is_listed("always first never", scheme))
        part_die(json, "prepend_scheme of the pre-tokenizer Metaspace", scheme,
                 "always, first or never");
    if (!json_flag(&json->file, part, "add_prefix_space", true) && strcmp(scheme, "never") != 0)
        part_die(json, "prepend_scheme of the pre-tokenizer Metaspace without add_prefix_space",
                 scheme, "never");
    if (space[0] == '\0' || utf8_next(space, strlen(space), &character) != strlen(space))
        part_die(json, "replacement of the pre-tokenizer Metaspace", space, "one character");
    if (draft_get(draft, "metaspace")[0] != '\0')
        file_die(json->file.name, "there are two pre-tokenizers Metaspace; expected one");
    draft_set_text(draft, "metaspace", space);
    if (!json_flag(&json->file, part, "split", true))
        draft_set_text(draft, "metaspace_splits", "no");
    list_add(&json->steps, "metaspace:%s", scheme);
}

/* ---- Parts that only BPE has ---- */

/* The patterns of published tokenizers, each as they write it. */
#define CONTRACTIONS   "'s|'t|'re|'ve|'m|'ll|'d"
#define BLANKS         "\\s+(?!\\S)|\\s+"
#define BEFORE_NUMBERS "(?i:" CONTRACTIONS ")|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|"
#define CAPITALS       "\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}"
#define SMALL          "\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}"
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
    {"[^\\r\\n\\p{L}\\p{N}]?[" CAPITALS "]*[" SMALL "]+(?i:" CONTRACTIONS ")?|"
     "[^\\r\\n\\p{L}\\p{N}]?[" CAPITALS "]+[" SMALL "]*(?i:" CONTRACTIONS ")?|"
     "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|" BLANKS,
     "o200k"},
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
static void read_split(struct json_tokenizer *json, const json_t *part)
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
        "of GPT-2, CLIP, GPT-4, GPT-4o, Llama 3 or Qwen2, or blanks merged with what is before "
        "them",
        regex != NULL  ? regex
        : text != NULL ? text
                       : "",
        behavior, invert ? "true" : "false");
}

/* After CLIP's pattern, ByteLevel splits words by its own pattern too, which changes only cases
 * that the library handles (model/tokenizer/splitter.c). */
static void read_byte_level(struct json_tokenizer *json, const json_t *part)
{
    bool has_own = json_flag(&json->file, part, "use_regex", true);
    bool is_clip = json->pattern != NULL && strcmp(json->pattern, "clip") == 0;
    bool adds_blank = json_flag(&json->file, part, "add_prefix_space", true);
    check_is_bpe(json, "ByteLevel");
    if (adds_blank && draft_get(&json->tokenizer->draft, "metaspace")[0] != '\0')
        file_die(json->file.name, "the pre-tokenizer ByteLevel has 'add_prefix_space' true after "
                                  "Metaspace; expected false");
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

static void read_trim(struct json_tokenizer *json, const json_t *part)
{
    bool adds_blank = json_flag(&json->file, part, "add_prefix_space", true);
    if (!json_flag(&json->file, part, "trim_offsets", true))
        return;
    if (json->trims)
        file_die(json->file.name, "two post-processors have 'trim_offsets'; expected one");
    if (strcmp(draft_get(&json->tokenizer->draft, "kind"), "bpe") != 0 &&
        !name_is_listed(draft_get(&json->tokenizer->draft, "splitter"), "blanks"))
        file_die(json->file.name, "'trim_offsets' is true; expected false, as words may have "
                                  "blanks and the model is not BPE");
    json->trims = true;
    draft_set_text(&json->tokenizer->draft, "trim", adds_blank ? "but_first" : "yes");
}

/* ---- Lists ---- */

struct step_list {
    const char *member, *what, *sequence; /* of the file; in messages; a Sequence's members */
    const char *setting;
    const struct part_reader *kinds; /* Sequence is in it only for messages */
    size_t most;
};

static const struct part_reader NORMALIZERS[] = {
    {"BertNormalizer", NULL, read_bert_normalizer},
    {"NFD", "nfd", NULL},
    {"NFC", "nfc", NULL},
    {"NFKD", "nfkd", NULL},
    {"NFKC", "nfkc", NULL},
    {"Lowercase", "lower", NULL},
    {"StripAccents", "drop_marks", NULL},
    {"Strip", NULL, read_strip},
    {"Precompiled", NULL, read_precompiled},
    {"Replace", NULL, read_replace},
    {"Prepend", NULL, read_prepend},
    {"Nmt", "nmt", NULL},
    {"Sequence", NULL, NULL},
    {NULL, NULL, NULL},
};

static const struct part_reader PRE_TOKENIZERS[] = {
    {"BertPreTokenizer", "blanks punctuation", NULL},
    {"Whitespace", "blanks word_runs", NULL},
    {"WhitespaceSplit", "blanks", NULL},
    {"Punctuation", NULL, read_punctuation},
    {"Digits", NULL, read_digits},
    {"Metaspace", NULL, read_metaspace},
    {"Split", NULL, read_split},
    {"ByteLevel", NULL, read_byte_level},
    {"Sequence", NULL, NULL},
    {NULL, NULL, NULL},
};

static const struct step_list LISTS[] = {
    {"normalizer", "normalizer", "normalizers", "normalizer", NORMALIZERS, MOST_STEPS},
    {"pre_tokenizer", "pre-tokenizer", "pretokenizers", "splitter", PRE_TOKENIZERS, SIZE_MAX},
};

/* Reads a part, or the members of a Sequence. depth: Sequences around the part. */
static void read_list(struct json_tokenizer *json, const struct step_list *list, const json_t *part,
                      int depth)
{
    const json_t *members = part_members(json, part, list->sequence);
    if (members == NULL) {
        /* Patterns see what other steps do not split, so they come last, and bytes after them. */
        const char *type = json_string_value(json_object_get(part, "type"));
        if (json->is_byte_level ||
            (json->pattern != NULL && (type == NULL || strcmp(type, "ByteLevel") != 0)))
            part_die(json, "pre-tokenizer after Split or ByteLevel",
                     type != NULL ? type : "without a type", "none");
        part_read(json, list->what, part, list->kinds);
        if (json->steps.n > list->most)
            file_die(json->file.name, "the %ss have %zu steps; expected at most %zu", list->what,
                     json->steps.n, list->most);
        return;
    }
    if (depth == MOST_NESTED)
        file_die(json->file.name, "Sequences inside one another; expected at most %d", MOST_NESTED);
    for (size_t i = 0; i < json_array_size(members); i++)
        read_list(json, list, json_array_get(members, i), depth + 1);
}

void steps_read(struct json_tokenizer *json)
{
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++) {
        const json_t *part = json_member(&json->file, NULL, LISTS[i].member);
        json->steps = (struct blank_list){.n = 0};
        if (part != NULL)
            read_list(json, &LISTS[i], part, 0);
        list_set(&json->steps, &json->tokenizer->draft, LISTS[i].setting);
    }
}

/* ---- Added tokens ---- */

/* Adds a token to the list, as its id and a letter for each switch that is on (x: it is not in the
 * model's vocabulary). Texts of the model keep their ids; new ones follow. known: the tokens so far
 * by their texts; *highest: the highest of their ids, or -1. */
static void read_added_token(struct json_tokenizer *json, json_t *entry, json_t *known,
                             int64_t *highest, struct blank_list lists[2])
{
    const struct json_file *file = &json->file;
    char letters[8] = "";
    if (!json_is_object(entry))
        file_die(file->name, "an added token is %s; expected an object", json_kind(entry));
    const char *text = json_text(file, entry, "content", NULL);
    int64_t id = (int64_t)json_count(file, entry, "id", 0, JSON_NEEDED);
    bool is_special = json_flag(file, entry, "special", false);
    if (text == NULL)
        file_die(file->name, "an added token has no 'content'");
    for (size_t i = 0; i < N_TOKEN_SWITCHES; i++)
        if (json_flag(file, entry, TOKEN_SWITCHES[i], i == NORMALIZED && !is_special))
            letters[strlen(letters)] = "nlrw"[i];
    if (text[0] == '\0') /* the reference ignores it */
        return;
    const json_t *before = json_object_get(known, text);
    if (before != NULL && !json_equal(before, entry))
        file_die(json->tokenizer->name,
                 "the added token '%.100s' is there twice, with other switches", text);
    if (before != NULL)
        return;
    json_object_set(known, text, entry);
    size_t found = word_list_find(&json->tokenizer->draft.words, text, strlen(text));
    int64_t expected = found != WORD_NONE ? (int64_t)found : json->n_model++;
    /* The reference before 0.23.2 counts on from a higher id. */
    if (id != expected || (found == WORD_NONE && id < *highest))
        file_die(json->tokenizer->name,
                 "the added token '%.100s' has the id %" PRId64 "; expected %" PRId64
                 ", from the vocabulary",
                 text, id, expected);
    *highest = id > *highest ? id : *highest;
    if (found == WORD_NONE) {
        token_place(json->tokenizer, (uint64_t)id, text, strlen(text));
        strcat(letters, "x");
    }
    list_add(&lists[!is_special], "%" PRId64 "%s%s", id, letters[0] != '\0' ? ":" : "", letters);
}

/* Special tokens come first in the setting, since the reference looks for them first. */
void added_tokens_read(struct json_tokenizer *json)
{
    const json_t *entries = json_typed(&json->file, "added_tokens", JSON_ARRAY, "an array");
    struct tokenizer_draft *draft = &json->tokenizer->draft;
    struct blank_list lists[2] = {{.n = 0}, {.n = 0}};
    json_t *known = json_object();
    int64_t highest = -1;
    for (size_t i = 0; i < json_array_size(entries); i++)
        read_added_token(json, json_array_get(entries, i), known, &highest, lists);
    if (lists[1].n > 0)
        list_add(&lists[0], "%s", lists[1].text);
    list_set(&lists[0], draft, "added");
}

/* ---- Post-processor ---- */

enum { MOST_PIECES = 16 };

/* A template, "single" or "pair": its text for the weight file, and what it holds. */
struct template
{
    const char *which;
    char *text; /* [TEMPLATE_BYTES] */
    size_t n, n_texts[2];
};

_Noreturn static void template_die(struct json_tokenizer *json, const struct template *template)
{
    file_die(json->file.name,
             "the post-processor's template '%s' is none that is known; expected at most %d "
             "pieces, {\"SpecialToken\": {\"id\", \"type_id\"}} or {\"Sequence\": {\"id\", "
             "\"type_id\"}}, with each text once",
             template->which, MOST_PIECES);
}

/* Adds "NAME:TYPE", where name is A, B or an id. */
static void add_piece(struct template *template, const char *name, int64_t type)
{
    size_t used = strlen(template->text);
    snprintf(template->text + used, TEMPLATE_BYTES - used, "%s%s:%lld", used > 0 ? " " : "", name,
             (long long)type);
    template->n++;
}

static bool is_token(const struct json_tokenizer *json, const json_t *value, uint64_t *id)
{
    const struct word_list *words = &json->tokenizer->draft.words;
    return json_whole(value, id) &&
           (json->is_static || (*id < words->n && words->texts[*id] != NULL));
}

/* A text, or a token of special_tokens {"[CLS]": {"id": "[CLS]", "ids": [101], ...}}, each of whose
 * ids is a piece. */
static void read_piece(struct json_tokenizer *json, const json_t *part, const json_t *piece,
                       struct template *template)
{
    const json_t *special = json_object_get(piece, "SpecialToken"), *value;
    const json_t *body = special != NULL ? special : json_object_get(piece, "Sequence");
    const char *name = json_string_value(json_object_get(body, "id"));
    size_t i;
    if (name == NULL || template->n > MOST_PIECES)
        template_die(json, template);
    int64_t type = (int64_t)json_count(&json->file, body, "type_id", 0, 0);
    if (special == NULL) {
        if (strcmp(name, "A") != 0 && strcmp(name, "B") != 0)
            template_die(json, template);
        template->n_texts[name[0] - 'A']++;
        add_piece(template, name, type);
        return;
    }
    const json_t *tokens = json_object_get(part, "special_tokens");
    const json_t *ids = json_object_get(json_object_get(tokens, name), "ids");
    if (!json_is_array(ids))
        file_die(json->file.name,
                 "the post-processor's template names '%.100s'; expected a token of its "
                 "'special_tokens'",
                 name);
    json_array_foreach(ids, i, value)
    {
        char number[32];
        uint64_t id;
        if (!is_token(json, value, &id))
            file_die(json->file.name,
                     "the post-processor's token '%.100s' has an id that is not in the vocabulary",
                     name);
        snprintf(number, sizeof number, "%" PRIu64, id);
        add_piece(template, number, type);
    }
}

static void read_templates(struct json_tokenizer *json, const json_t *part)
{
    struct template templates[] = {{.which = "single", .text = json->tokenizer->single},
                                   {.which = "pair", .text = json->tokenizer->pair}};
    for (size_t k = 0; k < 2; k++) {
        struct template *template = &templates[k];
        const json_t *pieces = json_object_get(part, template->which);
        if (!json_is_array(pieces))
            template_die(json, template);
        for (size_t i = 0; i < json_array_size(pieces); i++)
            read_piece(json, part, json_array_get(pieces, i), template);
        if (template->n > MOST_PIECES || template->n_texts[0] != 1 || template->n_texts[1] != k)
            template_die(json, template);
    }
}

/* Reads BertProcessing or RobertaProcessing: {"cls": ["[CLS]", 101], "sep": ["[SEP]", 102]}. */
static void read_frame(struct json_tokenizer *json, const json_t *part)
{
    static const char *const keys[] = {"cls", "sep"};
    bool is_roberta = json_string_value(json_object_get(part, "type"))[0] == 'R';
    uint64_t ids[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        const json_t *value = json_object_get(part, keys[i]);
        if (json_array_size(value) != 2 || !is_token(json, json_array_get(value, 1), &ids[i]))
            file_die(json->file.name,
                     "the post-processor's '%s' is none that is known; expected a token and its id "
                     "in the vocabulary",
                     keys[i]);
    }
    templates_set(json->tokenizer, (size_t)ids[0], (size_t)ids[1],
                  is_roberta ? FRAME_ROBERTA : FRAME_BERT);
    if (is_roberta)
        read_trim(json, part);
}

/* One processor, or a Sequence of one that frames texts, and ByteLevel. Texts of static embeddings
 * have no frame. */
void post_processor_read(struct json_tokenizer *json)
{
    static const struct part_reader kinds[] = {
        {"TemplateProcessing", NULL, read_templates},
        {"BertProcessing", NULL, read_frame},
        {"RobertaProcessing", NULL, read_frame},
        {"ByteLevel", NULL, read_trim},
        {"Sequence", NULL, NULL},
        {NULL, NULL, NULL},
    };
    const json_t *whole = json_member(&json->file, NULL, "post_processor");
    const json_t *members = part_members(json, whole, "processors");
    size_t n = members != NULL ? json_array_size(members) : whole != NULL;
    for (size_t i = 0; i < n; i++) {
        const json_t *part = members != NULL ? json_array_get(members, i) : whole;
        bool is_framed = json->tokenizer->single[0] != '\0';
        part_read(json, "post-processor", part, kinds);
        const char *type = json_string_value(json_object_get(part, "type"));
        if (strcmp(type, "Sequence") == 0 || (is_framed && strcmp(type, "ByteLevel") != 0))
            part_die(json, "post-processor in a Sequence", type,
                     "one that frames texts, and ByteLevel");
    }
    if (json->is_static)
        json->tokenizer->single[0] = json->tokenizer->pair[0] = '\0';
}
