/* printer_text_lists.c - for reading: the entities of a text, and the words for its mask tokens. */
#include "tools/common/display.h"
#include "tools/encode/print/printer.h"

#include <string.h>

enum { WORDS_COLUMNS = 40, LABEL_COLUMNS = 24, CANDIDATE_COLUMNS = 32 };

static bool begin(struct printer *printer)
{
    print_heading(printer->stream, printer->encoder);
    return true;
}

static void begin_text(struct printer *printer, const struct item *item)
{
    putc('\n', printer->stream);
    if (printer->has_titles)
        print_title(printer, item);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* ---- Entities ---- */

static int entity_columns(const struct item *item)
{
    int columns = (int)strlen("entity");
    for (size_t i = 0; i < item->n_entities; i++) {
        size_t len;
        const char *text = entity_text(item, i, &len);
        columns = larger(columns, (int)display_width(text, len, WORDS_COLUMNS));
    }
    return columns;
}

static int entity_label_columns(const struct encoder *encoder, const struct item *item)
{
    int columns = (int)strlen("label");
    char scratch[LABEL_NAME_BYTES];
    for (size_t i = 0; i < item->n_entities; i++) {
        const char *label = entity_label(encoder, item, i, scratch);
        columns = larger(columns, (int)display_width(label, strlen(label), LABEL_COLUMNS));
    }
    return columns;
}

static bool print_entities(struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    int columns = entity_columns(item);
    int label_columns = entity_label_columns(printer->encoder, item);

    begin_text(printer, item);
    if (item->n_entities == 0) {
        fputs("(no entities)\n", stream);
        return true;
    }
    fprintf(stream, "%-*s  %-*s  %*s  span\n", columns, "entity", label_columns, "label",
            DISPLAY_NUMBER, "score");
    for (size_t i = 0; i < item->n_entities; i++) {
        const engine_entity *entity = &item->entities[i];
        char scratch[LABEL_NAME_BYTES];
        size_t len;
        const char *text = entity_text(item, i, &len);
        const char *label = entity_label(printer->encoder, item, i, scratch);
        display_cell(stream, text, len, (size_t)columns);
        fputs("  ", stream);
        display_cell(stream, label, strlen(label), (size_t)label_columns);
        fputs("  ", stream);
        display_number(stream, (double)entity->score);
        fprintf(stream, "  %s%zu-%zu\n", entity->in_pair ? "pair " : "", entity->begin,
                entity->end);
    }
    return true;
}

const struct printer_kind PRINTER_TEXT_ENTITIES = {.begin = begin, .item = print_entities};

/* ---- Words for mask tokens ---- */

static void print_mask(const struct printer *printer, const struct item *item,
                       const engine_candidate *candidates)
{
    FILE *stream = printer->stream;
    size_t token = candidates->token, len;
    size_t columns = strlen("word");

    for (size_t i = 0; i < printer->encoder->top; i++) {
        const char *word = encoder_id_text(printer->encoder, candidates[i].id, &len);
        size_t width = display_width(word, len, CANDIDATE_COLUMNS);
        columns = width > columns ? width : columns;
    }
    const char *text = encoder_token_text(printer->encoder, item, token, &len);
    display_text(stream, text, len, CANDIDATE_COLUMNS);
    fprintf(stream, " at token %zu", token);
    if (item_has_span(item, token))
        fprintf(stream, ", %sbytes %zu-%zu", item->tokens[token].in_pair ? "pair " : "",
                item->tokens[token].begin, item->tokens[token].end);
    fprintf(stream, "\n  %-*s  %8s  %11s\n", (int)columns, "word", "id",
            printer->encoder->options.raw_scores ? "logit" : "probability");
    for (size_t i = 0; i < printer->encoder->top; i++) {
        const char *word = encoder_id_text(printer->encoder, candidates[i].id, &len);
        fputs("  ", stream);
        display_cell(stream, word, len, columns);
        fprintf(stream, "  %8d  %3s", (int)candidates[i].id, "");
        display_number(stream, (double)candidates[i].score);
        putc('\n', stream);
    }
}

static bool print_fill(struct printer *printer, const struct item *item)
{
    begin_text(printer, item);
    if (item->n_candidates == 0)
        fputs("(no mask token)\n", printer->stream);
    for (size_t i = 0; i < item->n_candidates; i += printer->encoder->top)
        print_mask(printer, item, &item->candidates[i]);
    return true;
}

const struct printer_kind PRINTER_TEXT_FILL = {.begin = begin, .item = print_fill};
