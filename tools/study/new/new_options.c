/* new_options.c - the command line of encode-new as a table; the options that set the model's shape
 * are new_shape.c's. */
#include "tools/study/new/new_options.h"

#include "tools/common/options.h"
#include "tools/common/options/option_table.h"
#include "tools/writer/weight_output.h"

#include <string.h>

#define TEXT(member)  TEXT_AT(struct new_options, member)
#define FLAG(member)  FLAG_AT(struct new_options, member)
#define COUNT(member) COUNT_AT(struct new_options, member, 1, INT32_MAX)

static const struct option_row FILE_ROWS[] = {
    {"output", 'o', "FILE", "write this weight file (required; not stdout)", TEXT(output)},
    {"seed", 0, "N", "seed: the same one gives the same bytes on every machine (default 1)",
     NUMBER_AT(struct new_options, random.seed)},
    {"name", 0, "TEXT", "name that the programs show (default: random weights)", TEXT(name)},
    {"metadata", 0, "KEY=VALUE", "add this to the section META; may be repeated",
     TEXTS_AT(struct new_options, metadata, n_metadata)},
    {"type", 0, "T", "type of the linear layers: f32, f16, bf16, int8 (default f32)",
     TENSOR_TYPE_AT(struct new_options, random.linear_type)},
    {"layout", 0, "L", "layout of these: panels, rows (default panels)",
     CHOICE_AT(struct new_options, random.linear_layout, LAYOUT_ROWS, "rows panels")},
    {"embedding-type", 0, "T", "type of the embedding tables (default: as --type)",
     TENSOR_TYPE_AT(struct new_options, random.table_type)},
};

static const struct option_row TOKENIZER_ROWS[] = {
    {"tokenizer", 0, "FILE", "read a Keras Tokenizer.to_json() file, or one token per line",
     TEXT(tokenizer), .most = 1},
    {"words", 0, "'a b c'", "use these words", TEXT(words), .most = 1},
    {"fit", 0, "FILE", "use the words of a text ('-': stdin) by the rules of Keras", TEXT(fit),
     .most = 1},
    {"oov", 0, "TOKEN", "--fit: token for unknown words, '' for none (default <unk>)",
     TEXT(fit_options.oov), .needs = "fit"},
    {"num-words", 0, "N", "--fit: keep the N most frequent words", COUNT(fit_options.num_words),
     .needs = "fit"},
    {"min-count", 0, "N", "--fit: keep words that occur N times or more",
     COUNT(fit_options.min_count), .needs = "fit"},
    {"keras", 0, NULL, "--words and word lists: split like Keras, not at blanks", FLAG(keras)},
    {"lower", 0, "yes|no", "put texts into lower case (default: yes with --keras, --fit, else no)",
     YES_NO_AT(struct new_options, lower)},
    {"add-token", 0, "TOKEN", "append a token, such as [CLS]; may be repeated",
     TEXTS_AT(struct new_options, added, n_added)},
    {"template-single", 0, "T", "special tokens of a text: '[CLS]:0 A:0 [SEP]:0'",
     TEXT(template_single)},
    {"template-pair", 0, "T", "of pairs: '[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1'", TEXT(template_pair)},
    {"truncate", 0, "yes|no", "cut texts that are too long (default no)",
     YES_NO_AT(struct new_options, truncate)},
};

/* Small sizes; the rest as in weights/FORMAT.md. */
static void set_defaults(struct new_options *options)
{
    *options = (struct new_options){
        .fit_options = {.oov = "<unk>"},
        .random = {.seed = 1, .linear_type = TENSOR_F32, .linear_layout = LAYOUT_PANELS},
    };
    struct model_config *config = &options->shape.config;
    *config = CONFIG_DEFAULTS;
    config->layers = 2;
    config->width = 128;
    config->max_tokens = 512;
    config->position = POSITION_SINUSOIDAL;
    config->norm_eps = 1e-5;
    config->pooling = POOLING_MEAN;
    config->normalize = 1;
}

static const struct option_rule RULES[] = {
    OPTION_EXCLUDES("tokenizer", "words fit", "--tokenizer, --words and --fit exclude each other"),
    OPTION_EXCLUDES("words", "fit", "--tokenizer, --words and --fit exclude each other"),
    OPTION_EXCLUDES("fit", "keras",
                    "--fit splits like Keras: --keras requires --words, or --tokenizer and a word "
                    "list"),
    {0},
};

static const struct option_command COMMAND = {
    .usage = "-o FILE [OPTION ...]\n",
    .about = "Writes a model with seeded random numbers: for tests, benches and teaching.\n",
};

static const char NOTES[] =
    "  Unless given, --vocabulary is the number of tokens, --feed-forward four times\n"
    "  the width, --heads 4, or 2 or 1 if 4 does not divide the width.\n"
    "  --embedding-scale sqrt is the square root of the width. With names of labels,\n"
    "  --head is sequence and --scores softmax. With --layers 0 a head sequence reads\n"
    "  the mean of the tokens, unless --head-pooling says otherwise.\n"
    "\n"
    "  A classifier of sentences: embedding, learned positions, mean, dense, softmax\n"
    "    encode-new -o classifier.weights --fit lines.txt --layers 0 --width 16 \\\n"
    "        --position learned --max-tokens 50 --labels negative,neutral,positive\n"
    "    encode -m classifier.weights --labels --all \"the cat sat on the mat\"\n";

static const struct option_group GROUPS[] = {
    {OPTION_GROUP("", FILE_ROWS)},
    {OPTION_GROUP("Tokenizer (default: 104 built-in words)", TOKENIZER_ROWS)},
    {OPTION_GROUP("Shape", SHAPE_ROWS), .base = offsetof(struct new_options, shape)},
};

static const struct option_table TABLE = {
    OPTION_TABLE(&COMMAND, 1, GROUPS, 27),
    .rules = RULES,
    .notes = NOTES,
    .end = "Exit codes: 0 done, 1 failed, 2 misused. Manual: man encode-new.",
};

void new_options_read(struct new_options *options, int argc, char **argv)
{
    struct option_reading reading;
    set_defaults(options);
    options_read(&reading, &TABLE, 0, options, argc, argv);
    if (reading.n_arguments > 0)
        program_die_misused("'%s' is not an option; texts are encoded by 'encode'",
                            reading.arguments[0]);
    if (options->random.table_type == 0)
        options->random.table_type = options->random.linear_type;
    if (options->output == NULL)
        program_die_misused("-o FILE is needed");
    if (strcmp(options->output, "-") == 0)
        program_die_misused(
            "-o -: a weight file is completed at its start, so it cannot be written to stdout");
    options_check(&reading);
    shape_complete(&options->shape);
    options->random.frequencies = options->shape.frequencies;
}
