/* search_options.c - the command line of encode-search as a table; see search_options.h. */
#include "tools/search/search_options.h"

#include "tools/common/options.h"
#include "tools/common/options/option_table.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define TEXT(member)                 TEXT_AT(struct search_options, member)
#define COUNT(member, least, most)   COUNT_AT(struct search_options, member, least, most)
#define CHOICE(member, first, names) CHOICE_AT(struct search_options, member, first, names)
#define GIVEN(member)                GIVEN_AT(struct search_options, member)

enum { MOST_HITS = 1 << 20, DEFAULT_HITS = 10, DEFAULT_CANDIDATES = 100 };

static const struct option_row QUERY_ROWS[] = {
    {"query", 0, "TEXT", "search for this, not for the queries of stdin; may be repeated",
     TEXTS_AT(struct search_options, queries, request.n_texts)},
    {"input", 0, "KIND",
     "read stdin as text: a query per line; jsonl: a JSON string per line,\n"
     "or an object with \"text\" and, if it has one, \"_id\" or \"id\"",
     CHOICE(request.input, INPUT_TEXT, "text jsonl")},
    {"query-prompt", 0, "P", "prepend the file's prompt P to queries; default its own for them",
     TEXT(request.encode.query_prompt)},
    {"no-prompt", 0, NULL, "prepend no prompt to queries",
     FLAG_AT(struct search_options, request.no_prompt)},
    {"pooling", 'p', "KIND",
     "pool by this (default as VECTORS were made, else model): sparse,\n"
     "colbert, " ENGINE_TEXT_POOLINGS,
     NAMED_AT(struct search_options, request.encode.pooling,
              ENGINE_TEXT_POOLINGS " sparse colbert model", engine_pooling_named),
     GIVEN(request.has_pooling)},
    {"precision", 0, "KIND",
     "encode queries as exact, bf16 or fast; default as VECTORS were encoded",
     CHOICE(request.model.precision, ENGINE_PRECISION_EXACT, "exact bf16 fast"),
     GIVEN(has_precision)},
    {"dimensions", 0, "N", "if the vectors were cut to N columns, cut queries alike",
     COUNT(request.encode.dimensions, 1, INT32_MAX)},
    {"max-tokens", 0, "N", "allow N tokens per query; default the model's limit",
     COUNT(request.encode.max_tokens, 1, INT32_MAX)},
    {"on-long", 0, "KIND",
     "if a query is longer, or with --rerank a query and a text: truncate\n"
     "or error; default what the model says, else error",
     CHOICE(request.encode.on_long, ENGINE_ON_LONG_TRUNCATE, "truncate error")},
};

static const struct option_row SEARCH_ROWS[] = {
    {"top", 'k', "N", "print N hits for each query (default 10)", COUNT(n_hits, 1, MOST_HITS)},
    {"metric", 0, "KIND",
     "score by cosine, dot (product of the vectors as they are), euclidean or\n"
     "manhattan (distances, below 0); default as the model says, else cosine",
     CHOICE(metric, ENGINE_METRIC_COSINE, "cosine dot euclidean manhattan"), GIVEN(has_metric)},
    {"hybrid", 0, NULL, "add z-scores of BM25 over the words of TEXTS; makes VECTORS.words once",
     FLAG_AT(struct search_options, is_hybrid)},
    {"word-weight", 0, "W", "--hybrid: multiply the words' z-scores by W (default 1)",
     REAL_AT(struct search_options, word_weight, 0, 1000)},
    {"explain", 0, NULL,
     "print which words of the query and of the hit made its score; needs TEXTS",
     FLAG_AT(struct search_options, explains)},
    {"dedup", 0, NULL, "print only the best hit of equal texts; needs TEXTS",
     FLAG_AT(struct search_options, dedup)},
    {"no-check", 0, NULL, "do not compare the origin of VECTORS with the model and TEXTS",
     FLAG_AT(struct search_options, no_check)},
    {"on-error", 0, "KIND", "if a row has NaN and the like: error (default), or skip",
     CHOICE(skips_rows, false, "error skip")},
    {"rerank", 0, "FILE", "sort the best candidates again by this cross-encoder; needs TEXTS",
     TEXT(rerank), .most = 1},
    {"candidates", 0, "N", "--rerank: sort N candidates (default 100, and at least --top)",
     COUNT(n_candidates, 1, MOST_HITS)},
};

static const struct option_row OUTPUT_ROWS[] = {
    {"format", 'f', "KIND",
     "print text, json (object per query), tsv or trec (run file); default as\n"
     "-o FILE ends in .json, .jsonl, .tsv or .trec, else text",
     CHOICE(format, SEARCH_TEXT, "text json tsv trec")},
    {"output", 'o', "FILE", "write to FILE, which is replaced at the end; -: stdout",
     OUTPUT_AT(struct search_options, output_path)},
};

/* The options of encode that apply to queries. */
static const struct option_group GROUPS[] = {
    {.title = "Model",
     .rows = REQUEST_MODEL_ROWS,
     .n_rows = 1,
     .base = offsetof(struct search_options, request)},
    {.rows = REQUEST_SESSION_ROWS + 1,
     .n_rows = 1,
     .base = offsetof(struct search_options, request)},
    {OPTION_GROUP("Queries", QUERY_ROWS)},
    {OPTION_GROUP("Search", SEARCH_ROWS)},
    {OPTION_GROUP("Output", OUTPUT_ROWS)},
    OPTION_GENERAL,
};

static const char *check_candidates(const void *options)
{
    const struct search_options *search = options;
    return search->n_candidates > 0 && search->n_candidates < search->n_hits
               ? "--candidates is less than --top: the hits are chosen among the candidates"
               : NULL;
}

static const struct option_rule RULES[] = {
    OPTION_EXCLUDES("query", "input=jsonl", "--query is a text: --input jsonl is for stdin"),
    OPTION_EXCLUDES("no-prompt", "query-prompt",
                    "--no-prompt cannot be combined with --query-prompt"),
    OPTION_NEEDS("word-weight", "hybrid", "--word-weight is for --hybrid"),
    OPTION_NEEDS("candidates", "rerank", "--candidates is for --rerank"),
    OPTION_EXCLUDES("explain", "rerank",
                    "--explain is for scores by vectors: that of a cross-encoder is no sum"),
    OPTION_EXCLUDES("explain", "format=tsv format=trec", "--explain prints text or json"),
    {.check = check_candidates},
    {0},
};

static const struct option_command COMMAND = {
    .usage = "[OPTION ...] VECTORS ... [TEXTS ...] < QUERIES\n"
             "[OPTION ...] --query TEXT VECTORS ... [TEXTS ...]\n",
    .about = "\n"
             "Finds the texts whose vectors are nearest to those of queries, by exact search.\n"
             "VECTORS is a file of encode -f npy, or of encode -p sparse -f npz; it is mapped.\n"
             "With TEXTS, the lines that were encoded, the texts of hits are printed.\n"
             "Several files of either are read as one, in their order.\n"
             "\n"
             "  encode -p model -f npy -o corpus.npy < corpus.txt\n"
             "  encode-search corpus.npy corpus.txt --query \"who rides?\"\n"
             "  encode-search -k 1000 -f trec corpus.npy < queries.txt > run.txt\n"
             "  encode-search corpus.npy more.npy corpus.txt more.txt --query \"who rides?\"\n",
};

static const struct option_table TABLE = {
    OPTION_TABLE(&COMMAND, 1, GROUPS, 25),
    .rules = RULES,
    .end = "Exit codes: 0 done, 1 failed, 2 misused. Manual: man encode-search.",
};

/* Returns whether a file is named as an array or an archive, or begins as an array. */
static bool are_vectors(const char *path)
{
    static const char magic[] = "\x93NUMPY";
    char begin[sizeof magic - 1];
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would wait */
    const ssize_t n = fd < 0 ? -1 : pread(fd, begin, sizeof begin, 0);
    if (fd >= 0)
        close(fd);
    return path_ends_in(path, ".npy") || path_ends_in(path, ".npz") ||
           (n == (ssize_t)sizeof begin && memcmp(begin, magic, sizeof begin) == 0);
}

/* The first file is VECTORS; others are recognised by their name or first bytes. VECTORS are moved
 * before TEXTS, each in their order. */
static void sort_files(struct search_options *options, const struct option_reading *reading)
{
    char **paths = reading->arguments;
    if (reading->n_arguments == 0)
        program_die_misused("VECTORS is missing: name a file of encode -f npy or -f npz");
    for (size_t i = 0; i < reading->n_arguments; i++) {
        char *path = paths[i];
        if (i > 0 && !are_vectors(path))
            continue;
        memmove(paths + options->n_vectors + 1, paths + options->n_vectors,
                (i - options->n_vectors) * sizeof *paths);
        paths[options->n_vectors++] = path;
    }
    options->vectors = paths;
    options->texts = paths + options->n_vectors;
    options->n_texts = reading->n_arguments - options->n_vectors;
    if ((options->rerank || options->dedup || options->explains) && options->n_texts == 0)
        program_die_misused("--%s reads the texts: name TEXTS after VECTORS",
                            options->rerank  ? "rerank"
                            : options->dedup ? "dedup"
                                             : "explain");
}

void search_options_read(struct search_options *options, int argc, char **argv)
{
    static const struct path_ending FORMAT_ENDINGS[] = {
        {".json", "json"}, {".jsonl", "json"}, {".tsv", "tsv"}, {".trec", "trec"}, {0}};
    struct option_reading reading;
    *options = (struct search_options){
        .request = REQUEST_OPTIONS(.task = TASK_RANK), .n_hits = DEFAULT_HITS, .word_weight = 1};
    options->request.texts = (char *const *)options->queries;
    options_read(&reading, &TABLE, 0, options, argc, argv);
    const char *format = path_kind(options->output_path, FORMAT_ENDINGS);
    if (format)
        option_default(&reading, "format", format);
    options_check(&reading);
    sort_files(options, &reading);
    if (options->n_candidates == 0)
        options->n_candidates =
            options->n_hits > DEFAULT_CANDIDATES ? options->n_hits : DEFAULT_CANDIDATES;
}
