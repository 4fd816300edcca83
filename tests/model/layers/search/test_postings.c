/* tags: sizes */
/* Cursors through the postings of ids: of each row once, in any steps, and of no other id. */
#include "model/layers/search/postings.h"
#include "tests/support.h"

enum { IDS = 3, ROWS = 1000 };

/* Id 0 is in every third row, id 1 in none, id 2 in rows 1 and 998; then another's, in row 5. */
static struct posting all[ROWS / 3 + 4];
static uint64_t starts[IDS + 2] = {0, ROWS / 3 + 1, ROWS / 3 + 1, ROWS / 3 + 3, ROWS / 3 + 4};
static const struct postings POSTINGS = {starts, all, IDS, ROWS / 3 + 3};

SET_UP()
{
    for (uint32_t i = 0; i <= ROWS / 3; i++)
        all[i] = (struct posting){3 * i, 1};
    all[ROWS / 3 + 1] = (struct posting){1, 0.5F};
    all[ROWS / 3 + 2] = (struct posting){998, 0.5F};
    all[ROWS / 3 + 3] = (struct posting){5, 8};
}

static void assert_none(int32_t id)
{
    const struct posting_range range = postings_find(&POSTINGS, id);
    assert_true(range.begin == range.end && range.next == SIZE_MAX);
}

TEST(ids_without_rows)
{
    assert_none(-1);
    assert_none(1);
    assert_none(IDS);
    assert_none(IDS + 1);
    assert_none(INT32_MAX);
    assert_int_equal(postings_find(&POSTINGS, 0).next, 0);
    assert_int_equal(postings_find(&POSTINGS, 2).next, 1);
}

TEST(rows_in_steps)
{
    const engine_weight query[] = {{0, 2}, {1, 4}, {2, 8}};
    for (size_t step = 1; step < ROWS; step += 1 + step / 7) {
        for (size_t skipped = 0; skipped < 3 * step; skipped += step) {
            struct posting_range cursors[IDS];
            for (int32_t id = 0; id < IDS; id++)
                cursors[id] = postings_find(&POSTINGS, id);
            for (size_t first = 0; first < ROWS + step; first += step + skipped) {
                double sums[ROWS] = {0};
                bool has_any = false;
                const bool is_found =
                    postings_add(&POSTINGS, query, IDS, cursors, first, step, sums);
                for (size_t i = 0; i < step; i++) {
                    const size_t row = first + i;
                    const double expected = (row < ROWS && row % 3 == 0 ? 2.0 : 0.0) +
                                            (row == 1 || row == 998 ? 4.0 : 0.0);
                    has_any |= expected > 0;
                    assert_true(sums[i] == expected);
                }
                assert_true(is_found == has_any || (is_found && skipped > 0));
            }
            for (size_t i = 0; i < IDS; i++)
                assert_true((cursors[i].next == SIZE_MAX || skipped > 0) &&
                            cursors[i].begin <= cursors[i].end);
        }
    }
}
