/* new_options.c - the command line of encode-new; the options that set the model's shape are
 * new_shape.c's. */
#include "tools/new/new_options.h"

#include "tools/common/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char HELP[] =
    "Usage: encode-new -o FILE [OPTION ...]\n"
    "Writes a model with seeded random numbers: for tests, benches and teaching.\n"
    "\n"
    "  -o, --output FILE        the weight file to write (needed; not stdout)\n"
    "      --seed N             same seed, same bytes, on every machine (default 1)\n"
    "      --name TEXT          the name that the programs show (default: random weights)\n"
    "      --type T             matrices of linear layers: f32, f16, bf16, int8 (default f32)\n"
    "      --layout L           of these: panels, rows (default panels)\n"
    "      --embedding-type T   the embedding tables (default: as --type)\n"
    "\n"
    "Tokenizer (default: 104 built-in words)\n"
    "      --tokenizer FILE     a Keras Tokenizer.to_json() file, or one token per line\n"
    "      --words 'a b c'      these words\n"
    "      --fit FILE           the words of a text, '-' for stdin, by the rules of Keras\n"
    "      --oov TOKEN          --fit: token for unknown words, '' for none (default <unk>)\n"
    "      --num-words N        --fit: keep the N most frequent words\n"
    "      --min-count N        --fit: keep words that occur N times or more\n"
    "      --keras, --blanks    --words and word lists: split like Keras, or at blanks\n"
    "                           (default --blanks)\n"
    "      --lower yes|no       lower case (default: yes with --keras and --fit, else no)\n"
    "      --add-token TOKEN    append a token, such as [CLS]; may be repeated\n"
    "      --template-single T  special tokens of a text: '[CLS]:0 A:0 [SEP]:0'\n"
    "      --template-pair T    of a pair: '[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1'\n"
    "      --truncate yes|no    cut texts that are too long (default no)\n"
    "\n"
    "Shape\n";

static const char HELP_END[] =
    "\n"
    "  Unless given, --vocabulary is the number of tokens, --feed-forward four times\n"
    "  the width, --heads 4, or 2 or 1 where that does not divide the width.\n"
    "  --embedding-scale sqrt is the square root of the width. With names of labels,\n"
    "  --head is sequence and --scores softmax. With --layers 0 a head sequence reads\n"
    "  the mean of the tokens, unless --head-pooling says otherwise.\n"
    "\n"
    "  A classifier of sentences: embedding, learned positions, mean, dense, softmax\n"
    "    encode-new -o classifier.weights --fit lines.txt --layers 0 --width 16 \\\n"
    "        --position learned --max-tokens 50 --labels negative,neutral,positive\n"
    "    encode -m classifier.weights --labels --all \"the cat sat on the mat\"\n"
    "\n"
    "  -h, --help               this text\n"
    "      --version            the version\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 misused.\n";

enum {
    OPTION_SEED = 256,
    OPTION_NAME,
    OPTION_TYPE,
    OPTION_LAYOUT,
    OPTION_EMBEDDING_TYPE,
    OPTION_TOKENIZER,
    OPTION_WORDS,
    OPTION_FIT,
    OPTION_OOV,
    OPTION_NUM_WORDS,
    OPTION_MIN_COUNT,
    OPTION_KERAS,
    OPTION_BLANKS,
    OPTION_LOWER,
    OPTION_ADD_TOKEN,
    OPTION_TEMPLATE_SINGLE,
    OPTION_TEMPLATE_PAIR,
    OPTION_TRUNCATE,
    OPTION_VERSION,
    OPTION_SHAPE /* and the index of the option */
};

static const struct option FIXED[] = {
    {"output", required_argument, NULL, 'o'},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"name", required_argument, NULL, OPTION_NAME},
    {"type", required_argument, NULL, OPTION_TYPE},
    {"layout", required_argument, NULL, OPTION_LAYOUT},
    {"embedding-type", required_argument, NULL, OPTION_EMBEDDING_TYPE},
    {"tokenizer", required_argument, NULL, OPTION_TOKENIZER},
    {"words", required_argument, NULL, OPTION_WORDS},
    {"fit", required_argument, NULL, OPTION_FIT},
    {"oov", required_argument, NULL, OPTION_OOV},
    {"num-words", required_argument, NULL, OPTION_NUM_WORDS},
    {"min-count", required_argument, NULL, OPTION_MIN_COUNT},
    {"keras", no_argument, NULL, OPTION_KERAS},
    {"blanks", no_argument, NULL, OPTION_BLANKS},
    {"lower", required_argument, NULL, OPTION_LOWER},
    {"add-token", required_argument, NULL, OPTION_ADD_TOKEN},
    {"template-single", required_argument, NULL, OPTION_TEMPLATE_SINGLE},
    {"template-pair", required_argument, NULL, OPTION_TEMPLATE_PAIR},
    {"truncate", required_argument, NULL, OPTION_TRUNCATE},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
};

enum { N_FIXED = sizeof FIXED / sizeof FIXED[0], SHAPE_OPTIONS_MOST = 64 };

struct option_list {
    struct option options[N_FIXED + SHAPE_OPTIONS_MOST + 1]; /* ends with one that is all zero */
    char names[SHAPE_OPTIONS_MOST][SHAPE_NAME_BYTES];
};

static void list_options(struct option_list *list)
{
    *list = (struct option_list){0};
    memcpy(list->options, FIXED, sizeof FIXED);
    for (size_t i = 0; i < SHAPE_OPTIONS_MOST && shape_option(i, list->names[i]); i++)
        list->options[N_FIXED + i] =
            (struct option){list->names[i], required_argument, NULL, OPTION_SHAPE + (int)i};
}

static int show_help(const struct model_config *defaults)
{
    fputs(HELP, stdout);
    shape_print_help(defaults);
    return program_help(HELP_END);
}

/* Sizes that are pleasant to look at; the rest as weights/FORMAT.md has it. */
static void set_defaults(struct new_options *options)
{
    *options = (struct new_options){
        .fit_options = {.oov = "<unk>"},
        .random = {.seed = 1, .linear_type = TENSOR_F32, .linear_layout = LAYOUT_PANELS},
    };
    struct model_config *config = &options->shape.config;
    config_defaults(config);
    config->layers = 2;
    config->width = 128;
    config->max_tokens = 512;
    config->position = POSITION_SINUSOIDAL;
    config->norm_eps = 1e-5;
    config->pooling = POOLING_MEAN;
    config->normalize = 1;
}

static int set_type(const char *option, const char *text, enum tensor_type *type)
{
    static const char *const names[] = {"f32", "f16", "bf16", "int8"};
    static const enum tensor_type types[] = {TENSOR_F32, TENSOR_F16, TENSOR_BF16, TENSOR_INT8};
    size_t index = 0;
    if (!option_choice(option, text, names, 4, &index))
        return program_usage();
    *type = types[index];
    return PROGRAM_DONE;
}

static int set_layout(const char *text, enum tensor_layout *layout)
{
    static const char *const names[] = {"rows", "panels"};
    size_t index = 0;
    if (!option_choice("--layout", text, names, 2, &index))
        return program_usage();
    *layout = index == 0 ? LAYOUT_ROWS : LAYOUT_PANELS;
    return PROGRAM_DONE;
}

static int set_yes_no(const char *option, const char *text, const char **value)
{
    bool yes = false;
    if (!option_yes_no(option, text, &yes))
        return program_usage();
    *value = yes ? "yes" : "no";
    return PROGRAM_DONE;
}

static int set_count(const char *option, const char *text, size_t *count)
{
    return option_count(option, text, 1, INT32_MAX, count) ? PROGRAM_DONE : program_usage();
}

static int set_option(struct new_options *options, int option, const char *text)
{
    switch (option) {
    case 'o': options->output = text; return PROGRAM_DONE;
    case OPTION_NAME: options->name = text; return PROGRAM_DONE;
    case OPTION_TOKENIZER: options->tokenizer = text; return PROGRAM_DONE;
    case OPTION_WORDS: options->words = text; return PROGRAM_DONE;
    case OPTION_FIT: options->fit = text; return PROGRAM_DONE;
    case OPTION_OOV:
        options->fit_options.oov = text;
        options->has_oov = true;
        return PROGRAM_DONE;
    case OPTION_KERAS: options->keras = true; return PROGRAM_DONE;
    case OPTION_BLANKS: options->blanks = true; return PROGRAM_DONE;
    case OPTION_TEMPLATE_SINGLE: options->template_single = text; return PROGRAM_DONE;
    case OPTION_TEMPLATE_PAIR: options->template_pair = text; return PROGRAM_DONE;
    case OPTION_NUM_WORDS: return set_count("--num-words", text, &options->fit_options.num_words);
    case OPTION_MIN_COUNT: return set_count("--min-count", text, &options->fit_options.min_count);
    case OPTION_LOWER: return set_yes_no("--lower", text, &options->lower);
    case OPTION_TRUNCATE: return set_yes_no("--truncate", text, &options->truncate);
    case OPTION_TYPE: return set_type("--type", text, &options->random.linear_type);
    case OPTION_LAYOUT: return set_layout(text, &options->random.linear_layout);
    case OPTION_EMBEDDING_TYPE:
        return set_type("--embedding-type", text, &options->random.table_type);
    case OPTION_SEED:
        return option_number("--seed", text, 0, UINT64_MAX, &options->random.seed)
                   ? PROGRAM_DONE
                   : program_usage();
    case OPTION_ADD_TOKEN:
        if (options->n_added == MOST_ADDED_TOKENS)
            return program_misuse("--add-token may stand there %d times", MOST_ADDED_TOKENS);
        options->added[options->n_added++] = text;
        return PROGRAM_DONE;
    default: return program_usage(); /* getopt has said what was wrong */
    }
}

/* What contradicts itself among the options of the tokenizer; NULL: nothing. */
static const char *tokenizer_conflict(const struct new_options *options)
{
    int n_sources =
        (options->tokenizer != NULL) + (options->words != NULL) + (options->fit != NULL);
    if (n_sources > 1)
        return "--tokenizer, --words and --fit exclude each other";
    if (options->keras && options->blanks)
        return "--keras and --blanks exclude each other";
    if (options->fit != NULL && (options->keras || options->blanks))
        return "--fit splits like Keras: --keras and --blanks go with --words, or with --tokenizer "
               "and a word list";
    if (options->fit == NULL && options->has_oov)
        return "--oov goes with --fit";
    if (options->fit == NULL && options->fit_options.num_words > 0)
        return "--num-words goes with --fit";
    if (options->fit == NULL && options->fit_options.min_count > 0)
        return "--min-count goes with --fit";
    return NULL;
}

static int settle(struct new_options *options)
{
    if (options->random.table_type == 0)
        options->random.table_type = options->random.linear_type;
    if (options->output == NULL)
        return program_misuse("-o FILE is needed");
    if (strcmp(options->output, "-") == 0)
        return program_misuse(
            "-o -: a weight file is completed at its start, so it cannot be written to stdout");
    const char *conflict = tokenizer_conflict(options);
    return conflict == NULL ? shape_settle(&options->shape) : program_misuse("%s", conflict);
}

/* Up to the first mistake. */
static int read_all(int argc, char *argv[], struct new_options *options, bool *ends)
{
    struct option_list list;
    int option, code = PROGRAM_DONE;
    set_defaults(options);
    list_options(&list);
    *ends = false;
    while (code == PROGRAM_DONE &&
           (option = getopt_long(argc, argv, "o:h", list.options, NULL)) != -1) {
        *ends = option == 'h' || option == OPTION_VERSION;
        if (option == 'h') {
            new_options_free(options);
            set_defaults(options);
            return show_help(&options->shape.config);
        }
        if (option == OPTION_VERSION)
            return program_version();
        if (option >= OPTION_SHAPE)
            code = shape_set(&options->shape, (size_t)(option - OPTION_SHAPE), optarg);
        else
            code = set_option(options, option, optarg);
    }
    if (code == PROGRAM_DONE && optind < argc)
        return program_misuse("'%s' is not an option; texts are encoded by 'encode'", argv[optind]);
    return code == PROGRAM_DONE ? settle(options) : code;
}

int new_options_read(int argc, char *argv[], struct new_options *options, bool *ends)
{
    int code = read_all(argc, argv, options, ends);
    options->random.frequencies = options->shape.frequencies;
    if (code != PROGRAM_DONE || *ends)
        new_options_free(options);
    return code;
}

void new_options_free(struct new_options *options)
{
    shape_free(&options->shape);
}
