/* similarity_pairs.c - encode --similarity --pairs: the cosine of the two texts of each pair, in
 * order and in constant memory. */
#include "tools/common/print/format_float.h"
#include "tools/encode/print/printer.h"

#include <stdlib.h>
#include <string.h>

struct pairs {
    const struct job *job;
    struct encoder *encoder;
    struct json_writer json; /* these two write to the same stream */
    struct csv_writer csv;
    struct batch seconds; /* the second texts of the pairs of a batch, which has the first */
    float *vectors;       /* [n_vectors, width], of first texts */
    size_t n_vectors;
};

/* ---- Printing ---- */

static void print_json(struct json_writer *json, const struct record *first,
                       const engine_input *second, float cosine)
{
    json_begin_object(json, NULL);
    json_write_string(json, "text", first->input.text, first->input.text_len);
    json_write_string(json, "pair", second->text, second->text_len);
    for (size_t i = 0; i < first->n_members; i++)
        json_write_raw(json, first->members[i].key, first->members[i].value,
                       first->members[i].value_len);
    json_write_float(json, "similarity", cosine);
    json_end_object(json);
}

static void print_csv(struct csv_writer *csv, size_t number, const struct record *first,
                      const engine_input *second, float cosine)
{
    csv_write_integer(csv, (int64_t)number - 1);
    csv_write_string(csv, first->input.text, first->input.text_len);
    csv_write_string(csv, second->text, second->text_len);
    csv_write_float(csv, cosine);
    csv_end_row(csv);
}

static void print_text(FILE *stream, float cosine)
{
    char number[FORMAT_FLOAT_MAX];
    format_float(cosine, number);
    fprintf(stream, "%s\n", number);
}

static void print_pair(struct pairs *pairs, const struct item *first, const struct item *second,
                       float cosine)
{
    const engine_input *input = &second->record.input;
    const enum output_format format = pairs->job->options->format;
    if (format == FORMAT_JSON)
        print_json(&pairs->json, &first->record, input, cosine);
    else if (format == FORMAT_CSV)
        print_csv(&pairs->csv, first->number, &first->record, input, cosine);
    else
        print_text(pairs->job->output->stream, cosine);
}

/* ---- Encoding ---- */

/* Takes the second text of each pair out of the batch, and tokenizes both sides. How many pairs,
 * from the first, could be; the encoder's message says why not all. */
static size_t split(struct pairs *pairs, struct batch *firsts)
{
    struct batch *seconds = &pairs->seconds;
    const size_t n_read = firsts->n_items;
    size_t n = 0;
    for (; n < n_read && firsts->items[n].record.input.pair; n++) {
        struct item *item = &firsts->items[n];
        engine_input *input = &item->record.input;
        seconds->items[n] = (struct item){
            .number = item->number,
            .record = {.input = {.text = input->pair, .text_len = input->pair_len},
                       .line = item->record.line},
        };
        input->pair = NULL;
        input->pair_len = 0;
    }
    if (n < n_read)
        encoder_fail(pairs->encoder, &firsts->items[n],
                     ": --pairs takes two texts, [\"text\", \"pair\"] or "
                     "{\"text\": …, \"pair\": …}");
    firsts->n_items = n;
    seconds->n_items = batch_tokenize(firsts, NULL);
    firsts->n_items = n_read;
    return batch_tokenize(seconds, NULL);
}

/* Of n pairs with their tokens; returns how many could be. */
static size_t compare(struct pairs *pairs, struct item *firsts, struct item *seconds, size_t n)
{
    const size_t width = pairs->encoder->width;
    if (n > pairs->n_vectors) {
        pairs->vectors = alloc_resize(pairs->vectors, n, width * sizeof *pairs->vectors);
        pairs->n_vectors = n;
    }
    n = encoder_encode(pairs->encoder, firsts, n);
    for (size_t i = 0; i < n; i++)
        memcpy(pairs->vectors + i * width, firsts[i].rows, width * sizeof *pairs->vectors);
    n = encoder_encode(pairs->encoder, seconds, n);
    for (size_t i = 0; i < n; i++) {
        notes_of(pairs->job->notes, &firsts[i]);
        notes_of(pairs->job->notes, &seconds[i]);
        print_pair(pairs, &firsts[i], &seconds[i],
                   (float)engine_cosine(pairs->vectors + i * width, seconds[i].rows, width));
    }
    return n;
}

static int take_batch(void *task, struct batch *batch)
{
    struct pairs *pairs = task;
    const size_t n_read = batch->n_items, most = encoder_most_pooled(pairs->encoder);
    char reason[sizeof pairs->encoder
                    ->message]; /* encoding those before it may change the message */
    size_t n = split(pairs, batch), n_done = 0, len, n_compared;

    strcpy(reason, n < n_read ? pairs->encoder->message : "");
    do {
        len = n - n_done < most ? n - n_done : most;
        n_compared = compare(pairs, batch->items + n_done, pairs->seconds.items + n_done, len);
        n_done += n_compared;
    } while (n_compared == len && n_done < n);
    for (size_t i = 0; i < pairs->seconds.n_items; i++)
        item_free(&pairs->seconds.items[i]);
    if (n_done == n_read)
        return PROGRAM_DONE;
    return notes_fail(batch->job->notes, n_done < n ? pairs->encoder->message : reason);
}

int print_pair_similarities(const struct job *job)
{
    struct pairs *pairs = alloc_zeros(1, sizeof *pairs);
    pairs->job = pairs->seconds.job = job;
    pairs->encoder = job->encoder;
    pairs->json.stream = pairs->csv.stream = job->output->stream;
    if (job->options->format == FORMAT_CSV) {
        csv_write_fields(&pairs->csv, "text_index,text,pair,similarity");
        csv_end_row(&pairs->csv);
    }
    int code = batch_run(job, take_batch, pairs);
    free(pairs->vectors);
    free(pairs);
    return code;
}
