/* The fuzz target of weight files, on files made from sound ones. */
#include "tests/fuzz/files/fuzz_weights.c"

#include "tests/fuzz/replay.h"
#include "tests/support.h"
#include "tests/tiny_model.h"

#include <stdio.h>

static size_t replay_file(void *file, size_t len, unsigned choice)
{
    uint8_t *input = malloc(len + 2);
    assert_non_null(input);
    input[0] = (uint8_t)choice;
    input[1] = (uint8_t)(choice >> 8);
    memcpy(input + 2, file, len);
    size_t n = replay(LLVMFuzzerTestOneInput, input, len + 2, support_slow() ? 300 : 3000);
    free(input);
    return n;
}

/* Returns the model that encode-new makes of these words. */
static void *made_file(const char *words, size_t *len)
{
    char path[SUPPORT_PATH];
    support_path(path, support_folder(), "kind.weights");
    support_make_model(path, "a", "--width 8 --max-tokens 12 --feed-forward 16 %s", words);
    return support_read(path, len);
}

TEST(replay)
{
    static const char *const kinds[] = {
        "--layers 2 --set attention_position=rotary --set window=1 --set global_every=2 --set "
        "rotary_trained=2 --norm-place sandwich --set query_key_norm=yes --set key_value_heads=2",
        "--layers 3 --set layer_groups=1 --set attention_position=distance --set distances=3 "
        "--set head_width=3 --set token_vectors=2",
        "--layers 2 --set attention_position=alibi --norm-place pre --set first_norm=no --set "
        "feed_forward_in_bias=no --set sparse=linear --set score_scale=1",
        "--layers 2 --set attention_position=disentangled --set position_buckets=4 --set "
        "distances=6 --set layer_groups=1",
    };
    size_t len, n = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        void *made = made_file(kinds[i], &len);
        n += replay_file(made, len, (unsigned)(0x0C00 + 0x111 * i));
    }
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
