/* rank.c - encode --rank; see rank.h.
 *
 * A batch of texts is scored and its vectors are gone. To print the best first, all scores must be
 * there: a record of each text is kept, and its words are in a temporary file, one behind the
 * other.
 */
#include "tools/encode/rank.h"

#include "tools/encode/batch.h"
#include "tools/encode/print/rank_print.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct candidate {
    struct ranked ranked; /* first: ranked_compare sorts candidates */
    off_t offset;         /* in the temporary file */
    size_t len;
    bool is_cut;
};

struct ranking {
    const struct encode_options *options;
    struct encoder *encoder;
    struct output *output;
    struct batch *batch;
    struct item query;
    FILE *texts;
    off_t n_bytes; /* of texts */
    struct candidate *candidates;
    size_t n, cap;
};

static int fail_memory(const struct ranking *ranking)
{
    return batch_fail(ranking->batch, "not enough memory");
}

/* ---- Keeping texts until all are scored ---- */

static int keep(struct ranking *ranking, const struct item *item, float score)
{
    const engine_input *input = &item->record.input;
    if (ranking->n == ranking->cap) {
        size_t cap = ranking->cap ? 2 * ranking->cap : 256;
        struct candidate *larger = cap <= SIZE_MAX / sizeof *larger
                                       ? realloc(ranking->candidates, cap * sizeof *larger)
                                       : NULL;
        if (!larger)
            return fail_memory(ranking);
        ranking->candidates = larger;
        ranking->cap = cap;
    }
    ranking->candidates[ranking->n++] = (struct candidate){
        .ranked = {score, item->number - 1},
        .offset = ranking->n_bytes,
        .len = input->text_len,
        .is_cut = item->n_dropped > 0,
    };
    ranking->n_bytes += (off_t)input->text_len;
    if (input->text_len &&
        fwrite(input->text, 1, input->text_len, ranking->texts) != input->text_len)
        return batch_fail(ranking->batch, "cannot keep the texts in a temporary file");
    return PROGRAM_DONE;
}

/* Bytes for the longest text that will be printed. */
static char *text_room(const struct ranking *ranking, size_t n)
{
    size_t longest = 0;
    for (size_t i = 0; i < n; i++)
        if (ranking->candidates[i].len > longest)
            longest = ranking->candidates[i].len;
    return malloc(longest + 1);
}

static int print_sorted(struct ranking *ranking)
{
    const struct encode_options *options = ranking->options;
    size_t n = options->request.top && options->request.top < ranking->n ? options->request.top
                                                                         : ranking->n;
    if (ranking->n)
        qsort(ranking->candidates, ranking->n, sizeof *ranking->candidates, ranked_compare);
    char *text = text_room(ranking, n);
    if (!text)
        return fail_memory(ranking);

    int code = PROGRAM_DONE;
    FILE *stream = ranking->output->stream;
    errno = 0;
    rank_print_begin(stream, options, ranking->encoder, &ranking->query);
    for (size_t i = 0; i < n && code == PROGRAM_DONE && !ferror(stream); i++) {
        const struct candidate *candidate = &ranking->candidates[i];
        struct ranked_text shown = {candidate->ranked, i + 1, text, candidate->len,
                                    candidate->is_cut};
        if (fseeko(ranking->texts, candidate->offset, SEEK_SET) != 0 ||
            fread(text, 1, candidate->len, ranking->texts) != candidate->len)
            code =
                batch_fail(ranking->batch, "cannot read the temporary file with the texts again");
        else
            rank_print_text(stream, options, ranking->encoder, &ranking->query, &shown);
    }
    free(text);
    return code;
}

/* ---- Scoring ---- */

/* The tokens that will be read for a text: its own, or those of the pair with the query. */
static bool tokenize(struct ranking *ranking, struct item *item)
{
    struct encoder *encoder = ranking->encoder;
    const engine_input *query = &ranking->query.record.input;
    if (item->record.input.ids || item->record.input.pair)
        return encoder_fail(encoder, item, ": --rank takes single texts");
    if (!prompt_apply(&encoder->prompt, item))
        return encoder_fail_memory(encoder, item);
    if (!encoder->ranks_pairs)
        return encoder_tokenize(encoder, item);
    struct item pair = *item;
    pair.record.input =
        (engine_input){.text = query->text,
                       .text_len = query->text_len,
                       .pair = item->record.input.text ? item->record.input.text : "",
                       .pair_len = item->record.input.text_len};
    bool is_good = encoder_tokenize(encoder, &pair);
    item->n_tokens = pair.n_tokens;
    item->n_dropped = pair.n_dropped;
    item->tokens = pair.tokens;
    return is_good;
}

static int give_out(struct ranking *ranking, const struct item *item, float score)
{
    const engine_input *input = &item->record.input;
    struct ranked_text shown = {
        {score, item->number - 1}, 0, input->text, input->text_len, item->n_dropped > 0};
    batch_note(ranking->batch, item);
    if (!ranking->options->in_order)
        return keep(ranking, item, score);
    rank_print_text(ranking->output->stream, ranking->options, ranking->encoder, &ranking->query,
                    &shown);
    return PROGRAM_DONE;
}

static int score_batch(struct ranking *ranking)
{
    struct batch *batch = ranking->batch;
    struct encoder *encoder = ranking->encoder;
    engine_input inputs[BATCH_ITEMS];
    float scores[BATCH_ITEMS];
    char reason[sizeof encoder->message];
    size_t n = 0;
    int code = PROGRAM_DONE;

    for (; n < batch->n_items && tokenize(ranking, &batch->items[n]); n++)
        inputs[n] = batch->items[n].record.input;
    strcpy(reason, n < batch->n_items ? encoder->message : "");
    if (n && engine_rank(encoder->session, &ranking->query.record.input, inputs, n,
                         &encoder->options, scores) != ENGINE_OK)
        return batch_fail(batch, engine_session_message(encoder->session));
    errno = 0;
    for (size_t i = 0; i < n && code == PROGRAM_DONE; i++)
        code = give_out(ranking, &batch->items[i], scores[i]);
    return code == PROGRAM_DONE && n < batch->n_items ? batch_fail(batch, reason) : code;
}

static int score_all(struct ranking *ranking)
{
    struct batch *batch = ranking->batch;
    enum reader_state state;
    do {
        state = batch_fill(batch);
        int code = score_batch(ranking);
        if (!output_check(ranking->output, state != READER_RECORD))
            return PROGRAM_FAILED;
        if (code != PROGRAM_DONE)
            return code;
    } while (state == READER_RECORD || state == READER_PENDING);
    if (state == READER_FAILED)
        return batch_fail(batch, batch->reader->message);
    batch_end(batch);
    return PROGRAM_DONE;
}

/* ---- All of it ---- */

/* Of a pair the query is judged with each text; alone it is judged now. */
static bool read_query(struct ranking *ranking)
{
    struct encoder *encoder = ranking->encoder;
    struct item *query = &ranking->query;
    query->record.input.text = ranking->options->query;
    query->record.input.text_len = strlen(ranking->options->query);
    if (!prompt_apply(&encoder->query_prompt, query))
        return encoder_fail_memory(encoder, query);
    if (encoder->ranks_pairs)
        return true;
    if (!encoder_tokenize(encoder, query))
        return false;
    batch_note(ranking->batch, query);
    return true;
}

static int prepare(struct ranking *ranking, struct reader *reader)
{
    ranking->batch = batch_new(ranking->options, ranking->encoder, reader);
    if (!ranking->batch)
        return program_fail("not enough memory");
    if (!read_query(ranking))
        return program_fail("%s", ranking->encoder->message);
    if (!ranking->options->in_order && !(ranking->texts = tmpfile()))
        return program_fail("cannot make a temporary file for the texts: %s", strerror(errno));
    return PROGRAM_DONE;
}

int rank_texts(const struct encode_options *options, struct encoder *encoder, struct reader *reader,
               struct output *output)
{
    struct ranking ranking = {.options = options, .encoder = encoder, .output = output};
    int code = prepare(&ranking, reader);
    if (code == PROGRAM_DONE) {
        errno = 0;
        if (options->in_order)
            rank_print_begin(output->stream, options, encoder, &ranking.query);
        code = score_all(&ranking);
    }
    if (code == PROGRAM_DONE && !options->in_order)
        code = print_sorted(&ranking);
    output_check(output, false);
    if (ranking.texts)
        fclose(ranking.texts);
    free(ranking.candidates);
    item_free(&ranking.query);
    batch_free(ranking.batch);
    return code;
}
