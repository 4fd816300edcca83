/* encode_options.h - the command line of encode. */
#ifndef TOOLS_ENCODE_OPTIONS_H
#define TOOLS_ENCODE_OPTIONS_H

#include "tools/common/texts/request_options.h"

#include <jansson.h>
#include <stdbool.h>

/* FORMAT_name, which PRINTER_name prints, its name in the option, and bits of the tasks that it has
 * the results of. */
#define OUTPUT_FORMATS(FORMAT)                                                                     \
    FORMAT(TEXT, "text", ~0u)                                                                      \
    FORMAT(JSON, " json", ~0u)                                                                     \
    FORMAT(CSV, " csv", ~0u)                                                                       \
    FORMAT(NPY, " npy", 1u << TASK_VECTORS | 1u << TASK_TOKENS)                                    \
    FORMAT(NPZ, " npz", 1u << TASK_VECTORS)                                                        \
    FORMAT(IDS, " ids", 1u << TASK_VECTORS | 1u << TASK_TOKENS)
#define OUTPUT_FORMAT_CONSTANT(NAME, TEXT, TASKS) FORMAT_##NAME,
#define OUTPUT_FORMAT_TEXT(NAME, TEXT, TASKS)     TEXT
#define OUTPUT_FORMAT_TASKS(NAME, TEXT, TASKS)    [FORMAT_##NAME] = TASKS,
enum output_format { OUTPUT_FORMATS(OUTPUT_FORMAT_CONSTANT) };

struct encode_options {
    struct request_options request;
    const char *output_path; /* NULL: stdout */
    bool has_input;          /* said */
    const char *query;       /* of TASK_RANK */
    bool has_own_pooling;    /* it was not said, and is the model's own */
    bool in_order;           /* TASK_RANK: not sorted */
    bool has_progress;       /* asked for */
    bool skips_errors;       /* texts that cannot be encoded are skipped */
    const char *report_path; /* of skipped texts; NULL: beside the output */
    bool resumes, restarts;  /* a run that ended early */
    bool has_words;          /* writes FILE.words */
    /* Owned; of an output with a name, what makes it what it is: the options, which settings_make
     * (corpus/journal.h) gets, and then its result. */
    json_t *settings;
    bool all_values;
    enum output_format format;
    engine_element type; /* of FORMAT_NPY */
};

/* Reads the command line. The help, the version or a mistake ends the program. */
void encode_options_read(struct encode_options *options, int argc, char **argv);

/* Notes a first text that is a command of encode-compare, is a file or a folder, or is named like a
 * file: its lines may be meant. */
void encode_options_note(const struct encode_options *options);

#endif
