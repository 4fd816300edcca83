/* serve.h - encode-serve: its options, its models, and a call from its request to its answer. */
#ifndef TOOLS_SERVE_H
#define TOOLS_SERVE_H

#include "engine/engine.h"
#include "tools/common/options.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

enum { MOST_MODELS = 64, MOST_CONNECTIONS = 1000, HTTP_THREADS = 4, READERS = 4 };
enum { MOST_HELD = 256 << 20, MOST_HELD_BY_CALL = MOST_HELD / 4 * 3 };       /* bytes */
enum { MOST_TEXTS = 2048, MOST_TOKENS = 300000, MOST_BODY_BYTES = 2 << 20 }; /* of one call */

struct serve_options {
    const char *models[MOST_MODELS];  /* FILE or NAME=FILE, [n_models]; none: the default */
    const char *hosts[MOST_MODELS];   /* [n_hosts], allowed beside those of this machine */
    const char *origins[MOST_MODELS]; /* [n_origins], whose pages may read answers */
    bool takes_any_name;
    size_t n_models, n_hosts, n_origins, n_threads, queue_tokens, batch_tokens, timeout;
    const char *listen, *key_file; /* key_file NULL: no key is asked for */
    enum log_format { LOG_TEXT, LOG_JSON, LOG_NONE } log;
};

/* What is computed: a row for each text, or for each token. */
enum work {
    WORK_OPEN,  /* nothing, for anybody */
    WORK_NONE,  /* nothing, for who has an API key */
    WORK_MODEL, /* nothing, but the path or the body names a model */
    WORK_ANY,   /* as another route, by the body and the first model */
    WORK_VECTORS,
    WORK_TOKEN_VECTORS,
    WORK_SPARSE,
    WORK_LABELS,
    WORK_RANKS,   /* labels of pairs, or vectors: the query's, then the texts' */
    WORK_COSINES, /* vectors: the first text's, then the others' */
    WORK_TOKENS,
    WORK_DECODE,
    WORK_STEPS /* by the thread that reads */
};

struct model {
    char *name;
    engine_model *model;
    engine_info info;
    engine_session *session;                         /* of the thread that computes */
    engine_session *readers[HTTP_THREADS + READERS]; /* for tokens alone */
    time_t opened;
};

/* All models are opened again at once; the old ones are closed when no call uses them any more. */
struct models {
    struct model models[MOST_MODELS];
    size_t n, n_users; /* calls, and the server */
    bool takes_any_name;
};

struct models *models_borrow(void);
void models_return(struct models *models);

/* Returns the model of that name (takes_any_name: the only one has any), or if name is NULL the
 * first that is made for the work, else the first. */
struct model *models_find(struct models *models, const char *name, enum work work);
engine_session *model_reader(struct model *model); /* the calling thread's */

/* Whose clients make a call: errors have the form that they read. */
enum dialect { DIALECT_OPENAI, DIALECT_OLLAMA, DIALECT_TEI, DIALECT_COHERE, N_DIALECTS };

/* NAME, status, that of text-embeddings-inference and its error_type, OpenAI's code. LENGTH: a text
 * is too long; MANY: too many texts, tokens or numbers for one call; LARGE: a body of too many
 * bytes; BUSY: the queue or the memory is full; UNABLE: the model has no such answer; REQUEST: the
 * headers have two meanings; SITE: a page of another site calls. */
#define FAULTS(X)                                                                                  \
    X(INPUT, 400, 422, "Validation", NULL)                                                         \
    X(LENGTH, 400, 413, "Validation", "context_length_exceeded")                                   \
    X(MANY, 400, 413, "Validation", NULL)                                                          \
    X(MODEL, 404, 404, "Validation", "model_not_found")                                            \
    X(KEY, 401, 401, "Validation", "invalid_api_key")                                              \
    X(PATH, 404, 404, "Validation", "unknown_url")                                                 \
    X(METHOD, 405, 405, "Validation", "method_not_supported")                                      \
    X(LARGE, 413, 413, "Validation", NULL)                                                         \
    X(BUSY, 429, 429, "Overloaded", "rate_limit_exceeded")                                         \
    X(UNABLE, 400, 424, "Backend", NULL)                                                           \
    X(REQUEST, 400, 400, "Validation", NULL)                                                       \
    X(SITE, 403, 403, "Validation", "forbidden")                                                   \
    X(ENGINE, 500, 424, "Backend", NULL)                                                           \
    X(ENDING, 503, 503, "Unhealthy", NULL)
#define FAULT_NAME(name, ...) FAULT_##name,
enum fault { FAULT_NONE, FAULTS(FAULT_NAME) };

struct route {
    const char *method, *path; /* a path that ends in '/' is that of all below it, too */
    enum dialect dialect;
    enum work work;
    const char *key;    /* of the texts in the body */
    const char *answer; /* a template: see answers.c */
};

/* Forms of a vector, as Cohere names them; a set of them has bit TYPE. */
enum vector_type { TYPE_FLOAT, TYPE_INT8, TYPE_UINT8, TYPE_BINARY, TYPE_UBINARY, TYPE_BASE64 };
#define VECTOR_TYPES "float", "int8", "uint8", "binary", "ubinary", "base64"

struct text {
    size_t first, n;        /* of the request's tokens */
    size_t byte, character; /* a position in it, in both units: the writer's */
};

/* What a client asks, and what is wrong with it. http.c writes the first part, read.c the second;
 * then it is only read, but for the failure. */
struct request {
    const struct route *route;
    enum dialect dialect;
    char method[16], path[128]; /* printable; cut if they are longer: nothing is served there */
    const char *allowed;        /* methods of the path */
    const char *origin;         /* of a page that may read the answer, or NULL */
    struct models *models;
    char *body; /* [body_len] */
    size_t body_len, body_cap;
    double began; /* seconds of program_seconds */

    json_t *json, *items;        /* the body, parsed; its texts, borrowed */
    json_t *labels, *hypotheses; /* of the call, [n_labels], each of which is paired with each text;
                                    NULL: the model's labels */
    size_t n_labels;             /* 1 without them */
    bool is_multi;               /* each is scored alone */
    struct model *model;         /* NULL: none is named */
    enum work work;              /* of the route, or of what it stands for */
    engine_encode_options options;
    engine_metric metric;     /* of ranks as engine_rank's; /similarity is TEI's: cosines */
    engine_position position; /* of steps, as is the mask */
    engine_mask mask;
    struct text *texts;   /* [n_texts], and where a next one would begin */
    engine_token *tokens; /* [n_tokens], of all texts */
    size_t n_texts, n_tokens, tokens_cap;
    size_t width, top, n_cut;       /* of a row, or 0; of ranks; texts that have lost tokens */
    unsigned types;                 /* of vectors, by bits */
    bool is_typed;                  /* each type has its name */
    bool is_per_token, is_single;   /* a row for each token; a text that is not in a list */
    bool by_pairs, has_query;       /* ranks are labels of pairs; text 0 is the query */
    bool with_texts, skips_special; /* of answers */

    enum fault fault;
    char message[512];
    bool is_gone;  /* the client */
    int fd;        /* of the connection */
    size_t n_held; /* bytes that are counted for it */
};

struct result {
    float *rows; /* [n_texts or n_tokens, width] */
    unsigned status;
    const char *type;
    char *answer; /* [answer_len] */
    size_t answer_len;
};

struct call {
    struct request request;
    struct result result;
    struct MHD_Connection *connection;
    struct call *next;         /* in the queue */
    size_t n_done, n_computed; /* texts that have their rows, or get them from this batch */
    double queued, started;    /* seconds of program_seconds; 0: not yet */
};

#endif
