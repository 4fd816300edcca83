/* queue.c - see serve.h. */
#include "tools/common/alloc.h"
#include "tools/serve/serve.h"

#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of one answer, and of a batch. */
enum { MOST_NUMBERS = 8 << 20, MOST_BATCH_NUMBERS = 4 << 20 };

atomic_size_t queue_tokens, queue_held;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t added;
    struct call *first, **end;
    size_t most_tokens, most_in_batch;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .added = PTHREAD_COND_INITIALIZER};

/* What one call of the engine computes: n texts of each call, from its n_done on. */
struct batch {
    struct share {
        struct call *call;
        size_t n;
    } shares[MOST_TEXTS];
    engine_input inputs[MOST_TEXTS];
    size_t n_shares, n_inputs, n_tokens, n_rows;
    float *rows;
};

bool queue_admit(struct call *call)
{
    const size_t n_rows = call->is_per_token ? call->n_tokens : call->n_texts;
    const size_t n = n_rows * call->width, n_tokens = queue_tokens;
    if (n > MOST_NUMBERS)
        return call_fail(call, FAULT_MANY, "the answer would have %zu numbers; at most %d are sent",
                         n, MOST_NUMBERS);
    if ((n_tokens > 0 && n_tokens + call->n_tokens > queue.most_tokens) ||
        queue_held + n * sizeof(float) > MOST_HELD)
        return call_fail(call, FAULT_BUSY, "the server is busy: %zu tokens wait; try again later",
                         n_tokens);
    queue_tokens += call->n_tokens;
    queue_held += n * sizeof *call->rows;
    call->n_held += n * sizeof *call->rows;
    call->rows = alloc_zeros(n, sizeof *call->rows);
    call->options.max_tokens = 0; /* its tokens have them: no other call of the batch shall */
    call->options.prompt = "";
    return true;
}

void queue_add(struct call *call)
{
    call->queued = program_seconds();
    pthread_mutex_lock(&queue.lock);
    *(queue.first ? queue.end : &queue.first) = call;
    queue.end = &call->next;
    pthread_cond_signal(&queue.added);
    pthread_mutex_unlock(&queue.lock);
}

/* Removes the calls that are done, have failed, or have no client, and resumes their connections:
 * they may be freed by then. Called with the lock. */
static void finish_calls(void)
{
    for (struct call **at = &queue.first; *at;) {
        struct call *call = *at;
        if (call->n_done < call->n_texts && call->fault == FAULT_NONE && !call->is_gone) {
            queue.end = at = &call->next;
            continue;
        }
        *at = call->next;
        for (size_t i = call->n_done; i < call->n_texts; i++)
            queue_tokens -= call->texts[i].n;
        MHD_resume_connection(call->connection);
    }
}

static bool has_hung_up(const struct call *call)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(call->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return poll(&(struct pollfd){.fd = info->connect_fd, .events = POLLRDHUP}, 1, 0) > 0;
}

/* Returns whether the engine can compute two calls at once. */
static bool are_alike(const struct call *a, const struct call *b)
{
    const engine_encode_options *x = &a->options, *y = &b->options;
    return a->model == b->model && (a->work == WORK_LABELS) == (b->work == WORK_LABELS) &&
           a->by_pairs == b->by_pairs && x->pooling == y->pooling && x->normalize == y->normalize &&
           x->raw_scores == y->raw_scores && x->dimensions == y->dimensions;
}

/* Adds texts of a call until the batch is full; the first text always fits. */
static void add_share(struct batch *batch, struct call *call)
{
    size_t n = 0;
    for (size_t i = call->n_done; i < call->n_texts && batch->n_inputs < MOST_TEXTS; i++, n++) {
        const struct text *text = &call->texts[i];
        const size_t n_rows = batch->n_rows + (call->is_per_token ? text->n : 1);
        if (batch->n_inputs > 0 && (batch->n_tokens + text->n > queue.most_in_batch ||
                                    n_rows * call->width > MOST_BATCH_NUMBERS))
            break;
        batch->inputs[batch->n_inputs++] =
            (engine_input){.tokens = call->tokens + text->first, .n_tokens = text->n};
        batch->n_tokens += text->n;
        batch->n_rows = n_rows;
    }
    if (n > 0)
        batch->shares[batch->n_shares++] = (struct share){call, n};
}

/* Fills the batch with the first call, and what of the others can be computed with it. Called with
 * the lock. */
static void fill_batch(struct batch *batch)
{
    const struct call *first = NULL;
    const double now = program_seconds();
    batch->n_shares = batch->n_inputs = batch->n_tokens = batch->n_rows = 0;
    for (struct call *call = queue.first; call; call = call->next) {
        if (first && !are_alike(first, call))
            continue;
        if (first && (batch->n_tokens >= queue.most_in_batch || batch->n_inputs == MOST_TEXTS))
            break;
        call->is_gone = has_hung_up(call);
        if (call->is_gone)
            continue;
        first = first ? first : call;
        call->started = call->started > 0 ? call->started : now;
        add_share(batch, call);
    }
}

/* One wrong text fails its call; the others are computed again without it. */
static void fail_share(struct batch *batch, const engine_error *error)
{
    size_t first = 0;
    for (size_t i = 0; i < batch->n_shares; i++) {
        struct call *call = batch->shares[i].call;
        if (error->input == ENGINE_NO_INPUT)
            call_fail(call, FAULT_ENGINE, "%s", error->message);
        else if (error->input >= first && error->input < first + batch->shares[i].n)
            call_fail(call, FAULT_ENGINE, "%s%s",
                      call_text_name(call, call->n_done + error->input - first),
                      error->message + error->name_len);
        first += batch->shares[i].n;
    }
    batch->n_shares = 0;
}

/* Gives the calls of a batch their rows. */
static void compute(struct batch *batch)
{
    const struct call *alike = batch->shares[0].call;
    const size_t n_numbers = batch->n_rows * alike->width;
    engine_session *session = alike->model->session;
    batch->rows = alloc_resize(batch->rows, n_numbers, sizeof *batch->rows);
    metrics_add_batch(batch->n_inputs, batch->n_tokens);
    if ((alike->by_pairs              ? engine_score_pairs
         : alike->work == WORK_LABELS ? engine_classify
                                      : engine_encode)(session, batch->inputs, batch->n_inputs,
                                                       &alike->options, batch->rows, n_numbers,
                                                       NULL, NULL) != ENGINE_OK) {
        fail_share(batch, engine_session_error(session));
        return;
    }
    const float *row = batch->rows;
    for (size_t i = 0; i < batch->n_shares; i++) {
        struct call *call = batch->shares[i].call;
        const struct text *first = &call->texts[call->n_done],
                          *last = first + batch->shares[i].n - 1;
        const size_t at = call->is_per_token ? first->first : call->n_done;
        const size_t n_rows = call->is_per_token ? last->first + last->n - at : batch->shares[i].n;
        memcpy(call->rows + at * call->width, row, n_rows * call->width * sizeof *row);
        row += n_rows * call->width;
    }
}

_Noreturn static void *work(void *unused)
{
    static struct batch batch;
    (void)unused;
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        while (!queue.first)
            pthread_cond_wait(&queue.added, &queue.lock);
        fill_batch(&batch);
        pthread_mutex_unlock(&queue.lock);
        if (batch.n_shares > 0)
            compute(&batch);
        pthread_mutex_lock(&queue.lock);
        for (size_t i = 0; i < batch.n_shares; i++)
            for (size_t j = 0; j < batch.shares[i].n; j++)
                queue_tokens -= batch.shares[i].call->texts[batch.shares[i].call->n_done++].n;
        finish_calls();
    }
}

void queue_start(size_t most_waiting, size_t most_in_batch)
{
    pthread_t thread;
    queue.most_tokens = most_waiting;
    queue.most_in_batch = most_in_batch;
    if (pthread_create(&thread, NULL, work, NULL) != 0)
        program_die("cannot start a thread");
}
