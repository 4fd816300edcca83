/* added_tokens.c - the added_tokens of a tokenizer.json: their ids must be those that the reference
 * gives them, in the order of the file. Sets `added`.
 */
#include "tools/import/tokenizer/tokenizer_json.h"

#include "tools/common/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where added tokens get their ids: texts of the model keep theirs, new ones come behind. */
struct added_ids {
    int64_t n_model; /* texts of the model */
    int64_t highest; /* id of an added token so far, or -1 */
};

/* Whether the token is a new one, outside of the model's vocabulary. */
static bool place_token(struct import_tokenizer *tokenizer, const char *text, int64_t id,
                        struct added_ids *ids)
{
    size_t found = word_list_find(&tokenizer->draft.words, text, strlen(text));
    int64_t next = ids->highest >= ids->n_model ? ids->highest + 1 : ids->n_model;
    int64_t expected = found != WORD_NONE ? (int64_t)found : next;
    if (id != expected)
        file_die(tokenizer->name,
                 "the added token '%.100s' has the id %" PRId64 "; expected %" PRId64
                 ", from the vocabulary",
                 text, id, expected);
    if (id > ids->highest)
        ids->highest = id;
    if (found == WORD_NONE)
        parts_place(tokenizer, (uint64_t)id, text, strlen(text));
    return found == WORD_NONE;
}

/* In the setting a token is its id, and a letter for each switch that is on; one without a text the
 * reference ignores. */
static void add_token(struct json_tokenizer *json, const json_t *entry, struct added_ids *ids,
                      struct blank_list *special, struct blank_list *other)
{
    static const struct {
        const char *key, *letter;
    } switches[] = {{"normalized", "n"}, {"lstrip", "l"}, {"rstrip", "r"}, {"single_word", "w"}};
    const struct json_file *file = &json->file;
    char letters[8] = "";
    if (!json_is_object(entry))
        file_die(file->name, "an added token is %s; expected an object", json_kind(entry));
    const char *text = json_text(file, entry, "content", NULL);
    int64_t id = json_need_count(file, entry, "id", 0);
    bool is_special = json_flag(file, entry, "special", false);
    if (text == NULL)
        file_die(file->name, "an added token has no 'content'");
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (json_flag(file, entry, switches[i].key, i == 0 && !is_special))
            strcat(letters, switches[i].letter);
    if (text[0] == '\0')
        return;
    strcat(letters, place_token(json->tokenizer, text, id, ids) ? "x" : "");
    list_add(is_special ? special : other, "%" PRId64 "%s%s", id, letters[0] != '\0' ? ":" : "",
             letters);
}

/* In the setting special tokens come first, as the reference looks for them. */
void added_tokens_read(struct json_tokenizer *json)
{
    const json_t *entries = json_typed(&json->file, "added_tokens", JSON_ARRAY, "an array");
    struct tokenizer_draft *draft = &json->tokenizer->draft;
    struct added_ids ids = {.highest = -1};
    struct blank_list special = {.n = 0}, other = {.n = 0};
    for (size_t id = 0; id < draft->words.n; id++)
        ids.n_model += draft->words.texts[id] != NULL;
    for (size_t i = 0; i < json_array_size(entries); i++)
        add_token(json, json_array_get(entries, i), &ids, &special, &other);
    if (other.n > 0)
        list_add(&special, "%s", other.text);
    list_set(&special, draft, "added");
}
