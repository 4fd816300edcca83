/* position_options.c - see position_options.h. What a scheme uses is that of weights/FORMAT.md. */
#include "tools/common/position_options.h"

#include "engine/file/weight_writer.h"
#include "tools/common/options.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the two scales; those of base and frequencies are in model/config.h. */
static const double SCALE_MOST = FLT_MAX;

enum { N_NAMES = ENGINE_POSITION_EXPONENTIAL + 1 };

static const char *const NAMES[N_NAMES] = {
    [ENGINE_POSITION_MODEL] = "model",           [ENGINE_POSITION_NONE] = "none",
    [ENGINE_POSITION_SINUSOIDAL] = "sinusoidal", [ENGINE_POSITION_LEARNED] = "learned",
    [ENGINE_POSITION_INDEX] = "index",           [ENGINE_POSITION_BINARY] = "binary",
    [ENGINE_POSITION_FOURIER] = "fourier",       [ENGINE_POSITION_EXPONENTIAL] = "exponential",
};

const char *position_name(engine_position position)
{
    return NAMES[position];
}

bool position_named(const char *name, engine_position *position)
{
    for (size_t i = 0; i < N_NAMES; i++)
        if (strcmp(NAMES[i], name) == 0) {
            *position = (engine_position)i;
            return true;
        }
    return false;
}

/* ---- Reading ---- */

static size_t count_commas(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == ',';
    return n;
}

/* One number up to a comma or the end; false after a message. */
static bool read_frequency(const char *option, const char **text, float *frequency)
{
    size_t len = strcspn(*text, ",");
    char number[64];
    if (len >= sizeof number) {
        program_note("%s: '%.20s...' is too long for a number", option, *text);
        return false;
    }
    memcpy(number, *text, len);
    number[len] = '\0';
    *text += len + 1;
    double value;
    if (!option_real(option, number, &value))
        return false;
    *frequency = (float)value;
    if (fabs(value) <= POSITION_FREQUENCY_MOST)
        return true;
    program_note("%s takes cycles per token, at most %g, not '%s'", option, POSITION_FREQUENCY_MOST,
                 number);
    return false;
}

float *position_frequencies_read(const char *option, const char *text, size_t *n)
{
    *n = count_commas(text) + 1;
    float *frequencies = calloc(*n, sizeof *frequencies);
    if (frequencies == NULL) {
        program_note("out of memory");
        return NULL;
    }
    for (size_t i = 0; i < *n; i++)
        if (!read_frequency(option, &text, &frequencies[i])) {
            free(frequencies);
            return NULL;
        }
    return frequencies;
}

static bool read_scale(const char *option, const char *text, double *scale)
{
    if (!option_real(option, text, scale))
        return false;
    if (*scale >= 0 && *scale <= SCALE_MOST)
        return true;
    program_note("%s takes a number from 0 to %g, not '%s'", option, SCALE_MOST, text);
    return false;
}

static bool read_base(const char *text, double *base)
{
    if (!option_real("--position-base", text, base))
        return false;
    if (*base >= POSITION_BASE_LEAST && *base <= POSITION_BASE_MOST)
        return true;
    program_note("--position-base takes a number from %g to %g, not '%s'", POSITION_BASE_LEAST,
                 POSITION_BASE_MOST, text);
    return false;
}

static bool read_scheme(const char *text, engine_position *position)
{
    size_t index = 0;
    bool is_good = option_choice("--position", text, NAMES, N_NAMES, &index);
    *position = (engine_position)index;
    return is_good;
}

static bool read_embedding_scale(struct position_options *options, const char *text)
{
    options->has_embedding_scale = true;
    options->embedding_scale_is_sqrt = strcmp(text, "sqrt") == 0;
    return options->embedding_scale_is_sqrt ||
           read_scale("--embedding-scale", text, &options->embedding_scale);
}

bool position_options_set(struct position_options *options, enum position_option option,
                          const char *text)
{
    switch (option) {
    case POSITION_OPTION_SCHEME: return read_scheme(text, &options->position);
    case POSITION_OPTION_BASE: return read_base(text, &options->base);
    case POSITION_OPTION_FREQUENCIES:
        free(options->frequencies);
        options->frequencies =
            position_frequencies_read("--frequencies", text, &options->n_frequencies);
        return options->frequencies != NULL;
    case POSITION_OPTION_EMBEDDING_SCALE: return read_embedding_scale(options, text);
    case POSITION_OPTION_SCALE:
        options->has_position_scale = true;
        return read_scale("--position-scale", text, &options->position_scale);
    case N_POSITION_OPTIONS: break;
    }
    return false;
}

void position_options_free(struct position_options *options)
{
    free(options->frequencies);
    *options = (struct position_options){0};
}

/* ---- What goes together ---- */

bool position_uses_base(const char *scheme)
{
    return strcmp(scheme, "sinusoidal") == 0 || strcmp(scheme, "exponential") == 0;
}

const char *position_options_conflict(const struct position_options *options, const char *scheme)
{
    if (scheme == NULL || strcmp(scheme, NAMES[ENGINE_POSITION_MODEL]) == 0)
        return NULL;
    if (options->base != 0 && !position_uses_base(scheme))
        return "--position-base goes with positions sinusoidal or exponential, no others have a "
               "base";
    if (options->frequencies != NULL && strcmp(scheme, "fourier") != 0)
        return "--frequencies goes with positions fourier";
    if (options->has_position_scale && strcmp(scheme, "none") == 0)
        return "--position-scale weighs positions, and there are none";
    return NULL;
}

void position_options_apply(struct position_options *options, size_t width,
                            engine_session_options *session)
{
    if (options->embedding_scale_is_sqrt)
        options->embedding_scale = sqrt((double)width);
    session->position = options->position;
    session->position_base = options->base;
    session->frequencies = options->frequencies;
    session->n_frequencies = options->n_frequencies;
    session->embedding_scale = options->has_embedding_scale ? &options->embedding_scale : NULL;
    session->position_scale = options->has_position_scale ? &options->position_scale : NULL;
}

const char *position_next_step(engine_position position, engine_status status)
{
    return position == ENGINE_POSITION_LEARNED && status == ENGINE_ERROR_UNSUPPORTED
               ? "; encode-new --position learned writes a model that has one"
               : "";
}
