/* encode_rules.c - options of encode that contradict one another; see encode_options.h. What they
 * ask of the model and it cannot do is checked where it is opened. */
#include "tools/encode/encode_options.h"

#include <unistd.h>

static const char *check_lengths(const void *options)
{
    const struct request_options *request = &((const struct encode_options *)options)->request;
    return request->padding.n && request->encode.max_tokens > request->padding.n
               ? "--max-tokens is more than --pad-to, which texts may not be longer than"
               : NULL;
}

static const char *check_texts(const void *options)
{
    const struct encode_options *encode = options;
    size_t n = encode->request.n_texts;
    if (encode->request.task == TASK_COMPARE && n != 2 && n != 0)
        return "--compare takes two texts, or none to read two lines of stdin";
    if (encode->request.task == TASK_SIMILARITY && n == 1)
        return "--similarity takes at least two texts";
    if (encode->are_pairs && n % 2)
        return "--pairs takes two texts for each pair: the last one has none beside it";
    return encode->pair && n != 1 ? "--pair goes with exactly one TEXT" : NULL;
}

/* Without a default, so that the compiler names a format that was forgotten. */
static bool is_printed(const struct request_options *request, enum output_format format)
{
    const enum task task = request->task;
    const engine_pooling pooling = request->encode.pooling;
    switch (format) {
    case FORMAT_TEXT:
    case FORMAT_JSON: return true;
    case FORMAT_CSV: return task != TASK_SHOW_MASK && task != TASK_COMPARE;
    case FORMAT_NPZ:
        return task == TASK_VECTORS &&
               (pooling == ENGINE_POOLING_SPARSE || pooling == ENGINE_POOLING_MODEL);
    case FORMAT_NPY:
    case FORMAT_IDS: return task == TASK_VECTORS || task == TASK_TOKENS;
    }
    return false;
}

static const char *check_format(const void *options)
{
    const struct encode_options *encode = options;
    if (is_printed(&encode->request, encode->format))
        return NULL;
    if (encode->request.task == TASK_SHOW_MASK)
        return "--show-mask prints text or json";
    if (encode->request.task == TASK_COMPARE)
        return "--compare prints text or json";
    return encode->format == FORMAT_IDS ? "-f ids prints tokens and nothing else"
           : encode->format == FORMAT_NPZ
               ? "-f npz holds sparse weights (-p sparse); vectors are -f npy, also those of "
                 "tokens, whose texts are in FILE.rows.jsonl with -o FILE"
               : "-f npy holds vectors; labels, entities, words, ranks and similarities are text, "
                 "json or csv";
}

static const char *check_tokens(const void *options)
{
    const struct encode_options *encode = options;
    const struct request_options *request = &encode->request;
    return request->task == TASK_TOKENS && request->has_pooling &&
                   request->encode.pooling != ENGINE_POOLING_NONE && encode->format != FORMAT_JSON
               ? "--tokens makes no vectors and goes without -p, unless -f json shows both"
               : NULL;
}

static const char *check_npy(const void *options)
{
    const struct encode_options *encode = options;
    if (encode->format != FORMAT_NPY && encode->format != FORMAT_NPZ)
        return NULL;
    if (encode->request.task == TASK_TOKENS && !encode->request.padding.n)
        return "--tokens -f npy is an array of ids, whose rows are of one length: --pad-to N";
    return !encode->output_path && isatty(STDOUT_FILENO)
               ? "-f npy and -f npz are not for reading, and stdout is a terminal: -o FILE"
               : NULL;
}

static const char *check_resume(const void *options)
{
    const struct encode_options *encode = options;
    return encode->resumes && isatty(STDIN_FILENO)
               ? "--resume reads the same input again, and stdin is a terminal: < FILE"
               : NULL;
}

/* Results that are no vectors and no tokens. */
#define HEADS     "labels entities fill rank similarity"
#define KEEPS_ALL "rank similarity compare show-mask"
#define PROMPTS   "prompt prompt-text query-prompt"

const struct option_rule ENCODE_RULES[] = {
    OPTION_EXCLUDES("input=jsonl", "TEXT", "--input jsonl reads stdin; it goes without TEXT"),
    OPTION_EXCLUDES("prompt", "prompt-text",
                    "--prompt, --prompt-text and --no-prompt exclude one another"),
    OPTION_EXCLUDES("no-prompt", PROMPTS,
                    "--prompt, --prompt-text and --no-prompt exclude one another"),
    OPTION_EXCLUDES("truncate-left", "on-long=chunk",
                    "--truncate-left cuts texts; it goes without --on-long chunk"),
    OPTION_EXCLUDES("truncation truncate-left", "on-long=error on-long=skip",
                    "--truncation and --truncate-left cut texts; they go without --on-long error"),
    OPTION_NEEDS("top", "fill rank", "--top goes with --fill or --rank"),
    OPTION_NEEDS("in-order query-prompt", "rank", "--in-order and --query-prompt go with --rank"),
    OPTION_EXCLUDES("in-order", "top", "--in-order prints every text; it goes without --top"),
    OPTION_NEEDS("raw-scores", "labels entities fill rank",
                 "--raw-scores goes with --labels, --entities, --fill or --rank"),
    OPTION_NEEDS("stride!=0", "on-long=chunk",
                 "--stride is the overlap of windows; it goes with --on-long chunk"),
    OPTION_EXCLUDES("pad-to", HEADS " compare",
                    "--pad-to goes with vectors, --tokens, -f ids and --show-mask"),
    OPTION_NEEDS("pad-side", "pad-to show-mask", "--pad-side goes with --pad-to or --show-mask"),
    OPTION_NEEDS("pad-id", "pad-to show-mask input=jsonl",
                 "--pad-id goes with --pad-to, --show-mask or --input jsonl"),
    {.check = check_lengths},
    {.check = check_format},
    OPTION_EXCLUDES("show-mask", "pooling normalize",
                    "--show-mask makes no vectors; it goes without -p and --normalize"),
    OPTION_EXCLUDES("show-mask", "on-long=chunk",
                    "--show-mask gives one row per text; it goes without --on-long chunk"),
    POSITION_RULE(struct encode_options, request.positions),
    OPTION_EXCLUDES(
        "compare", "input=jsonl",
        "--compare takes two texts, or two lines of stdin; it goes without --input jsonl"),
    OPTION_EXCLUDES("compare", "pooling normalize",
                    "--compare looks at tokens; it goes without -p and --normalize"),
    OPTION_EXCLUDES("compare", "pair", "--compare goes without --tokens and --pair"),
    OPTION_EXCLUDES("compare", PROMPTS " on-long=chunk",
                    "--compare takes texts as they are; it goes without prompts and windows"),
    OPTION_EXCLUDES(HEADS, "normalize",
                    "--normalize is for vectors, which --labels, --entities, --fill, --rank and "
                    "--similarity do not print"),
    OPTION_EXCLUDES("labels entities fill", "pooling",
                    "-p makes vectors, which --labels, --entities and --fill do not print"),
    OPTION_EXCLUDES("rank", "pair", "--rank pairs each text with QUERY; it goes without --pair"),
    OPTION_EXCLUDES("similarity", "pair",
                    "--similarity takes single texts; it goes without --pair"),
    OPTION_EXCLUDES("rank", "pooling=none",
                    "--rank by cosine needs a vector per text; it goes without -p none"),
    OPTION_EXCLUDES("similarity", "pooling=none pooling=colbert",
                    "--similarity needs a vector per text; it goes without -p none and colbert"),
    OPTION_EXCLUDES("normalize", "pooling=sparse",
                    "--normalize scales vectors; it goes without -p sparse"),
    OPTION_EXCLUDES("dimensions", "pooling=none pooling=sparse",
                    "--dimensions cuts vectors of texts, and those of -p colbert"),
    OPTION_NEEDS("dimensions", "pooling rank similarity",
                 "--dimensions cuts vectors of texts, and those of -p colbert: it goes with -p, "
                 "--rank or --similarity"),
    OPTION_EXCLUDES("pad-to", "pooling=colbert",
                    "--pad-to adds rows of zeros; it cannot be combined with -p colbert"),
    OPTION_EXCLUDES("rank", "on-long=chunk",
                    "--rank gives one score per text; it goes without --on-long chunk"),
    OPTION_EXCLUDES("similarity", "on-long=chunk",
                    "--similarity gives one row per text; it goes without --on-long chunk"),
    OPTION_NEEDS("pairs", "similarity", "--pairs goes with --similarity"),
    OPTION_NEEDS("pairs", "input=jsonl TEXT",
                 "--pairs reads pairs of JSON lines (--input jsonl), or two TEXTs for each"),
    {.check = check_texts},
    OPTION_NEEDS("type", "format=npy", "--type is that of the vectors of -f npy"),
    OPTION_EXCLUDES("type", "tokens", "--type is that of vectors, which --tokens does not make"),
    OPTION_EXCLUDES("format=ids", "pooling!=none normalize",
                    "-f ids makes no vectors; it goes without -p and --normalize"),
    {.check = check_tokens},
    OPTION_NEEDS(
        "normalize", "pooling!=none",
        "--normalize scales the vectors of texts; it goes with -p mean, cls, max or model"),
    {.check = check_npy},
    OPTION_EXCLUDES("resume", "restart", "--resume and --restart exclude one another"),
    OPTION_EXCLUDES("resume restart", "TEXT",
                    "--resume goes on with lines of stdin, not with TEXT"),
    OPTION_EXCLUDES("resume restart", KEEPS_ALL " format=npz",
                    "--resume goes with one result per text in -f npy, json, csv, text or ids"),
    OPTION_EXCLUDES("on-error=skip on-long=skip", KEEPS_ALL,
                    "texts that belong together are not left out: --on-error skip and --on-long "
                    "skip go without --rank, --similarity, --compare and --show-mask"),
    OPTION_NEEDS("report", "on-error=skip on-long=skip",
                 "--report tells what is left out: it goes with --on-error skip or --on-long skip"),
    OPTION_NEEDS("report", "output", "--report is written with -o FILE; else stderr tells"),
    OPTION_NEEDS("resume restart", "output!=-",
                 "--resume and --restart go on with a file: they go with -o FILE"),
    {.check = check_resume},
    {0},
};
