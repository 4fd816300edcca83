/* positions.c - the positions that follow from a model and a session's options, and their rows.
 *
 * An option that the selected scheme does not use is refused: its caller expects another scheme.
 */
#include "engine/session.h"

#include "engine/choices.h"
#include "engine/status.h"

#include <float.h>
#include <math.h>

static engine_status choose_scheme(const engine_model *model, engine_position position,
                                   struct position_encoding *encoding, engine_error *error)
{
    enum position_scheme own = model != NULL ? model->encoder.config.position : POSITION_NONE;
    if (choice_find(POSITION_CHOICES, (int)position) == NULL)
        return misused(error, "position is %d, expected 0 to %d", (int)position,
                       choice_last(POSITION_CHOICES));
    if (position == ENGINE_POSITION_MODEL && model == NULL)
        return misused(error, "position is ENGINE_POSITION_MODEL, but model is NULL");
    if (position == ENGINE_POSITION_LEARNED && own != POSITION_LEARNED)
        return fail(error, ENGINE_ERROR_UNSUPPORTED, "%s",
                    model != NULL ? "the model has no table of learned positions"
                                  : "learned positions need a model, but model is NULL");
    encoding->scheme =
        (enum position_scheme)choice_value(POSITION_CHOICES, (int)position, (int)own);
    return ENGINE_OK;
}

static engine_status choose_base(double base, struct position_encoding *encoding,
                                 engine_error *error)
{
    if (base == 0)
        return ENGINE_OK;
    if (!(base >= ENGINE_POSITION_BASE_LEAST && base <= ENGINE_POSITION_BASE_MOST))
        return misused(error, "position_base is %g, expected a number from %g to %g", base,
                       ENGINE_POSITION_BASE_LEAST, ENGINE_POSITION_BASE_MOST);
    if (!position_has_base(encoding->scheme))
        return misused(error,
                       "position_base is given, but only positions " ENGINE_POSITIONS_WITH_BASE
                       " have a base");
    encoding->base = base;
    return ENGINE_OK;
}

static engine_status choose_frequencies(const float *frequencies, size_t n,
                                        struct position_encoding *encoding, engine_error *error)
{
    if (frequencies == NULL && n == 0)
        return ENGINE_OK;
    if (frequencies == NULL)
        return misused(error, "frequencies is NULL, but n_frequencies is %zu", n);
    if (encoding->scheme != POSITION_FOURIER)
        return misused(error, "frequencies are given, but only position fourier has them");
    if (n > (encoding->width + 1) / 2)
        return misused(
            error,
            "%zu frequencies are given, but rows of %zu columns hold at most %zu: each takes two",
            n, encoding->width, (encoding->width + 1) / 2);
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)frequencies[i]) <= ENGINE_POSITION_FREQUENCY_MOST))
            return misused(error, "frequency %zu is %g, expected a number up to %g", i,
                           (double)frequencies[i], ENGINE_POSITION_FREQUENCY_MOST);
    encoding->n_frequencies = n;
    encoding->frequencies = frequencies;
    return ENGINE_OK;
}

static engine_status choose_scale(const engine_session_options *options,
                                  struct position_encoding *encoding, engine_error *error)
{
    const double *const scales[] = {options->embedding_scale, options->position_scale};
    for (size_t i = 0; i < 2; i++)
        if (scales[i] != NULL && !(*scales[i] >= 0 && *scales[i] <= (double)FLT_MAX))
            return misused(error, "%s_scale is %g, expected a finite number, 0 or more",
                           i == 0 ? "embedding" : "position", *scales[i]);
    if (scales[1] != NULL && encoding->scheme == POSITION_NONE)
        return misused(error, "position_scale is given, but no positions are added");
    encoding->scale = scales[1] != NULL ? *scales[1] : encoding->scale;
    return ENGINE_OK;
}

engine_status choose_positions(const engine_model *model, const engine_session_options *options,
                               size_t width, struct position_encoding *encoding,
                               engine_error *error)
{
    *encoding = (struct position_encoding){.width = width, .base = 10000, .scale = 1};
    engine_status status = choose_scheme(model, options->position, encoding, error);
    if (model != NULL) {
        const struct model_config *config = &model->encoder.config;
        encoding->base = config->position_base;
        encoding->scale = config->position_scale;
        encoding->n_frequencies = config->position_frequencies;
        encoding->frequencies = model->encoder.frequencies;
        encoding->period = config->max_tokens;
    }
    if (status == ENGINE_OK)
        status = choose_base(options->position_base, encoding, error);
    if (status == ENGINE_OK)
        status = choose_frequencies(options->frequencies, options->n_frequencies, encoding, error);
    return status == ENGINE_OK ? choose_scale(options, encoding, error) : status;
}

/* ---- The public matrix ---- */

/* Computes rows of the table times the scale, in float32 like the rows that are added: the product
 * of two float32 is exact in double. Writes to out, or to exact if out is NULL. Returns false if
 * one is not finite. */
static bool learned_rows(const struct encoder *encoder, double scale, size_t n, size_t width,
                         float *out, double *exact)
{
    enum { PIECE = 64 };
    size_t offset = encoder->config.position_offset;
    bool are_finite = true;
    float piece[PIECE];
    for (size_t p = 0; p < n; p++)
        for (size_t k = 0; k < width; k += PIECE) {
            size_t count = width - k < PIECE ? width - k : PIECE;
            matrix_piece(&encoder->position_table, p + offset, k, count, piece);
            for (size_t i = 0; i < count; i++) {
                double value = (double)piece[i] * (double)(float)scale;
                are_finite &= isfinite((float)value);
                if (out != NULL)
                    out[p * width + k + i] = (float)value;
                else
                    exact[p * width + k + i] = value;
            }
        }
    return are_finite;
}

/* Sets the columns of rows: the model's; without a model as requested. */
static engine_status choose_width(const engine_model *model, size_t *width, engine_error *error)
{
    size_t own = model != NULL ? model->encoder.config.embedding_width : *width;
    if (model == NULL && *width == 0)
        return misused(error, "engine_position_matrix: model is NULL and width is 0");
    if (*width != 0 && *width != own)
        return misused(
            error,
            "engine_position_matrix: width is %zu, but the model adds positions of %zu columns",
            *width, own);
    *width = own;
    return ENGINE_OK;
}

/* Implements both functions below: writes to out or, if that is NULL, to exact; [cap]. */
static engine_status position_matrix(const engine_model *model, const engine_session_options *given,
                                     size_t width, size_t n, float *out, double *exact, size_t cap,
                                     size_t *needed, engine_error *error)
{
    engine_session_options options;
    struct position_encoding encoding;
    size_t numbers;
    engine_status status = choose_width(model, &width, error);
    if (status == ENGINE_OK)
        status = read_struct("ENGINE_SESSION_OPTIONS", given, &options, sizeof options, error);
    if (status == ENGINE_OK)
        status = choose_positions(model, &options, width, &encoding, error);
    if (status != ENGINE_OK)
        return status;
    if (out == NULL && exact == NULL && cap > 0)
        return misused(error, "positions: out is NULL, but cap is %zu", cap);
    if (encoding.scheme == POSITION_LEARNED) {
        size_t rows = model->encoder.position_table.rows - model->encoder.config.position_offset;
        if (n > rows)
            return fail(error, ENGINE_ERROR_LENGTH,
                        "%zu positions asked for, the model's table has %zu", n, rows);
    }
    if (__builtin_mul_overflow(n, width, &numbers))
        return misused(error, "%zu positions are too many", n);
    if (needed != NULL)
        *needed = numbers;
    if (cap < numbers)
        return fail(error, ENGINE_ERROR_BUFFER,
                    "%zu positions take %zu numbers, the buffer has %zu", n, numbers, cap);
    encoding.n_tokens = n;
    if (model == NULL)
        encoding.period = options.max_tokens > 0 ? options.max_tokens : n;
    bool are_finite = true;
    if (encoding.scheme == POSITION_LEARNED)
        are_finite = learned_rows(&model->encoder, encoding.scale, n, width, out, exact);
    else
        position_rows(&encoding, 0, n, width, out, exact);
    return are_finite ? succeed(error)
                      : fail(error, ENGINE_ERROR_NOT_FINITE,
                             "the model's table of positions, or that times position_scale, holds "
                             "NaN or an infinity");
}

engine_status engine_position_matrix(const engine_model *model,
                                     const engine_session_options *options, size_t width, size_t n,
                                     float *out, size_t cap, size_t *needed, engine_error *error)
{
    return position_matrix(model, options, width, n, out, NULL, cap, needed, error);
}

engine_status engine_position_matrix_exact(const engine_model *model,
                                           const engine_session_options *options, size_t width,
                                           size_t n, double *out, size_t cap, size_t *needed,
                                           engine_error *error)
{
    return position_matrix(model, options, width, n, NULL, out, cap, needed, error);
}
