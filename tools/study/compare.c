/* compare.c - the program encode-compare: two texts or more beside one another. See
 * encode-compare(1).
 *
 *     words             which vectors of the words that two texts share differ
 *     similarity        how near every two texts are, or the two of each pair
 *     mask              which tokens a token sees
 *     explain           which words make two texts alike
 */
#include "tools/study/compare/compare.h"

#include "tools/common/options.h"
#include "tools/common/options/option_table.h"
#include "tools/common/output.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Options ---- */

#define FLAG(member)                 FLAG_AT(struct compare_options, member)
#define TEXT(member)                 TEXT_AT(struct compare_options, member)
#define COUNT(member, least, most)   COUNT_AT(struct compare_options, member, least, most)
#define CHOICE(member, first, names) CHOICE_AT(struct compare_options, member, first, names)

enum {
    OF_SCORES = 1u << COMPARE_SIMILARITY | 1u << COMPARE_PAIRS,
    OF_VECTORS = OF_SCORES | 1u << COMPARE_EXPLAIN,
    OF_MASK = 1u << COMPARE_MASK,
    PAD_TO_MOST = 1 << 20 /* as long as a model's longest sequence may be */
};

static void set_format(void *options, const struct option_use *use)
{
    struct compare_options *compare = options;
    compare->format = use->text[0] == 'j' ? ROWS_JSON : use->text[0] == 'c' ? ROWS_CSV : ROWS_TABLE;
}

static const struct option_row TEXT_ROWS[] = {
    {"input", 0, "KIND",
     "read stdin as text, or as jsonl: each line is \"text\",\n"
     "[\"text\", \"pair\"], {\"text\": …, \"pair\": …} or\n"
     "{\"ids\": […], \"types\": […], \"mask\": […]}",
     CHOICE(request.input, INPUT_TEXT, "text jsonl"), .commands = OF_VECTORS | OF_MASK},
    {"prompt", 0, "NAME", "prepend the file's prompt NAME to texts; -p model: its default",
     TEXT(request.encode.prompt), .commands = OF_VECTORS},
    {"prompt-text", 0, "TEXT", "prepend this to each text", TEXT(request.encode.prompt_text),
     .commands = OF_VECTORS},
    {"no-prompt", 0, NULL, "prepend no prompt to texts",
     FLAG_AT(struct compare_options, request.no_prompt), .commands = OF_VECTORS},
    {"no-special", 0, NULL, "add no special tokens to texts", FLAG(request.encode.no_special)},
    {"max-tokens", 0, "N", "allow N tokens per text; default the model's limit",
     COUNT(request.encode.max_tokens, 1, INT32_MAX)},
    {"on-long", 0, "KIND", "if a text is longer: truncate or error; default what the model says",
     CHOICE(request.encode.on_long, ENGINE_ON_LONG_TRUNCATE, "truncate error")},
    {"pad-to", 0, "N", "pad texts to N tokens; default the length of the longest",
     COUNT(request.padding.n, 1, PAD_TO_MOST), .commands = OF_MASK},
    {"pad-side", 0, "SIDE", "put padding on the left, or right (default)",
     CHOICE(request.padding.is_left, true, "left right=0"), .commands = OF_MASK},
    {"pad-id", 0, "N", "id of padding; in ids of --input jsonl, N at the ends is padding too",
     SET_BY(request_set_pad_id), GIVEN_AT(struct compare_options, request.padding.is_named),
     .commands = OF_MASK},
};

static const struct option_row RESULT_ROWS[] = {
    {"pooling", 'p', "KIND", "a vector of: " ENGINE_TEXT_POOLINGS ", sparse, model (default)",
     NAMED_AT(struct compare_options, request.encode.pooling, ENGINE_TEXT_POOLINGS " sparse model",
              engine_pooling_named),
     GIVEN_AT(struct compare_options, request.has_pooling), .commands = OF_VECTORS},
    {"dimensions", 0, "N", "cut vectors to N columns; scale them to length 1 again if they had it",
     COUNT(request.encode.dimensions, 1, INT32_MAX), .commands = OF_VECTORS},
    {"format", 'f', "KIND", "print text (default), json, or csv (similarity, pairs)",
     CHOICE(format, ROWS_TABLE, "text json csv"), .set = set_format},
    {"output", 'o', "FILE", "write to FILE, which is replaced at the end; -: stdout",
     OUTPUT_AT(struct compare_options, output_path)},
};

#define REQUEST_GROUP(title, rows)                                                                 \
    OPTION_GROUP(title, rows), .base = offsetof(struct compare_options, request)

static const struct option_group GROUPS[] = {
    {REQUEST_GROUP("Model", REQUEST_MODEL_ROWS)},
    POSITION_GROUP(POSITION_ROWS, struct compare_options, request.positions),
    POSITION_GROUP(EMBEDDING_SCALE_ROWS, struct compare_options, request.positions),
    {REQUEST_GROUP(NULL, REQUEST_SESSION_ROWS)},
    {OPTION_GROUP("Texts", TEXT_ROWS)},
    {OPTION_GROUP("Result", RESULT_ROWS)},
    OPTION_GENERAL,
};

static const char *check(const void *options)
{
    const struct compare_options *compare = options;
    const size_t n = compare->request.n_texts, pad_to = compare->request.padding.n;
    if (compare->format == ROWS_CSV && !(OF_SCORES >> compare->command & 1))
        return "-f csv is for similarity and pairs; words, mask and explain print text or json";
    if (compare->command == COMPARE_WORDS && n != 2 && n != 0)
        return "words takes two texts, or none to read two lines of stdin";
    if (compare->command == COMPARE_EXPLAIN && n != 2 && n != 0)
        return "explain takes two texts, or none to read two lines of stdin";
    if (compare->command == COMPARE_SIMILARITY && n == 1)
        return "similarity takes at least two texts";
    if (compare->command == COMPARE_PAIRS && n % 2)
        return "pairs takes two texts for each pair: the last one has none beside it";
    if (compare->command == COMPARE_PAIRS && n == 0 && compare->request.input == INPUT_TEXT)
        return "pairs reads pairs of JSON lines (--input jsonl), or two TEXTs for each";
    if (pad_to && compare->request.encode.max_tokens > pad_to)
        return "--max-tokens is more than --pad-to, which texts may not be longer than";
    return NULL;
}

static const struct option_rule RULES[] = {
    OPTION_EXCLUDES("input=jsonl", "TEXT", NULL),
    OPTION_EXCLUDES("prompt", "prompt-text", NULL),
    OPTION_EXCLUDES("no-prompt", "prompt prompt-text", NULL),
    OPTION_EXCLUDES("dimensions", "pooling=sparse", NULL),
    {.check = check},
    POSITION_RULE(struct compare_options, request.positions),
    {0},
};

static const struct option_command COMPARE_COMMANDS[N_COMPARE_COMMANDS] = {
    [COMPARE_WORDS] = {"words", "[OPTION ...] [A B]\n",
                       "Compares the vectors of the words that A and B share: what word order and "
                       "positions\n"
                       "change.\n",
                       "the vectors of the words that two texts share"},
    [COMPARE_SIMILARITY] = {"similarity", "[OPTION ...] [TEXT ...]\n",
                            "Compares every two texts: by cosine, or as the model's file says.\n",
                            "every two texts"},
    [COMPARE_PAIRS] = {"pairs", "[OPTION ...] [A B ...]\n",
                       "Compares the two texts of each pair, a number per line.\n",
                       "the two texts of each pair"},
    [COMPARE_MASK] = {"mask", "[OPTION ...] [TEXT ...]\n",
                      "Prints padding mask and look-ahead mask as matrices, and what they do.\n",
                      "which tokens a token sees"},
    [COMPARE_EXPLAIN] = {"explain", "[OPTION ...] [A B]\n",
                         "Shows which words of A and B make their similarity: it is a sum of "
                         "shares of pairs of\n"
                         "words.\n",
                         "which words make two texts alike"},
};

static const struct option_table COMPARE_TABLE = {
    OPTION_TABLE(COMPARE_COMMANDS, N_COMPARE_COMMANDS, GROUPS, 25),
    .rules = RULES,
    .end = "Exit codes: 0 done, 1 failed, 2 misused. Manual: man encode-compare.",
    .what = "command",
    .help = {"Usage: encode-compare COMMAND [OPTION ...] [TEXT ...]\n"
             "Compares texts by what a model makes of them.\n"
             "\n",
             "\n"
             "  encode-compare words \"I ride bike\" \"bike ride I\"    what word order changes\n"
             "  encode-compare words --position none \"I ride bike\" \"bike ride I\"\n"
             "  encode-compare similarity \"a dog barks\" \"a cat meows\" \"rain\"\n"
             "\n"
             "Without TEXT the texts are lines of stdin (pairs: JSON lines, --input jsonl).\n"
             "encode-compare COMMAND --help lists the options of each. Manual: man "
             "encode-compare.\n"},
};

static const struct {
    enum task task;
    void (*call)(struct comparison *comparison);
} COMMANDS[N_COMPARE_COMMANDS] = {
    [COMPARE_WORDS] = {TASK_COMPARE, compare_words},
    [COMPARE_SIMILARITY] = {TASK_SIMILARITY, compare_similarity},
    [COMPARE_PAIRS] = {TASK_SIMILARITY, compare_pairs},
    [COMPARE_MASK] = {TASK_SHOW_MASK, compare_mask},
    [COMPARE_EXPLAIN] = {TASK_SIMILARITY, compare_explain},
};

/* The help or a mistake ends the program. */
static void read_options(struct compare_options *options, enum compare_command command, int argc,
                         char **argv)
{
    struct option_reading reading;
    *options = (struct compare_options){
        .command = command, .request = REQUEST_OPTIONS(), .format = ROWS_TABLE};
    options->request.encode.pooling = ENGINE_POOLING_NONE;
    options->request.task = COMMANDS[command].task;
    options_read(&reading, &COMPARE_TABLE, command, options, argc, argv);
    options->request.texts = reading.arguments;
    options->request.n_texts = reading.n_arguments;
    options_check(&reading);
}

/* ---- Texts and what a model makes of them ---- */

/* Counts what is cut or not UTF-8, and names the first of each kind. */
static void note(struct comparison *comparison, const struct item *item)
{
    const struct text_encoder *encoder = &comparison->encoder;
    if (item->record.is_repaired && comparison->notes.repaired++ == 0)
        item_note_repair(item);
    if (item->n_dropped > 0 && comparison->notes.cut++ == 0)
        program_note("%s was cut to %zu of its %zu tokens", item_name(item), item_n_visible(item),
                     item_n_visible(item) + item->n_dropped);
    if (encoder->is_pooled && item_n_visible(item) == 0)
        program_note("%s has no tokens: its vector is all zeros", item_name(item));
    if (encoder->is_pooled)
        word_notes_add(&comparison->notes.words, encoder, item);
}

static void note_counts(const struct comparison *comparison)
{
    const size_t each = comparison->options->command == COMPARE_PAIRS ? 2 : 1;
    const size_t n = each * comparison->n_read, cut = comparison->notes.cut;
    const size_t repaired = comparison->notes.repaired;
    if (cut > 1)
        program_note("%zu of %zu texts were cut", cut, n);
    if (repaired > 1)
        program_note("%zu of %zu texts have parts that are read as U+FFFD", repaired, n);
    word_notes_end(&comparison->notes.words, n, "texts");
}

void comparison_tokenize(struct comparison *comparison, struct item *item)
{
    struct text_encoder *encoder = &comparison->encoder;
    alloc_for("%s", item_name(item));
    item_add_prompt(item, &encoder->prompt);
    if (!encoder_tokenize(encoder, item))
        program_die("%s", item_fault(item));
    note(comparison, item);
}

/* Pairs get their tokens one by one, as texts. */
bool comparison_next(struct comparison *comparison, struct item *item)
{
    *item = (struct item){.number = comparison->n_read + 1};
    switch (reader_next(&comparison->reader, true, &item->record)) {
    case READER_RECORD: break;
    case READER_FAILED: program_die("%s", comparison->reader.message);
    default: return false;
    }
    comparison->n_read++;
    if (comparison->options->command != COMPARE_PAIRS)
        comparison_tokenize(comparison, item);
    return true;
}

void comparison_two(struct comparison *comparison, struct item items[2])
{
    size_t n = 0;
    struct item more;
    while (n < 2 && comparison_next(comparison, &items[n]))
        n++;
    if (n < 2 || comparison_next(comparison, &more))
        program_die("%s takes two texts; stdin has %s",
                    COMPARE_TABLE.commands[comparison->options->command].name,
                    n == 2   ? "more than two lines"
                    : n == 1 ? "one line"
                             : "none");
}

struct item *comparison_all(struct comparison *comparison, size_t *n)
{
    struct item *items = NULL;
    size_t cap = 0;
    *n = 0;
    do {
        if (*n == cap)
            items = alloc_resize(items, cap = cap ? 2 * cap : 64, sizeof *items);
    } while (comparison_next(comparison, &items[*n]) && ++*n);
    return items;
}

void comparison_encode(struct comparison *comparison, struct item *items, size_t n)
{
    const size_t n_encoded = encoder_encode(&comparison->encoder, items, n);
    if (n_encoded < n)
        program_die("%s", item_fault(&items[n_encoded]));
}

/* ---- Members of JSON that two commands have ---- */

void write_texts_json(struct json_writer *json, const struct text_encoder *encoder,
                      const struct item *items, size_t n)
{
    json_begin_array(json, "texts");
    for (size_t i = 0; i < n; i++) {
        const engine_input *input = &items[i].record.input;
        if (input->ids) {
            json_write_null(json, NULL);
            continue;
        }
        if (input->pair)
            json_begin_array(json, NULL);
        json_write_string(json, NULL, input->text, input->text_len);
        if (input->pair) {
            json_write_string(json, NULL, input->pair, input->pair_len);
            json_end_array(json);
        }
    }
    json_end_array(json);
    if (encoder->prompt.len)
        json_write_string(json, "prompt", encoder->prompt.text, encoder->prompt.len);
}

void write_truncated_json(struct json_writer *json, const struct item *items, size_t n)
{
    json_begin_array(json, "truncated");
    for (size_t i = 0; i < n; i++)
        json_write_truth(json, NULL, items[i].n_dropped > 0);
    json_end_array(json);
}

/* ---- The complete program ---- */

static int compare(struct compare_options *options)
{
    const struct request_options *request = &options->request;
    struct comparison comparison = {.options = options};
    struct output output;
    encoder_open(&comparison.encoder, request);
    reader_open(&comparison.reader, request);
    if (request->n_texts == 0 && isatty(STDIN_FILENO))
        program_note("reading the terminal, a text per line; Ctrl-D ends, --help helps");
    output_open(&output, options->output_path, OUTPUT_STREAM);
    comparison.reader.two_by_two = options->command == COMPARE_PAIRS;
    comparison.rows = (struct rows)ROWS(output.stream, options->format);
    COMMANDS[options->command].call(&comparison);
    note_counts(&comparison);
    reader_free(&comparison.reader);
    encoder_close(&comparison.encoder);
    return output_end(&output, PROGRAM_DONE);
}

int main(int argc, char **argv)
{
    struct compare_options options;
    program_begin("encode-compare", argv);
#ifdef FOR_LEAK_CHECKER
    alloc_in_arena(true);
#endif
    json_set_alloc_funcs(alloc_bytes, free);
    const size_t command = options_command(&COMPARE_TABLE, argc, argv);
    set_passive_waiting(argv, 0); /* which may run the program again */
    read_options(&options, (enum compare_command)command, argc - 1, argv + 1);
    return compare(&options);
}
