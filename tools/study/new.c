/* new.c - encode-new: a weight file of any shape with seeded random numbers and a tokenizer from
 * words, a file or a text. Read the options, make the tokenizer, write settings, vocabulary and
 * tensors. */
#include "tools/common/alloc.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/study/new/new_options.h"
#include "tools/study/new/new_words.h"
#include "tools/study/new/random_model.h"
#include "tools/writer/tokenizer/keras.h"
#include "tools/writer/weight_output.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
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

/* Reads a word list, or a Keras file, which says itself how texts are split. */
static void read_file(const struct new_options *options, struct tokenizer_draft *draft)
{
    char *data;
    size_t len;
    int code = input_read(options->tokenizer, &data, &len);
    if (code != PROGRAM_DONE)
        program_exit(code);
    if (data[strspn(data, " \t\r\n")] == '{') {
        if (options->keras || options->lower != NULL)
            program_die_misused("'%s' is a Keras file and says itself how to split: --keras and "
                                "--lower require word lists",
                                options->tokenizer);
        keras_json_read(draft, options->tokenizer, data, len);
    } else {
        new_words_list(draft, options->tokenizer, data, len, !options->keras);
        draft_set_rules(draft, options->keras ? &KERAS_DEFAULTS : NULL);
    }
}

static void make_tokenizer(const struct new_options *options, struct tokenizer_draft *draft)
{
    bool is_keras = options->keras || options->fit != NULL;
    draft->lower = options->lower != NULL ? strcmp(options->lower, "yes") == 0 : is_keras;
    if (options->tokenizer != NULL) {
        read_file(options, draft);
    } else {
        if (options->fit != NULL)
            keras_fit(draft, options->fit, &options->fit_options);
        else
            new_words_words(draft, options->words != NULL ? options->words : BUILT_IN_WORDS);
        draft_set_rules(draft, is_keras ? &KERAS_DEFAULTS : NULL);
    }
    for (size_t i = 0; i < options->n_added; i++)
        new_words_add(draft, options->added[i]);
}

/* Sets the vocabulary, unless --vocabulary did, which may exceed the number of tokens. */
static void complete_config(struct model_config *config, size_t n_tokens)
{
    if (config->vocabulary == CONFIG_ABSENT)
        config->vocabulary = n_tokens;
    if (config->vocabulary < n_tokens)
        program_die_misused("the tokenizer has %zu id%s; --vocabulary %zu is less", n_tokens,
                            plural(n_tokens), config->vocabulary);
    const char *wrong = config_check(config);
    if (wrong != NULL)
        program_die_misused("the shape: %s", wrong);
    if (random_model_size(config) > MOST_PARAMETERS)
        program_die_misused("the shape: %.2g parameters; at most %.2g are written",
                            random_model_size(config), MOST_PARAMETERS);
}

/* ---- Templates of special tokens: TOKN of weights/FORMAT.md ---- */

enum { MOST_PIECES = 16, TEMPLATE_BYTES = 512 };

/* Reads a number of at most nine digits; false if the text is another. */
static bool read_number(const char *text, size_t len, size_t *number)
{
    *number = strtoul(text, NULL, 10);
    return len > 0 && len <= 9 && strspn(text, "0123456789") >= len;
}

/* Appends a piece, NAME:TYPE, to the text of the setting. Returns 'A' or 'B' for a text, else 0. */
static char add_piece(const char *option, const char *text, size_t len,
                      const struct word_list *words, size_t n_types, char *out)
{
    const char *colon = memrchr(text, ':', len), *blank = out[0] != '\0' ? " " : "";
    const size_t n_name = colon != NULL ? (size_t)(colon - text) : 0, used = strlen(out);
    const int n = (int)n_name;
    size_t type, id;
    if (n_name == 0 || !read_number(colon + 1, len - n_name - 1, &type))
        program_die_misused("%s: '%.*s' is not a piece like A:0 or [SEP]:1", option, (int)len,
                            text);
    if (type >= (n_types > 0 ? n_types : 1))
        program_die_misused("%s: '%.*s' has the type %zu, but the model has %zu token type%s",
                            option, n, text, type, n_types, plural(n_types));
    if (n_name == 1 && (text[0] == 'A' || text[0] == 'B')) {
        snprintf(out + used, TEMPLATE_BYTES - used, "%s%c:%zu", blank, text[0], type);
        return text[0];
    }
    if (!read_number(text, n_name, &id))
        id = word_list_find(words, text, n_name);
    if (id >= words->n)
        program_die_misused("%s: '%.*s' is no token of this tokenizer (--add-token adds one)",
                            option, n, text);
    snprintf(out + used, TEMPLATE_BYTES - used, "%s%zu:%zu", blank, id, type);
    return 0;
}

/* Sets a template of the command line (NULL: none), "[CLS]:0 A:0 [SEP]:0": pieces separated by
 * blanks, each A, B, an id or a token's text, then a colon and the token type. The setting has ids
 * for texts. */
static void set_template(struct tokenizer_draft *draft, const struct new_options *options,
                         const char *text, bool is_pair)
{
    const char *option = is_pair ? "--template-pair" : "--template-single";
    const size_t n_types = options->shape.config.token_types;
    char setting[TEMPLATE_BYTES] = "";
    size_t n = 0, n_a = 0, n_b = 0;
    if (text == NULL)
        return;
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t len = strcspn(text, " ");
        if (++n > MOST_PIECES)
            program_die_misused("%s: more than %d pieces", option, MOST_PIECES);
        char piece = add_piece(option, text, len, &draft->words, n_types, setting);
        n_a += piece == 'A';
        n_b += piece == 'B';
        text += len;
    }
    if (n_a != 1 || n_b != is_pair)
        program_die_misused(is_pair ? "%s needs A once and B once" : "%s needs A once and no B",
                            option);
    draft_set_text(draft, is_pair ? "pair" : "single", setting);
}

/* ---- The file ---- */

/* The file has at least all numbers in the smaller of the two types. */
static void write_model(const struct new_options *options, const struct tokenizer_draft *draft)
{
    static const double bytes[] = {
        [TENSOR_F32] = 4, [TENSOR_F16] = 2, [TENSOR_BF16] = 2, [TENSOR_INT8] = 1};
    const struct model_config *config = &options->shape.config;
    const struct random_options *random = &options->random;
    struct weight_output output;
    uint64_t n_parameters = 0;
    char seed[32];
    random_model_check_room(options->output,
                            random_model_size(config) *
                                fmin(bytes[random->linear_type], bytes[random->table_type]));
    weight_output_open(&output, options->output,
                       options->name != NULL ? options->name : "random weights");
    weight_writer_config(output.writer, config);
    draft_write(draft, output.writer);
    if (options->truncate != NULL)
        weight_output_set(&output, ENGINE_SETTINGS_TOKENIZER, "truncate", options->truncate);
    snprintf(seed, sizeof seed, "%" PRIu64, random->seed);
    weight_output_metadata(&output, "numbers", "seeded random, not trained");
    weight_output_metadata(&output, "seed", seed);
    for (size_t i = 0; i < options->n_metadata; i++) {
        const char *text = options->metadata[i], *value = strchr(text, '=');
        if (value == NULL)
            program_die_misused("--metadata takes KEY=VALUE, not '%s'", text);
        char *key = alloc_text("%.*s", (int)(value - text), text);
        weight_output_metadata(&output, key, value + 1);
        free(key);
    }
    const char *label = options->shape.label_names; /* --set may have changed their number */
    for (size_t i = 0; label != NULL && i < config->labels; i++) {
        const size_t len = strcspn(label, ",");
        weight_output_label(&output, i, label, len);
        label = label[len] != '\0' ? label + len + 1 : NULL;
    }
    random_model_write(output.writer, config, random, &n_parameters);
    weight_output_finish(&output);
    program_note("wrote '%s': %zu token%s, %" PRIu64 " parameter%s", options->output,
                 draft->words.n, plural(draft->words.n), n_parameters, plural(n_parameters));
}

int main(int argc, char *argv[])
{
    struct new_options options;
    struct tokenizer_draft draft = DRAFT_EMPTY;
    program_begin("encode-new", argv);
    alloc_in_arena(true);
    json_set_alloc_funcs(alloc_bytes, alloc_free);
    new_options_read(&options, argc, argv);
    make_tokenizer(&options, &draft);
    complete_config(&options.shape.config, draft.words.n);
    set_template(&draft, &options, options.template_single, false);
    set_template(&draft, &options, options.template_pair, true);
    write_model(&options, &draft);
    return PROGRAM_DONE;
}
