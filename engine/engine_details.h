/* engine_details.h - the part of engine.h, which includes it, for programs that inspect a model:
 * the contents of its file, its position rows, where its time goes. The rules of engine.h apply.
 */
#ifndef ENGINE_DETAILS_H
#define ENGINE_DETAILS_H

#ifndef ENGINE_H
#error "include engine.h, which includes this"
#endif

/* ---- Contents of the file ---- */

typedef enum engine_settings {
    ENGINE_SETTINGS_CONFIG = 0,
    ENGINE_SETTINGS_TOKENIZER = 1,
    ENGINE_SETTINGS_METADATA = 2
} engine_settings;

/* Returns the index-th key and value of the file's settings, borrowed, NUL-terminated. value_len
 * (may be NULL) receives the value's length, as it may contain NUL bytes. ENGINE_ERROR_ARGUMENT
 * past the last one. */
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
                           activations of 8 or 7 bits; "int8k": int8a8 with columns in f32 */
    const char *layout; /* "rows", "panels" */
    size_t n_dims;
    uint64_t shape[4];
    uint64_t offset, n_bytes;
} engine_tensor_info;

/* Return the index-th section or tensor, in file order. ENGINE_ERROR_ARGUMENT past the last one. */
ENGINE_API engine_status engine_model_section(const engine_model *model, size_t index,
                                              engine_section_info *section);
ENGINE_API engine_status engine_model_tensor(const engine_model *model, size_t index,
                                             engine_tensor_info *tensor);

/* ---- Names ---- */

/* Names of positions, masks and poolings, as in weight files and programs: "sinusoidal", "causal",
 * "mean_sqrt"; "model" for 0, NULL for an unknown value. engine_..._named return the value of a
 * name, or -1 for an unknown name. */
ENGINE_API const char *engine_position_name(engine_position position);
ENGINE_API const char *engine_mask_name(engine_mask mask);
ENGINE_API const char *engine_pooling_name(engine_pooling pooling);
ENGINE_API int engine_position_named(const char *name);
ENGINE_API int engine_mask_named(const char *name);
ENGINE_API int engine_pooling_named(const char *name);

/* Returns 1 if a session's position_base is used by these positions; 0 for the model's own. */
ENGINE_API int engine_position_has_base(engine_position position);

/* ---- Positions ---- */

/* Writes rows 0 .. n-1 of the positions that a session with these options adds, including
 * position_scale: out is [n, D], D the width of the model's embedding tables; for
 * ENGINE_POSITION_INDEX the rows of a text of n tokens. NONE gives zeros. width is 0 or D. If model
 * is NULL, width is D, options->position must be a scheme without a table, and harmonics are those
 * of options->max_tokens (0: n). Other options are ignored. ENGINE_ERROR_UNSUPPORTED for
 * ENGINE_POSITION_LEARNED if the model has no table, and of a tokenizer alone; ENGINE_ERROR_LENGTH
 * if the table has fewer rows. */
ENGINE_API engine_status engine_position_matrix(const engine_model *model,
                                                const engine_session_options *options, size_t width,
                                                size_t n, float *out, size_t cap, size_t *needed,
                                                engine_error *error);

/* The same in double, before rounding to float32: to measure the formulas themselves. Learned
 * positions are the rows of the table, which are float32, times position_scale. */
ENGINE_API engine_status engine_position_matrix_exact(const engine_model *model,
                                                      const engine_session_options *options,
                                                      size_t width, size_t n, double *out,
                                                      size_t cap, size_t *needed,
                                                      engine_error *error);

/* ---- Traces: intermediate results of a pass ---- */

/* Kinds of engine_session_options.trace. */
typedef enum engine_trace {
    ENGINE_TRACE_HIDDEN = 1,    /* hidden states [T, D]: index 0 after the embedding step, index l
                                   after layer l (before the final norm, if any) */
    ENGINE_TRACE_ATTENTION = 2, /* attention weights [H, T, T] of layer `index` (from 0): row =
                                  query, column = key; each row sums to 1; computed
                                  in f32 with ENGINE_PRECISION_BF16, too */
    /* Further results of layer `index` (from 0), in this order, C columns wide each. The norms of
     * pre-norm models precede their sublayers, the norms of post-norm models follow the sums. */
    ENGINE_TRACE_PROJECTIONS = 4, /* [T, C] queries, keys, values of all heads side by side, after
                                     norms and rotary positions: C = (H + 2G)·K, G heads of keys */
    ENGINE_TRACE_HEADS = 8,       /* [T, C] the heads' sums of weighted values: C = H·K */
    ENGINE_TRACE_SUM = 16,        /* [T, D] a sublayer's output and its residual: index 2·l of
                                     attention, 2·l + 1 of the feed-forward layer */
    ENGINE_TRACE_NORM = 32,       /* [T, D] a norm's output, of the same index */
    ENGINE_TRACE_MIDDLE = 64      /* [T, C] the feed-forward layer's middle, activated; not in
                                     layers with experts */
} engine_trace;

#define ENGINE_TRACE_ALL 127u

struct engine_trace_view {
    engine_trace kind;
    size_t input;                    /* index of the input in the call */
    size_t index;                    /* see engine_trace */
    size_t n_tokens, n_heads, width; /* width: columns of `values`; of attention weights, D */
    const float *values; /* borrowed until the callback returns; without masked tokens */
};

/* ---- A session's memory and time ---- */

/* Returns the bytes of a session's single block; 0 if the options are invalid. */
ENGINE_API size_t engine_session_bytes(const engine_model *model,
                                       const engine_session_options *options);

/* The steps of a pass, in order, to which time is attributed. */
typedef enum engine_step {
    ENGINE_STEP_TOKENIZE = 0,
    ENGINE_STEP_EMBED = 1,
    ENGINE_STEP_LINEAR = 2, /* with its fused operations: bias, activation, gate, residual */
    ENGINE_STEP_ATTENTION = 3,
    ENGINE_STEP_NORM = 4,
    ENGINE_STEP_QUANTIZE = 5, /* activations to int8, for layers with int8 weights */
    ENGINE_STEP_ANSWER = 6,   /* pooling, projections, scores, copying rows to the caller */
    ENGINE_STEP_WAIT = 7,     /* for the other threads */
    ENGINE_N_STEPS = 8
} engine_step;

typedef struct engine_profile {
    uint64_t ns[16]; /* [ENGINE_N_STEPS], then zeros: nanoseconds, summed over the threads */
} engine_profile;

/* Returns the time of all calls since the session was created, if its options set `profile` (else
 * ENGINE_ERROR_ARGUMENT). Must not be called during another call. */
ENGINE_API engine_status engine_session_profile(const engine_session *session, engine_profile *out);

/* Returns "linear" and so on; NULL past the last step. */
ENGINE_API const char *engine_step_name(engine_step step);

#endif
