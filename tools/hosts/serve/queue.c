/* queue.c - see serve.h. */
#include "tools/common/alloc.h"
#include "tools/hosts/serve/serve.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of one answer, and of a batch. Calls of few tokens have a quarter of the queue more, so
 * that large calls do not shut them out. */
enum { MOST_NUMBERS = 8 << 20, MOST_BATCH_NUMBERS = 4 << 20, FEW_TOKENS = 1024 };

atomic_size_t queue_tokens;

/* Calls that wait, the first one longest. */
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t added;
    struct call *first, **end;
};

#define QUEUE                                                                                      \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .added = PTHREAD_COND_INITIALIZER                       \
    }
static struct queue unread = QUEUE, queue = QUEUE;
static size_t most_tokens, most_in_batch;

/* What one call of the engine computes: n_computed texts of each call, from its n_done on. */
struct batch {
    struct call *calls[MOST_CONNECTIONS * 2];
    engine_input inputs[MOST_TEXTS];
    size_t n_calls, n_inputs, n_tokens, n_rows;
    float *rows;
};

bool queue_admit(struct call *call)
{
    if (!call_read(call) || call->width == 0 || call->rows)
        return false;
    const size_t n_rows = call->is_per_token ? call->n_tokens : call->n_texts;
    const size_t n = n_rows * call->width, n_tokens = queue_tokens;
    if (n > MOST_NUMBERS)
        return call_fail(call, FAULT_MANY, "the answer would have %zu numbers; at most %d are sent",
                         n, MOST_NUMBERS);
    const size_t more = call->n_tokens <= FEW_TOKENS ? most_tokens / 4 : 0;
    if (n_tokens > 0 && n_tokens + call->n_tokens > most_tokens + more)
        return call_fail(call, FAULT_BUSY, "the server is busy: %zu tokens wait; try again later",
                         n_tokens);
    if (!call_hold(call, n * sizeof *call->rows) || !call_hold_answer(call))
        return false;
    queue_tokens += call->n_tokens;
    call->rows = alloc_zeros(n, sizeof *call->rows);
    call->options.max_tokens = 0; /* its tokens have them: no other call of the batch shall */
    call->options.prompt = "";
    return true;
}

static void add(struct queue *to, struct call *call)
{
    call->queued = program_seconds();
    call->next = NULL;
    pthread_mutex_lock(&to->lock);
    *(to->first ? to->end : &to->first) = call;
    to->end = &call->next;
    pthread_cond_signal(&to->added);
    pthread_mutex_unlock(&to->lock);
}

void queue_add(struct call *call)
{
    add(&queue, call);
}

void queue_read(struct call *call)
{
    add(&unread, call);
}

_Noreturn static void *read_calls(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&unread.lock);
        while (!unread.first)
            pthread_cond_wait(&unread.added, &unread.lock);
        struct call *call = unread.first;
        unread.first = call->next;
        pthread_mutex_unlock(&unread.lock);
        if (queue_admit(call))
            queue_add(call);
        else
            MHD_resume_connection(call->connection);
    }
}

/* Removes the calls that are done, have failed, or have no client, and resumes their connections:
 * they may be freed by then. Those that have had their turn go to the end. Called with the lock. */
static void finish_calls(void)
{
    struct call *served = NULL, **served_end = &served, **at = &queue.first;
    while (*at) {
        struct call *call = *at;
        const bool had_turn = call->n_computed > 0;
        call->n_computed = 0;
        if (call->n_done == call->n_texts || call->fault != FAULT_NONE || call->is_gone) {
            *at = call->next;
            for (size_t i = call->n_done; i < call->n_texts; i++)
                queue_tokens -= call->texts[i].n;
            MHD_resume_connection(call->connection);
        } else if (had_turn) {
            *at = call->next;
            call->next = NULL;
            *served_end = call;
            served_end = &call->next;
        } else {
            at = &call->next;
        }
    }
    *at = served;
    queue.end = served ? served_end : at;
}

/* Returns whether the engine can compute two calls at once. */
static bool are_alike(const struct call *a, const struct call *b)
{
    const engine_encode_options *x = &a->options, *y = &b->options;
    return a->model == b->model && (a->work == WORK_LABELS) == (b->work == WORK_LABELS) &&
           a->by_pairs == b->by_pairs && x->pooling == y->pooling && x->normalize == y->normalize &&
           x->raw_scores == y->raw_scores && x->dimensions == y->dimensions;
}

/* Counts the next text of a call for the batch, if it fits; the first text always does. */
static bool add_text(struct batch *batch, struct call *call)
{
    const size_t i = call->n_done + call->n_computed;
    if (i == call->n_texts || batch->n_inputs == MOST_TEXTS)
        return false;
    const size_t n_tokens = batch->n_tokens + call->texts[i].n;
    const size_t n_rows = batch->n_rows + (call->is_per_token ? call->texts[i].n : 1);
    if (batch->n_inputs > 0 &&
        (n_tokens > most_in_batch || n_rows * call->width > MOST_BATCH_NUMBERS))
        return false;
    batch->n_inputs++;
    batch->n_tokens = n_tokens;
    batch->n_rows = n_rows;
    call->n_computed++;
    return true;
}

/* Fills the batch with the first call and those that can be computed with it, a text of each in
 * turn. Called with the lock. */
static void fill_batch(struct batch *batch)
{
    const double now = program_seconds();
    bool has_grown = true;
    batch->n_calls = batch->n_inputs = batch->n_tokens = batch->n_rows = 0;
    for (struct call *call = queue.first; call; call = call->next) {
        call->is_gone = call_has_hung_up(call);
        if (!call->is_gone && (batch->n_calls == 0 || are_alike(batch->calls[0], call)))
            batch->calls[batch->n_calls++] = call;
    }
    while (has_grown) {
        has_grown = false;
        for (size_t i = 0; i < batch->n_calls; i++)
            has_grown |= add_text(batch, batch->calls[i]);
    }
    engine_input *input = batch->inputs;
    for (size_t i = 0; i < batch->n_calls; i++) {
        struct call *call = batch->calls[i];
        const struct text *text = &call->texts[call->n_done];
        call->started = call->started > 0 || call->n_computed == 0 ? call->started : now;
        for (size_t k = 0; k < call->n_computed; k++, text++)
            *input++ = (engine_input){.tokens = call->tokens + text->first, .n_tokens = text->n};
    }
}

/* One wrong text fails its call; the others are computed again without it. */
static void fail_text(struct batch *batch, const engine_error *error)
{
    size_t first = 0;
    for (size_t i = 0; i < batch->n_calls; i++) {
        struct call *call = batch->calls[i];
        if (error->input == ENGINE_NO_INPUT)
            call_fail(call, FAULT_ENGINE, "%s", error->message);
        else if (error->input >= first && error->input < first + call->n_computed)
            call_fail(call, FAULT_ENGINE, "%s%s",
                      call_text_name(call, call->n_done + error->input - first),
                      error->message + error->name_len);
        first += call->n_computed;
    }
    batch->n_calls = 0;
}

/* Gives the calls of a batch their rows. */
static void compute(struct batch *batch)
{
    const struct call *alike = batch->calls[0];
    const size_t n_numbers = batch->n_rows * alike->width;
    engine_session *session = alike->model->session;
    batch->rows = alloc_resize(batch->rows, n_numbers, sizeof *batch->rows);
    metrics_add_batch(batch->n_inputs, batch->n_tokens);
    if ((alike->by_pairs              ? engine_score_pairs
         : alike->work == WORK_LABELS ? engine_classify
                                      : engine_encode)(session, batch->inputs, batch->n_inputs,
                                                       &alike->options, batch->rows, n_numbers,
                                                       NULL, NULL) != ENGINE_OK) {
        fail_text(batch, engine_session_error(session));
        return;
    }
    const float *row = batch->rows;
    for (size_t i = 0; i < batch->n_calls; i++) {
        struct call *call = batch->calls[i];
        const struct text *first = &call->texts[call->n_done], *last = first + call->n_computed;
        if (first == last)
            continue;
        const size_t at = call->is_per_token ? first->first : call->n_done;
        const size_t n_rows =
            call->is_per_token ? last[-1].first + last[-1].n - at : call->n_computed;
        memcpy(call->rows + at * call->width, row, n_rows * call->width * sizeof *row);
        row += n_rows * call->width;
    }
}

_Noreturn static void *compute_calls(void *unused)
{
    static struct batch batch;
    (void)unused;
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        while (!queue.first)
            pthread_cond_wait(&queue.added, &queue.lock);
        fill_batch(&batch);
        pthread_mutex_unlock(&queue.lock);
        if (batch.n_calls > 0)
            compute(&batch);
        pthread_mutex_lock(&queue.lock);
        for (size_t i = 0; i < batch.n_calls; i++)
            for (size_t k = 0; k < batch.calls[i]->n_computed; k++)
                queue_tokens -= batch.calls[i]->texts[batch.calls[i]->n_done++].n;
        finish_calls();
    }
}

void queue_start(size_t most_waiting, size_t most_at_once)
{
    pthread_t thread;
    most_tokens = most_waiting;
    most_in_batch = most_at_once;
    for (int i = 0; i <= READERS; i++)
        if (pthread_create(&thread, NULL, i < READERS ? read_calls : compute_calls, NULL) != 0)
            program_die("cannot start a thread");
}
