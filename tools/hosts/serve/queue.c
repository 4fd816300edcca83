/* queue.c - see queue.h. */
#include "tools/hosts/serve/queue.h"
#include "tools/common/alloc.h"
#include "tools/hosts/serve/access.h"
#include "tools/hosts/serve/answers.h"
#include "tools/hosts/serve/metrics.h"
#include "tools/hosts/serve/read.h"

#include <math.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of one answer, and of a batch. Calls of few tokens have a quarter of the queue more, so
 * that large calls do not shut them out. */
enum { MOST_NUMBERS = 8 << 20, MOST_BATCH_NUMBERS = 4 << 20, FEW_TOKENS = 1024 };

/* Calls that wait, the first one longest. */
static struct queue {
    pthread_mutex_t lock;
    pthread_cond_t added;
    struct call *first, **end;
} unread = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL},
  queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL};
static size_t most_tokens, most_in_batch;

/* What one call of the engine computes: inputs[i] is a text of the call owners[i]. */
struct call_batch {
    struct call *calls[MOST_CONNECTIONS * 2], *owners[MOST_TEXTS];
    engine_input inputs[MOST_TEXTS];
    size_t texts[MOST_TEXTS], n_calls, n_inputs, n_tokens, n_rows;
    float *rows;
};

/* Returns the number of rows of the texts before that one. */
static size_t rows_before(const struct request *request, size_t text)
{
    return request->is_per_token ? request->texts[text].first : text;
}

/* What is traced of a text of n tokens. */
struct steps {
    float *norms, *moved, *maps; /* [layers + 1, n], [layers, n], [layers * heads * n, n] */
    float *last;                 /* [n, width], the hidden states of the step before */
};

static void add_step(const engine_trace_view *view, void *user)
{
    const struct steps *steps = user;
    const size_t n = view->n_tokens, width = view->width, n_weights = view->n_heads * n * n;
    if (view->kind == ENGINE_TRACE_ATTENTION) {
        memcpy(steps->maps + view->index * n_weights, view->values, n_weights * sizeof(float));
        return;
    }
    for (size_t t = 0; t < n; t++) {
        const float *row = view->values + t * width, *last = steps->last + t * width;
        double norm = 0, moved = 0;
        for (size_t i = 0; i < width; i++) {
            norm += (double)row[i] * row[i];
            moved += ((double)row[i] - last[i]) * ((double)row[i] - last[i]);
        }
        steps->norms[view->index * n + t] = (float)sqrt(norm);
        if (view->index > 0)
            steps->moved[(view->index - 1) * n + t] = (float)sqrt(moved);
    }
    memcpy(steps->last, view->values, n * width * sizeof(float));
}

/* Computes the steps of a text and its vector, if it has one, at once, with a session of its own:
 * for the page. */
static bool compute_steps(struct call *call)
{
    enum { MOST_SHOWN = 128 };
    struct request *request = &call->request;
    const engine_model *model = request->model->model;
    const engine_info *info = &request->model->info;
    const size_t n = request->n_tokens, n_layers = info->n_layers;
    const engine_input input = {.tokens = request->tokens, .n_tokens = n};
    engine_encode_options options =
        ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_TEXT, .role = request->options.role);
    engine_session *session = NULL;
    engine_shape shape = ENGINE_SHAPE();
    engine_error error;
    if (request->n_texts > 1 || n > MOST_SHOWN || n == 0)
        return request_fail(request, FAULT_INPUT, "`inputs` must be a text of 1 to %d tokens",
                            MOST_SHOWN);
    if (engine_shape_of(model, &options, &shape, &error) == ENGINE_OK && !shape.per_token &&
        shape.pooling != ENGINE_POOLING_SPARSE)
        request->width = shape.width;
    else
        options.pooling = ENGINE_POOLING_MEAN;
    const size_t n_numbers = answer_step_rows(request) * n, width = request->width + info->width,
                 n_all = n_numbers + width + n * info->width;
    if (!request_hold(request, request->n_held + n_all * sizeof(float)))
        return false;
    float *rows = call->result.rows = alloc_zeros(n_all, sizeof *rows);
    struct steps steps = {rows, rows + (n_layers + 1) * n, rows + (2 * n_layers + 1) * n,
                          rows + n_numbers + width};
    const engine_session_options tracing =
        ENGINE_SESSION_OPTIONS(.n_threads = 1, .max_tokens = n, .position = request->position,
                               .mask = request->mask,
                               .trace = ENGINE_TRACE_ATTENTION | ENGINE_TRACE_HIDDEN,
                               .trace_callback = add_step, .trace_user = &steps,
                               .progress = request_is_over);
    if (info->has_model && (engine_session_new(model, &tracing, &session, &error) != ENGINE_OK ||
                            engine_encode(session, &input, 1, &options, rows + n_numbers, width,
                                          NULL, NULL) != ENGINE_OK))
        request_fail(request, FAULT_UNABLE, "%s",
                     session ? engine_session_message(session) : error.message);
    engine_session_free(session);
    return request->fault == FAULT_NONE;
}

bool queue_admit(struct call *call)
{
    struct request *request = &call->request;
    if (!request_read(request) || (request->work == WORK_STEPS && !compute_steps(call)))
        return false;
    if (request->width == 0 || call->result.rows)
        return answer_hold(request, &call->result) && false;
    const size_t n = rows_before(request, request->n_texts) * request->width;
    const size_t n_waiting = queue_tokens;
    if (n > MOST_NUMBERS)
        return request_fail(request, FAULT_MANY,
                            "the answer would have %zu numbers; at most %d are sent", n,
                            MOST_NUMBERS);
    const size_t more = request->n_tokens <= FEW_TOKENS ? most_tokens / 4 : 0;
    if (n_waiting > 0 && n_waiting + request->n_tokens > most_tokens + more)
        return request_fail(request, FAULT_BUSY,
                            "the server is busy: %zu tokens wait; try again later", n_waiting);
    if (!request_hold(request, request->n_held + n * sizeof(float)) ||
        (request->work != WORK_SPARSE && !answer_hold(request, &call->result)))
        return false;
    queue_tokens += request->n_tokens;
    call->result.rows = alloc_zeros(n, sizeof(float));
    request->options.max_tokens = 0; /* its tokens have them: no other call of the batch shall */
    request->options.prompt = "";
    return true;
}

/* Never inlined: clang would read the ends of both queues there, of one without its lock. */
__attribute__((noinline)) static void append(struct queue *to, struct call *call)
{
    pthread_mutex_lock(&to->lock);
    *(to->first ? to->end : &to->first) = call;
    to->end = &call->next;
    pthread_cond_signal(&to->added);
    pthread_mutex_unlock(&to->lock);
}

void queue_add(struct call *call)
{
    call->queued = program_seconds();
    call->next = NULL;
    append(call->result.rows ? &queue : &unread, call);
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
    struct call *lists[2] = {NULL, NULL}, **ends[2] = {&lists[0], &lists[1]}, *next;
    for (struct call *call = queue.first; call; call = next) {
        const struct request *request = &call->request;
        const bool had_turn = call->n_computed > 0;
        next = call->next;
        call->n_computed = 0;
        if (call->n_done == request->n_texts || request->fault != FAULT_NONE || request->is_gone) {
            for (size_t i = call->n_done; i < request->n_texts; i++)
                queue_tokens -= request->texts[i].n;
            MHD_resume_connection(call->connection);
        } else {
            *ends[had_turn] = call;
            ends[had_turn] = &call->next;
        }
    }
    *ends[1] = NULL;
    *ends[0] = lists[1];
    queue.first = lists[0];
    queue.end = lists[1] ? ends[1] : ends[0];
}

/* Returns whether the engine can compute two requests at once. */
static bool are_alike(const struct request *a, const struct request *b)
{
    const engine_encode_options *x = &a->options, *y = &b->options;
    return a->model == b->model && (a->work == WORK_LABELS) == (b->work == WORK_LABELS) &&
           a->by_pairs == b->by_pairs && x->pooling == y->pooling && x->normalize == y->normalize &&
           x->raw_scores == y->raw_scores && x->dimensions == y->dimensions;
}

/* Adds the next text of a call to the batch, if it fits; the first text always does. */
static bool add_text(struct call_batch *batch, struct call *call)
{
    const struct request *request = &call->request;
    const size_t i = call->n_done + call->n_computed, at = batch->n_inputs;
    if (i == request->n_texts || at == MOST_TEXTS)
        return false;
    const struct text *text = &request->texts[i];
    const size_t n_tokens = batch->n_tokens + text->n;
    const size_t n_rows = batch->n_rows + rows_before(request, i + 1) - rows_before(request, i);
    if (at > 0 && (n_tokens > most_in_batch || n_rows * request->width > MOST_BATCH_NUMBERS))
        return false;
    batch->inputs[at] =
        (engine_input){.tokens = request->tokens + text->first, .n_tokens = text->n};
    batch->owners[at] = call;
    batch->texts[at] = i;
    batch->n_inputs++;
    batch->n_tokens = n_tokens;
    batch->n_rows = n_rows;
    call->n_computed++;
    return true;
}

/* Fills the batch with the first call and those that can be computed with it, a text of each in
 * turn. Called with the lock. */
static void fill_batch(struct call_batch *batch)
{
    const double now = program_seconds();
    bool has_grown = true;
    batch->n_calls = batch->n_inputs = batch->n_tokens = batch->n_rows = 0;
    for (struct call *call = queue.first; call; call = call->next) {
        struct request *request = &call->request;
        request->is_gone = request_has_hung_up(request);
        if (!request->is_gone &&
            (batch->n_calls == 0 || are_alike(&batch->calls[0]->request, request)))
            batch->calls[batch->n_calls++] = call;
    }
    while (has_grown) {
        has_grown = false;
        for (size_t i = 0; i < batch->n_calls; i++)
            has_grown |= add_text(batch, batch->calls[i]);
    }
    for (size_t i = 0; i < batch->n_inputs; i++)
        if (batch->owners[i]->started == 0)
            batch->owners[i]->started = now;
}

/* One wrong text fails its call; the others are computed again without it. */
static void fail_text(struct call_batch *batch, const engine_error *error)
{
    const size_t i = error->input;
    struct request *request = i < batch->n_inputs ? &batch->owners[i]->request : NULL;
    if (request)
        request_fail(request, FAULT_ENGINE, "%s%s", request_text_name(request, batch->texts[i]),
                     error->message + error->name_len);
    for (size_t k = 0; !request && k < batch->n_inputs; k++)
        request_fail(&batch->owners[k]->request, FAULT_ENGINE, "%s", error->message);
    batch->n_inputs = 0;
}

/* Gives the calls of a batch their rows. */
static void compute(struct call_batch *batch)
{
    const struct request *alike = &batch->owners[0]->request;
    const size_t width = alike->width, n_numbers = batch->n_rows * width;
    engine_session *session = alike->model->session;
    batch->rows = alloc_resize(batch->rows, n_numbers, sizeof *batch->rows);
    metrics_add_batch(batch->n_inputs, batch->n_tokens);
    if ((alike->by_pairs ? engine_score_pairs
                         : engine_encode)(session, batch->inputs, batch->n_inputs, &alike->options,
                                          batch->rows, n_numbers, NULL, NULL) != ENGINE_OK)
        fail_text(batch, engine_session_error(session));
    const float *row = batch->rows;
    for (size_t i = 0; i < batch->n_inputs; i++) {
        const struct call *call = batch->owners[i];
        const size_t at = rows_before(&call->request, batch->texts[i]);
        const size_t n = (rows_before(&call->request, batch->texts[i] + 1) - at) * width;
        memcpy(call->result.rows + at * width, row, n * sizeof *row);
        row += n;
    }
}

_Noreturn static void *compute_calls(void *unused)
{
    static struct call_batch batch;
    (void)unused;
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        while (!queue.first)
            pthread_cond_wait(&queue.added, &queue.lock);
        fill_batch(&batch);
        pthread_mutex_unlock(&queue.lock);
        if (batch.n_inputs > 0)
            compute(&batch);
        pthread_mutex_lock(&queue.lock);
        for (size_t i = 0; i < batch.n_inputs; i++) {
            batch.owners[i]->n_done++;
            queue_tokens -= batch.inputs[i].n_tokens;
        }
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
