/* config_check.c - settings together: resolves absent ones from others, and refuses contradictions.
 *
 * A setting that nothing uses is a mistake in the file, unless it has its default. Source: section
 * CONF of weights/FORMAT.md.
 */
#include "model/config.h"

#include "model/layers/position.h"

#include <float.h>
#include <math.h>

/* Returns whether a count is there, and not 0. */
static bool is_count(size_t count)
{
    return count != 0 && count != CONFIG_ABSENT;
}

void config_resolve(struct model_config *config)
{
    if (config->norm_bias < 0)
        config->norm_bias = config->norm == NORM_LAYER;
    if (config->embedding_width == CONFIG_ABSENT || config->embedding_width == 0)
        config->embedding_width = config->width;
    if (config->max_text_tokens == CONFIG_ABSENT)
        config->max_text_tokens = config->max_tokens;
    if (config->layers == 0 && config->heads == CONFIG_ABSENT)
        config->heads = 0;
    if (config->layers == 0 && config->feed_forward == CONFIG_ABSENT)
        config->feed_forward = 0;
    if (config->layer_groups == CONFIG_ABSENT)
        config->layer_groups = config->layers;
    if (config->feed_forward_in_bias < 0)
        config->feed_forward_in_bias = config->feed_forward_bias;
    if (config->key_value_heads == CONFIG_ABSENT)
        config->key_value_heads = config->heads;
    if (config->head_width == CONFIG_ABSENT && is_count(config->heads) && is_count(config->width) &&
        config->width % config->heads == 0)
        config->head_width = config->width / config->heads;
    if (config->score_scale < 0 && is_count(config->head_width))
        config->score_scale = 1 / sqrt((double)config->head_width);
    if (config->rotary_width == CONFIG_ABSENT)
        config->rotary_width = config->head_width;
    if (config->rotary_local_base < 0)
        config->rotary_local_base = config->rotary_base;
}

static bool is_base(double base)
{
    return base >= ENGINE_POSITION_BASE_LEAST && base <= ENGINE_POSITION_BASE_MOST;
}

static const char *check_position(const struct model_config *config)
{
    if (config->position_offset > 0 && config->position != POSITION_LEARNED)
        return "'position_offset' needs position learned";
    if (config->position_skips_padding && config->position_offset == 0)
        return "'position_skips_padding' needs a 'position_offset' of 1 or more";
    if (config->position_skips_padding && config->attention_position == ATTENTION_POSITION_ROTARY)
        return "'position_skips_padding' cannot be combined with rotary positions";
    if (config->position_base != 10000 && !position_has_base(config->position))
        return "'position_base' needs position " ENGINE_POSITIONS_WITH_BASE;
    if (!is_base(config->position_base))
        return "'position_base' is not from 1e-100 to 1e100";
    if (config->position_frequencies > 0 && config->position != POSITION_FOURIER)
        return "'position_frequencies' needs position fourier";
    if (config->position_frequencies > (config->embedding_width + 1) / 2)
        return "'position_frequencies' is more than half of the columns: each takes two";
    if (config->embedding_scale > (double)FLT_MAX || config->position_scale > (double)FLT_MAX)
        return "'embedding_scale' or 'position_scale' is more than f32 holds";
    return NULL;
}

/* Checks settings of heads, of several vectors, and of weights of token ids. */
static const char *check_answers(const struct model_config *config)
{
    bool has_labels = config->head == HEAD_SEQUENCE || config->head == HEAD_TOKEN;
    if (config->projections > MAX_PROJECTIONS)
        return "'projections' is more than 8";
    if (has_labels != (config->labels > 0))
        return "'labels' must be 1 or more with head sequence or token, and 0 without";
    if (config->head == HEAD_POOLER && config->head_dense == DENSE_NONE)
        return "head pooler needs a 'head_dense'";
    if (config->head_tied && config->head != HEAD_MASK)
        return "'head_tied' needs head mask";
    if (config->embedding_width > config->width)
        return "'embedding_width' is more than 'width'";
    if (config_head_columns(config) != config->width && config->head_dense == DENSE_NONE)
        return "'head_tied' needs embedding tables of the model's width, or a 'head_dense'";
    if (config->head == HEAD_NONE && (config->head_dense != DENSE_NONE || config->head_norm))
        return "'head_dense' and 'head_norm' need a 'head'";
    if (!config->head_dense_bias && config->head_dense == DENSE_NONE)
        return "'head_dense_bias' no needs a 'head_dense'";
    if (config->head_pooling == POOLING_NONE || config->head_pooling == POOLING_POOLER)
        return "'head_pooling' is none or pooler; expected " NAMES_OF(TOKEN_POOLINGS);
    if (config->head_pooling != POOLING_CLS && config->head != HEAD_SEQUENCE)
        return "'head_pooling' needs head sequence";
    if (config->pooling == POOLING_POOLER && config->head_pooling != POOLING_CLS)
        return "pooling pooler reads the first token, but 'head_pooling' is not cls";
    if (config->pooling == POOLING_POOLER &&
        (config->head_dense == DENSE_NONE ||
         (config->head != HEAD_POOLER && config->head != HEAD_SEQUENCE)))
        return "pooling pooler needs head pooler or sequence with a 'head_dense'";
    if (!config->token_vector_bias && config->token_vectors == 0)
        return "'token_vector_bias' no needs 'token_vectors'";
    if (config->sparse == SPARSE_MASK && config->head != HEAD_MASK)
        return "sparse mask needs head mask";
    if (!config->token_vector_first && config->token_vectors == 0)
        return "'token_vector_first' no needs 'token_vectors'";
    if ((config->sparse_pooling != SPARSE_MAX || config->sparse_activation != SPARSE_LOG) &&
        config->sparse != SPARSE_MASK)
        return "'sparse_pooling' sum and 'sparse_activation' log_log need sparse mask";
    return NULL;
}

static const char *check_rotary(const struct model_config *config)
{
    if (config->attention_position != ATTENTION_POSITION_ROTARY) {
        bool is_default =
            config->rotary_base == 10000 && config->rotary_local_base == config->rotary_base &&
            config->rotary_width == config->head_width && config->rotary_pairs == ROTARY_HALF &&
            config->rotary_factor == 1 && config->rotary_trained == 0;
        return is_default ? NULL : "keys that begin with 'rotary' need attention_position rotary";
    }
    if (!is_base(config->rotary_base) || !is_base(config->rotary_local_base))
        return "'rotary_base' or 'rotary_local_base' is not from 1e-100 to 1e100";
    if (config->rotary_local_base != config->rotary_base && config->window == 0)
        return "'rotary_local_base' needs a 'window'";
    if (config->rotary_width < 2 || config->rotary_width % 2 != 0 ||
        config->rotary_width > config->head_width)
        return "'rotary_width' is not an even number from 2 to the width of a head";
    if (config->rotary_factor != 1 && config->rotary_trained == 0)
        return "'rotary_factor' needs 'rotary_trained'";
    if (!(config->rotary_factor > 0 && config->rotary_factor <= ENGINE_POSITION_BASE_MOST))
        return "'rotary_factor' is 0 or more than 1e100";
    return NULL;
}

static const char *check_layers(const struct model_config *config)
{
    enum { MOST_COLUMNS = INT32_MAX / 3 }; /* q, k and v side by side are countable in 32 bits */
    bool has_distances = config->attention_position == ATTENTION_POSITION_DISTANCE;
    if (config->layer_groups > config->layers || (config->layer_groups == 0 && config->layers > 0))
        return "'layer_groups' is not from 1 to 'layers'";
    if (config->layer_groups < config->layers && config->layers > MOST_SHARED_LAYERS)
        return "'layers' is more than 1024, and there are fewer 'layer_groups'";
    if (!config->first_norm && (config->layers == 0 || config->norm_place == NORM_POST))
        return "'first_norm' no needs layers and norm_place pre or sandwich";
    if (!config->first_norm && config->layer_groups < config->layers)
        return "'first_norm' no needs as many 'layer_groups' as 'layers'";
    if (config->layers == 0)
        return config->attention_position != ATTENTION_POSITION_NONE || config->window > 0 ||
                       config->query_key_norm
                   ? "'attention_position', 'window' and 'query_key_norm' need 'layers'"
                   : NULL;
    if (config->head_width == CONFIG_ABSENT)
        return "'heads' does not divide 'width'";
    if (config->head_width == 0 || config->head_width > MOST_COLUMNS / config->heads)
        return "'head_width' is 0, or 'heads' times as wide is more than 715827882";
    if (config->key_value_heads < 1 || config->heads % config->key_value_heads != 0)
        return "'key_value_heads' does not divide 'heads'";
    if (!((float)config->score_scale > 0 && config->score_scale <= (double)FLT_MAX))
        return "'score_scale' is 0 or more than f32 holds";
    if (has_distances != (config->distances > 0) || config->distances > MOST_TOKENS)
        return "'distances' must be 1 to 1048576 with attention_position distance, and 0 without";
    if (config->global_every > 0 && config->window == 0)
        return "'global_every' needs a 'window'";
    if (config->global_first > 0 && config->global_first >= config->global_every)
        return "'global_first' is not less than 'global_every'";
    return check_rotary(config);
}

/* A file without a model: only the number of ids and the longest text remain to be set. */
static const char *check_tokenizer_alone(struct model_config *config)
{
    config->width = config->layers = config->heads = config->feed_forward = 0;
    config->embedding_width = 0;
    if (!is_count(config->max_tokens))
        config->max_tokens = MOST_TOKENS;
    config->max_text_tokens = config->max_tokens;
    config_resolve(config);
    return !is_count(config->vocabulary) ? "'vocabulary' is missing or 0" : NULL;
}

const char *config_check(struct model_config *config)
{
    if (config->width == CONFIG_ABSENT && config->layers == CONFIG_ABSENT)
        return check_tokenizer_alone(config);
    config_resolve(config);
    if (config->layers == CONFIG_ABSENT)
        return "'layers' is missing";
    if (!is_count(config->width))
        return "'width' is missing or 0";
    if (!is_count(config->vocabulary))
        return "'vocabulary' is missing or 0";
    if (!is_count(config->max_tokens))
        return "'max_tokens' is missing or 0";
    if (config->max_tokens > MOST_TOKENS)
        return "'max_tokens' is more than 1048576";
    if (config->max_text_tokens < 1 || config->max_text_tokens > config->max_tokens)
        return "'max_text_tokens' is 0 or more than 'max_tokens'";
    if (config->layers > 0 && (!is_count(config->heads) || !is_count(config->feed_forward)))
        return "'heads' or 'feed_forward' is missing or 0";
    if (config->norm == NORM_NONE)
        return "'norm' is none; expected " NAMES_OF(LAYER_NORMS);
    if (config->norm != NORM_LAYER && config->norm_bias == 1)
        return "'norm_bias' is yes, but only layer norm has a bias";
    bool has_norm = config->layers > 0 || config->embedding_norm != NORM_NONE ||
                    config->final_norm || config->head_norm;
    if (has_norm && !((float)config->norm_eps > 0)) /* norms compute in float */
        return "'norm_eps' is missing or 0";
    const char *wrong = check_layers(config);
    wrong = wrong != NULL ? wrong : check_position(config);
    return wrong != NULL ? wrong : check_answers(config);
}
