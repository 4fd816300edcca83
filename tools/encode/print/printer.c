/* printer.c - what printers share: which there are, scores in their order, entities by name; and
 * the smallest of them, a line of token ids per text. */
#include "tools/encode/print/printer.h"

#include <stdlib.h>

static void print_ids(struct printer *printer, const struct item *item)
{
    for (size_t i = 0; i < item->n_tokens; i++)
        fprintf(printer->stream, i ? " %d" : "%d", (int)item->tokens[i].id);
    putc('\n', printer->stream);
}

static const struct printer_kind PRINTER_IDS = {.item = print_ids};

const struct printer_kind *const PRINTERS[] = {
    [FORMAT_TEXT] = &PRINTER_TEXT, [FORMAT_JSON] = &PRINTER_JSON, [FORMAT_CSV] = &PRINTER_CSV,
    [FORMAT_NPY] = &PRINTER_NPY,   [FORMAT_NPZ] = &PRINTER_NPZ,   [FORMAT_IDS] = &PRINTER_IDS,
};

/* ---- Scores and entities ---- */

int ranked_compare(const void *a, const void *b)
{
    const struct ranked *first = a, *second = b;
    if (first->score != second->score)
        return first->score > second->score ? -1 : 1;
    return first->index < second->index ? -1 : first->index > second->index;
}

const float *scores_of(const struct item *item)
{
    return item_n_visible(item) > 0 ? item->rows : NULL;
}

void rank_scores(const float *scores, size_t n, struct ranked *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (struct ranked){scores[i], i};
    qsort(out, n, sizeof *out, ranked_compare);
}

size_t rank_weights(const float *row, size_t n, struct ranked *out)
{
    size_t n_ranked = 0;
    for (size_t id = 0; id < n; id++)
        if (row[id] != 0)
            out[n_ranked++] = (struct ranked){row[id], id};
    qsort(out, n_ranked, sizeof *out, ranked_compare);
    return n_ranked;
}

const char *entity_text(const struct item *item, size_t i, size_t *len)
{
    const engine_input *input = &item->record.input;
    const engine_entity *entity = &item->entities[i];
    *len = entity->end - entity->begin;
    return (entity->in_pair ? input->pair : input->text) + entity->begin;
}

const char *entity_label(const struct encoder *encoder, const struct item *item, size_t i)
{
    const char *name = encoder_label(encoder, item->entities[i].label);
    bool has_place = (name[0] == 'B' || name[0] == 'I') && name[1] == '-';
    return has_place ? name + 2 : name;
}
