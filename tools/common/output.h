/* output.h - where results go: stdout, or a file that gets its name when all is done; and the files
 * that a program reads, so that it writes over none of them. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include "tools/writer/output_file.h"

#include <stdbool.h>
#include <stdio.h>

/* ---- Inputs
 *
 * Two paths are one file where device and inode are the same: links, /dev/stdin and other ways of
 * writing a path are seen through. Pipes and devices can be read and written at once. Where the
 * program would write over what it reads, the first two functions end it, as misused. ---- */

/* Remembers a file ("-": stdin) that is read, or will be; stdout must be another file, and so must
 * stderr, else the program ends without a message. A missing file is reported when it is opened. */
void input_remember(const char *path);

/* Ends the program if the output is a remembered file. */
void input_refuse_output(const char *output);

/* Reads and remembers a file ("-": stdin) of at most 1 GiB; a NUL byte follows its *len bytes.
 * Returns PROGRAM_DONE, or an exit code after a message. */
int input_read(const char *path, char **data, size_t *len);

/* Ends the program: prints why a model could not be opened and, if the path (NULL: the default
 * weights) is a checkpoint or the like, the command that makes a weight file of it. */
_Noreturn void model_open_die(const char *path, const engine_error *error);

/* Returns the name of the format of a file that holds a model as other engines read it, by its
 * ending: "ONNX"; or NULL. */
const char *model_foreign_format(const char *path);

/* Returns whether a path may be a name of the Hub: "ORG/MODEL". */
bool path_is_hub_name(const char *path);

/* ---- Outputs ---- */

/* Files beside an output: what its rows are, and which texts were skipped. */
#define OUTPUT_ROWS     ".rows.jsonl"
#define OUTPUT_LEFT_OUT ".left-out.jsonl"
#define OUTPUT_ORIGIN   ".origin.json" /* what made the output; it is renamed last */

enum { OUTPUT_MOST_PARTS = 5 };

struct output {
    FILE *stream;
    const char *path; /* NULL: stdout */
    struct output_part {
        char *path;
        struct output_file *file;
    } parts[OUTPUT_MOST_PARTS]; /* [n_parts]: the output, then files beside it; of stdout none */
    size_t n_parts;
    enum output_kind kind;
    bool is_kept; /* its parts outlive a failure */
    int reason;   /* errno of the first write that failed; 0: none has */
    engine_error error;
};

/* Opens stdout if path is NULL. OUTPUT_RESUMES continues parts of an earlier run. Ends the program
 * if the output cannot be made, or is a file that the program reads. */
void output_open(struct output *output, const char *path, enum output_kind kind);

/* Returns whether the output is written beside its target, not to stdout, a device or a pipe. */
bool output_is_file(const struct output *output);

/* Opens a file beside the output, named path and ending, that describes the output. It is written
 * from start to end, and renamed with the output if anything was written to it; else one that an
 * earlier run left is removed. Returns NULL unless output_is_file. Exits on failure. The path must
 * not be a device (a file cannot be renamed over it) or another file of this output. */
FILE *output_beside(struct output *output, const char *path, const char *ending);

/* Removes files that an earlier output of that name had beside it, and this one does not have;
 * output_end does, too. Returns false after a failure, with the message in `error`. */
bool output_drop_others(struct output *output);

/* Flushes if asked to. Returns false if any write has failed so far. Call it directly after the
 * write: the reason is its errno. */
bool output_check(struct output *output, bool flush);

/* Calls output_file_keep or output_file_sync for each part. Returns false after a failure, with the
 * message in `error`. */
bool output_each(struct output *output, engine_status (*act)(struct output_file *file));

/* Ends with the program's exit code: 0 finishes the output, any other drops an unfinished file
 * (stdout keeps what it has). Returns the exit code, which is PROGRAM_FAILED if the output could
 * not be written; this is reported, unless the reader of a pipe has ended. */
int output_end(struct output *output, int code);

#endif
