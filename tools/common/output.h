/* output.h - where results go: stdout, or a file that is put in its place when all is done. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include "tools/writer/output_file.h"

#include <stdbool.h>
#include <stdio.h>

/* Files beside an output: what its rows are, and what was left out. */
#define OUTPUT_ROWS     ".rows.jsonl"
#define OUTPUT_LEFT_OUT ".left-out.jsonl"
#define OUTPUT_ORIGIN   ".origin.json" /* what made the output; it is put in its place last */

enum { OUTPUT_MOST_BESIDE = 3 };

struct output {
    FILE *stream;
    const char *path;         /* NULL: stdout */
    struct output_file *file; /* or NULL */
    struct output_beside {
        char *path;
        struct output_file *file;
    } beside[OUTPUT_MOST_BESIDE];
    size_t n_beside;
    enum output_kind kind;
    bool is_kept; /* its parts outlive a failure */
    int reason;   /* errno of the first write that failed; 0: none has */
    engine_error error;
};

/* path NULL: stdout. OUTPUT_RESUMES goes on with the parts that an earlier run has kept, else it is
 * OUTPUT_STREAM. Ends the program where the output cannot be made, or is a file that it reads
 * (inputs.h). */
void output_open(struct output *output, const char *path, enum output_kind kind);

/* A file beside the output, named path and ending, for what is said of the output. It is written
 * from start to end, and put in its place with the output if anything was written to it;
 * else one that an earlier run left there is removed. NULL: there is none, because the output is
 * stdout, or is written to directly. Where it cannot be made the program ends: it may be no device,
 * which nothing can be put in the place of, and none of the output's other files. */
FILE *output_beside(struct output *output, const char *path, const char *ending);

/* Removes what an earlier output of that name had beside it, and this one has not; output_end does,
 * too. False: error has the words. */
bool output_drop_others(struct output *output);

/* Flushes if asked to; false if any write has failed so far. The reason is errno as the write left
 * it: nothing else that may fail comes between. */
bool output_check(struct output *output, bool flush);

/* Parts: the output is part 0, the files beside it follow. What is kept stays when the program ends
 * with a failure; output_sync has the disk hold all that is written. False: error has the words. */
size_t output_n_parts(const struct output *output);
struct output_file *output_part(const struct output *output, size_t i);
bool output_keep(struct output *output);
void output_release(struct output *output); /* they go with the program again */
bool output_sync(struct output *output);

/* One name in one folder, of what need not be there yet, or two names of one file, as links are. */
bool output_are_same(const char *a, const char *b);

/* Ends with the program's exit code: 0 finishes the output, any other drops an unfinished file
 * (stdout keeps what it has). Returns the exit code, which is PROGRAM_FAILED if the output could
 * not be written. That is said, except of a reader that went away. */
int output_end(struct output *output, int code);

#endif
