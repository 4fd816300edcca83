/* tags: no-asan no-coverage long */
/* Every case of ../shared/tokenizers/cases that the reference answered with a WordPiece, WordLevel,
 * Unigram or BPE definition: ids, tokens, types, spans, truncation and errors must all be equal.
 *
 * Guarantee: WordPiece, WordLevel, Unigram and BPE tokenizers give every id, token, type and
 * span of the cases as the reference does (with ../shared). */
#include "tests/model/tokenizer/tokenizer_cases.h"
#include "tests/support.h"

#include <stdio.h>
#include <string.h>

/* clang-format off: a line each */
static const char *const NAMES[] = {
    "bert-base-uncased",
    "bert-base-cased",
    "bert-base-chinese",
    "bert-base-multilingual-cased",
    "all-MiniLM-L6-v2",
    "var-cased-stripaccents",
    "var-uncased-keepaccents",
    "var-uncased-nocjk",
    "wordlevel-nfd-strip",
    "wordlevel-punct-nfkc",
    "wordlevel-whitespace-lower",
    "wordlevel-whitespacesplit",
    "t5-small",
    "xlm-roberta-base-rounded",
    "xlm-roberta-e5layout-rounded",
    "var-unigram3k-bytefallback",
    "var-unigram8k-newlayout",
    "mpnet-rebuilt",
    "gpt2",
    "roberta-base",
    "var-roberta-prefixspace",
    "ModernBERT-base",
    "clip",
};
/* clang-format on */
enum { N_NAMES = sizeof NAMES / sizeof *NAMES };

static const struct {
    const char *folder, *ending;
    bool (*is_right)(struct case_tokenizer *tokenizer, const char *line);
} SETS[] = {
    {"texts", "jsonl", case_is_right},
    {"pairs", "jsonl", case_is_right},
    {"invalid-utf8", "jsonl", case_is_right},
    {"codepoints", "tsv", case_code_point_is_right},
};

static const char *running;

/* Ids that others published, of all tokenizers in one file. */
static bool published_is_right(struct case_tokenizer *tokenizer, const char *line)
{
    char start[128];
    snprintf(start, sizeof start, "{\"tokenizer\":\"%s\",", running);
    return strncmp(line, start, strlen(start)) != 0 || case_is_right(tokenizer, line);
}

static void all_cases(void **state)
{
    const char *name = *state;
    struct case_tokenizer tokenizer;
    size_t n = 0, n_wrong = 0;
    if (!case_tokenizer_open(&tokenizer, name)) {
        print_message("no definition of %s beside the project: skipped\n", name);
        skip();
    }
    for (size_t i = 0; i < sizeof SETS / sizeof *SETS; i++) {
        char below[128];
        snprintf(below, sizeof below, "%s/%s.%s.gz", SETS[i].folder, name, SETS[i].ending);
        const struct case_result result = case_run(&tokenizer, below, SETS[i].is_right);
        if (result.n > 0)
            print_message("%s: %zu cases, %zu differ\n", below, result.n, result.n_wrong);
        n += result.n;
        n_wrong += result.n_wrong;
    }
    running = name;
    n_wrong += case_run(&tokenizer, "upstream-expected.jsonl.gz", published_is_right).n_wrong;
    case_tokenizer_close(&tokenizer);
    assert_true(n > 0);
    assert_int_equal(n_wrong, 0);
}

int main(void)
{
    struct CMUnitTest tests[N_NAMES];
    for (size_t i = 0; i < N_NAMES; i++)
        tests[i] = (struct CMUnitTest){NAMES[i], all_cases, NULL, NULL, (void *)NAMES[i]};
    return cmocka_run_group_tests_name("wordpiece_cases", tests, NULL, NULL);
}
