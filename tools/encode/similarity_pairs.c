/* similarity_pairs.c - encode --similarity --pairs: the cosine of each pair, in constant memory. */
#include "tools/common/print/format_float.h"
#include "tools/encode/print/printer.h"

#include <stdlib.h>
#include <string.h>

struct pairs {
    struct job *job;
    struct encoder *encoder;
    struct batch seconds; /* the second texts of the pairs of a batch, which has the first */
    float *vectors;       /* [n_vectors, width], of first texts */
    size_t n_vectors;
};

/* ---- Printing ---- */

/* As text the cosine alone, with all its digits. */
static void print_cosine(struct rows *rows, const struct item *first, const struct item *second,
                         float cosine)
{
    const engine_input *text = &first->record.input, *pair = &second->record.input;
    char number[FORMAT_FLOAT_MAX];
    if (rows->format == ROWS_TABLE) {
        format_float(cosine, number);
        fprintf(rows->stream, "%s\n", number);
        return;
    }
    row_begin(rows);
    row_count(rows, ROWS_CSV, "index", first->number - 1);
    row_text(rows, ROWS_DATA, "text", text->text, text->text_len, 0);
    row_text(rows, ROWS_DATA, "pair", pair->text, pair->text_len, 0);
    for (size_t i = 0; rows->format == ROWS_JSON && i < first->record.n_members; i++)
        json_write_raw(&rows->json, first->record.members[i].key, first->record.members[i].value,
                       first->record.members[i].value_len);
    row_float(rows, ROWS_DATA, "similarity", cosine);
    row_end(rows);
}

/* ---- Encoding ---- */

/* Takes the second text of each pair out of the batch, and tokenizes both sides. How many pairs,
 * from the first, could be; the encoder's message says why not all. */
static size_t split_pairs(struct pairs *pairs, struct batch *firsts)
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
static size_t compare_group(struct pairs *pairs, struct item *firsts, struct item *seconds,
                            size_t n)
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
        notes_of(pairs->job, &firsts[i]);
        notes_of(pairs->job, &seconds[i]);
        print_cosine(&pairs->job->rows, &firsts[i], &seconds[i],
                     (float)engine_cosine(pairs->vectors + i * width, seconds[i].rows, width));
    }
    return n;
}

static int compare_pairs(void *task, struct batch *batch)
{
    struct pairs *pairs = task;
    const size_t n_read = batch->n_items, most = encoder_most_pooled(pairs->encoder);
    char reason[sizeof pairs->encoder
                    ->message]; /* encoding those before it may change the message */
    size_t n = split_pairs(pairs, batch), n_done = 0, len, n_compared;

    strcpy(reason, n < n_read ? pairs->encoder->message : "");
    do {
        len = n - n_done < most ? n - n_done : most;
        n_compared =
            compare_group(pairs, batch->items + n_done, pairs->seconds.items + n_done, len);
        n_done += n_compared;
    } while (n_compared == len && n_done < n);
    for (size_t i = 0; i < pairs->seconds.n_items; i++)
        item_free(&pairs->seconds.items[i]);
    if (n_done == n_read)
        return PROGRAM_DONE;
    return program_fail("%s", n_done < n ? pairs->encoder->message : reason);
}

int print_pair_similarities(struct job *job)
{
    struct pairs *pairs = alloc_zeros(1, sizeof *pairs);
    pairs->job = pairs->seconds.job = job;
    pairs->encoder = job->encoder;
    rows_titles(&pairs->job->rows, "index,text,pair,similarity", 0, NULL);
    int code = batch_run(job, compare_pairs, pairs);
    free(pairs->vectors);
    free(pairs);
    return code;
}
