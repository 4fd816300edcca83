/* zero_shot.c - labels that a caller names, by a model of entailment (NLI): the text is the
 * premise, "This example is LABEL." the hypothesis. Source: zero_shot_classification.py of
 * transformers. */
#include "engine/model.h"
#include "engine/status.h"

#include <math.h>
#include <string.h>
#include <strings.h>

engine_status engine_hypothesis(const char *hypothesis, const char *label, char *out, size_t cap,
                                size_t *needed, engine_error *error)
{
    static const char HOLE[] = "{}";
    const char *form = hypothesis != NULL ? hypothesis : "This example is {}.";
    const char *hole = strstr(form, HOLE);
    if (label == NULL || (out == NULL && cap > 0))
        return misused(error, "engine_hypothesis: label or out is NULL");
    if (hole == NULL || strstr(hole + strlen(HOLE), HOLE) != NULL)
        return misused(error, "the hypothesis '%.200s' has %s {}; expected one, for the label",
                       form, hole != NULL ? "more than one" : "no");
    const size_t before = (size_t)(hole - form), len = strlen(label);
    const char *after = hole + strlen(HOLE);
    const size_t n = before + len + strlen(after) + 1;
    const engine_status status = answer_count(error, "bytes", n, cap, needed);
    if (status != ENGINE_OK)
        return status;
    memcpy(out, form, before);
    memcpy(out + before, label, len);
    strcpy(out + before + len, after);
    return ENGINE_OK;
}

engine_status engine_zero_shot(const engine_model *model, const float *logits, size_t n,
                               int is_multi, float *out, engine_error *error)
{
    if (model == NULL || ((logits == NULL || out == NULL) && n > 0))
        return misused(error, "engine_zero_shot: model, logits or out is NULL");
    const struct model_config *config = &model->encoder.config;
    const size_t n_labels = config->head == HEAD_SEQUENCE ? config->labels : 0;
    size_t entailment = 0;
    for (const char *name; entailment < n_labels; entailment++)
        if ((name = engine_label(model, entailment)) != NULL && strncasecmp(name, "entail", 6) == 0)
            break;
    if (n_labels < 2 || entailment == n_labels)
        return fail(
            error, ENGINE_ERROR_UNSUPPORTED,
            "the model has no label 'entailment': labels that a caller names need a model of "
            "natural language inference (NLI)");
    const size_t other = entailment == 0 ? n_labels - 1 : 0;
    const bool is_alone = is_multi || n == 1;
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        const float *row = logits + i * n_labels;
        if (is_alone)
            out[i] = (float)(1 / (1 + exp((double)row[other] - (double)row[entailment])));
        else if (row[entailment] > most) /* gcc 12 for aarch64 fails inside itself at fmax */
            most = row[entailment];
    }
    for (size_t i = 0; i < n && !is_alone; i++)
        sum += exp(logits[i * n_labels + entailment] - most);
    for (size_t i = 0; i < n && !is_alone; i++)
        out[i] = (float)(exp(logits[i * n_labels + entailment] - most) / sum);
    return succeed(error);
}
