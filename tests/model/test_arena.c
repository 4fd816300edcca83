/* Memory is measured and cut by the same code, and no size wraps around. */
#include "model/arena.h"
#include "tests/suite.h"

#include <string.h>

struct part {
    char *bytes;
    double *numbers;
    float *matrix;
};

static void part_carve(struct part *part, size_t n, struct arena *arena)
{
    part->bytes = arena_cut(arena, n, 1);
    part->numbers = arena_cut(arena, n + 1, sizeof *part->numbers);
    part->matrix = arena_floats(arena, n, 3);
}

TEST(arrays_are_apart_aligned_and_within_the_measured_block)
{
    for (size_t n = 0; n < 200; n += 1 + n / 8) {
        struct part part;
        struct arena arena = {0};
        size_t measured = 0, n_carved = 0;
        do {
            part_carve(&part, n, &arena);
            assert_true(n_carved > 0 || part.numbers == NULL);
            assert_true(n_carved == 0 || arena.used == measured);
            measured = arena.used;
            n_carved++;
        } while (arena_allocate(&arena));
        assert_int_equal(n_carved, 2);
        assert_non_null(arena.base);
        assert_ptr_equal(part.bytes, arena.base);
        assert_int_equal((uintptr_t)part.numbers % ARENA_ALIGN, 0);
        assert_int_equal((uintptr_t)part.matrix % ARENA_ALIGN, 0);
        assert_true((char *)part.numbers >= part.bytes + n);
        assert_true((char *)part.matrix >= (char *)(part.numbers + n + 1));
        assert_true(arena.base + measured >= (char *)(part.matrix + 3 * n));
        assert_int_equal(arena_bytes(&arena), measured);
        memset(part.bytes, 1, n); /* for a sanitizer */
        memset(part.matrix, 1, 3 * n * sizeof *part.matrix);
        free(arena.base);
    }
}

static void refused(struct arena arena)
{
    assert_true(arena.overflow);
    assert_int_equal(arena_bytes(&arena), SIZE_MAX);
    assert_false(arena_allocate(&arena));
    assert_null(arena.base);
    arena_cut(&arena, 0, 1); /* what fits does not make it good */
    assert_true(arena.overflow);
}

/* SIZE_MAX is that of this machine: in 32 bits the same code meets the same ends. */
TEST(sizes_that_cannot_be_counted_are_refused)
{
    struct arena arena = {0};
    assert_null(arena_cut(&arena, SIZE_MAX / 2, 3));
    refused(arena);
    arena = (struct arena){0};
    arena_cut(&arena, SIZE_MAX - ARENA_ALIGN / 2, 1); /* rounding up to the alignment wraps */
    refused(arena);
    arena = (struct arena){.used = SIZE_MAX - 2 * ARENA_ALIGN + 1};
    arena_cut(&arena, ARENA_ALIGN, 1);
    assert_false(arena.overflow);
    arena_cut(&arena, 1, 1);
    refused(arena);
    arena = (struct arena){0};
    arena_matrix(&arena, SIZE_MAX / 4 + 1, 4, 1); /* rows times columns wrap, to a small number */
    refused(arena);
    arena = (struct arena){0};
    arena_floats(&arena, SIZE_MAX / 8, 3); /* the numbers can be counted, their bytes cannot */
    refused(arena);
}
