/* The fuzz target of word vectors, on files made from sound ones. */
#include "tests/fuzz/files/fuzz_vectors.c"

#include "tests/fuzz/replay.h"
#include "tests/support.h"

#include <string.h>

TEST(replay)
{
    static const char *const files[] = {
        "3 2\nthe 0.5 -1e-3\nof 2 .25 \n.\u00A0. -3 4.\n",
        "the 0.5 -1e-3\r\njosé 2 .25\r\nthe 3 4\r\n2000 1 16777217.0000000001\r\n",
    };
    size_t n = 0;
    for (size_t i = 0; i < 2; i++)
        n += replay(LLVMFuzzerTestOneInput, files[i], strlen(files[i]),
                    support_slow() ? 1000 : 10000);
    print_message("%zu inputs\n", n);
}
