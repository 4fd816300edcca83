/* The fuzz target of sentencepiece's models, on ones made from a sound one. */
#include "tests/fuzz/files/fuzz_sentencepiece.c"

#include "tests/support.h"
#include "tests/tools/tokenizer/tiny_pieces.h"

TEST(replay)
{
    static const char *const pieces[] = {"<unk>",  "<pad>", "<s>",   "</s>",    "[CLS]", "[SEP]",
                                         "[MASK]", "[PAD]", "[UNK]", "\u2581a", "b",     "5,"};
    struct tiny_bytes model = {.len = 1};
    tiny_pieces(&model, pieces, sizeof pieces / sizeof *pieces, 1, 0);
    for (uint8_t choice = 0; choice < 2 * N_CLASSES; choice++) {
        model.bytes[0] = choice;
        replay(model.bytes, model.len, 2000);
    }
}
