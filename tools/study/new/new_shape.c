/* new_shape.c - the model's shape on the command line of encode-new; see new_options.h. What
 * settings mean is in section CONF of weights/FORMAT.md. */
#include "tools/study/new/new_options.h"

#include "tools/common/options.h"
#include "tools/common/texts/request_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Values ---- */

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

const char *shape_label_name(const struct shape *shape, size_t label, size_t *len)
{
    const char *name = shape->label_names;
    for (size_t i = 0; i < label; i++)
        name += strcspn(name, ",") + 1;
    *len = strcspn(name, ",");
    return name;
}

/* ---- The options ---- */

#define COUNT(key, least, most) COUNT_AT(struct shape, config.key, least, most)
#define GIVEN(member)           GIVEN_AT(struct shape, member)
/* A setting whose values have names, which open the help. */
#define NAMES(names, help) names help, SET_BY(set_key), .choices = (names)

const struct option_row SHAPE_ROWS[N_SHAPE_ROWS] = {
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

void shape_complete(struct shape *shape)
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
