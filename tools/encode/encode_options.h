/* encode_options.h - the command line of encode. */
#ifndef TOOLS_ENCODE_OPTIONS_H
#define TOOLS_ENCODE_OPTIONS_H

#include "tools/common/texts/request_options.h"

#include <jansson.h>
#include <stdbool.h>

/* FORMAT_name, its name in the option, and PRINTER_name, which prints it. */
#define OUTPUT_FORMATS(FORMAT)                                                                     \
    FORMAT(TEXT, "text")                                                                           \
    FORMAT(JSON, " json")                                                                          \
    FORMAT(CSV, " csv") FORMAT(NPY, " npy") FORMAT(NPZ, " npz") FORMAT(IDS, " ids")
#define OUTPUT_FORMAT_CONSTANT(NAME, TEXT) FORMAT_##NAME,
#define OUTPUT_FORMAT_TEXT(NAME, TEXT)     TEXT
enum output_format { OUTPUT_FORMATS(OUTPUT_FORMAT_CONSTANT) };

struct encode_options {
    struct request_options request;
    const char *output_path; /* NULL: stdout */
    const char *pair;        /* or NULL */
    const char *column;      /* of a table, or NULL */
    enum input_kind { INPUT_TEXT, INPUT_JSONL, INPUT_CSV, INPUT_TSV } input;
    bool has_input, has_format; /* said */
    const char *query;          /* of TASK_RANK */
    bool has_own_pooling;       /* it was not said, and is the model's own */
    bool in_order;              /* TASK_RANK: not sorted */
    bool has_progress;          /* asked for */
    bool skips_errors;          /* texts that cannot be encoded are skipped */
    const char *report_path;    /* of skipped texts; NULL: beside the output */
    bool resumes, restarts;     /* a run that ended early */
    bool has_words;             /* writes FILE.words */
    json_t *settings; /* owned; of an output with a name, the options that make it what it is */
    bool all_values;
    enum output_format format;
    engine_element type; /* of FORMAT_NPY */
};

/* Reads the command line. The help, the version or a mistake ends the program. */
void encode_options_read(struct encode_options *options, int argc, char **argv);

#endif
