/* encode and what should not be there: strange texts, damaged lines, full disks, wrong options.
 * Each gets its exit code and a message that names the place, and nothing crashes. */
#include "tests/tools/shell.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Texts that are texts ---- */

TEST(texts_without_tokens)
{
    const struct shell_result *result = shell_expect(
        0, "printf 'dog\\n\\n   \\t \\nzoo\\n' | $ENCODE -m plain.weights -p mean -f csv");
    assert_contains(result->out, "\r\n1,,,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0\r\n");
    assert_contains(result->out, ",0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0\r\n3,zoo,,0.0,");
    assert_int_equal(count_lines(result->out), 5);
    assert_string_equal(result->err,
                        "encode: line 2 of stdin has no tokens: its vector is all zeros\n");
    assert_contains(shell_expect(0, "$ENCODE -m plain.weights -f json ''")->out,
                    "{\"text\": \"\", \"tokens\": [], \"vectors\": [], \"truncated\": false}\n");
    assert_string_equal(shell_expect(0, "printf '\\n\\n' | $ENCODE -m plain.weights -f ids")->out,
                        "\n\n");
}

/* Texts of other letters are one text to the model, which is said once. */
TEST(texts_without_known_words)
{
#define UNKNOWN(name, known, words)                                                                \
    "encode: " name ": the model knows " known " of its " words                                    \
    "; texts of unknown words get nearly the same vector\n"
    shell_expect(0, "$NEW -o known.weights --width 8 --heads 2 --words '[UNK] dog zoo . ,'");
    for (const char *options = "-p mean -f csv\0-p mean -f text\0-p mean -f json\0-p mean -f npy\0"
                               "--similarity\0--rank dog\0";
         *options; options += strlen(options) + 1)
        assert_string_equal(
            shell_expect(0, "$ENCODE -m known.weights %s dog 'xyz.' 'ab, xyz' dog", options)->err,
            UNKNOWN("text 2", "0", "1 word") UNKNOWN("text 3", "0", "2 words"));
    assert_string_equal(
        shell_expect(0, "$ENCODE -m known.weights --rank 'xyz dog abc' dog zoo")->err,
        UNKNOWN("the query", "1", "3 words"));
    assert_string_equal(
        shell_expect(0, "$ENCODE -m known.weights -p mean -f csv 'dog xyz' '[UNK]' . ''")->err,
        "encode: text 4 has no tokens: its vector is all zeros\n");
    assert_string_equal(shell_expect(0, "$ENCODE -m known.weights -f json xyz")->err, "");

    /* Three are named, all are counted. */
    assert_string_equal(
        shell_expect(0, "printf 'a.\nb.\ndog\nc\nd\ne\n' | $ENCODE -m known.weights -p mean -f csv")
            ->err,
        UNKNOWN("line 1 of stdin", "0", "1 word") UNKNOWN("line 2 of stdin", "0", "1 word") UNKNOWN(
            "line 4 of stdin", "0",
            "1 word") "encode: 5 of 6 texts: the model knows less than half of their words\n");
#undef UNKNOWN
}

/* The first one is named, and how many there are is told at the end. */
TEST(texts_that_are_not_utf8)
{
    static const char note[] = " is not UTF-8: each invalid part is read as U+FFFD (iconv makes "
                               "UTF-8 of other encodings)\n";
    char expected[512];
    const char *err = shell_expect(0, "printf 'a\\nb\\351\\nc\\n' | $ENCODE -f ids")->err;
    sprintf(expected, "encode: line 2 of stdin%s", note);
    assert_string_equal(err, expected);
    err = shell_expect(
              0, "printf '\"I\"\\n\"I \\377\"\\n\"dog\"\\n{\"text\": \"I \\360\\237\\232\"}\\n' | "
                 "$ENCODE --input jsonl -p mean -f npy -o n.npy")
              ->err;
    sprintf(expected, "encode: line 2 of stdin%sencode: 2 of 4 texts were not UTF-8\n", note);
    assert_string_equal(err, expected);
    err = shell_expect(0, "$ENCODE -p mean -f csv --pair $(printf '\\200') I")->err;
    sprintf(expected, "encode: text 1%s", note);
    assert_string_equal(err, expected);
    err = shell_expect(0, "printf 'I ride bike dog \\377\\n' | $ENCODE -p mean --max-tokens 4 "
                          "--on-long chunk -f csv")
              ->err;
    sprintf(expected, "encode: line 1 of stdin%s", note);
    assert_string_equal(err, expected);
    /* What stands for such a part is UTF-8. */
    assert_string_equal(shell_expect(0, "printf '\\357\\277\\275\\n' | $ENCODE -f ids")->err, "");
}

TEST(nul_is_text)
{
    assert_contains(
        shell_expect(1, "printf '{\"a\": 1\\000, \"text\": \"I\"}\\n' | $ENCODE --input jsonl")
            ->err,
        "line 1 of stdin: this is not JSON: a NUL byte, at byte 8");
    const char *out = shell_expect(0, "printf '%%s\\n' '\"I \\u0000 dog\"' | $ENCODE --input jsonl "
                                      "--tokens --no-special -f json")
                          ->out;
    assert_contains(out, "{\"text\": \"I \\u0000 dog\", ");
    assert_contains(out, "\"id\": 1, \"type\": 0, \"span\": [2, 3]");
    assert_contains(out, "\"id\": 5, \"type\": 0, \"span\": [4, 7]");
    assert_contains(shell_expect(0, "printf 'I \\000 dog\\n' | $ENCODE --no-special -f ids")->out,
                    "2 1 5\n");
}

/* What a terminal would obey, what it cannot show, what joins letters. */
TEST(characters_in_tables)
{
    const char *out = shell_expect(0, "printf 'a\\rb \\363\\240\\200\\201 \\342\\200\\214x "
                                      "\\342\\200\\250\\n' | $ENCODE --no-special")
                          ->out;
    assert_contains(out, "\\rb");
    assert_contains(out, "\\U000e0001");
    assert_contains(out, "\\u2028");
    assert_contains(
        shell_expect(0, "echo '\"a\\u0000b\"' | $ENCODE --input jsonl --tokens -f csv")->out, "a");
}

TEST(invalid_utf8)
{
    /* ff; e2 82 cut short; a surrogate of three bytes, each invalid by itself. */
    const char *bytes = "\\377 \\342\\202 \\355\\240\\200 dog";
    const char *repaired = "\"text\": \"\xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD"
                           "\xEF\xBF\xBD dog\"";
    const struct shell_result *result =
        shell_expect(0, "printf '%s\\n' | $ENCODE --tokens --no-special -f json", bytes);
    assert_contains(result->out, repaired);
    assert_contains(result->out, "\"span\": [9, 12]"); /* in the bytes as given */
    /* Overlong, above U+10FFFF, cut short, a byte that begins nothing; and a sound one. */
    assert_contains(
        shell_expect(0, "printf '\\340\\200|\\360\\200|\\364\\220|\\360\\237\\230|\\365|\\200|"
                        "\\364\\217\\277\\277\\n' | $ENCODE --tokens -f json")
            ->out,
        "\"text\": \"\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD|"
        "\xEF\xBF\xBD|\xEF\xBF\xBD|\xEF\xBF\xBD|\xF4\x8F\xBF\xBF\"");
    assert_contains(
        shell_expect(0, "printf '\"%s\"\\n' | $ENCODE --input jsonl -f json", bytes)->out,
        repaired);
    assert_contains(shell_expect(0, "printf '%s\\n' | $ENCODE -p mean -f csv", bytes)->out,
                    "\xEF\xBF\xBD\xEF\xBF\xBD dog,");
}

TEST(lone_surrogates)
{
    assert_contains(shell_expect(0, "printf '%%s\\n' '\"a\\ud800 \\uDC00\\ud83d\\ude00 "
                                    "\\\\ud800\"' | $ENCODE --input jsonl --tokens -f json")
                        ->out,
                    "\"text\": \"a\xEF\xBF\xBD \xEF\xBF\xBD\xF0\x9F\x98\x80 \\\\ud800\"");
}

TEST(very_long_word)
{
    shell_expect(0, "head -c 10000000 /dev/zero | tr '\\0' x >word");
    assert_string_equal(shell_expect(0, "$ENCODE -f ids --no-special <word")->out, "1\n");
    const struct shell_result *result = shell_expect(0, "$ENCODE <word");
    assert_contains(result->out, "0-10000000");
    assert_true(result->out_len < 2000);
}

TEST(very_many_tokens)
{
    shell_expect(0, "yes dog | head -n 1000000 | tr '\\n' ' ' >many");
    assert_contains(shell_expect(0, "$ENCODE -f ids --no-special <many | wc -w")->out, "1000000");
    assert_contains(shell_expect(1, "$ENCODE <many")->err,
                    "line 1 of stdin has 1000002 tokens and the limit is 16: --on-long truncate");
    assert_contains(shell_expect(0, "$ENCODE -p mean --on-long truncate <many")->err,
                    "cut to 16 of its 1000002 tokens");
}

TEST(very_long_line)
{
    assert_contains(
        shell_expect(1, "{ echo dog; head -c 67108865 /dev/zero; } | $ENCODE -f ids")->err,
        "line 2 of stdin is longer than 64 MiB");
}

TEST(masks_of_zeros)
{
    const struct shell_result *result = shell_expect(
        0, "echo '{\"ids\": [2, 3], \"mask\": [0, 0]}' | $ENCODE --input jsonl -p mean -f csv");
    assert_contains(result->out, "\r\n0,,,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0\r\n");
    assert_contains(result->err, "line 1 of stdin has no tokens");
    result = shell_expect(
        0, "echo '{\"ids\": [2, 3], \"mask\": [0, 0]}' | $ENCODE --input jsonl -f json");
    assert_contains(result->out, "[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, ");
    assert_contains(result->out, "\"masked\": true");
}

/* ---- Lines that are none ---- */

struct bad_line {
    const char *line, *message;
};

TEST(bad_json_lines)
{
    static const struct bad_line lines[] = {
        {"", "line 2 of stdin: this line is empty; expected"},
        {"  ", "line 2 of stdin: this line is empty; expected"},
        {"dog", "line 2 of stdin: this is not JSON"},
        {"\"dog", "line 2 of stdin: this is not JSON"},
        {"\"dog\" \"cat\"", "line 2 of stdin: this is not JSON"},
        {"{\"text\": \"a\", \"text\": \"b\"}", "line 2 of stdin: this is not JSON: duplicate"},
        {"null", "line 2 of stdin: this value is no text; expected"},
        {"5", "line 2 of stdin: this value is no text; expected"},
        {"[]", "line 2 of stdin: this array is not two strings; expected"},
        {"[\"a\"]", "line 2 of stdin: this array is not two strings; expected"},
        {"[1, \"a\"]", "line 2 of stdin: this array is not two strings; expected"},
        {"{\"pair\": \"a\", \"ids\": [1]}", "line 2 of stdin: \"ids\" goes without \"text\""},
        {"{\"text\": \"a\", \"types\": [1]}", "line 2 of stdin: \"types\" and \"mask\" go with"},
        {"{\"ids\": null, \"mask\": [1]}", "line 2 of stdin: \"types\" and \"mask\" go with"},
        {"\t", "line 2 of stdin: this line is empty; expected"},
        {"[\"a\", 1]", "line 2 of stdin: this array is not two strings; expected"},
        {"{}", "line 2 of stdin: this object has no \"text\" and no \"ids\"; expected"},
        {"{\"pair\": \"a\"}", "line 2 of stdin: this object has no \"text\" and no \"ids\""},
        {"{\"text\": null}", "line 2 of stdin: this object has no \"text\" and no \"ids\""},
        {"{\"text\": 1}", "line 2 of stdin: \"text\" is not a string; expected"},
        {"{\"text\": \"a\", \"pair\": 1}", "line 2 of stdin: \"pair\" is not a string; expected"},
        {"{\"text\": \"a\", \"ids\": [1]}", "line 2 of stdin: \"ids\" goes without \"text\""},
        {"{\"text\": \"a\", \"mask\": [1]}", "line 2 of stdin: \"types\" and \"mask\" go with"},
        {"{\"texts\": \"a\", \"id\": 1}", "line 2 of stdin: this object has no \"text\" and no"},
        {"{\"text\": \"a\", \"id\": [1]}",
         "line 2 of stdin: \"id\" is neither a string nor a number"},
        {"{\"text\": \"a\", \"_id\": true, \"id\": 1}",
         "line 2 of stdin: \"_id\" is neither a string nor a number"},
        {"{\"ids\": [18446744073709551616]}", "line 2 of stdin: \"ids\"[0] is not a whole number"},
        {"{\"ids\": 1}", "line 2 of stdin: \"ids\" is not an array"},
        {"{\"ids\": [1.5]}", "line 2 of stdin: \"ids\"[0] is not a whole number"},
        {"{\"ids\": [1, -1]}", "line 2 of stdin: \"ids\"[1] is not a whole number"},
        {"{\"ids\": [99999999999]}", "line 2 of stdin: \"ids\"[0] is not a whole number"},
        {"{\"ids\": [1, 2], \"types\": [0]}", "line 2 of stdin: \"types\" has 1 number where"},
        {"{\"ids\": [1], \"mask\": [2]}", "line 2 of stdin: \"mask\"[0] is not a whole number"},
        {"{\"ids\": [11]}", "line 2 of stdin: \"ids\"[0] is 11, and this model"},
        {"{\"ids\": [1, 1], \"types\": [0, 2]}",
         "line 2 of stdin: \"types\"[1] is 2, and this model's types end at 1"},
        {"{\"ids\": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}",
         "line 2 of stdin has 17 ids and the limit is 16"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct shell_result *result = shell_expect(
            1, "printf '%%s\\n' '\"I\"' '%s' '\"dog\"' | $ENCODE --input jsonl -p mean -f csv",
            lines[i].line);
        assert_contains(result->err, lines[i].message);
        assert_contains(result->out, "\r\n0,I,"); /* those before it are there */
        assert_int_equal(count_lines(result->out), 2);
        assert_int_equal(count_lines(result->err), 1);
    }
    /* At the very end an empty line is forgiven. */
    assert_string_equal(shell_expect(0, "printf '\"I\"\\n\\n' | $ENCODE --input jsonl -f ids")->out,
                        "9 2 10\n");
}

TEST(ids_of_tokens_only_are_checked_too)
{
    assert_contains(shell_expect(1, "echo '{\"ids\": [11]}' | $ENCODE --input jsonl -f ids")->err,
                    "ids end at 10");
    /* What is hidden by a mask may be anything. */
    shell_expect(0, "echo '{\"ids\": [2, 500], \"mask\": [1, 0]}' | $ENCODE --input jsonl -f json");
}

TEST(null_is_as_good_as_absent)
{
    shell_expect(0, "printf '%%s\\n' '{\"text\": \"I\", \"pair\": null}' '{\"ids\": [2], "
                    "\"types\": null, \"mask\": null, \"text\": null}' >null.jsonl");
    assert_string_equal(shell_expect(0, "$ENCODE --input jsonl -f ids <null.jsonl")->out,
                        "9 2 10\n2\n");
}

TEST(messages_obey_no_control_characters)
{
    const char *err = shell_expect(1, "printf '\\033[2Jx\\n' | $ENCODE --input jsonl -f ids")->err;
    assert_null(strchr(err, '\033'));
}

/* ---- Outputs that take nothing ---- */

TEST(full_disk)
{
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: no /dev/full here\n");
        skip();
    }
    const char *formats[] = {"text", "json", "csv", "npy", "ids"};
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(shell_expect(1, "$ENCODE -f %s dog >/dev/full", formats[i])->err,
                            "encode: cannot write to stdout: No space left on device\n");
        assert_string_equal(shell_expect(1, "$ENCODE -f %s -o /dev/full dog", formats[i])->err,
                            "encode: cannot write to '/dev/full': No space left on device\n");
        /* Long output fails half way. */
        assert_contains(
            shell_expect(1, "yes 'dog cat' | head -n 20000 | $ENCODE -f %s >/dev/full", formats[i])
                ->err,
            "No space left on device\n");
    }
    static const char *const tasks[] = {"--similarity -f text",
                                        "--similarity -f json",
                                        "--similarity -f csv",
                                        "--rank dog -f csv",
                                        "--pad-to 16 --show-mask -f text",
                                        "--pad-to 16 --show-mask -f json"};
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
        assert_contains(
            shell_expect(1, "yes dog | head -n 600 | $ENCODE %s >/dev/full", tasks[i])->err,
            "No space left on device\n");
    shell_expect(1, "yes dog | head -n 9000 | $ENCODE -p mean -f npy >>/dev/full");
    shell_expect(1, "$ENCODE --compare dog cat >/dev/full");
    shell_expect(1, "$ENCODE --help >/dev/full");
    assert_int_equal(access("/dev/full", W_OK), 0);
}

TEST(outputs_that_cannot_be_made)
{
    assert_contains(shell_expect(1, "$ENCODE -o nowhere/out dog")->err, "nowhere/out");
    assert_contains(shell_expect(1, "$ENCODE -o . dog")->err, "directory");
    assert_contains(shell_expect(1, "$ENCODE dog >&-")->err, "cannot write to stdout");
    assert_contains(shell_expect(1, "$ENCODE <&-")->err, "cannot read line 1 of stdin");
}

TEST(reader_that_leaves)
{
    /* By the signal, and with the signal ignored. */
    assert_string_equal(
        shell_expect(0, "yes dog | head -n 50000 | $ENCODE -f json | head -c 100 >/dev/null")->err,
        "");
    shell_expect(0, "trap '' PIPE; { yes dog 2>/dev/null | head -n 50000 2>/dev/null | $ENCODE -f "
                    "json 2>quiet; echo $? >code; } | head -c 100 >/dev/null");
    assert_string_equal(shell_expect(0, "cat quiet code")->out, "1\n");
}

/* ---- Models that are none ---- */

TEST(bad_models)
{
    assert_contains(shell_expect(1, "$ENCODE -m missing dog")->err, "missing");
    assert_contains(shell_expect(1, "$ENCODE -m . dog")->err, "directory");
    assert_contains(shell_expect(1, "mkfifo pipe; $ENCODE -m pipe dog")->err, "pipe");
    assert_contains(shell_expect(1, "echo dog >text; $ENCODE -m text dog")->err, "text");
    shell_expect(1, ": >empty; $ENCODE -m empty dog");
    shell_expect(1, "$ENCODE -m '' dog");
    shell_expect(1, "head -c 1000 toy.weights >cut; $ENCODE -m cut dog");
    shell_expect(1, "ENCODE_MODEL=missing $ENCODE dog");
    if (geteuid() == 0)
        print_message("root may read everything: no test of permissions\n");
    else
        assert_contains(
            shell_expect(1, "cp toy.weights shut; chmod 0 shut; $ENCODE -m shut dog")->err, "shut");
}

/* ---- Wrong options ---- */

TEST(misuse)
{
    static const char *const arguments[] = {
        "--nope dog",
        "-x dog",
        "-m",
        "-p middle dog",
        "-p '' dog",
        "-f xml dog",
        "--input yaml",
        "--mask half dog",
        "--position absolute dog",
        "--on-long ignore dog",
        "--max-tokens 0 dog",
        "--max-tokens -1 dog",
        "--max-tokens 1e3 dog",
        "--max-tokens 99999999999999999999 dog",
        "--max-tokens 17 dog",
        "-t 0 dog",
        "-t x dog",
        "-t 100000 dog",
        "--pair dog",
        "--pair dog cat I",
        "--input jsonl '\"dog\"'",
        "--tokens -f npy dog",
        "--tokens -p mean dog",
        "-f ids -p mean dog",
        "--tokens -p mean --normalize dog",
        "--normalize dog",
        "--compare dog",
        "--compare a b c",
        "--compare a b -p mean",
        "--compare a b -f csv",
        "--compare a b --tokens",
        "--compare a b --pair c",
        "--help=yes",
    };
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        const struct shell_result *result = shell_expect(2, "$ENCODE %s </dev/null", arguments[i]);
        assert_string_equal(result->out, "");
        assert_memory_equal(result->err, "encode: ", 8);
        assert_contains(result->err, "Try 'encode --help'.\n");
        assert_int_equal(count_lines(result->err), 2);
    }
}

SET_UP()
{
    shell_setup();
}
