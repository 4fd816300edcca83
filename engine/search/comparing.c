/* comparing.c - how a model compares texts: by scores of pairs or by vectors, of which pooling, and
 * by which metric. All hosts ask here. */
#include "engine/search/comparing.h"
#include "engine/status.h"

#include <stdio.h>
#include <string.h>

bool ranks_pairs(const engine_model *model)
{
    const struct model_config *config = &model->encoder.config;
    const char *is_told = engine_model_metadata(model, "cross_encoder");
    return config->head == HEAD_SEQUENCE &&
           (config->labels == 1 ||
            (config->labels == 2 && is_told != NULL && strcmp(is_told, "yes") == 0));
}

engine_metric engine_model_metric(const engine_model *model, engine_pooling pooling)
{
    static const char *const NAMES[] = {"cosine", "dot", "euclidean", "manhattan"};
    const engine_pooling own = model != NULL ? own_pooling(&model->encoder.config) : pooling;
    const bool is_sparse =
        (pooling == ENGINE_POOLING_MODEL ? own : pooling) == ENGINE_POOLING_SPARSE;
    const char *name = is_sparse && own != ENGINE_POOLING_SPARSE
                           ? NULL
                           : engine_model_metadata(model, "similarity");
    for (size_t i = 0; name != NULL && i < sizeof NAMES / sizeof *NAMES; i++)
        if (strcmp(NAMES[i], name) == 0)
            return (engine_metric)i;
    return is_sparse ? ENGINE_METRIC_DOT : ENGINE_METRIC_COSINE;
}

engine_status engine_text_pooling(const engine_model *model, engine_pooling *pooling,
                                  engine_error *error)
{
    char names[120] = "";
    if (model == NULL || pooling == NULL)
        return misused(error, "engine_text_pooling: model or pooling is NULL");
    const struct model_config *config = &model->encoder.config;
    const bool is_of_head = own_pooling(config) != ENGINE_POOLING_MODEL;
    *pooling =
        is_of_head || config->pooling != POOLING_NONE ? ENGINE_POOLING_MODEL : ENGINE_POOLING_MEAN;
    if (is_of_head || (config->head != HEAD_SEQUENCE && config->head != HEAD_TOKEN))
        return succeed(error);
    for (size_t i = 0, used = 0; i < config->labels && used < sizeof names; i++) {
        const char *name = engine_label(model, i);
        used += (size_t)snprintf(names + used, sizeof names - used, name ? "%s'%.40s'" : "%s%s%zu",
                                 i > 0 ? ", " : "", name ? name : "LABEL_", i);
    }
    return fail(error, ENGINE_ERROR_UNSUPPORTED,
                "the model labels %s (%s): it makes no vectors of texts, and %s",
                config->head == HEAD_TOKEN ? "tokens" : "texts", names,
                ranks_pairs(model) ? "ranks pairs of texts alone" : "does not rank them");
}
