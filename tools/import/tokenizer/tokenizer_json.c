/* tokenizer_json.c - a tokenizer.json, Keras' or of HuggingFace tokenizers: normalizer,
 * pre_tokenizer, model, post_processor and added_tokens to the settings of weights/FORMAT.md. What
 * is not known here is refused by its name; the decoder is not needed, truncation and padding are
 * not taken.
 */
#include "tools/import/tokenizer/tokenizer_json.h"

#include "tools/common/weights/token_source.h"
#include "tools/import/tokenizer/tokenizer_steps.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WORD_CHARS = 10000, MOST_PREFIX_BYTES = 32, MOST_PIECES = 16 };

/* ---- Model ---- */

static bool read_vocabulary(struct json_tokenizer *json, const json_t *model)
{
    json_t *vocabulary = json_object_get(model, "vocab"), *value;
    const char *text;
    uint64_t id;
    if (!json_is_object(vocabulary))
        return json_refuse(&json->file, "the model's 'vocab' is %s; expected an object",
                           json_kind(vocabulary));
    json_object_foreach(vocabulary, text, value)
    {
        if (text[0] == '\0') /* no text ever becomes this token */
            continue;
        if (!json_whole(value, &id))
            return json_refuse(&json->file, "the id of '%.100s' is no whole number", text);
        if (!parts_place(json->tokenizer, id, text, strlen(text)))
            return false;
    }
    return true;
}

static bool read_unknown(struct json_tokenizer *json, const json_t *model)
{
    struct tokenizer_draft *draft = &json->tokenizer->draft;
    const char *unknown = NULL;
    if (!json_text(&json->file, model, "unk_token", &unknown))
        return false;
    if (unknown != NULL)
        draft->unknown = word_list_find(&draft->words, unknown, strlen(unknown));
    if (draft->unknown == WORD_NONE)
        return json_refuse(&json->file,
                           "the model's 'unk_token' is '%.100s'; expected a token of its "
                           "vocabulary",
                           unknown == NULL ? "missing" : unknown);
    draft_set_number(draft, "unknown", draft->unknown);
    return true;
}

static bool read_wordpiece(struct json_tokenizer *json, const json_t *model)
{
    const char *prefix = "##";
    int64_t most_chars = 100;
    if (!json_text(&json->file, model, "continuing_subword_prefix", &prefix) ||
        !json_count(&json->file, model, "max_input_chars_per_word", 1, &most_chars))
        return false;
    if (strlen(prefix) > MOST_PREFIX_BYTES || most_chars > MOST_WORD_CHARS)
        return json_refuse(&json->file,
                           "the model's continuing_subword_prefix has %zu bytes and its "
                           "max_input_chars_per_word is %lld; expected at most %d and %d",
                           strlen(prefix), (long long)most_chars, MOST_PREFIX_BYTES,
                           MOST_WORD_CHARS);
    draft_set_text(&json->tokenizer->draft, "prefix", prefix);
    draft_set_number(&json->tokenizer->draft, "max_word", (uint64_t)most_chars);
    draft_set_text(&json->tokenizer->draft, "kind", "wordpiece");
    return true;
}

static bool read_word_level(struct json_tokenizer *json, const json_t *model)
{
    (void)model;
    draft_set_text(&json->tokenizer->draft, "kind", "words");
    return true;
}

/* Old files do not say the type of their model; this is how they are told apart. */
static const char *guess_type(const json_t *model)
{
    if (json_object_get(model, "merges") != NULL)
        return "BPE";
    if (json_is_array(json_object_get(model, "vocab")))
        return "Unigram";
    return json_object_get(model, "max_input_chars_per_word") != NULL ? "WordPiece" : "WordLevel";
}

static bool read_model(struct json_tokenizer *json)
{
    static const struct part_kind kinds[] = {
        {"WordPiece", NULL, read_wordpiece},
        {"WordLevel", NULL, read_word_level},
        {NULL, NULL, NULL},
    };
    json_t *model = json_object_get(json->file.root, "model");
    if (json_is_object(model) && json_object_get(model, "type") == NULL &&
        json_object_set_new(model, "type", json_string(guess_type(model))) != 0)
        return problem_memory(json->file.problem);
    return part_read(json, "model", model, kinds) && read_vocabulary(json, model) &&
           read_unknown(json, model);
}

/* ---- Added tokens ---- */

static bool read_added_token(const struct json_file *file, const json_t *entry,
                             struct added_token *token)
{
    *token = (struct added_token){.id = -1};
    if (!json_is_object(entry))
        return json_refuse(file, "an added token is %s; expected an object", json_kind(entry));
    json_text(file, entry, "content", &token->content);
    json_need_count(file, entry, "id", 0, &token->id);
    json_flag(file, entry, "special", &token->special);
    if (token->content == NULL)
        return json_refuse(file, "an added token has no 'content'");
    token->len = json_string_length(json_object_get(entry, "content"));
    token->normalized = !token->special;
    json_flag(file, entry, "normalized", &token->normalized);
    json_flag(file, entry, "single_word", &token->single_word);
    json_flag(file, entry, "lstrip", &token->lstrip);
    json_flag(file, entry, "rstrip", &token->rstrip);
    return json_is_right(file);
}

static bool read_added_tokens(struct json_tokenizer *json)
{
    const json_t *entries = json_typed(&json->file, "added_tokens", JSON_ARRAY, "an array"), *entry;
    size_t i, n = 0;
    if (entries == NULL)
        return json_is_right(&json->file);
    struct added_token *tokens = calloc(json_array_size(entries) + 1, sizeof *tokens);
    if (tokens == NULL)
        return problem_memory(json->file.problem);
    bool ok = true;
    json_array_foreach(entries, i, entry)
    {
        ok = ok && read_added_token(&json->file, entry, &tokens[n]);
        n += ok && tokens[n].len > 0; /* the reference ignores empty ones */
    }
    ok = ok && parts_add_tokens(json->tokenizer, tokens, n);
    free(tokens);
    return ok;
}

/* ---- Post-processor ---- */

/* A template, "single" or "pair": its text for the weight file, and what it holds. */
struct template
{
    const char *which;
    char *text; /* [TEMPLATE_BYTES] */
    size_t n, n_texts[2];
};

static bool refuse_template(struct json_tokenizer *json, const struct template *template)
{
    return json_refuse(&json->file,
                       "the post-processor's template '%s' is none that is known; expected at "
                       "most %d pieces, {\"SpecialToken\": {\"id\", \"type_id\"}} or "
                       "{\"Sequence\": {\"id\", \"type_id\"}}, with each text once",
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
static bool add_special(struct json_tokenizer *json, const json_t *special_tokens, const char *name,
                        int64_t type, struct template *template)
{
    const json_t *ids = json_object_get(json_object_get(special_tokens, name), "ids"), *value;
    size_t i;
    if (!json_is_array(ids))
        return json_refuse(&json->file,
                           "the post-processor's template names '%.100s'; expected a token of its "
                           "'special_tokens'",
                           name);
    json_array_foreach(ids, i, value)
    {
        char number[32];
        uint64_t id;
        if (!is_token(json, value, &id))
            return json_refuse(&json->file,
                               "the post-processor's token '%.100s' has an id that is not in the "
                               "vocabulary",
                               name);
        snprintf(number, sizeof number, "%llu", (unsigned long long)id);
        add_piece(template, number, type);
    }
    return true;
}

static bool read_piece(struct json_tokenizer *json, const json_t *part, const json_t *piece,
                       struct template *template)
{
    const json_t *special = json_object_get(piece, "SpecialToken");
    const json_t *body = special != NULL ? special : json_object_get(piece, "Sequence");
    const char *name = json_string_value(json_object_get(body, "id"));
    int64_t type = 0;
    if (name == NULL || template->n > MOST_PIECES)
        return refuse_template(json, template);
    if (!json_count(&json->file, body, "type_id", 0, &type))
        return false;
    if (special != NULL)
        return add_special(json, json_object_get(part, "special_tokens"), name, type, template);
    if (strcmp(name, "A") != 0 && strcmp(name, "B") != 0)
        return refuse_template(json, template);
    template->n_texts[name[0] - 'A']++;
    add_piece(template, name, type);
    return true;
}

static bool read_pieces(struct json_tokenizer *json, const json_t *part, const char *which,
                        char *text)
{
    const json_t *pieces = json_object_get(part, which), *piece;
    struct template template = {.which = which, .text = text};
    size_t i, n_pairs = strcmp(which, "pair") == 0;
    if (!json_is_array(pieces))
        return refuse_template(json, &template);
    json_array_foreach(pieces, i,
                       piece) if (!read_piece(json, part, piece, &template)) return false;
    return (template.n <= MOST_PIECES && template.n_texts[0] == 1 &&
            template.n_texts[1] == n_pairs) ||
           refuse_template(json, &template);
}

static bool read_template(struct json_tokenizer *json, const json_t *part)
{
    return read_pieces(json, part, "single", json->tokenizer->single) &&
           read_pieces(json, part, "pair", json->tokenizer->pair);
}

/* ["[SEP]", 102] */
static bool read_named_id(struct json_tokenizer *json, const json_t *part, const char *key,
                          uint64_t *id)
{
    const json_t *value = json_object_get(part, key);
    return (json_array_size(value) == 2 && is_token(json, json_array_get(value, 1), id)) ||
           json_refuse(&json->file,
                       "BertProcessing's '%s' is none that is known; expected a token and its id "
                       "in the vocabulary",
                       key);
}

static bool read_bert_processing(struct json_tokenizer *json, const json_t *part)
{
    uint64_t cls, sep;
    if (!read_named_id(json, part, "cls", &cls) || !read_named_id(json, part, "sep", &sep))
        return false;
    parts_bert_template(json->tokenizer, cls, sep);
    return true;
}

static bool read_post_processor(struct json_tokenizer *json)
{
    static const struct part_kind kinds[] = {
        {"TemplateProcessing", NULL, read_template},
        {"BertProcessing", NULL, read_bert_processing},
        {NULL, NULL, NULL},
    };
    const json_t *part = json_member(&json->file, NULL, "post_processor");
    const json_t *members = part_is_sequence(part) ? json_object_get(part, "processors") : NULL;
    if (json_array_size(members) == 1)
        part = json_array_get(members, 0);
    return part == NULL || part_read(json, "post-processor", part, kinds);
}

/* ---- The file ---- */

/* Keras' Tokenizer.to_json() bears the same name. */
static bool is_keras(const json_t *root)
{
    return json_object_get(root, "model") == NULL &&
           json_is_object(json_object_get(root, "config"));
}

static bool read_keras(struct import_tokenizer *tokenizer, const char *text, size_t len)
{
    struct tokenizer_draft *draft = &tokenizer->draft;
    if (!keras_json_read(draft, tokenizer->name, text, len, tokenizer->problem))
        return false;
    size_t most = draft->num_words > 0 ? (size_t)draft->num_words : SIZE_MAX;
    if (draft->unknown != WORD_NONE && draft->unknown >= most)
        most = draft->unknown + 1;
    word_list_cut(&draft->words, most);
    return true;
}

bool tokenizer_json_read(struct import_tokenizer *tokenizer, const char *text, size_t len)
{
    struct json_tokenizer json = {.tokenizer = tokenizer};
    if (!json_file_parse(&json.file, tokenizer->name, text, len, false, tokenizer->problem))
        return false;
    bool from_keras = is_keras(json.file.root);
    bool ok = from_keras || (read_model(&json) && steps_read(&json) && read_added_tokens(&json) &&
                             read_post_processor(&json));
    json_file_free(&json.file);
    return from_keras ? read_keras(tokenizer, text, len) : ok;
}
