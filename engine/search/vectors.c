/* vectors.c - which tokens have vectors; the public functions that compare a host's vectors. */
#include "engine/request/request.h"
#include "model/layers/pooling.h"
#include "model/layers/search/token_vector.h"

#include <float.h>

double engine_similarity(engine_metric metric, const float *a, const float *b, size_t n)
{
    if (a == NULL || b == NULL)
        return metric == ENGINE_METRIC_COSINE ? -1 : (double)-FLT_MAX;
    return similarity(metric, a, b, n);
}

double engine_cosine(const float *a, const float *b, size_t n)
{
    return a != NULL && b != NULL ? similarity(ENGINE_METRIC_COSINE, a, b, n) : 0;
}

size_t engine_sparse_entries(const float *row, size_t n, engine_weight *out, size_t cap)
{
    size_t n_entries = 0;
    for (size_t id = 0; row != NULL && id < n; id++) {
        if (row[id] == 0)
            continue;
        if (out != NULL && n_entries < cap)
            out[n_entries] = (engine_weight){(int32_t)id, row[id]};
        n_entries++;
    }
    return n_entries;
}

double engine_sparse_product(const engine_weight *a, size_t n_a, const engine_weight *b, size_t n_b)
{
    double sum = 0;
    for (size_t i = 0, k = 0; a != NULL && b != NULL && i < n_a && k < n_b;) {
        if (a[i].id == b[k].id)
            sum += (double)a[i++].weight * (double)b[k++].weight;
        else if (a[i].id < b[k].id)
            i++;
        else
            k++;
    }
    return sum;
}

double engine_max_sim(const float *query, size_t n_query, const float *text, size_t n_text,
                      size_t width)
{
    return query != NULL && text != NULL ? max_sim(query, n_query, text, n_text, width) : 0;
}

bool token_has_vector(const engine_model *model, int32_t id, size_t index, bool in_query)
{
    return (index > 0 || model->encoder.config.token_vector_first) &&
           (in_query || !id_list_has(&model->tokenizer.skip_vectors, id));
}

int engine_token_has_vector(const engine_model *model, int32_t id, size_t index, engine_role role)
{
    return model != NULL && token_has_vector(model, id, index, role == ENGINE_ROLE_QUERY);
}
