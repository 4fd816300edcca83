/* subject.c - opens a model, or has encode-new make one, and counts the operations it takes. */
#include "tools/study/bench/subject.h"

#include "tools/common/child.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/texts/request_options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs encode-new, beside this program, to its end; arguments[0] is set here, and NULL ends them.
 * Returns its exit code; if that is not 0, prints what it wrote to stderr. */
static int run_new(const char *arguments[])
{
    char path[PATH_MAX + sizeof "encode-new"] = "";
    struct child_result result;
    if (readlink("/proc/self/exe", path, PATH_MAX - 1) > 0)
        strcpy(strrchr(path, '/') + 1, "encode-new");
    if (access(path, X_OK) != 0)
        return program_fail("there is no 'encode-new' beside this program");
    arguments[0] = path;
    int reason = run_child((char *const *)arguments, "", 0, &result);
    free(result.bytes);
    if (reason != 0)
        return program_fail("cannot start '%s': %s", path, strerror(reason));
    if (!WIFEXITED(result.status))
        return program_fail("'%s' was ended by signal %d", path, WTERMSIG(result.status));
    if (WEXITSTATUS(result.status) != PROGRAM_DONE)
        fputs(result.message, stderr);
    return WEXITSTATUS(result.status);
}

/* ---- Models ---- */

/* Finds the matrix of a layer at *index or after it. */
static bool next_matrix(const engine_model *model, size_t *index, engine_tensor_info *tensor)
{
    for (; engine_model_tensor(model, *index, tensor) == ENGINE_OK; ++*index)
        if (tensor->n_dims == 2 && strncmp(tensor->name, "layers.", 7) == 0)
            return true;
    return false;
}

/* Joins the types of the layers' matrices: a file of int8 may have layers that are not. The ways of
 * rounding activations for int8 count as one type. */
static void join_types(struct subject *subject)
{
    static const char *const names[] = {"int8", "f32", "f16", "bf16"};
    size_t used = 0;
    strcpy(subject->type, "none");
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        engine_tensor_info tensor;
        bool found = false;
        for (size_t i = 0; !found && next_matrix(subject->model, &i, &tensor); i++)
            found =
                strcmp(strncmp(tensor.type, "int8", 4) == 0 ? "int8" : tensor.type, names[n]) == 0;
        if (found)
            used += (size_t)snprintf(subject->type + used, sizeof subject->type - used, "%s%s",
                                     used > 0 ? "+" : "", names[n]);
    }
}

static void open_subject(struct subject *subject)
{
    const engine_model_options options =
        ENGINE_MODEL_OPTIONS(.precision = strcmp(subject->precision, "fast") == 0
                                              ? ENGINE_PRECISION_FAST
                                          : strcmp(subject->precision, "bf16") == 0
                                              ? ENGINE_PRECISION_BF16
                                              : ENGINE_PRECISION_EXACT);
    engine_error error;
    subject->info = ENGINE_INFO();
    if (engine_model_open(subject->file, &options, &subject->model, &error) != ENGINE_OK)
        model_open_die(subject->file, &error);
    if (engine_model_info(subject->model, &subject->info, NULL) != ENGINE_OK ||
        !subject->info.has_model)
        program_die("'%s' holds no model", subject->file);
    join_types(subject);
}

void subject_open(struct subject *subject, const char *path, const char *precision)
{
    input_remember(path);
    *subject = (struct subject){.fd = -1, .file = path, .name = path, .precision = precision};
    open_subject(subject);
}

/* ---- Models of a shape ---- */

enum { SHAPE_NUMBERS = 5, NUMBER_BYTES = 24 };

/* Reads layers, width, heads, feed-forward and vocabulary, which encode-new checks. */
static void split_shape(const char *text, char numbers[SHAPE_NUMBERS][NUMBER_BYTES])
{
    char rest;
    strcpy(numbers[SHAPE_NUMBERS - 1], "30522");
    const int n = sscanf(text, "%23[^/]/%23[^/]/%23[^/]/%23[^/]/%23[^/]%c", numbers[0], numbers[1],
                         numbers[2], numbers[3], numbers[4], &rest);
    if ((n != SHAPE_NUMBERS - 1 && n != SHAPE_NUMBERS) || text[strlen(text) - 1] == '/')
        program_die_misused("--shape takes LAYERS/WIDTH/HEADS/FEED-FORWARD[/VOCABULARY], not '%s'",
                            text);
}

/* encode-new inherits the open file, and writes to it by its descriptor. */
void subject_make(struct subject *subject, const char *shape, const char *type, uint64_t seed,
                  const char *precision)
{
    const char *parent = getenv("TMPDIR");
    char numbers[SHAPE_NUMBERS][NUMBER_BYTES], path[PATH_MAX], seed_text[NUMBER_BYTES];
    *subject = (struct subject){.name = shape, .file = subject->path, .precision = precision};
    split_shape(shape, numbers);
    parent = parent != NULL && parent[0] != '\0' ? parent : "/tmp";
    snprintf(path, sizeof path, "%s/encode-bench-XXXXXX", parent);
    subject->fd = mkstemp(path);
    if (subject->fd < 0)
        program_die("cannot make a file in '%s': %s", parent, strerror(errno));
    unlink(path);
    snprintf(subject->path, sizeof subject->path, "/proc/self/fd/%d", subject->fd);
    snprintf(seed_text, sizeof seed_text, "%" PRIu64, seed);
    /* clang-format off */
    const char *arguments[] = {
        NULL, "-o", subject->path, "--seed", seed_text,
        "--type", type, "--embedding-type", strcmp(type, "int8") == 0 ? "f16" : type,
        "--layers", numbers[0], "--width", numbers[1], "--heads", numbers[2],
        "--feed-forward", numbers[3], "--vocabulary", numbers[4],
        "--max-tokens", "8192", "--token-types", "2", "--position", "learned",
        "--embedding-norm", "layer", "--norm-eps", "1e-12", NULL,
    };
    /* clang-format on */
    int code = run_new(arguments);
    if (code != PROGRAM_DONE) {
        program_note("the model is made in '%s' (TMPDIR)", parent);
        program_exit(code);
    }
    open_subject(subject);
}

void subject_close(struct subject *subject)
{
    engine_model_close(subject->model);
    if (subject->fd >= 0)
        close(subject->fd);
}

/* ---- Operations ---- */

/* Returns pairs of a query and a key that it sees, of all sequences and layers. */
static double count_pairs(const struct subject *subject, const struct workload *workload)
{
    const engine_model *model = subject->model;
    const double window = model_number(model, "window", 0);
    const size_t every = (size_t)model_number(model, "global_every", 0);
    const size_t first = (size_t)model_number(model, "global_first", 0);
    double within = 0, n_pairs = 0;
    for (size_t i = 0; i < workload->n; i++) {
        double n = (double)workload->inputs[i].n_ids;
        within += n > window ? n * (2 * window + 1) - window * (window + 1) : n * n;
    }
    for (size_t layer = 0; layer < subject->info.n_layers; layer++) {
        bool is_global = window == 0 || (every > 0 && layer % every == first);
        n_pairs += is_global ? workload->n_pairs : within;
    }
    return n_pairs;
}

/* A group of layers shares the matrices named "layers.GROUP.". */
double subject_operations(const struct subject *subject, const struct workload *workload)
{
    const engine_info *info = &subject->info;
    const double n_heads = (double)info->n_heads;
    const double usual = n_heads > 0 ? (double)info->width / n_heads : 0;
    const double columns = n_heads * model_number(subject->model, "head_width", usual);
    const size_t n_groups =
        (size_t)model_number(subject->model, "layer_groups", (double)info->n_layers);
    double n = 2 * count_pairs(subject, workload) * 2 * columns;
    engine_tensor_info tensor;
    for (size_t i = 0; next_matrix(subject->model, &i, &tensor); i++) {
        double operations =
            2 * (double)workload->n_tokens * (double)tensor.shape[0] * (double)tensor.shape[1];
        size_t group = strtoul(tensor.name + strlen("layers."), NULL, 10), n_users = 0;
        for (size_t layer = 0; layer < info->n_layers; layer++)
            n_users += layer * n_groups / info->n_layers == group;
        n += operations * (double)n_users;
    }
    return n;
}
