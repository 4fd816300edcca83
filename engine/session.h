/* session.h - one thread's working memory: a single block, carved by one function.
 *
 * The rows of several sequences are stored end to end in a group ([rows, D], no padding), which
 * passes through the model once. The pass is the memory for them: one group of all its rows, or one
 * group per thread.
 */
#ifndef ENGINE_SESSION_H
#define ENGINE_SESSION_H

#include "engine/model.h"
#include "engine/runtime/machine.h"
#include "model/layers/attention.h"
#include "model/layers/embedding.h"
#include "model/layers/head.h"
#include "model/layers/search/sparse.h"

#include <pthread.h>

enum {
    ROWS_PER_THREAD = 192, /* of a group of many short texts: they stay in the second-level cache */
    ROWS_OF_TEXT = 512,    /* texts up to this length fit into each thread's part of the pass */
};

/* One input's rows in a pass. */
struct sequence {
    size_t row, n_rows;    /* its tokens, without padding */
    size_t input;          /* index in the call */
    size_t out_row, n_out; /* per-token output: its rows, including padding */
    size_t n_vectors;      /* vectors of its tokens, if the request asks for them */
    size_t n_unseen;       /* its last rows, fillers that attention does not see */
    size_t n_unpooled;     /* its first rows, which the model's own pooling leaves out */
};

#define NO_ROW UINT32_MAX /* in out_offsets: the token has no vector */

/* Rows that a team computes by itself. */
struct group {
    size_t sequence, n_sequences;
    size_t row, n_rows;
    size_t index; /* among the groups that run together */
};

/* One thread's memory: for the steps of a pass, and for answers. */
struct thread_work {
    float *row; /* [E] */
    struct linear_work linear;
    struct attention_work attention;
    float *pooled, *logits;
    struct head_work head;
    float *vectors; /* [TOKEN_VECTOR_ROWS, W] of tokens */
    float *best;    /* [max_tokens] products of a query's vectors */
    struct linear_work of_vectors;
    struct sparse_work sparse;
};

struct pass {
    size_t row_cap;
    int32_t *ids, *types;       /* [rows] */
    uint32_t *positions;        /* [rows] p */
    uint32_t *lengths;          /* [rows] T of the row's sequence: the unpadded span */
    uint32_t *out_offsets;      /* [rows] index among the sequence's output rows, or NO_ROW */
    struct sequence *sequences; /* [row_cap] */
    struct group *groups;       /* [threads] */
    size_t n_groups;            /* number of groups that run together */

    float *x;         /* [rows, D]: the residual stream */
    float *y;         /* [rows, D or H·K]: input of a sublayer, and output of attention */
    float *wide;      /* q, k, v; then the feed-forward layer's middle [rows, F or 2F] */
    float *embedding; /* [row_cap, width_stride], with layer_input; or NULL */
    float *turns; /* [rows, rotary_width]: cosines and sines of the angles by which rotary positions
                     rotate a row's queries and keys, in layers that see all tokens; or NULL */
    float *local_turns; /* the same for layers with a window; turns if they are alike */
    int8_t *quantized;  /* [rows, quantized_stride]: input of a layer in int8, or NULL */
    struct quantization *quantization; /* [rows] */
    uint16_t *rounded; /* [rows, or k · rows, + 16 * threads, rounded_stride]: input of a layer in
                          bfloat16; each group has 16 rows more than its own (rounded_row) */
    /* With experts, of which each row uses k; or NULL. */
    int32_t *chosen;           /* [k · rows] a row's experts; then its rows of `gathered` */
    float *shares;             /* [k · rows] of these experts */
    size_t *expert_starts;     /* [threads, experts + 1] where each has its rows, of each group */
    float *gathered;           /* [k · rows, D]: rows in the order of experts, and their results */
    float *expert_middle;      /* [k · rows, F] */
    struct thread_work *works; /* [threads] */
    size_t width_stride, wide_stride, quantized_stride, rounded_stride;

    float *trace_view; /* [T, columns] and [H, T, T], if the session traces */
    float *attention_maps;
};

enum { RANK_VECTORS = 33 };

struct engine_session {
    const engine_model *model;
    engine_session_options options; /* the caller's; what its pointers point at may be gone */
    engine_error error;
    engine_error weights; /* result of verifying them, once an answer was not finite */
    atomic_bool is_busy;  /* during a call */
    /* The call is to end. Within a call it only changes from false to true, so that threads that
     * meet see the same or more: results that one skipped are read by none. */
    atomic_bool is_interrupted;
    pthread_t caller; /* the thread of the call */
    int cancel_state; /* the calling thread's, which has cancellation disabled during the call */
    _Atomic size_t n_done; /* of the call's inputs */
    size_t n_inputs;
    size_t n_threads, max_tokens;
    struct embedding embedding;
    float *frequencies;     /* those of the embedding's positions, copied */
    size_t n_position_rows; /* rows of the embedding computed so far */
    enum mask_kind mask;

    engine_token *tokens; /* [max_tokens] of one text */
    void *token_scratch;
    char *prompted; /* [prompted_cap] a prompt and its text; its own block, NULL at first */
    size_t prompted_cap;
    float *rank_vectors;    /* [RANK_VECTORS, output width]: engine_rank's query, and some texts */
    float *query_vectors;   /* [max_tokens, W]: of engine_rank's query; NULL without such
                                vectors */
    struct barrier barrier; /* where a call's threads wait for each other */
    struct sharing sharing;
    pthread_mutex_t lock; /* of the call from which the threads read inputs */
    struct pass pass;
};

/* Every public function that works with a session begins with
 *
 *     ENDS_WITH(session_end) engine_session *call = session_begin(session);
 *     if (call == NULL)
 *         return session_refusal(session);
 *
 * and its call ends wherever it returns. session_begin returns NULL if the session is NULL or in
 * use; session_refusal says which. */
#define ENDS_WITH(function) __attribute__((cleanup(function)))
engine_session *session_begin(engine_session *session);
engine_status session_refusal(const engine_session *session);
void session_end(engine_session **call);

static inline bool is_interrupted(const engine_session *session)
{
    return atomic_load_explicit(&session->is_interrupted, memory_order_relaxed);
}

/* Returns the last hidden state of a row of the pass, [D]. */
static inline const float *hidden_row(const engine_session *session, size_t row)
{
    return session->pass.x + row * session->pass.width_stride;
}

/* A thread's share of 0 .. n-1: begin .. end-1, contiguous, as even as possible; nothing after an
 * interruption, so that steps end soon and all threads still meet. */
struct share {
    size_t begin, end;
};
struct share session_share(const engine_session *session, struct team team, size_t n);

/* Reports the call's progress to the host, on its thread. */
void session_report(engine_session *session);

/* Computes positions 0 .. n-1 unless they exist: they are computed when a text first needs them.
 * Called under the lock; existing rows do not change. */
void session_positions(engine_session *session, size_t n);

#endif
