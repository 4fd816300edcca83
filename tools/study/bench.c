/* bench.c - encode-bench: how long the encoder takes for work that everyone can repeat.
 *
 *     for each type: a model;  for each workload, for each number of threads: runs, a line
 *
 * Vectors are compared with those of a reference: the same model in float32.
 *
 * The pieces: tools/study/bench/. See encode-bench(1).
 */
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/print/rows.h"
#include "tools/study/bench/bench_options.h"
#include "tools/study/bench/encoding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    const struct bench_options *options;
    struct bench_list threads; /* n 0: not chosen */
    struct subject subject;
    struct subject reference; /* model NULL: not open */
    int code;                 /* PROGRAM_FAILED after a workload failed; the others are still run */
};

/* ---- Results ---- */

/* The figures of a workload after its runs. */
struct result {
    const struct subject *subject;
    const struct workload *workload;
    size_t n_threads;
    double cosine;        /* least of the texts; NaN: unknown */
    struct timing timing; /* in seconds */
    bool has_profile;
    struct profile_shares profile;
};

enum {
    MEDIAN_MS,
    MIN_MS,
    SPREAD,
    TOKENS_PER_S,
    TEXTS_PER_S,
    MS_PER_TOKEN,
    GFLOPS,
    COSINE,
    N_FIGURES
};

/* Names the instructions of the products: layers in int8, and attention and all other layers. */
static const char *products_of(const struct result *result)
{
    const bool has_int8 = strstr(result->subject->type, "int8") != NULL;
    return result->subject->info.precision == ENGINE_PRECISION_BF16
               ? (has_int8 ? "int8+bf16" : "bf16")
               : (has_int8 ? "int8+f32" : "f32");
}

static void compute_figures(const struct result *result, double figures[N_FIGURES])
{
    const struct workload *workload = result->workload;
    const double median = result->timing.median;
    const double n_tokens = (double)workload->n_tokens;
    figures[MEDIAN_MS] = 1e3 * median;
    figures[MIN_MS] = 1e3 * result->timing.min;
    figures[SPREAD] = result->timing.spread;
    figures[TOKENS_PER_S] = n_tokens / median;
    figures[TEXTS_PER_S] = (double)workload->n / median;
    figures[MS_PER_TOKEN] = 1e3 * median / n_tokens;
    figures[GFLOPS] = 1e-9 * subject_operations(result->subject, workload) / median;
    figures[COSINE] = result->cosine;
}

/* A cosine that is unknown is null. */
static void print_json(const struct result *result)
{
    static const char *const names[N_FIGURES] = {"median_ms",    "min_ms",      "spread",
                                                 "tokens_per_s", "texts_per_s", "ms_per_token",
                                                 "gflops",       "cosine"};
    struct json_writer json = {.stream = stdout};
    double figures[N_FIGURES];
    compute_figures(result, figures);
    json_begin_object(&json, NULL);
    json_write_text(&json, "workload", result->workload->name);
    json_write_text(&json, "model", result->subject->name);
    json_write_count(&json, "threads", result->n_threads);
    json_write_text(&json, "type", result->subject->type);
    json_write_text(&json, "precision", result->subject->precision);
    json_write_text(&json, "products", products_of(result));
    json_write_text(&json, "isa", result->subject->info.isa);
    json_write_count(&json, "texts", result->workload->n);
    json_write_count(&json, "tokens", result->workload->n_tokens);
    json_write_count(&json, "shortest", result->workload->shortest);
    json_write_count(&json, "longest", result->workload->longest);
    json_write_count(&json, "runs", result->timing.n_runs);
    for (size_t i = 0; i < N_FIGURES; i++) /* in more digits than any clock here has */
        json_write_double(&json, names[i], i == COSINE ? "%.8f" : "%.6g", figures[i]);
    if (result->has_profile)
        json_begin_object(&json, "profile");
    else
        json_write_null(&json, "profile");
    for (size_t i = 0; result->has_profile && i < PROFILE_SHARES; i++)
        json_write_double(&json, profile_share_name(i), "%.4f", result->profile.share[i]);
    if (result->has_profile)
        json_end_object(&json);
    json_end_object(&json);
}

/* Prints a number at the right of a cell, or "-". */
static void print_figure(int width, const char *format, double number)
{
    char cell[32] = "-";
    if (isfinite(number))
        snprintf(cell, sizeof cell, format, number);
    printf(" %*s", width, cell);
}

/* The format for four digits. */
static const char *ms_format(double ms)
{
    return ms < 10 ? "%.3f" : ms < 100 ? "%.2f" : "%.1f";
}

static void print_text(const struct result *result)
{
    double figures[N_FIGURES];
    compute_figures(result, figures);
    printf("%-10s %-9s %7zu", result->workload->name, result->subject->type, result->n_threads);
    print_figure(10, ms_format(figures[MEDIAN_MS]), figures[MEDIAN_MS]);
    print_figure(10, ms_format(figures[MIN_MS]), figures[MIN_MS]);
    print_figure(7, "%.1f %%", 100 * figures[SPREAD]);
    print_figure(9, "%.0f", figures[TOKENS_PER_S]);
    print_figure(9, "%.1f", figures[TEXTS_PER_S]);
    print_figure(8, "%.2f", 1e3 * figures[MS_PER_TOKEN]);
    print_figure(9, "%.1f", figures[GFLOPS]);
    printf(" %-9s", products_of(result));
    print_figure(9, "%.6f", figures[COSINE]);
    printf("%s", result->has_profile ? "\n          " : "\n");
    for (size_t i = 0; result->has_profile && i < PROFILE_SHARES; i++) {
        printf(" %s", profile_share_name(i));
        print_figure(0, "%.1f %%", 100 * result->profile.share[i]);
        printf("%s", i + 1 < PROFILE_SHARES ? "," : "\n");
    }
}

/* ---- Machine ---- */

/* Prints what is measured, and the heads of the columns. */
static void print_machine(void)
{
    char line[256], *colon;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "model name", 10) == 0 && (colon = strchr(line, ':')) != NULL) {
            printf("%s", colon + 2);
            break;
        }
    if (file != NULL)
        fclose(file);
    printf("%s\n", engine_build_info());
    printf("\n%-10s %-9s %7s %10s %10s %7s %9s %9s %8s %9s %-9s %9s\n", "workload", "type",
           "threads", "median ms", "min ms", "spread", "tokens/s", "texts/s", "us/token", "GFLOP/s",
           "by", "cosine");
}

/* ---- Cosines ---- */

/* Opens the model in float32, unless that is the subject. Returns false if there is none: a file of
 * int8 has no numbers of its own in float32. */
static bool open_reference(struct bench *bench)
{
    const struct bench_options *options = bench->options;
    const bool is_int8 = strstr(bench->subject.type, "int8") != NULL;
    if (bench->reference.model != NULL)
        return true;
    if (options->model == NULL)
        subject_make(&bench->reference, options->shape, "f32", options->seed, "exact");
    else if (options->reference != NULL || !is_int8)
        subject_open(&bench->reference,
                     options->reference != NULL ? options->reference : options->model, "exact");
    if (bench->reference.model != NULL && bench->reference.info.width != bench->subject.info.width)
        program_die("--reference '%s' has width %zu, the model %zu", options->reference,
                    bench->reference.info.width, bench->subject.info.width);
    return bench->reference.model != NULL;
}

/* Returns the least cosine of a text's vector and the reference's. */
static double least_cosine(struct bench *bench, const struct workload *workload)
{
    const struct bench_options *options = bench->options;
    const size_t width = bench->subject.info.width;
    const bool is_itself = options->reference == NULL &&
                           bench->subject.info.precision == ENGINE_PRECISION_EXACT &&
                           strcmp(bench->subject.type, "f32") == 0;
    double least = 1;
    if (is_itself || !open_reference(bench))
        return is_itself ? 1 : NAN;
    float *ours = encoding_vectors(&bench->subject, workload);
    float *exact = ours != NULL ? encoding_vectors(&bench->reference, workload) : NULL;
    for (size_t i = 0; exact != NULL && i < workload->n * width; i += width)
        least = fmin(least, engine_cosine(ours + i, exact + i, width));
    least = exact != NULL ? least : NAN;
    free(ours);
    free(exact);
    return least;
}

/* ---- Workloads ---- */

/* Prints a line of the workload for each number of threads. */
static void measure_workload(struct bench *bench, const struct workload *workload)
{
    const struct bench_options *options = bench->options;
    const struct series_length length = {options->seconds, options->n_runs};
    double cosine = NAN;
    for (size_t i = 0; i < bench->threads.n; i++) {
        size_t *n_threads = &bench->threads.counts[i];
        struct result result = {
            .subject = &bench->subject, .workload = workload, .has_profile = options->profile};
        if (!encoding_time(&bench->subject, workload, n_threads, length, &result.timing) ||
            (result.has_profile &&
             !encoding_profile(&bench->subject, workload, *n_threads, length, &result.profile))) {
            bench->code = PROGRAM_FAILED;
            continue;
        }
        result.n_threads = *n_threads;
        if (isnan(cosine)) /* the same for any number of threads */
            cosine = least_cosine(bench, workload);
        result.cosine = cosine;
        (options->is_json ? print_json : print_text)(&result);
        fflush(stdout); /* some take long: show each when it is measured */
    }
}

static void measure_file(struct bench *bench, const char *path)
{
    struct workload workload = {0};
    if (workload_read(&workload, path) == PROGRAM_DONE)
        measure_workload(bench, &workload);
    else
        bench->code = PROGRAM_FAILED;
    workload_free(&workload);
}

static void measure_named(struct bench *bench, const char *name)
{
    const struct bench_options *options = bench->options;
    const engine_info *info = &bench->subject.info;
    struct workload workload = {0};
    workload_random(&workload, name, info->n_vocabulary, options->seed);
    if (workload.longest > info->max_tokens && !options->has_workloads)
        program_note("%s is skipped: the model takes %zu tokens", name, info->max_tokens);
    else
        measure_workload(bench, &workload);
    workload_free(&workload);
}

/* type: of a model of a shape. */
static void measure_model(struct bench *bench, const char *type, const char *precision)
{
    const struct bench_options *options = bench->options;
    if (options->model != NULL)
        subject_open(&bench->subject, options->model, precision);
    else
        subject_make(&bench->subject, options->shape, type, options->seed, precision);
    if (bench->threads.n == 0 && !options->is_json) /* the first model */
        print_machine();
    bench->threads = bench->threads.n > 0 ? bench->threads : options->threads;
    for (size_t i = 0; i < options->n_ids_files; i++)
        measure_file(bench, options->ids_files[i]);
    for (size_t i = 0; i < options->workloads.n; i++)
        measure_named(bench, options->workloads.names[i]);
    subject_close(&bench->subject);
}

/* ---- Program ---- */

int main(int argc, char *argv[])
{
    static struct bench bench;
    struct bench_options options;
    program_begin("encode-bench", argv);
    bench_options_read(&options, argc, argv);
    set_passive_waiting(argv, 0);
    for (size_t i = 0; i < options.n_ids_files; i++)
        input_remember(options.ids_files[i]);
    bench.options = &options;
    for (size_t i = 0; i < (options.model != NULL ? 1 : options.types.n); i++)
        for (size_t k = 0; k < options.precisions.n; k++)
            measure_model(&bench, options.types.names[i], options.precisions.names[k]);
    if (bench.reference.model != NULL)
        subject_close(&bench.reference);
    return program_end(bench.code);
}
