/* result.c - results as text and as JSON. */
#include "tools/bench/result.h"

#include "tools/bench/handover.h"
#include "tools/common/json_output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- JSON ---- */

static void put_key(const char *key)
{
    printf(", \"%s\": ", key);
}

static void put_text(const char *key, const char *text)
{
    put_key(key);
    json_put_string(stdout, text, strlen(text));
}

static void put_count(const char *key, size_t count)
{
    put_key(key);
    printf("%zu", count);
}

static void put_finite(const char *format, double number)
{
    if (isfinite(number))
        printf(format, number);
    else
        printf("null");
}

/* Six digits are more than any clock here has. */
static void put_number(const char *key, double number)
{
    put_key(key);
    put_finite("%.6g", number);
}

static void put_peaks(const struct peaks *peaks)
{
    put_number("peak_f32_gflops", peaks->f32_gflops);
    put_text("peak_f32_isa", peaks->f32_isa);
    put_number("peak_int8_gops", peaks->int8_gops);
    put_text("peak_int8_isa", peaks->int8_isa);
    put_number("peak_read_gb_per_s", peaks->read_gb_per_s);
}

static void put_profile(const struct result *result)
{
    put_key("profile");
    if (!result->has_profile) {
        printf("null");
        return;
    }
    for (size_t i = 0; i < PROFILE_SHARES; i++) {
        printf("%s\"%s\": ", i == 0 ? "{" : ", ", profile_share_name(i));
        put_finite("%.4f", result->profile.share[i]);
    }
    putchar('}');
}

void result_print_json(const struct result *result)
{
    double median = result->timing.median;
    printf("{\"workload\": ");
    json_put_string(stdout, result->workload, strlen(result->workload));
    put_text("model", result->model);
    put_count("threads", result->n_threads);
    put_text("precision", result->precision);
    put_text("isa", result->isa);
    put_count("texts", result->n_texts);
    put_count("tokens", result->n_tokens);
    put_count("shortest", result->shortest);
    put_count("longest", result->longest);
    put_count("runs", result->timing.n_runs);
    put_number("median_ms", 1e3 * median);
    put_number("min_ms", 1e3 * result->timing.min);
    put_number("spread", result->timing.spread);
    put_number("tokens_per_s", result->n_tokens > 0 ? (double)result->n_tokens / median : NAN);
    put_number("texts_per_s", (double)result->n_texts / median);
    put_number("ms_per_token",
               result->n_tokens > 0 ? 1e3 * median / (double)result->n_tokens : NAN);
    put_number("gflops", result->gflops);
    put_number("share_of_peak", result->share_of_peak);
    put_number("tokenize_mb_per_s", result->tokenize_mb_per_s);
    put_number("resident_mb", result->resident_mb);
    put_number("handover_before_ns", result->handover_before_ns);
    put_number("handover_after_ns", result->handover_after_ns);
    put_text("handover", handover_tag(result->handover_before_ns, result->handover_after_ns));
    put_peaks(&result->peaks);
    put_profile(result);
    printf("}\n");
}

void peaks_print_json(const struct peaks *peaks, double handover)
{
    printf("{\"workload\": \"peaks\"");
    put_count("threads", peaks->n_threads);
    put_peaks(peaks);
    put_number("handover_ns", handover);
    printf("}\n");
}

/* ---- Text ---- */

void result_print_heading(void)
{
    printf("\n%-10s %-9s %7s %10s %10s %7s %9s %9s %8s %9s  %s\n", "workload", "precision",
           "threads", "median ms", "min ms", "spread", "tokens/s", "texts/s", "us/token", "of peak",
           "hand-over");
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

void result_print_text(const struct result *result)
{
    double median = 1e3 * result->timing.median, least = 1e3 * result->timing.min;
    double n_tokens = result->n_tokens > 0 ? (double)result->n_tokens : NAN;
    printf("%-10s %-9s %7zu", result->workload, result->precision, result->n_threads);
    put_cell(10, ms_format(median), median);
    put_cell(10, ms_format(least), least);
    put_cell(7, "%.1f %%", 100 * result->timing.spread);
    put_cell(9, "%.0f", 1e3 * n_tokens / median);
    put_cell(9, "%.1f", 1e3 * (double)result->n_texts / median);
    put_cell(8, "%.2f", 1e3 * median / n_tokens);
    put_cell(9, "%.1f %%", 100 * result->share_of_peak);
    if (isfinite(result->handover_before_ns))
        printf("  %.0f, %.0f ns: %s", result->handover_before_ns, result->handover_after_ns,
               handover_tag(result->handover_before_ns, result->handover_after_ns));
    putchar('\n');
    if (isfinite(result->tokenize_mb_per_s))
        printf("           tokenizing alone, one thread: %.1f MB/s\n", result->tokenize_mb_per_s);
    if (isfinite(result->resident_mb))
        printf("           resident memory: %.1f MB\n", result->resident_mb);
    if (!result->has_profile)
        return;
    printf("          ");
    for (size_t i = 0; i < PROFILE_SHARES; i++) {
        printf(" %s", profile_share_name(i));
        put_cell(0, "%.1f %%", 100 * result->profile.share[i]);
        printf("%s", i + 1 < PROFILE_SHARES ? "," : "\n");
    }
}

void peaks_print_text(const struct peaks *peaks, double handover)
{
    printf(
        "%zu thread%s: %.1f GFLOP/s in f32 (%s), %.0f GOP/s in int8 (%s), memory read at %.1f GB/s",
        peaks->n_threads, peaks->n_threads == 1 ? "" : "s", peaks->f32_gflops, peaks->f32_isa,
        peaks->int8_gops, peaks->int8_isa, peaks->read_gb_per_s);
    if (isfinite(handover))
        printf(", hand-over %.0f ns", handover);
    putchar('\n');
}
