/* tags: sizes */
/* tests/tokenizers/reference.jsonl: random tokenizers and texts, answered by the reference.
 * Everything that its definitions may say is there: WordPiece, words, BPE and Unigram, normal forms
 * in any order, splitters, added tokens with every flag, pairs and truncation. Ids, types, spans
 * and errors must be equal. Made by tests/tokenizers/generate.py.
 *
 * Guarantee: random tokenizers give what the reference gives. */
#include "tests/model/tokenizer/tokenizer_cases.h"
#include "tests/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DEFINITION[] = "{\"definition\":";

TEST(all_cases)
{
    FILE *file = fopen("tests/tokenizers/reference.jsonl", "r");
    struct case_tokenizer tokenizer;
    size_t cap = 0, n_definitions = 0, n_cases = 0, n_wrong = 0;
    char *line = NULL;
    ssize_t len;
    assert_non_null(file);
    while ((len = getline(&line, &cap, file)) > 0) {
        if (strncmp(line, DEFINITION, strlen(DEFINITION)) == 0) {
            if (n_definitions++ > 0)
                case_tokenizer_close(&tokenizer);
            const size_t begin = strlen(DEFINITION), end = (size_t)len - strlen("}\n");
            const char *wrong = case_tokenizer_make(&tokenizer, line + begin, end - begin);
            if (wrong != NULL)
                fail_msg("definition %zu: %s", n_definitions, wrong);
            continue;
        }
        n_cases++;
        if (!case_is_right(&tokenizer, line) && n_wrong++ < 5)
            print_error("definition %zu differs: %s", n_definitions, line);
    }
    case_tokenizer_close(&tokenizer);
    free(line);
    fclose(file);
    print_message("%zu definitions, %zu cases, %zu differ\n", n_definitions, n_cases, n_wrong);
    assert_true(n_cases > 900);
    assert_int_equal(n_wrong, 0);
}
