/* serve.h - encode-serve: the models, a call from its body to its answer, the queue of calls that
 * wait to be computed, who is served and with how much, and HTTP. */
#ifndef TOOLS_SERVE_H
#define TOOLS_SERVE_H

#include "engine/engine.h"
#include "tools/common/options.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
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

/* ---- Models: models.c ---- */
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

/* All models are opened anew at once; the old ones are closed when no call uses them any more. */
struct models {
    struct model models[MOST_MODELS];
    size_t n, n_users; /* calls, and the server */
    bool takes_any_name;
};

bool models_open(const struct serve_options *options); /* false after a message: old ones stay */
struct models *models_borrow(void);
void models_return(struct models *models);

/* Returns the model of that name (takes_any_name: the only one has any), or if name is NULL the
 * first that is made for the work, else the first. */
struct model *models_find(struct models *models, const char *name, enum work work);
engine_session *model_reader(struct model *model); /* the calling thread's */

/* ---- Routes and answers: answers.c ---- */
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

/* Returns the route of a path, if it has several that whose key the body has (NULL: none yet), with
 * another method if there is none with this one; else NULL. */
const struct route *route_find(const char *method, const char *path, const json_t *body);

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

/* Counts the memory of the answer, or returns false after request_fail; writes the answer, or the
 * error in the client's dialect. */
bool answer_hold(struct request *request, const struct result *result);
void answer_write(const struct request *request, struct result *result);

/* Returns how many rows of n_tokens numbers the steps of a text have before its vector: lengths of
 * the hidden states, how far each layer moves them, and the maps of all heads. */
size_t answer_step_rows(const struct request *request);

/* ---- Requests: read.c ---- */
/* Sets the error that is the answer. Returns false. */
bool request_fail(struct request *request, enum fault fault, const char *format, ...)
    PROGRAM_PRINTF(3, 4);

const char *request_text_name(const struct request *request, size_t text); /* until the next call */
/* Parses the body, finds the model, and tokenizes. Returns false after request_fail; if its client
 * has gone the answer is not to be sent. */
bool request_read(struct request *request);
bool request_has_hung_up(const struct request *request);

/* The progress callback of sessions that read: ends a request whose client has gone, and one that
 * takes more than a second when the server ends. */
int request_is_over(size_t n_done, size_t n, void *unused);

/* Memory of jansson. While a body is parsed it counts for its request. */
void *read_alloc(size_t len);
void read_free(void *data);

/* ---- The queue: queue.c ---- */
/* Starts the threads that read long bodies, and the one that computes what waits, a text of each
 * call in turn: calls share a batch when the machine is busy, and none waits when it is not. They
 * resume the connection of a call that has its rows, needs none or has failed, or has no client. */
void queue_start(size_t most_waiting, size_t most_at_once);

/* Reads a call and counts it. Returns false if it has all rows, or after request_fail: its text is
 * wrong, or too much waits. A call is added when its connection is suspended: one that was
 * admitted, or one to be read first. */
bool queue_admit(struct call *call);
void queue_add(struct call *call);
extern atomic_size_t queue_tokens; /* that wait or are computed */

/* ---- Access: access.c. What connections do, the memory of requests, keys and hosts ---- */
/* Sends a call, or is silent; waits for the answer; reads it. */
enum phase { PHASE_CLOSED, PHASE_SENDS, PHASE_WAITS, PHASE_READS };

/* Sets the longest time of sending and of reading. Returns how many connections HTTP may have. */
size_t clients_start(double seconds);
void clients_set(int fd, enum phase phase); /* may close another connection, if too many are open */

/* To be called often: closes connections whose time is over, and if answers that wait to be read
 * have half of the memory, those of which nothing was received for a second. */
void clients_sweep(void);

/* Counts n bytes for a request, in place of those that it holds. More are counted before they are
 * allocated: of bodies, parsed ones, tokens, rows, answers. Returns false after request_fail if the
 * request shall not have them. */
bool request_hold(struct request *request, size_t n);

/* Reads the API keys, one a line; path NULL: none is asked for. Returns false after a message; then
 * the old ones are in force. */
bool access_read_keys(const char *path);
bool access_has_key(const char *authorization); /* "Bearer KEY" */

/* If the socket listens on loopback, headers Host and Origin (NULL: absent) must be of this machine
 * or in options.hosts, or the origin in options.origins. */
void access_start(int socket, const struct serve_options *options);
bool access_allows(const char *host, const char *origin);
bool access_shares(const char *origin); /* whether its pages may read answers */

/* ---- HTTP: http.c, whose threads receive, read short bodies, and write ---- */
/* Serves on a listening socket. Ends the program if that fails. */
void http_start(int socket, const struct serve_options *options);

/* Accepts no connection any more, and lets none have another call. Returns true if no call is open,
 * and then closes all connections. */
bool http_drain(void);
extern atomic_bool http_is_draining;

/* ---- Metrics and the log: metrics.c ---- */
/* Count an ended call, and print its line; count a batch; write the counts. */
void metrics_end_call(const struct call *call, enum log_format format);
void metrics_add_batch(size_t n_texts, size_t n_tokens);
void metrics_write(FILE *stream);

#endif
