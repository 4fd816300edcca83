/* bench_definitions - bytes of natural English that a published tokenizer takes in a second, on one
 * core: definitions and sentences of ../shared, as one text and as a text for each sentence. The
 * reference, HuggingFace tokenizers 0.23, takes 3.5 MB/s with BPE and 2.8 with Unigram.
 *
 *     make bench-kernels
 *     build/tests/model/tokenizer/bench/bench_definitions gpt2      that one alone
 *
 * Each figure is the best of RUNS runs over LEN bytes. */
#include "tests/model/growth.h"
#include "tests/model/tokenizer/tokenizer_cases.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

enum { RUNS = 5, LEN = 2 << 20 };

static char text[LEN];

static bool read_text(void)
{
    char path[SUPPORT_PATH], command[SUPPORT_PATH + 32];
    if (!support_shared("text/training/wikinews/sentences-filtered.txt.xz", path))
        return false;
    snprintf(command, sizeof command, "xz -dc '%s' 2>/dev/null", path);
    FILE *file = popen(command, "r");
    const size_t n = file != NULL ? fread(text, 1, LEN, file) : 0;
    if (file != NULL)
        pclose(file);
    return n == LEN;
}

/* MB/s of texts that end where `end` is, or all in one for '\0'. */
static double speed(struct case_tokenizer *tokenizer, char end)
{
    double best = 0;
    for (int run = 0; run < RUNS; run++) {
        const double begin = cpu_seconds();
        for (size_t at = 0, len; at < LEN; at += len) {
            const char *line_end = end != '\0' ? memchr(text + at, end, LEN - at) : NULL;
            len = line_end != NULL ? (size_t)(line_end + 1 - (text + at)) : LEN - at;
            const struct token_input input = {.text = text + at, .text_len = len};
            case_encode(tokenizer, &input, true, NULL);
        }
        const double found = LEN / 1e6 / (cpu_seconds() - begin);
        best = found > best ? found : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {
        "gpt2",          "roberta-base",     "ModernBERT-base",
        "clip",          "t5-small",         "xlm-roberta-base-rounded",
        "mpnet-rebuilt", "bert-base-uncased"};
    struct case_tokenizer tokenizer;
    if (!read_text()) {
        printf("no ../shared, or no xz: published tokenizers are not timed\n");
        return 0;
    }
    printf("%-34s %8s %8s  MB/s of English: one text, sentences\n", "tokenizer", "text",
           "sentences");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if ((argc > 1 && strstr(names[i], argv[1]) == NULL) ||
            !case_tokenizer_open(&tokenizer, names[i]))
            continue;
        printf("%-34s %8.1f %8.1f\n", names[i], speed(&tokenizer, '\0'), speed(&tokenizer, '\n'));
        case_tokenizer_close(&tokenizer);
    }
    return 0;
}
