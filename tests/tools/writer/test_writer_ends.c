/* tags: sizes */
/* The writer of weight files where a file does not come to its end, and merges that are refused. */
#include "tests/tools/writer/writer_cases.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const float FOUR[4] = {1, 2, 3, 4};

/* Merges that are refused give no section. */
TEST(refused_merges)
{
    static const char *const texts[] = {"a", "b", "ab", "a"};
    static const size_t lens[] = {1, 1, 2, 1};
    const struct writer_merge good = {.left = 0, .right = 1, .id = 2},
                              bad = {.left = 0, .right = 3};
    struct writer_merges merges = {.texts = texts,
                                   .lens = lens,
                                   .n_texts = 3,
                                   .merges = &good,
                                   .n = 1,
                                   .prefix = "",
                                   .suffix = ""};
    void *section;
    size_t len, which;
    assert_null(weight_writer_merges(&merges, &section, &len, &which));
    free(section);
    merges.merges = &bad;
    assert_string_equal(weight_writer_merges(&merges, &section, &len, &which),
                        "a merge names a token that is not in the vocabulary");
    assert_int_equal(which, 0);
    merges.n_texts = 4;
    assert_string_equal(weight_writer_merges(&merges, &section, &len, &which),
                        "the same token occurs twice");
    assert_int_equal(which, 3);
}

TEST(abort)
{
    engine_error error;
    struct weight_writer *writer = open_writer(&error);
    write_small_model(writer);
    weight_writer_begin_tensor(writer, "half", TENSOR_INT8, LAYOUT_PANELS, 2, 40, 4);
    weight_writer_rows(writer, FOUR, 1);
    weight_writer_abort(writer);
    weight_writer_abort(NULL);
    assert_int_equal(count_names(), 0);
}

TEST(places)
{
    struct weight_writer *writer;
    engine_error error;
    assert_int_equal(weight_writer_open(writer_folder, &writer, &error), ENGINE_ERROR_IO);
    assert_null(writer);
    assert_non_null(strstr(error.message, writer_folder));
    assert_int_equal(weight_writer_open("", &writer, NULL), ENGINE_ERROR_IO);
    if (access("/dev/full", W_OK) != 0)
        return;
    assert_int_equal(weight_writer_open("/dev/full", &writer, &error), ENGINE_OK);
    write_small_model(writer);
    assert_int_equal(weight_writer_finish(writer), ENGINE_ERROR_IO);
    assert_non_null(strstr(error.message, "'/dev/full': No space left on device"));
}

SET_UP_EACH()
{
    writer_set_up();
}

TEAR_DOWN_EACH()
{
    writer_tear_down();
}
