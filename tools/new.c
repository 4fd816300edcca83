/* new.c - encode-new: a weight file of any shape with seeded random numbers and a tokenizer from
 * words, a file or a text. Read the options, make the tokenizer, write settings, vocabulary and
 * tensors.
 */
#include "tools/common/options.h"
#include "tools/common/weights/keras_json.h"
#include "tools/common/weights/random_model.h"
#include "tools/common/weights/token_source.h"
#include "tools/new/new_options.h"
#include "tools/new/special_template.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 16 GiB of f32: more is a slip of the finger. */
static const double MOST_PARAMETERS = 4294967296.0;

/* So that a model made in a hurry knows some words. */
static const char BUILT_IN_WORDS[] =
    "I you he she it we they me him her us them my your his our their a an the this that and or "
    "but not is are was were be have has do does can will go goes see sees like likes ride rides "
    "walk walks bite bites eat eats read reads man woman boy girl child dog cat bird horse bike "
    "car train house street city river bank tree book word day night good bad big small old new "
    "red green blue one two three in on at to from with by of for over under who what where when "
    "why how";

/* A Keras file says itself how texts are split. */
static int read_keras(const struct new_options *options, const char *data, size_t len,
                      struct tokenizer_draft *draft)
{
    struct problem problem = {""};
    if (options->keras || options->blanks || options->lower != NULL)
        return program_misuse("'%s' is a Keras file and says itself how to split: --keras, "
                              "--blanks and --lower go with word lists",
                              options->tokenizer);
    return keras_json_read(draft, options->tokenizer, data, len, &problem)
               ? PROGRAM_DONE
               : program_fail("%s", problem.text);
}

/* The rules of a tokenizer whose words are there. */
static int set_rules(struct tokenizer_draft *draft, bool is_keras)
{
    return draft_set_rules(draft, is_keras ? &KERAS_DEFAULTS : NULL) ? PROGRAM_DONE : no_memory();
}

static int read_file(const struct new_options *options, struct tokenizer_draft *draft)
{
    char *data;
    size_t len, blanks = 0;
    int code = read_whole(options->tokenizer, &data, &len);
    if (code != PROGRAM_DONE)
        return code;
    while (blanks < len && memchr(" \t\r\n", data[blanks], 4) != NULL)
        blanks++;
    if (blanks < len && data[blanks] == '{') {
        code = read_keras(options, data, len, draft);
    } else {
        code = token_source_list(draft, options->tokenizer, data, len, !options->keras);
        if (code == PROGRAM_DONE)
            code = set_rules(draft, options->keras);
    }
    free(data);
    return code;
}

static int make_tokenizer(const struct new_options *options, struct tokenizer_draft *draft)
{
    bool is_keras = options->keras || options->fit != NULL;
    const char *words = options->words != NULL ? options->words : BUILT_IN_WORDS;
    int code;
    draft->lower = options->lower != NULL ? strcmp(options->lower, "yes") == 0 : is_keras;
    if (options->tokenizer != NULL) {
        code = read_file(options, draft);
    } else {
        code = options->fit != NULL ? token_source_fit(draft, options->fit, &options->fit_options)
                                    : token_source_words(draft, words);
        if (code == PROGRAM_DONE)
            code = set_rules(draft, is_keras);
    }
    for (size_t i = 0; i < options->n_added && code == PROGRAM_DONE; i++)
        code = token_source_add(draft, options->added[i]);
    return code;
}

/* Settles the vocabulary, which --vocabulary may have made larger than there are tokens. */
static int settle_config(struct model_config *config, size_t n_tokens)
{
    if (config->vocabulary < 0)
        config->vocabulary = (int64_t)n_tokens;
    if ((uint64_t)config->vocabulary < n_tokens)
        return program_misuse("the tokenizer has %zu id%s; --vocabulary %" PRId64 " is less",
                              n_tokens, plural(n_tokens), config->vocabulary);
    const char *wrong = config_check(config);
    if (wrong != NULL)
        return program_misuse("the shape: %s", wrong);
    if (random_model_size(config) > MOST_PARAMETERS)
        return program_misuse("the shape: %.2g parameters; at most %.2g are written",
                              random_model_size(config), MOST_PARAMETERS);
    return PROGRAM_DONE;
}

struct templates {
    char single[TEMPLATE_TEXT_BYTES], pair[TEMPLATE_TEXT_BYTES]; /* "": not given */
};

static int resolve_templates(const struct new_options *options, const struct word_list *words,
                             struct templates *templates)
{
    size_t n_types = (size_t)options->shape.config.token_types;
    int code = PROGRAM_DONE;
    *templates = (struct templates){"", ""};
    if (options->template_single != NULL)
        code = special_template_resolve("--template-single", options->template_single, false, words,
                                        n_types, templates->single);
    if (code == PROGRAM_DONE && options->template_pair != NULL)
        code = special_template_resolve("--template-pair", options->template_pair, true, words,
                                        n_types, templates->pair);
    return code;
}

static void setting(struct weight_writer *writer, engine_settings settings, const char *key,
                    const char *value)
{
    if (value != NULL && value[0] != '\0')
        weight_writer_setting(writer, settings, key, value, strlen(value));
}

static void write_metadata(struct weight_writer *writer, const struct new_options *options)
{
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, options->random.seed);
    setting(writer, ENGINE_SETTINGS_METADATA, "name",
            options->name != NULL ? options->name : "random weights");
    setting(writer, ENGINE_SETTINGS_METADATA, "made_by", "encode-new " ENGINE_VERSION);
    setting(writer, ENGINE_SETTINGS_METADATA, "numbers", "seeded random, not trained");
    setting(writer, ENGINE_SETTINGS_METADATA, "seed", seed);
}

static void write_labels(struct weight_writer *writer, const struct shape *shape)
{
    for (size_t i = 0; shape->label_names != NULL && i < (size_t)shape->config.labels; i++) {
        char key[32];
        size_t len;
        const char *name = shape_label_name(shape, i, &len);
        snprintf(key, sizeof key, "label.%zu", i);
        weight_writer_setting(writer, ENGINE_SETTINGS_METADATA, key, name, len);
    }
}

static int write_model(const struct new_options *options, const struct tokenizer_draft *draft,
                       const struct templates *templates)
{
    engine_error error = {ENGINE_OK, ""};
    struct weight_writer *writer;
    uint64_t n_parameters = 0;
    if (weight_writer_open(options->output, &writer, &error) != ENGINE_OK)
        return program_fail("%s", error.message);
    weight_writer_config(writer, &options->shape.config);
    draft_write(draft, writer);
    setting(writer, ENGINE_SETTINGS_TOKENIZER, "single", templates->single);
    setting(writer, ENGINE_SETTINGS_TOKENIZER, "pair", templates->pair);
    setting(writer, ENGINE_SETTINGS_TOKENIZER, "truncate", options->truncate);
    write_metadata(writer, options);
    write_labels(writer, &options->shape);
    engine_status status =
        random_model_write(writer, &options->shape.config, &options->random, &n_parameters);
    if (status == ENGINE_ERROR_MEMORY) {
        weight_writer_abort(writer);
        return no_memory();
    }
    if (weight_writer_finish(writer) != ENGINE_OK)
        return program_fail("%s", error.message);
    program_note("wrote '%s': %zu token%s, %" PRIu64 " parameter%s", options->output,
                 draft->words.n, plural(draft->words.n), n_parameters, plural(n_parameters));
    return PROGRAM_DONE;
}

int main(int argc, char *argv[])
{
    struct new_options options;
    struct tokenizer_draft draft = DRAFT_EMPTY;
    struct templates templates;
    int code;
    program_begin("encode-new", argv);
    if (!new_options_read(&options, argc, argv, &code))
        return code;
    code = make_tokenizer(&options, &draft);
    if (code == PROGRAM_DONE)
        code = settle_config(&options.shape.config, draft.words.n);
    if (code == PROGRAM_DONE)
        code = resolve_templates(&options, &draft.words, &templates);
    if (code == PROGRAM_DONE)
        code = write_model(&options, &draft, &templates);
    draft_free(&draft);
    new_options_free(&options);
    return code;
}
