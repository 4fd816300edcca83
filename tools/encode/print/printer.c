/* printer.c - the table of formats, and the smallest of them: a line of token ids per text. */
#include "tools/encode/print/printer.h"

static bool print_ids(struct printer *printer, const struct item *item)
{
    for (size_t i = 0; i < item->n_tokens; i++)
        fprintf(printer->stream, i ? " %d" : "%d", (int)item->tokens[i].id);
    putc('\n', printer->stream);
    return true;
}

const struct printer_kind PRINTER_IDS = {.item = print_ids};

/* By format, text, json, csv; JSON prints what an item has. */
static const struct printer_kind *head_printer(const struct printer_kind *text,
                                               const struct printer_kind *csv,
                                               enum output_format format)
{
    return format == FORMAT_JSON ? &PRINTER_JSON : format == FORMAT_CSV ? csv : text;
}

const struct printer_kind *printer_of(enum task task, enum output_format format)
{
    if (task == TASK_LABELS)
        return head_printer(&PRINTER_TEXT, &PRINTER_CSV_LABELS, format);
    if (task == TASK_ENTITIES)
        return head_printer(&PRINTER_TEXT_ENTITIES, &PRINTER_CSV_ENTITIES, format);
    if (task == TASK_FILL)
        return head_printer(&PRINTER_TEXT_FILL, &PRINTER_CSV_FILL, format);
    switch (format) {
    case FORMAT_JSON: return &PRINTER_JSON;
    case FORMAT_CSV: return &PRINTER_CSV;
    case FORMAT_NPY: return &PRINTER_NPY;
    case FORMAT_IDS: return &PRINTER_IDS;
    case FORMAT_TEXT: break;
    }
    return &PRINTER_TEXT;
}
