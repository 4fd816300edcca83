/* answers.c - see answers.h. */
#include "engine/plain/answers.h"

#include "engine/plain/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Vectors of texts ---- */

bool plain_pool(const char *pooling, const double *rows, size_t n, size_t width, size_t n_skipped,
                double *out)
{
    const double n_used = n > n_skipped ? (double)(n - n_skipped) : 0;
    double ranks = 0;
    for (size_t t = n_skipped; t < n; t++)
        ranks += (double)(t + 1);
    for (size_t i = 0; i < width; i++) {
        double sum = 0, weighted = 0, largest = -(double)INFINITY;
        for (size_t t = n_skipped; t < n; t++) {
            double value = rows[t * width + i];
            sum += value;
            weighted += (double)(t + 1) * value / ranks;
            largest = fmax(largest, value);
        }
        out[i] = n_used == 0                          ? 0
                 : plain_is(pooling, "mean")          ? sum / n_used
                 : plain_is(pooling, "mean_sqrt")     ? sum / sqrt(n_used)
                 : plain_is(pooling, "max")           ? largest
                 : plain_is(pooling, "weighted_mean") ? weighted
                 : plain_is(pooling, "last")          ? rows[(n - 1) * width + i]
                                                      : rows[n_skipped * width + i];
    }
    return plain_is_among(pooling, " cls mean max mean_sqrt weighted_mean last ");
}

void plain_to_unit_length(double *x, size_t n)
{
    const double length = sqrt(plain_dot(x, x, n));
    for (size_t i = 0; i < n; i++)
        x[i] /= fmax(length, 1e-12);
}

/* Copies the name of a list at *at, and moves that to the next. False: there was none. */
static bool next_name(const char **at, char name[32])
{
    const bool is_one = sscanf(*at, "%31[^,]", name) == 1;
    *at += strcspn(*at, ",");
    *at += **at == ',';
    return is_one;
}

/* act(x·Wᵀ + b) of a row x [n], to be freed. */
static double *dense(struct plain_model *model, const char *name, const char *activation,
                     const double *x, size_t n, size_t n_out)
{
    double *y = plain_linear(model, name, x, 1, n, n_out);
    for (size_t i = 0; i < n_out; i++)
        y[i] = plain_activation(activation, y[i]);
    if (isnan(plain_activation(activation, 0)))
        plain_complain(model->error, "activation %s is not known", activation);
    return y;
}

/* The vector before its projections, with at most 8 joined poolings; stores its width. */
static double *pool_own(struct plain_model *model, const struct plain_output *output, size_t *width)
{
    const size_t n = output->n_tokens, one = output->width;
    const size_t n_skipped = model->pools_prompt ? 0 : output->n_prompt;
    const char *at = model->joined_poolings;
    double *x = plain_doubles(9, one);
    char name[32];
    bool is_known = plain_pool(model->pooling, output->tokens, n, one, n_skipped, x);
    for (*width = one; *width < 9 * one && next_name(&at, name); *width += one)
        is_known &= plain_pool(name, output->tokens, n, one, n_skipped, x + *width);
    if (!is_known)
        plain_complain(model->error, "a pooling is not known: %s, %s", model->pooling,
                       model->joined_poolings);
    return x;
}

double *plain_vector_of_text(const struct plain_weights *weights, const struct plain_output *output,
                             size_t *width, char error[256])
{
    struct plain_model model = plain_model_open(weights, NULL, error);
    double *x = error[0] == '\0' ? pool_own(&model, output, width) : NULL;
    const char *at = model.projection_activation;
    char activation[32] = "", next[32], name[32];
    for (size_t i = 0; i < model.n_projections && error[0] == '\0'; i++) {
        if (next_name(&at, next))
            memcpy(activation, next, sizeof next); /* the last one is for all that follow */
        snprintf(name, sizeof name, "projection.%zu", i);
        if (plain_is(activation, "layer_norm")) {
            model.norm_eps = 1e-5;
            plain_normalise(&model, "layer", name, x, 1, *width);
        } else {
            const struct plain_tensor *weight = plain_find(&model, name, ".weight");
            const size_t n = weight ? weight->rows : 0;
            double *y = dense(&model, name, activation, x, *width, n);
            free(x);
            x = y;
            *width = n;
        }
    }
    if (error[0] == '\0' && model.normalize)
        plain_to_unit_length(x, *width);
    if (error[0] == '\0')
        return x;
    free(x);
    return NULL;
}

/* ---- Heads ---- */

/* z [n] = norm(act(x·Wᵀ + b)) of x [D], where the head has these parts; to be freed. */
static double *head_row(struct plain_model *model, const double *x, size_t n)
{
    double *z;
    if (!plain_is(model->head_dense, "none"))
        z = dense(model, "head.dense", model->head_dense, x, model->width, n);
    else
        z = memcpy(plain_doubles(1, n), x, (n < model->width ? n : model->width) * sizeof *z);
    if (model->head_norm)
        plain_normalise(model, "layer", "head.norm", z, 1, n);
    return z;
}

bool plain_scores(const struct plain_weights *weights, const struct plain_output *output,
                  double *out, char error[256])
{
    struct plain_model model = plain_model_open(weights, NULL, error);
    if (!plain_is(model.head, "sequence"))
        plain_complain(error, "head is '%s', which gives a text no labels", model.head);
    if (error[0] != '\0')
        return false;
    const size_t n = output->n_tokens, width = model.width;
    double *rows = plain_doubles(n, width), *pooled = plain_doubles(1, width);
    for (size_t t = 0; t < n; t++) {
        const double *x = output->tokens + t * width;
        double *z = model.head_late ? head_row(&model, x, width) : NULL;
        memcpy(rows + t * width, z ? z : x, width * sizeof *x);
        free(z);
    }
    plain_pool(model.head_pooling, rows, n, width, 0, pooled);
    double *z = model.head_late ? NULL : head_row(&model, pooled, width);
    double *logits = plain_linear(&model, "head.output", z ? z : pooled, 1, width, model.n_labels);
    for (size_t i = 0; i < model.n_labels; i++)
        out[i] =
            plain_is(model.scores, "sigmoid") ? plain_activation("sigmoid", logits[i]) : logits[i];
    if (plain_is(model.scores, "softmax"))
        plain_softmax(out, model.n_labels, out);
    free(rows);
    free(pooled);
    free(z);
    free(logits);
    return error[0] == '\0';
}

/* ---- Vectors of tokens, and weights of ids ---- */

bool plain_token_vectors(const struct plain_weights *weights, const struct plain_output *output,
                         double *out, char error[256])
{
    struct plain_model model = plain_model_open(weights, NULL, error);
    const size_t n = output->n_tokens, width = model.token_vectors;
    double *rows = plain_linear(&model, "token.vector", output->tokens, n, output->width, width);
    memcpy(out, rows, n * width * sizeof *out);
    for (size_t t = 0; t < n; t++)
        plain_to_unit_length(out + t * width, width);
    free(rows);
    return error[0] == '\0';
}

/* out [V] gets the weights that the mask head's logits of a token x [D] give. */
static void add_logits(struct plain_model *model, const double *x, double *out)
{
    const size_t n = model->head_tied ? model->embedding_width : model->width;
    const double *bias = plain_bias_of(model, "head.output", model->vocabulary);
    double *z = head_row(model, x, n);
    double *logits = plain_linear(model, model->head_tied ? "embedding.token" : "head.output", z, 1,
                                  n, model->vocabulary);
    for (size_t id = 0; id < model->vocabulary; id++) {
        double logit = logits[id] + (model->head_tied && bias ? bias[id] : 0);
        double weight = log(1 + fmax(0, logit));
        weight = plain_is(model->sparse_activation, "log_log") ? log(1 + weight) : weight;
        out[id] = plain_is(model->sparse_pooling, "sum") ? out[id] + weight : fmax(out[id], weight);
    }
    free(z);
    free(logits);
}

bool plain_sparse(const struct plain_weights *weights, const struct plain_output *output,
                  const int32_t *ids, const int32_t *skipped, size_t n_skipped, double *out,
                  char error[256])
{
    struct plain_model model = plain_model_open(weights, NULL, error);
    const bool is_linear = plain_is(model.sparse, "linear");
    if (plain_is(model.sparse, "none"))
        plain_complain(error, "the model gives no sparse weights");
    memset(out, 0, model.vocabulary * sizeof *out);
    for (size_t t = 0; t < output->n_tokens && error[0] == '\0'; t++) {
        const double *x = output->tokens + t * output->width;
        double *weight =
            is_linear ? plain_linear(&model, "token.weight", x, 1, model.width, 1) : NULL;
        if (weight)
            out[ids[t]] = fmax(out[ids[t]], *weight);
        else
            add_logits(&model, x, out);
        free(weight);
    }
    for (size_t i = 0; is_linear && i < n_skipped; i++)
        out[skipped[i]] = 0;
    return error[0] == '\0';
}
