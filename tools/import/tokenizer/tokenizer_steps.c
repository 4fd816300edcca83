/* tokenizer_steps.c - see tokenizer_steps.h. */
#include "tools/import/tokenizer/tokenizer_steps.h"

#include <string.h>

enum { MOST_NESTED = 8, MOST_STEPS = 32 };

/* ---- Parts with a type ---- */

bool part_refuse(const struct json_tokenizer *json, const char *what, const char *found,
                 const char *expected)
{
    return json_refuse(&json->file, "the %s is '%.100s'; expected %s", what, found, expected);
}

/* "a, b or c" */
static bool refuse_type(const struct json_tokenizer *json, const char *what, const char *found,
                        const struct part_kind *kinds)
{
    char names[300] = "";
    for (size_t i = 0; kinds[i].type != NULL; i++) {
        const char *before = i == 0 ? "" : kinds[i + 1].type != NULL ? ", " : " or ";
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", before, kinds[i].type);
    }
    return part_refuse(json, what, found, names);
}

bool part_read(struct json_tokenizer *json, const char *what, const json_t *part,
               const struct part_kind *kinds)
{
    const char *type = NULL;
    if (!json_is_object(part))
        return part_refuse(json, what, json_kind(part), "an object");
    if (!json_text(&json->file, part, "type", &type))
        return false;
    for (const struct part_kind *kind = kinds; type != NULL && kind->type != NULL; kind++) {
        if (strcmp(type, kind->type) != 0)
            continue;
        if (kind->step != NULL)
            list_add(&json->steps, "%s", kind->step);
        return kind->read == NULL || kind->read(json, part);
    }
    return refuse_type(json, what, type != NULL ? type : "without a type", kinds);
}

bool part_is_sequence(const json_t *part)
{
    const char *type = json_string_value(json_object_get(part, "type"));
    return type != NULL && strcmp(type, "Sequence") == 0;
}

/* ---- Parts that have settings ---- */

static bool read_bert_normalizer(struct json_tokenizer *json, const json_t *part)
{
    struct bert_switches switches = {true, true, false, true};
    json_flag(&json->file, part, "clean_text", &switches.clean_text);
    json_flag(&json->file, part, "handle_chinese_chars", &switches.handle_chinese_chars);
    json_flag(&json->file, part, "lowercase", &switches.lowercase);
    switches.strip_accents = switches.lowercase; /* null: as lowercase */
    json_flag(&json->file, part, "strip_accents", &switches.strip_accents);
    parts_bert_normalizer(&json->steps, &switches);
    return json_is_right(&json->file);
}

static bool read_strip(struct json_tokenizer *json, const json_t *part)
{
    bool left = true, right = true;
    json_flag(&json->file, part, "strip_left", &left);
    json_flag(&json->file, part, "strip_right", &right);
    if (left)
        list_add(&json->steps, "strip_start");
    if (right)
        list_add(&json->steps, "strip_end");
    return json_is_right(&json->file);
}

static bool read_punctuation(struct json_tokenizer *json, const json_t *part)
{
    static const char *const behaviors[][2] = {{"Isolated", "punctuation"},
                                               {"Contiguous", "punctuation_runs"},
                                               {"Removed", "punctuation_dropped"}};
    const char *behavior = "Isolated";
    if (!json_text(&json->file, part, "behavior", &behavior))
        return false;
    for (size_t i = 0; i < 3; i++)
        if (strcmp(behavior, behaviors[i][0]) == 0) {
            list_add(&json->steps, "%s", behaviors[i][1]);
            return true;
        }
    return part_refuse(json, "behavior of the pre-tokenizer Punctuation", behavior,
                       "Isolated, Contiguous or Removed");
}

static bool read_digits(struct json_tokenizer *json, const json_t *part)
{
    bool individual = false;
    if (!json_flag(&json->file, part, "individual_digits", &individual))
        return false;
    list_add(&json->steps, individual ? "digits" : "digit_runs");
    return true;
}

/* ---- Lists ---- */

struct step_list {
    const char *member, *what, *sequence; /* of the file; in messages; a Sequence's members */
    const char *setting;
    const struct part_kind *kinds; /* Sequence is among them for messages alone */
    size_t most;
};

static const struct part_kind NORMALIZERS[] = {
    {"BertNormalizer", NULL, read_bert_normalizer},
    {"NFD", "nfd", NULL},
    {"NFC", "nfc", NULL},
    {"NFKD", "nfkd", NULL},
    {"NFKC", "nfkc", NULL},
    {"Lowercase", "lower", NULL},
    {"StripAccents", "drop_marks", NULL},
    {"Strip", NULL, read_strip},
    {"Sequence", NULL, NULL},
    {NULL, NULL, NULL},
};

static const struct part_kind PRE_TOKENIZERS[] = {
    {"BertPreTokenizer", BERT_SPLITTER, NULL},
    {"Whitespace", "blanks word_runs", NULL},
    {"WhitespaceSplit", "blanks", NULL},
    {"Punctuation", NULL, read_punctuation},
    {"Digits", NULL, read_digits},
    {"Sequence", NULL, NULL},
    {NULL, NULL, NULL},
};

static const struct step_list LISTS[] = {
    {"normalizer", "normalizer", "normalizers", "normalizer", NORMALIZERS, MOST_STEPS},
    {"pre_tokenizer", "pre-tokenizer", "pretokenizers", "splitter", PRE_TOKENIZERS, SIZE_MAX},
};

/* depth: Sequences around the part. */
static bool read_list(struct json_tokenizer *json, const struct step_list *list, const json_t *part,
                      int depth)
{
    const json_t *members = json_member(&json->file, part, list->sequence), *member;
    size_t i;
    if (!part_is_sequence(part))
        return part_read(json, list->what, part, list->kinds) &&
               (json->steps.n <= list->most ||
                json_refuse(&json->file, "the %ss have %zu steps; expected at most %zu", list->what,
                            json->steps.n, list->most));
    if (!json_is_array(members))
        return json_refuse(&json->file, "a Sequence's '%s' is %s; expected an array",
                           list->sequence, json_kind(members));
    if (depth == MOST_NESTED)
        return json_refuse(&json->file, "Sequences inside one another; expected at most %d",
                           MOST_NESTED);
    json_array_foreach(members, i,
                       member) if (!read_list(json, list, member, depth + 1)) return false;
    return true;
}

bool steps_read(struct json_tokenizer *json)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof LISTS / sizeof *LISTS; i++) {
        const json_t *part = json_member(&json->file, NULL, LISTS[i].member);
        list_open(&json->steps);
        ok = part == NULL || read_list(json, &LISTS[i], part, 0);
        list_set(&json->steps, &json->tokenizer->draft, LISTS[i].setting);
    }
    return ok;
}
