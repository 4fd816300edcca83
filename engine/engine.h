/* engine.h - transformer encoders from C: text in, vectors out.
 *
 *     engine_error error;
 *     engine_model *model;
 *     engine_session *session;
 *     if (engine_model_open(NULL, NULL, &model, &error)) { puts(error.message); return 1; }
 *     if (engine_session_new(model, NULL, &session, &error)) { puts(error.message); return 1; }
 *     float vector[256]; // the default model's width; engine_shape_of has that of any other
 *     engine_input input = engine_text("I ride bike");
 *     if (engine_encode(session, &input, 1, NULL, vector, 256, NULL, NULL))
 *         puts(engine_session_message(session));
 *     engine_session_free(session);
 *     engine_model_close(model);
 *
 * Rules that hold for every function
 *   Shapes    B sequences, T tokens, D width, H heads, L layers. Matrices are row-major float32.
 *   Text      UTF-8, a pointer and a length in bytes; NUL bytes inside are text, unless the length
 *             is ENGINE_NUL_TERMINATED. Each invalid part of a text is read as U+FFFD. Spans are
 *             byte offsets into the caller's text, without its prompt.
 *   Errors    Fallible functions return an engine_status, with details in the caller's
 *             engine_error (may be NULL) or engine_session_error(). No function prints, exits or
 *             aborts. Objects stay usable after a failure. Messages have no control characters.
 *   Buffers   The caller owns every buffer. `cap` counts elements. `needed` (may be NULL) receives
 *             the number of elements of the complete answer, also if the status is
 *             ENGINE_ERROR_BUFFER because cap was smaller: cap 0 asks for the count.
 *   Structs   A struct that begins with struct_bytes has an initialiser, its name in capitals, for
 *             C and C++: ENGINE_ENCODE_OPTIONS() sets the defaults (as a NULL pointer does), and
 *             ENGINE_ENCODE_OPTIONS(.max_tokens = 64) sets members (in C, and since C++20).
 *             Without its initialiser the struct is refused: ENGINE_ERROR_ARGUMENT. Later
 *             versions may append members to such structs; other structs never change.
 *   Threads   Any number of threads may share a model. A session serves one at a time: a second
 *             gets ENGINE_ERROR_BUSY. A call is one parallel region of OpenMP, which keeps a pool
 *             of threads for each calling thread of the host until that thread ends; GCC's pool
 *             threads block all signals except their own faults and SIGPROF. GCC's OpenMP ends the
 *             process if the system refuses threads that a smaller region gave back. A call runs
 *             on one thread if
 *             - the system refuses threads, or the process would have more than 1,024 of them;
 *             - stacks of threads are below 256 KB (OMP_STACKSIZE, else ulimit -s at the start);
 *             - it is made inside a parallel region of the host that allows no nested region.
 *             A calling thread needs a stack of 128 KB (int8 layers with AVX2 use 80 KB, all else
 *             that was measured 27 KB). pthread_cancel takes effect after a call that opens a
 *             model, searches, or uses a session. Hosts may set OMP_NUM_THREADS, OMP_PROC_BIND,
 *             OMP_WAIT_POLICY=passive (spin less).
 *   fork()    Fork before the process has sessions or parallel regions. A child that is forked
 *             later must make its own sessions, with n_threads = 1.
 *   Numbers   The vector of a text is the same to the last bit for any batch, position in the
 *             batch, padding and number of threads; and on every processor with fused
 *             multiply-adds (any ENGINE_ISA but portable), as far as the C library's sin, cos,
 *             pow, exp and tanh agree when rounded to float. Portable kernels, also with
 *             OpenBLAS, differ by some 1e-6 in f32, a few hundredths in int8. Only of
 *             ENGINE_PRECISION_FAST does the processor decide (see there).
 *   Process   If the portable kernels are used, engine_model_open loads OpenBLAS
 *             (libopenblas.so.0), or uses the host's, and sets it to one thread for the whole
 *             process: the engine's threads call it. Do not change that while models are open. Only
 *             the build with POSIX threads is used, none if addresses or data are limited
 *             (ulimit -v, -d). On CPUs with AMX, opening a model with int8 layers, or in bf16
 *             or fast precision, asks Linux for tile registers, which raises the least size of
 *             signal stacks (sigaltstack) to 12 KB.
 *             The floating-point environment, signals and locale are not changed. Environment:
 *             ENCODE_MODEL (see engine_model_open); ENGINE_ISA=portable, avx2, avxvnni, avx512,
 *             avx512vnni, avx512bf16 or amx (aarch64: neon, neondot, neoni8mm) limits the
 *             instruction set.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "engine_types.h" /* tokens, entities, hits: what functions write to buffers */

#define ENGINE_VERSION "0.1.0"

#if defined(__GNUC__)
#define ENGINE_API __attribute__((visibility("default")))
#else
#define ENGINE_API
#endif

/* How struct_bytes and the initialisers are defined: in C++ members have default values. */
#ifdef __cplusplus
#define ENGINE_STRUCT_BYTES(type) size_t struct_bytes = sizeof(type)
#define ENGINE_STRUCT(type, ...)                                                                   \
    type                                                                                           \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
extern "C" {
#else
#define ENGINE_STRUCT_BYTES(type) size_t struct_bytes
#define ENGINE_STRUCT(type, ...)                                                                   \
    (type)                                                                                         \
    {                                                                                              \
        .struct_bytes = sizeof(type), __VA_ARGS__                                                  \
    }
#endif

/* ---- Status and errors ---- */

typedef enum engine_status {
    ENGINE_OK = 0,
    ENGINE_ERROR_ARGUMENT = 1, /* an invalid NULL, count, option or id */
    ENGINE_ERROR_MEMORY = 2,   /* an allocation failed */
    ENGINE_ERROR_IO = 3,       /* the file cannot be opened, mapped or read */
    ENGINE_ERROR_FORMAT = 4,   /* not a weight file, or a damaged one */
    ENGINE_ERROR_VERSION = 5,  /* a weight file of a version or byte order that is not supported */
    ENGINE_ERROR_UNSUPPORTED = 6,  /* the file needs a feature that this library does not have */
    ENGINE_ERROR_BUFFER = 7,       /* the buffer is too small; `needed` is the required size */
    ENGINE_ERROR_LENGTH = 8,       /* more tokens than the model or the session accepts */
    ENGINE_ERROR_TEXT = 9,         /* the text cannot be tokenized */
    ENGINE_ERROR_BUSY = 10,        /* another call is using the session */
    ENGINE_ERROR_NOT_FINITE = 11,  /* NaN or an infinity: in the weights, or by overflow */
    ENGINE_ERROR_INTERRUPTED = 12, /* by engine_session_interrupt or a progress callback */
    ENGINE_ERROR_INTERNAL = 99     /* a defect of the library: please report it */
} engine_status;

/* Why an input failed, if its status does not say so. */
typedef enum engine_reason {
    ENGINE_REASON_NONE = 0,
    ENGINE_REASON_LONG_TEXT = 1, /* ENGINE_ERROR_LENGTH: it may be cut or split into windows */
    ENGINE_REASON_LONG_IDS = 2,  /* ENGINE_ERROR_LENGTH: ids and tokens are never cut */
    ENGINE_REASON_NO_ROOM = 3,   /* ENGINE_ERROR_LENGTH: tokens that are never cut exceed it */
    ENGINE_REASON_BAD_ID = 4,    /* ENGINE_ERROR_ARGUMENT: an id or a type is out of range */
    ENGINE_REASON_WEIGHTS = 5,   /* ENGINE_ERROR_NOT_FINITE: the weights have NaN or infinities */
    ENGINE_REASON_OVERFLOW = 6   /* ENGINE_ERROR_NOT_FINITE: finite weights, but an overflow */
} engine_reason;

/* Values of engine_error.input that are not an index. */
#define ENGINE_NO_INPUT    ((size_t)-1)
#define ENGINE_QUERY_INPUT ((size_t)-2) /* the query of engine_rank */

typedef struct engine_error {
    engine_status status;
    engine_reason reason;
    size_t input;      /* index of the input (of engine_search: the query) that failed */
    size_t name_len;   /* bytes of `message` that name the input ("input 6"), or 0 */
    char message[256]; /* what is wrong, where, expected and found, and what to do: for people.
                          Programs read the members above; the words may change in any version */
} engine_error;

/* Return static strings: "0.1.0"; how the library was built, and the instruction sets in use, two
 * where AMX multiplies int8; "ENGINE_OK" and so on ("unknown status" for any other number). */
ENGINE_API const char *engine_version(void);
ENGINE_API const char *engine_build_info(void);
ENGINE_API const char *engine_status_name(engine_status status);

/* ---- The model: one weight file, mapped ---- */

typedef struct engine_model engine_model;

/* Choices that replace a setting of the file. 0 is always "as the model says". Positions that act
 * inside attention (rotary, alibi, distance, disentangled, a window) are never replaced. At
 * position p, from 0, of a text of T tokens, D columns wide, column i of the added row is: */
typedef enum engine_position {
    ENGINE_POSITION_MODEL = 0,
    ENGINE_POSITION_NONE = 1,
    ENGINE_POSITION_SINUSOIDAL = 2, /* 2i: sin(p/base^(2i/D)), 2i+1: cos(same) */
    ENGINE_POSITION_LEARNED = 3,    /* a row of a table, if the file has one */
    ENGINE_POSITION_INDEX = 4,      /* p/T */
    ENGINE_POSITION_BINARY = 5,     /* bit i of p, the lowest first */
    ENGINE_POSITION_FOURIER = 6,    /* 2i: sin(2*pi*f_i*p), 2i+1: cos(same); f_i cycles a token */
    ENGINE_POSITION_EXPONENTIAL = 7 /* exp(-p/base^(i/D)) */
} engine_position;

typedef enum engine_mask {
    ENGINE_MASK_MODEL = 0,
    ENGINE_MASK_FULL = 1,  /* every token sees every token of its sequence */
    ENGINE_MASK_CAUSAL = 2 /* look-ahead mask: a token sees itself and earlier tokens */
} engine_mask;

typedef enum engine_pooling {
    ENGINE_POOLING_MODEL = 0, /* the model's own pooling and normalisation */
    ENGINE_POOLING_NONE = 1,  /* one vector per token */
    ENGINE_POOLING_MEAN = 2,
    ENGINE_POOLING_CLS = 3,           /* the first token's vector */
    ENGINE_POOLING_MAX = 4,           /* the largest value of each column */
    ENGINE_POOLING_MEAN_SQRT = 5,     /* the sum, divided by the root of the number of tokens */
    ENGINE_POOLING_WEIGHTED_MEAN = 6, /* token t has the weight t, from 1 */
    ENGINE_POOLING_LAST = 7,          /* the last token's vector */
    ENGINE_POOLING_POOLER = 8,        /* the pooler of the first token, if the file has one */
    ENGINE_POOLING_SPARSE = 9,   /* a weight for each id, if the file's setting `sparse` is set */
    ENGINE_POOLING_COLBERT = 10, /* vectors [W] of tokens, if `token_vectors` is set */
    ENGINE_POOLING_TEXT = 11,  /* one vector of a text: the model's own pooling if that is a row of
                                  a text, else the mean */
    ENGINE_POOLING_LABELS = 12 /* scores of labels, by a head that gives some */
} engine_pooling;

/* The answer of the model's head: see engine_answers.h. */
typedef enum engine_head {
    ENGINE_HEAD_NONE = 0,
    ENGINE_HEAD_POOLER = 1,   /* a pooler alone */
    ENGINE_HEAD_SEQUENCE = 2, /* labels of a text or a pair */
    ENGINE_HEAD_TOKEN = 3,    /* labels of every token */
    ENGINE_HEAD_MASK = 4      /* words for [MASK] */
} engine_head;

/* What logits of labels become. */
typedef enum engine_scores {
    ENGINE_SCORES_NONE = 0, /* they stay logits */
    ENGINE_SCORES_SOFTMAX = 1,
    ENGINE_SCORES_SIGMOID = 2
} engine_scores;

typedef enum engine_tokenizer {
    ENGINE_TOKENIZER_BLANKS = 0,
    ENGINE_TOKENIZER_KERAS = 1,
    ENGINE_TOKENIZER_WORDPIECE = 2,
    ENGINE_TOKENIZER_WORDS = 3,
    ENGINE_TOKENIZER_UNIGRAM = 4,
    ENGINE_TOKENIZER_BPE = 5
} engine_tokenizer;

/* Products of linear layers and of attention. BF16 rounds both factors to bfloat16 and adds in f32,
 * to the same bits on every processor with fused multiply-adds; without an instruction for it (AMX,
 * or AVX-512 BF16 on AMD) it is slower than EXACT. FAST is BF16 where the kernels in use have that
 * instruction, else EXACT, so its bits depend on the processor: see engine_info.precision. Layers
 * in int8 stay so; BF16 rounds the weights of others at opening, into memory of 2 bytes each. */
typedef enum engine_precision {
    ENGINE_PRECISION_EXACT = 0,
    ENGINE_PRECISION_BF16 = 1,
    ENGINE_PRECISION_FAST = 2
} engine_precision;

typedef struct engine_model_options {
    ENGINE_STRUCT_BYTES(engine_model_options);
    int verify; /* 0: compare the checksums of files up to 16 MiB (4 ms), 1: of any file, -1: none.
                   A file is verified again if its inode, size or change time has changed */
    int copy;   /* 1: read the file into memory and verify it: the file may change afterwards */
    engine_precision precision;
} engine_model_options;
#define ENGINE_MODEL_OPTIONS(...) ENGINE_STRUCT(engine_model_options, __VA_ARGS__)

/* Opens a weight file: maps it and checks everything that addresses are computed from. path NULL:
 * the file named by ENCODE_MODEL, else the default weights, beside the program or where they were
 * installed. *model is NULL on failure. A mapped file must not change (wrong numbers, an error, or
 * the end of the process): rename a new file over it; open models keep the old one. */
ENGINE_API engine_status engine_model_open(const char *path, const engine_model_options *options,
                                           engine_model **model, engine_error *error);

/* Opens a weight file in memory, which must be aligned to 64 bytes and must not change until the
 * model is closed; ignores options->copy. */
ENGINE_API engine_status engine_model_open_memory(const void *data, size_t len,
                                                  const engine_model_options *options,
                                                  engine_model **model, engine_error *error);

/* Closes a model. Every session of it must be freed first. NULL is a harmless no-op. */
ENGINE_API void engine_model_close(engine_model *model);

/* Reads the complete file and compares every checksum; all numbers must be finite, padding zero. */
ENGINE_API engine_status engine_model_verify(const engine_model *model, engine_error *error);

/* Properties of a model. Strings are borrowed from the model. */
typedef struct engine_info {
    ENGINE_STRUCT_BYTES(engine_info);
    const char *name;    /* metadata "name", or "" */
    size_t n_layers;     /* L */
    size_t width;        /* D */
    size_t n_heads;      /* H */
    size_t feed_forward; /* width of the feed-forward layer's middle */
    size_t n_vocabulary; /* rows of the embedding table: ids are 0 .. n_vocabulary-1 */
    size_t n_types;      /* rows of the token-type table; 0: no table */
    size_t max_tokens;   /* longest sequence, including special tokens */
    engine_tokenizer tokenizer;
    engine_position position;
    const char *norm; /* the names of the settings in weights/FORMAT.md */
    const char *norm_place;
    const char *activation;
    const char *gate;
    engine_mask mask;
    engine_pooling pooling; /* NONE; or SPARSE or COLBERT if the model has no other */
    int normalize;          /* 1: pooled vectors have length 1 */
    uint64_t n_parameters;  /* numbers in all tensors */
    uint64_t file_bytes;
    const char *isa;     /* kernels in use: "portable", "avx2" and so on, see ENGINE_ISA */
    size_t output_width; /* of rows by that pooling: D, or the last projection's; n_vocabulary or
                            token_vectors */
    engine_head head;
    size_t n_labels;        /* of head sequence or token */
    engine_scores scores;   /* of labels */
    int32_t mask_token;     /* id of [MASK], or -1 */
    size_t max_text_tokens; /* default limit for texts, not for ids */
    int has_model;          /* 0: the file has a tokenizer alone: only engine_tokenize works */
    const char *path;       /* of the weight file; "" for one in memory */
    size_t token_vectors;   /* W, of ENGINE_POOLING_COLBERT; 0: absent */
    int has_sparse;         /* 1: ENGINE_POOLING_SPARSE works */
    const char *kernels;    /* "fma" or "portable": kernels of one family give the same bits */
    uint32_t checksum;      /* of the weight file: CRC-32C of its sections' sizes and checksums */
    int ranks_pairs;        /* 1: a cross-encoder: engine_rank scores pairs by the head */
    engine_precision precision; /* in use: EXACT or BF16 */
    int is_emulated; /* 1: BF16 without an instruction for it: slower than EXACT, the same bits */
} engine_info;
#define ENGINE_INFO(...) ENGINE_STRUCT(engine_info, __VA_ARGS__)

/* Fills info, which must be initialised with ENGINE_INFO(). */
ENGINE_API engine_status engine_model_info(const engine_model *model, engine_info *info,
                                           engine_error *error);

/* Returns the value of a metadata key, NUL-terminated, borrowed; NULL if the key is absent. */
ENGINE_API const char *engine_model_metadata(const engine_model *model, const char *key);

/* *text is borrowed, not NUL-terminated. ENGINE_ERROR_ARGUMENT: no such id, or it has no text. */
ENGINE_API engine_status engine_token_text(const engine_model *model, int32_t id, const char **text,
                                           size_t *len);

/* ---- The session: one thread's working memory ---- */

typedef struct engine_session engine_session;

typedef struct engine_trace_view engine_trace_view; /* see engine_details.h */

/* Called by the thread that called engine_encode. Must not use the session. */
typedef void (*engine_trace_callback)(const engine_trace_view *view, void *user);

/* Called by the calling thread, before each layer, after each batch of inputs, and every 4 KB of a
 * text that this thread tokenizes: n_done of n inputs (engine_search: rows) are done. Returns 0 to
 * continue; any other value interrupts the call. Must not use the session. */
typedef int (*engine_progress_callback)(size_t n_done, size_t n, void *user);

typedef struct engine_session_options {
    ENGINE_STRUCT_BYTES(engine_session_options);
    size_t n_threads;  /* 0: OMP_NUM_THREADS, else the CPUs of this process (affinity, cgroup); the
                          larger of the two is the limit, as more would wait for each other. If the
                          system refuses some, 0 continues with fewer; a number fails */
    size_t max_tokens; /* longest sequence of this session; 0: the model's max_tokens */
    engine_position position;
    engine_mask mask;
    unsigned trace; /* engine_trace kinds, or-ed; tracing encodes one input at a time */
    engine_trace_callback trace_callback;
    void *trace_user;
    engine_progress_callback progress; /* or NULL */
    void *progress_user;
    int profile; /* 1: measure times for engine_session_profile */
    /* Each token becomes embedding_scale * token + type + position_scale * PE. An option that the
     * selected position scheme does not use is an error. */
    double position_base; /* of sinusoidal and exponential, 1e-100 to 1e100; 0: the model's */
    /* Frequencies of fourier, [n_frequencies], copied: cycles per token, at most 1e38, one for two
     * columns (others stay 0); float32 as in a weight file, so that both give the same vectors.
     * NULL: the model's, else f_i = (i + 1) / the model's max_tokens. */
    const float *frequencies;
    size_t n_frequencies;
    const double *embedding_scale; /* 0 or more; NULL: the model's */
    const double *position_scale;  /* 0 or more; NULL: the model's */
} engine_session_options;
#define ENGINE_SESSION_OPTIONS(...) ENGINE_STRUCT(engine_session_options, __VA_ARGS__)

/* Creates a session. Nothing is allocated afterwards, except a copy of a text with its prompt,
 * which is reused, and by OpenMP in a thread's first call. The model must outlive the session. */
ENGINE_API engine_status engine_session_new(const engine_model *model,
                                            const engine_session_options *options,
                                            engine_session **session, engine_error *error);
ENGINE_API void engine_session_free(engine_session *session);

/* Interrupts the call that is using the session, if any, with ENGINE_ERROR_INTERRUPTED, at the
 * latest after one step of a layer or some KB of a text. A call that is nearly done still succeeds,
 * and so do engine_windows and texts of a few KB. Any thread and any signal handler may
 * call this. Vectors of that call are unspecified; the session stays usable. NULL is a no-op. */
ENGINE_API void engine_session_interrupt(engine_session *session);

/* Return the error of the last call, never NULL, and its message, "" if it succeeded. Valid until
 * the next call with this session. During a call they report that the session is busy. */
ENGINE_API const engine_error *engine_session_error(const engine_session *session);
ENGINE_API const char *engine_session_message(const engine_session *session);
ENGINE_API size_t engine_session_threads(const engine_session *session);

/* ---- Text to tokens ---- */

#define ENGINE_NUL_TERMINATED ((size_t)-1) /* as the length of a text: up to its NUL byte */

/* A text, a pair of texts, token ids, or tokens: set `text`, or `text` and `pair`, or `ids`, or
 * `tokens`, and its length; engine_text() and engine_text_pair() set both. An all-zero input is the
 * empty text. */
typedef struct engine_input {
    const char *text;
    size_t text_len;
    const char *pair; /* second text, or NULL */
    size_t pair_len;
    const int32_t *ids;   /* [n_ids], including special tokens, used unchanged: never truncated */
    const int32_t *types; /* [n_ids], or NULL: all 0 */
    const uint8_t *mask;  /* [n_ids] or [n_tokens], or NULL: all 1. 0 is padding: not computed, seen
                             by no token, its rows zeros. Positions count from the first token that
                             is not padding, T of ENGINE_POSITION_INDEX from there to the last. */
    size_t n_ids;
    const engine_token *tokens; /* [n_tokens] from engine_tokenize or engine_window_tokens: used
                                   like ids and types, and entities have their spans */
    size_t n_tokens;
} engine_input;

/* Return an input of a text, or of a pair of texts, ending with a NUL byte. Texts are borrowed. */
static inline engine_input engine_text_pair(const char *text, const char *pair)
{
    const size_t whole = ENGINE_NUL_TERMINATED;
    engine_input input = {text, whole, pair, pair ? whole : 0, NULL, NULL, NULL, 0, NULL, 0};
    return input;
}
static inline engine_input engine_text(const char *text)
{
    return engine_text_pair(text, NULL);
}

typedef enum engine_on_long {
    ENGINE_ON_LONG_MODEL = 0,    /* cut it if the file's tokenizer settings say so and `results`, or
                                    n_cut of engine_rank, is given to report it; else an error */
    ENGINE_ON_LONG_TRUNCATE = 1, /* cut the end of the text (of the longer text of a pair) */
    ENGINE_ON_LONG_ERROR = 2
} engine_on_long;

/* The purpose of a text, which chooses its prompt: models for search have one for each role. Some
 * weigh the ids of a query without their layers, or fill queries up to a fixed length: see
 * query_weights and query_filler in weights/FORMAT.md. Ids and tokens that a caller has are not. */
typedef enum engine_role {
    ENGINE_ROLE_TEXT = 0,    /* any text, or pair: the file's default prompt, if it has one */
    ENGINE_ROLE_QUERY = 1,   /* a query: the file's prompt "query", else none */
    ENGINE_ROLE_DOCUMENT = 2 /* a text to be found: the file's prompt "document", else none */
} engine_role;

/* How labels of tokens become entities: the names and the results of aggregation_strategy of
 * transformers' TokenClassificationPipeline. SIMPLE: tokens of one label are one entity; B-X starts
 * another, I-X continues one of X, and other labels, like L-X and U-X, go on only while they are
 * equal; "O" is outside. An entity's name is the label's after the first '-'. FIRST, AVERAGE, MAX:
 * the same of words, whose label is that of the first token, of the mean of all tokens' scores, or
 * of the token with the largest score. NONE: each token, by its whole label, except "O". */
typedef enum engine_strategy {
    ENGINE_STRATEGY_SIMPLE = 0,
    ENGINE_STRATEGY_FIRST = 1,
    ENGINE_STRATEGY_AVERAGE = 2,
    ENGINE_STRATEGY_MAX = 3,
    ENGINE_STRATEGY_NONE = 4
} engine_strategy;

typedef struct engine_encode_options {
    ENGINE_STRUCT_BYTES(engine_encode_options);
    engine_pooling pooling;
    int normalize;     /* 1: scale pooled vectors to length 1; 0: as the model says, with its own
                          pooling (ENGINE_POOLING_MODEL, _TEXT) alone */
    int no_special;    /* 1: no special tokens around texts */
    size_t max_tokens; /* 0: the session's, for texts at most max_text_tokens; or any up to it */
    engine_on_long on_long;
    engine_truncation truncation;
    int truncate_left; /* 1: texts lose their start, not their end */
    int raw_scores;    /* 1: logits, if the model's scores are softmax or sigmoid */
    /* A prompt is words before each text (not before ids and tokens), tokenized as one text with
     * it. Either `prompt` names one of the file ("": none), or prompt_text is one; not both. If
     * both are NULL, the role chooses one of the file with ENGINE_POOLING_MODEL, _TEXT, _SPARSE
     * and _COLBERT, as encode, encode_query and encode_document of sentence-transformers do. Labels
     * of texts and pairs have the file's default prompt; of a cross-encoder it is the query's. */
    const char *prompt, *prompt_text;
    size_t prompt_len; /* bytes of prompt_text, or ENGINE_NUL_TERMINATED */
    engine_role role;
    const char *query_prompt; /* engine_rank: like `prompt`, for the query */
    size_t stride;            /* engine_windows: tokens shared by neighbouring windows */
    int whole_words;          /* engine_windows: 1: windows begin and end between words */
    size_t dimensions;        /* 0: all; else vectors of texts, and of ENGINE_POOLING_COLBERT, are
                                 cut to their first columns, and scaled to length 1 if uncut ones
                                 are */
    engine_strategy strategy; /* engine_entities */
    size_t *n_cut; /* engine_rank: receives how many of the query and the texts were cut; or NULL */
} engine_encode_options;
#define ENGINE_ENCODE_OPTIONS(...) ENGINE_STRUCT(engine_encode_options, __VA_ARGS__)

typedef struct engine_result {
    size_t n_tokens;  /* T, including special tokens */
    size_t row;       /* with a row per token, index of its first row in out; else the input's */
    size_t n_dropped; /* tokens that were cut off: > 0 means truncated */
} engine_result;

/* Writes the tokens of one text or pair, with its prompt if the options or the model have one. If
 * options->max_tokens is 0, the text is never cut and may have any length, else options->on_long
 * applies. Inputs with ids or tokens are refused (ENGINE_ERROR_ARGUMENT). result may be NULL. */
ENGINE_API engine_status engine_tokenize(engine_session *session, const engine_input *input,
                                         const engine_encode_options *options, engine_token *out,
                                         size_t cap, size_t *needed, engine_result *result);

/* Counts the words of a text or pair, without its prompt, from the tokens of engine_tokenize. Texts
 * whose words are all unknown have nearly the same vector. */
ENGINE_API engine_status engine_count_words(const engine_model *model, const engine_input *input,
                                            const engine_token *tokens, size_t n_tokens,
                                            engine_word_counts *counts);

/* Returns 1 if one of the tokens is of the text itself: neither special nor of its prompt. A text
 * without such tokens (empty, only blanks) has a vector all the same: that of the others. */
ENGINE_API int engine_has_text(const engine_token *tokens, size_t n_tokens);

/* Writes the text of ids, not NUL-terminated, as HuggingFace's usual decoder of that kind
 * of tokenizer joins tokens; a file's own decoder is not kept. What the tokenizer changed or
 * dropped (case, blanks) is lost; ids that split a character give invalid UTF-8. skip_special: 1
 * leaves out those of the file's templates, and added ones like [PAD] or <pad>.
 * ENGINE_ERROR_ARGUMENT: the id of index error->input has no text. */
ENGINE_API engine_status engine_decode(const engine_model *model, const int32_t *ids, size_t n,
                                       int skip_special, char *out, size_t cap, size_t *needed,
                                       engine_error *error);

/* Divides all tokens [n_tokens] of a text, from engine_tokenize without a limit, into windows of at
 * most options->max_tokens (0: this session's limit for texts), each of which shares
 * options->stride tokens (with whole_words or more) with the window before. Of a pair the longer
 * text is split, or the one that options->truncation names. out is [windows]: one if the text is
 * not too long. ENGINE_ERROR_UNSUPPORTED: it is too long, and the model's texts have padding. */
ENGINE_API engine_status engine_windows(engine_session *session, const engine_token *tokens,
                                        size_t n_tokens, const engine_encode_options *options,
                                        engine_window *out, size_t cap, size_t *needed);

/* Writes a window's tokens to out [window->n_tokens], an input for engine_encode. NULL: a no-op. */
ENGINE_API void engine_window_tokens(const engine_window *window, const engine_token *tokens,
                                     size_t n_tokens, engine_token *out);

/* ---- Tokens to vectors ---- */

/* What engine_encode writes with these options: ask here instead of deriving it. */
typedef struct engine_shape {
    ENGINE_STRUCT_BYTES(engine_shape);
    engine_pooling pooling; /* as resolved: neither MODEL nor TEXT */
    size_t width;           /* numbers of a row: `dimensions` is applied */
    int per_token;          /* 1: a row for each token, or for each that has a vector (_COLBERT) */
    int normalized;         /* 1: rows have length 1 */
    engine_metric metric;   /* how rows are compared: as the file says of its own pooling, else by
                               ENGINE_METRIC_DOT if they are sparse, by cosine if not */
    const char *prompt;     /* before each text; borrowed from the model or the options */
    size_t prompt_len;      /* 0: none */
} engine_shape;
#define ENGINE_SHAPE(...) ENGINE_STRUCT(engine_shape, __VA_ARGS__)

/* Fills shape, which must be initialised with ENGINE_SHAPE(). Failures are those of engine_encode.
 * ENGINE_ERROR_UNSUPPORTED: the model has no such answer, or it was made to give labels and pooling
 * is MODEL or TEXT: the message names the labels. Then the prompt alone is set, that of
 * engine_tokenize. ENGINE_ERROR_ARGUMENT: among others for the name of a prompt that the file does
 * not have; the message lists the file's names. */
ENGINE_API engine_status engine_shape_of(const engine_model *model,
                                         const engine_encode_options *options, engine_shape *shape,
                                         engine_error *error);

/* Encodes n inputs. out is [n, width], or [sum of T, width] if the shape is per token;
 * engine_answers.h says more of ENGINE_POOLING_SPARSE, _COLBERT and _LABELS. results is [n] or
 * NULL. An input without tokens has no rows, and its pooled vector is zeros. If inputs are wrong,
 * engine_error.input is the first one, and the answers and results of those before it are valid;
 * the rest of both is unspecified after a failure, except with ENGINE_ERROR_BUFFER, where results
 * are filled. */
ENGINE_API engine_status engine_encode(engine_session *session, const engine_input *inputs,
                                       size_t n, const engine_encode_options *options, float *out,
                                       size_t cap, size_t *needed, engine_result *results);

#include "engine_answers.h" /* labels, entities, words, ranks, sparse and many vectors */
#include "engine_details.h" /* settings, sections, tensors, position matrices, profiles */
#include "engine_search.h"  /* rows of vectors, and the best of them for a query */

#ifdef __cplusplus
}
#endif
#endif
