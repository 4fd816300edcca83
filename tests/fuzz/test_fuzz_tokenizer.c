/* tags: long */
/* The fuzz target of the tokenizer, on texts made from ones that hold what its steps act on. */
#include "tests/fuzz/fuzz_tokenizer.c"

#include "tests/support.h"

TEST(replay)
{
    static const char text[] =
        "\nThe [MASK] a b  ab\tAb, new.1 e\xCC\x81\xC3\xA9 \xE6\x97\xA5\xE6\x9C\xAC "
        "\xEA\xB0\x80\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8 "
        "\xCE\xA3\xC4\xB0\xEF\xAC\x81\xE2\x91\xA0\xEF\xB7\xBA \xCC\x81\xCC\xA3\xCC\x95\xCC\xB4 "
        "\xE3\x80\x80\xC2\xA0\xE2\x80\x8D\xC2\xAD \xCD\x84\xE0\xBD\xB3 \xFF\xE2\x82 "
        "\xF0\x9D\x85\x9E";
    static const char settings[] = "clean nfd lower\nblanks punctuation\n3:l 22:nr 25:nw\n";
    char input[3 + sizeof settings + sizeof text];
    for (int definition = 0; definition < N_DEFINITIONS; definition++)
        for (int asked = 0; asked < 256; asked += 37) {
            size_t len = 3;
            input[0] = (char)definition;
            input[1] = (char)asked;
            input[2] = (char)(asked & 64 ? asked : 255);
            if (definition == N_DEFINITIONS - 1) {
                memcpy(input + len, settings, sizeof settings - 1);
                len += sizeof settings - 1;
            }
            memcpy(input + len, text, sizeof text - 1);
            replay(input, len + sizeof text - 1, 500);
        }
}
