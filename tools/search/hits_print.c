/* hits_print.c - hits as a table, as JSON, as fields between tabs, and as the run files of TREC;
 * see hits.h. */
#include "tools/common/print/display.h"
#include "tools/common/print/format_float.h"
#include "tools/common/print/table.h"
#include "tools/search/hits.h"

#include <string.h>

enum { QUERY_COLUMNS = 70, ID_COLUMNS = 40, TEXT_COLUMNS = 60 };

/* ---- Table ---- */

static const char *score_name(const struct hits_printer *printer)
{
    return printer->options->rerank                        ? "cross-encoder"
           : printer->vectors->kind == VECTORS_SPARSE      ? "product of weights"
           : printer->vectors->kind == VECTORS_TOKENS      ? "MaxSim"
           : printer->options->metric == ENGINE_METRIC_DOT ? "dot product"
                                                           : "cosine";
}

void hits_print_heading(struct hits_printer *printer)
{
    if (printer->options->format != SEARCH_TEXT)
        return;
    const char *name = printer->encoder->name;
    display_text(printer->stream, name, strlen(name), QUERY_COLUMNS);
    fprintf(printer->stream, ": %zu rows, width %zu (%s), %s\n", printer->vectors->n,
            printer->encoder->width, vectors_kind_name(printer->vectors), score_name(printer));
}

static bool has_windows(const struct hits *hits)
{
    size_t window;
    return hits->n > 0 && place_number(&hits->hits[0].place, "window", &window);
}

/* A hit's part of its text: "2/3 512-900". */
static void print_window(FILE *rows, const struct place *place)
{
    size_t window = 0, windows = 0, begin = 0, end = 0;
    place_number(place, "window", &window);
    place_number(place, "windows", &windows);
    place_number(place, "begin", &begin);
    place_number(place, "end", &end);
    fprintf(rows, "\t%zu/%zu\t%zu-%zu", window + 1, windows, begin, end);
}

static void print_table(const struct hits_printer *printer, const struct hits *hits)
{
    FILE *stream = printer->stream;
    const char *text;
    size_t len;
    const bool are_windows = has_windows(hits);
    struct table table;
    fputs("\nquery ", stream);
    display_text(stream, hits->query_id, hits->query_id_len, ID_COLUMNS);
    fputs(": ", stream);
    text = query_text(hits->query, &len);
    display_text(stream, text, len, QUERY_COLUMNS);
    putc('\n', stream);
    table_begin(&table);
    fprintf(table.rows, "rank\tscore\tid%s%s\n", are_windows ? "\twindow\tspan" : "",
            printer->options->texts ? "\ttext" : "");
    for (size_t i = 0; i < hits->n; i++) {
        const struct hit *hit = &hits->hits[i];
        fprintf(table.rows, "%zu\t", i + 1);
        display_number(table.rows, (double)hit->score);
        putc('\t', table.rows);
        display_text(table.rows, hit->place.id, hit->place.id_len, ID_COLUMNS);
        if (are_windows)
            print_window(table.rows, &hit->place);
        if (printer->options->texts) {
            putc('\t', table.rows);
            display_text(table.rows, hit->record.input.text, hit->record.input.text_len,
                         TEXT_COLUMNS);
        }
        putc('\n', table.rows);
    }
    table_print(&table, stream, are_windows ? ">><<<<" : ">><<");
}

/* ---- JSON ---- */

/* What the rows file says beside the row, as it is there. */
static void write_members(struct json_writer *json, const struct place *place)
{
    const struct record *written = &place->written;
    if (place->members == NULL)
        json_write_count(json, "line", place->line);
    for (size_t i = 0; i < written->n_members; i++)
        json_write_raw(json, written->members[i].key, written->members[i].value,
                       written->members[i].value_len);
}

static void write_hit(const struct hits_printer *printer, struct json_writer *json,
                      const struct hit *hit, size_t rank)
{
    json_begin_object(json, NULL);
    json_write_count(json, "rank", rank);
    json_write_float(json, "score", hit->score);
    if (printer->options->rerank)
        json_write_float(json, "score_by_vector", hit->found.score);
    json_write_count(json, "row", hit->found.row);
    write_members(json, &hit->place);
    if (printer->options->texts)
        json_write_string(json, "text", hit->record.input.text, hit->record.input.text_len);
    json_end_object(json);
}

static void print_object(struct hits_printer *printer, const struct hits *hits)
{
    struct json_writer *json = &printer->json;
    const struct record *record = &hits->query->record;
    size_t len;
    const char *text = query_text(hits->query, &len);
    json_begin_object(json, NULL);
    if (record->id != NULL)
        json_write_raw(json, "id", record->id, record->id_len);
    json_write_string(json, "query", text, len);
    json_begin_array(json, "hits");
    for (size_t i = 0; i < hits->n; i++)
        write_hit(printer, json, &hits->hits[i], i + 1);
    json_end_array(json);
    json_end_object(json);
}

/* ---- Fields ---- */

static void print_fields(struct csv_writer *csv, const struct hits_printer *printer,
                         const struct hits *hits)
{
    for (size_t i = 0; i < hits->n; i++) {
        const struct hit *hit = &hits->hits[i];
        csv_write_string(csv, hits->query_id, hits->query_id_len);
        csv_write_integer(csv, (int64_t)i + 1);
        csv_write_string(csv, hit->place.id, hit->place.id_len);
        csv_write_float(csv, hit->score);
        if (printer->options->texts)
            csv_write_string(csv, hit->record.input.text, hit->record.input.text_len);
        csv_end_row(csv);
    }
}

/* ---- TREC: fields between blanks ---- */

/* An id may have none of them, and not be empty. */
static void check_id(const char *id, size_t len, const char *whose)
{
    bool is_good = len > 0;
    for (size_t i = 0; i < len; i++)
        is_good = is_good && (unsigned char)id[i] > ' ' && id[i] != 0x7F;
    if (!is_good)
        program_die(
            "-f trec: the id '%.*s' of %s is empty, or has a blank, which ends an id in this "
            "format: -f tsv or json",
            (int)len, id, whose);
}

static void print_run(const struct hits_printer *printer, const struct hits *hits)
{
    char score[FORMAT_FLOAT_MAX];
    check_id(hits->query_id, hits->query_id_len, "a query");
    for (size_t i = 0; i < hits->n; i++) {
        const struct place *place = &hits->hits[i].place;
        check_id(place->id, place->id_len, "a text");
        format_float(hits->hits[i].score, score);
        fprintf(printer->stream, "%.*s Q0 %.*s %zu %s encode-search\n", (int)hits->query_id_len,
                hits->query_id, (int)place->id_len, place->id, i + 1, score);
    }
}

/* ---- All ---- */

void hits_print(struct hits_printer *printer, const struct hits *all)
{
    struct hits best = *all;
    if (best.n > printer->options->n_hits)
        best.n = printer->options->n_hits;
    switch (printer->options->format) {
    case SEARCH_TEXT: print_table(printer, &best); break;
    case SEARCH_JSON: print_object(printer, &best); break;
    case SEARCH_TSV: print_fields(&printer->csv, printer, &best); break;
    case SEARCH_TREC: print_run(printer, &best); break;
    }
}
