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
    char isa[16];                        /* of the peaks; "" at first */
    struct peaks peaks[BENCH_LIST_MOST]; /* of each number of threads */
    size_t n_peaks;
    struct subject subject;
    int code; /* PROGRAM_FAILED after a workload failed; the others are still run */
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

/* Chooses the numbers of threads: those of -t, else one, and one for each CPU that this process may
 * use; of each, the number that a session really has. */
static void choose_threads(struct bench *bench)
{
    const struct bench_list *asked = &bench->options->threads;
    const int n_cpus = omp_get_num_procs();
    bench->n_peaks = asked->n > 0 ? asked->n : n_cpus > 1 ? 2 : 1;
    for (size_t i = 0; i < bench->n_peaks; i++) {
        size_t wanted = asked->n > 0 ? asked->counts[i] : i == 0 ? 1 : (size_t)n_cpus;
        size_t n = encoding_threads(&bench->subject, wanted);
        if (n != wanted)
            program_note("%zu threads asked, the session has %zu", wanted, n);
        bench->peaks[i].n_threads = n;
    }
}

/* Measures the peaks of the subject's kernels, unless they are those of the subject before. */
static void measure_peaks(struct bench *bench)
{
    const char *isa = bench->subject.info.isa;
    const bool is_text = !bench->options->is_json;
    if (strcmp(bench->isa, isa) == 0)
        return;
    if (bench->isa[0] == '\0')
        choose_threads(bench);
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

/* Prints a line of the workload for each number of threads. */
static void measure_workload(struct bench *bench, const struct workload *workload)
{
    const struct bench_options *options = bench->options;
    const struct series_length length = {options->seconds, options->n_runs};
    for (size_t i = 0; i < bench->n_peaks; i++) {
        struct peaks *peaks = &bench->peaks[i];
        struct result result = {.subject = &bench->subject,
                                .workload = workload,
                                .has_profile = options->profile && workload->ids != NULL};
        peaks_measure(peaks, bench->isa);
        if (!encoding_time(&bench->subject, workload, peaks->n_threads, length, &result.timing) ||
            (result.has_profile && !encoding_profile(&bench->subject, workload, peaks->n_threads,
                                                     length, &result.profile))) {
            bench->code = PROGRAM_FAILED;
            continue;
        }
        peaks_measure(peaks, bench->isa);
        result.peaks = *peaks;
        (options->is_json ? result_print_json : result_print_text)(&result);
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
    if (strcmp(name, "cold") == 0)
        workload = (struct workload){.name = "cold", .n = 1};
    else
        workload_random(&workload, name, info->n_vocabulary, options->seed);
    if (workload.longest > info->max_tokens && !options->has_workloads)
        program_note("%s is skipped: the model takes %zu tokens", name, info->max_tokens);
    else
        measure_workload(bench, &workload);
    workload_free(&workload);
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
    for (size_t i = 0; i < (options.model != NULL ? 1 : options.precisions.n); i++) {
        if (options.model != NULL)
            subject_open(&bench.subject, options.model);
        else
            subject_make(&bench.subject, options.shape, options.precisions.names[i], options.seed);
        measure_peaks(&bench);
        for (size_t k = 0; k < options.n_ids_files; k++)
            measure_file(&bench, options.ids_files[k]);
        for (size_t k = 0; k < options.workloads.n; k++)
            measure_named(&bench, options.workloads.names[k]);
        subject_close(&bench.subject);
    }
    return program_end(bench.code);
}
