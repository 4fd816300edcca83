/* The fuzz target of weight files, on files made from sound ones. */
#include "tests/fuzz/files/fuzz_weights.c"

#include "tests/owned.h"
#include "tests/support.h"
#include "tests/tiny_model.h"

static void replay_file(const void *file, size_t len, unsigned choice)
{
    uint8_t *input = new_bytes(len + 2);
    input[0] = (uint8_t)choice;
    input[1] = (uint8_t)(choice >> 8);
    memcpy(input + 2, file, len);
    replay(input, len + 2, 3000);
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
    size_t len;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const void *made = made_file(kinds[i], &len);
        replay_file(made, len, (unsigned)(0x0C00 + 0x111 * i));
    }
    void *file = tiny_model_bytes("learned", &len);
    replay_file(file, len, 0x0C00);
    file = tiny_model_bytes("sinusoidal", &len);
    replay_file(file, len, 0x0010);
    file = tiny_model_pieces(&len);
    replay_file(file, len, 0x01A1);
    file = tiny_model_prompts(&len);
    replay_file(file, len, 0x1000);
}
