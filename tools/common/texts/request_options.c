/* request_options.c - see request_options.h. What a scheme uses is that of weights/FORMAT.md. */
#include "tools/common/texts/request_options.h"

#include "tools/common/alloc.h"
#include "tools/common/options.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Requests ---- */

const char *task_option(enum task task)
{
    static const char *const names[] = {
        [TASK_VECTORS] = "",        [TASK_TOKENS] = "--tokens",       [TASK_SHOW_MASK] = "mask",
        [TASK_LABELS] = "--labels", [TASK_ENTITIES] = "--entities",   [TASK_FILL] = "--fill",
        [TASK_RANK] = "--rank",     [TASK_SIMILARITY] = "similarity", [TASK_COMPARE] = "words",
    };
    return names[task];
}

void request_set_pad_id(void *options, const struct option_use *use)
{
    struct request_options *request = options;
    bool is_negative = use->text[0] == '-';
    int64_t magnitude =
        (int64_t)option_number(is_negative ? "--pad-id -" : "--pad-id", use->text + is_negative, 0,
                               (uint64_t)INT32_MAX + is_negative);
    request->padding.id = (int32_t)(is_negative ? -magnitude : magnitude);
}

const char *metric_words(engine_metric metric)
{
    static const char *const words[] = {"cosine", "dot product", "negative Euclidean distance",
                                        "negative Manhattan distance"};
    return words[metric];
}

const struct option_row REQUEST_MODEL_ROWS[3] = {
    {"model", 'm', "FILE",
     "read this weight file; default $ENCODE_MODEL, else the default weights;\n"
     "if it has over 16 MiB, encode-inspect --verify FILE compares its checksums",
     TEXT_AT(struct request_options, model_path), .keeps_output = true /* its checksum counts */},
    {"precision", 0, "KIND",
     "exact (default): products in f32; fast: in bf16 if this CPU has an\n"
     "instruction for it, else in f32; bf16: on every CPU, slower than f32\n"
     "where fast would take f32. Layers in int8 stay so",
     CHOICE_AT(struct request_options, model.precision, ENGINE_PRECISION_EXACT, "exact bf16 fast")},
    {"position", 0, "KIND", "add these positions to the tokens: model,\n" ENGINE_POSITIONS,
     POSITION_AT(struct request_options, positions.position)},
};

const struct option_row REQUEST_SESSION_ROWS[2] = {
    {"mask", 0, "KIND", "let a token see others by this mask: model, full or causal",
     CHOICE_AT(struct request_options, session.mask, ENGINE_MASK_MODEL, "model full causal")},
    {"threads", 't', "N", "use N threads; default OMP_NUM_THREADS, else all CPUs",
     COUNT_AT(struct request_options, session.n_threads, 1, 1024), .keeps_output = true},
};

/* ---- A model's settings, which are few ---- */

const char *model_setting(const engine_model *model, engine_settings settings, const char *wanted)
{
    const char *key, *value;
    for (size_t i = 0; engine_model_setting(model, settings, i, &key, &value, NULL) == ENGINE_OK;
         i++)
        if (strcmp(key, wanted) == 0)
            return value;
    return NULL;
}

double model_number(const engine_model *model, const char *key, double otherwise)
{
    const char *value = model != NULL ? model_setting(model, ENGINE_SETTINGS_CONFIG, key) : NULL;
    return value != NULL ? strtod(value, NULL) : otherwise;
}

/* ---- Positions: reading ---- */

const float *position_frequencies_read(const char *option, const char *text, size_t *n)
{
    enum { NUMBER_BYTES = 64 };
    static float *frequencies;
    static char *copy;
    free(copy);
    char *rest = copy = alloc_text("%s", text);
    *n = 0;
    for (char *number; (number = strsep(&rest, ",")) != NULL; ++*n) {
        if (strlen(number) >= NUMBER_BYTES)
            program_die_misused("%s: '%.20s...' is too long for a number", option, number);
        const double value = option_real(option, number);
        if (fabs(value) > ENGINE_POSITION_FREQUENCY_MOST)
            program_die_misused("%s takes cycles per token, at most %g, not '%s'", option,
                                ENGINE_POSITION_FREQUENCY_MOST, number);
        frequencies = alloc_resize(frequencies, *n + 1, sizeof *frequencies);
        frequencies[*n] = (float)value;
    }
    return frequencies;
}

static void set_frequencies(void *options, const struct option_use *use)
{
    struct position_options *positions = options;
    positions->frequencies =
        position_frequencies_read(use->option, use->text, &positions->n_frequencies);
}

static void set_embedding_scale(void *options, const struct option_use *use)
{
    struct position_options *positions = options;
    positions->has_embedding_scale = true;
    positions->embedding_scale_is_sqrt = strcmp(use->text, "sqrt") == 0;
    if (!positions->embedding_scale_is_sqrt)
        positions->embedding_scale = option_between(use->option, use->text, 0, FLT_MAX);
}

const struct option_row POSITION_ROWS[3] = {
    {"position-base", 0, "B",
     "base of " ENGINE_POSITIONS_WITH_BASE " (default the model's, or 10000)",
     REAL_AT(struct position_options, base, ENGINE_POSITION_BASE_LEAST, ENGINE_POSITION_BASE_MOST)},
    {"frequencies", 0, "F,..", "fourier's, in cycles per token (default the model's, or harmonics)",
     SET_BY(set_frequencies)},
    {"position-scale", 0, "W", "multiply positions by W (default the model's, or 1)",
     REAL_AT(struct position_options, position_scale, 0, FLT_MAX),
     GIVEN_AT(struct position_options, has_position_scale)},
};

const struct option_row EMBEDDING_SCALE_ROWS[1] = {
    {"embedding-scale", 0, "W",
     "multiply embeddings by W (default the model's, or 1; sqrt: root of width)",
     SET_BY(set_embedding_scale)},
};

/* ---- Conflicts ---- */

const char *position_options_conflict(const struct position_options *options,
                                      engine_position scheme)
{
    if (scheme == ENGINE_POSITION_MODEL)
        return NULL;
    if (options->base != 0 && !engine_position_has_base(scheme))
        return "--position-base requires positions " ENGINE_POSITIONS_WITH_BASE
               ", no others have a base";
    if (options->frequencies != NULL && scheme != ENGINE_POSITION_FOURIER)
        return "--frequencies requires positions fourier";
    if (options->has_position_scale && scheme == ENGINE_POSITION_NONE)
        return "--position-scale requires positions";
    return NULL;
}

const char *position_options_check(const void *positions)
{
    const struct position_options *options = positions;
    return position_options_conflict(options, options->position);
}

/* ---- What is in force ---- */

struct position_numbers position_numbers(const struct position_options *options,
                                         const engine_model *model, size_t width)
{
    struct position_numbers numbers = {
        .base = model_number(model, "position_base", POSITION_DEFAULT_BASE),
        .embedding_scale = model_number(model, "embedding_scale", 1),
        .position_scale = model_number(model, "position_scale", 1),
        .n_frequencies = (size_t)model_number(model, "position_frequencies", 0),
    };
    if (options->base != 0)
        numbers.base = options->base;
    if (options->has_embedding_scale)
        numbers.embedding_scale =
            options->embedding_scale_is_sqrt ? sqrt((double)width) : options->embedding_scale;
    if (options->has_position_scale)
        numbers.position_scale = options->position_scale;
    if (options->frequencies != NULL)
        numbers.n_frequencies = options->n_frequencies;
    return numbers;
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

const char *position_scale_hint(const struct position_options *options, engine_reason reason)
{
    if (reason != ENGINE_REASON_OVERFLOW)
        return "";
    if (options->has_embedding_scale)
        return options->has_position_scale ? "; see --embedding-scale and --position-scale"
                                           : "; see --embedding-scale";
    return options->has_position_scale ? "; see --position-scale" : "";
}
