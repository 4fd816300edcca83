/* bench.c - encode-bench: how long the encoder takes for work that everyone can repeat, and how
 * near that is to what the machine can do.
 *
 *     for each precision: a model;  for each workload, for each number of threads:
 *     the peaks of the kernels in use, runs, the peaks again, a line
 *
 * The pieces: tools/bench/. See encode-bench(1).
 */
#include "tools/bench/bench_options.h"
#include "tools/bench/encoding.h"
#include "tools/bench/peaks.h"
#include "tools/bench/result.h"
#include "tools/common/inputs.h"
#include "tools/common/options.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

struct bench {
    const struct bench_options *options;
    char isa[16];                        /* whose peaks these are; "" at first */
    struct peaks peaks[BENCH_LIST_MOST]; /* of each number of threads */
    size_t n_peaks;
    struct subject subject;
    int code; /* PROGRAM_FAILED once a workload failed; the others are still run */
};

/* ---- Machine ---- */

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
}

/* The peaks of the subject's kernels, unless it has those of the subject before. */
static void measure_peaks(struct bench *bench)
{
    const char *isa = bench->subject.info.isa;
    const bool is_text = !bench->options->is_json;
    if (strcmp(bench->isa, isa) == 0)
        return;
    if (is_text && bench->isa[0] == '\0')
        print_machine();
    snprintf(bench->isa, sizeof bench->isa, "%s", isa);
    for (size_t i = 0; i < bench->n_peaks; i++) {
        struct peaks *peaks = &bench->peaks[i];
        peaks->f32 = peaks->int8 = 0;
        peaks_measure(peaks, isa);
        if (is_text)
            printf("%zu thread%s, %s: %.1f GFLOP/s in f32, %.0f GOP/s in int8\n", peaks->n_threads,
                   plural(peaks->n_threads), isa, peaks->f32, peaks->int8);
    }
    if (is_text)
        result_print_heading();
}

/* ---- Workloads ---- */

/* The profile needs a session of its own, since watching takes time. */
static bool run(const struct bench_options *options, struct result *result)
{
    struct series_length length = {options->seconds, options->n_runs};
    size_t n_threads = result->peaks.n_threads;
    result->has_profile = options->profile && result->workload->ids != NULL;
    return encoding_time(result->subject, result->workload, n_threads, length, &result->timing) &&
           (!result->has_profile || encoding_profile(result->subject, result->workload, n_threads,
                                                     length, &result->profile));
}

/* The line of a workload with as many threads as these peaks are of. */
static void measure_with(struct bench *bench, const struct workload *workload, struct peaks *peaks)
{
    struct result result = {
        .subject = &bench->subject, .workload = workload, .peaks.n_threads = peaks->n_threads};
    peaks_measure(peaks, bench->isa);
    if (!run(bench->options, &result)) {
        bench->code = PROGRAM_FAILED;
        return;
    }
    peaks_measure(peaks, bench->isa);
    result.peaks = *peaks;
    if (bench->options->is_json)
        result_print_json(&result);
    else
        result_print_text(&result);
    fflush(stdout); /* some take long: show each when it is there */
}

static void measure(struct bench *bench, const struct workload *workload)
{
    for (size_t i = 0; i < bench->n_peaks; i++)
        measure_with(bench, workload, &bench->peaks[i]);
}

static void measure_file(struct bench *bench, const char *path)
{
    struct workload workload = {0};
    if (workload_read(&workload, path) == PROGRAM_DONE)
        measure(bench, &workload);
    else
        bench->code = PROGRAM_FAILED;
    workload_free(&workload);
}

static void measure_named(struct bench *bench, const char *name)
{
    const struct bench_options *options = bench->options;
    const engine_info *info = &bench->subject.info;
    struct workload workload = {0};
    if (strcmp(name, "cold") == 0)
        workload = (struct workload){.name = "cold", .n = 1};
    else
        workload_random(&workload, name, info->n_vocabulary, options->seed);
    if (workload.longest > info->max_tokens && !options->has_workloads)
        program_note("%s is left out: the model takes %zu tokens", name, info->max_tokens);
    else
        measure(bench, &workload);
    workload_free(&workload);
}

/* ---- Program ---- */

static void add_threads(struct bench *bench, size_t n)
{
    bench->peaks[bench->n_peaks++].n_threads = n;
}

/* Without -t: one thread, and one for each CPU that this process may use. */
static void choose_threads(struct bench *bench)
{
    const struct bench_list *asked = &bench->options->threads;
    int n_cpus = omp_get_num_procs();
    for (size_t i = 0; i < asked->n; i++)
        add_threads(bench, asked->counts[i]);
    if (asked->n == 0)
        add_threads(bench, 1);
    if (asked->n == 0 && n_cpus > 1)
        add_threads(bench, (size_t)n_cpus);
}

/* What is measured has as many threads as a session really has. */
static void ask_sessions(struct bench *bench)
{
    for (size_t i = 0; i < bench->n_peaks; i++) {
        size_t asked = bench->peaks[i].n_threads, n = encoding_threads(&bench->subject, asked);
        if (n != asked)
            program_note("%zu threads asked, the session has %zu", asked, n);
        bench->peaks[i].n_threads = n;
    }
}

/* The peaks come first, but not before it is clear that there is a model. */
static void measure_subject(struct bench *bench)
{
    const struct bench_options *options = bench->options;
    if (bench->isa[0] == '\0')
        ask_sessions(bench);
    measure_peaks(bench);
    for (size_t i = 0; i < options->n_ids_files; i++)
        measure_file(bench, options->ids_files[i]);
    for (size_t i = 0; i < options->workloads.n; i++)
        measure_named(bench, options->workloads.names[i]);
    subject_close(&bench->subject);
}

static void measure_subjects(struct bench *bench)
{
    const struct bench_options *options = bench->options;
    if (options->model != NULL) {
        subject_open(&bench->subject, options->model);
        measure_subject(bench);
        return;
    }
    for (size_t i = 0; i < options->precisions.n; i++) {
        subject_make(&bench->subject, options->shape, options->precisions.names[i], options->seed);
        measure_subject(bench);
    }
}

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
    choose_threads(&bench);
    measure_subjects(&bench);
    return program_end(bench.code);
}
