/* The fuzz target of journals, on ones made from a sound one. */
#include "tests/fuzz/files/fuzz_journal.c"

#include "tests/fuzz/replay.h"
#include "tests/support.h"

TEST(replay)
{
    static const char *const entries[] = {
        "{\"bytes\": 10, \"sum\": 77, \"lines\": 2, \"rows\": 2, \"array_rows\": 2, \"cut\": 0, "
        "\"repaired\": 0, \"left_out\": 0, \"files\": [[128, 5], [0, 0], [0, 0]], \"finished\": "
        "false}",
        "{\"bytes\": 20, \"sum\": 78, \"lines\": 4, \"files\": [[256, 6]], \"finished\": true}",
    };
    char journal[2048] = {1};
    json_t *head = json_pack("{s:s, s:i, s:{s:s, s:s}}", "encode", engine_version(), "model", 7,
                             "options", "pooling", "mean", "on-long", "error");
    size_t n = 0;
    for (size_t i = 0; i <= sizeof entries / sizeof *entries; i++) {
        json_t *object = i == 0 ? head : json_loads(entries[i - 1], 0, NULL);
        char *line = journal_line(object);
        strcat(journal + 1, line);
        free(line);
        json_decref(object);
    }
    for (char heals = 0; heals < 2; heals++) {
        journal[0] = heals;
        n += replay(LLVMFuzzerTestOneInput, journal, 1 + strlen(journal + 1),
                    support_slow() ? 400 : 4000);
    }
    print_message("%zu inputs\n", n);
}
