/* tokenizer_steps.c - the normalizer and the pre-tokenizer of a tokenizer.json as lists of steps:
 * the settings `normalizer` and `splitter`.
 */
#include "tools/import/tokenizer/tokenizer_json.h"

#include <string.h>

enum { MOST_NESTED = 8, MOST_STEPS = 32 };

/* ---- Parts that have settings ---- */

/* Switches, each with what it becomes, and whether it is on where the file does not say. */
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

/* Accents go with the capitals where the file does not say. */
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
    static const struct step_switch switches[] = {
        {"strip_left", true, "strip_start"},
        {"strip_right", true, "strip_end"},
    };
    read_switches(json, part, switches, sizeof switches / sizeof *switches);
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
    part_refuse(json, "behavior of the pre-tokenizer Punctuation", behavior,
                "Isolated, Contiguous or Removed");
}

static void read_digits(struct json_tokenizer *json, const json_t *part)
{
    bool individual = json_flag(&json->file, part, "individual_digits", false);
    list_add(&json->steps, individual ? "digits" : "digit_runs");
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
    {"BertPreTokenizer", "blanks punctuation", NULL},
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
static void read_list(struct json_tokenizer *json, const struct step_list *list, const json_t *part,
                      int depth)
{
    const json_t *members = json_member(&json->file, part, list->sequence);
    if (!part_is_sequence(part)) {
        part_read(json, list->what, part, list->kinds);
        if (json->steps.n > list->most)
            json_refuse(&json->file, "the %ss have %zu steps; expected at most %zu", list->what,
                        json->steps.n, list->most);
        return;
    }
    if (!json_is_array(members))
        json_refuse(&json->file, "a Sequence's '%s' is %s; expected an array", list->sequence,
                    json_kind(members));
    if (depth == MOST_NESTED)
        json_refuse(&json->file, "Sequences inside one another; expected at most %d", MOST_NESTED);
    for (size_t i = 0; i < json_array_size(members); i++)
        read_list(json, list, json_array_get(members, i), depth + 1);
}

void steps_read(struct json_tokenizer *json)
{
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++) {
        const json_t *part = json_member(&json->file, NULL, LISTS[i].member);
        list_open(&json->steps);
        if (part != NULL)
            read_list(json, &LISTS[i], part, 0);
        list_set(&json->steps, &json->tokenizer->draft, LISTS[i].setting);
    }
}
