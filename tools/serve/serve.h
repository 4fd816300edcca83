/* serve.h - encode-serve: the models, a call from its body to its answer, the queue of calls that
 * wait to be computed, and HTTP. */
#ifndef TOOLS_SERVE_H
#define TOOLS_SERVE_H

#include "engine/engine.h"
#include "tools/common/options.h"

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

enum { MOST_MODELS = 64, MOST_CONNECTIONS = 1000, HTTP_THREADS = 4, MOST_HELD = 64 << 20 };
enum { MOST_TEXTS = 2048, MOST_TOKENS = 300000, MOST_BODY_BYTES = 2 << 20 }; /* of one call */

/* ---- The command line: serve_options.c ---- */
struct serve_options {
    const char *models[MOST_MODELS]; /* FILE or NAME=FILE, [n_models]; none: the default */
    size_t n_models, n_threads, queue_tokens, batch_tokens, timeout;
    const char *listen, *key_file; /* key_file NULL: no key is asked for */
    enum log_format { LOG_TEXT, LOG_JSON, LOG_NONE } log;
};

/* Reads the command line. The help, the version and errors end the program. */
void serve_options_read(struct serve_options *options, int argc, char **argv);

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
    WORK_RANKS,   /* by labels of pairs, or by vectors: the query's, then the texts' */
    WORK_COSINES, /* of the first text and each other */
    WORK_TOKENS
};

struct model {
    char *name;
    engine_model *model;
    engine_info info;
    engine_session *session;               /* of the thread that computes */
    engine_session *readers[HTTP_THREADS]; /* for tokens alone */
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

enum fault {
    FAULT_NONE,
    FAULT_INPUT,  /* the body is not JSON, or a field is missing or wrong */
    FAULT_LENGTH, /* a text is too long */
    FAULT_MANY,   /* too many texts, tokens or numbers for one call */
    FAULT_MODEL,  /* no model of that name */
    FAULT_KEY,    /* the API key is missing or wrong */
    FAULT_PATH,
    FAULT_METHOD,
    FAULT_LARGE,  /* the body has too many bytes */
    FAULT_BUSY,   /* the queue is full */
    FAULT_UNABLE, /* the model has no such answer */
    FAULT_ENGINE,
    FAULT_ENDING,
    N_FAULTS
};

struct route {
    const char *method, *path; /* a path that ends in '/' is that of all below it, too */
    enum dialect dialect;
    enum work work;
    const char *key;    /* of the texts in the body */
    const char *answer; /* see answers.c */
};

struct text {
    size_t first, n; /* of the call's tokens */
};

struct call {
    struct MHD_Connection *connection;
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
    float *rows; /* [n_texts or n_tokens, width] */
    size_t width, top;
    bool is_per_token, by_pairs;                    /* by_pairs: ranks are labels of pairs */
    bool is_single, is_base64, with_texts, is_gone; /* is_gone: the client has hung up */

    struct call *next;             /* in the queue */
    size_t n_done, n_held;         /* texts that have their rows; numbers that are counted for it */
    double began, queued, started; /* seconds of program_seconds; 0: not yet */

    enum fault fault;
    char message[512];
    unsigned status;
    const char *type;
    char *answer; /* [answer_len] */
    size_t answer_len;
};

/* Sets the error that is the answer. Returns false. */
bool call_fail(struct call *call, enum fault fault, const char *format, ...) PROGRAM_PRINTF(3, 4);

/* Returns the route of a path, with another method if there is none with this one; else NULL. */
const struct route *call_route(const char *method, const char *path);

/* Set the call's route and dialect; parse the body, find the model, and tokenize. Return false
 * after call_fail. Write the answer, or the error in the caller's dialect. */
bool call_find_route(struct call *call);
bool call_read(struct call *call);
void call_answer(struct call *call);

/* ---- The queue: queue.c ---- */
/* Starts the thread that computes. It takes what waits, first come, first served, up to a number of
 * tokens: calls share a batch when the machine is busy, and none waits when it is not. It resumes
 * the connection of a call that has its rows or has failed, or whose client has hung up. */
void queue_start(size_t most_waiting, size_t most_in_batch);

/* Counts a call, or returns false after call_fail if too much waits; adds it when its connection is
 * suspended. */
bool queue_admit(struct call *call);
void queue_add(struct call *call);

/* Tokens that wait or are computed; numbers of answers and, by their bytes, of bodies. */
extern atomic_size_t queue_tokens, queue_numbers;

/* ---- HTTP: http.c, whose threads read, parse, tokenize and write ---- */
/* Serves on a listening socket. Ends the program if that fails. */
void http_start(int socket, const struct serve_options *options);

/* Reads the API keys, one a line; path NULL: none is asked for. Returns false after a message; then
 * the old ones are in force. */
bool http_read_keys(const char *path);

/* Accepts no connection any more, and lets none have another call. Returns true if no call is open,
 * and then closes all connections. */
bool http_drain(void);

/* ---- Metrics and the log: metrics.c ---- */
/* Count an ended call, and print its line; count a batch. Writes the counts, returns their type. */
void metrics_end_call(const struct call *call, enum log_format format);
void metrics_add_batch(size_t n_texts, size_t n_tokens);
const char *metrics_write(FILE *stream);

#endif
