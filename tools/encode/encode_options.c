/* encode_options.c - the command line of encode; see encode_options.h and man/encode.1. The help is
 * in encode_help.c, what excludes what in encode_conflict.c. */
#include "tools/encode/encode_options.h"

#include "tools/common/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum long_option {
    OPTION_POSITION = 256, /* and the others of POSITION_LONG_OPTIONS */
    OPTION_MASK = OPTION_POSITION + N_POSITION_OPTIONS,
    OPTION_INPUT,
    OPTION_PAIR,
    OPTION_PROMPT,
    OPTION_PROMPT_TEXT,
    OPTION_QUERY_PROMPT,
    OPTION_NO_PROMPT,
    OPTION_NO_SPECIAL,
    OPTION_MAX_TOKENS,
    OPTION_ON_LONG,
    OPTION_STRIDE,
    OPTION_TRUNCATION,
    OPTION_TRUNCATE_LEFT,
    OPTION_PAD_TO,
    OPTION_PAD_SIDE,
    OPTION_PAD_ID,
    OPTION_NORMALIZE,
    OPTION_TOKENS,
    OPTION_SHOW_MASK,
    OPTION_COMPARE,
    OPTION_SIMILARITY,
    OPTION_RANK,
    OPTION_LABELS,
    OPTION_ENTITIES,
    OPTION_FILL,
    OPTION_TOP,
    OPTION_IN_ORDER,
    OPTION_RAW_SCORES,
    OPTION_ALL,
    OPTION_PROGRESS,
    OPTION_VERSION
};

static const struct option LONG_OPTIONS[] = {
    {"model", required_argument, NULL, 'm'},
    POSITION_LONG_OPTIONS(OPTION_POSITION),
    {"mask", required_argument, NULL, OPTION_MASK},
    {"threads", required_argument, NULL, 't'},
    {"input", required_argument, NULL, OPTION_INPUT},
    {"pair", required_argument, NULL, OPTION_PAIR},
    {"prompt", required_argument, NULL, OPTION_PROMPT},
    {"prompt-text", required_argument, NULL, OPTION_PROMPT_TEXT},
    {"query-prompt", required_argument, NULL, OPTION_QUERY_PROMPT},
    {"no-prompt", no_argument, NULL, OPTION_NO_PROMPT},
    {"no-special", no_argument, NULL, OPTION_NO_SPECIAL},
    {"max-tokens", required_argument, NULL, OPTION_MAX_TOKENS},
    {"on-long", required_argument, NULL, OPTION_ON_LONG},
    {"stride", required_argument, NULL, OPTION_STRIDE},
    {"truncation", required_argument, NULL, OPTION_TRUNCATION},
    {"truncate-left", no_argument, NULL, OPTION_TRUNCATE_LEFT},
    {"pad-to", required_argument, NULL, OPTION_PAD_TO},
    {"pad-side", required_argument, NULL, OPTION_PAD_SIDE},
    {"pad-id", required_argument, NULL, OPTION_PAD_ID},
    {"pooling", required_argument, NULL, 'p'},
    {"normalize", no_argument, NULL, OPTION_NORMALIZE},
    {"tokens", no_argument, NULL, OPTION_TOKENS},
    {"show-mask", no_argument, NULL, OPTION_SHOW_MASK},
    {"compare", no_argument, NULL, OPTION_COMPARE},
    {"similarity", no_argument, NULL, OPTION_SIMILARITY},
    {"rank", required_argument, NULL, OPTION_RANK},
    {"labels", no_argument, NULL, OPTION_LABELS},
    {"entities", no_argument, NULL, OPTION_ENTITIES},
    {"fill", no_argument, NULL, OPTION_FILL},
    {"top", required_argument, NULL, OPTION_TOP},
    {"in-order", no_argument, NULL, OPTION_IN_ORDER},
    {"raw-scores", no_argument, NULL, OPTION_RAW_SCORES},
    {"format", required_argument, NULL, 'f'},
    {"all", no_argument, NULL, OPTION_ALL},
    {"progress", no_argument, NULL, OPTION_PROGRESS},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0}};

enum { PAD_TO_MOST = 1 << 20 }; /* as long as a model's longest sequence may be */

/* The names of a choice and what each stands for. */
enum { CHOICES_MAX = 9 };

struct choice {
    const char *option;
    size_t n;
    const char *names[CHOICES_MAX];
    int values[CHOICES_MAX];
};

static const struct choice POOLING = {
    .option = "-p",
    .n = 9,
    .names = {"none", "mean", "cls", "max", "mean_sqrt", "weighted_mean", "last", "pooler",
              "model"},
    .values = {ENGINE_POOLING_NONE, ENGINE_POOLING_MEAN, ENGINE_POOLING_CLS, ENGINE_POOLING_MAX,
               ENGINE_POOLING_MEAN_SQRT, ENGINE_POOLING_WEIGHTED_MEAN, ENGINE_POOLING_LAST,
               ENGINE_POOLING_POOLER, ENGINE_POOLING_MODEL},
};
static const struct choice FORMAT = {
    .option = "-f",
    .n = 5,
    .names = {"text", "json", "csv", "npy", "ids"},
    .values = {FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_NPY, FORMAT_IDS},
};
static const struct choice MASK = {
    .option = "--mask",
    .n = 3,
    .names = {"model", "full", "causal"},
    .values = {ENGINE_MASK_MODEL, ENGINE_MASK_FULL, ENGINE_MASK_CAUSAL},
};
enum { ON_LONG_CHUNK = ENGINE_ON_LONG_ERROR + 1 };
static const struct choice ON_LONG = {
    .option = "--on-long",
    .n = 3,
    .names = {"truncate", "error", "chunk"},
    .values = {ENGINE_ON_LONG_TRUNCATE, ENGINE_ON_LONG_ERROR, ON_LONG_CHUNK},
};
static const struct choice TRUNCATION = {
    .option = "--truncation",
    .n = 3,
    .names = {"longest-first", "only-first", "only-second"},
    .values = {ENGINE_TRUNCATE_LONGEST_FIRST, ENGINE_TRUNCATE_ONLY_FIRST,
               ENGINE_TRUNCATE_ONLY_SECOND},
};
static const struct choice PAD_SIDE = {
    .option = "--pad-side",
    .n = 2,
    .names = {"left", "right"},
    .values = {true, false},
};
static const struct choice INPUT = {
    .option = "--input",
    .n = 2,
    .names = {"text", "jsonl"},
    .values = {false, true},
};

static bool choose(const struct choice *choice, const char *text, int *value)
{
    size_t index;
    if (!option_choice(choice->option, text, choice->names, choice->n, &index))
        return false;
    *value = choice->values[index];
    return true;
}

static bool read_pad_id(struct encode_options *options, const char *text)
{
    bool is_negative = text[0] == '-';
    uint64_t most = (uint64_t)INT32_MAX + is_negative, magnitude;
    if (!option_number(is_negative ? "--pad-id -" : "--pad-id", text + is_negative, 0, most,
                       &magnitude))
        return false;
    options->request.pad_id = (int32_t)(is_negative ? -(int64_t)magnitude : (int64_t)magnitude);
    return options->request.has_pad_id = true;
}

static bool set_task(struct encode_options *options, enum task task)
{
    if (options->request.task != TASK_VECTORS && options->request.task != task) {
        program_note("%s and %s are different results: ask for one of them",
                     task_option(options->request.task), task_option(task));
        return false;
    }
    options->request.task = task;
    return true;
}

/* The options whose value is a text; false: it is none of these. */
static bool read_text(struct encode_options *options, int option, const char *text)
{
    switch (option) {
    case 'm': options->request.model_path = text; return true;
    case 'o': options->output_path = strcmp(text, "-") == 0 ? NULL : text; return true;
    case OPTION_PAIR: options->pair = text; return true;
    case OPTION_PROMPT: options->request.prompt = text; return true;
    case OPTION_PROMPT_TEXT: options->request.prompt_text = text; return true;
    case OPTION_QUERY_PROMPT: options->request.query_prompt = text; return true;
    default: return false;
    }
}

/* One other option that takes a value. */
static bool read_value(struct encode_options *options, int option, const char *text)
{
    int value = 0;
    bool is_good = true;

    if (option >= OPTION_POSITION && option < OPTION_POSITION + N_POSITION_OPTIONS)
        return position_options_set(&options->request.positions,
                                    (enum position_option)(option - OPTION_POSITION), text);
    switch (option) {
    case OPTION_RANK: options->query = text; return set_task(options, TASK_RANK);
    case OPTION_TOP: return option_count("--top", text, 1, INT32_MAX, &options->request.top);
    case OPTION_STRIDE:
        return option_count("--stride", text, 0, INT32_MAX, &options->request.stride);
    case 't': return option_count("-t", text, 1, 1024, &options->request.n_threads);
    case OPTION_MAX_TOKENS:
        return option_count("--max-tokens", text, 1, INT32_MAX, &options->request.max_tokens);
    case OPTION_PAD_TO:
        return option_count("--pad-to", text, 1, PAD_TO_MOST, &options->request.pad_to);
    case OPTION_PAD_ID: return read_pad_id(options, text);
    case 'p':
        is_good = choose(&POOLING, text, &value);
        options->request.pooling = (engine_pooling)value;
        options->request.has_pooling = true;
        break;
    case 'f':
        is_good = choose(&FORMAT, text, &value);
        options->format = (enum output_format)value;
        break;
    case OPTION_MASK:
        is_good = choose(&MASK, text, &value);
        options->request.mask = (engine_mask)value;
        break;
    case OPTION_ON_LONG:
        is_good = choose(&ON_LONG, text, &value);
        options->request.is_chunked = value == ON_LONG_CHUNK;
        options->request.on_long =
            options->request.is_chunked ? ENGINE_ON_LONG_ERROR : (engine_on_long)value;
        break;
    case OPTION_TRUNCATION:
        is_good = choose(&TRUNCATION, text, &value);
        options->request.truncation = (engine_truncation)value;
        options->request.has_truncation = true;
        break;
    case OPTION_PAD_SIDE:
        is_good = choose(&PAD_SIDE, text, &value);
        options->request.pad_left = value;
        options->request.has_pad_side = true;
        break;
    case OPTION_INPUT:
        is_good = choose(&INPUT, text, &value);
        options->request.is_json_input = value;
        break;
    default: return false;
    }
    return is_good;
}

/* One option that is there or not; false: it is none of these, or contradicts another. */
static bool read_flag(struct encode_options *options, int option)
{
    switch (option) {
    case OPTION_NO_PROMPT: return options->request.no_prompt = true;
    case OPTION_NO_SPECIAL: return options->request.no_special = true;
    case OPTION_TRUNCATE_LEFT: return options->request.truncate_left = true;
    case OPTION_NORMALIZE: return options->request.normalize = true;
    case OPTION_IN_ORDER: return options->in_order = true;
    case OPTION_RAW_SCORES: return options->request.raw_scores = true;
    case OPTION_ALL: return options->all_values = true;
    case OPTION_PROGRESS: return options->has_progress = true;
    case OPTION_TOKENS: return set_task(options, TASK_TOKENS);
    case OPTION_SHOW_MASK: return set_task(options, TASK_SHOW_MASK);
    case OPTION_COMPARE: return set_task(options, TASK_COMPARE);
    case OPTION_SIMILARITY: return set_task(options, TASK_SIMILARITY);
    case OPTION_LABELS: return set_task(options, TASK_LABELS);
    case OPTION_ENTITIES: return set_task(options, TASK_ENTITIES);
    case OPTION_FILL: return set_task(options, TASK_FILL);
    default: return false;
    }
}

static bool read_option(struct encode_options *options, int option, const char *text)
{
    return text ? read_text(options, option, text) || read_value(options, option, text)
                : read_flag(options, option);
}

/* As long as it goes well. */
static bool read_all(struct encode_options *options, int argc, char **argv, int *exit_code)
{
    int option;
    *options = (struct encode_options){.request.pooling = ENGINE_POOLING_NONE};

    while ((option = getopt_long(argc, argv, "m:t:p:f:o:h", LONG_OPTIONS, NULL)) != -1) {
        if (option == 'h') {
            fputs(ENCODE_HELP, stdout);
            *exit_code = program_help(ENCODE_HELP_RESULT);
            return false;
        }
        if (option == OPTION_VERSION) {
            *exit_code = program_version();
            return false;
        }
        if (!read_option(options, option, optarg)) {
            *exit_code = program_usage();
            return false;
        }
    }
    options->request.texts = argv + optind;
    options->request.n_texts = (size_t)(argc - optind);
    const char *reason = encode_options_conflict(options);
    if (reason) {
        *exit_code = program_misuse("%s", reason);
        return false;
    }
    if (options->format == FORMAT_IDS)
        options->request.task = TASK_TOKENS;
    if ((options->request.has_truncation || options->request.truncate_left) &&
        !options->request.is_chunked)
        options->request.on_long = ENGINE_ON_LONG_TRUNCATE;
    return true;
}

bool encode_options_read(struct encode_options *options, int argc, char **argv, int *exit_code)
{
    bool goes_on = read_all(options, argc, argv, exit_code);
    if (!goes_on)
        encode_options_free(options);
    return goes_on;
}

void encode_options_free(struct encode_options *options)
{
    position_options_free(&options->request.positions);
}
