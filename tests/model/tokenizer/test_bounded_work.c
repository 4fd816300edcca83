/* Tokenizing is linear in the length of the text, whatever the text: four times as long takes about
 * four times the work with each tokenizer and step, on texts that are dear to each of them. What
 * they take per byte is for bench_tokenizer.c to tell. */
#include "tests/model/growth.h"
#include "tests/model/tokenizer/dear_texts.h"
#include "tests/support.h"

enum { LEN = 8 << 10 };

struct job {
    const struct dear_tokenizer *dear;
    const char *text; /* [4 * LEN] */
};

static void tokenize(void *user, size_t n)
{
    const struct job *job = user;
    dear_tokenizer_count(job->dear, job->text, n);
}

TEST(every_text_is_linear)
{
    static char text[4 * LEN];
    struct dear_tokenizer dear;
    double most = 0;
    for (size_t i = 0; dear_tokenizer_open(&dear, i); i++) {
        for (size_t t = 0; dear_text_name(t) != NULL; t++) {
            dear_text(t, text, sizeof text);
            const double found = growth(tokenize, &(struct job){&dear, text}, LEN);
            if (found > GROWTH_MOST)
                fail_msg("%s: four times '%s' takes %.1f times the work", dear.name,
                         dear_text_name(t), found);
            most = found > most ? found : most;
        }
        dear_tokenizer_close(&dear);
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
