/* encode_options.c - the command line of encode as a table, and its rules; see encode_options.h. */
#include "tools/encode/encode_options.h"

#include "tools/common/options.h"
#include "tools/common/options/option_table.h"
#include "tools/common/texts/reader.h"
#include "tools/encode/corpus/corpus.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FLAG(member)                 FLAG_AT(struct encode_options, member)
#define TEXT(member)                 TEXT_AT(struct encode_options, member)
#define COUNT(member, least, most)   COUNT_AT(struct encode_options, member, least, most)
#define CHOICE(member, first, names) CHOICE_AT(struct encode_options, member, first, names)
#define GIVEN(member)                GIVEN_AT(struct encode_options, member)

enum { PAD_TO_MOST = 1 << 20 }; /* as long as a model's longest sequence may be */

/* ---- Values that are more than one member ---- */

static void set_task(void *options, const struct option_use *use)
{
    struct encode_options *encode = options;
    enum task *task = &encode->request.task, wanted = (enum task)use->row->value;
    if (*task == TASK_RANK && wanted == TASK_RANK)
        program_die_misused("--rank is given twice, and has one value");
    if (*task != TASK_VECTORS && *task != wanted)
        program_die_misused("%s and %s are different results: ask for one of them",
                            task_option(*task), task_option(wanted));
    *task = wanted;
    if (wanted == TASK_RANK)
        encode->query = use->text;
    if (wanted == TASK_LABELS)
        encode->request.labels_of = use->text;
}

/* For the engine, a text to be split into windows or skipped is an error. */
static void set_on_long(void *options, const struct option_use *use)
{
    struct request_options *request = &((struct encode_options *)options)->request;
    request->is_chunked = strcmp(use->text, "chunk") == 0;
    request->skips_long = strcmp(use->text, "skip") == 0;
    if (request->is_chunked || request->skips_long)
        request->encode.on_long = ENGINE_ON_LONG_ERROR;
}

/* ---- The options ---- */

#define INPUTS "text jsonl csv tsv"

static const struct option_row INPUT_ROWS[] = {
    {"input", 0, "KIND",
     "read stdin, or the files TEXT, as text; as csv or tsv, see --column; or as\n"
     "jsonl: each line is \"text\", [\"text\", \"pair\"],\n"
     "{\"text\": …, \"pair\": …} or {\"ids\": […], \"types\": […], \"mask\": […]}",
     CHOICE(request.input, INPUT_TEXT, INPUTS), GIVEN(has_input)},
    {"column", 0, "NAME", "--input csv or tsv: the column of texts (default text, or the only one)",
     TEXT(request.column), .most = 1, .needs = "input=csv input=tsv"},
    {"pair", 0, "TEXT", "encode this second text together with the one TEXT", TEXT(request.pair),
     .most = 1},
    {"prompt", 0, "NAME", "prepend the file's prompt NAME to texts; -p model: its default",
     TEXT(request.encode.prompt)},
    {"prompt-text", 0, "TEXT", "prepend this to each text", TEXT(request.encode.prompt_text)},
    {"no-prompt", 0, NULL, "prepend no prompt to texts", FLAG(request.no_prompt)},
    {"no-special", 0, NULL, "add no special tokens to texts", FLAG(request.encode.no_special)},
};

static const struct option_row LENGTH_ROWS[] = {
    {"max-tokens", 0, "N", "allow N tokens per text; default the model's limit",
     COUNT(request.encode.max_tokens, 1, INT32_MAX)},
    {"on-long", 0, "KIND",
     "if a text is longer: truncate, error, chunk (encode windows of it)\n"
     "or skip; default what the model says, else error",
     CHOICE(request.encode.on_long, ENGINE_ON_LONG_TRUNCATE, "truncate error chunk skip"),
     .set = set_on_long},
    {"stride", 0, "N", "let neighbouring windows share N tokens (default 0)",
     COUNT(request.encode.stride, 0, INT32_MAX)},
    {"truncation", 0, "KIND", "cut this text of a pair: longest-first, only-first, only-second",
     CHOICE(request.encode.truncation, ENGINE_TRUNCATE_LONGEST_FIRST,
            "longest-first only-first only-second"),
     GIVEN(request.has_truncation)},
    {"truncate-left", 0, NULL, "cut the start of texts, not the end",
     FLAG(request.encode.truncate_left)},
    {"pad-to", 0, "N", "pad shorter texts to N tokens; the rows of padding are zeros",
     COUNT(request.padding.n, 1, PAD_TO_MOST)},
    {"pad-side", 0, "SIDE", "put padding on the left, or right (default)",
     CHOICE(request.padding.is_left, true, "left right=0"), .needs = "pad-to"},
    {"pad-id", 0, "N", "id of padding; in ids of --input jsonl, N at the ends is padding too",
     SET_BY(request_set_pad_id), GIVEN(request.padding.is_named), .needs = "pad-to input=jsonl"},
};

static const struct option_row CORPUS_ROWS[] = {
    {"on-error", 0, "KIND", "if a text has no result: error (default), or skip",
     CHOICE(skips_errors, false, "error skip")},
    {"report", 0, "FILE", "list skipped texts and why; default FILE.left-out.jsonl of -o FILE",
     TEXT(report_path), .needs = "on-error=skip on-long=skip", .keeps_output = true},
    {"words", 0, NULL, "write FILE.words, too, for encode-search --hybrid; -f npy", FLAG(has_words),
     .needs = "format=npy"},
    {"resume", 0, NULL, "continue -o FILE where a run that was stopped or failed ended",
     FLAG(resumes), .keeps_output = true},
    {"restart", 0, NULL, "delete what such a run has left, and start over", FLAG(restarts),
     .keeps_output = true},
};

#define TASK(task) SET_BY(set_task), .value = (task)

static const struct option_row RESULT_ROWS[] = {
    {"pooling", 'p', "KIND",
     "make a vector per token: none (default), colbert; weights of ids: sparse;\n"
     "per text: " ENGINE_TEXT_POOLINGS ", model\n"
     "(default of -o FILE, -f npy and npz without --pad-to)",
     NAMED_AT(struct encode_options, request.encode.pooling,
              "none " ENGINE_TEXT_POOLINGS " sparse colbert model", engine_pooling_named),
     GIVEN(request.has_pooling)},
    {"spans", 0, NULL,
     "make a vector of each span of a text: lines are {\"text\": …, \"spans\": [[begin, end],\n"
     "…]}, in bytes; the whole text is encoded once; default -p model, else mean",
     FLAG(request.has_spans), .needs = "input=jsonl"},
    {"dimensions", 0, "N", "cut vectors to N columns; scale them to length 1 again if they had it",
     COUNT(request.encode.dimensions, 1, INT32_MAX), .needs = "pooling rank"},
    {"normalize", 0, NULL, "scale the vectors of texts to length 1",
     FLAG(request.encode.normalize)},
    {"tokens", 0, NULL, "print tokens, no vectors; with -p and -f json beside the vector",
     TASK(TASK_TOKENS)},
    {"rank", 0, "QUERY", "score how well each text answers: by a cross-encoder, else by -p",
     TASK(TASK_RANK)},
    {"labels", 0, NULL, "print label and score of each text, or of each token", TASK(TASK_LABELS)},
    {"labels-of", 0, "LIST",
     "print which of these labels fits each text, \"sport,food\", by a model of\n"
     "entailment (NLI, zero-shot)",
     TASK(TASK_LABELS), .most = 1},
    {"template", 0, "TEXT",
     "--labels-of: what a label says of a text (default \"This example is {}.\")",
     TEXT(request.hypothesis), .needs = "labels-of"},
    {"multi", 0, NULL, "--labels-of: score each label alone, as several may fit",
     FLAG(request.is_multi), .needs = "labels-of"},
    {"entities", 0, NULL, "print names and the like with label, score, span", TASK(TASK_ENTITIES)},
    {"strategy", 0, "KIND",
     "--entities: simple (default) joins tokens of one label, none does not;\n"
     "first, average, max join words by the label of these of their tokens",
     CHOICE(request.encode.strategy, ENGINE_STRATEGY_SIMPLE, "simple first average max none"),
     .needs = "entities"},
    {"fill", 0, NULL, "print words for each mask token, with probability", TASK(TASK_FILL)},
    {"top", 0, "N", "--fill: print N words (default 5); --rank: print the best N",
     COUNT(request.top, 1, INT32_MAX), .needs = "fill rank"},
    {"in-order", 0, NULL, "--rank: print scores in the order of the input", FLAG(in_order),
     .needs = "rank"},
    {"query-prompt", 0, "P", "--rank: prepend the file's prompt P to QUERY",
     TEXT(request.encode.query_prompt), .needs = "rank"},
    {"raw-scores", 0, NULL, "print logits, not probabilities", FLAG(request.encode.raw_scores),
     .needs = "labels entities fill rank"},
};

static const struct option_row FORMAT_ROWS[] = {
    {"format", 'f', "KIND",
     "print text, json (an object per line), csv, npy (see --type; with --tokens\n"
     "--pad-to int32), npz (-p sparse), or ids; default as -o FILE ends in .json,\n"
     ".jsonl, .csv, .npy or .npz, else text",
     CHOICE(format, FORMAT_TEXT, OUTPUT_FORMATS(OUTPUT_FORMAT_TEXT))},
    {"type", 0, "TYPE", "-f npy: write f32 (default), f16, int8 or binary (signs, packed)",
     CHOICE(type, ENGINE_F32, "f32 f16 int8 binary"), .needs = "format=npy"},
    {"all", 0, NULL, "-f text: print every value, not only the first; --labels: every label",
     FLAG(all_values)},
    {"progress", 0, NULL, "print texts and tokens per second on stderr, even if it is no terminal",
     FLAG(has_progress), .keeps_output = true},
    {"output", 'o', "FILE", "write to FILE, which is replaced at the end; -: stdout",
     OUTPUT_AT(struct encode_options, output_path), .keeps_output = true},
};

static const struct option_group GROUPS[] = {
    {OPTION_GROUP("Model", REQUEST_MODEL_ROWS), .base = offsetof(struct encode_options, request)},
    POSITION_GROUP(POSITION_ROWS, struct encode_options, request.positions),
    POSITION_GROUP(EMBEDDING_SCALE_ROWS, struct encode_options, request.positions),
    {OPTION_GROUP(NULL, REQUEST_SESSION_ROWS), .base = offsetof(struct encode_options, request)},
    {OPTION_GROUP("Input", INPUT_ROWS)},
    {OPTION_GROUP("Long texts, short texts", LENGTH_ROWS)},
    {OPTION_GROUP("Result", RESULT_ROWS)},
    {OPTION_GROUP("Output", FORMAT_ROWS)},
    {OPTION_GROUP("A corpus", CORPUS_ROWS)},
    OPTION_GENERAL,
};

/* ---- Options that contradict each other; encoder_open checks what the model cannot do ---- */

static bool has_vector_of_text(const struct request_options *request)
{
    return request->has_pooling && request->encode.pooling != ENGINE_POOLING_NONE;
}

/* Returns the message of what rules of names cannot express, or NULL. */
static const char *check_options(const void *options)
{
    static const unsigned TASKS[] = {OUTPUT_FORMATS(OUTPUT_FORMAT_TASKS)};
    const struct encode_options *encode = options;
    const struct request_options *request = &encode->request;
    const engine_pooling pooling = request->encode.pooling;
    const enum task task = request->task;
    const enum output_format format = encode->format;
    const bool is_array = format == FORMAT_NPY || format == FORMAT_NPZ;
    const size_t n = request->n_texts, pad_to = request->padding.n;
    if (pad_to && request->encode.max_tokens > pad_to)
        return "--max-tokens is more than --pad-to, which texts may not be longer than";
    if (!(TASKS[format] >> task & 1) || (format == FORMAT_NPZ && pooling != ENGINE_POOLING_SPARSE &&
                                         pooling != ENGINE_POOLING_MODEL))
        return format == FORMAT_IDS ? "-f ids prints tokens and nothing else"
               : format == FORMAT_NPZ
                   ? "-f npz holds sparse weights (-p sparse); vectors are -f npy, also those of "
                     "tokens, whose texts are in FILE.rows.jsonl with -o FILE"
                   : "-f npy holds vectors; labels, entities, words and ranks are text, json or "
                     "csv";
    if (request->pair && n != 1)
        return "--pair requires exactly one TEXT";
    if (task == TASK_TOKENS && has_vector_of_text(request) && format != FORMAT_JSON)
        return "--tokens and -p are printed together by -f json only";
    if (is_array && task == TASK_TOKENS && !pad_to)
        return "--tokens -f npy is an array of ids, whose rows are of one length: --pad-to N";
    if (is_array && !encode->output_path && isatty(STDOUT_FILENO))
        return "-f npy and -f npz are not readable, and stdout is a terminal: -o FILE";
    if (encode->resumes && isatty(STDIN_FILENO))
        return "--resume reads the same input again, and stdin is a terminal: < FILE";
    return position_options_conflict(&request->positions, request->positions.position);
}

#define HEADS   "labels labels-of entities fill rank"
#define PROMPTS "prompt prompt-text query-prompt"

static const struct option_rule RULES[] = {
    OPTION_EXCLUDES("prompt", "prompt-text", NULL),
    OPTION_EXCLUDES("no-prompt", PROMPTS, NULL),
    OPTION_EXCLUDES("truncate-left", "on-long=chunk", NULL),
    OPTION_EXCLUDES("truncation truncate-left", "on-long=error on-long=skip", NULL),
    OPTION_EXCLUDES("in-order", "top", NULL),
    OPTION_NEEDS("stride!=0", "on-long=chunk", NULL),
    OPTION_EXCLUDES("pad-to", HEADS " pooling=colbert", NULL),
    OPTION_EXCLUDES("labels labels-of entities fill", "pooling normalize", NULL),
    OPTION_EXCLUDES("labels-of", "labels pair no-special on-long=chunk", NULL),
    OPTION_EXCLUDES("rank", "normalize pair pooling=none on-long=chunk", NULL),
    OPTION_EXCLUDES("type", "tokens", NULL),
    OPTION_EXCLUDES("format=ids", "pooling!=none normalize", NULL),
    OPTION_NEEDS("normalize", "pooling!=none",
                 "--normalize requires a vector per text: -p " ENGINE_TEXT_POOLINGS " or model"),
    OPTION_EXCLUDES("spans",
                    HEADS " tokens pair pad-to on-long=chunk pooling=none pooling=sparse "
                          "pooling=colbert format=ids format=npz",
                    NULL),
    OPTION_EXCLUDES("resume", "restart", NULL),
    OPTION_EXCLUDES("words resume restart", "TEXT rank format=npz", NULL),
    OPTION_EXCLUDES("on-error=skip on-long=skip", "rank", NULL),
    OPTION_NEEDS("words report resume restart", "output!=-", NULL),
    {.check = check_options},
    {0},
};

/* ---- The complete command line ---- */

static const struct option_command COMMAND = {
    .usage = "[OPTION ...] [TEXT ... | FILE ...]\n"
             "[OPTION ...] --rank QUERY [TEXT ...]\n",
    .about = "\n"
             "Turns texts into vectors with a transformer encoder: by default one line per token\n"
             "with its index, text, id, span in bytes, first values and norm. Without TEXT, every\n"
             "line of stdin, or of files (.txt, .jsonl, .csv, .tsv), is a text, and line k of the\n"
             "input is result k.\n"
             "\n"
             "  encode \"I ride bike\"                            one vector per token\n"
             "  encode -o out.npy lines.txt                     one vector per line, for NumPy\n"
             "  encode-search out.npy lines.txt --query bikes   the lines that are nearest\n"
             "  encode -m FILE --rank \"who rides?\" < lines.txt  lines, best answer first\n",
};

static const struct option_table TABLE = {
    OPTION_TABLE(&COMMAND, 1, GROUPS, 25),
    .rules = RULES,
    .end = "Exit codes: 0 done, 1 failed, 2 misused. Manual: man encode.",
    .elsewhere = "--compare encode-compare words\n"
                 "--similarity encode-compare similarity\n"
                 "--pairs encode-compare pairs\n"
                 "--show-mask encode-compare mask\n",
};

/* Files whose lines are texts. */
static const struct path_ending INPUT_ENDINGS[] = {
    {".txt", "text"}, {".jsonl", "jsonl"}, {".csv", "csv"}, {".tsv", "tsv"}, {0}};

/* TEXTs are files with --input, or if all are files with an ending, all of one kind: then their
 * lines are the texts, as if stdin had them one after the other. */
static void choose_files(struct encode_options *options, struct option_reading *reading)
{
    struct request_options *request = &options->request;
    char **paths = reading->arguments;
    const size_t n = reading->n_arguments;
    const char *kind = NULL; /* of the first */
    struct stat status;
    for (size_t i = 0; i < n && !(i && options->has_input); i++) {
        const char *found = path_kind(paths[i], INPUT_ENDINGS);
        if (found && (stat(paths[i], &status) != 0 || !S_ISREG(status.st_mode)))
            found = NULL;
        if (i == 0)
            kind = found;
        else if (found != kind)
            program_die_misused(
                "'%s' is a file and '%s' is none of its kind; expected files of one ending, or %s",
                paths[kind ? 0 : i], paths[kind ? i : 0], kind ? "--input KIND" : "texts alone");
    }
    if (kind && strcmp(kind, "text") != 0) /* the default, also of a run that --resume continues */
        option_default(reading, "input", kind);
    if (n > 0 && (kind || options->has_input)) {
        request->files = paths;
        request->n_files = n;
        reader_open_file(paths[0]);
    } else {
        request->texts = paths;
        request->n_texts = n;
    }
    reading->n_arguments = request->n_texts;
}

void encode_options_note(const struct encode_options *options)
{
    char *const *texts = options->request.texts;
    const size_t n = options->request.n_texts;
    static const char *const COMMANDS[] = {"words", "similarity", "pairs", "mask"};
    bool is_noted = false;
    for (size_t i = 0; n > 1 && i < sizeof COMMANDS / sizeof *COMMANDS; i++)
        if (strcmp(texts[0], COMMANDS[i]) == 0)
            program_note("text 1 is '%s'; `encode-compare %s ...` compares texts", texts[0],
                         texts[0]);
    for (size_t i = 0; i < n && !is_noted; i++) {
        const char *text = texts[i], *kind = path_kind(text, INPUT_ENDINGS);
        struct stat file = {0};
        const bool exists = stat(text, &file) == 0 && access(text, R_OK) == 0;
        const bool is_file = exists && S_ISREG(file.st_mode);
        is_noted = exists && S_ISDIR(file.st_mode) && text[strspn(text, "./")];
        if (is_noted)
            program_note("text %zu is the name of a folder; `encode %s/*.txt` encodes the lines of "
                         "its files",
                         i + 1, text);
        const bool is_named = is_file || ((kind || path_ends_in(text, ".json")) &&
                                          strrchr(text, '.') > text && !strpbrk(text, " \t\n"));
        if (is_named && !is_noted)
            program_note("text %zu %s; `encode ...%s < %s` encodes its lines", i + 1,
                         is_file ? "is the name of a file" : "looks like the name of a file",
                         kind && strcmp(kind, "jsonl") == 0 ? " --input jsonl" : "", text);
        is_noted = is_noted || is_named;
    }
}

/* What goes into an array or a file is for programs, which want a vector per text; what is printed
 * is for people, who look at tokens. Padding is of tokens. */
void encode_options_read(struct encode_options *options, int argc, char **argv)
{
    static const struct path_ending FORMAT_ENDINGS[] = {{".json", "json"}, {".jsonl", "json"},
                                                        {".csv", "csv"},   {".npy", "npy"},
                                                        {".npz", "npz"},   {0}};
    struct request_options *request = &options->request;
    struct option_reading reading;
    *options = (struct encode_options){.request = REQUEST_OPTIONS()};
    request->encode.pooling = ENGINE_POOLING_NONE;
    options_read(&reading, &TABLE, 0, options, argc, argv);
    choose_files(options, &reading);
    const char *format = path_kind(options->output_path, FORMAT_ENDINGS);
    if (format)
        option_default(&reading, "format", format);
    const bool is_array = options->format == FORMAT_NPY || options->format == FORMAT_NPZ;
    options->has_own_pooling = request->task == TASK_VECTORS && request->padding.n == 0 &&
                               options->format != FORMAT_IDS &&
                               (is_array || options->output_path || request->has_spans) &&
                               option_default(&reading, "pooling", "model");
    options_check(&reading);
    if (options->output_path)
        options->settings = settings_of_options(&reading);
    if (options->format == FORMAT_IDS)
        request->task = TASK_TOKENS;
    if (request->task == TASK_TOKENS && has_vector_of_text(request)) {
        request->task = TASK_VECTORS;
        request->with_tokens = true;
    }
    const bool is_cut = request->has_truncation || request->encode.truncate_left;
    if ((is_cut && !request->is_chunked) ||
        (request->labels_of && request->encode.on_long == ENGINE_ON_LONG_MODEL))
        request->encode.on_long = ENGINE_ON_LONG_TRUNCATE;
}
