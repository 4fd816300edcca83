/* hits.c - see hits.h. */
#include "tools/search/hits.h"

#include <stdlib.h>
#include <string.h>

/* An id came as JSON. */
static void name_query(struct hits *hits, const struct record *record, size_t number)
{
    json_t *id =
        record->id ? json_loadb(record->id, record->id_len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL)
                   : NULL;
    char digits[PLACE_NUMBER_BYTES];
    const char *text = json_is_string(id) ? json_string_value(id) : record->id;
    size_t len = json_is_string(id) ? json_string_length(id) : record->id_len;
    if (text == NULL)
        len = (size_t)snprintf(digits, sizeof digits, "%zu", number);
    hits->query_id = memcpy(alloc_zeros(len, 1), text ? text : digits, len);
    hits->query_id_len = len;
    json_decref(id);
}

void hits_of(struct hits *hits, const struct item *query, size_t cap)
{
    *hits = (struct hits){.query = query, .hits = alloc_zeros(cap, sizeof *hits->hits)};
    name_query(hits, &query->record, query->number);
}

void hits_free(struct hits *hits)
{
    for (size_t i = 0; i < hits->n; i++) {
        place_free(&hits->hits[i].place);
        record_free(&hits->hits[i].record);
    }
    free(hits->hits);
    free(hits->query_id);
    *hits = (struct hits){0};
}

const char *query_text(const struct item *query, size_t *len)
{
    *len = query->record.input.text_len - query->prompt_len;
    return query->record.input.text ? query->record.input.text + query->prompt_len : "";
}
