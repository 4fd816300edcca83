/* Before a weight file is written, whether there is room for it: where it is, or in its folder. */
#include "tests/suite.h"

#include "tools/writer/weight_output.h"

static const double ABSURD = 1e30, SMALL = 1;

TEST(room_for_a_file)
{
    static const char *const paths[] = {"new.weights", "./new.weights", "/dev/null", "."};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_true(weight_output_has_room(paths[i], SMALL));
        assert_false(weight_output_has_room(paths[i], ABSURD));
    }
}

/* That the folder is missing is for the writer to say. */
TEST(no_folder)
{
    assert_true(weight_output_has_room("absent/new.weights", ABSURD));
}
