/* tags: sizes */
/* Before a weight file is written, whether there is room for it: where it is, or in its folder. */
#include "tests/suite.h"

#include "tests/tools/program_ends.h"
#include "tools/study/new/random_model.h"

static const double ABSURD = 1e30, SMALL = 1;

static int code_of(const char *path, double n_bytes)
{
    PROGRAM_RUN(random_model_check_room(path, n_bytes));
    return program_code;
}

TEST(room_for_a_file)
{
    static const char *const paths[] = {"new.weights", "./new.weights", "/dev/null", "."};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(code_of(paths[i], SMALL), -1);
        assert_int_equal(code_of(paths[i], ABSURD), PROGRAM_FAILED);
    }
}

/* The writer reports that the folder is missing. */
TEST(no_folder)
{
    assert_int_equal(code_of("absent/new.weights", ABSURD), -1);
}
