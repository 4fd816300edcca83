/* compare.c - the program encode-compare: two texts or more beside one another. See
 * encode-compare(1).
 *
 *     compare_options   the command line
 *     words             which vectors of the words that two texts share differ
 *     similarity        how near every two texts are, or the two of each pair
 *     mask              which tokens a token sees
 *     explain           which words make two texts alike
 */
#include "tools/study/compare/compare.h"

#include "tools/common/options.h"
#include "tools/common/output.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Texts and what a model makes of them ---- */

/* Counts what is cut or not UTF-8, and names the first of each kind. */
static void note(struct comparison *comparison, const struct item *item)
{
    const struct encoder *encoder = &comparison->encoder;
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
    if (comparison->notes.words.n_unknown + comparison->notes.words.n_foreign > 0)
        word_notes_end(&comparison->notes.words, n, "texts");
}

void comparison_tokenize(struct comparison *comparison, struct item *item)
{
    struct encoder *encoder = &comparison->encoder;
    alloc_for("%s", item_name(item));
    item_add_prompt(item, &encoder->prompt);
    if (!encoder_tokenize(encoder, item))
        program_die("%s", encoder->message);
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
    if (encoder_encode(&comparison->encoder, items, n) < n)
        program_die("%s", comparison->encoder.message);
}

/* ---- Members of JSON that two commands have ---- */

void write_texts_json(struct json_writer *json, const struct encoder *encoder,
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
    static void (*const COMMANDS[])(struct comparison *) = {
        [COMPARE_WORDS] = compare_words,     [COMPARE_SIMILARITY] = compare_similarity,
        [COMPARE_PAIRS] = compare_pairs,     [COMPARE_MASK] = compare_mask,
        [COMPARE_EXPLAIN] = compare_explain,
    };
    _Static_assert(sizeof COMMANDS / sizeof *COMMANDS == N_COMPARE_COMMANDS, "one has no function");
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
    COMMANDS[options->command](&comparison);
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
    compare_options_read(&options, (enum compare_command)command, argc - 1, argv + 1);
    return compare(&options);
}
