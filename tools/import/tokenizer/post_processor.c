/* post_processor.c - the post_processor of a tokenizer.json: how one text and a pair are framed by
 * special tokens. Sets the templates.
 */
#include "tools/import/tokenizer/tokenizer_json.h"

#include <string.h>

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
    return json_whole(value, id) && *id < words->n && words->texts[*id] != NULL;
}

/* {"id": "[CLS]", "ids": [101], ...} of special_tokens: each id is a piece. */
static void add_special(struct json_tokenizer *json, const json_t *special_tokens, const char *name,
                        int64_t type, struct template *template)
{
    const json_t *ids = json_object_get(json_object_get(special_tokens, name), "ids"), *value;
    size_t i;
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
                     "the post-processor's token '%.100s' has an id that is not in the "
                     "vocabulary",
                     name);
        snprintf(number, sizeof number, "%llu", (unsigned long long)id);
        add_piece(template, number, type);
    }
}

static void read_piece(struct json_tokenizer *json, const json_t *part, const json_t *piece,
                       struct template *template)
{
    const json_t *special = json_object_get(piece, "SpecialToken");
    const json_t *body = special != NULL ? special : json_object_get(piece, "Sequence");
    const char *name = json_string_value(json_object_get(body, "id"));
    if (name == NULL || template->n > MOST_PIECES)
        template_die(json, template);
    int64_t type = json_count(&json->file, body, "type_id", 0, 0);
    if (special != NULL) {
        add_special(json, json_object_get(part, "special_tokens"), name, type, template);
        return;
    }
    if (strcmp(name, "A") != 0 && strcmp(name, "B") != 0)
        template_die(json, template);
    template->n_texts[name[0] - 'A']++;
    add_piece(template, name, type);
}

static void read_pieces(struct json_tokenizer *json, const json_t *part, const char *which,
                        char *text)
{
    const json_t *pieces = json_object_get(part, which);
    struct template template = {.which = which, .text = text};
    size_t n_pairs = strcmp(which, "pair") == 0;
    if (!json_is_array(pieces))
        template_die(json, &template);
    for (size_t i = 0; i < json_array_size(pieces); i++)
        read_piece(json, part, json_array_get(pieces, i), &template);
    if (template.n > MOST_PIECES || template.n_texts[0] != 1 || template.n_texts[1] != n_pairs)
        template_die(json, &template);
}

static void read_template(struct json_tokenizer *json, const json_t *part)
{
    read_pieces(json, part, "single", json->tokenizer->single);
    read_pieces(json, part, "pair", json->tokenizer->pair);
}

/* ["[SEP]", 102] */
static size_t read_named_id(struct json_tokenizer *json, const json_t *part, const char *key)
{
    const json_t *value = json_object_get(part, key);
    uint64_t id = 0;
    if (json_array_size(value) != 2 || !is_token(json, json_array_get(value, 1), &id))
        file_die(json->file.name,
                 "the post-processor's '%s' is none that is known; expected a token and its id in "
                 "the vocabulary",
                 key);
    return (size_t)id;
}

static void read_bert_processing(struct json_tokenizer *json, const json_t *part)
{
    size_t cls = read_named_id(json, part, "cls"), sep = read_named_id(json, part, "sep");
    parts_frame(json->tokenizer, cls, sep, FRAME_BERT);
}

static void read_roberta_processing(struct json_tokenizer *json, const json_t *part)
{
    size_t cls = read_named_id(json, part, "cls"), sep = read_named_id(json, part, "sep");
    parts_frame(json->tokenizer, cls, sep, FRAME_ROBERTA);
    trim_read(json, part);
}

static void read_processor(struct json_tokenizer *json, const json_t *part)
{
    static const struct part_kind kinds[] = {
        {"TemplateProcessing", NULL, read_template},
        {"BertProcessing", NULL, read_bert_processing},
        {"RobertaProcessing", NULL, read_roberta_processing},
        {"ByteLevel", NULL, trim_read},
        {"Sequence", NULL, NULL},
        {NULL, NULL, NULL},
    };
    bool is_framed = json->tokenizer->single[0] != '\0';
    part_read(json, "post-processor", part, kinds);
    const char *type = json_string_value(json_object_get(part, "type"));
    if (part_is_sequence(part) || (is_framed && strcmp(type, "ByteLevel") != 0))
        part_die(json, "post-processor in a Sequence", type,
                 "one that frames texts, and ByteLevel");
}

void post_processor_read(struct json_tokenizer *json)
{
    const json_t *part = json_member(&json->file, NULL, "post_processor");
    if (part == NULL)
        return;
    if (!part_is_sequence(part)) {
        read_processor(json, part);
        return;
    }
    const json_t *members = part_members(json, part, "processors");
    for (size_t i = 0; i < json_array_size(members); i++)
        read_processor(json, json_array_get(members, i));
}
