/* encode_conflict.c - options of encode that contradict one another; see encode_options.h. What
 * they ask of the model and it cannot do is checked where it is opened. */
#include "tools/encode/encode_options.h"

#include <unistd.h>

static bool has_prompt(const struct encode_options *options)
{
    return options->request.prompt || options->request.prompt_text || options->request.query_prompt;
}

static const char *compare_conflict(const struct encode_options *options)
{
    if (options->request.n_texts != 2 && options->request.n_texts != 0)
        return "--compare takes two texts, or none to read two lines of stdin";
    if (options->request.is_json_input)
        return "--compare takes two texts, or two lines of stdin; it goes without --input jsonl";
    if (options->request.has_pooling || options->request.normalize)
        return "--compare looks at tokens; it goes without -p and --normalize";
    if (options->pair)
        return "--compare goes without --tokens and --pair";
    if (has_prompt(options) || options->request.is_chunked)
        return "--compare takes texts as they are; it goes without prompts and windows";
    if (options->format != FORMAT_TEXT && options->format != FORMAT_JSON)
        return "--compare prints text or json";
    return NULL;
}

/* --rank and --similarity: a number for two texts, by a vector of each. */
static const char *cosine_conflict(const struct encode_options *options)
{
    bool is_rank = options->request.task == TASK_RANK;
    if (options->pair)
        return is_rank ? "--rank pairs each text with QUERY; it goes without --pair"
                       : "--similarity takes single texts; it goes without --pair";
    if (options->request.has_pooling && options->request.pooling == ENGINE_POOLING_NONE)
        return is_rank ? "--rank by cosine needs a vector per text; it goes without -p none"
                       : "--similarity needs a vector per text; it goes without -p none";
    if (options->request.is_chunked)
        return is_rank ? "--rank gives one score per text; it goes without --on-long chunk"
                       : "--similarity gives one row per text; it goes without --on-long chunk";
    if (!is_rank && options->request.n_texts == 1)
        return "--similarity takes at least two texts";
    return NULL;
}

/* Results that are no vectors and no tokens. */
static const char *head_conflict(const struct encode_options *options)
{
    bool by_cosine = options->request.task == TASK_RANK || options->request.task == TASK_SIMILARITY;
    if (options->format == FORMAT_NPY)
        return "-f npy holds vectors; labels, entities, words, ranks and similarities are text, "
               "json or csv";
    if (options->format == FORMAT_IDS)
        return "-f ids prints tokens and nothing else";
    if (options->request.normalize || (options->request.has_pooling && !by_cosine))
        return "-p and --normalize are for vectors, which --labels, --entities, --fill, --rank and "
               "--similarity do not print";
    return by_cosine ? cosine_conflict(options) : NULL;
}

/* Options that say how something is done, without it. */
static const char *idle_option(const struct encode_options *options)
{
    bool has_scores = options->request.task >= TASK_LABELS && options->request.task <= TASK_RANK;
    if (options->request.top && options->request.task != TASK_FILL &&
        options->request.task != TASK_RANK)
        return "--top goes with --fill or --rank";
    if ((options->in_order || options->request.query_prompt) && options->request.task != TASK_RANK)
        return "--in-order and --query-prompt go with --rank";
    if (options->in_order && options->request.top)
        return "--in-order prints every text; it goes without --top";
    if (options->request.raw_scores && !has_scores)
        return "--raw-scores goes with --labels, --entities, --fill or --rank";
    if (options->request.stride && !options->request.is_chunked)
        return "--stride is the overlap of windows; it goes with --on-long chunk";
    return NULL;
}

static const char *input_conflict(const struct encode_options *options)
{
    bool cuts = options->request.has_truncation || options->request.truncate_left;
    if (options->request.is_json_input && options->request.n_texts > 0)
        return "--input jsonl reads stdin; it goes without TEXT";
    if ((options->request.prompt && options->request.prompt_text) ||
        (options->request.no_prompt && has_prompt(options)))
        return "--prompt, --prompt-text and --no-prompt exclude one another";
    if (options->request.truncate_left && options->request.is_chunked)
        return "--truncate-left cuts texts; it goes without --on-long chunk";
    if (cuts && options->request.on_long == ENGINE_ON_LONG_ERROR && !options->request.is_chunked)
        return "--truncation and --truncate-left cut texts; they go without --on-long error";
    return NULL;
}

static const char *padding_conflict(const struct encode_options *options)
{
    bool shows_mask = options->request.task == TASK_SHOW_MASK;
    if (options->request.pad_to && options->request.task >= TASK_LABELS)
        return "--pad-to goes with vectors, --tokens, -f ids and --show-mask";
    if (options->request.has_pad_side && !options->request.pad_to && !shows_mask)
        return "--pad-side goes with --pad-to or --show-mask";
    if (options->request.has_pad_id && !options->request.pad_to && !shows_mask &&
        !options->request.is_json_input)
        return "--pad-id goes with --pad-to, --show-mask or --input jsonl";
    if (options->request.pad_to && options->request.max_tokens > options->request.pad_to)
        return "--max-tokens is more than --pad-to, which texts may not be longer than";
    if (!shows_mask)
        return NULL;
    if (options->format != FORMAT_TEXT && options->format != FORMAT_JSON)
        return "--show-mask prints text or json";
    if (options->request.has_pooling || options->request.normalize)
        return "--show-mask makes no vectors; it goes without -p and --normalize";
    if (options->request.is_chunked)
        return "--show-mask gives one row per text; it goes without --on-long chunk";
    return NULL;
}

static const char *vector_conflict(const struct encode_options *options)
{
    bool is_tokens = options->request.task == TASK_TOKENS || options->format == FORMAT_IDS;
    bool is_pooled = options->request.pooling != ENGINE_POOLING_NONE;
    if (options->pair && options->request.n_texts != 1)
        return "--pair goes with exactly one TEXT";
    if (options->request.task >= TASK_LABELS)
        return head_conflict(options);
    if (is_tokens && options->format == FORMAT_NPY && !options->request.pad_to)
        return "--tokens -f npy is an array of ids, whose rows are of one length: --pad-to N";
    if (is_tokens && (is_pooled || options->request.normalize))
        return "--tokens and -f ids make no vectors; they go without -p and --normalize";
    if (options->request.normalize && !is_pooled)
        return "--normalize scales the vectors of texts; it goes with -p mean, cls, max or model";
    if (options->format == FORMAT_NPY && !options->output_path && isatty(STDOUT_FILENO))
        return "-f npy is not for reading, and stdout is a terminal: -o FILE";
    return NULL;
}

const char *encode_options_conflict(const struct encode_options *options)
{
    const char *reason = input_conflict(options);
    if (!reason)
        reason = idle_option(options);
    if (!reason)
        reason = padding_conflict(options);
    if (!reason)
        reason = position_options_conflict(&options->request.positions,
                                           position_name(options->request.positions.position));
    if (!reason)
        reason = options->request.task == TASK_COMPARE ? compare_conflict(options)
                                                       : vector_conflict(options);
    return reason;
}
