/* tags: no-asan no-coverage */
/* Tokenizing is linear in the length of any text: four times as long a text takes about four times
 * the work with each tokenizer and step, on texts that are expensive for each of them. For the time
 * per byte see bench_tokenizer.c.
 *
 * Guarantee: tokenizing is linear in the length of any text. */
#include "tests/model/growth.h"
#include "tests/model/tokenizer/worst_case_texts.h"
#include "tests/support.h"

enum { LEN = 8 << 10 };

struct job {
    const struct worst_case_tokenizer *worst;
    const char *text; /* [4 * LEN] */
};

static void tokenize(void *user, size_t n)
{
    const struct job *job = user;
    encode_text(&job->worst->fixture, job->text, n);
}

TEST(every_text_is_linear)
{
    static char text[4 * LEN];
    struct worst_case_tokenizer worst;
    double most = 0;
    for (size_t i = 0; worst_case_tokenizer_open(&worst, i); i++) {
        for (size_t t = 0; worst_case_text_name(t) != NULL; t++) {
            worst_case_text(t, text, sizeof text);
            const double found = growth(tokenize, &(struct job){&worst, text}, LEN);
            if (found > GROWTH_MOST)
                fail_msg("%s: four times '%s' takes %.1f times the work", worst.name,
                         worst_case_text_name(t), found);
            most = found > most ? found : most;
        }
    }
    print_message("four times the text: at most %.1f times the work\n", most);
}

static void compare_all(void *user, size_t n)
{
    volatile unsigned *sum = user;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            *sum += i < k;
}

TEST(quadratic_work_is_seen)
{
    unsigned sum = 0;
    assert_true(growth(compare_all, &sum, 256) > GROWTH_MOST);
}
