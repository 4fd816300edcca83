/* bench_options.c - the command line of encode-bench. */
#include "tools/bench/bench_options.h"

#include "tools/common/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char HELP[] =
    "Usage: encode-bench [OPTION ...]\n"
    "Times the encoder on work made of a seed, and says how near it comes to the machine's peak.\n"
    "\n"
    "  encode-bench                                    MiniLM's shape in f32, one thread and all\n"
    "  encode-bench --precision f32,int8 --workloads thr,lat16 -t 1,2\n"
    "  encode-bench -m minilm.weights --profile -f json\n"
    "\n"
    "Model\n"
    "  -m, --model FILE       a weight file; default: random numbers of a shape\n"
    "      --shape L/D/H/F    layers, width, heads, feed-forward (default 6/384/12/1536); a fifth\n"
    "                         number is the vocabulary (30522)\n"
    "      --precision LIST   of the shape's linear layers: f32 (default), bf16, f16, int8\n"
    "\n"
    "Work\n"
    "      --workloads LIST   default: all but lat2048 and lat8192\n"
    "          lat16, lat128, lat512, lat2048, lat8192   one sequence of so many tokens\n"
    "          thr       512 sequences of 8 to 40 tokens, 17.5 on average, in one call\n"
    "          thr128    64 sequences of 128 tokens in one call\n"
    "          cold      a whole process: encode, beside this program, on one sentence\n"
    "      --ids FILE         lines of token ids; may be repeated; then only what is asked for\n"
    "  -t, --threads LIST     default: 1, and the CPUs that this process may use\n"
    "      --seed N           default 1\n"
    "      --seconds S        how long each is repeated (default 1): at least 3 times, or once "
    "where\n"
    "                         a run takes longer than 3 seconds\n"
    "      --runs N           this many times, whatever it takes; one run more goes before\n"
    "\n"
    "Result\n"
    "      --profile          where the time goes, in percent of all threads' time\n"
    "      --peaks            the machine's peaks alone\n"
    "  -f, --format F         text (default), or json: one object per line and workload\n"
    "  -h, --help             this text\n"
    "      --version          version and build\n"
    "\n"
    "What the numbers are\n"
    "  median, min, spread    of the runs; spread: (upper - lower quartile) / median, in percent\n"
    "  of peak                the time that the products of the layers and of attention take at "
    "the\n"
    "                         measured peak of as many threads (matrices in int8: at that of "
    "int8;\n"
    "                         all else: at that of float32 multiply-adds), divided by the median\n"
    "  hand-over              ns from one thread to another, before and after the runs, and what "
    "that\n"
    "                         is called: fast, slow, busy, mixed; runs compare where it is the "
    "same\n"
    "\n"
    "Exit codes: 0 done, 1 a workload failed, 2 misused. Manual: man encode-bench.\n";

const char *const BENCH_WORKLOADS[] = {"lat16",  "lat128", "lat512",  "thr",
                                       "thr128", "cold",   "lat2048", "lat8192"};
static const char *const PRECISIONS[] = {"f32", "bf16", "f16", "int8"};
static const char *const FORMATS[] = {"text", "json"};

enum {
    OPTION_SHAPE = 256,
    OPTION_PRECISION,
    OPTION_WORKLOADS,
    OPTION_IDS,
    OPTION_SEED,
    OPTION_SECONDS,
    OPTION_RUNS,
    OPTION_PROFILE,
    OPTION_PEAKS,
    OPTION_VERSION
};

static const struct option OPTIONS[] = {
    {"model", required_argument, NULL, 'm'},
    {"shape", required_argument, NULL, OPTION_SHAPE},
    {"precision", required_argument, NULL, OPTION_PRECISION},
    {"workloads", required_argument, NULL, OPTION_WORKLOADS},
    {"ids", required_argument, NULL, OPTION_IDS},
    {"threads", required_argument, NULL, 't'},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"seconds", required_argument, NULL, OPTION_SECONDS},
    {"runs", required_argument, NULL, OPTION_RUNS},
    {"profile", no_argument, NULL, OPTION_PROFILE},
    {"peaks", no_argument, NULL, OPTION_PEAKS},
    {"format", required_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static void set_defaults(struct bench_options *options)
{
    *options = (struct bench_options){.seconds = 1, .seed = 1};
    for (size_t i = 0; i < BENCH_N_DEFAULT_WORKLOADS; i++)
        options->workloads[options->n_workloads++] = i;
}

/* Calls set(part, n-th, options) for each part of a list with commas; returns how many, or 0 after
 * a message. */
static size_t read_list(const char *option, const char *text, struct bench_options *options,
                        bool (*set)(const char *option, const char *part, size_t index,
                                    struct bench_options *options))
{
    size_t n = 0;
    for (bool more = true; more; n++) {
        char part[32];
        size_t len = strcspn(text, ",");
        if (n == BENCH_LIST_MOST) {
            program_note("%s takes at most %d", option, BENCH_LIST_MOST);
            return 0;
        }
        snprintf(part, sizeof part, "%.*s", (int)(len < 31 ? len : 31), text);
        if (!set(option, part, n, options))
            return 0;
        more = text[len] == ',';
        text += len + more;
    }
    return n;
}

static bool set_precision(const char *option, const char *part, size_t index,
                          struct bench_options *options)
{
    size_t precision;
    if (!option_choice(option, part, PRECISIONS, sizeof PRECISIONS / sizeof *PRECISIONS,
                       &precision))
        return false;
    options->precisions[index] = PRECISIONS[precision];
    return true;
}

static bool set_threads(const char *option, const char *part, size_t index,
                        struct bench_options *options)
{
    return option_count(option, part, 1, BENCH_THREADS_MOST, &options->threads[index]);
}

static bool set_workload(const char *option, const char *part, size_t index,
                         struct bench_options *options)
{
    return option_choice(option, part, BENCH_WORKLOADS, BENCH_N_WORKLOADS,
                         &options->workloads[index]);
}

static bool set_seconds(const char *text, struct bench_options *options)
{
    if (!option_real("--seconds", text, &options->seconds))
        return false;
    if (options->seconds >= 0.001 && options->seconds <= 3600)
        return true;
    program_note("--seconds takes a number from 0.001 to 3600, not '%s'", text);
    return false;
}

static bool add_ids_file(const char *path, struct bench_options *options)
{
    if (options->n_ids_files == BENCH_FILES_MOST) {
        program_note("--ids: at most %d files", BENCH_FILES_MOST);
        return false;
    }
    options->ids_files[options->n_ids_files++] = path;
    return true;
}

static bool set_format(const char *text, struct bench_options *options)
{
    size_t format;
    if (!option_choice("--format", text, FORMATS, 2, &format))
        return false;
    options->is_json = format == 1;
    return true;
}

/* False after a message. */
static bool set_option(struct bench_options *options, int option, const char *text)
{
    switch (option) {
    case 'm': options->model = text; return true;
    case OPTION_SHAPE:
        options->shape_text = text;
        return bert_shape_read("--shape", text, &options->shape);
    case OPTION_PRECISION:
        options->n_precisions = read_list("--precision", text, options, set_precision);
        return options->n_precisions > 0;
    case OPTION_WORKLOADS:
        options->has_workloads = true;
        options->n_workloads = read_list("--workloads", text, options, set_workload);
        return options->n_workloads > 0;
    case 't':
        options->n_threads = read_list("--threads", text, options, set_threads);
        return options->n_threads > 0;
    case OPTION_IDS: return add_ids_file(text, options);
    case OPTION_SEED: return option_number("--seed", text, 0, UINT64_MAX, &options->seed);
    case OPTION_SECONDS: return set_seconds(text, options);
    case OPTION_RUNS: return option_count("--runs", text, 1, 100000, &options->n_runs);
    case OPTION_PROFILE: options->profile = true; return true;
    case OPTION_PEAKS: options->peaks_alone = true; return true;
    case 'f': return set_format(text, options);
    default: return false; /* getopt has said what was wrong */
    }
}

static int settle(struct bench_options *options)
{
    if (options->model != NULL && (options->shape_text != NULL || options->n_precisions > 0))
        return program_misuse(
            "-m FILE has a shape and a precision: --shape and --precision make a file");
    if (options->model != NULL && strcmp(options->model, "-") == 0)
        return program_misuse(
            "a weight file is mapped into memory, so it cannot be read from stdin");
    if (options->shape_text == NULL) {
        options->shape_text = "6/384/12/1536";
        if (!bert_shape_read("--shape", options->shape_text, &options->shape))
            return PROGRAM_MISUSED;
    }
    if (options->n_precisions == 0)
        options->precisions[options->n_precisions++] = "f32";
    if (options->n_ids_files > 0 && !options->has_workloads)
        options->n_workloads = 0;
    return PROGRAM_DONE;
}

int bench_options_read(int argc, char *argv[], struct bench_options *options, bool *ends)
{
    int option;
    set_defaults(options);
    *ends = false;
    while ((option = getopt_long(argc, argv, "m:t:f:h", OPTIONS, NULL)) != -1) {
        *ends = option == 'h' || option == OPTION_VERSION;
        if (option == 'h')
            return program_help(HELP);
        if (option == OPTION_VERSION)
            return program_version();
        if (!set_option(options, option, optarg))
            return program_usage();
    }
    if (optind < argc)
        return program_misuse("'%s' is not an option", argv[optind]);
    return settle(options);
}
