/* rows_file.h - what the rows of an array are, beside the array: of out.npy, out.npy.rows.jsonl.
 *
 *     {"row": 0, "line": 1, "id": "d7", "window": 0, "windows": 3, "begin": 0, "end": 512}
 *
 * A line of JSON for each row, in order. It is written only where it says something: as long as row
 * k is line k + 1 of the input and nothing more is known of it, rows are counted, and the first
 * one with more to say writes those before it too. "line" is the number of a text where
 * texts are arguments. Windows are bytes of the text as it came in, without a prompt. Rows count
 * along the first axis of the array.
 */
#ifndef TOOLS_ENCODE_ROWS_FILE_H
#define TOOLS_ENCODE_ROWS_FILE_H

#include "tools/common/print/json_writer.h"
#include "tools/encode/job.h"

struct rows_file {
    struct json_writer json; /* its stream is NULL: there is no such file */
    bool is_per_token;       /* a row is a token */
    bool is_begun;           /* rows are written, from row 0 on, not only counted */
};

/* Opens the file beside an array that has a name. */
void rows_file_open(struct rows_file *rows, struct job *job);

/* Adds the rows of the next item. */
void rows_file_add(struct rows_file *rows, struct job *job, const struct item *item);

#endif
