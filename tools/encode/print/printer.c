/* printer.c - results as text, JSON, CSV and ids: what an item has several of as rows of any
 * format, then what each format has of a text. */
#include "tools/encode/print/printer.h"

#include "tools/common/options.h"
#include "tools/common/print/display.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_WEIGHTS = 10 }; /* in tables, unless all are asked for */
enum { ENTITY_COLUMNS = 40, WORD_COLUMNS = 32, TOKEN_COLUMNS = 24, LABEL_COLUMNS = 24 };

static void print_ids(struct printer *printer, const struct item *item)
{
    for (size_t i = 0; i < item->n_tokens; i++)
        fprintf(printer->stream, i ? " %d" : "%d", (int)item->tokens[i].id);
    putc('\n', printer->stream);
}

static const struct printer_kind PRINTER_IDS = {.item = print_ids};

/* ---- Scores ---- */

int ranked_compare(const void *a, const void *b)
{
    const struct ranked *first = a, *second = b;
    if (first->score != second->score)
        return first->score > second->score ? -1 : 1;
    return first->index < second->index ? -1 : first->index > second->index;
}

/* Returns the scores of a text; NULL without tokens, as a row of zeros means nothing. */
static const float *scores_of(const struct item *item)
{
    return item_n_visible(item) > 0 ? item->rows : NULL;
}

/* Stores n scores in out, best first. */
static void rank_scores(const float *scores, size_t n, struct ranked *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (struct ranked){scores[i], i};
    qsort(out, n, sizeof *out, ranked_compare);
}

/* ---- Rows: entities, words for mask tokens, sparse weights ---- */

static void print_index(struct printer *printer, const struct item *item)
{
    const struct window *window = &item->window;
    const unsigned where = window->of ? ROWS_CSV : 0;
    row_begin(&printer->rows);
    row_count(&printer->rows, ROWS_CSV, "index", item->number - 1);
    row_count(&printer->rows, where, "window", window->index);
    row_count(&printer->rows, where, "window_begin", window->begin);
    row_count(&printer->rows, where, "window_end", window->end);
}

/* Begins the row of the i-th token with its text, id, span and the like. In a table the token for
 * unknown words has the word beside it, as "[UNK] (zoo)", and a token of bytes their characters, as
 * "Ã¯ve (ïve)". */
static void begin_token_row(struct printer *printer, const struct item *item, size_t i)
{
    struct rows *rows = &printer->rows;
    const struct text_encoder *encoder = printer->encoder;
    const engine_token *token = &item->tokens[i];
    const bool is_json = rows->format == ROWS_JSON, is_table = rows->format == ROWS_TABLE;
    const bool is_masked = item_is_masked(item, i), has_span = item_has_span(item, i);
    const struct row_span span = {token->begin, token->end, token->in_pair && !is_json,
                                  is_json ? item->record.input.ids != NULL : !has_span};
    size_t len;
    const char *text = encoder_token_text(encoder, item, i, &len);
    print_index(printer, item);
    row_count(rows, ROWS_TABLE, "#", i);
    row_count(rows, ROWS_CSV, "token_index", i);
    row_text(rows, ROWS_ALL, "text", text, len, TOKEN_COLUMNS);
    if (is_table)
        print_meaning(rows->cells, encoder, item, i);
    row_integer(rows, ROWS_ALL, "id", token->id);
    row_integer(rows, ROWS_JSON, "type", token->type);
    if (is_table && (is_masked || !has_span))
        row_text(rows, ROWS_TABLE, "span", is_masked ? "padding" : "-", is_masked ? 7 : 1, 7);
    else
        row_span(rows, ROWS_ALL, "span", span);
    if (is_json)
        json_write_truth(&rows->json, "special", token->special);
    if (is_json && token->in_pair)
        json_write_truth(&rows->json, "in_pair", true);
    if (is_json && is_masked)
        json_write_truth(&rows->json, "masked", true);
    row_count(rows, ROWS_CSV, "masked", is_masked);
}

static void print_entities(struct printer *printer, const struct item *item)
{
    struct rows *rows = &printer->rows;
    rows_begin(rows, "entities", "entity\tlabel\tscore\tspan");
    for (size_t i = 0; i < item->n_entities; i++) {
        const engine_entity *entity = &item->entities[i];
        const engine_input *input = &item->record.input;
        const char *label = encoder_label(printer->encoder, entity->label);
        const char *dash = strchr(label, '-'); /* after a tag: its place in the entity */
        if (dash && printer->encoder->options.strategy != ENGINE_STRATEGY_NONE)
            label = dash + 1;
        print_index(printer, item);
        row_text(rows, ROWS_ALL, "text",
                 (entity->in_pair ? input->pair : input->text) + entity->begin,
                 entity->end - entity->begin, ENTITY_COLUMNS);
        row_text(rows, ROWS_ALL, "label", label, strlen(label), LABEL_COLUMNS);
        row_float(rows, ROWS_ALL, "score", entity->score);
        row_span(rows, ROWS_ALL, "span",
                 (struct row_span){entity->begin, entity->end, entity->in_pair, false});
        row_end(rows);
    }
    rows_end(rows, "<<><");
}

static void print_candidates(struct printer *printer, const struct item *item,
                             const engine_candidate *candidates)
{
    struct rows *rows = &printer->rows;
    const struct text_encoder *encoder = printer->encoder;
    const engine_token *token = &item->tokens[candidates->token];
    const bool has_span = item_has_span(item, candidates->token);
    rows_begin(rows, "candidates",
               encoder->options.raw_scores ? "\tword\t      id\t      logit"
                                           : "\tword\t      id\tprobability");
    for (size_t i = 0; i < encoder->top; i++) {
        size_t len;
        char word[ENCODER_WORD_BYTES];
        const char *text = encoder_word(encoder, candidates[i].id, word, &len);
        print_index(printer, item);
        row_count(rows, ROWS_CSV, "token_index", candidates->token);
        row_span(rows, ROWS_CSV, "",
                 (struct row_span){token->begin, token->end, token->in_pair, !has_span});
        row_text(rows, ROWS_TABLE, "", "", 0, 0);
        row_text(rows, ROWS_ALL, "text", text, len, WORD_COLUMNS);
        row_count(rows, ROWS_ALL, "id", (size_t)candidates[i].id);
        row_float(rows, ROWS_ALL, "score", candidates[i].score);
        row_end(rows);
    }
    rows_end(rows, "<<>>");
}

/* Prints the heaviest first. JSON has them instead of a vector, which would have a number for each
 * id of the vocabulary. */
static void print_weights(struct printer *printer, const struct item *item)
{
    struct rows *rows = &printer->rows;
    struct ranked *weights = printer->ranked; /* of the ids that have one, heaviest first */
    size_t n = 0;
    for (size_t id = 0; id < printer->encoder->width; id++)
        if (item->rows[id] != 0)
            weights[n++] = (struct ranked){item->rows[id], id};
    qsort(weights, n, sizeof *weights, ranked_compare);
    bool is_part = rows->format == ROWS_TABLE && !printer->all_values && n > FIRST_WEIGHTS;
    size_t n_shown = is_part ? FIRST_WEIGHTS : n;
    rows_begin(rows, "weights", "token\tid\tweight");
    for (size_t i = 0; i < n_shown; i++) {
        size_t len;
        const char *text = encoder_id_text(printer->encoder, (int32_t)weights[i].index, &len);
        print_index(printer, item);
        row_text(rows, ROWS_ALL, "text", text, len, WORD_COLUMNS);
        row_count(rows, ROWS_ALL, "id", weights[i].index);
        row_float(rows, ROWS_ALL, "weight", weights[i].score);
        row_end(rows);
    }
    rows_end(rows, "<>>");
    if (is_part)
        fprintf(rows->stream, "and %zu more\n", n - n_shown);
}

/* ---- For reading: a line per text where vectors are pooled, else a table for each text, of its
 * ---- tokens, its entities, or the words for its mask tokens ---- */

#define TOKEN_TITLES "#\ttoken\tid\tspan\t"

enum {
    FIRST_VALUES = 4, /* shown of a vector, unless all are asked for */
    MASK_COLUMNS = 32,
    TEXT_COLUMNS = 30,  /* of the text in a table of texts */
    WINDOW_COLUMNS = 7, /* "window", and the bytes it covers */
    SPAN_COLUMNS = 13,
    TITLE_COLUMNS = 70 /* of the text above a table of its own */
};

/* Above the table of a text. */
static void print_title(FILE *stream, const struct item *item)
{
    const struct window *window = &item->window;
    engine_input shown = item_shown(item);
    fprintf(stream, "text %zu", item->number);
    if (window->of > 1)
        fprintf(stream, ", window %zu of %zu, %sbytes %zu-%zu", window->index + 1, window->of,
                window->in_pair ? "pair " : "", window->begin, window->end);
    fputs(": ", stream);
    print_input(stream, &shown, TITLE_COLUMNS);
    if (item->n_dropped)
        fprintf(stream, "  (%zu of %zu tokens)", item_n_visible(item),
                item_n_visible(item) + item->n_dropped);
    putc('\n', stream);
}

/* Prints the best label and its score, or all of them, best first. */
static void print_best_labels(FILE *stream, const struct printer *printer, const float *scores)
{
    const struct text_encoder *encoder = printer->encoder;
    rank_scores(scores, encoder->width, printer->ranked);
    for (size_t i = 0; i < (printer->all_values ? encoder->width : 1); i++) {
        const char *name = encoder_label(encoder, printer->ranked[i].index);
        fputs("  ", stream);
        display_cell(stream, name, strlen(name), printer->label_columns);
        putc(' ', stream);
        display_number(stream, (double)printer->ranked[i].score);
    }
}

/* Ends a line: with the first values of a vector, or all, and its norm; or with labels. row NULL: a
 * text without tokens, which has no label. */
static void print_row(FILE *stream, const struct printer *printer, const float *row)
{
    const size_t width = printer->encoder->width;
    double sum = 0;
    if (row == NULL) {
        fprintf(stream, "  %-*s %*s", (int)printer->label_columns, "-", DISPLAY_NUMBER, "-");
        return;
    }
    if (printer->encoder->request.task == TASK_LABELS) {
        print_best_labels(stream, printer, row);
        return;
    }
    for (size_t i = 0; i < width; i++) {
        sum += (double)row[i] * (double)row[i];
        if (i < printer->n_shown) {
            putc(' ', stream);
            display_number(stream, (double)row[i]);
        }
    }
    fputs(printer->n_shown < width ? " … " : "   ", stream);
    display_number(stream, sqrt(sum));
}

/* "I ride | dog" in TEXT_COLUMNS; a text that needs less than half leaves the rest to the other. */
static void print_pair(FILE *stream, const engine_input *input)
{
    const size_t both = TEXT_COLUMNS - strlen(" | "), half = both / 2;
    size_t text_columns = display_width(input->text, input->text_len, both);
    size_t pair_columns = display_width(input->pair, input->pair_len, both);
    if (text_columns + pair_columns > both) {
        size_t smaller = text_columns < pair_columns ? text_columns : pair_columns;
        size_t fair = smaller < half ? smaller : half;
        text_columns = text_columns == smaller ? fair : both - fair;
        pair_columns = both - text_columns;
    }
    display_text(stream, input->text, input->text_len, text_columns);
    fputs(" | ", stream);
    display_cell(stream, input->pair, input->pair_len, TEXT_COLUMNS - text_columns - strlen(" | "));
}

/* Of a window "2/3", and the bytes that it covers; ids have none. */
static void print_text_line(const struct printer *printer, const struct item *item)
{
    FILE *stream = printer->stream;
    const struct window *window = &item->window;
    engine_input shown = item_shown(item);
    fprintf(stream, "%6zu  ", item->number);
    if (window->of) {
        char place[48], span[64] = "-";
        snprintf(place, sizeof place, "%zu/%zu", window->index + 1, window->of);
        if (!shown.ids)
            snprintf(span, sizeof span, "%s%zu-%zu", window->in_pair ? "pair " : "", window->begin,
                     window->end);
        fprintf(stream, "%*s  %*s  ", WINDOW_COLUMNS, place, SPAN_COLUMNS, span);
    }
    if (shown.ids)
        display_cell(stream, "(token ids)", 11, TEXT_COLUMNS);
    else if (shown.pair)
        print_pair(stream, &shown);
    else
        display_cell(stream, shown.text, shown.text_len, TEXT_COLUMNS);
    print_row(stream, printer,
              printer->encoder->request.task == TASK_LABELS ? scores_of(item) : item->rows);
    putc('\n', stream);
}

/* Returns the columns of the widest label, or of its title. */
static size_t widest_label(const struct text_encoder *encoder)
{
    size_t widest = strlen("label");
    for (size_t i = 0; i < encoder->width; i++) {
        const char *name = encoder_label(encoder, i);
        const size_t columns = display_width(name, strlen(name), LABEL_COLUMNS);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

static void begin_text(struct printer *printer)
{
    const struct text_encoder *encoder = printer->encoder;
    const bool are_labels = encoder->request.task == TASK_LABELS;
    const size_t width = encoder->width;
    const size_t n = printer->all_values || width < FIRST_VALUES ? width : FIRST_VALUES;
    const size_t columns = are_labels ? widest_label(encoder) : n * (1 + DISPLAY_NUMBER);
    const char *last = are_labels ? "score" : "norm";
    char title[64] = "label";
    if (!are_labels && n == width)
        snprintf(title, sizeof title, "value%s", plural(n));
    else if (!are_labels)
        snprintf(title, sizeof title, "first %zu of %zu values", n, width);
    printer->n_shown = n;
    printer->label_columns = columns;
    print_heading(printer->stream, encoder);
    if (width == 0)
        printer->token_titles = alloc_text(TOKEN_TITLES);
    else if (!encoder->is_pooled)
        printer->token_titles =
            alloc_text(TOKEN_TITLES "  %-*s %*s", (int)columns, title, DISPLAY_NUMBER, last);
    if (!width || !encoder->is_pooled || encoder->is_sparse)
        return;
    fprintf(printer->stream, "\n%6s  ", "#"); /* the titles of lines */
    if (encoder->request.is_chunked || encoder->request.has_spans)
        fprintf(printer->stream, "%*s  %*s  ", WINDOW_COLUMNS, "window", SPAN_COLUMNS, "bytes");
    fprintf(printer->stream, "%-*s  %-*s %*s\n", TEXT_COLUMNS, "text", (int)columns, title,
            DISPLAY_NUMBER, last);
}

/* ---- What formats have of each task. Where JSON has no member, CSV has an empty field: the
 * ---- text of ids, the second text of one that is alone, the span of a token that no part of the
 * ---- text made. In CSV texts and tokens count from 0, as rows of an array do. ---- */

static void begin_text_row(struct printer *printer, const struct item *item)
{
    engine_input shown = item_shown(item);
    print_index(printer, item);
    row_text(&printer->rows, ROWS_CSV, "text", shown.text, shown.text_len, 0);
    row_text(&printer->rows, ROWS_CSV, "pair", shown.pair, shown.pair_len, 0);
}

/* ranked NULL: there is none. */
static void print_label(struct printer *printer, const struct ranked *ranked)
{
    struct rows *rows = &printer->rows;
    const char *name = ranked ? encoder_label(printer->encoder, ranked->index) : "";
    if (ranked) {
        row_text(rows, ROWS_DATA, "label", name, strlen(name), 0);
        row_float(rows, ROWS_DATA, "score", ranked->score);
    } else if (rows->format == ROWS_JSON) {
        json_write_null(&rows->json, "label");
        json_write_null(&rows->json, "score");
    } else {
        row_text(rows, ROWS_CSV, "label", NULL, 0, 0);
        row_text(rows, ROWS_CSV, "score", NULL, 0, 0);
    }
}

/* The best label of a text, or of its token with this index, or every label: members of the open
 * object, or rows. A text without tokens has no label. */
static void print_labels(struct printer *printer, const struct item *item, size_t token)
{
    struct rows *rows = &printer->rows;
    const struct text_encoder *encoder = printer->encoder;
    const bool is_json = rows->format == ROWS_JSON;
    const float *scores =
        encoder->is_pooled ? scores_of(item) : item->rows + token * encoder->width;
    const struct ranked *ranked = scores ? printer->ranked : NULL;
    const size_t n = scores && printer->all_values ? encoder->width : scores || !is_json;
    if (scores)
        rank_scores(scores, encoder->width, printer->ranked);
    if (is_json)
        print_label(printer, ranked);
    if (is_json && !printer->all_values)
        return;
    rows_begin(rows, "labels", NULL);
    for (size_t i = 0; i < n; i++) {
        if (is_json || encoder->is_pooled)
            begin_text_row(printer, item);
        else
            begin_token_row(printer, item, token);
        print_label(printer, ranked ? ranked + i : NULL);
        row_end(rows);
    }
    rows_end(rows, NULL);
}

/* In CSV a vector is columns of its row, or a label a row of its own. */
static void print_values(struct printer *printer, const float *row)
{
    for (size_t k = 0; k < printer->encoder->width; k++)
        row_float(&printer->rows, ROWS_CSV, "v", row[k]);
    row_end(&printer->rows);
}

static void print_tokens(struct printer *printer, const struct item *item)
{
    struct rows *rows = &printer->rows;
    const struct text_encoder *encoder = printer->encoder;
    const bool has_labels = encoder->request.task == TASK_LABELS && !encoder->is_pooled;
    const bool has_values =
        rows->format == ROWS_CSV && item->rows && !encoder->is_pooled && !has_labels;
    rows_begin(rows, "tokens", printer->token_titles);
    for (size_t i = 0; i < item->n_tokens; i++) {
        const float *row = item->rows ? item->rows + i * encoder->width : NULL;
        if (has_labels && rows->format == ROWS_CSV) {
            print_labels(printer, item, i);
            continue;
        }
        begin_token_row(printer, item, i);
        if (has_labels && rows->format == ROWS_JSON)
            print_labels(printer, item, i);
        row_text(rows, ROWS_TABLE, "", "", 0, 0);
        if (rows->format == ROWS_TABLE && row)
            print_row(rows->cells, printer, row);
        if (has_values)
            print_values(printer, row);
        else
            row_end(rows);
    }
    rows_end(rows, "><>>.");
}

static void write_vectors(struct printer *printer, const struct item *item)
{
    struct json_writer *json = &printer->rows.json;
    size_t width = printer->encoder->width;

    if (printer->encoder->is_pooled) {
        json_write_floats(json, "vector", item->rows, width);
        return;
    }
    json_begin_array(json, "vectors");
    for (size_t i = 0; i < item->n_tokens; i++)
        json_write_floats(json, NULL, item->rows + i * width, width);
    json_end_array(json);
}

/* In a table a line above the words of each mask token. */
static void print_mask_title(FILE *stream, const struct text_encoder *encoder,
                             const struct item *item, size_t at)
{
    const engine_token *token = &item->tokens[at];
    size_t len;
    const char *text = encoder_token_text(encoder, item, at, &len);
    display_text(stream, text, len, MASK_COLUMNS);
    fprintf(stream, " at token %zu", at);
    if (item_has_span(item, at))
        fprintf(stream, ", %sbytes %zu-%zu", token->in_pair ? "pair " : "", token->begin,
                token->end);
    putc('\n', stream);
}

static void print_masks(struct printer *printer, const struct item *item)
{
    struct rows *rows = &printer->rows;
    const bool is_json = rows->format == ROWS_JSON, is_table = rows->format == ROWS_TABLE;
    if (is_json)
        json_begin_array(&rows->json, "masks");
    if (is_table && item->n_candidates == 0)
        fputs("(no mask token)\n", rows->stream);
    for (size_t i = 0; i < item->n_candidates; i += printer->encoder->top) {
        const size_t at = item->candidates[i].token;
        const engine_token *token = &item->tokens[at];
        if (is_table)
            print_mask_title(rows->stream, printer->encoder, item, at);
        if (is_json) {
            json_begin_object(&rows->json, NULL);
            json_write_count(&rows->json, "token_index", at);
            row_span(rows, ROWS_JSON, "span",
                     (struct row_span){token->begin, token->end, token->in_pair,
                                       item->record.input.ids != NULL});
        }
        print_candidates(printer, item, &item->candidates[i]);
        if (is_json)
            json_end_object(&rows->json);
    }
    if (is_json)
        json_end_array(&rows->json);
}

/* Prints rows, members of the open object, or for reading a line or a table. */
static void print_result(struct printer *printer, const struct item *item)
{
    const struct text_encoder *encoder = printer->encoder;
    const bool is_json = printer->rows.format == ROWS_JSON;
    const bool is_row = item->rows && encoder->is_pooled; /* one for the text */
    if (printer->rows.format == ROWS_TABLE && is_row && !encoder->is_sparse) {
        print_text_line(printer, item);
        return;
    }
    if (printer->rows.format == ROWS_TABLE)
        putc('\n', printer->stream);
    if (printer->rows.format == ROWS_TABLE && printer->has_titles)
        print_title(printer->stream, item);
    switch (encoder->request.task) {
    case TASK_LABELS:
        if (encoder->is_pooled)
            print_labels(printer, item, 0);
        else
            print_tokens(printer, item);
        break;
    case TASK_ENTITIES: print_entities(printer, item); break;
    case TASK_FILL: print_masks(printer, item); break;
    default:
        if (!is_row || (is_json && encoder->request.with_tokens))
            print_tokens(printer, item);
        if (encoder->is_sparse) {
            print_weights(printer, item);
        } else if (is_json && item->rows) {
            write_vectors(printer, item);
        } else if (is_row) {
            begin_text_row(printer, item);
            print_values(printer, item->rows);
        }
    }
}

static const struct printer_kind PRINTER_TEXT = {.begin = begin_text, .item = print_result};

/* ---- CSV, RFC 4180: a header row, lines that end in CR LF, fields with a comma, a quote or a line
 * ---- end in quotes ---- */

static const char *titles_of(const struct text_encoder *encoder)
{
    const enum task task = encoder->request.task;
    const bool is_pooled = encoder->width && encoder->is_pooled;
    if (task == TASK_ENTITIES)
        return "text,label,score,begin,end,in_pair";
    if (task == TASK_FILL)
        return "token_index,begin,end,in_pair,text,id,score";
    if (encoder->is_sparse && task != TASK_LABELS)
        return "text,id,weight";
    if (task == TASK_LABELS)
        return is_pooled ? "text,pair,label,score"
                         : "token_index,text,id,begin,end,in_pair,masked,label,score";
    return is_pooled ? "text,pair" : "token_index,text,id,begin,end,in_pair,masked";
}

static void begin_csv(struct printer *printer)
{
    const struct text_encoder *encoder = printer->encoder;
    const bool has_vectors = encoder->request.task == TASK_VECTORS && !encoder->is_sparse;
    char titles[128];
    snprintf(titles, sizeof titles, "index,%s%s",
             encoder->request.is_chunked || encoder->request.has_spans
                 ? "window,window_begin,window_end,"
                 : "",
             titles_of(encoder));
    rows_titles(&printer->rows, titles, has_vectors ? encoder->width : 0, "v");
}

static const struct printer_kind PRINTER_CSV = {.begin = begin_csv, .item = print_result};

/* ---- JSON: an object per text, or window of one, and line (man/encode.1 names the keys) ---- */

void write_prompt_json(struct json_writer *json, const struct text_encoder *encoder)
{
    if (encoder->prompt.len)
        json_write_string(json, "prompt", encoder->prompt.text, encoder->prompt.len);
}

static void write_window(struct rows *rows, const struct item *item)
{
    const struct window *window = &item->window;
    json_begin_object(&rows->json, "window");
    json_write_count(&rows->json, "index", window->index);
    json_write_count(&rows->json, "of", window->of);
    row_span(rows, ROWS_JSON, "span",
             (struct row_span){window->begin, window->end, window->in_pair,
                               item->record.input.ids != NULL});
    json_end_object(&rows->json);
}

/* Keys of results, which replace equal keys of the input, and the tasks that have them. */
static const struct result_key {
    const char *key;
    unsigned tasks; /* bits */
} RESULT_KEYS[] = {
    {"prompt", ~0u},
    {"window", ~0u},
    {"truncated", ~0u},
    {"tokens", 1u << TASK_VECTORS | 1u << TASK_TOKENS | 1u << TASK_LABELS},
    {"vector", 1u << TASK_VECTORS},
    {"vectors", 1u << TASK_VECTORS},
    {"weights", 1u << TASK_VECTORS},
    {"label", 1u << TASK_LABELS},
    {"score", 1u << TASK_LABELS},
    {"labels", 1u << TASK_LABELS},
    {"entities", 1u << TASK_ENTITIES},
    {"masks", 1u << TASK_FILL},
    {0},
};

static void write_members(struct json_writer *json, const struct item *item,
                          const struct request_options *request)
{
    for (size_t i = 0; i < item->record.n_members; i++) {
        const struct record_member *member = &item->record.members[i];
        const struct result_key *result = RESULT_KEYS;
        while (result->key && strcmp(result->key, member->key) != 0)
            result++;
        if (!(result->tasks >> request->task & 1) &&
            !(request->has_spans && strcmp(member->key, "spans") == 0))
            json_write_raw(json, member->key, member->value, member->value_len);
    }
}

/* Prints the input, those members of its line that no result of the task replaces, and results. */
static void print_json_item(struct printer *printer, const struct item *item)
{
    struct json_writer *json = &printer->rows.json;
    engine_input shown = item_shown(item);
    json_begin_object(json, NULL);
    if (shown.ids)
        json_write_null(json, "text");
    else
        json_write_string(json, "text", shown.text, shown.text_len);
    if (shown.pair)
        json_write_string(json, "pair", shown.pair, shown.pair_len);
    if (item->prompt_len)
        json_write_string(json, "prompt", printer->encoder->prompt.text, item->prompt_len);
    else if (printer->encoder->request.has_spans)
        write_prompt_json(json, printer->encoder);
    if (item->window.of)
        write_window(&printer->rows, item);
    write_members(json, item, &printer->encoder->request);
    print_result(printer, item);
    json_write_truth(json, "truncated", item->n_dropped > 0);
    json_end_object(json);
}

static const struct printer_kind PRINTER_JSON = {.item = print_json_item};

/* ---- All formats ---- */

#define PRINTER_OF(NAME, TEXT, TASKS) [FORMAT_##NAME] = &PRINTER_##NAME,
static const struct printer_kind *const PRINTERS[] = {OUTPUT_FORMATS(PRINTER_OF)};

void printer_open(struct printer *printer, struct job *job)
{
    const struct encode_options *options = job->options;
    *printer = (struct printer){
        .kind = PRINTERS[options->format],
        .stream = job->output.stream,
        .encoder = job->encoder,
        .rows = job->rows,
        .n_array_rows = &job->progress.array_rows,
        .all_values = options->all_values,
        .npy.type = options->type,
        .has_titles = options->request.n_texts != 1 || options->request.is_chunked,
        .ranked = alloc_zeros(job->encoder->width, sizeof(struct ranked)),
    };
    if (printer->kind->begin)
        printer->kind->begin(printer);
}

int printer_close(struct printer *printer, int code)
{
    const struct printer_kind *kind = printer->kind;
    if (code == PROGRAM_DONE && kind->end && !kind->end(printer))
        code = PROGRAM_FAILED;
    else if (code != PROGRAM_DONE && kind->abandon)
        kind->abandon(printer);
    free(printer->ranked);
    free(printer->token_titles);
    return printer->message ? program_fail("%s", printer->message) : code;
}
