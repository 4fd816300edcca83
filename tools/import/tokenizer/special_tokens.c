/* special_tokens.c - two members of a tokenizer.json: added_tokens, whose ids must be equal to the
 * ids of the reference, in the order of the file (`added`), and post_processor, which puts special
 * tokens around one text and around two (the templates). */
#include "tools/import/tokenizer/tokenizer_parts.h"

#include "tools/common/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Added tokens ---- */

/* Adds a token to the list, as its id and a letter for each switch that is on (x: it is not in the
 * model's vocabulary). Texts of the model keep their ids; new ones follow. *highest: the highest id
 * of an added token so far, or -1. */
static void read_added_token(struct json_tokenizer *json, const json_t *entry, int64_t *highest,
                             struct blank_list lists[2])
{
    static const struct {
        const char *key, *letter;
    } switches[] = {{"normalized", "n"}, {"lstrip", "l"}, {"rstrip", "r"}, {"single_word", "w"}};
    const struct json_file *file = &json->file;
    char letters[8] = "";
    if (!json_is_object(entry))
        file_die(file->name, "an added token is %s; expected an object", json_kind(entry));
    const char *text = json_text(file, entry, "content", NULL);
    int64_t id = (int64_t)json_count(file, entry, "id", 0, JSON_NEEDED);
    bool is_special = json_flag(file, entry, "special", false);
    if (text == NULL)
        file_die(file->name, "an added token has no 'content'");
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (json_flag(file, entry, switches[i].key, i == 0 && !is_special))
            strcat(letters, switches[i].letter);
    if (text[0] == '\0') /* the reference ignores it */
        return;
    size_t found = word_list_find(&json->tokenizer->draft.words, text, strlen(text));
    int64_t next = *highest >= json->n_model ? *highest + 1 : json->n_model;
    int64_t expected = found != WORD_NONE ? (int64_t)found : next;
    if (id != expected)
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
    int64_t highest = -1;
    for (size_t i = 0; i < json_array_size(entries); i++)
        read_added_token(json, json_array_get(entries, i), &highest, lists);
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
        trim_read(json, part);
}

/* One processor, or a Sequence of one that frames texts, and ByteLevel. Texts of static embeddings
 * have no frame. */
void post_processor_read(struct json_tokenizer *json)
{
    static const struct part_reader kinds[] = {
        {"TemplateProcessing", NULL, read_templates},
        {"BertProcessing", NULL, read_frame},
        {"RobertaProcessing", NULL, read_frame},
        {"ByteLevel", NULL, trim_read},
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
