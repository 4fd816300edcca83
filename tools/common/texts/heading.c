/* heading.c - see heading.h. */
#include "tools/common/texts/heading.h"

#include "tools/common/model_file.h"
#include "tools/common/options.h"
#include "tools/common/print/display.h"
#include "tools/common/texts/encoder_tokens.h"

#include <string.h>

enum { NAME_COLUMNS = 70 /* of the model */, BRACKET_COLUMNS = 16 };

static const char *score_kind(const struct encoder *encoder)
{
    static const char *const KINDS[] = {"logits", "softmax", "sigmoid"};
    if (encoder->labels)
        return encoder->request.is_multi ? "zero-shot, each alone" : "zero-shot";
    return KINDS[encoder->options.raw_scores ? ENGINE_SCORES_NONE : encoder->info.scores];
}

/* What is made of a text. */
static void print_result_kind(FILE *stream, const struct encoder *encoder)
{
    const engine_info *info = &encoder->info;
    const engine_pooling pooling = encoder->shape.pooling;
    const bool has_length_1 = encoder->options.normalize || encoder->shape.normalized;
    switch (encoder->request.task) {
    case TASK_LABELS:
        fprintf(stream, "%zu label%s per %s (%s)", encoder->width, plural(encoder->width),
                encoder->is_pooled ? "text" : "token", score_kind(encoder));
        break;
    case TASK_ENTITIES:
        fprintf(stream, "%zu label%s per token (%s)", info->n_labels, plural(info->n_labels),
                score_kind(encoder));
        break;
    case TASK_FILL:
        fprintf(stream, "%zu word%s per mask token", encoder->top, plural(encoder->top));
        break;
    case TASK_RANK:
    case TASK_SIMILARITY:
        if (encoder->ranks_pairs)
            fprintf(stream, "scores of pairs (%s)", score_kind(encoder));
        else if (pooling == ENGINE_POOLING_COLBERT)
            fputs("MaxSim of vectors of tokens", stream);
        else
            fprintf(stream, "%s of %s %s", metric_words(encoder->shape.metric),
                    engine_pooling_name(pooling), encoder->is_sparse ? "weights" : "pooling");
        break;
    default:
        if (encoder->is_sparse || pooling == ENGINE_POOLING_COLBERT) {
            fputs(encoder->is_sparse ? "sparse weights" : "vectors of length 1 of tokens", stream);
            break;
        }
        if (!encoder->is_pooled)
            fputs("one vector per token", stream);
        else
            fprintf(stream, "%s pooling%s", engine_pooling_name(pooling),
                    has_length_1 ? " to length 1" : "");
    }
}

/* "learned positions", "rotary positions", or both, and the numbers that they are computed with,
 * as " (base 50, W2 3)": the requested numbers, and the file's numbers that differ from the
 * format's defaults. */
static void print_positions(FILE *stream, const struct encoder *encoder)
{
    const engine_position added = encoder->position;
    const char *in_attention = encoder->attention_position;
    const bool are_added = added != ENGINE_POSITION_NONE;
    const struct position_options *asked = &encoder->request.positions;
    const struct position_numbers *numbers = &encoder->numbers;
    const char *before = " (";
    fprintf(stream, "%s%s%s positions", are_added ? engine_position_name(added) : "",
            are_added && in_attention ? " and " : "",
            in_attention ? in_attention
            : are_added  ? ""
                         : "no");
    if ((asked->base != 0 || numbers->base != POSITION_DEFAULT_BASE) &&
        engine_position_has_base(added)) {
        fprintf(stream, "%sbase %g", before, numbers->base);
        before = ", ";
    }
    if (added == ENGINE_POSITION_FOURIER && numbers->n_frequencies > 0) {
        fprintf(stream, "%s%zu frequenc%s", before, numbers->n_frequencies,
                numbers->n_frequencies == 1 ? "y" : "ies");
        before = ", ";
    }
    if (asked->has_embedding_scale || numbers->embedding_scale != 1) {
        fprintf(stream, "%sW1 %g", before, numbers->embedding_scale);
        before = ", ";
    }
    if (are_added && (asked->has_position_scale || numbers->position_scale != 1)) {
        fprintf(stream, "%sW2 %g", before, numbers->position_scale);
        before = ", ";
    }
    fputs(before[0] == ',' ? ")" : "", stream);
}

void print_heading(FILE *stream, const struct encoder *encoder)
{
    const engine_info *info = &encoder->info;
    display_text(stream, encoder->name, strlen(encoder->name), NAME_COLUMNS);
    if (info->has_model && info->n_layers == 0)
        fprintf(stream, ": no layers, width %zu, vocabulary %zu\n", info->width,
                info->n_vocabulary);
    else if (info->has_model)
        fprintf(stream, ": %zu layer%s, width %zu, %zu head%s, feed-forward %zu, vocabulary %zu\n",
                info->n_layers, plural(info->n_layers), info->width, info->n_heads,
                plural(info->n_heads), info->feed_forward, info->n_vocabulary);
    else
        fputs(": no model\n", stream);
    if (task_is_tokens(encoder->request.task)) {
        fprintf(stream, "%s tokenizer\n",
                model_setting(encoder->model, ENGINE_SETTINGS_TOKENIZER, "kind"));
        return;
    }
    print_positions(stream, encoder);
    fprintf(stream, ", %s mask, ", engine_mask_name(encoder->mask));
    if (encoder->window > 0)
        fprintf(stream, "window of %zu, ", encoder->window);
    print_result_kind(stream, encoder);
    fprintf(stream, ", at most %zu token%s\n", encoder->options.max_tokens,
            plural(encoder->options.max_tokens));
}

void print_input(FILE *stream, const engine_input *input, size_t columns)
{
    if (input->ids) {
        fputs("(token ids)", stream);
        return;
    }
    if (input->text_len)
        display_text(stream, input->text, input->text_len, columns);
    if (input->pair) {
        fputs(" | ", stream);
        display_text(stream, input->pair, input->pair_len, columns);
    }
}

void print_meaning(FILE *stream, const struct encoder *encoder, const struct item *item, size_t i)
{
    size_t len;
    const char *text = encoder_unknown_word(encoder, item, i, &len);
    if (!text)
        text = encoder_bytes_text(encoder, item, i, &len);
    if (!text)
        return;
    fputs(" (", stream);
    display_text(stream, text, len, BRACKET_COLUMNS);
    putc(')', stream);
}
