/* spans.c - see spans.h. */
#include "tools/encode/spans.h"

#include "tools/common/output.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

void spans_check(struct text_encoder *encoder)
{
    const engine_input empty = {.text = ""};
    if (engine_encode_spans(encoder->session, &empty, NULL, 0, &encoder->options, NULL, 0, NULL,
                            NULL) == ENGINE_ERROR_UNSUPPORTED)
        program_die("--spans needs vectors of all tokens, as those of -p mean; -p %s makes none of "
                    "a part of a text",
                    engine_pooling_name(encoder->shape.pooling));
}

/* ---- Reading ---- */

/* Reads arrays [begin, end] that are within the item's text. */
static bool read_array(struct text_encoder *encoder, const struct item *item, json_t *array,
                       engine_span *spans)
{
    const size_t len = item->record.input.text_len - item->prompt_len;
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *value = json_array_get(array, i);
        json_int_t begin, end;
        if (json_unpack(value, "[II!]", &begin, &end) == 0 && begin >= 0 && end >= begin &&
            (uint64_t)end <= len) {
            spans[i] = (engine_span){(size_t)begin, (size_t)end};
            continue;
        }
        char *found = json_dumps(value, JSON_ENCODE_ANY);
        encoder_fail(encoder, item,
                     ": \"spans\"[%zu] is %.60s; expected [begin, end], bytes of the text, which "
                     "has %zu",
                     i, found ? found : "", len);
        free(found);
        return false;
    }
    return true;
}

bool spans_read(struct text_encoder *encoder, const struct item *item, engine_span **spans,
                size_t *n)
{
    const struct record *record = &item->record;
    const struct record_member *member = record->members,
                               *end = record->members + record->n_members;
    *spans = NULL;
    if (record->input.ids)
        return encoder_fail(encoder, item, ": ids have no spans; --spans takes texts");
    while (member < end && strcmp(member->key, "spans") != 0)
        member++;
    json_t *array = member < end ? json_loadb(member->value, member->value_len, 0, NULL) : NULL;
    const bool is_array = json_is_array(array);
    *n = json_array_size(array);
    *spans = alloc_zeros(*n, sizeof **spans);
    const bool is_good =
        is_array ? read_array(encoder, item, array, *spans)
                 : encoder_fail(encoder, item,
                                member < end ? ": \"spans\" is no array of [begin, end]"
                                             : " has no \"spans\"; expected {\"text\": …, "
                                               "\"spans\": [[begin, end], …]}");
    json_decref(array);
    return is_good;
}

/* ---- Encoding ---- */

bool spans_encode(struct text_encoder *encoder, const struct item *item, const engine_span *spans,
                  size_t n, float *rows)
{
    const engine_input input = {.tokens = item->tokens, .n_tokens = item->n_tokens};
    engine_span *shifted = alloc_zeros(n, sizeof *shifted); /* spans of tokens count the prompt */
    engine_encode_options options = encoder->options;
    options.max_tokens = 0; /* they are cut already */
    for (size_t i = 0; i < n; i++)
        shifted[i] =
            (engine_span){spans[i].begin + item->prompt_len, spans[i].end + item->prompt_len};
    const bool is_good = engine_encode_spans(encoder->session, &input, shifted, n, &options, rows,
                                             n * encoder->width, NULL, NULL) == ENGINE_OK;
    free(shifted);
    return is_good || encoder_fail_in_engine(encoder, item);
}

struct item spans_item(const struct item *item, const engine_span *spans, size_t i, size_t n,
                       const float *row)
{
    struct item part = {.number = item->number,
                        .record = item->record,
                        .window = {i, n, spans[i].begin, spans[i].end, false},
                        .n_dropped = item->n_dropped,
                        .n_skipped = item->n_tokens,
                        .rows = row};
    part.record.storage = part.record.members_storage = NULL;
    part.record.input.text += item->prompt_len;
    part.record.input.text_len -= item->prompt_len;
    return part;
}
