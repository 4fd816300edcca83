/* tags: sizes */
/* Frequencies of positions, as the writer puts them into a file and the engine finds them. */
#include "tests/tools/writer/writer_cases.h"

#include "tools/writer/weight_writer.h"

#include <string.h>

SET_UP_EACH()
{
    writer_set_up();
}

TEAR_DOWN_EACH()
{
    writer_tear_down();
}

TEST(frequencies_are_a_vector)
{
    static const float two[] = {0.5f, 0.25f};
    engine_error error;
    engine_tensor_info tensor;
    size_t i = 0;
    struct weight_writer *writer = open_writer(&error);
    assert_int_equal(weight_writer_frequencies(writer, NULL, 0), ENGINE_OK);
    assert_int_equal(weight_writer_frequencies(writer, two, 2), ENGINE_OK);
    write_small_model(writer);
    assert_int_equal(weight_writer_finish(writer), ENGINE_OK);
    engine_model *model = support_open(writer_path);
    do
        assert_int_equal(engine_model_tensor(model, i++, &tensor), ENGINE_OK);
    while (strcmp(tensor.name, "position.frequencies") != 0);
    assert_int_equal(tensor.n_dims, 1);
    assert_int_equal(tensor.shape[0], 2);
    assert_int_equal(engine_model_verify(model, &error), ENGINE_OK);
    engine_model_close(model);
}
