/* The fuzz target of word vectors, on files made from sound ones. */
#include "tests/fuzz/files/fuzz_vectors.c"

#include "tests/support.h"

#include <string.h>

TEST(replay)
{
    static const char *const files[] = {
        "3 2\nthe 0.5 -1e-3\nof 2 .25 \n.\u00A0. -3 4.\n",
        "the 0.5 -1e-3\r\njosé 2 .25\r\nthe 3 4\r\n2000 1 16777217.0000000001\r\n",
    };
    for (size_t i = 0; i < 2; i++)
        replay(files[i], strlen(files[i]), 10000);
}
