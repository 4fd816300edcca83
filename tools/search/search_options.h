/* search_options.h - the command line of encode-search. */
#ifndef TOOLS_SEARCH_OPTIONS_H
#define TOOLS_SEARCH_OPTIONS_H

#include "tools/common/texts/request_options.h"

enum search_format { SEARCH_TEXT, SEARCH_JSON, SEARCH_TSV, SEARCH_TREC };

struct search_options {
    struct request_options request;      /* of the queries */
    char *const *vectors, *const *texts; /* [n_vectors], [n_texts]: paths, of the command line */
    size_t n_vectors, n_texts;
    const char *queries[256]; /* the texts of the request */
    bool has_precision;       /* else that of the vectors */
    engine_metric metric;
    bool has_metric;
    bool is_hybrid; /* words count, too */
    double word_weight;
    bool dedup;          /* one hit for equal texts */
    bool explains;       /* which words made a hit's score */
    bool no_check;       /* of the origin of the vectors */
    bool skips_rows;     /* those without scores */
    size_t n_hits;       /* for each query */
    const char *rerank;  /* path of a cross-encoder, or NULL */
    size_t n_candidates; /* for it */
    enum search_format format;
    const char *output_path; /* NULL: stdout */
};

/* Reads the command line. The help, the version or a mistake ends the program. */
void search_options_read(struct search_options *options, int argc, char **argv);

#endif
