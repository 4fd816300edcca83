/* The fuzz target of encode, on command lines and inputs made from sound ones. */
#include "tests/fuzz/fuzz_encode.c"

#include "tests/support.h"

TEST(replay)
{
    static const char *const lines[] = {
        ("\0--input\njsonl\n-p\nmean\n-f\njson\n\n\"I ride\\ud83d\\udeb2 bike\"\n[\"dog\", \"bites "
         "man\"]\n{\"text\": \"the\", \"pair\": null}\n{\"ids\": [2, 4], \"types\": [0, 1], "
         "\"mask\": [1, 0]}\n"),
        ("\0--input\njsonl\n-p\nmean\n-f\njson\n\n{\"_id\": \"d\", \"title\": \"a\", \"text\": "
         "\"dog\", "
         "\"m\" :[1.50,\t{\"}\": \"\\\"]\"}], \"vector\": 12345678901234567890 }\n"),
        ("\0--input\njsonl\n-p\nmean\n-f\nnpy\n--type\nint8\n--on-long\nskip\n--on-error\nskip\n"
         "--max-tokens\n5\n\n{\"id\": 7, \"text\": \"the dog bites the man\"}\n{\"text\": 1}\n"
         "{\"id\": \"d\", \"text\": \"bike\"}\n"),
        "\1-p\nmodel\n--pad-to\n9\n--pad-side\nleft\n-f\ncsv\n\nI ride\nbike\xFF\n",
        "\2--labels\n--all\n-f\njson\nI ride a bike\nthe dog\n",
        "\3--rank\nwhoever it may be that bites\n\nI\na\n",
        "\3--rank\nwho bites?\n--top\n2\n\nthe dog bites\nI ride\na man\n",
        ("\4--entities\n--on-long\nchunk\n--stride\n2\n\nthe dog bites man the dog bites man the "
         "dog bites man the dog bites man\n"),
        "\5--fill\n--top\n3\nthe dog [MASK] a man\n",
        "\1--mask\ncausal\n--position\nnone\n--tokens\nI ride bike\n",
        "\0--prompt-text\nthe \n-p\nmean\n-f\ncsv\n\nI ride\na bike\n",
        "\0--tokens\n--pad-to\n7\n-f\nids\n--max-tokens\n5\n--truncate-left\nI ride a bike\n",
        "\1-f\nnpy\n-p\ncls\n--normalize\n--position-base\n100\n--position\nsinusoidal\nbike\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        replay(lines[i], 1 + strlen(lines[i] + 1), 1000);
}
