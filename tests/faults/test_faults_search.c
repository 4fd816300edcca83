/* tags: no-asan */
/* encode-search, of each kind of file and in each format, with every fault. */
#include "tests/faults/every_fault.h"
#include "tests/support.h"
#include "tests/tools/encode/head_models.h"

#include <stdio.h>
#include <stdlib.h>

#define SEARCH "encode-search -m ../plain.emb -p mean ../mean.npy "

SET_UP()
{
    char encode[SUPPORT_PATH], command[3 * SUPPORT_PATH];
    every_fault_setup();
    head_models_write();
    support_program("encode", encode);
    snprintf(command, sizeof command,
             "printf '{\"id\": \"d%%s\", \"text\": \"%%s dog\"}\\n' 1 cat 2 good >texts.jsonl; "
             "encode=%s; $encode -m plain.emb -p mean --input jsonl -f npy -o mean.npy "
             "<texts.jsonl && $encode -m lexical.emb -p sparse -f npz -o sparse.npz 'cat dog' dog "
             "&& $encode -m lexical.emb -p colbert -f npy -o tokens.npy 'cat dog' dog",
             encode);
    assert_int_equal(system(command), 0);
}

TEST(searches)
{
    static const struct fault_case cases[] = {
        {SEARCH "../texts.jsonl", "dog\ncat\n", false},
        {SEARCH "../texts.jsonl -f json -o result", "dog\ncat\n", false},
        {SEARCH "-f trec --input jsonl", "{\"_id\": \"q\", \"text\": \"dog\"}\n", false},
        {SEARCH "../texts.jsonl -f tsv --rerank ../pair.head --query dog", NULL, false},
        {"encode-search -m ../lexical.emb ../sparse.npz -f tsv", "dog\ncat\n", false},
        {"encode-search -m ../lexical.emb ../tokens.npy -f tsv -o result", "dog\ncat\n", false},
    };
    EVERY_FAULT(cases);
}
