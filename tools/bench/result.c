/* result.c - results as text and as JSON. */
#include "tools/bench/result.h"

#include "tools/common/options.h"
#include "tools/common/print/json_writer.h"

#include <math.h>
#include <stdio.h>

/* What both say of a workload; times in milliseconds, NaN where there is no such number. */
struct figures {
    double median_ms, min_ms, tokens_per_s, texts_per_s, ms_per_token, gflops, share_of_peak;
};

/* A whole process has no tokens of its own and no share of a peak: most of its time is no
 * arithmetic. */
static struct figures figures_of(const struct result *result)
{
    const struct workload *workload = result->workload;
    const struct peaks *peaks = &result->peaks;
    struct work work = subject_work(result->subject, workload);
    double median = result->timing.median;
    double n_tokens = workload->n_tokens > 0 ? (double)workload->n_tokens : NAN;
    double giga_per_s = workload->n_tokens > 0 ? 1e-9 / median : NAN;
    return (struct figures){
        .median_ms = 1e3 * median,
        .min_ms = 1e3 * result->timing.min,
        .tokens_per_s = n_tokens / median,
        .texts_per_s = (double)workload->n / median,
        .ms_per_token = 1e3 * median / n_tokens,
        .gflops = giga_per_s * (work.int8 + work.f32),
        .share_of_peak = giga_per_s * (work.int8 / peaks->int8 + work.f32 / peaks->f32),
    };
}

/* ---- JSON ---- */

/* Six digits are more than any clock here has. */
static void write_number(struct json_writer *json, const char *key, double number)
{
    json_write_double(json, key, "%.6g", number);
}

static void write_profile(struct json_writer *json, const struct profile_shares *profile)
{
    json_begin_object(json, "profile");
    for (size_t i = 0; i < PROFILE_SHARES; i++)
        json_write_double(json, profile_share_name(i), "%.4f", profile->share[i]);
    json_end_object(json);
}

void result_print_json(const struct result *result)
{
    struct json_writer json = {.stream = stdout};
    struct figures figures = figures_of(result);
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
    write_number(&json, "median_ms", figures.median_ms);
    write_number(&json, "min_ms", figures.min_ms);
    write_number(&json, "spread", result->timing.spread);
    write_number(&json, "tokens_per_s", figures.tokens_per_s);
    write_number(&json, "texts_per_s", figures.texts_per_s);
    write_number(&json, "ms_per_token", figures.ms_per_token);
    write_number(&json, "gflops", figures.gflops);
    write_number(&json, "share_of_peak", figures.share_of_peak);
    write_number(&json, "peak_f32_gflops", result->peaks.f32);
    write_number(&json, "peak_int8_gops", result->peaks.int8);
    if (result->has_profile)
        write_profile(&json, &result->profile);
    else
        json_write_null(&json, "profile");
    json_end_object(&json);
}

/* ---- Text ---- */

void result_print_heading(void)
{
    printf("\n%-10s %-9s %7s %10s %10s %7s %9s %9s %8s %9s\n", "workload", "precision", "threads",
           "median ms", "min ms", "spread", "tokens/s", "texts/s", "us/token", "of peak");
}

/* Right-aligned, with a unit behind it, or "-". */
static void put_cell(int width, const char *format, double number)
{
    char cell[32] = "-";
    if (isfinite(number))
        snprintf(cell, sizeof cell, format, number);
    printf(" %*s", width, cell);
}

/* Four figures, whatever the size. */
static const char *ms_format(double ms)
{
    return ms < 10 ? "%.3f" : ms < 100 ? "%.2f" : "%.1f";
}

static void print_profile(const struct profile_shares *profile)
{
    printf("          ");
    for (size_t i = 0; i < PROFILE_SHARES; i++) {
        printf(" %s", profile_share_name(i));
        put_cell(0, "%.1f %%", 100 * profile->share[i]);
        printf("%s", i + 1 < PROFILE_SHARES ? "," : "\n");
    }
}

void result_print_text(const struct result *result)
{
    struct figures figures = figures_of(result);
    printf("%-10s %-9s %7zu", result->workload->name, result->subject->precision,
           result->peaks.n_threads);
    put_cell(10, ms_format(figures.median_ms), figures.median_ms);
    put_cell(10, ms_format(figures.min_ms), figures.min_ms);
    put_cell(7, "%.1f %%", 100 * result->timing.spread);
    put_cell(9, "%.0f", figures.tokens_per_s);
    put_cell(9, "%.1f", figures.texts_per_s);
    put_cell(8, "%.2f", 1e3 * figures.ms_per_token);
    put_cell(9, "%.1f %%", 100 * figures.share_of_peak);
    putchar('\n');
    if (result->has_profile)
        print_profile(&result->profile);
}
