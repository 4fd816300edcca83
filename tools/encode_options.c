/* encode_options.c - the command line of encode; see encode_options.h and man/encode.1. */
#include "tools/encode_options.h"

#include "tools/options.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

static const char HELP[] =
    "Usage: encode [OPTION ...] [TEXT ...]\n"
    "       encode [OPTION ...] --compare A B\n"
    "\n"
    "Turns texts into vectors with a transformer encoder: by default one line per token\n"
    "with its index, text, id, place in the text in bytes, first values and norm. Without TEXT,\n"
    "every line of stdin is a text, and line k of the input is result k.\n"
    "\n"
    "  encode \"I ride bike\"                            one vector per token\n"
    "  encode --compare \"I ride bike\" \"bike ride I\"    what word order changes\n"
    "  encode -p mean -f npy -o out.npy < lines.txt    one vector per line, for NumPy\n"
    "\n"
    "Model\n"
    "  -m, --model FILE       weight file; default $ENCODE_MODEL, else the default weights\n"
    "      --position KIND    model, none or sinusoidal: what is added for the place of a token\n"
    "      --mask KIND        model, full or causal: which tokens a token sees\n"
    "  -t, --threads N        threads; default OMP_NUM_THREADS, else the CPUs there are\n"
    "\n"
    "Input\n"
    "      --input KIND       text, or jsonl: each line of stdin is \"text\",\n"
    "                         [\"text\", \"pair\"], {\"text\": …, \"pair\": …} or\n"
    "                         {\"ids\": […], \"types\": […], \"mask\": […]}\n"
    "      --pair TEXT        a second text that is encoded together with the one TEXT\n"
    "      --no-special       no special tokens around texts\n"
    "      --max-tokens N     most tokens per text; default the model's\n"
    "      --on-long KIND     truncate or error: what to do with longer texts; default the\n"
    "                         model's, else error\n"
    "\n"
    "Result\n"
    "  -p, --pooling KIND     none: a vector per token (default); a vector per text: mean, cls,\n"
    "                         max, or model (the model's own pooling)\n"
    "      --normalize        scale the vectors of texts to length 1\n"
    "      --tokens           tokens only, no vectors\n"
    "      --compare          compare the vectors of the words that A and B share\n"
    "\n"
    "Output\n"
    "  -f, --format KIND      text (default), json (an object per line), csv, npy (float32), or\n"
    "                         ids (a line of token ids per text)\n"
    "      --all              text: every value, not only the first\n"
    "  -o, --output FILE      write to FILE, which is replaced when all is done; -: stdout\n"
    "\n"
    "  -h, --help             this text\n"
    "      --version          version and build\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 misused. Manual: man encode.\n";

enum long_option {
    OPTION_POSITION = 256,
    OPTION_MASK,
    OPTION_INPUT,
    OPTION_PAIR,
    OPTION_NO_SPECIAL,
    OPTION_MAX_TOKENS,
    OPTION_ON_LONG,
    OPTION_NORMALIZE,
    OPTION_TOKENS,
    OPTION_COMPARE,
    OPTION_ALL,
    OPTION_VERSION
};

static const struct option LONG_OPTIONS[] = {
    {"model", required_argument, NULL, 'm'},
    {"position", required_argument, NULL, OPTION_POSITION},
    {"mask", required_argument, NULL, OPTION_MASK},
    {"threads", required_argument, NULL, 't'},
    {"input", required_argument, NULL, OPTION_INPUT},
    {"pair", required_argument, NULL, OPTION_PAIR},
    {"no-special", no_argument, NULL, OPTION_NO_SPECIAL},
    {"max-tokens", required_argument, NULL, OPTION_MAX_TOKENS},
    {"on-long", required_argument, NULL, OPTION_ON_LONG},
    {"pooling", required_argument, NULL, 'p'},
    {"normalize", no_argument, NULL, OPTION_NORMALIZE},
    {"tokens", no_argument, NULL, OPTION_TOKENS},
    {"compare", no_argument, NULL, OPTION_COMPARE},
    {"format", required_argument, NULL, 'f'},
    {"all", no_argument, NULL, OPTION_ALL},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0}};

/* The names of a choice and what each stands for. */
enum { CHOICES_MAX = 5 };

struct choice {
    const char *option;
    size_t n;
    const char *names[CHOICES_MAX];
    int values[CHOICES_MAX];
};

static const struct choice POOLING = {
    .option = "-p",
    .n = 5,
    .names = {"none", "mean", "cls", "max", "model"},
    .values = {ENGINE_POOLING_NONE, ENGINE_POOLING_MEAN, ENGINE_POOLING_CLS, ENGINE_POOLING_MAX,
               ENGINE_POOLING_MODEL},
};
static const struct choice FORMAT = {
    .option = "-f",
    .n = 5,
    .names = {"text", "json", "csv", "npy", "ids"},
    .values = {FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_NPY, FORMAT_IDS},
};
static const struct choice POSITION = {
    .option = "--position",
    .n = 3,
    .names = {"model", "none", "sinusoidal"},
    .values = {ENGINE_POSITION_MODEL, ENGINE_POSITION_NONE, ENGINE_POSITION_SINUSOIDAL},
};
static const struct choice MASK = {
    .option = "--mask",
    .n = 3,
    .names = {"model", "full", "causal"},
    .values = {ENGINE_MASK_MODEL, ENGINE_MASK_FULL, ENGINE_MASK_CAUSAL},
};
static const struct choice ON_LONG = {
    .option = "--on-long",
    .n = 2,
    .names = {"truncate", "error"},
    .values = {ENGINE_ON_LONG_TRUNCATE, ENGINE_ON_LONG_ERROR},
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

/* One option that takes a value. */
static bool read_value(struct encode_options *options, int option, const char *text)
{
    int value = 0;
    bool is_good = true;

    switch (option) {
    case 'm':
        options->model_path = text;
        break;
    case 'o':
        options->output_path = strcmp(text, "-") == 0 ? NULL : text;
        break;
    case OPTION_PAIR:
        options->pair = text;
        break;
    case 't':
        return option_count("-t", text, 1, 1024, &options->n_threads);
    case OPTION_MAX_TOKENS:
        return option_count("--max-tokens", text, 1, INT32_MAX, &options->max_tokens);
    case 'p':
        is_good = choose(&POOLING, text, &value);
        options->pooling = (engine_pooling)value;
        break;
    case 'f':
        is_good = choose(&FORMAT, text, &value);
        options->format = (enum output_format)value;
        break;
    case OPTION_POSITION:
        is_good = choose(&POSITION, text, &value);
        options->position = (engine_position)value;
        break;
    case OPTION_MASK:
        is_good = choose(&MASK, text, &value);
        options->mask = (engine_mask)value;
        break;
    case OPTION_ON_LONG:
        is_good = choose(&ON_LONG, text, &value);
        options->on_long = (engine_on_long)value;
        break;
    case OPTION_INPUT:
        is_good = choose(&INPUT, text, &value);
        options->is_json_input = value;
        break;
    default:
        return false;
    }
    return is_good;
}

/* One option that is there or not; false: it is none of these. */
static bool read_flag(struct encode_options *options, int option)
{
    switch (option) {
    case OPTION_NO_SPECIAL:
        options->no_special = true;
        return true;
    case OPTION_NORMALIZE:
        options->normalize = true;
        return true;
    case OPTION_TOKENS:
        options->tokens_only = true;
        return true;
    case OPTION_COMPARE:
        options->is_compare = true;
        return true;
    case OPTION_ALL:
        options->all_values = true;
        return true;
    default:
        return false;
    }
}

/* What contradicts itself in a comparison; NULL: nothing. */
static const char *compare_conflict(const struct encode_options *options)
{
    if (options->n_texts != 2)
        return "--compare takes two texts";
    if (options->pooling != ENGINE_POOLING_NONE || options->normalize)
        return "--compare looks at tokens; it goes without -p and --normalize";
    if (options->tokens_only || options->pair)
        return "--compare goes without --tokens and --pair";
    if (options->format != FORMAT_TEXT && options->format != FORMAT_JSON)
        return "--compare prints text or json";
    return NULL;
}

static const char *conflict(const struct encode_options *options)
{
    bool is_tokens = options->tokens_only || options->format == FORMAT_IDS;
    bool is_pooled = options->pooling != ENGINE_POOLING_NONE;

    if (options->is_json_input && options->n_texts > 0)
        return "--input jsonl reads stdin; it goes without TEXT";
    if (options->is_compare)
        return compare_conflict(options);
    if (options->pair && options->n_texts != 1)
        return "--pair goes with exactly one TEXT";
    if (options->tokens_only && options->format == FORMAT_NPY)
        return "--tokens makes no vectors; -f npy holds nothing else";
    if (is_tokens && (is_pooled || options->normalize))
        return "--tokens and -f ids make no vectors; they go without -p and --normalize";
    if (options->normalize && !is_pooled)
        return "--normalize scales the vectors of texts; it goes with -p mean, cls, max or model";
    if (options->format == FORMAT_NPY && !options->output_path && isatty(STDOUT_FILENO))
        return "-f npy is not for reading, and stdout is a terminal: -o FILE";
    return NULL;
}

bool encode_options_read(struct encode_options *options, int argc, char **argv, int *exit_code)
{
    int option;
    *options = (struct encode_options){.pooling = ENGINE_POOLING_NONE};

    while ((option = getopt_long(argc, argv, "m:t:p:f:o:h", LONG_OPTIONS, NULL)) != -1) {
        if (option == 'h') {
            *exit_code = program_help(HELP);
            return false;
        }
        if (option == OPTION_VERSION) {
            *exit_code = program_version();
            return false;
        }
        if (!read_flag(options, option) && !read_value(options, option, optarg)) {
            *exit_code = program_usage();
            return false;
        }
    }
    options->texts = argv + optind;
    options->n_texts = (size_t)(argc - optind);
    const char *reason = conflict(options);
    if (reason) {
        *exit_code = program_misuse("%s", reason);
        return false;
    }
    options->tokens_only = options->tokens_only || options->format == FORMAT_IDS;
    return true;
}
