/* What a reader of encode's tables needs to see: unknown words, pairs, ids, padding, joined
 * scripts; and where tables and arrays may go. */
#include "tests/tools/shell.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(unknown_token_shows_its_word)
{
    const char *out =
        shell_expect(0, "$ENCODE --tokens 'I Zoo \xE6\xA1\x9C\xE6\xA1\x9C [UNK]'")->out;
    assert_contains(out, "\n2  [UNK] (Zoo)    1    2-5\n");
    assert_contains(out, "\n3  [UNK] (\xE6\xA1\x9C\xE6\xA1\x9C)   1   6-12\n");
    assert_contains(shell_expect(0, "$ENCODE --tokens abcdefghijklmnopqrstuvwxyz")->out,
                    "  [UNK] (abcdefghijklmno…)   1  0-26\n");
}

/* The vocabulary of GPT-2's kind writes bytes as characters: the two of U+00EF, a blank. */
TEST(token_of_bytes_shows_its_characters)
{
    shell_expect(0, "printf '%%s' '{\"model\": {\"type\": \"BPE\", \"merges\": [], \"vocab\": "
                    "{\"a\": 0, \"\xC3\x83\": 1, \"\xC2\xAF\": 2, \"\xC4\xA0\": 3}}, "
                    "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": false}}' "
                    "> bytes.json && "
                    "$ENCODE_BUILD/encode-import --tokenizer-only bytes.json -o bytes.weights");
    const char *out = shell_expect(0, "$ENCODE -m bytes.weights --tokens 'a\xC3\xAF a'")->out;
    assert_contains(out, "\n0  a       0   0-1\n1  \xC3\x83 (\xC3\xAF)   1   1-3\n"
                         "2  \xC2\xAF (\xC3\xAF)   2   1-3\n3  \xC4\xA0 ");
}

TEST(text_of_pooled_pairs_has_both)
{
    assert_contains(shell_expect(0, "$ENCODE -p mean 'I ride' --pair dog")->out,
                    "\n     1  I ride | dog                   ");
    const char *out =
        shell_expect(0, "$ENCODE -p mean 'I' --pair 'dog dog dog dog dog dog dog dog dog'")->out;
    assert_contains(out, "\n     1  I | dog dog dog dog dog dog d… ");
    out = shell_expect(0, "$ENCODE -p mean 'dog dog dog dog dog dog' --pair 'cat cat cat cat cat'")
              ->out;
    assert_contains(out, "\n     1  dog dog dog d… | cat cat cat … ");
}

TEST(csv_has_pairs_and_ids)
{
    assert_string_equal(shell_expect(0, "$ENCODE --tokens -f csv I --pair 'cat dog'")->out,
                        "index,token_index,text,id,begin,end,in_pair,masked\r\n"
                        "0,0,[CLS],9,,,,0\r\n0,1,i,2,0,1,0,0\r\n0,2,[SEP],10,,,,0\r\n"
                        "0,3,cat,6,0,3,1,0\r\n0,4,dog,5,4,7,1,0\r\n0,5,[SEP],10,,,,0\r\n");
    assert_contains(shell_expect(0, "$ENCODE -p mean -f csv 'a,b' --pair 'c\"'")->out,
                    "index,text,pair,v0,v1,v2,v3,v4,v5,v6,v7\r\n0,\"a,b\",\"c\"\"\",");
    const char *out =
        shell_expect(0, "echo '{\"ids\": [2, 0], \"mask\": [1, 0]}' | $ENCODE --input jsonl -f csv")
            ->out;
    assert_contains(out, "\r\n0,0,i,2,,,,0,");
    assert_contains(out, "\r\n0,1,[PAD],0,,,,1,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0\r\n");
}

TEST(text_marks_padding)
{
    const char *out =
        shell_expect(0, "echo '{\"ids\": [2, 0], \"mask\": [1, 0]}' | $ENCODE --input jsonl")->out;
    assert_contains(out, "\n0  i       2        -  ");
    assert_contains(out, "\n1  [PAD]   0  padding   0.0000");
}

/* A word with a joiner is shown as it is written, one that turns the screen around is not. */
TEST(joiners_and_spacing_marks)
{
    /* Persian "mi", a joiner, "ravam": five letters. Devanagari "naam": two and a spacing mark. */
    const char *out =
        shell_expect(0,
                     "$NEW -o scripts.weights --words '\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xB1\xD9\x88"
                     "\xD9\x85 \xE0\xA4\xA8\xE0\xA4\xBE\xE0\xA4\xAE a' --width 4 --heads 1 && "
                     "$ENCODE -m scripts.weights --tokens '\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xB1"
                     "\xD9\x88\xD9\x85 \xE0\xA4\xA8\xE0\xA4\xBE\xE0\xA4\xAE a\xE2\x80\xAE'")
            ->out;
    assert_contains(out,
                    "\xD9\x85\xDB\x8C\xE2\x80\x8C\xD8\xB1\xD9\x88\xD9\x85             0   0-13\n");
    assert_contains(out, "\xE0\xA4\xA8\xE0\xA4\xBE\xE0\xA4\xAE               1  14-23\n");
    assert_contains(out, "[UNK] (a\\u202e)   3  24-28\n");
}

TEST(one_is_singular)
{
    shell_expect(0, "$NEW -o one.weights --words a --layers 1 --heads 1 --width 4 --max-tokens 1");
    const char *out = shell_expect(0, "$ENCODE -m one.weights a")->out;
    assert_contains(out, "1 layer, width 4, 1 head, ");
    assert_contains(out, "at most 1 token\n");
    assert_contains(shell_expect(2, "$ENCODE -m one.weights --max-tokens 2 a")->err,
                    "--max-tokens 2 is more than this model takes: 1 token\n");
}

TEST(arrays_are_not_written_to_a_terminal)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        print_message("skipped: no terminals here\n");
        skip();
    }
    char name[64];
    assert_int_equal(ptsname_r(terminal, name, sizeof name), 0);
    int other_end = open(name, O_RDWR | O_NOCTTY);
    assert_true(other_end >= 0);
    assert_contains(shell_expect(2, "$ENCODE -f npy dog >%s", name)->err,
                    "stdout is a terminal: -o FILE\n");
    shell_expect(0, "$ENCODE -f npy -o tty.npy dog >%s && $ENCODE -f csv dog >%s", name, name);
    close(other_end);
    close(terminal);
}

TEST(dash_is_stdout)
{
    shell_expect(
        0, "$ENCODE -f json -o - dog >dash && $ENCODE -f json dog | cmp - dash && ! test -e ./-");
    assert_contains(shell_expect(0, "$ENCODE --help")->out, "-: stdout\n");
}

SET_UP()
{
    shell_setup();
}
