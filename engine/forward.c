/* forward.c - THE page: a pass through the encoder, in the order of the paper.
 *
 *     x = embed(token, type, position)
 *     post-norm:  x = norm(x + attention(x));  x = norm(x + feed_forward(x))
 *     pre-norm:   x = x + attention(norm(x));  x = x + feed_forward(norm(x))
 *     sandwich:   x = x + norm(attention(norm(x)));  x = x + norm(feed_forward(norm(x)))
 *     twice:      x = norm(x + norm(x + attention(x)));  x = norm(x + feed_forward(x))
 *     x = final_norm(x)
 *
 * Every thread of a team runs the complete page; each step below computes the thread's share of the
 * work and waits for the others. One head of one sequence is one task of one thread. Of many rows,
 * each thread is a team of its own for some of them, and only attention is shared (has_own_rows).
 */
#include "engine/encode.h"

#include "model/layers/attention.h"
#include "model/layers/feed_forward.h"
#include "model/layers/linear.h"

#include <string.h>

/* Rows of activations, `stride` numbers apart. */
struct rows {
    float *first;
    size_t stride, width;
};

/* Arguments of every step. Rows y and heads share memory, and so do qkv and middle. */
struct context {
    const engine_session *session;
    const struct encoder *encoder;
    const struct kernels *kernels;
    const struct pass *pass;
    const struct group *group, *whole; /* whole: the groups of all, whose attention they share */
    struct team team, all;
    size_t rounded_row; /* where the group has its room in pass->rounded, for any of its layers */
    const struct thread_work *work;
    struct rows x, y;        /* [T, D] */
    struct rows embedding;   /* [T, D], with layer_input: as x was before the first layer */
    struct rows heads;       /* [T, H·K]: the heads' contexts side by side */
    struct rows qkv, middle; /* [T, (H + 2G)·K], [T, F] */
};

static float *row_of(struct rows rows, size_t row)
{
    return rows.first + row * rows.stride;
}

/* Passes a result of the one sequence of a tracing pass to the caller's trace callback: rows
 * without the gaps between them, or all maps of attention. */
static void trace_rows(const struct context *c, engine_trace kind, size_t index, struct rows from)
{
    const struct sequence *sequence = &c->pass->sequences[c->group->sequence];
    if ((c->session->options.trace & (unsigned)kind) == 0)
        return;
    if (c->team.rank == 0 && !is_interrupted(c->session)) {
        const bool are_maps = kind == ENGINE_TRACE_ATTENTION;
        float *rows = c->pass->trace_view;
        for (size_t t = 0; !are_maps && t < sequence->n_rows; t++)
            memcpy(rows + t * from.width, row_of(from, sequence->row + t),
                   from.width * sizeof *rows);
        engine_trace_view view = {
            .kind = kind,
            .input = sequence->input,
            .index = index,
            .n_tokens = sequence->n_rows,
            .n_heads = c->encoder->config.heads,
            .width = from.width,
            .values = are_maps ? from.first : rows,
        };
        c->session->options.trace_callback(&view, c->session->options.trace_user);
    }
    end_step(c->team, ENGINE_STEP_ANSWER);
}

/* Returns a thread's share of the group's rows. */
static struct share share_rows(const struct context *c)
{
    struct share rows = session_share(c->session, c->team, c->group->n_rows);
    return (struct share){c->group->row + rows.begin, c->group->row + rows.end};
}

static const struct linear_epilogue NOTHING_MORE = {0};
static const struct norm NO_NORM = {.kind = NORM_NONE};

/* to [T, E] = norm(scale · token + type + position) */
static void embed(const struct context *c, struct rows to)
{
    const struct pass *pass = c->pass;
    struct share rows = share_rows(c);
    for (size_t r = rows.begin; r < rows.end; r++)
        embed_token(c->encoder, &c->session->embedding, pass->ids[r], pass->types[r],
                    (struct text_position){pass->positions[r], pass->lengths[r]}, row_of(to, r),
                    c->work->row);
    end_step(c->team, ENGINE_STEP_EMBED);
}

/* to = norm(from): [T, D], or of another width */
static void normalize_rows(const struct context *c, const struct norm *norm, struct rows from,
                           struct rows to)
{
    struct share rows = share_rows(c);
    for (size_t r = rows.begin; r < rows.end; r++)
        c->kernels->norm_row(norm, (float)c->encoder->config.norm_eps, from.width, row_of(from, r),
                             row_of(to, r));
    end_step(c->team, ENGINE_STEP_NORM);
}

/* The same for a sublayer's norm. Sublayers are counted from 0, two in each layer. */
static void normalize(const struct context *c, const struct norm *norm, struct rows from,
                      struct rows to, size_t sublayer)
{
    normalize_rows(c, norm, from, to);
    trace_rows(c, ENGINE_TRACE_NORM, sublayer, to);
}

/* Returns a linear layer's input: from [T, in], also in int8 if the layer multiplies in int8. */
static struct linear_input input_of(const struct context *c, const struct linear *layer,
                                    struct rows from)
{
    const struct pass *pass = c->pass;
    size_t row = c->group->row, cols = layer->weight.cols;
    struct share rows = share_rows(c);
    struct linear_input input = {
        .x = row_of(from, row),
        .x_stride = from.stride,
        .n_rows = c->group->n_rows,
        .blas = c->encoder->blas,
        .blas_rows = c->encoder->blas_rows,
    };
    if (layer->weight.layout == LAYOUT_PAIRS) {
        size_t width = round_up(cols, BF16_STEP);
        uint16_t *to = pass->rounded + c->rounded_row * pass->rounded_stride;
        for (size_t r = rows.begin; r < rows.end; r++)
            c->kernels->pairs->round(row_of(from, r), cols, to + bf16_place(r - row, width));
        input.rounded = to;
    } else if (linear_takes_int8(layer)) {
        for (size_t r = rows.begin; r < rows.end; r++)
            pass->quantization[r] = linear_quantize(c->kernels, layer, row_of(from, r),
                                                    pass->quantized + r * pass->quantized_stride);
        input.q = pass->quantized + row * pass->quantized_stride;
        input.q_stride = pass->quantized_stride;
        input.quantization = pass->quantization + row;
    } else {
        return input;
    }
    end_step(c->team, ENGINE_STEP_QUANTIZE);
    return input;
}

/* Returns a thread's share of panels; OpenBLAS gets complete blocks, for any number of threads. */
static struct share share_panels(const struct context *c, size_t n_panels)
{
    size_t block = c->encoder->blas_rows > 0 ? BLAS_PANELS : 1;
    struct share blocks = session_share(c->session, c->team, (n_panels + block - 1) / block);
    size_t begin = blocks.begin * block, end = blocks.end * block;
    return (struct share){begin < n_panels ? begin : n_panels, end < n_panels ? end : n_panels};
}

/* to [T, 16·n] = act(from [T, in]·Wᵀ + b (+ residual)), by n panels of W from `first` on: a thread
 * computes some of the columns. */
static void project_panels(const struct context *c, const struct linear *layer, size_t first,
                           size_t n, struct rows from, struct linear_epilogue last, struct rows to)
{
    struct linear_input input = input_of(c, layer, from);
    struct share panels = share_panels(c, n);
    size_t at = c->group->row * to.stride + panels.begin * PANEL;
    last.residual = last.residual != NULL ? last.residual + at : NULL;
    last.gate = last.gate != NULL ? last.gate + at : NULL;
    linear(c->kernels, layer, &input, first + panels.begin, first + panels.end, &last,
           to.first + at, to.stride, &c->work->linear);
    end_step(c->team, ENGINE_STEP_LINEAR);
}

/* to [T, out], by all of W. */
static void project(const struct context *c, const struct linear *layer, struct rows from,
                    struct linear_epilogue last, struct rows to)
{
    project_panels(c, layer, 0, linear_panels(layer), from, last, to);
}

/* turns, local_turns [T, rotary_width] = the angles of each row's position, for all layers */
static void find_turns(const struct context *c)
{
    const struct pass *pass = c->pass;
    struct share rows = share_rows(c);
    for (int is_local = 0; is_local <= (pass->local_turns != pass->turns); is_local++) {
        struct rotary rotary = rotary_of(&c->encoder->config, is_local);
        rotary_rows(&rotary, pass->positions + rows.begin, pass->lengths + rows.begin,
                    rows.end - rows.begin,
                    (is_local ? pass->local_turns : pass->turns) + rows.begin * rotary.width);
    }
    end_step(c->team, ENGINE_STEP_EMBED);
}

/* Normalizes the heads of K columns in a row of q, k, v; or all heads of q and of k as one. */
static void normalize_heads(const struct context *c, const struct layer *layer, float *row)
{
    const struct model_config *config = &c->encoder->config;
    const struct norm *const norms[] = {&layer->query_norm, &layer->key_norm, &layer->value_norm};
    for (int part = 0; part < 3; part++) {
        size_t n = layer->head_width * (part == 0 ? config->heads : layer->key_value_heads);
        bool of_all = part < 2 && config->query_key_norm == QUERY_KEY_ALL;
        size_t k = of_all ? n : layer->head_width;
        for (size_t i = 0; i < n; i += k, row += k)
            if (norms[part]->kind != NORM_NONE)
                c->kernels->norm_row(norms[part], (float)config->norm_eps, k, row, row);
    }
}

/* Prepares queries and keys: normalizes them, and rotates them by their positions. */
static void prepare_heads(const struct context *c, const struct layer *layer)
{
    const struct pass *pass = c->pass;
    const struct model_config *config = &c->encoder->config;
    struct rotary rotary;
    float *turns = layer->window > 0 ? pass->local_turns : pass->turns;
    size_t n_heads = config->heads + layer->key_value_heads;
    bool has_norms = layer->query_norm.kind != NORM_NONE || layer->value_norm.kind != NORM_NONE;
    struct share rows = share_rows(c);
    if (!has_norms && turns == NULL)
        return;
    if (turns != NULL)
        rotary = rotary_of(config, layer->window > 0);
    for (size_t r = rows.begin; r < rows.end; r++) {
        float *row = row_of(c->qkv, r);
        if (has_norms)
            normalize_heads(c, layer, row);
        if (turns != NULL)
            rotary_turn(&rotary, turns + r * rotary.width, n_heads, layer->head_width, row);
    }
    end_step(c->team, ENGINE_STEP_ATTENTION);
}

/* heads [T, H·K] of qkv: H, then twice G heads of K columns. Several heads may share a key and its
 * value: head h reads those of head h·G/H. */
static void attend(const struct context *c, const struct layer *layer, size_t l)
{
    const struct pass *pass = c->pass;
    const struct model_config *config = &c->encoder->config;
    size_t n_heads = config->heads, n_keys = layer->key_value_heads;
    size_t k = layer->head_width, n_tasks = c->whole->n_sequences * n_heads;
    struct rows qkv = {c->qkv.first, c->qkv.stride, (n_heads + 2 * n_keys) * k};
    struct rows heads = {c->heads.first, c->heads.stride, n_heads * k};
    struct rows maps = {pass->attention_maps, 0, config->width};
    const bool has_positions = config_span(config) > 0, has_bias = config_has_bias(config);
    trace_rows(c, ENGINE_TRACE_PROJECTIONS, l, qkv);
    if (c->team.size < c->all.size)
        end_step(c->all, ENGINE_STEP_WAIT);
    for (size_t task = c->all.rank; task < n_tasks && !is_interrupted(c->session);
         task += c->all.size) {
        const struct sequence *sequence = &pass->sequences[c->whole->sequence + task / n_heads];
        size_t index = task % n_heads, n_tokens = sequence->n_rows;
        const float *row = row_of(c->qkv, sequence->row);
        const float *key = row + (n_heads + index * n_keys / n_heads) * k;
        struct distance_bias bias;
        struct disentangled positions;
        if (has_positions)
            disentangled_of(config, layer, index, &positions);
        if (has_bias)
            distance_bias_of(config, c->encoder->distance_bias, index, &bias);
        struct attention_head head = {
            .q = row + index * k,
            .k = key,
            .v = key + n_keys * k,
            .stride = c->qkv.stride,
            .n_tokens = n_tokens,
            .head_width = k,
            .n_unseen = sequence->n_unseen,
            .scale = (float)config->score_scale,
            .band = mask_band(c->session->mask, layer->window),
            .bias = has_bias ? &bias : NULL,
            .positions = has_positions ? &positions : NULL,
            .blas = c->encoder->blas,
            .bf16 = c->encoder->bf16,
            .out = row_of(c->heads, sequence->row) + index * k,
            .out_stride = c->heads.stride,
            .map = pass->attention_maps != NULL ? pass->attention_maps + index * n_tokens * n_tokens
                                                : NULL,
        };
        attention_head(c->kernels, &head, &c->work->attention);
    }
    end_step(c->all, ENGINE_STEP_ATTENTION);
    trace_rows(c, ENGINE_TRACE_ATTENTION, l, maps);
    trace_rows(c, ENGINE_TRACE_HEADS, l, heads);
}

/* middle [T, F] = act(in·Wᵀ + b); with a gate, the product of the two halves of its columns, one of
 * them activated. */
static void feed_forward_in(const struct context *c, const struct linear *layer, struct rows in,
                            size_t l)
{
    const struct model_config *config = &c->encoder->config;
    struct linear_epilogue act = {.activated = true, .activation = config->activation};
    if (config->gate == GATE_NONE) {
        project(c, layer, in, act, c->middle);
    } else if (config->feed_forward % PANEL != 0) { /* the halves share a panel */
        project(c, layer, in, NOTHING_MORE, c->middle);
        struct share rows = share_rows(c);
        for (size_t r = rows.begin; r < rows.end; r++)
            feed_forward_middle(c->kernels, config, row_of(c->middle, r));
        end_step(c->team, ENGINE_STEP_LINEAR);
    } else {
        size_t n_panels = linear_panels(layer) / 2, stride = c->middle.stride;
        struct linear_input input = input_of(c, layer, in);
        struct share panels = share_panels(c, n_panels);
        float *to = row_of(c->middle, c->group->row) + panels.begin * PANEL;
        struct linear_epilogue first = {0}, second = {0};
        *(config->gate == GATE_FIRST ? &first : &second) = act;
        second.gate = to;
        linear(c->kernels, layer, &input, panels.begin, panels.end, &first, to, stride,
               &c->work->linear);
        linear(c->kernels, layer, &input, n_panels + panels.begin, n_panels + panels.end, &second,
               to, stride, &c->work->linear);
        end_step(c->team, ENGINE_STEP_LINEAR);
    }
    trace_rows(c, ENGINE_TRACE_MIDDLE, l, c->middle);
}

/* x [T, D] = scale·(x + norm(from)); twice: x + norm(x + from) */
static void add_normed(const struct context *c, const struct norm *norm, struct rows from,
                       float scale, bool twice)
{
    const struct model_config *config = &c->encoder->config;
    struct share rows = share_rows(c);
    for (size_t r = rows.begin; r < rows.end; r++) {
        float *x = row_of(c->x, r), *row = row_of(from, r);
        for (size_t i = 0; twice && i < config->width; i++)
            row[i] += x[i];
        c->kernels->norm_row(norm, (float)config->norm_eps, config->width, row, row);
        for (size_t i = 0; i < config->width; i++)
            x[i] = (x[i] + row[i]) * scale;
    }
    end_step(c->team, ENGINE_STEP_NORM);
}

/* x [T, D] += from·Wᵀ + b; with a norm after it, the norm of that, which `between` holds. */
static void add_sublayer(const struct context *c, const struct linear *layer, struct rows from,
                         const struct norm *after, struct rows between, size_t sublayer)
{
    bool is_plain = after->kind == NORM_NONE;
    struct linear_epilogue add = {.residual = is_plain ? c->x.first : NULL};
    project(c, layer, from, add, is_plain ? c->x : between);
    if (!is_plain)
        add_normed(c, after, between, 1, c->encoder->config.norm_place == NORM_TWICE);
    trace_rows(c, ENGINE_TRACE_SUM, sublayer, c->x);
}

/* chosen, shares [T, k]: the experts of a thread's rows. Their products are small, and always in
 * f32, so that a token has the same experts by any precision and on any machine. */
static void choose_experts(const struct context *c, const struct linear *router, struct rows in,
                           int32_t *chosen, float *shares)
{
    const struct model_config *config = &c->encoder->config;
    size_t used = config->experts_used, row = c->group->row;
    struct share rows = share_rows(c);
    float *logits = row_of(c->middle, rows.begin);
    linear_rows(c->kernels, router, row_of(in, rows.begin), in.stride, rows.end - rows.begin,
                logits, &c->work->linear);
    for (size_t r = rows.begin; r < rows.end; r++, logits += row_stride(config->experts))
        experts_choose(logits, config->experts, used, chosen + (r - row) * used,
                       shares + (r - row) * used);
    end_step(c->team, ENGINE_STEP_LINEAR);
}

/* x [T, D] += bias + Σ share · act(in·Winᵀ)·Woutᵀ, of k experts of each row. Rows are grouped by
 * expert: k·T of them, so that each expert is one product of its rows. */
static void add_experts(const struct context *c, const struct layer *layer, struct rows in,
                        size_t sublayer)
{
    const struct model_config *config = &c->encoder->config;
    const struct pass *pass = c->pass;
    size_t used = config->experts_used, first = used * c->group->row, row = c->group->row;
    int32_t *places = pass->chosen + first;
    float *shares = pass->shares + first;
    size_t *starts = pass->expert_starts + c->group->index * (config->experts + 1);
    struct rows results = {pass->gathered, row_stride(config->width), config->width};
    struct rows middle = {pass->expert_middle, row_stride(config->feed_forward),
                          config->feed_forward};
    struct linear_epilogue act = {.activated = true, .activation = config->activation};
    choose_experts(c, &layer->router, in, places, shares);
    if (c->team.rank == 0) /* also after an interruption: all threads need the same starts */
        experts_place(places, used * c->group->n_rows, config->experts, starts);
    end_step(c->team, ENGINE_STEP_LINEAR);
    struct share rows = share_rows(c);
    for (size_t i = (rows.begin - row) * used; i < (rows.end - row) * used; i++)
        memcpy(row_of(results, first + (size_t)places[i]), row_of(in, row + i / used),
               results.stride * sizeof(float));
    end_step(c->team, ENGINE_STEP_LINEAR);
    for (size_t e = 0; e < config->experts; e++) {
        struct group group = {.row = first + starts[e], .n_rows = starts[e + 1] - starts[e]};
        struct context own = *c;
        size_t n_in = middle.width / PANEL, n_out = results.width / PANEL;
        own.group = &group;
        if (group.n_rows == 0)
            continue;
        project_panels(&own, &layer->feed_forward_in, e * n_in, n_in, results, act, middle);
        project_panels(&own, &layer->feed_forward_out, e * n_out, n_out, middle, NOTHING_MORE,
                       results);
    }
    for (size_t i = (rows.begin - row) * used; i < (rows.end - row) * used; i++) {
        const float *result = row_of(results, first + (size_t)places[i]);
        float *x = row_of(c->x, row + i / used);
        for (size_t k = 0; k < config->width; k++)
            x[k] += shares[i] * result[k] +
                    (i % used == 0 && layer->experts_bias != NULL ? layer->experts_bias[k] : 0);
    }
    end_step(c->team, ENGINE_STEP_LINEAR);
    trace_rows(c, ENGINE_TRACE_SUM, sublayer, c->x);
}

/* x [T, D] = scale·(x + norm(own·Woutᵀ)), own [T, P] = act(x·Wbyᵀ)·norm(embedding·Winᵀ): what the
 * layer takes from the embedding itself. */
static void add_layer_input(const struct context *c, const struct layer_input *input)
{
    const struct model_config *config = &c->encoder->config;
    struct rows own = {c->y.first, c->y.stride, config->layer_input_width};
    struct linear_epilogue by = {
        .activated = true, .activation = config->activation, .gate = own.first};
    project(c, &input->in, c->embedding, NOTHING_MORE, own);
    normalize_rows(c, &input->norm, own, own);
    project(c, &input->by, c->x, by, own);
    project(c, &input->out, own, NOTHING_MORE, c->qkv);
    add_normed(c, &input->norm_after, c->qkv, input->scale, false);
}

/* l: the layer, from 0. */
static void layer_forward(const struct context *c, const struct layer *layer, size_t l)
{
    bool post = config_is_post(&c->encoder->config);
    struct rows x = c->x, in = post ? x : c->y;

    if (!post)
        normalize(c, &layer->attention_norm, x, in, 2 * l); /* y [T, D] */
    project(c, &layer->qkv, in, NOTHING_MORE, c->qkv);      /* q, k, v side by side */
    prepare_heads(c, layer);
    attend(c, layer, l); /* heads [T, H·K] */
    add_sublayer(c, &layer->output, c->heads, &layer->attention_norm_after, c->qkv, 2 * l);
    if (post)
        normalize(c, &layer->attention_norm, x, x, 2 * l); /* x [T, D] */

    if (!post)
        normalize(c, &layer->feed_forward_norm, x, in, 2 * l + 1);
    if (layer->router.weight.rows > 0) {
        add_experts(c, layer, in, 2 * l + 1);
    } else {
        feed_forward_in(c, &layer->feed_forward_in, in, l); /* middle [T, F] */
        add_sublayer(c, &layer->feed_forward_out, c->middle, &layer->feed_forward_norm_after, c->y,
                     2 * l + 1);
    }
    if (post)
        normalize(c, &layer->feed_forward_norm, x, x, 2 * l + 1);
    if (c->encoder->config.layer_input_width > 0)
        add_layer_input(c, &layer->input);
}

/* Returns whether each thread computes rows of its own, instead of columns of all: it reads all
 * weights, but other threads' activations only in attention, and waits twice a layer, not 8 times.
 * With two threads and widths of 128 to 1,024, 4 to 40 % faster from 32 rows a thread and a sixth
 * of the width on, up to 25 % slower below, and with experts, of which each has few of the rows.
 * OpenBLAS gets the same rows with any number of them. */
static bool has_own_rows(const engine_session *session, const struct group *group, size_t n_threads)
{
    const struct encoder *encoder = &session->model->encoder;
    return n_threads > 1 && group->n_rows >= n_threads * larger(32, encoder->config.width / 6) &&
           encoder->config.experts == 0 && session->options.trace == 0 && encoder->blas_rows == 0;
}

void forward(engine_session *session, const struct group *group, struct team team, size_t rank)
{
    const struct encoder *encoder = &session->model->encoder;
    const struct model_config *config = &encoder->config;
    const struct linear *projection = &encoder->embedding_projection;
    const struct pass *pass = &session->pass;
    size_t n_heads = config->heads + 2 * config->key_value_heads, k = config->head_width;
    const bool by_rows = has_own_rows(session, group, team.size);
    struct share rows = session_share(session, team, group->n_rows);
    const struct group own = {
        .row = group->row + rows.begin, .n_rows = rows.end - rows.begin, .index = team.rank};
    struct context context = {
        .session = session,
        .encoder = encoder,
        .kernels = encoder->kernels,
        .pass = pass,
        .group = by_rows ? &own : group,
        .whole = group,
        .team = by_rows ? (struct team){0, 1, NULL, team.profile} : team,
        .all = team,
        .work = &pass->works[rank],
        .x = {pass->x, pass->width_stride, config->width},
        .y = {pass->y, pass->width_stride, config->width},
        .embedding = {pass->embedding, pass->width_stride, config->width},
        .heads = {pass->y, pass->width_stride, config->heads * k},
        .qkv = {pass->wide, pass->wide_stride, n_heads * k},
        .middle = {pass->wide, pass->wide_stride, config->feed_forward},
    };
    const struct context *c = &context;
    context.rounded_row = c->group->row * larger(1, config->experts_used) + PANEL * c->group->index;

    embed(c, projection->weight.rows > 0 ? c->y : c->x); /* [T, E] */
    if (projection->weight.rows > 0)
        project(c, projection, c->y, NOTHING_MORE, c->x);
    trace_rows(c, ENGINE_TRACE_HIDDEN, 0, c->x);
    if (config->layer_input_width > 0)
        normalize_rows(c, &NO_NORM, c->x, c->embedding);
    if (pass->turns != NULL)
        find_turns(c);
    for (size_t l = 0; l < config->layers; l++) {
        if (rank == 0)
            session_report(session);
        layer_forward(c, &encoder->layers[l], l);
        trace_rows(c, ENGINE_TRACE_HIDDEN, l + 1, c->x);
    }
    if (encoder->final_norm.kind != NORM_NONE)
        normalize_rows(c, &encoder->final_norm, c->x, c->x);
    if (by_rows)
        end_step(team, ENGINE_STEP_WAIT);
}
