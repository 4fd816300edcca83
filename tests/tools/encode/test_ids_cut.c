/* Ids of --input jsonl that are too many: cut, in windows, padded, or an error. */
#include "tests/tools/shell.h"

/* Prints `rows` for lines of ids with these options. */
static void ids_give(const char *lines, const char *options, const char *rows)
{
    const char *out =
        shell_expect(0, "printf '%s' | $ENCODE --input jsonl -f ids %s 2>err", lines, options)->out;
    assert_string_equal(out, rows);
}

TEST(ids_become_rows_of_one_length)
{
    static const char lines[] = "{\"ids\": [2, 3, 4, 5, 6, 7, 8]}\\n{\"ids\": [9, 10]}\\n";
    ids_give(lines, "--pad-to 3 --on-long chunk", "2 3 4\n5 6 7\n8 0 0\n9 10 0\n");
    ids_give(lines, "--pad-to 3 --on-long chunk --stride 1", "2 3 4\n4 5 6\n6 7 8\n9 10 0\n");
    ids_give(lines, "--pad-to 3 --on-long chunk --pad-side left --pad-id=-7",
             "2 3 4\n5 6 7\n-7 -7 8\n-7 9 10\n");
    ids_give(lines, "--pad-to 4 --max-tokens 3 --on-long chunk",
             "2 3 4 0\n5 6 7 0\n8 0 0 0\n9 10 0 0\n");
    ids_give(lines, "--pad-to 3 --on-long truncate", "2 3 4\n9 10 0\n");
    assert_contains(shell_expect(0, "cat err")->out,
                    "line 1 of stdin was cut to 3 of its 7 tokens");
    ids_give(lines, "--pad-to 3 --truncate-left", "6 7 8\n9 10 0\n");
    ids_give(lines, "--pad-to 3 --on-long skip", "9 10 0\n");
    ids_give(lines, "--max-tokens 3 --on-long chunk", "2 3 4\n5 6 7\n8\n9 10\n");
    assert_contains(shell_expect(1,
                                 "printf '%s' | $ENCODE --input jsonl -f ids --pad-to 3 "
                                 "--on-long chunk --stride 3",
                                 lines)
                        ->err,
                    "line 1 of stdin: its windows have room for 3 ids: the stride must be smaller");
}

/* Padding that the ids had is neither counted nor kept where rows get another length. */
TEST(padding_of_ids_is_dropped_first)
{
    static const char lines[] = "{\"ids\": [0, 2, 3, 4, 5, 0, 0], \"mask\": [0, 1, 1, 0, 1, 0, 0]}";
    ids_give(lines, "--pad-to 4", "2 3 4 5\n");
    ids_give(lines, "--pad-to 5 --pad-side left --pad-id 9", "9 2 3 4 5\n");
    ids_give(lines, "--pad-to 3 --on-long truncate", "2 3 4\n");
    ids_give(lines, "--pad-to 3 --on-long chunk", "2 3 4\n5 0 0\n");
    ids_give(lines, "--pad-to 8", "0 2 3 4 5 0 0 0\n");
    assert_contains(
        shell_expect(0,
                     "echo '%s' | $ENCODE --input jsonl --tokens -f json --pad-to 3 "
                     "--on-long chunk",
                     lines)
            ->out,
        "\"id\": 4, \"type\": 0, \"span\": null, \"special\": false, \"masked\": true}");
}

TEST(vectors_of_cut_ids_are_those_of_their_parts)
{
    shell_expect(0, "printf '{\"ids\": [2, 3, 4, 5, 6], \"types\": [0, 0, 1, 1, 1]}\n' | $ENCODE "
                    "--input jsonl -p mean -f npy --max-tokens 3 --on-long chunk -o cut.npy && "
                    "printf '{\"ids\": [2, 3, 4], \"types\": [0, 0, 1]}\n{\"ids\": [5, 6], "
                    "\"types\": [1, 1]}\n' | $ENCODE --input jsonl -p mean -f npy -o parts.npy && "
                    "cmp cut.npy parts.npy");
    shell_expect(0, "printf '{\"ids\": [2, 3, 4, 5, 6]}' | $ENCODE --input jsonl -p mean -f npy "
                    "--max-tokens 2 --truncate-left -o cut.npy && printf '{\"ids\": [5, 6]}' | "
                    "$ENCODE --input jsonl -p mean -f npy -o parts.npy && cmp cut.npy parts.npy");
}

TEST(windows_of_ids_have_no_bytes)
{
    assert_contains(shell_expect(0, "echo '{\"ids\": [2, 3, 4]}' | $ENCODE --input jsonl -p mean "
                                    "--max-tokens 2 --on-long chunk")
                        ->out,
                    "     1      2/2              -  (token ids) ");
}

TEST(too_many_ids_are_said)
{
    assert_contains(
        shell_expect(1, "echo '{\"ids\": [2, 3, 4]}' | $ENCODE --input jsonl --pad-to 2 -f ids")
            ->err,
        "has 3 ids and the limit is 2: --on-long truncate cuts it, --on-long chunk makes windows "
        "of it, a larger --pad-to takes more\n");
}

SET_UP()
{
    shell_setup();
}
