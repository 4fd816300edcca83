/* rank_print.c - see rank_print.h. Tables count texts from 1, JSON and CSV from 0; ranks are from
 * 1. */
#include "tools/encode/print/rank_print.h"

#include "tools/common/csv_output.h"
#include "tools/common/display.h"
#include "tools/common/json_output.h"
#include "tools/encode/print/printer.h"

enum { TEXT_COLUMNS = 70 };

static void begin_table(FILE *stream, const struct encode_options *options,
                        const struct encoder *encoder, const struct item *query)
{
    const engine_input *input = &query->record.input;
    print_heading(stream, encoder);
    fputs("query: ", stream);
    display_text(stream, input->text, input->text_len, TEXT_COLUMNS);
    fputs("\n\n", stream);
    if (!options->in_order)
        fprintf(stream, "%6s  ", "rank");
    fprintf(stream, "%6s  %*s  text\n", "#", DISPLAY_NUMBER, "score");
}

static void print_table_row(FILE *stream, const struct ranked_text *text)
{
    if (text->rank)
        fprintf(stream, "%6zu  ", text->rank);
    fprintf(stream, "%6zu  ", text->ranked.index + 1);
    display_number(stream, (double)text->ranked.score);
    fputs("  ", stream);
    display_text(stream, text->text, text->text_len, TEXT_COLUMNS);
    putc('\n', stream);
}

static void print_object(FILE *stream, const struct encoder *encoder, const struct item *query,
                         const struct ranked_text *text)
{
    const engine_input *input = &query->record.input;
    fputs("{\"query\": ", stream);
    json_put_string(stream, input->text, input->text_len);
    if (text->rank)
        fprintf(stream, ", \"rank\": %zu", text->rank);
    fprintf(stream, ", \"index\": %zu, \"score\": ", text->ranked.index);
    json_put_float(stream, text->ranked.score);
    fputs(", \"text\": ", stream);
    json_put_string(stream, text->text, text->text_len);
    if (encoder->prompt.len) {
        fputs(", \"prompt\": ", stream);
        json_put_string(stream, encoder->prompt.text, encoder->prompt.len);
    }
    fprintf(stream, ", \"truncated\": %s}\n", text->is_cut ? "true" : "false");
}

static void print_csv_row(FILE *stream, const struct ranked_text *text)
{
    if (text->rank)
        fprintf(stream, "%zu,", text->rank);
    fprintf(stream, "%zu,", text->ranked.index);
    csv_put_float(stream, text->ranked.score);
    putc(',', stream);
    csv_put_field(stream, text->text, text->text_len);
    csv_end_row(stream);
}

void rank_print_begin(FILE *stream, const struct encode_options *options,
                      const struct encoder *encoder, const struct item *query)
{
    if (options->format == FORMAT_TEXT) {
        begin_table(stream, options, encoder, query);
    } else if (options->format == FORMAT_CSV) {
        fputs(options->in_order ? "text_index,score,text" : "rank,text_index,score,text", stream);
        csv_end_row(stream);
    }
}

void rank_print_text(FILE *stream, const struct encode_options *options,
                     const struct encoder *encoder, const struct item *query,
                     const struct ranked_text *text)
{
    if (options->format == FORMAT_JSON)
        print_object(stream, encoder, query, text);
    else if (options->format == FORMAT_CSV)
        print_csv_row(stream, text);
    else
        print_table_row(stream, text);
}
