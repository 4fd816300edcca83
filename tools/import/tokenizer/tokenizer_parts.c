/* tokenizer_parts.c - see tokenizer_parts.h, and sections PIEC and CMAP of weights/FORMAT.md. */
#include "tools/import/tokenizer/tokenizer_parts.h"

#include "tools/common/alloc.h"
#include "tools/common/print/display.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* More ids than any public vocabulary has, few enough that a wrong number takes little memory. */
enum { MOST_IDS = 1 << 22, MOST_PIECE_BYTES = 1024 };

const char *const TOKEN_SWITCHES[] = {"normalized", "lstrip", "rstrip", "single_word"};

void token_place(struct import_tokenizer *tokenizer, uint64_t id, const char *text, size_t len)
{
    struct word_list *words = &tokenizer->draft.words;
    size_t other = word_list_find(words, text, len);
    if (id >= MOST_IDS)
        file_die(tokenizer->name, "a token has the id %" PRIu64 "; expected at most %d", id,
                 MOST_IDS - 1);
    if (id < words->n && words->texts[id] != NULL)
        file_die(tokenizer->name, "two tokens have the id %" PRIu64 ": '%.100s' and '%.100s'", id,
                 words->texts[id], text);
    if (other != WORD_NONE)
        file_die(tokenizer->name, "'%.100s' is there twice, as token %zu and token %" PRIu64,
                 words->texts[other], other, id);
    word_list_place(words, (size_t)id, text, len);
}

size_t special_id(const struct import_tokenizer *tokenizer, const char *text)
{
    size_t id = word_list_find(&tokenizer->draft.words, text, strlen(text));
    if (id == WORD_NONE)
        file_die(tokenizer->name, "the special token '%.100s' is missing", text);
    return id;
}

void templates_set(struct import_tokenizer *tokenizer, size_t first, size_t last, enum frame frame)
{
    if (frame == FRAME_T5)
        snprintf(tokenizer->single, TEMPLATE_BYTES, "A:0 %zu:0", last);
    else
        snprintf(tokenizer->single, TEMPLATE_BYTES, "%zu:0 A:0 %zu:0", first, last);
    if (frame == FRAME_T5)
        snprintf(tokenizer->pair, TEMPLATE_BYTES, "A:0 %zu:0 B:0 %zu:0", last, last);
    else if (frame == FRAME_BERT)
        snprintf(tokenizer->pair, TEMPLATE_BYTES, "%zu:0 A:0 %zu:0 B:1 %zu:1", first, last, last);
    else
        snprintf(tokenizer->pair, TEMPLATE_BYTES, "%zu:0 A:0 %zu:0 %zu:0 B:0 %zu:0", first, last,
                 last, last);
}

void template_without_types(char copy[TEMPLATE_BYTES], const char *template)
{
    size_t n = 0;
    for (const char *c = template; *c != '\0'; c++) {
        copy[n++] = *c;
        if (*c == ':') {
            copy[n++] = '0';
            c += strcspn(c, " ") - 1;
        }
    }
    copy[n] = '\0';
}

/* ---- Lists ---- */

void list_print(struct blank_list *list, bool is_item, const char *format, ...)
{
    const char *blank = is_item && list->n > 0 ? " " : "";
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const size_t n = (size_t)vsnprintf(NULL, 0, format, arguments) + strlen(blank);
    if (list->len + n >= list->cap) {
        list->cap = 2 * (list->len + n) + 64;
        list->text = alloc_resize(list->text, list->cap, 1);
    }
    strcpy(list->text + list->len, blank);
    vsnprintf(list->text + list->len + strlen(blank), n + 1 - strlen(blank), format, again);
    list->len += n;
    list->n += is_item;
    va_end(again);
    va_end(arguments);
}

size_t list_cut_item(const char **list, const char **item)
{
    size_t len = strcspn(*list, " ");
    *item = *list;
    *list += len;
    *list += strspn(*list, " ");
    return len;
}

void list_set(struct blank_list *list, struct tokenizer_draft *draft, const char *key)
{
    if (list->n > 0)
        draft_set(draft, key, list->text, list->len);
}

/* ---- Unigram ---- */

void byte_fallback_set(struct import_tokenizer *tokenizer)
{
    size_t n = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        char name[8];
        snprintf(name, sizeof name, "<0x%02X>", byte);
        n += word_list_find(&tokenizer->draft.words, name, strlen(name)) != WORD_NONE;
    }
    if (n > 0 && n < 256)
        file_die(tokenizer->name,
                 "the model has 'byte_fallback', and tokens <0x00> ... of %zu bytes; expected "
                 "those of all 256, or none",
                 n);
    if (n > 0)
        draft_set_text(&tokenizer->draft, "byte_fallback", "yes");
}

/* The score of unknown words is the lowest score less 10, as the reference has it. */
void unigram_set(struct import_tokenizer *tokenizer, const double *scores, size_t unknown,
                 bool byte_fallback)
{
    struct tokenizer_draft *draft = &tokenizer->draft;
    const struct word_list *words = &draft->words;
    size_t longest = 0, n_units;
    double lowest = INFINITY;
    if (unknown >= words->n || words->texts[unknown] == NULL)
        file_die(tokenizer->name, "the model's 'unk_id' is not the id of a piece");
    draft->unknown = unknown;
    draft_set_text(draft, "kind", "unigram");
    draft_set_number(draft, "unknown", unknown);
    if (byte_fallback)
        byte_fallback_set(tokenizer);
    for (size_t id = 0; id < words->n; id++) {
        if (!isfinite(scores[id]))
            file_die(tokenizer->name, "the score of piece %zu is not a finite number", id);
        lowest = fmin(lowest, scores[id]);
        longest = words->lens[id] > longest ? words->lens[id] : longest;
    }
    if (longest > MOST_PIECE_BYTES)
        file_die(tokenizer->name, "a piece has %zu bytes; expected at most %d", longest,
                 MOST_PIECE_BYTES);
    uint32_t *units =
        trie_write((const char *const *)words->texts, words->lens, words->n, &n_units);
    const struct {
        uint32_t n, n_units, longest, reserved;
        double unknown;
    } header = {(uint32_t)words->n, (uint32_t)n_units, (uint32_t)longest, 0, lowest - 10};
    size_t scores_bytes = words->n * sizeof *scores, units_bytes = n_units * sizeof *units;
    size_t len = sizeof header + scores_bytes + units_bytes;
    uint8_t *section = alloc_zeros(len, 1);
    memcpy(section, &header, sizeof header);
    memcpy(section + sizeof header, scores, scores_bytes);
    memcpy(section + sizeof header + scores_bytes, units, units_bytes);
    draft_add_section(draft, "PIEC", section, len);
}

bool draft_has_section(const struct tokenizer_draft *draft, const char *tag)
{
    size_t i = 0;
    while (i < draft->n_sections && strcmp(draft->sections[i].tag, tag) != 0)
        i++;
    return i < draft->n_sections;
}

void charsmap_set(struct import_tokenizer *tokenizer, const void *map, size_t len)
{
    uint32_t trie_bytes = UINT32_MAX;
    if (draft_has_section(&tokenizer->draft, "CMAP"))
        file_die(tokenizer->name, "there are two normalizers Precompiled; expected one");
    if (len >= 4)
        memcpy(&trie_bytes, map, sizeof trie_bytes);
    if (trie_bytes % 4 != 0 || trie_bytes > len - 4 ||
        !utf8_is_valid((const char *)map + 4 + trie_bytes, len - 4 - trie_bytes))
        file_die(tokenizer->name,
                 "the normalizer's precompiled charsmap is damaged: a trie and texts in UTF-8 do "
                 "not lie in its %zu bytes",
                 len);
    void *copy = alloc_resize(NULL, len, 1);
    memcpy(copy, map, len);
    draft_add_section(&tokenizer->draft, "CMAP", copy, len);
}

/* ---- Parts of a tokenizer.json ---- */

void part_die(const struct json_tokenizer *json, const char *what, const char *found,
              const char *expected)
{
    file_die(json->file.name, "the %s is '%.100s'; expected %s", what, found, expected);
}

void part_read(struct json_tokenizer *json, const char *what, const json_t *part,
               const struct part_reader *kinds)
{
    if (!json_is_object(part))
        part_die(json, what, json_kind(part), "an object");
    const char *type = json_text(&json->file, part, "type", NULL);
    for (const struct part_reader *kind = kinds; type != NULL && kind->type != NULL; kind++) {
        if (strcmp(type, kind->type) != 0)
            continue;
        if (kind->step != NULL)
            list_add(&json->steps, "%s", kind->step);
        if (kind->read != NULL)
            kind->read(json, part);
        return;
    }
    char names[300] = ""; /* "a, b or c" */
    for (size_t i = 0; kinds[i].type != NULL; i++) {
        const char *before = i == 0 ? "" : kinds[i + 1].type != NULL ? ", " : " or ";
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", before, kinds[i].type);
    }
    part_die(json, what, type != NULL ? type : "without a type", names);
}

const json_t *part_members(const struct json_tokenizer *json, const json_t *part, const char *key)
{
    const char *type = json_string_value(json_object_get(part, "type"));
    if (type == NULL || strcmp(type, "Sequence") != 0)
        return NULL;
    const json_t *members = json_member(&json->file, part, key);
    if (!json_is_array(members))
        file_die(json->file.name, "a Sequence's '%s' is %s; expected an array", key,
                 json_kind(members));
    return members;
}
