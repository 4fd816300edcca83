/* One list of cells in every format; what a format does to texts, spans and empty results. */
#include "tools/common/print/rows.h"

#include "tests/support.h"

#include <stdlib.h>
#include <string.h>

static void write_rows(struct rows *rows, size_t n)
{
    static const char *const texts[] = {"a, \"b\"", "c\td\n", NULL};
    rows_titles(rows, "index,text", 1, "v");
    rows_begin(rows, rows->format == ROWS_JSON ? NULL : "things", "  #\ttext\tscore\tspan");
    for (size_t i = 0; i < n; i++) {
        row_begin(rows);
        row_count(rows, ROWS_TABLE, "#", i + 1);
        row_count(rows, ROWS_DATA, "index", i);
        row_text(rows, ROWS_ALL, "text", texts[i], texts[i] ? strlen(texts[i]) : 0, 5);
        row_float(rows, ROWS_ALL, "score", 0.1f);
        row_integer(rows, 0, "nowhere", -1);
        row_flag(rows, ROWS_DATA, "cut", i == 1);
        row_span(rows, ROWS_ALL, "span", (struct row_span){i, 4, i == 1, i == 2});
        row_end(rows);
    }
    rows_end(rows, ">><<");
}

/* Freed by the next call. */
static const char *printed(enum rows_format format, size_t n)
{
    static char *text;
    size_t len;
    free(text);
    FILE *stream = open_memstream(&text, &len);
    assert_non_null(stream);
    struct rows rows = ROWS(stream, format);
    write_rows(&rows, n);
    assert_int_equal(fclose(stream), 0);
    return text;
}

TEST(formats)
{
    assert_string_equal(printed(ROWS_CSV, 3), "index,text,v0\r\n0,\"a, \"\"b\"\"\",0.1,0,0,4,0\r\n"
                                              "1,\"c\td\n\",0.1,1,1,4,1\r\n2,,0.1,0,,,\r\n");
    assert_string_equal(printed(ROWS_TSV, 2), "0\ta, \"b\"\t0.1\t0\t0\t4\t0\n"
                                              "1\tc d \t0.1\t1\t1\t4\t1\n");
    assert_string_equal(
        printed(ROWS_JSON, 3),
        "{\"index\": 0, \"text\": \"a, \\\"b\\\"\", \"score\": 0.1, \"span\": [0, 4]}\n"
        "{\"index\": 1, \"text\": \"c\\td\\n\", \"score\": 0.1, \"cut\": true, \"span\": [1, 4], "
        "\"in_pair\": true}\n"
        "{\"index\": 2, \"score\": 0.1, \"span\": null}\n");
    assert_string_equal(printed(ROWS_TABLE, 2), "  #   text  score     span\n"
                                                "  1  a, \"…    0.1000  0-4\n"
                                                "  2  c\\td…    0.1000  pair 1-4\n");
}

TEST(no_rows)
{
    assert_string_equal(printed(ROWS_CSV, 0), "index,text,v0\r\n");
    assert_string_equal(printed(ROWS_JSON, 0), "");
    assert_string_equal(printed(ROWS_TABLE, 0), "(no things)\n");
}
