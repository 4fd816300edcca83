/* class_tokens.c - the added tokens that AutoTokenizer of transformers makes of a vocabulary or a
 * tokenizer.json, and of the files beside it; see tokenizer_class.h. */
#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/import/files/json_file.h"
#include "tools/import/tokenizer/tokenizer_class.h"

#include <stdlib.h>
#include <string.h>

/* ---- Files beside the tokenizer ---- */

/* Whether special_tokens_map.json is read: the newer added_tokens_decoder has all tokens. */
static bool map_is_read(const struct tokenizer_beside *beside)
{
    return json_object_get(beside->config.root, "added_tokens_decoder") == NULL;
}

/* "[CLS]", or {"content": "[CLS]", ...} */
static const char *text_of(const json_t *token)
{
    return json_string_value(json_is_object(token) ? json_object_get(token, "content") : token);
}

static json_t *special_value(const struct tokenizer_beside *beside, const char *key)
{
    json_t *value = map_is_read(beside) ? json_object_get(beside->map.root, key) : NULL;
    return text_of(value) != NULL ? value : json_object_get(beside->config.root, key);
}

const char *tokenizer_special(const struct tokenizer_beside *beside, const char *key)
{
    return text_of(special_value(beside, key));
}

static const char *const SPECIALS[N_SPECIALS] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                                 "pad_token", "cls_token", "mask_token"};

const char *class_special(const struct reference_class *class,
                          const struct tokenizer_beside *beside, size_t which, char text[64])
{
    const char *said = beside != NULL ? tokenizer_special(beside, SPECIALS[which]) : NULL;
    const char *usual = class->specials[which] != NULL ? class->specials[which] : "";
    snprintf(text, 64, "%.*s", (int)strcspn(usual, ":"), usual);
    return said != NULL ? said : text;
}

/* ---- Added tokens ---- */

/* Tokens as a tokenizer.json has them, each text once. */
struct token_list {
    const struct word_list *words; /* of the model */
    json_t *tokens;
    int64_t next;       /* id of a token that the model does not have */
    int64_t next_named; /* the same, without tokens at the end that the class alone names */
    bool is_of_4;       /* as 4.x makes it, of tokenizer.json and more */
    bool resets;        /* special tokens lose their switches */
};

/* A new array, or a copy of the file's. */
static struct token_list list_begin(const struct json_tokenizer *json, bool with_file)
{
    json_t *old = json_object_get(json->file.root, "added_tokens");
    struct token_list list = {
        .words = &json->tokenizer->draft.words, .next = json->n_model, .is_of_4 = with_file};
    list.tokens = with_file && json_is_array(old) ? json_deep_copy(old) : json_array();
    for (size_t i = 0; i < json_array_size(list.tokens); i++) {
        uint64_t id;
        if (json_whole(json_object_get(json_array_get(list.tokens, i), "id"), &id) &&
            (int64_t)id >= list.next)
            list.next = (int64_t)id + 1;
    }
    list.next_named = list.next;
    return list;
}

static json_t *list_find(const struct token_list *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list->tokens); i++) {
        json_t *token = json_array_get(list->tokens, i);
        const char *known = text_of(token);
        if (known != NULL && strcmp(known, text) == 0)
            return token;
    }
    return NULL;
}

static bool switch_of(const json_t *token, size_t i)
{
    const json_t *value = json_object_get(token, TOKEN_SWITCHES[i]);
    bool is_normalized = i == NORMALIZED && !json_is_true(json_object_get(token, "special"));
    return json_is_boolean(value) ? json_is_true(value) : is_normalized;
}

/* Appends a token that the list does not have: value as JSON has it, a text with these switches
 * ("l": lstrip; "4": lstrip in 4.x), or a token with its own. */
static void list_append_token(struct token_list *list, const json_t *value, const char *letters,
                              bool is_special)
{
    const char *text = text_of(value);
    size_t id = word_list_find(list->words, text, strlen(text));
    json_t *token = json_object();
    json_object_set_new(token, "content", json_string(text));
    json_object_set_new(token, "id",
                        json_real((double)(id != WORD_NONE ? (int64_t)id : list->next++)));
    is_special = is_special || json_is_true(json_object_get(value, "special"));
    json_object_set_new(token, "special", json_boolean(is_special));
    for (size_t i = 0; i < N_TOKEN_SWITCHES; i++) {
        json_t *said = json_object_get(value, TOKEN_SWITCHES[i]);
        if (json_is_boolean(said))
            json_object_set(token, TOKEN_SWITCHES[i], said);
        else if (!json_is_object(value) && i == LSTRIP && /* of a mask */
                 (letters[0] == 'l' || (letters[0] == '4' && list->is_of_4)))
            json_object_set_new(token, TOKEN_SWITCHES[i], json_true());
    }
    json_array_append_new(list->tokens, token);
}

/* Adds a special token that a file or the class names. is_usual: the class alone. */
static void list_add_named(struct token_list *list, const json_t *value, const char *letters,
                           bool is_usual)
{
    const char *text = text_of(value);
    if (text == NULL || text[0] == '\0')
        return;
    json_t *known = list_find(list, text);
    for (size_t i = 0; list->resets && i < N_TOKEN_SWITCHES; i++)
        json_object_set_new(known, TOKEN_SWITCHES[i], json_false());
    if (known != NULL)
        return;
    int64_t first_new = list->next;
    list_append_token(list, list->resets ? json_string(text) : value, letters, true);
    list->next_named = is_usual || list->next == first_new ? list->next_named : list->next;
}

/* Removes new tokens of the class that no token of a file follows: models have no rows for them. */
static void drop_unnamed(struct token_list *list)
{
    for (size_t i = json_array_size(list->tokens); i-- > 0;) {
        double id = json_number_value(json_object_get(json_array_get(list->tokens, i), "id"));
        if ((int64_t)id >= list->next_named)
            json_array_remove(list->tokens, i);
    }
}

/* A token with its id in added_tokens_decoder or added_tokens.json. */
struct numbered {
    int64_t id;
    json_t *token;
};

static int compare_ids(const void *a, const void *b)
{
    int64_t x = ((const struct numbered *)a)->id, y = ((const struct numbered *)b)->id;
    return (x > y) - (x < y);
}

static bool is_special_of(const struct tokenizer_beside *beside, const char *text)
{
    for (size_t i = 0; i < N_SPECIALS; i++) {
        const char *special = tokenizer_special(beside, SPECIALS[i]);
        if (special != NULL && strcmp(special, text) == 0)
            return true;
    }
    return false;
}

/* The tokens that have an id, in its order: those of added_tokens_decoder; else those of
 * added_tokens.json, and of tokenizer.json. */
static struct numbered *read_numbered(const struct json_tokenizer *json,
                                      const struct tokenizer_beside *beside, size_t *n)
{
    json_t *decoder = json_object_get(beside->config.root, "added_tokens_decoder"), *value;
    json_t *file = json_object_get(json->file.root, "added_tokens");
    size_t most = json_object_size(decoder) + json_object_size(beside->added.root) +
                  json_array_size(file) + 1;
    struct numbered *all = alloc_zeros(most, sizeof *all);
    const char *key;
    uint64_t id;
    size_t i;
    *n = 0;
    json_object_foreach(decoder, key, value)
    {
        if (text_of(value) == NULL)
            file_die(beside->config.name, "the token %s of 'added_tokens_decoder' has no 'content'",
                     key);
        all[(*n)++] = (struct numbered){strtoll(key, NULL, 10), value};
    }
    if (decoder == NULL) {
        json_array_foreach(file, i, value)
        {
            if (json_whole(json_object_get(value, "id"), &id) && text_of(value) != NULL)
                all[(*n)++] = (struct numbered){(int64_t)id, value};
        }
        size_t n_file = *n;
        json_object_foreach(beside->added.root, key, value)
        {
            if (!json_whole(value, &id))
                file_die(beside->added.name, "the id of '%.100s' is not a whole number", key);
            for (i = 0; i < n_file && all[i].id != (int64_t)id; i++)
                ;
            if (i < n_file) /* tokenizer.json has another token there, which stays */
                continue;
            all[(*n)++] =
                (struct numbered){(int64_t)id, json_pack("{s:s, s:b}", "content", key, "special",
                                                         is_special_of(beside, key))};
        }
    }
    qsort(all, *n, sizeof *all, compare_ids);
    return all;
}

/* tokenizer.json has the token too: the switches beside it count. */
static void change_token(const struct tokenizer_beside *beside, json_t *token, const json_t *said)
{
    for (size_t i = 0; i < N_TOKEN_SWITCHES; i++) {
        bool value = switch_of(said, i), found = switch_of(token, i);
        if (value != found && i == NORMALIZED)
            file_die(beside->config.name,
                     "the token '%.100s' has 'normalized' %s, and %s in tokenizer.json; expected "
                     "both alike",
                     text_of(token), value ? "true" : "false", found ? "true" : "false");
        if (value != found)
            json_object_set_new(token, TOKEN_SWITCHES[i], json_boolean(value));
    }
    if (json_is_true(json_object_get(said, "special")))
        json_object_set_new(token, "special", json_true());
}

static bool is_special_key(const char *key)
{
    size_t i = 0;
    while (i < N_SPECIALS && strcmp(key, SPECIALS[i]) != 0)
        i++;
    return i < N_SPECIALS;
}

/* Adds the special tokens that have names, and lists of them. */
static void add_specials(struct token_list *list, const struct tokenizer_beside *beside,
                         const struct reference_class *class)
{
    static const char *const lists[] = {"extra_special_tokens", "additional_special_tokens",
                                        "model_specific_special_tokens"};
    const struct json_file *files[] = {&beside->config, &beside->map};
    const size_t n_files = map_is_read(beside) ? 2 : 1;
    const char *name;
    json_t *value;
    size_t i;
    bool has_list = false, has_extra = false;
    for (size_t k = 0; k < N_SPECIALS; k++) {
        const char *usual = class != NULL ? class->specials[k] : NULL;
        const char *letters = usual != NULL ? strchr(usual, ':') : NULL;
        char text[64];
        value = special_value(beside, SPECIALS[k]);
        bool is_usual = text_of(value) == NULL;
        if (is_usual &&
            (usual == NULL || json_object_get(beside->config.root, SPECIALS[k]) != NULL))
            continue; /* null: none */
        if (is_usual)
            value = json_string(class_special(class, beside, k, text));
        list_add_named(list, value, letters != NULL ? letters + 1 : "", is_usual);
    }
    for (size_t k = 0; k < n_files; k++) {
        json_object_foreach(files[k]->root, name, value)
        {
            if (name_ends_in(name, "_token") && !is_special_key(name))
                list_add_named(list, value, "", false);
        }
        for (size_t j = 0; j < 3; j++) {
            json_t *token, *tokens = json_object_get(files[k]->root, lists[j]);
            has_list = has_list || tokens != NULL;
            if (j == 1 && has_extra) /* the older name of the same list */
                continue;
            has_extra = has_extra || (j == 0 && json_array_size(tokens) > 0);
            json_array_foreach(tokens, i, token) list_add_named(list, token, "", false);
            json_object_foreach(tokens, name, token) list_add_named(list, token, "", false);
        }
    }
    for (size_t k = 0; class != NULL && !has_list && k < MOST_MORE && class->more[k] != NULL; k++)
        list_add_named(list, json_string(class->more[k]), "", true);
}

/* The tokens that a class, or none, makes of the files. with_file: tokenizer.json's come first. */
static json_t *make_tokens(const struct json_tokenizer *json, bool with_file)
{
    const struct tokenizer_beside *beside = json->beside;
    struct token_list list = list_begin(json, with_file);
    list.resets = !with_file && json->class != NULL && json->class->resets_tokens;
    size_t n;
    struct numbered *all = read_numbered(json, beside, &n);
    for (size_t i = 0; i < n; i++) {
        const char *text = text_of(all[i].token);
        json_t *known = list_find(&list, text);
        if (known != NULL)
            change_token(beside, known, all[i].token);
        else if (text[0] != '\0')
            list_append_token(&list, all[i].token, "", is_special_of(beside, text));
    }
    list.next_named = list.next;
    add_specials(&list, beside, json->class);
    drop_unnamed(&list);
    return list.tokens;
}

/* The first of the tokens that the others lack or have with other switches, or NULL. */
static const json_t *find_difference(const json_t *tokens, const json_t *others)
{
    const struct token_list list = {.tokens = (json_t *)others};
    for (size_t i = 0; i < json_array_size(tokens); i++) {
        const json_t *token = json_array_get(tokens, i), *other = json_array_get(others, i);
        const char *text = text_of(token), *text_there = text_of(other);
        if (text != NULL && (text_there == NULL || strcmp(text, text_there) != 0))
            other = list_find(&list, text);
        for (size_t k = 0; text != NULL && k < N_TOKEN_SWITCHES; k++)
            if (other == NULL || switch_of(token, k) != switch_of(other, k))
                return token;
    }
    return NULL;
}

/* transformers 5 drops tokens of tokenizer.json that added_tokens_decoder does not have. */
void class_tokens_set(struct json_tokenizer *json)
{
    json_t *of_file = make_tokens(json, true);
    const enum reference_release as = json->beside->as;
    bool is_of_4 =
        as == AS_TRANSFORMERS_4 || (as == AS_ANY && json->class != NULL && json->class->is_of_4);
    json_t *of_class = json->class != NULL && !is_of_4 ? make_tokens(json, false) : of_file;
    const json_t *other = find_difference(of_file, of_class);
    other = other != NULL ? other : find_difference(of_class, of_file);
    if (other != NULL && as == AS_ANY && json->is_vocabulary)
        snprintf(json->tokenizer->note, sizeof json->tokenizer->note,
                 "'%.100s' does not take the blanks before it, as in transformers 5; with --as "
                 "transformers-4 it does",
                 text_of(other));
    else if (other != NULL && as == AS_ANY)
        file_die(json->file.name,
                 "transformers 5 replaces the added token '%.100s' by what tokenizer_config.json "
                 "and the class say; expected --as transformers-4, for tokenizer.json as it is, or "
                 "--as transformers-5",
                 text_of(other));
    json_object_set(json->file.root, "added_tokens", of_class);
}
