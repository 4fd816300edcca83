/* engine_details.h - the part of engine.h, which includes it, for programs that look into a model:
 * what its file holds, which numbers its positions are, where its time goes. The rules of engine.h
 * hold here too.
 */
#ifndef ENGINE_DETAILS_H
#define ENGINE_DETAILS_H

#ifndef ENGINE_H
#error "include engine.h, which includes this"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What the file holds ---- */

typedef enum engine_settings {
    ENGINE_SETTINGS_CONFIG = 0,
    ENGINE_SETTINGS_TOKENIZER = 1,
    ENGINE_SETTINGS_METADATA = 2
} engine_settings;

/* The index-th key and value of the file's settings, borrowed, NUL-terminated; a value may hold NUL
 * bytes, value_len (may be NULL) is its true length. ENGINE_ERROR_ARGUMENT past the last one. */
ENGINE_API engine_status engine_model_setting(const engine_model *model, engine_settings settings,
                                              size_t index, const char **key, const char **value,
                                              size_t *value_len);

typedef struct engine_section_info {
    char tag[5];
    int required;
    uint64_t offset, n_bytes;
    uint32_t crc32c;
} engine_section_info;

typedef struct engine_tensor_info {
    const char *name;   /* borrowed, NUL-terminated */
    const char *type;   /* "f32", "f16", "bf16", "int8"; "int8a8", "int8a7": int8 that multiplies
                           activations of 8 or 7 bits */
    const char *layout; /* "rows", "panels" */
    size_t n_dims;
    uint64_t shape[4];
    uint64_t offset, n_bytes;
} engine_tensor_info;

/* The index-th section or tensor, in file order. ENGINE_ERROR_ARGUMENT past the last one. */
ENGINE_API engine_status engine_model_section(const engine_model *model, size_t index,
                                              engine_section_info *section);
ENGINE_API engine_status engine_model_tensor(const engine_model *model, size_t index,
                                             engine_tensor_info *tensor);

/* ---- Names ---- */

/* The names of positions, masks and poolings, as weight files and the programs write them:
 * "sinusoidal", "causal", "mean_sqrt"; "model" for 0, and NULL for a number that is no value. And
 * back: the value of a name, or -1 for a name that is none. */
ENGINE_API const char *engine_position_name(engine_position position);
ENGINE_API const char *engine_mask_name(engine_mask mask);
ENGINE_API const char *engine_pooling_name(engine_pooling pooling);
ENGINE_API int engine_position_named(const char *name);
ENGINE_API int engine_mask_named(const char *name);
ENGINE_API int engine_pooling_named(const char *name);

/* ---- Positions ---- */

/* What position_base and the magnitude of frequencies of a session may be. */
#define ENGINE_POSITION_BASE_LEAST     1e-100
#define ENGINE_POSITION_BASE_MOST      1e100
#define ENGINE_POSITION_FREQUENCY_MOST 1e38

/* Rows 0 .. n-1 of what a session with these options adds for positions, position_scale included:
 * out is [n, D], D the width of the model's embedding tables; for ENGINE_POSITION_INDEX those of a
 * text of n tokens. NONE gives zeros. width is 0 or D. model may be NULL: then width is D,
 * options->position must be a scheme that needs no table, and harmonics are those of
 * options->max_tokens (0: n). Other options are not used. ENGINE_ERROR_UNSUPPORTED for
 * ENGINE_POSITION_LEARNED where there is no table; ENGINE_ERROR_LENGTH where the table has fewer
 * rows. */
ENGINE_API engine_status engine_position_matrix(const engine_model *model,
                                                const engine_session_options *options, size_t width,
                                                size_t n, float *out, size_t cap, size_t *needed,
                                                engine_error *error);

/* The same in double, before they are rounded to float32: to measure what the formulas say. Learned
 * positions are those of the table, which are float32 themselves, times position_scale. */
ENGINE_API engine_status engine_position_matrix_exact(const engine_model *model,
                                                      const engine_session_options *options,
                                                      size_t width, size_t n, double *out,
                                                      size_t cap, size_t *needed,
                                                      engine_error *error);

/* ---- What a session takes: memory and time ---- */

/* Bytes of the one block a session takes; 0 if the options cannot be served. */
ENGINE_API size_t engine_session_bytes(const engine_model *model,
                                       const engine_session_options *options);

/* Where the time goes: the steps of a pass, in its order. */
typedef enum engine_step {
    ENGINE_STEP_TOKENIZE = 0,
    ENGINE_STEP_EMBED = 1,
    ENGINE_STEP_LINEAR = 2, /* and what is fused into it: bias, activation, gate, residual */
    ENGINE_STEP_ATTENTION = 3,
    ENGINE_STEP_NORM = 4,
    ENGINE_STEP_QUANTIZE = 5, /* activations to int8, for layers whose weights are */
    ENGINE_STEP_ANSWER = 6,   /* pooling, projections, scores, rows to the caller */
    ENGINE_STEP_WAIT = 7,     /* for the other threads */
    ENGINE_N_STEPS = 8
} engine_step;

typedef struct engine_profile {
    uint64_t ns[16]; /* [ENGINE_N_STEPS], the rest zeros: nanoseconds, summed over the threads */
} engine_profile;

/* The time of all calls since the session was made, where its options asked to profile
 * (ENGINE_ERROR_ARGUMENT elsewhere). Not while a call is at work. */
ENGINE_API engine_status engine_session_profile(const engine_session *session, engine_profile *out);

/* "linear" and so on; NULL past the last step. */
ENGINE_API const char *engine_step_name(engine_step step);

#ifdef __cplusplus
}
#endif
#endif
