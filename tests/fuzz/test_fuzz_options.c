/* The fuzz target of the programs' options, on command lines made from sound ones. */
#include "tests/fuzz/fuzz_options.c"

#include "tests/support.h"

#include <string.h>

TEST(replay)
{
    static const char *const lines[N_KINDS] = {
        [INSPECT] = "-f\njson\n--verify\na.weights\n",
        [ENCODE] = "--rank\nq\n--top\n3\n-p\nmean\n-f\ncsv\n--max-tokens\n9\n--prompt\nquery\na\n",
        [NEW] = "-o\nx\n--layers\n1\n--labels\nneg,pos\n--embedding-scale\nsqrt\n--seed\n7\n",
        [IMPORT] = "dir\n-o\nx\n--weights\nint8\n--name\nn\n--dry-run\n",
        [BENCH] = "--shape\n6/384/12/1536\n--type\nf32,int8\n--threads\n1,2\n-f\njson\n",
        [SEARCH] = "-k\n3\n--rerank\nr\n--candidates\n9\n--query\nwho?\n-f\njson\na.npy\na.txt\n",
        [PLOT + PLOT_POSITION] = "--kind\nwaves\n--width\n64\n--dims\n0,8,16,3\n-o\nw.svg\n",
        [PLOT + PLOT_ATTENTION] = "--layer\n1\n--head\nmean\n--size\n640x480\nI ride\n",
        [PLOT + PLOT_WORDS] = "--fit\neach\n--position\nnone\nI ride\nride I\n",
        [PLOT + PLOT_LAYERS] = "-o\nx.tsv\n--mask\ncausal\nI ride\n",
        [PLOT + PLOT_ORDER] = "-p\nmax\n-f\ndata\nI ride bike\n",
        [PLOT + PLOT_SIMILARITY] = "-p\nmean\n--script\nmine.gp\nI\nride\n",
        [PLOT + PLOT_STEPS] = "-p\nmean\n-f\ntext\nI ride\n",
    };
    for (int kind = 0; kind < N_KINDS; kind++) {
        char input[512];
        const size_t len = strlen(lines[kind]);
        input[0] = (char)kind;
        memcpy(input + 1, lines[kind], len);
        LLVMFuzzerTestOneInput((const uint8_t *)input, len + 1);
        assert_int_equal(program_code, -1); /* it is sound */
        replay(input, len + 1, 2000);
    }
    replay("\0-f\ntext\na.weights\n", 18, 200);
}
