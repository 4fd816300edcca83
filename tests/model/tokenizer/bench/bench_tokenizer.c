/* bench_tokenizer - nanoseconds that a byte of text takes, for each tokenizer and normalizer step:
 * of usual English, and of the most expensive text of worst_case_texts.c.
 *
 *     make bench-kernels [ARGS="all"]        all: a line for every text
 *
 * Each figure is the least of RUNS runs over LEN bytes. */
#include "tests/model/growth.h"
#include "tests/model/tokenizer/worst_case_texts.h"

#include <stdio.h>
#include <string.h>

enum { RUNS = 5, LEN = 64 << 10 };

static double nanoseconds(const struct worst_case_tokenizer *worst, size_t index)
{
    static char text[LEN];
    double least = 0;
    worst_case_text(index, text, LEN);
    for (int run = 0; run < RUNS; run++) {
        const double begin = cpu_seconds();
        encode_text(&worst->fixture, text, LEN);
        const double seconds = cpu_seconds() - begin;
        least = run == 0 || seconds < least ? seconds : least;
    }
    return 1e9 * least / LEN;
}

int main(int argc, char **argv)
{
    const bool shows_all = argc > 1 && strcmp(argv[1], "all") == 0;
    struct worst_case_tokenizer tokenizer;
    printf("%-34s %8s %8s  ns/byte: English, slowest, which\n", "tokenizer", "usual", "worst");
    for (size_t i = 0; worst_case_tokenizer_open(&tokenizer, i); i++) {
        const double usual = nanoseconds(&tokenizer, 0);
        double worst = 0;
        const char *which = "";
        for (size_t t = 0; worst_case_text_name(t) != NULL; t++) {
            const double found = nanoseconds(&tokenizer, t);
            if (shows_all)
                printf("  %-32s %8s %8.1f  %s\n", tokenizer.name, "", found,
                       worst_case_text_name(t));
            if (found > worst) {
                worst = found;
                which = worst_case_text_name(t);
            }
        }
        printf("%-34s %8.1f %8.1f  %s\n", tokenizer.name, usual, worst, which);
    }
    return 0;
}
