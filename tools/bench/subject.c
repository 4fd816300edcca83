/* subject.c - a model is opened, or made; and the arithmetic it takes. */
#include "tools/bench/subject.h"

#include "tools/common/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *linear_type(const engine_model *model)
{
    engine_tensor_info tensor;
    const char *type = "none";
    for (size_t i = 0; engine_model_tensor(model, i, &tensor) == ENGINE_OK; i++) {
        if (strncmp(tensor.name, "layers.", 7) != 0 || tensor.n_dims != 2)
            continue;
        if (strcmp(type, "none") != 0 && strcmp(type, tensor.type) != 0)
            return "mixed";
        type = tensor.type;
    }
    return type;
}

static int open_model(struct subject *subject)
{
    engine_error error;
    subject->info.struct_bytes = sizeof subject->info;
    if (engine_model_open(subject->file, NULL, &subject->model, &error) != ENGINE_OK)
        return program_fail("%s", error.message);
    if (engine_model_info(subject->model, &subject->info) != ENGINE_OK ||
        !subject->info.has_model) {
        engine_model_close(subject->model);
        return program_fail("'%s' holds no model", subject->file);
    }
    subject->precision = linear_type(subject->model);
    return PROGRAM_DONE;
}

int subject_open(struct subject *subject, const char *path)
{
    *subject = (struct subject){.fd = -1, .file = path, .name = path};
    return open_model(subject);
}

/* Before minutes are spent on writing it. What cannot be asked here is for the writer to find. */
static int check_space(const char *folder, const struct bert_shape *shape, const char *precision)
{
    struct statvfs system;
    uint64_t needed = bert_file_bytes(shape, precision), found;
    if (statvfs(folder, &system) != 0 ||
        __builtin_mul_overflow((uint64_t)system.f_bavail, (uint64_t)system.f_frsize, &found) ||
        needed <= found)
        return PROGRAM_DONE;
    return program_fail("the shape takes %s%.1f GB in %s, '%s' has %.1f GB",
                        needed == UINT64_MAX ? "more than " : "", 1e-9 * (double)needed, precision,
                        folder, 1e-9 * (double)found);
}

/* Writes the file and leaves it open without a name. */
static int make_file(struct subject *subject, const struct bert_shape *shape, const char *precision,
                     uint64_t seed)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    folder = folder != NULL && folder[0] != '\0' ? folder : "/tmp";
    int n = snprintf(path, sizeof path, "%s/encode-bench-%ld.weights", folder, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof path)
        return program_fail("$TMPDIR is too long");
    int code = check_space(folder, shape, precision);
    if (code == PROGRAM_DONE)
        code = bert_file_write(path, shape, precision, seed);
    if (code != PROGRAM_DONE)
        return code;
    subject->fd = open(path, O_RDONLY); /* children inherit it: the workload cold opens it there */
    code = subject->fd >= 0 ? PROGRAM_DONE
                            : program_fail("cannot open '%s': %s", path, strerror(errno));
    unlink(path);
    return code;
}

int subject_make(struct subject *subject, const struct bert_shape *shape, const char *shape_text,
                 const char *precision, uint64_t seed)
{
    *subject = (struct subject){.fd = -1, .name = shape_text};
    int code = make_file(subject, shape, precision, seed);
    if (code != PROGRAM_DONE)
        return code;
    snprintf(subject->path, sizeof subject->path, "/proc/self/fd/%d", subject->fd);
    subject->file = subject->path;
    code = open_model(subject);
    if (code != PROGRAM_DONE)
        close(subject->fd);
    return code;
}

void subject_close(struct subject *subject)
{
    engine_model_close(subject->model);
    if (subject->fd >= 0)
        close(subject->fd);
}

struct operations {
    double in_int8, in_floats; /* of linear layers */
    double attention;
};

static struct operations count(const struct subject *subject, const struct workload *workload)
{
    const engine_info *info = &subject->info;
    struct operations operations = {
        .attention = 2 * workload->n_pairs * (double)info->n_layers * 2 * (double)info->width,
    };
    engine_tensor_info tensor;
    for (size_t i = 0; engine_model_tensor(subject->model, i, &tensor) == ENGINE_OK; i++) {
        if (tensor.n_dims != 2 || strncmp(tensor.name, "layers.", 7) != 0)
            continue;
        double products = (double)tensor.shape[0] * (double)tensor.shape[1];
        bool is_int8 = strcmp(tensor.type, "int8") == 0;
        *(is_int8 ? &operations.in_int8 : &operations.in_floats) +=
            2 * (double)workload->n_tokens * products;
    }
    return operations;
}

double subject_operations(const struct subject *subject, const struct workload *workload)
{
    struct operations operations = count(subject, workload);
    return operations.in_int8 + operations.in_floats + operations.attention;
}

double subject_ideal_seconds(const struct subject *subject, const struct workload *workload,
                             double f32_gflops, double int8_gops)
{
    struct operations operations = count(subject, workload);
    return 1e-9 * (operations.in_int8 / int8_gops +
                   (operations.in_floats + operations.attention) / f32_gflops);
}
