/* The fuzz target of weight files, on files made from sound ones. */
#include "tests/fuzz/fuzz_weights.c"

#include "tests/fuzz/replay.h"
#include "tests/support.h"
#include "tests/tiny_model.h"

static size_t replay_file(void *file, size_t len, unsigned choice)
{
    uint8_t *input = malloc(len + 2);
    assert_non_null(input);
    input[0] = (uint8_t)choice;
    input[1] = (uint8_t)(choice >> 8);
    memcpy(input + 2, file, len);
    size_t n = replay(LLVMFuzzerTestOneInput, input, len + 2, support_slow() ? 300 : 3000);
    free(input);
    free(file);
    return n;
}

TEST(replay)
{
    size_t len, n = 0;
    void *file = tiny_model_bytes("learned", &len);
    n += replay_file(file, len, 0x0C00);
    file = tiny_model_bytes("sinusoidal", &len);
    n += replay_file(file, len, 0x0010);
    file = tiny_model_pieces(&len);
    n += replay_file(file, len, 0x01A1);
    file = tiny_model_prompts(&len);
    n += replay_file(file, len, 0x1000);
    print_message("%zu inputs\n", n);
}
