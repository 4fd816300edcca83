/* beside.h - files beside an output that describe it, a line of JSON for each row or skipped text.
 *
 * The rows of an array, in out.npy.rows.jsonl:
 *
 *     {"row": 0, "line": 1, "id": "d7", "window": 0, "windows": 3, "begin": 0, "end": 512}
 *
 * As long as row k is line k + 1 of the input and has neither id, window nor token, rows are only
 * counted; the first other row writes the lines of those before it too. "line" is the number of a
 * text if texts are arguments. Windows are bytes of the text as it was read, without a prompt. Rows
 * count along the first axis of the array.
 *
 * Texts skipped by --on-long skip and --on-error skip, in FILE.left-out.jsonl or the file of
 * --report; for a text in windows a line names the "window":
 *
 *     {"line": 7, "id": "d7", "reason": "…"}
 */
#ifndef TOOLS_ENCODE_BESIDE_H
#define TOOLS_ENCODE_BESIDE_H

#include "tools/common/print/json_writer.h"
#include "tools/encode/job.h"

struct rows_file {
    struct json_writer json; /* its stream is NULL without such a file */
    bool is_per_token;       /* a row is a token */
    bool is_begun;           /* rows are written, from row 0 on, not only counted */
};

/* Adds the rows of the next item. */
void rows_file_add(struct rows_file *rows, struct job *job, const struct item *item);

struct left_out {
    struct job *job;
    struct json_writer report; /* if its stream is NULL, notes are printed */
    size_t last;               /* the number of the last skipped text */
};

/* Reports a failed text or window as skipped. Returns false if options do not allow skipping. */
bool left_out_add(struct left_out *left, const struct item *item);

/* Notes how many texts were skipped, and where they are listed. */
void left_out_end(const struct left_out *left);

#endif
