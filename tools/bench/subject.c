/* subject.c - a model is opened, or made by encode-new; and the arithmetic that it takes. */
#include "tools/bench/subject.h"

#include "tools/common/inputs.h"
#include "tools/common/model_file.h"
#include "tools/common/options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The matrix of a layer at *index or behind it; false: there is none. */
static bool next_matrix(const engine_model *model, size_t *index, engine_tensor_info *tensor)
{
    for (; engine_model_tensor(model, *index, tensor) == ENGINE_OK; ++*index)
        if (tensor->n_dims == 2 && strncmp(tensor->name, "layers.", 7) == 0)
            return true;
    return false;
}

/* The precision that a tensor counts as: ways of rounding activations for int8 are all int8. */
static const char *precision_of(const engine_tensor_info *tensor)
{
    return strncmp(tensor->type, "int8", 4) == 0 ? "int8" : tensor->type;
}

static const char *linear_type(const engine_model *model)
{
    engine_tensor_info tensor;
    const char *type = "none";
    for (size_t i = 0; next_matrix(model, &i, &tensor); i++) {
        if (strcmp(type, "none") != 0 && strcmp(type, precision_of(&tensor)) != 0)
            return "mixed";
        type = precision_of(&tensor);
    }
    return type;
}

static void open_model(struct subject *subject)
{
    engine_error error;
    subject->info = ENGINE_INFO();
    if (engine_model_open(subject->file, NULL, &subject->model, &error) != ENGINE_OK)
        model_open_die(subject->file, &error);
    if (engine_model_info(subject->model, &subject->info, NULL) != ENGINE_OK ||
        !subject->info.has_model)
        program_die("'%s' holds no model", subject->file);
    subject->precision = linear_type(subject->model);
}

void subject_open(struct subject *subject, const char *path)
{
    input_remember(path);
    *subject = (struct subject){.fd = -1, .file = path, .name = path};
    open_model(subject);
}

/* ---- Models of a shape ---- */

enum { SHAPE_NUMBERS = 5, NUMBER_BYTES = 24 };

struct shape {
    char numbers[SHAPE_NUMBERS][NUMBER_BYTES]; /* layers, width, heads, feed-forward, vocabulary */
};

static void read_shape(const char *text, struct shape *shape)
{
    const char *at = text;
    size_t n = 0;
    strcpy(shape->numbers[SHAPE_NUMBERS - 1], "30522");
    for (bool more = true; more && n < SHAPE_NUMBERS; n++) {
        size_t len = strcspn(at, "/");
        snprintf(shape->numbers[n], NUMBER_BYTES, "%.*s", len < NUMBER_BYTES ? (int)len : 0, at);
        more = at[len] == '/';
        at += len + more;
    }
    if (n < SHAPE_NUMBERS - 1 || *at != '\0' || at[-1] == '/')
        program_die_misused("--shape takes LAYERS/WIDTH/HEADS/FEED-FORWARD[/VOCABULARY], not '%s'",
                            text);
}

/* encode-new writes a BERT. */
static int write_file(const char *path, const struct shape *shape, const char *precision,
                      uint64_t seed)
{
    const char *table_type = strcmp(precision, "int8") == 0 ? "f16" : precision;
    char seed_text[NUMBER_BYTES];
    snprintf(seed_text, sizeof seed_text, "%" PRIu64, seed);
    /* clang-format off */
    const char *arguments[] = {
        "encode-new", "-o", path, "--seed", seed_text,
        "--type", precision, "--embedding-type", table_type, "--layers", shape->numbers[0],
        "--width", shape->numbers[1], "--heads", shape->numbers[2],
        "--feed-forward", shape->numbers[3], "--vocabulary", shape->numbers[4],
        "--max-tokens", "8192", "--token-types", "2", "--position", "learned",
        "--embedding-norm", "layer", "--norm-eps", "1e-12", NULL,
    };
    /* clang-format on */
    return sibling_run(arguments);
}

/* Leaves the file open, and without a name before anything is in it, so that nothing is left of it
 * whatever ends the program. Children inherit it: the workload cold opens it there. */
static void make_file(struct subject *subject, const struct shape *shape, const char *precision,
                      uint64_t seed)
{
    const char *parent = getenv("TMPDIR");
    char path[PATH_MAX];
    parent = parent != NULL && parent[0] != '\0' ? parent : "/tmp";
    snprintf(path, sizeof path, "%s/encode-bench-XXXXXX", parent);
    subject->fd = mkstemp(path);
    if (subject->fd < 0)
        program_die("cannot make a file in '%s': %s", parent, strerror(errno));
    unlink(path);
    snprintf(subject->path, sizeof subject->path, "/proc/self/fd/%d", subject->fd);
    subject->file = subject->path;
    int code = write_file(subject->path, shape, precision, seed);
    if (code == PROGRAM_DONE)
        return;
    program_note("the model is made in '%s' (TMPDIR)", parent);
    program_exit(code);
}

void subject_make(struct subject *subject, const char *shape_text, const char *precision,
                  uint64_t seed)
{
    struct shape shape;
    *subject = (struct subject){.fd = -1, .name = shape_text};
    read_shape(shape_text, &shape);
    make_file(subject, &shape, precision, seed);
    open_model(subject);
}

void subject_close(struct subject *subject)
{
    engine_model_close(subject->model);
    if (subject->fd >= 0)
        close(subject->fd);
}

/* How many layers use the matrices of a group of layers; "layers.GROUP." opens the name. */
static double layers_of(const struct subject *subject, const char *name)
{
    size_t n_layers = subject->info.n_layers, group = strtoul(name + strlen("layers."), NULL, 10);
    size_t n_groups = (size_t)model_number(subject->model, "layer_groups", (double)n_layers),
           n_users = 0;
    for (size_t layer = 0; layer < n_layers; layer++)
        n_users += layer * n_groups / n_layers == group;
    return (double)n_users;
}

/* Queries times keys that they see, of a layer with a window. */
static double pairs_within(const struct workload *workload, double window)
{
    double n_pairs = 0;
    for (size_t i = 0; i < workload->n; i++) {
        double n = (double)workload->inputs[i].n_ids;
        n_pairs += n > window ? n * (2 * window + 1) - window * (window + 1) : n * n;
    }
    return n_pairs;
}

/* The same of all layers. */
static double pairs_of_layers(const struct subject *subject, const struct workload *workload)
{
    const engine_model *model = subject->model;
    double window = model_number(model, "window", 0), n_pairs = 0;
    double within = window > 0 ? pairs_within(workload, window) : 0;
    size_t every = (size_t)model_number(model, "global_every", 0);
    size_t first = (size_t)model_number(model, "global_first", 0);
    for (size_t layer = 0; layer < subject->info.n_layers; layer++) {
        bool is_global = window == 0 || (every > 0 && layer % every == first);
        n_pairs += is_global ? workload->n_pairs : within;
    }
    return n_pairs;
}

struct work subject_work(const struct subject *subject, const struct workload *workload)
{
    const engine_info *info = &subject->info;
    double n_heads = (double)info->n_heads, usual = n_heads > 0 ? (double)info->width / n_heads : 0;
    double columns = n_heads * model_number(subject->model, "head_width", usual);
    struct work work = {.f32 = 2 * pairs_of_layers(subject, workload) * 2 * columns};
    engine_tensor_info tensor;
    for (size_t i = 0; next_matrix(subject->model, &i, &tensor); i++) {
        double operations =
            2 * (double)workload->n_tokens * (double)tensor.shape[0] * (double)tensor.shape[1];
        *(strcmp(precision_of(&tensor), "int8") == 0 ? &work.int8 : &work.f32) +=
            operations * layers_of(subject, tensor.name);
    }
    return work;
}
