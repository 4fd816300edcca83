/* answers.c - see answers.h. */
#include "engine/plain/answers.h"

#include "engine/plain/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *setting(const struct plain_model *model, const char *key, const char *if_absent)
{
    return plain_setting(&model->weights->conf, key, if_absent);
}

/* to [rows] = W·x [cols] + b of the tensors NAME.weight and, if there is one, NAME.bias. */
static void apply(struct plain_model *model, const char *name, const char *matrix_name, size_t rows,
                  size_t cols, const double *x, double *to)
{
    char full[64];
    const double *weight = plain_matrix(model, rows, cols, matrix_name);
    snprintf(full, sizeof full, "%s.bias", name);
    const double *bias =
        plain_tensor(model->weights, full) ? plain_vector(model, rows, full) : NULL;
    for (size_t i = 0; weight && i < rows; i++) {
        to[i] = bias ? bias[i] : 0;
        for (size_t k = 0; k < cols; k++)
            to[i] += weight[i * cols + k] * x[k];
    }
}

bool plain_token_vectors(const struct plain_weights *weights, const struct plain_output *output,
                         double *out, char error[256])
{
    struct plain_model model = plain_model_open(weights, NULL, error);
    size_t width = strtoul(setting(&model, "token_vectors", "0"), NULL, 10);
    for (size_t t = 0; t < output->n_tokens && error[0] == '\0'; t++) {
        double *row = out + t * width, square = 0;
        apply(&model, "token.vector", "token.vector.weight", width, model.width,
              output->tokens + t * output->width, row);
        for (size_t i = 0; i < width; i++)
            square += row[i] * row[i];
        for (size_t i = 0; i < width; i++)
            row[i] /= fmax(sqrt(square), 1e-12);
    }
    return error[0] == '\0';
}

/* What the output layer of head mask reads, [n]; a dense layer with gelu, and a layer norm, if
 * any. */
static void head_row(struct plain_model *model, const double *x, size_t n, double *z)
{
    memcpy(z, x, n * sizeof *z);
    if (strcmp(setting(model, "head_dense", "none"), "gelu") == 0) {
        apply(model, "head.dense", "head.dense.weight", n, model->width, x, z);
        for (size_t i = 0; i < n; i++)
            z[i] *= 0.5 * (1 + erf(z[i] / sqrt(2)));
    }
    if (strcmp(setting(model, "head_norm", "no"), "yes") != 0)
        return;
    const double *weight = plain_vector(model, n, "head.norm.weight"),
                 *bias = plain_vector(model, n, "head.norm.bias");
    double mean = 0, variance = 0;
    for (size_t i = 0; i < n; i++)
        mean += z[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        variance += (z[i] - mean) * (z[i] - mean) / (double)n;
    for (size_t i = 0; i < n && weight && bias; i++)
        z[i] = (z[i] - mean) / sqrt(variance + model->norm_eps) * weight[i] + bias[i];
}

static void take_logits(struct plain_model *model, const double *x, double *out)
{
    bool is_sum = strcmp(setting(model, "sparse_pooling", "max"), "sum") == 0;
    bool is_twice = strcmp(setting(model, "sparse_activation", "log"), "log_log") == 0;
    bool is_tied = strcmp(setting(model, "head_tied", "no"), "yes") == 0;
    size_t n = is_tied ? strtoul(setting(model, "embedding_width", "0"), NULL, 10) : 0;
    n = n > 0 ? n : model->width;
    double *z = plain_doubles(n), *logits = plain_doubles(model->vocabulary);
    head_row(model, x, n, z);
    apply(model, "head.output", is_tied ? "embedding.token.weight" : "head.output.weight",
          model->vocabulary, n, z, logits);
    for (size_t id = 0; id < model->vocabulary; id++) {
        double weight = log(1 + fmax(0, logits[id]));
        weight = is_twice ? log(1 + weight) : weight;
        out[id] = is_sum ? out[id] + weight : fmax(out[id], weight);
    }
    free(z);
    free(logits);
}

bool plain_query(const struct plain_weights *weights, const int32_t *ids, size_t n, double *out,
                 char error[256])
{
    struct plain_model model = plain_model_open(weights, NULL, error);
    const double *of_ids = plain_vector(&model, model.vocabulary, "query.weight");
    for (size_t id = 0; of_ids && id < model.vocabulary; id++)
        out[id] = 0;
    for (size_t i = 0; of_ids && i < n; i++)
        out[ids[i]] = of_ids[ids[i]];
    return error[0] == '\0';
}

bool plain_sparse(const struct plain_weights *weights, const struct plain_output *output,
                  const int32_t *ids, const int32_t *skipped, size_t n_skipped, double *out,
                  char error[256])
{
    struct plain_model model = plain_model_open(weights, NULL, error);
    bool is_linear = strcmp(setting(&model, "sparse", "none"), "linear") == 0;
    for (size_t id = 0; id < model.vocabulary; id++)
        out[id] = 0;
    for (size_t t = 0; t < output->n_tokens && error[0] == '\0'; t++) {
        const double *x = output->tokens + t * output->width;
        double weight = 0;
        if (is_linear) {
            apply(&model, "token.weight", "token.weight.weight", 1, model.width, x, &weight);
            out[ids[t]] = fmax(out[ids[t]], weight);
        } else {
            take_logits(&model, x, out);
        }
    }
    for (size_t i = 0; is_linear && i < n_skipped; i++)
        out[skipped[i]] = 0;
    return error[0] == '\0';
}
