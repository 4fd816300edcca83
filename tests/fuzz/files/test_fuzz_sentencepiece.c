/* The fuzz target of sentencepiece's models, on ones made from a sound one. */
#include "tests/fuzz/files/fuzz_sentencepiece.c"

#include "tests/fuzz/replay.h"
#include "tests/support.h"

struct bytes {
    uint8_t data[512];
    size_t len;
};

static void put(struct bytes *out, const void *data, size_t len)
{
    assert_true(out->len + len <= sizeof out->data);
    memcpy(out->data + out->len, data, len);
    out->len += len;
}

static void put_part(struct bytes *out, uint8_t key, const struct bytes *part)
{
    put(out, (uint8_t[]){(uint8_t)(key << 3 | 2), (uint8_t)part->len}, 2);
    put(out, part->data, part->len);
}

static void put_piece(struct bytes *out, const char *text, float score, uint8_t type)
{
    struct bytes name = {.len = 0}, piece = {.len = 0};
    put(&name, text, strlen(text));
    put_part(&piece, 1, &name);
    put(&piece, "\x15", 1);
    put(&piece, &score, sizeof score);
    put(&piece, (uint8_t[]){3 << 3, type}, 2);
    put_part(out, 1, &piece);
}

TEST(replay)
{
    static const char *const pieces[] = {"<unk>",  "<pad>", "<s>",   "</s>",    "[CLS]", "[SEP]",
                                         "[MASK]", "[PAD]", "[UNK]", "\u2581a", "b",     "5,"};
    static const uint8_t map[] = {10 + 8, 9, 4, 0, 0, 0, 0, 0, 0, 0, 'x'};
    struct bytes model = {.len = 1}, trainer = {.len = 0}, normalizer = {.len = 0};
    size_t n = 0;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        put_piece(&model, pieces[i], -(float)i, i < 9 ? 3 : 1);
    put(&trainer, (uint8_t[]){3 << 3, 1, 0xC0, 0x02, 0}, 5);
    put_part(&model, 2, &trainer);
    put(&normalizer, map, sizeof map);
    put_part(&model, 3, &normalizer);
    for (uint8_t choice = 0; choice < 2 * N_CLASSES; choice++) {
        model.data[0] = choice;
        n += replay(LLVMFuzzerTestOneInput, model.data, model.len, support_slow() ? 200 : 2000);
    }
    print_message("%zu inputs\n", n);
}
