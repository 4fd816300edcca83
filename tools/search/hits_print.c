/* hits_print.c - hits as rows (a table, JSON, fields between tabs), and as the run files of TREC;
 * see hits.h. */
#include "tools/common/print/display.h"
#include "tools/common/print/format_float.h"
#include "tools/search/hits.h"

#include <string.h>

enum { QUERY_COLUMNS = 70, ID_COLUMNS = 40, TEXT_COLUMNS = 60 };

static const char *score_name(const struct hits_printer *printer)
{
    const enum vectors_kind kind = printer->places->vectors->kind;
    return printer->options->rerank                        ? "cross-encoder"
           : kind == VECTORS_SPARSE                        ? "product of weights"
           : kind == VECTORS_TOKENS                        ? "MaxSim"
           : printer->options->metric == ENGINE_METRIC_DOT ? "dot product"
                                                           : "cosine";
}

void hits_print_heading(struct hits_printer *printer)
{
    if (printer->options->format != SEARCH_TEXT)
        return;
    const char *name = printer->encoder->name;
    display_text(printer->rows.stream, name, strlen(name), QUERY_COLUMNS);
    fprintf(printer->rows.stream, ": %zu rows, width %zu (%s), %s\n", printer->places->n_rows,
            printer->encoder->width, vectors_kind_name(printer->places->vectors),
            score_name(printer));
}

/* ---- Rows ---- */

static bool has_windows(const struct hits *hits)
{
    size_t window;
    return hits->n > 0 && place_number(&hits->hits[0].place, "window", &window);
}

/* A hit's part of its text: "2/3 512-900". */
static void print_window(struct rows *rows, const struct place *place)
{
    size_t window = 0, windows = 0;
    struct row_span span = {0};
    char text[48];
    place_number(place, "window", &window);
    place_number(place, "windows", &windows);
    place_number(place, "begin", &span.begin);
    place_number(place, "end", &span.end);
    const int len = snprintf(text, sizeof text, "%zu/%zu", window + 1, windows);
    row_text(rows, ROWS_TABLE, "window", text, (size_t)len, sizeof text);
    row_span(rows, ROWS_TABLE, "span", span);
}

/* What the rows file has beside the row, as it is there. */
static void write_members(struct json_writer *json, const struct place *place)
{
    const struct record *written = &place->written;
    json_write_count(json, "line", place->line);
    for (size_t i = 0; i < written->n_members; i++)
        json_write_raw(json, written->members[i].key, written->members[i].value,
                       written->members[i].value_len);
}

static void print_hit(struct hits_printer *printer, const struct hits *hits, size_t i)
{
    struct rows *rows = &printer->rows;
    const struct hit *hit = &hits->hits[i];
    const struct place *place = &hit->place;
    row_begin(rows);
    row_text(rows, ROWS_TSV, "query_id", hits->query_id, hits->query_id_len, 0);
    row_count(rows, ROWS_ALL, "rank", i + 1);
    row_text(rows, ROWS_TSV, "id", place->id, place->id_len, 0);
    row_float(rows, ROWS_ALL, "score", hit->score);
    row_float(rows, printer->options->rerank ? ROWS_JSON : 0, "score_by_vector", hit->found.score);
    row_integer(rows, ROWS_JSON, "row", (int64_t)hit->found.row);
    if (rows->format == ROWS_JSON)
        write_members(&rows->json, place);
    row_text(rows, ROWS_TABLE, "id", place->id, place->id_len, ID_COLUMNS);
    if (rows->format == ROWS_TABLE && has_windows(hits))
        print_window(rows, place);
    if (printer->options->n_texts > 0)
        row_text(rows, ROWS_ALL, "text", hit->record.input.text, hit->record.input.text_len,
                 TEXT_COLUMNS);
    row_end(rows);
}

/* "query 3: who pays?", or the members of an object before its hits. */
static void begin_query(struct hits_printer *printer, const struct hits *hits)
{
    struct rows *rows = &printer->rows;
    const struct record *record = &hits->query->record;
    size_t len;
    const char *text = query_text(hits->query, &len);
    if (rows->format == ROWS_TABLE) {
        fputs("\nquery ", rows->stream);
        display_text(rows->stream, hits->query_id, hits->query_id_len, ID_COLUMNS);
        fputs(": ", rows->stream);
        display_text(rows->stream, text, len, QUERY_COLUMNS);
        putc('\n', rows->stream);
    } else if (rows->format == ROWS_JSON) {
        json_begin_object(&rows->json, NULL);
        if (record->id != NULL)
            json_write_raw(&rows->json, "id", record->id, record->id_len);
        json_write_string(&rows->json, "query", text, len);
    }
}

static void print_rows(struct hits_printer *printer, const struct hits *hits)
{
    struct rows *rows = &printer->rows;
    const bool are_windows = has_windows(hits);
    char titles[64];
    snprintf(titles, sizeof titles, "rank\tscore\tid%s%s", are_windows ? "\twindow\tspan" : "",
             printer->options->n_texts > 0 ? "\ttext" : "");
    begin_query(printer, hits);
    rows_begin(rows, "hits", titles);
    for (size_t i = 0; i < hits->n; i++)
        print_hit(printer, hits, i);
    rows_end(rows, are_windows ? ">><<<<" : ">><<");
    if (rows->format == ROWS_JSON)
        json_end_object(&rows->json);
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
        fprintf(printer->rows.stream, "%.*s Q0 %.*s %zu %s encode-search\n",
                (int)hits->query_id_len, hits->query_id, (int)place->id_len, place->id, i + 1,
                score);
    }
}

/* ---- All ---- */

void hits_print(struct hits_printer *printer, const struct hits *all)
{
    struct hits best = *all;
    if (best.n > printer->options->n_hits)
        best.n = printer->options->n_hits;
    if (printer->options->format == SEARCH_TREC)
        print_run(printer, &best);
    else
        print_rows(printer, &best);
}
