/* tokenizer_steps.c - the normalizer and the pre-tokenizer of a tokenizer.json as lists of steps:
 * the settings `normalizer` and `splitter`. */
#include "tools/common/alloc.h"
#include "tools/common/print/utf8.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

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
    if (json->steps.n == n_before)
        part_die(
            json, "regular expression of the normalizer Replace", regex,
            "one of ' {2,}', ' +', '\\s+', '\\s{2,}', '\\n', '[\\n\\r\\t]', '\\s{2,}|[\\n\\r\\t]'");
}

static void read_replace(struct json_tokenizer *json, const json_t *part)
{
    const json_t *pattern = json_object_get(part, "pattern");
    const char *text = json_string_value(json_object_get(pattern, "String"));
    const char *regex = json_string_value(json_object_get(pattern, "Regex"));
    const char *content = json_text(&json->file, part, "content", NULL);
    if (content == NULL || (text == NULL) == (regex == NULL))
        file_die(json->file.name, "a normalizer 'Replace' lacks its 'pattern' or 'content'; "
                                  "expected {\"String\": ...} or {\"Regex\": ...}, and a text");
    if (regex != NULL)
        replace_regex(json, regex, content);
    else if (text[0] != '\0')
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
    if (strcmp(scheme, "always") != 0 && strcmp(scheme, "first") != 0 &&
        strcmp(scheme, "never") != 0)
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
    {"Split", NULL, split_read},
    {"ByteLevel", NULL, byte_level_read},
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
