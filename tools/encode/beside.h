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
 *
 * And the index of --words, and the origin (corpus/journal.h). */
#ifndef TOOLS_ENCODE_BESIDE_H
#define TOOLS_ENCODE_BESIDE_H

#include "tools/encode/job.h"

struct beside {
    struct job *job;
    struct json_writer rows, left_out; /* their streams are NULL without such a file */
    size_t last_left_out;              /* the number of the last skipped text */
    engine_index_builder *words;       /* of --words, or NULL */
    FILE *words_stream, *origin;
};

/* Opens the files that the job, which is set, has beside its output with a name. */
void beside_open(struct beside *beside);

/* Adds the rows and the words of an item that was printed. */
void beside_add(struct beside *beside, const struct item *item);

/* Reports a failed text or window as skipped. Returns false if options do not allow skipping. */
bool beside_leave_out(struct beside *beside, const struct item *item);

/* If the run is done, notes how many texts were skipped, and writes what is known at the end. */
void beside_end(struct beside *beside, int code);

#endif
