/* session.h - one thread's working memory: a single block, carved by one function.
 *
 * The rows of several sequences stand end to end in a group ([rows, D], no padding), which goes
 * through the model once. The pass is the memory for them: one group of all its rows, or one in
 * each thread's part of it.
 */
#ifndef ENGINE_SESSION_H
#define ENGINE_SESSION_H

#include "engine/model.h"
#include "engine/runtime/profile.h"
#include "engine/runtime/team.h"
#include "model/layers/embedding.h"
#include "model/layers/position.h"

#include <pthread.h>

enum {
    ROWS_PER_THREAD = 192, /* of a group of many short texts: they stay in the second-level cache */
    ROWS_OF_TEXT = 512,    /* texts up to here fit into each thread's part of the pass */
};

/* One input's place in a pass. */
struct sequence {
    size_t row, n_rows;    /* its tokens, padding left out */
    size_t input;          /* index in the call */
    size_t out_row, n_out; /* per-token output: its rows, padding included */
    size_t n_vectors;      /* of its tokens, where the request gives vectors */
};

#define NO_ROW UINT32_MAX /* in out_offsets: the token has no vector */

/* What a team takes through the model by itself. */
struct group {
    size_t sequence, n_sequences;
    size_t row, n_rows;
};

struct pass {
    size_t row_cap;
    int32_t *ids, *types; /* [rows] */
    uint32_t *positions;  /* [rows] p */
    uint32_t *lengths; /* [rows] T of the row's sequence, from its first to its last token there */
    uint32_t *out_offsets;      /* [rows] place among the sequence's output rows, or NO_ROW */
    struct sequence *sequences; /* [row_cap] */
    struct group *groups;       /* [threads] */
    size_t n_groups;            /* of those that are walked together */

    float *x;     /* [rows, D]: the residual stream */
    float *y;     /* [rows, D or H·K]: what a sublayer reads, and what attention gives */
    float *wide;  /* q, k, v; then the feed-forward layer's middle [rows, F or 2F] */
    float *turns; /* [rows, rotary_width]: cosines and sines of the angles by which rotary positions
                     turn a row's queries and keys, in layers that see all tokens; or NULL */
    float *local_turns; /* the same in layers with a window; turns, where the bases are the same */
    int8_t *quantized;  /* [rows, quantized_stride]: what a layer in int8 reads, or NULL */
    struct quantization *quantization; /* [rows] */
    float *scratch;                    /* [threads, scratch_floats] */
    size_t width_stride, wide_stride, quantized_stride, scratch_floats;

    float *trace_view; /* [T, columns] and [H, T, T], where the session traces */
    float *attention_maps;
};

enum { RANK_VECTORS = 33 };

struct engine_session {
    const engine_model *model;
    engine_error error;
    engine_error weights; /* what verifying them said when an answer first was not finite */
    atomic_bool is_busy;  /* a call is at work */
    size_t n_threads, max_tokens, block_bytes;
    struct embedding embedding;
    struct position_encoding encoding; /* what embedding.rows are computed from */
    float *position_rows;              /* embedding.rows; NULL: the scheme has none */
    float *frequencies;                /* encoding.frequencies, where the options gave any */
    size_t n_position_rows;            /* that are computed */
    enum mask_kind mask;
    bool profiles;
    unsigned trace;
    engine_trace_callback trace_callback;
    void *trace_user;

    struct token *tokens; /* [max_tokens] of one text */
    void *token_scratch;
    char *prompted; /* [prompted_cap] a text behind its prompt; its own block, NULL at first */
    size_t prompted_cap;
    float *rank_vectors;     /* [RANK_VECTORS, output width]: engine_rank's query, and some texts */
    float *query_vectors;    /* [max_tokens, W]: of engine_rank's query, or NULL: there are none */
    struct barrier barrier;  /* where a call's threads meet */
    uint64_t alone_until_ns; /* one thread takes each pass: several would take turns */
    uint64_t pause_ns;       /* how long that was the last time; 0: several were worth it */
    pthread_mutex_t lock;    /* of the call that the threads take inputs from */
    struct profile_slot *profile; /* [threads], or NULL: nobody asked */
    struct pass pass;
};

/* Every public function that works with a session begins and ends so, most of them by SESSION_CALL.
 * False: it is NULL, or another call has begun and not ended; the refusal says which. */
bool session_begin(engine_session *session);
engine_status session_refusal(const engine_session *session);
engine_status session_end(engine_session *session, engine_status status);
#define SESSION_CALL(session, call)                                                                \
    (session_begin(session) ? session_end(session, call) : session_refusal(session))

/* The options as far as the caller's struct_bytes says that they go; the rest is zero. `given` may
 * be NULL. */
engine_status read_session_options(const engine_session_options *given,
                                   engine_session_options *options, engine_error *error);

/* Scheme, factors, base and frequencies for rows of `width` columns; frequencies that the options
 * give are borrowed. Without a model (NULL), options alone. */
engine_status choose_positions(const engine_model *model, const engine_session_options *options,
                               size_t width, struct position_encoding *encoding,
                               engine_error *error);

/* Makes sure that computed positions 0 .. n-1 are there: they are computed when a text first needs
 * them. Called under the lock; rows that are there do not change. */
void session_positions(engine_session *session, size_t n);

#endif
