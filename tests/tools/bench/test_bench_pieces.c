/* tags: alone */
/* encode-bench's pieces: its workloads are what they are said to be, its statistics are right. */
#include "tests/support.h"
#include "tests/tools/shell.h"

#include "tools/common/options.h"
#include "tools/study/bench/encoding.h"
#include "tools/study/bench/subject.h"
#include "tools/study/bench/workload.h"

#include <math.h>
#include <stdio.h>

TEST(quantiles)
{
    double five[] = {5, 1, 4, 2, 3}, two[] = {3, 1}, one[] = {7};
    struct timing timing = timing_of(five, 5);
    assert_int_equal(timing.n_runs, 5);
    assert_true(timing.median == 3 && timing.min == 1);
    assert_true(!(fabs(timing.spread - 2.0 / 3) > 1e-15)); /* (4 - 2) / 3 */
    timing = timing_of(two, 2);
    assert_true(timing.median == 2 && timing.min == 1 &&
                timing.spread == 0.5); /* (2.5 - 1.5) / 2 */
    timing = timing_of(one, 1);
    assert_true(timing.median == 7 && timing.min == 7 && timing.spread == 0);
}

/* The counts that a workload says it has are those of its inputs. */
static void assert_counted(const struct workload *workload, size_t n, size_t n_vocabulary)
{
    size_t total = 0, shortest = SIZE_MAX, longest = 0;
    double pairs = 0;
    assert_int_equal(workload->n, n);
    for (size_t i = 0; i < n; i++) {
        size_t length = workload->inputs[i].n_ids;
        total += length;
        pairs += (double)length * (double)length;
        shortest = length < shortest ? length : shortest;
        longest = length > longest ? length : longest;
        for (size_t t = 0; t < length; t++)
            assert_in_range(workload->inputs[i].ids[t], 0, n_vocabulary - 1);
    }
    assert_int_equal(workload->n_tokens, total);
    assert_int_equal(workload->shortest, shortest);
    assert_int_equal(workload->longest, longest);
    assert_true(workload->n_pairs == pairs);
}

TEST(random_sequences)
{
    static const struct {
        const char *name;
        size_t n, shortest, longest;
    } cases[] = {{"lat16", 1, 16, 16},      {"lat128", 1, 128, 128},  {"lat512", 1, 512, 512},
                 {"thr", 512, 8, 40},       {"thr128", 64, 128, 128}, {"lat2048", 1, 2048, 2048},
                 {"lat8192", 1, 8192, 8192}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct workload workload = {0};
        workload_random(&workload, cases[i].name, 1000, 1);
        assert_string_equal(workload.name, cases[i].name);
        assert_counted(&workload, cases[i].n, 1000);
        assert_int_equal(workload.shortest, cases[i].shortest);
        assert_int_equal(workload.longest, cases[i].longest);
        workload_free(&workload);
    }
}

TEST(many_short_texts)
{
    struct workload first = {0}, again = {0}, other = {0};
    size_t n_below = 0;
    workload_random(&first, "thr", 30522, 1);
    workload_random(&again, "thr", 30522, 1);
    workload_random(&other, "thr", 30522, 2);
    double mean = (double)first.n_tokens / (double)first.n;
    if (!(fabs(mean - 17.5) <= 0.05))
        fail_msg("mean length %g, expected 17.5", mean);
    for (size_t i = 0; i < first.n; i++) {
        assert_int_equal(first.inputs[i].n_ids, again.inputs[i].n_ids);
        n_below += first.inputs[i].n_ids < 17;
    }
    assert_in_range(n_below, first.n * 52 / 100,
                    first.n * 70 / 100); /* more short ones than long ones */
    assert_int_equal(first.n_tokens, other.n_tokens);
    assert_memory_equal(first.ids, again.ids, first.n_tokens * sizeof *first.ids);
    assert_memory_not_equal(first.ids, other.ids, first.n_tokens * sizeof *first.ids);
    workload_free(&first);
    workload_free(&again);
    workload_free(&other);
}

TEST(files_of_ids)
{
    static const char *const wrong[] = {"1 2\n3 x\n",
                                        "1 -2\n",
                                        "1.5\n",
                                        "99999999999\n",
                                        "",
                                        "\n",
                                        "1\n0123456789012345678901234567890123456789\n"};
    static const char with_nul[] = "1 2\0 x\n3\n";
    struct workload workload = {0};
    support_write_text("some.ids.txt",
                       "\n5 6 7\n\n8\t9\r\n \t\n 10\n\n"); /* lines without ids are no sequences */
    assert_int_equal(workload_read(&workload, "./some.ids.txt"), PROGRAM_DONE);
    assert_string_equal(workload.name, "some.ids");
    assert_counted(&workload, 3, 11);
    for (int32_t i = 0; i < 6; i++)
        assert_int_equal(workload.ids[i], 5 + i);
    assert_int_equal(workload.inputs[1].ids[0], 8);
    workload_free(&workload);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        support_write_text("wrong.txt", wrong[i]);
        assert_int_equal(workload_read(&workload, "wrong.txt"), PROGRAM_FAILED);
        workload_free(&workload);
    }
    support_write("nul.txt", with_nul, sizeof with_nul - 1);
    assert_int_equal(workload_read(&workload, "nul.txt"), PROGRAM_FAILED);
    workload_free(&workload);
    assert_int_equal(workload_read(&workload, "absent.txt"), PROGRAM_FAILED);
    workload_free(&workload);
}

/* Keys that a query sees in a layer with a window, counted one by one; the first of 3 layers sees
 * all. The matrices are those of the model without a window. */
TEST(work_within_a_window)
{
    enum { WIDTH = 16, WINDOW = 5 };
    struct subject plain, narrow;
    struct workload workload = {0};
    double n_pairs = 0;
    shell_expect(0, "$NEW -o plain --layers 3 --width 16 --heads 2 --max-tokens 64");
    shell_expect(0, "$NEW -o narrow --layers 3 --width 16 --heads 2 --max-tokens 64 "
                    "--set window=5 --set global_every=3");
    subject_open(&plain, "plain", "exact");
    subject_open(&narrow, "narrow", "exact");
    workload_random(&workload, "thr", 50, 1);
    for (size_t t = 0; t < workload.n; t++)
        for (size_t i = 0; i < workload.inputs[t].n_ids; i++)
            for (size_t k = 0; k < workload.inputs[t].n_ids; k++)
                n_pairs += (i > k ? i - k : k - i) <= WINDOW;
    assert_true(subject_operations(&plain, &workload) - subject_operations(&narrow, &workload) ==
                2 * 4.0 * WIDTH * (workload.n_pairs - n_pairs));
    workload_free(&workload);
    subject_close(&plain);
    subject_close(&narrow);
}

SET_UP()
{
    shell_setup();
}
