/* engine.h - transformer encoders from C: text in, vectors out.
 *
 *     engine_error error;
 *     engine_model *model;
 *     engine_session *session;
 *     if (engine_model_open(NULL, NULL, &model, &error)) { puts(error.message); return 1; }
 *     if (engine_session_new(model, NULL, &session, &error)) { puts(error.message); return 1; }
 *     float vector[256]; // the default model's width; engine_model_info tells that of any other
 *     engine_input input = {.text = "I ride bike", .text_len = ENGINE_NUL_TERMINATED};
 *     if (engine_encode(session, &input, 1, NULL, vector, 256, NULL, NULL))
 *         puts(engine_session_message(session));
 *     engine_session_free(session);
 *     engine_model_close(model);
 *
 * Rules that hold for every function
 *   Shapes    B sequences, T tokens, D width, H heads, L layers. Matrices are row-major float32.
 *   Text      UTF-8, a pointer and a length in bytes; NUL bytes inside are text, unless the length
 *             is ENGINE_NUL_TERMINATED. Each invalid part of a text is read as U+FFFD. Spans are
 *             byte offsets into the text that was given, behind the prompt where it has one.
 *   Errors    Fallible functions return an engine_status. The words go to the caller's engine_error
 *             (may be NULL) or to engine_session_message(). Nothing prints, exits or aborts. After
 *             a failure objects are still usable. Messages hold no control characters.
 *   Buffers   The caller owns every buffer. `cap` counts elements. `needed` (may be NULL) receives
 *             the number of elements that the whole answer takes, also when the status is
 *             ENGINE_ERROR_BUFFER because cap was smaller: cap 0 asks for the count.
 *   Structs   All-zero options are the defaults; a NULL options pointer means the same. A struct
 *             with a struct_bytes may grow at its end: set it to sizeof the struct. 0 stands for
 *             the struct's first version, which ends where a comment in it says so; no byte behind
 *             that is read or written. An unknown size is ENGINE_ERROR_ARGUMENT. Others never grow.
 *   Threads   Any number of threads may share a model. A session serves one at a time: a second
 *             gets ENGINE_ERROR_BUSY. A call is one parallel region of OpenMP, which keeps a pool
 *             of threads for each thread of the host that calls, until that ends; GCC's block all
 *             signals but their own faults and SIGPROF. A call works alone where threads are
 *             refused or would be over 1,024, in a region of the host that may have none inside,
 *             and in a child of fork() whose parent had sessions; if it only had regions of its
 *             own, ask for one thread: GCC's OpenMP would hang. GCC's also ends the process where
 *             the system refuses threads that a smaller region gave back. Threads with stacks below
 *             256 KB (OMP_STACKSIZE, or ulimit -s, as the program started) count as refused. Hosts
 *             may set OMP_NUM_THREADS, OMP_PROC_BIND, OMP_WAIT_POLICY=passive (spin less).
 *   Numbers   The vector of a text is the same to the last bit whatever the batch it is in, its
 *             place there, the padding around it and the number of threads; and on every processor
 *             with fused multiply-adds (any ENGINE_ISA but portable), as far as the C library's
 *             sin, cos, pow, exp and tanh agree when rounded to float. Portable kernels, and
 *             OpenBLAS with them, come within some 1e-6 in f32, a few hundredths in int8.
 *   Process   Where the portable kernels are used, engine_model_open loads OpenBLAS
 *             (libopenblas.so.0), or takes the host's, and sets it to one thread for the whole
 *             process: the engine's threads call it. Leave it so while models are open. Only its
 *             build with POSIX threads is used, and none where addresses or data are limited
 *             (ulimit -v, -d). On CPUs with AMX, opening a model with int8 layers asks Linux for
 *             tile registers, which raises the least size of signal stacks (sigaltstack) to 12 KB.
 *             The floating-point environment, signals and locale are left alone. Environment:
 *             ENCODE_MODEL (see engine_model_open); ENGINE_ISA=portable, avx2, avxvnni, avx512,
 *             avx512vnni or amx (aarch64: neon, neondot, neoni8mm) for less.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include <stddef.h>
#include <stdint.h>

#define ENGINE_VERSION "0.1.0"

#if defined(__GNUC__)
#define ENGINE_API __attribute__((visibility("default")))
#else
#define ENGINE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status and errors ---- */

typedef enum engine_status {
    ENGINE_OK = 0,
    ENGINE_ERROR_ARGUMENT = 1, /* a NULL, a count or an option that makes no sense; a wrong id */
    ENGINE_ERROR_MEMORY = 2,   /* an allocation failed */
    ENGINE_ERROR_IO = 3,       /* the file cannot be opened, mapped or read */
    ENGINE_ERROR_FORMAT = 4,   /* not a weight file, or a damaged one */
    ENGINE_ERROR_VERSION = 5,  /* a weight file of a version or byte order that is not read here */
    ENGINE_ERROR_UNSUPPORTED = 6, /* a sound file asks for something this library does not have */
    ENGINE_ERROR_BUFFER = 7, /* the caller's buffer is too small; `needed` says what it takes */
    ENGINE_ERROR_LENGTH = 8, /* more tokens than the model or the session takes */
    ENGINE_ERROR_TEXT = 9,   /* the text cannot be tokenized */
    ENGINE_ERROR_BUSY = 10,  /* another call is at work on the session */
    ENGINE_ERROR_NOT_FINITE = 11, /* NaN or an infinity: in the weights, or floats overflow */
    ENGINE_ERROR_INTERNAL = 99    /* a defect of the library: please report it */
} engine_status;

typedef struct engine_error {
    engine_status status;
    char message[256]; /* what was wrong, where, expected against found, and what to do */
} engine_error;

/* Static strings: "0.1.0"; how it was built, and the instruction set in use here; "ENGINE_OK" and
 * so on ("unknown status" for any other number). */
ENGINE_API const char *engine_version(void);
ENGINE_API const char *engine_build_info(void);
ENGINE_API const char *engine_status_name(engine_status status);

/* ---- The model: one weight file, mapped ---- */

typedef struct engine_model engine_model;

/* What a model can be asked to do otherwise than its file says. 0 is always "as the model says".
 * What attention itself knows of positions (rotary, alibi, distance, a window) stays as it says.
 * Column i of what is added for position p, from 0, of a text of T tokens, D columns wide: */
typedef enum engine_position {
    ENGINE_POSITION_MODEL = 0,
    ENGINE_POSITION_NONE = 1,
    ENGINE_POSITION_SINUSOIDAL = 2, /* 2i: sin(p/base^(2i/D)), 2i+1: cos(same) */
    ENGINE_POSITION_LEARNED = 3,    /* a row of a table: only where the file has one */
    ENGINE_POSITION_INDEX = 4,      /* p/T */
    ENGINE_POSITION_BINARY = 5,     /* bit i of p, the lowest first */
    ENGINE_POSITION_FOURIER = 6,    /* 2i: sin(2*pi*f_i*p), 2i+1: cos(same); f_i cycles a token */
    ENGINE_POSITION_EXPONENTIAL = 7 /* exp(-p/base^(i/D)) */
} engine_position;

typedef enum engine_mask {
    ENGINE_MASK_MODEL = 0,
    ENGINE_MASK_FULL = 1,  /* every token sees every token of its sequence */
    ENGINE_MASK_CAUSAL = 2 /* look-ahead mask: a token sees itself and those before it */
} engine_mask;

typedef enum engine_pooling {
    ENGINE_POOLING_MODEL = 0, /* the model's own pooling and normalisation */
    ENGINE_POOLING_NONE = 1,  /* one vector per token */
    ENGINE_POOLING_MEAN = 2,
    ENGINE_POOLING_CLS = 3,           /* the first token's vector */
    ENGINE_POOLING_MAX = 4,           /* the largest value of each column */
    ENGINE_POOLING_MEAN_SQRT = 5,     /* the sum, divided by the root of the number of tokens */
    ENGINE_POOLING_WEIGHTED_MEAN = 6, /* token t weighs t, from 1 */
    ENGINE_POOLING_LAST = 7,          /* the last token's vector */
    ENGINE_POOLING_POOLER = 8,  /* only where the file has a pooler: its layer of the first token */
    ENGINE_POOLING_SPARSE = 9,  /* a weight for each id: only where the file's `sparse` is one */
    ENGINE_POOLING_COLBERT = 10 /* vectors [W] of tokens: only where it has `token_vectors` */
} engine_pooling;

/* What the model's head answers: see engine_classify and the functions behind it. */
typedef enum engine_head {
    ENGINE_HEAD_NONE = 0,
    ENGINE_HEAD_POOLER = 1,   /* a pooler alone */
    ENGINE_HEAD_SEQUENCE = 2, /* labels of a text or a pair */
    ENGINE_HEAD_TOKEN = 3,    /* labels of every token */
    ENGINE_HEAD_MASK = 4      /* words for [MASK] */
} engine_head;

/* Which text of a pair loses tokens, and at which end. */
typedef enum engine_truncation {
    ENGINE_TRUNCATE_LONGEST_FIRST = 0,
    ENGINE_TRUNCATE_ONLY_FIRST = 1,
    ENGINE_TRUNCATE_ONLY_SECOND = 2
} engine_truncation;

typedef struct engine_model_options {
    size_t struct_bytes;
    /* The first version ends here. */
    int verify; /* 0: compare the checksums of files up to 16 MiB (4 ms), 1: of any, -1: none. What
                   this process has verified is read again once inode, size or change time differ */
    int copy;   /* 1: read the file into memory and verify it: afterwards the file may change */
} engine_model_options;

/* Opens a weight file: maps it and checks all that addresses are computed from. path NULL: the file
 * that ENCODE_MODEL names, else the default weights, beside the program or where they were
 * installed. *model is NULL on failure. A mapped file must not change (wrong numbers, a message, or
 * the end of the program): write a new one beside it and rename that; models keep the old one. */
ENGINE_API engine_status engine_model_open(const char *path, const engine_model_options *options,
                                           engine_model **model, engine_error *error);

/* The same from memory, aligned to 64 bytes, that the caller keeps, unchanged, until the model is
 * closed; `copy` is not used. */
ENGINE_API engine_status engine_model_open_memory(const void *data, size_t len,
                                                  const engine_model_options *options,
                                                  engine_model **model, engine_error *error);

/* Every session of the model must be freed first. NULL is a harmless no-op. */
ENGINE_API void engine_model_close(engine_model *model);

/* Reads the whole file and compares every checksum; all numbers must be finite, padding zero. */
ENGINE_API engine_status engine_model_verify(const engine_model *model, engine_error *error);

/* Strings are borrowed from the model. Caller sets struct_bytes = sizeof(engine_info) (or 0). */
typedef struct engine_info {
    size_t struct_bytes;
    const char *name;      /* metadata "name", or "" */
    size_t n_layers;       /* L */
    size_t width;          /* D */
    size_t n_heads;        /* H */
    size_t feed_forward;   /* width of the feed-forward layer's middle */
    size_t n_vocabulary;   /* rows of the embedding table: ids are 0 .. n_vocabulary-1 */
    size_t n_types;        /* rows of the token-type table; 0: none */
    size_t max_tokens;     /* longest sequence, special tokens included */
    const char *tokenizer; /* "blanks", "keras", "wordpiece", "words", "unigram", "bpe" */
    const char *position;  /* the names of the settings in weights/FORMAT.md */
    const char *norm;
    const char *norm_place;
    const char *activation;
    const char *gate;
    const char *mask;
    const char *pooling;
    int normalize;         /* 1: pooled vectors have length 1 */
    uint64_t n_parameters; /* numbers in all tensors */
    uint64_t file_bytes;
    const char *isa; /* kernels in use: "portable", "avx2" and so on, see ENGINE_ISA */
    /* The first version ends here. */
    size_t output_width; /* of vectors by the model's own pooling: D, or its last projection's;
                            n_vocabulary where that is sparse, token_vectors where it is colbert */
    engine_head head;
    size_t n_labels;        /* of head sequence or token */
    const char *scores;     /* "none", "softmax", "sigmoid" */
    int32_t mask_token;     /* id of [MASK], or -1 */
    size_t max_text_tokens; /* the limit for texts where the caller gives none, not for ids */
    int has_model;          /* 0: the file holds a tokenizer alone: only engine_tokenize works */
    const char *path;       /* of the weight file; "" for one in memory */
    size_t token_vectors;   /* W, of ENGINE_POOLING_COLBERT; 0: it has none */
    const char *sparse;     /* "none", "linear", "mask": what ENGINE_POOLING_SPARSE comes from */
} engine_info;

ENGINE_API engine_status engine_model_info(const engine_model *model, engine_info *info);

/* The value of a metadata key, NUL-terminated, borrowed; NULL when the file has no such key. */
ENGINE_API const char *engine_model_metadata(const engine_model *model, const char *key);

/* A token's text, borrowed, not NUL-terminated. ENGINE_ERROR_ARGUMENT: no such id, or no text. */
ENGINE_API engine_status engine_token_text(const engine_model *model, int32_t id, const char **text,
                                           size_t *len);

/* ---- The session: one thread's working memory ---- */

typedef struct engine_session engine_session;

typedef enum engine_trace {
    ENGINE_TRACE_HIDDEN = 1,    /* hidden states [T, D]: index 0 after the embedding step, index l
                                  after layer l (before the final norm, where there is one) */
    ENGINE_TRACE_ATTENTION = 2, /* attention weights [H, T, T] of layer `index` (from 0): row =
                                  query, column = key; each row sums to 1 */
    /* What else layer `index` (from 0) computes, in this order, C columns wide each. The norms of
     * pre-norm models come before their sublayers, those of post-norm ones behind the sums. */
    ENGINE_TRACE_PROJECTIONS = 4, /* [T, C] queries, keys, values of all heads side by side, after
                                     what positions do to them: C = (H + 2G)·K, G heads of keys */
    ENGINE_TRACE_HEADS = 8,       /* [T, C] the heads' sums of values, side by side: C = H·K */
    ENGINE_TRACE_SUM = 16,        /* [T, D] a sublayer's output and its residual: index 2·l of
                                     attention, 2·l + 1 of the feed-forward layer */
    ENGINE_TRACE_NORM = 32,       /* [T, D] a norm's output, of the same index */
    ENGINE_TRACE_MIDDLE = 64      /* [T, C] the feed-forward layer's middle, activated */
} engine_trace;

#define ENGINE_TRACE_ALL 127u

typedef struct engine_trace_view {
    engine_trace kind;
    size_t input;                    /* index of the input in the call */
    size_t index;                    /* see engine_trace */
    size_t n_tokens, n_heads, width; /* width: columns of `values`; of attention weights, D */
    const float *values; /* borrowed until the callback returns; tokens masked out are not in it */
} engine_trace_view;

/* Called by the thread that called engine_encode. It must not use the session. */
typedef void (*engine_trace_callback)(const engine_trace_view *view, void *user);

typedef struct engine_session_options {
    size_t struct_bytes;
    size_t n_threads;  /* 0: OMP_NUM_THREADS, else the CPUs this process may use (affinity, cgroup).
                          More than these two allow would wait for each other, and are not made. 0
                          also goes on with fewer where the system refuses some; a number fails */
    size_t max_tokens; /* longest sequence this session takes; 0: the model's max_tokens */
    engine_position position;
    engine_mask mask;
    unsigned trace; /* engine_trace kinds, or-ed; tracing encodes one input at a time */
    engine_trace_callback trace_callback;
    void *trace_user;
    int profile; /* 1: the session keeps time, for engine_session_profile */
    /* The first version ends here. What is added to a token is embedding_scale * token + type +
     * position_scale * PE. An option that the position scheme in force does not use is an error. */
    double position_base; /* of sinusoidal and exponential, 1e-100 to 1e100; 0: the model's */
    /* Frequencies of fourier, [n_frequencies], copied: cycles per token, at most 1e38, one for two
     * columns (others stay 0); float32 as in a weight file, so that both give the same vectors.
     * NULL: the model's. None here or there: f_i = (i + 1) / the model's max_tokens. */
    const float *frequencies;
    size_t n_frequencies;
    const double *embedding_scale; /* 0 or more; NULL: the model's */
    const double *position_scale;  /* 0 or more; NULL: the model's */
} engine_session_options;

/* Nothing is allocated after this call, but for a copy of a text behind its prompt, which is kept
 * for the next one, and by OpenMP for a thread's first call. The model must outlive the session. */
ENGINE_API engine_status engine_session_new(const engine_model *model,
                                            const engine_session_options *options,
                                            engine_session **session, engine_error *error);
ENGINE_API void engine_session_free(engine_session *session);

/* The message of the last call that failed, or "". Valid until the next call with this session. A
 * call that got ENGINE_ERROR_BUSY has none: what is here is about the other thread's call. */
ENGINE_API const char *engine_session_message(const engine_session *session);
ENGINE_API size_t engine_session_threads(const engine_session *session);

/* ---- Text to tokens ---- */

#define ENGINE_NUL_TERMINATED ((size_t)-1) /* as the length of a text: up to its NUL byte */

typedef struct engine_token {
    int32_t id;
    int32_t type;      /* 0: first text, 1: second text, as the file's template says */
    size_t begin, end; /* bytes of the text, or of `pair`; 0, 0: it was made of neither */
    uint8_t special;   /* 1: put there by the template */
    uint8_t in_pair;   /* 1: the span is in the second text */
    uint8_t in_prompt; /* 1: made of the prompt before the text: it has no span */
} engine_token;

/* A text, a pair of texts, token ids, or tokens: set `text`, or `text` and `pair`, or `ids`, or
 * `tokens`. An all-zero input is the empty text. */
typedef struct engine_input {
    const char *text;
    size_t text_len;
    const char *pair; /* second text, or NULL */
    size_t pair_len;
    const int32_t *ids;   /* [n_ids], special tokens included, taken as they are: never truncated */
    const int32_t *types; /* [n_ids], or NULL: all 0 */
    const uint8_t *mask;  /* [n_ids] or [n_tokens], or NULL: all 1. 0 is padding: not computed, seen
                             by no token, its rows zeros. Positions count from the first token that
                             is not padding, T of ENGINE_POSITION_INDEX from there to the last. */
    size_t n_ids;
    const engine_token *tokens; /* [n_tokens], what engine_tokenize or engine_window_tokens gave:
                                   taken as ids and types are, and entities have their spans */
    size_t n_tokens;
} engine_input;

typedef enum engine_on_long {
    ENGINE_ON_LONG_MODEL = 0,    /* as the file's tokenizer settings say; else an error */
    ENGINE_ON_LONG_TRUNCATE = 1, /* cut the end of the text (of the longer text of a pair) */
    ENGINE_ON_LONG_ERROR = 2
} engine_on_long;

/* What a text is, for the prompt that goes before it: models for search have one for each. */
typedef enum engine_role {
    ENGINE_ROLE_TEXT = 0,
    ENGINE_ROLE_QUERY = 1,   /* what is looked for: the file's prompt "query" */
    ENGINE_ROLE_DOCUMENT = 2 /* where it is looked for: the file's "document", or "passage" */
} engine_role;

typedef struct engine_encode_options {
    size_t struct_bytes;
    engine_pooling pooling;
    int normalize;     /* 1: scale pooled vectors to length 1; 0: only as the model says, and only
                          with ENGINE_POOLING_MODEL */
    int no_special;    /* 1: no special tokens around texts */
    size_t max_tokens; /* 0: the session's, for texts at most max_text_tokens; or any up to it */
    engine_on_long on_long;
    engine_truncation truncation;
    int truncate_left; /* 1: texts lose their start, not their end */
    int raw_scores;    /* 1: logits, where the model's scores are softmax or sigmoid */
    /* The first version ends here. A prompt is words that go before each text (not before ids and
     * tokens), as one text with it: the one of the file that `prompt` names, or none if that is "".
     * Or prompt_text, not both. If both are NULL: what the file has for the role, or else for all
     * texts, but only with ENGINE_POOLING_MODEL, _SPARSE and _COLBERT, not for answers of heads. */
    const char *prompt, *prompt_text;
    size_t prompt_len; /* bytes of prompt_text, or ENGINE_NUL_TERMINATED */
    engine_role role;
    const char *query_prompt; /* engine_rank: as `prompt`, for the query */
    size_t stride;            /* engine_windows: tokens that neighbours share */
    int whole_words;          /* engine_windows: 1: windows begin and end between words */
    size_t
        dimensions; /* 0: all; else vectors of texts, and those of ENGINE_POOLING_COLBERT, are cut
                          to their first columns, and have length 1 again if they would have it */
} engine_encode_options;

typedef struct engine_result {
    size_t n_tokens;  /* T, special tokens included */
    size_t row;       /* index of its first row in out with a row per token; else the input's */
    size_t n_dropped; /* tokens cut away: > 0 means truncated */
} engine_result;

/* The tokens of one text or pair, behind its prompt where the options or the model have one.
 * Without options->max_tokens nothing is cut and any length is taken; with it, as options->on_long
 * says. Inputs with ids or tokens are refused (ENGINE_ERROR_ARGUMENT). result may be NULL. */
ENGINE_API engine_status engine_tokenize(engine_session *session, const engine_input *input,
                                         const engine_encode_options *options, engine_token *out,
                                         size_t cap, size_t *needed, engine_result *result);

/* The words that engine_encode puts before each text with these options, borrowed from the model or
 * the options; *len is 0 where there are none. ENGINE_ERROR_ARGUMENT for a name that the file does
 * not have; the message lists those that it has. */
ENGINE_API engine_status engine_prompt(const engine_model *model,
                                       const engine_encode_options *options, const char **text,
                                       size_t *len, engine_error *error);

/* A part of a long text. Special tokens, the prompt and, of a pair, the other text are in each. */
typedef struct engine_window {
    size_t n_tokens;   /* of the window */
    size_t first, n;   /* its part of the text: n of all tokens, from tokens[first] on */
    size_t begin, end; /* bytes of that part of the text, or of `pair` */
    uint8_t in_pair;   /* 1: the second text goes in windows */
} engine_window;

/* Cuts all tokens [n_tokens] of a text, as engine_tokenize gave them without a limit, into windows
 * of at most options->max_tokens (0: what a text may have in this session), each of which shares
 * options->stride tokens with the one before. Of a pair the longer text goes in windows, or the one
 * that options->truncation names. out is [windows]: one where the text is not too long. */
ENGINE_API engine_status engine_windows(engine_session *session, const engine_token *tokens,
                                        size_t n_tokens, const engine_encode_options *options,
                                        engine_window *out, size_t cap, size_t *needed);

/* Writes a window's tokens to out [window->n_tokens], an input for engine_encode. NULL: a no-op. */
ENGINE_API void engine_window_tokens(const engine_window *window, const engine_token *tokens,
                                     size_t n_tokens, engine_token *out);

/* ---- Tokens to vectors ---- */

/* Encodes n inputs. out is [n, D], or [sum of T, D] with ENGINE_POOLING_NONE; engine_answers.h has
 * the shapes of ENGINE_POOLING_SPARSE and _COLBERT. results is [n] or NULL. An input without tokens
 * has no rows, and its pooled vector is zeros. Where an input is wrong, the message names the first
 * one in their order, and the answers and results of those before it are there; the rest of both
 * is unspecified after a failure, except with ENGINE_ERROR_BUFFER, where results are filled. */
ENGINE_API engine_status engine_encode(engine_session *session, const engine_input *inputs,
                                       size_t n, const engine_encode_options *options, float *out,
                                       size_t cap, size_t *needed, engine_result *results);

#ifdef __cplusplus
}
#endif

#include "engine_answers.h" /* labels, entities, words, ranks, sparse and many vectors */
#include "engine_details.h" /* settings, sections, tensors, position matrices, profiles */
#include "engine_search.h"  /* rows of vectors, and the best of them for a query */
#endif
