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

/* ---- The command line: serve_options.c ---- */
struct serve_options {
    const char *models[MOST_MODELS]; /* FILE or NAME=FILE, [n_models]; none: the default */
    const char *hosts[MOST_MODELS];  /* [n_hosts], allowed beside those of this machine */
    size_t n_models, n_hosts, n_threads, queue_tokens, batch_tokens, timeout;
    const char *listen, *key_file; /* key_file NULL: no key is asked for */
    enum log_format { LOG_TEXT, LOG_JSON, LOG_NONE } log;
};

/* Reads the command line. The help, the version and errors end the program. */
void serve_options_read(struct serve_options *options, int argc, char **argv);

/* ---- Models: models.c ---- */
/* What is computed: a row for each text, or for each token. OPEN, NONE: nothing, for anybody, for
 * who has an API key. MODEL: nothing, but the path or the body names a model. ANY: as another
 * route, by the body and the first model. RANKS: by labels of pairs, or by vectors: the query's,
 * then the texts'. COSINES: of the first text and each other. ATTENTION: at once, by the thread of
 * HTTP. */
enum work {
    WORK_OPEN,
    WORK_NONE,
    WORK_MODEL,
    WORK_ANY,
    WORK_VECTORS,
    WORK_TOKEN_VECTORS,
    WORK_SPARSE,
    WORK_LABELS,
    WORK_RANKS,
    WORK_COSINES,
    WORK_TOKENS,
    WORK_DECODE,
    WORK_ATTENTION
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
};

/* Opens all models. Returns false after a message; models that are served already stay. */
bool models_open(const struct serve_options *options);
struct models *models_borrow(void);
void models_return(struct models *models);

/* Returns the model of that name (the only one has any name), or if name is NULL the first that is
 * made for the work, else the first. */
struct model *models_find(struct models *models, const char *name, enum work work);
engine_session *model_reader(struct model *model); /* the calling thread's */

/* ---- Calls: call.c, read.c, answers.c ---- */
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
    const char *answer; /* see answers.c */
};

struct text {
    size_t first, n;        /* of the call's tokens */
    size_t byte, character; /* a position in it, in both units */
};

/* Forms of a vector, as Cohere names them; a set of them has bit TYPE. */
enum vector_type { TYPE_FLOAT, TYPE_INT8, TYPE_UINT8, TYPE_BINARY, TYPE_UBINARY, TYPE_BASE64 };
#define VECTOR_TYPES "float", "int8", "uint8", "binary", "ubinary", "base64"

struct call {
    struct MHD_Connection *connection;
    int fd; /* of the connection */
    const struct route *route;
    enum dialect dialect;
    char method[16], path[128]; /* printable; cut if they are longer: nothing is served there */
    char *body;                 /* [body_len] */
    size_t body_len, body_cap;
    json_t *json, *items; /* the body, parsed; its texts, borrowed */

    struct models *models;
    struct model *model; /* NULL: none is named */
    enum work work;      /* of the route, or of what it stands for */
    engine_encode_options options;
    struct text *texts;   /* [n_texts] */
    engine_token *tokens; /* [n_tokens], of all texts */
    size_t n_texts, n_tokens, tokens_cap;
    float *rows;                                        /* [n_texts or n_tokens, width] */
    size_t width, top, n_cut;                           /* n_cut: texts that have lost tokens */
    unsigned types;                                     /* of vectors */
    bool is_per_token, is_single, by_pairs;             /* by_pairs: ranks are labels of pairs */
    bool with_texts, skips_special, has_query, is_gone; /* text 0 is the query; no client */

    struct call *next;             /* in the queue */
    size_t n_done, n_computed;     /* texts that have their rows, or get them from this batch */
    size_t n_held, n_bound;        /* bytes that are counted for it; of its answer, at most */
    double began, queued, started; /* seconds of program_seconds; 0: not yet */

    enum fault fault;
    char message[512];
    unsigned status;
    const char *type, *allowed; /* of the answer; methods of its path */
    const char *origin;         /* of a page that may read it, or NULL */
    char *answer;               /* [answer_len] */
    size_t answer_len;
};

/* Sets the error that is the answer. Returns false. */
bool call_fail(struct call *call, enum fault fault, const char *format, ...) PROGRAM_PRINTF(3, 4);

/* Returns "query" or "input 3", until the thread's next call. */
const char *call_text_name(const struct call *call, size_t text);

/* Returns the route of a path, with another method if there is none with this one; else NULL. */
const struct route *call_route(const char *method, const char *path);

/* Set the call's route and dialect; parse the body, find the model, and tokenize. Return false
 * after call_fail; of a call whose client has gone the answer is not to be sent. */
bool call_find_route(struct call *call);
bool call_read(struct call *call);

/* The progress callback of sessions that read: ends a call whose client has gone, and one that
 * takes more than a second when the server ends. */
int call_is_over(size_t n_done, size_t n, void *unused);
bool call_has_hung_up(const struct call *call);

/* Counts the memory of the answer, of which weights of words are known when they are computed.
 * Returns false after call_fail. */
bool call_hold_answer(struct call *call);

/* Writes the answer, or the error in the caller's dialect. */
void call_answer(struct call *call);

/* Memory of jansson. While a body is parsed it counts for its call. */
void *read_alloc(size_t len);
void read_free(void *data);

/* ---- The queue: queue.c ---- */
/* Starts the threads that read long bodies, and the one that computes. It takes what waits, a text
 * of each call in turn, up to a number of tokens: calls share a batch when the machine is busy, and
 * none waits when it is not. They resume the connection of a call that has its rows, needs none or
 * has failed, or whose client has hung up. */
void queue_start(size_t most_waiting, size_t most_at_once);

/* Reads a call and counts it. Returns false if it needs no rows, or after call_fail: its text is
 * wrong, or too much waits. */
bool queue_admit(struct call *call);

/* Adds a call whose connection is suspended: one that was admitted, or one to be read first. */
void queue_add(struct call *call);
void queue_read(struct call *call);

extern atomic_size_t queue_tokens; /* that wait or are computed */

/* ---- Clients: clients.c. What connections do, and the memory of calls ---- */
/* Sends a call, or is silent; waits for the answer; reads it. */
enum phase { PHASE_CLOSED, PHASE_SENDS, PHASE_WAITS, PHASE_READS };

/* Sets the longest time of sending and of reading. Returns how many connections HTTP may have. */
size_t clients_start(double seconds);

/* Begins a phase. If too many connections are open, one is closed. */
void clients_set(int fd, enum phase phase);

/* To be called often: closes connections whose time is over, and if answers that wait to be read
 * have half of the memory, those of which nothing was received for a second. */
void clients_sweep(void);

/* Counts bytes for a call before they are allocated: bodies, parsed ones, tokens, rows, answers.
 * Returns false after call_fail if the call shall not have them. The second counts no others. */
bool call_hold(struct call *call, size_t n_more);
void call_keep(struct call *call, size_t n);

/* ---- Access: access.c ---- */
/* Reads the API keys, one a line; path NULL: none is asked for. Returns false after a message; then
 * the old ones are in force. */
bool access_read_keys(const char *path);
bool access_has_key(const char *authorization); /* "Bearer KEY" */

/* If the socket listens on loopback, headers Host and Origin (NULL: absent) must be of this machine
 * or in options.hosts. */
void access_start(int socket, const struct serve_options *options);
bool access_allows(const char *host, const char *origin);

/* Returns whether pages of that origin may read answers: of a server on loopback those of this
 * machine and of allowed hosts. */
bool access_shares(const char *origin);

/* ---- HTTP: http.c, whose threads receive, read short bodies, and write ---- */
/* Serves on a listening socket. Ends the program if that fails. */
void http_start(int socket, const struct serve_options *options);

/* Accepts no connection any more, and lets none have another call. Returns true if no call is open,
 * and then closes all connections. */
bool http_drain(void);
bool http_is_draining(void);

/* ---- Metrics and the log: metrics.c ---- */
/* Count an ended call, and print its line; count a batch. Writes the counts, returns their type. */
void metrics_end_call(const struct call *call, enum log_format format);
void metrics_add_batch(size_t n_texts, size_t n_tokens);
const char *metrics_write(FILE *stream);

#endif
