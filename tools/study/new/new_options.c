/* new_options.c - the command line of encode-new as a table. What the model's settings mean is in
 * section CONF of weights/FORMAT.md. */
#include "tools/study/new/new_options.h"

#include "tools/common/options.h"
#include "tools/common/texts/request_options.h"
#include "tools/writer/weight_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The model's shape: values ---- */

/* Sets a setting by config_set, which returns what it expects. Keys have _ for - of options. */
static void set_key(void *options, const struct option_use *use)
{
    struct shape *shape = options;
    bool is_scale = strcmp(use->row->name, "embedding-scale") == 0;
    char key[32];
    shape->scale_is_sqrt = is_scale ? strcmp(use->text, "sqrt") == 0 : shape->scale_is_sqrt;
    if (is_scale && shape->scale_is_sqrt)
        return;
    snprintf(key, sizeof key, "%s", use->row->name);
    for (char *c = key; *c != '\0'; c++)
        *c = *c == '-' ? '_' : *c;
    const char *expected = config_set(&shape->config, key, use->text);
    if (expected != NULL)
        program_die_misused("%s takes %s%s, not '%s'", use->option, is_scale ? "sqrt or " : "",
                            expected, use->text);
}

/* KEY=VALUE, with a key of section CONF of weights/FORMAT.md. */
static void set_any(void *options, const struct option_use *use)
{
    char key[32];
    const char *value = strchr(use->text, '=');
    snprintf(key, sizeof key, "%.*s", (int)strcspn(use->text, "="), use->text);
    if (value == NULL)
        program_die_misused("%s takes KEY=VALUE, not '%s'", use->option, use->text);
    const char *expected = config_set(&((struct shape *)options)->config, key, value + 1);
    if (expected != NULL)
        program_die_misused("%s %s takes %s, not '%s'", use->option, key, expected, value + 1);
}

static void set_frequencies(void *options, const struct option_use *use)
{
    struct shape *shape = options;
    size_t n;
    shape->frequencies = position_frequencies_read(use->option, use->text, &n);
    shape->config.position_frequencies = n;
}

/* Names between commas, or only a number. */
static void set_labels(void *options, const struct option_use *use)
{
    struct shape *shape = options;
    const char *text = use->text;
    bool is_number = text[0] == '-' || text[0] == '+' || text[strspn(text, "0123456789")] == '\0';
    shape->label_names = is_number ? NULL : text;
    if (is_number) {
        set_key(options, use);
        return;
    }
    shape->config.labels = 1;
    for (const char *c = text; *c != '\0'; c++) {
        shape->config.labels += *c == ',';
        if (*c == ',' && (c == text || c[1] == ',' || c[1] == '\0'))
            program_die_misused("--labels: a name in '%s' is empty", text);
    }
}

/* ---- The options ---- */

#define COUNT(key, least, most) COUNT_AT(struct shape, config.key, least, most)
#define GIVEN(member)           GIVEN_AT(struct shape, member)
/* A setting whose values have names, which open the help. */
#define NAMES(names, help) names help, SET_BY(set_key), .choices = (names)

static const struct option_row SHAPE_ROWS[] = {
    {"layers", 0, "", "0 to 2147483647 (default 2): encoder layers", COUNT(layers, 0, INT32_MAX)},
    {"width", 0, "", "1 to 2147483647 (default 128): numbers per token",
     COUNT(width, 1, INT32_MAX)},
    {"heads", 0, "", "1 to 2147483647: attention heads; divides the width",
     COUNT(heads, 0, INT32_MAX)},
    {"feed-forward", 0, "", "1 to 2147483647:\nwidth of the feed-forward layer's middle",
     COUNT(feed_forward, 0, INT32_MAX)},
    {"vocabulary", 0, "", "1 to 2147483647: rows of the embedding table",
     COUNT(vocabulary, 1, INT32_MAX)},
    {"max-tokens", 0, "", "1 to 1048576 (default 512):\nlongest text, special tokens included",
     COUNT(max_tokens, 1, MOST_TOKENS)},
    {"token-types", 0, "", "0 to 2147483647 (default 0):\nrows of the token-type table; 0: none",
     COUNT(token_types, 0, INT32_MAX)},
    {"embedding-scale", 0, "",
     "sqrt or a finite number, 0 or more (default 1):\nfactor on embeddings", SET_BY(set_key)},
    {"embedding-norm", 0, "",
     NAMES(NAMES_OF(NORMS), " (default none):\nnorm after embeddings and positions are added")},
    {"position", 0, "",
     NAMES(NAMES_OF(POSITION_SCHEMES),
           "\n(default sinusoidal):\npositions that are added to tokens")},
    {"position-offset", 0, "",
     "0 to 2147483647 (default 0):\nlearned: position p reads row p + offset",
     COUNT(position_offset, 0, INT32_MAX)},
    {"position-base", 0, "",
     "a number from 1e-100 to 1e+100 (default 10000):\n" ENGINE_POSITIONS_WITH_BASE
     ": longest wave / 2π, time",
     REAL_AT(struct shape, config.position_base, ENGINE_POSITION_BASE_LEAST,
             ENGINE_POSITION_BASE_MOST)},
    {"position-scale", 0, "", "a finite number, 0 or more (default 1):\nfactor on positions",
     SET_BY(set_key)},
    {"frequencies", 0, "", "F,F,...:\nfourier: cycles per token (default: harmonics)",
     SET_BY(set_frequencies)},
    {"norm", 0, "",
     NAMES(NAMES_OF(LAYER_NORMS), " (default layer):\nlayer norm or RMS norm in the layers")},
    {"norm-eps", 0, "", "a number above 0 (default 1e-05):\nadded to the variance before the root",
     SET_BY(set_key)},
    {"norm-bias", 0, "", NAMES("yes, no", ": of layer norms (default yes with layer norm)")},
    {"norm-place", 0, "",
     NAMES(NAMES_OF(NORM_PLACES),
           " (default post):\nafter each residual sum, before each sublayer,\nround it, "
           "or twice after attention")},
    {"final-norm", 0, "", NAMES("yes, no", " (default no):\none more norm after the last layer")},
    {"attention-bias", 0, "", NAMES("yes, no", " (default yes): of the four projections")},
    {"feed-forward-bias", 0, "", NAMES("yes, no", " (default yes): of the feed-forward layer")},
    {"activation", 0, "",
     NAMES(NAMES_OF(ACTIVATIONS), " (default gelu):\nact(), in the feed-forward layer")},
    {"gate", 0, "",
     NAMES(NAMES_OF(GATES), " (default none):\nnone: act(a); first: act(a)·b; second: a·act(b)")},
    {"mask", 0, "",
     NAMES(NAMES_OF(MASKS), " (default full):\na token sees all, or itself and those before it")},
    {"pooling", 0, "",
     NAMES(NAMES_OF(POOLINGS), "\n(default mean):\nthe model's own way to one vector per text")},
    {"normalize", 0, "", NAMES("yes, no", " (default yes): pooled vectors get length 1")},
    {"embedding-width", 0, "", "1 to 2147483647: of the tables (default: the width)",
     COUNT(embedding_width, 1, INT32_MAX)},
    {"projections", 0, "", "0 to 8 (default 0): dense layers after the pooling",
     COUNT(projections, 0, MAX_PROJECTIONS)},
    {"projection-activation", 0, "",
     NAMES(NAMES_OF(DENSE_ACTIVATIONS), " (default\nidentity): after each")},
    {"projection-bias", 0, "", NAMES("yes, no", " (default yes): of each")},
    {"head", 0, "", NAMES(NAMES_OF(HEADS), " (default none):\npooler, labels, or words for a mask"),
     GIVEN(has_head)},
    {"head-pooling", 0, "",
     NAMES(NAMES_OF(TOKEN_POOLINGS), "\n(default cls): sequence: what the head reads"),
     GIVEN(has_head_pooling)},
    {"head-dense", 0, "",
     NAMES(NAMES_OF(DENSE_LAYERS), "\n(default none):\nthe head's dense layer: its activation")},
    {"head-norm", 0, "", NAMES("yes, no", " (default no): layer norm after it")},
    {"head-tied", 0, "",
     NAMES("yes, no", " (default no):\nmask: the embedding table gives the logits")},
    {"head-bias", 0, "", NAMES("yes, no", " (default yes): of the head's last layer")},
    {"labels", 0, "", "0 to 2147483647 (default 0):\nhow many, or their names: pos,neg",
     SET_BY(set_labels)},
    {"scores", 0, "", NAMES(NAMES_OF(SCORES), " (default none): of labels"), GIVEN(has_scores)},
    {"max-text-tokens", 0, "", "1 to 1048576: limit of texts (default: max-tokens)",
     COUNT(max_text_tokens, 1, MOST_TOKENS)},
    {"set", 0, "", "KEY=VALUE: any setting of weights/FORMAT.md,\nsection CONF; may be repeated",
     SET_BY(set_any)},
};

/* ---- Checks ---- */

static void check_together(const struct model_config *config)
{
    if (config->layers > 0 && (config->heads == 0 || config->feed_forward == 0))
        program_die_misused("--%s takes a whole number from 1 to 2147483647, not '0'",
                            config->heads == 0 ? "heads" : "feed-forward");
    if (config->layers > 0 && config->head_width == CONFIG_ABSENT &&
        config->width % config->heads != 0)
        program_die_misused("--heads %zu does not divide --width %zu", config->heads,
                            config->width);
    if (config->norm == NORM_NONE)
        program_die_misused("--norm none: expected " NAMES_OF(LAYER_NORMS));
    if (config->norm != NORM_LAYER && config->norm_bias == 1)
        program_die_misused("--norm-bias yes does not go with --norm %s, which has no bias",
                            config_value_name("norm", config->norm));
    if (!((float)config->norm_eps > 0))
        program_die_misused("--norm-eps %g: expected more than 0%s", config->norm_eps,
                            config->norm_eps > 0 ? ", also when it is rounded to float32" : "");
    if (config->position_offset > 0 && config->position != POSITION_LEARNED)
        program_die_misused("--position-offset %zu requires --position learned",
                            config->position_offset);
    if (config->position_base != 10000 && !position_has_base(config->position))
        program_die_misused("--position-base requires --position " ENGINE_POSITIONS_WITH_BASE
                            ", no others have a base; here it is %s",
                            config_value_name("position", config->position));
    if (config->position_frequencies > 0 && config->position != POSITION_FOURIER)
        program_die_misused("--frequencies requires --position fourier");
}

/* Computes settings that depend on others, then checks all; the vocabulary may be open (-1). */
static void complete_shape(struct shape *shape)
{
    struct model_config *config = &shape->config;
    if (shape->scale_is_sqrt)
        config->embedding_scale = sqrt((double)config->width);
    if (config->feed_forward == CONFIG_ABSENT)
        config->feed_forward = config->width <= INT32_MAX / 4 ? 4 * config->width : config->width;
    if (config->heads == CONFIG_ABSENT)
        config->heads = config->width % 4 == 0 ? 4 : config->width % 2 == 0 ? 2 : 1;
    if (config->embedding_width == CONFIG_ABSENT)
        config->embedding_width = config->width;
    if (config->max_text_tokens == CONFIG_ABSENT)
        config->max_text_tokens = config->max_tokens;
    if (shape->label_names != NULL && !shape->has_head)
        config->head = HEAD_SEQUENCE;
    if (shape->label_names != NULL && !shape->has_scores)
        config->scores = SCORES_SOFTMAX;
    /* Without layers a head that reads the first token would see only one word of a text. */
    if (config->layers == 0 && config->head == HEAD_SEQUENCE && config->pooling != POOLING_POOLER &&
        !shape->has_head_pooling)
        config->head_pooling = POOLING_MEAN;
    struct model_config complete = *config;
    if (complete.vocabulary == CONFIG_ABSENT)
        complete.vocabulary = 1;
    check_together(&complete);
    const char *wrong = config_check(&complete);
    if (wrong != NULL)
        program_die_misused("the shape: %s", wrong);
}

/* ---- The program ---- */

#define TEXT(member) TEXT_AT(struct new_options, member)
#define FLAG(member) FLAG_AT(struct new_options, member)

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
    {"num-words", 0, "N", "--fit: keep the N most frequent words",
     COUNT_AT(struct new_options, fit_options.num_words, 1, INT32_MAX), .needs = "fit"},
    {"min-count", 0, "N", "--fit: keep words that occur N times or more",
     COUNT_AT(struct new_options, fit_options.min_count, 1, INT32_MAX), .needs = "fit"},
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
    OPTION_GENERAL,
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
    complete_shape(&options->shape);
    options->random.frequencies = options->shape.frequencies;
}
