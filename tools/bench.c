/* bench.c - encode-bench: how long the encoder takes for work that everyone can repeat, and how
 * near that is to what the machine can do.
 *
 *     for each precision: a model;  for each workload, for each number of threads:
 *     hand-over, peak, runs, peak, hand-over, a line
 *
 * The pieces: tools/bench/. See man/encode-bench.1.
 */
#include "tools/bench/bench_options.h"
#include "tools/bench/cold.h"
#include "tools/bench/encoding.h"
#include "tools/bench/handover.h"
#include "tools/bench/peaks.h"
#include "tools/bench/result.h"
#include "tools/common/options.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { CORPUS_SENTENCES = 512, TOKENIZED_SENTENCES = 8192 };

struct bench {
    const struct bench_options *options;
    size_t threads[BENCH_LIST_MOST], n_threads;
    struct peaks peaks[BENCH_LIST_MOST]; /* of each number of threads */
    struct subject subject;
    int code; /* PROGRAM_FAILED once anything failed */
};

static bool fail_once(struct bench *bench)
{
    bench->code = PROGRAM_FAILED;
    return false;
}

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

static bool measure_peaks(struct bench *bench)
{
    if (!bench->options->is_json)
        print_machine();
    for (size_t i = 0; i < bench->n_threads; i++) {
        struct peaks *peaks = &bench->peaks[i];
        peaks->n_threads = bench->threads[i];
        if (!peaks_arithmetic(peaks) || !peaks_memory(peaks)) {
            program_note("the peaks of %zu threads cannot be measured: no memory, or no threads",
                         peaks->n_threads);
            return fail_once(bench);
        }
        double handover = peaks->n_threads > 1 ? handover_ns() : NAN;
        if (!bench->options->is_json)
            peaks_print_text(peaks, handover);
        else if (bench->options->peaks_alone)
            peaks_print_json(peaks, handover);
    }
    if (!bench->options->is_json && !bench->options->peaks_alone)
        result_print_heading();
    return true;
}

/* ---- Workloads ---- */

static struct result new_result(const struct bench *bench, const struct workload *workload,
                                size_t n_threads)
{
    return (struct result){
        .workload = workload->name,
        .model = bench->subject.name,
        .n_threads = n_threads,
        .precision = bench->subject.precision,
        .isa = bench->subject.info.isa,
        .gflops = NAN,
        .share_of_peak = NAN,
        .handover_before_ns = NAN,
        .handover_after_ns = NAN,
        .tokenize_mb_per_s = NAN,
        .resident_mb = NAN,
    };
}

static void print(const struct bench *bench, const struct result *result)
{
    if (bench->options->is_json)
        result_print_json(result);
    else
        result_print_text(result);
    fflush(stdout); /* some take long: show each when it is there */
}

/* The line of a workload with a number of threads: run() does the work and fills what it knows. */
static void measure(struct bench *bench, struct workload *workload, size_t index,
                    bool (*run)(struct bench *bench, struct workload *workload,
                                const struct series_length *length, struct result *result))
{
    const struct bench_options *options = bench->options;
    struct series_length length = {options->seconds, options->n_runs};
    struct peaks *peaks = &bench->peaks[index];
    struct result result = new_result(bench, workload, bench->threads[index]);
    if (result.n_threads > 1)
        result.handover_before_ns = handover_ns();
    if (!peaks_arithmetic(peaks) || !run(bench, workload, &length, &result) ||
        !peaks_arithmetic(peaks)) {
        fail_once(bench);
        return;
    }
    if (result.n_threads > 1)
        result.handover_after_ns = handover_ns();
    result.peaks = *peaks;
    result.n_texts = workload->n;
    result.n_tokens = workload->n_tokens;
    result.shortest = workload->shortest;
    result.longest = workload->longest;
    if (workload->n_tokens > 0) { /* of a whole process, most is no arithmetic */
        double seconds =
            subject_ideal_seconds(&bench->subject, workload, peaks->f32_gflops, peaks->int8_gops);
        result.share_of_peak = seconds / result.timing.median;
        result.gflops = 1e-9 * subject_operations(&bench->subject, workload) / result.timing.median;
    }
    print(bench, &result);
}

static bool run_encoding(struct bench *bench, struct workload *workload,
                         const struct series_length *length, struct result *result)
{
    result->has_profile = bench->options->profile;
    return encoding_time(&bench->subject, workload, result->n_threads, length, &result->timing,
                         result->has_profile ? &result->profile : NULL);
}

/* The texts to vectors; and of more texts, that the processor does not know by heart, the tokens.
 */
static bool run_corpus(struct bench *bench, struct workload *workload,
                       const struct series_length *length, struct result *result)
{
    struct workload texts = {0};
    bool done = workload_sentences(&texts, workload->name, bench->subject.model,
                                   TOKENIZED_SENTENCES, bench->options->seed + 1) &&
                tokenizing_rate(&bench->subject, &texts, length, &result->tokenize_mb_per_s) &&
                run_encoding(bench, workload, length, result);
    workload_free(&texts);
    return done;
}

static bool run_cold(struct bench *bench, struct workload *workload,
                     const struct series_length *length, struct result *result)
{
    return cold_time(&bench->subject, workload->text, result->n_threads, length, &result->timing,
                     &result->resident_mb);
}

static void measure_ids(struct bench *bench, const char *name)
{
    const struct bench_options *options = bench->options;
    struct workload workload = {0};
    bool done = workload_random(&workload, name, bench->subject.info.n_vocabulary, options->seed);
    if (!done) {
        program_note("out of memory");
        fail_once(bench);
    } else if (workload.longest > bench->subject.info.max_tokens &&
               (!options->has_workloads || strncmp(name, "tokens", 6) == 0)) {
        program_note("%s is left out: the model takes %zu tokens", name,
                     bench->subject.info.max_tokens);
    } else {
        for (size_t i = 0; i < bench->n_threads; i++)
            measure(bench, &workload, i, run_encoding);
    }
    workload_free(&workload);
}

/* The corpus, or the first of its sentences. */
static void measure_texts(struct bench *bench, const char *name, bool is_cold)
{
    const struct bench_options *options = bench->options;
    struct workload workload = {0};
    bool done = workload_sentences(&workload, name, bench->subject.model,
                                   is_cold ? 1 : CORPUS_SENTENCES, options->seed);
    if (!done) {
        program_note("out of memory");
        fail_once(bench);
    } else if (workload.n == 0) {
        program_note("%s%s: the model has no vocabulary of words", name,
                     options->has_workloads ? "" : " is left out");
        if (options->has_workloads)
            fail_once(bench);
    } else {
        if (is_cold)
            workload.text[workload.text_bytes] = '\0';
        for (size_t i = 0; i < bench->n_threads; i++)
            measure(bench, &workload, i, is_cold ? run_cold : run_corpus);
    }
    workload_free(&workload);
}

static void measure_file(struct bench *bench, const char *path)
{
    struct workload workload = {0};
    if (workload_read(&workload, path) != PROGRAM_DONE)
        fail_once(bench);
    else
        for (size_t i = 0; i < bench->n_threads; i++)
            measure(bench, &workload, i, run_encoding);
    workload_free(&workload);
}

static void measure_named(struct bench *bench, size_t workload)
{
    static const char *const LENGTHS[] = {"tokens64",  "tokens128",  "tokens256",
                                          "tokens512", "tokens2048", "tokens8192"};
    const char *name = BENCH_WORKLOADS[workload];
    if (workload == BENCH_CORPUS || workload == BENCH_COLD)
        measure_texts(bench, name, workload == BENCH_COLD);
    else if (workload != BENCH_TOKENS)
        measure_ids(bench, name);
    else
        for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++)
            measure_ids(bench, LENGTHS[i]);
}

/* What is measured has as many threads as a session really has. */
static bool settle_sessions(struct bench *bench)
{
    for (size_t i = 0; i < bench->n_threads; i++) {
        size_t asked = bench->threads[i];
        bench->threads[i] = encoding_threads(&bench->subject, asked);
        if (bench->threads[i] == 0)
            return fail_once(bench);
        if (bench->threads[i] != asked)
            program_note("%zu threads asked, the session has %zu", asked, bench->threads[i]);
    }
    return true;
}

/* The peaks come first, but not before it is clear that there is a model. */
static void measure_subject(struct bench *bench)
{
    const struct bench_options *options = bench->options;
    bool done = bench->peaks[0].n_threads > 0 || (settle_sessions(bench) && measure_peaks(bench));
    for (size_t i = 0; done && i < options->n_ids_files; i++)
        measure_file(bench, options->ids_files[i]);
    for (size_t i = 0; done && i < options->n_workloads; i++)
        measure_named(bench, options->workloads[i]);
    subject_close(&bench->subject);
}

/* ---- Program ---- */

/* Without -t: one thread, and one for each CPU that this process may use. */
static void settle_threads(struct bench *bench)
{
    const struct bench_options *options = bench->options;
    cpu_set_t cpus;
    int n_cpus = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1;
    bench->n_threads = options->n_threads;
    memcpy(bench->threads, options->threads, sizeof bench->threads);
    if (bench->n_threads > 0)
        return;
    bench->threads[bench->n_threads++] = 1;
    if (n_cpus > 1)
        bench->threads[bench->n_threads++] = (size_t)n_cpus;
}

static void measure_all(struct bench *bench)
{
    const struct bench_options *options = bench->options;
    if (options->model != NULL) {
        int code = subject_open(&bench->subject, options->model);
        if (code == PROGRAM_DONE)
            measure_subject(bench);
        bench->code = code == PROGRAM_DONE ? bench->code : code;
        return;
    }
    for (size_t i = 0; i < options->n_precisions; i++) {
        int code = subject_make(&bench->subject, &options->shape, options->shape_text,
                                options->precisions[i], options->seed);
        if (code == PROGRAM_DONE)
            measure_subject(bench);
        bench->code = code == PROGRAM_DONE ? bench->code : code;
    }
}

int main(int argc, char *argv[])
{
    static struct bench bench;
    struct bench_options options;
    bool ends;
    program_begin("encode-bench", argv);
    int code = bench_options_read(argc, argv, &options, &ends);
    if (code != PROGRAM_DONE || ends)
        return code;
    bench.options = &options;
    settle_threads(&bench);
    if (options.peaks_alone)
        measure_peaks(&bench);
    else
        measure_all(&bench);
    return program_end(bench.code);
}
