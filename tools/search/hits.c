/* hits.c - see hits.h. */
#include "tools/search/hits.h"

#include <stdlib.h>

void hits_of(struct hits *hits, const struct item *query, size_t cap)
{
    *hits = (struct hits){.query = query, .hits = alloc_zeros(cap, sizeof *hits->hits)};
    hits->query_id = id_text(&query->record, query->number, &hits->query_id_len);
}

static void clear(struct hits *hits)
{
    for (; hits->n > 0; hits->n--) {
        place_free(&hits->hits[hits->n - 1].place);
        record_free(&hits->hits[hits->n - 1].record);
    }
}

void hits_free(struct hits *hits)
{
    clear(hits);
    free(hits->hits);
    free(hits->query_id);
    *hits = (struct hits){0};
}

/* Whether a line is new in a set [n_slots] of lines, a power of two that is never full; 0: free. */
static bool is_new(size_t *slots, size_t n_slots, size_t line)
{
    size_t i = line * (size_t)0x9E3779B1 & (n_slots - 1);
    while (slots[i] != 0 && slots[i] != line)
        i = (i + 1) & (n_slots - 1);
    bool is_found = slots[i] == line;
    slots[i] = line;
    return !is_found;
}

void hits_fill(struct hits *hits, const struct places *places, const engine_hit *rows, size_t k,
               size_t most, bool once)
{
    size_t n_slots = 64;
    while (n_slots < 2 * most)
        n_slots *= 2;
    size_t *lines = alloc_zeros(n_slots, sizeof *lines);
    clear(hits);
    for (size_t i = 0; i < k && hits->n < most && rows[i].row != UINT64_MAX; i++) {
        struct hit *hit = &hits->hits[hits->n];
        *hit = (struct hit){.found = rows[i], .rank = hits->n, .score = rows[i].score};
        places_find(places, rows[i].row, &hit->place);
        if (once && !is_new(lines, n_slots, hit->place.line)) {
            place_free(&hit->place);
            continue;
        }
        hits->n++;
        if (places->n_texts > 0)
            places_text(places, &hit->place, &hit->record);
    }
    free(lines);
}

const char *query_text(const struct item *query, size_t *len)
{
    *len = query->record.input.text_len - query->prompt_len;
    return query->record.input.text ? query->record.input.text + query->prompt_len : "";
}
