/* hand_models.c - writes the models of tests/tools/encode/head_models.h, whose answers can be
 * worked out by hand, and the directories tiny and modules of tests/tools/import/tiny_checkpoint.h,
 * into the current folder; or changes a number of a weight file:
 *
 *     hand_models [FILE TENSOR INDEX NUMBER]
 *
 * inputs.sh runs it for the cases of tests/cli/. */
#include "tests/tools/encode/head_models.h"
#include "tests/tools/import/tiny_checkpoint.h"
#include "tests/weight_surgery.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc == 5) {
        put_number(argv[1], argv[2], strtoul(argv[3], NULL, 10), strtof(argv[4], NULL));
        return 0;
    }
    head_models_write();
    tiny_checkpoint("tiny");
    tiny_checkpoint("modules");
    tiny_sentence_transformers("modules");
    return 0;
}
