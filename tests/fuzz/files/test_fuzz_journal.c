/* The fuzz target of journals, on ones made from a sound one. */
#include "tests/fuzz/files/fuzz_journal.c"

#include "tests/support.h"

TEST(replay)
{
    char journal[1024];
    snprintf(
        journal, sizeof journal,
        "{\"encode\": \"%s\", \"model\": 7, \"options\": {\"pooling\": \"mean\", \"on-long\": "
        "\"error\"}, \"bytes\": 10, \"sum\": 77, \"lines\": 2, \"rows\": 2, \"array_rows\": 2, "
        "\"cut\": 0, \"repaired\": 0, \"left_out\": 0, \"files\": [[128, 5], [0, 0], [0, 0]], "
        "\"finished\": false}\n",
        engine_version());
    replay(journal, strlen(journal), 4000);
}
