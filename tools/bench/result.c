/* result.c - results as text and as JSON. */
#include "tools/bench/result.h"

#include "tools/common/options.h"
#include "tools/common/print/json_writer.h"

#include <math.h>
#include <stdio.h>

enum {
    MEDIAN_MS,
    MIN_MS,
    SPREAD,
    TOKENS_PER_S,
    TEXTS_PER_S,
    MS_PER_TOKEN,
    GFLOPS,
    SHARE_OF_PEAK,
    PEAK_F32_GFLOPS,
    PEAK_INT8_GOPS,
    N_FIGURES
};

/* Computes the figures, NaN where one does not apply: a process of its own has no known number of
 * tokens and no share of a peak, since most of its time is not arithmetic. */
static void compute_figures(const struct result *result, double figures[N_FIGURES])
{
    const struct workload *workload = result->workload;
    const struct peaks *peaks = &result->peaks;
    const struct work work = subject_work(result->subject, workload);
    const double median = result->timing.median;
    const double n_tokens = workload->n_tokens > 0 ? (double)workload->n_tokens : NAN;
    const double giga_per_s = workload->n_tokens > 0 ? 1e-9 / median : NAN;
    figures[MEDIAN_MS] = 1e3 * median;
    figures[MIN_MS] = 1e3 * result->timing.min;
    figures[SPREAD] = result->timing.spread;
    figures[TOKENS_PER_S] = n_tokens / median;
    figures[TEXTS_PER_S] = (double)workload->n / median;
    figures[MS_PER_TOKEN] = 1e3 * median / n_tokens;
    figures[GFLOPS] = giga_per_s * (work.int8 + work.f32);
    figures[SHARE_OF_PEAK] = giga_per_s * (work.int8 / peaks->int8 + work.f32 / peaks->f32);
    figures[PEAK_F32_GFLOPS] = peaks->f32;
    figures[PEAK_INT8_GOPS] = peaks->int8;
}

void result_print_json(const struct result *result)
{
    static const char *const names[N_FIGURES] = {
        "median_ms",    "min_ms", "spread",        "tokens_per_s",    "texts_per_s",
        "ms_per_token", "gflops", "share_of_peak", "peak_f32_gflops", "peak_int8_gops"};
    struct json_writer json = {.stream = stdout};
    double figures[N_FIGURES];
    compute_figures(result, figures);
    json_begin_object(&json, NULL);
    json_write_text(&json, "workload", result->workload->name);
    json_write_text(&json, "model", result->subject->name);
    json_write_count(&json, "threads", result->peaks.n_threads);
    json_write_text(&json, "precision", result->subject->precision);
    json_write_text(&json, "isa", result->subject->info.isa);
    json_write_count(&json, "texts", result->workload->n);
    json_write_count(&json, "tokens", result->workload->n_tokens);
    json_write_count(&json, "shortest", result->workload->shortest);
    json_write_count(&json, "longest", result->workload->longest);
    json_write_count(&json, "runs", result->timing.n_runs);
    for (size_t i = 0; i < N_FIGURES; i++) /* in more digits than any clock here has */
        json_write_double(&json, names[i], "%.6g", figures[i]);
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

/* ---- Text ---- */

void result_print_heading(void)
{
    printf("\n%-10s %-9s %7s %10s %10s %7s %9s %9s %8s %9s\n", "workload", "precision", "threads",
           "median ms", "min ms", "spread", "tokens/s", "texts/s", "us/token", "of peak");
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

void result_print_text(const struct result *result)
{
    double figures[N_FIGURES];
    compute_figures(result, figures);
    printf("%-10s %-9s %7zu", result->workload->name, result->subject->precision,
           result->peaks.n_threads);
    print_figure(10, ms_format(figures[MEDIAN_MS]), figures[MEDIAN_MS]);
    print_figure(10, ms_format(figures[MIN_MS]), figures[MIN_MS]);
    print_figure(7, "%.1f %%", 100 * figures[SPREAD]);
    print_figure(9, "%.0f", figures[TOKENS_PER_S]);
    print_figure(9, "%.1f", figures[TEXTS_PER_S]);
    print_figure(8, "%.2f", 1e3 * figures[MS_PER_TOKEN]);
    print_figure(9, "%.1f %%", 100 * figures[SHARE_OF_PEAK]);
    printf("%s", result->has_profile ? "\n          " : "\n");
    for (size_t i = 0; result->has_profile && i < PROFILE_SHARES; i++) {
        printf(" %s", profile_share_name(i));
        print_figure(0, "%.1f %%", 100 * result->profile.share[i]);
        printf("%s", i + 1 < PROFILE_SHARES ? "," : "\n");
    }
}
