/* encode as its users know it: options, output for readers, input, files, the comparison. */
#include "tests/tools/encode/npy_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text ---- */

TEST(text_has_a_line_per_token)
{
    const char *out = shell_expect(0, "$ENCODE 'I ride bike'")->out;
    assert_contains(out,
                    "Toy: 2 layers, width 8, 2 heads, feed-forward 32, vocabulary 11\n"
                    "sinusoidal positions, full mask, one vector per token, at most 16 tokens\n"
                    "\n"
                    "#  token  id  span  first 4 of 8 values");
    assert_contains(out, "\n0  [CLS]   9     -  ");
    assert_contains(out, "\n1  i       2   0-1  ");
    assert_contains(out, "\n2  ride    3   2-6  ");
    assert_contains(out, "\n3  bike    4  7-11  ");
    assert_contains(out, "\n4  [SEP]  10     -  ");
    assert_int_equal(count_lines(out), 9);
}

TEST(text_shows_values_and_norm)
{
    struct values values;
    char line[256] = "\n1  i     2   0-1";
    double sum = 0;
    encode_npy(&values, "I");
    for (size_t i = 0; i < TOY_WIDTH; i++) {
        double value = (double)row(&values, 1)[i];
        snprintf(line + strlen(line), sizeof line - strlen(line), " %8.4f", value);
        sum += value * value;
    }
    snprintf(line + strlen(line), sizeof line - strlen(line), "   %8.4f\n", sqrt(sum));
    const char *out = shell_expect(0, "$ENCODE --all I")->out;
    assert_contains(out, "values");
    /* The widths of the columns before the values are another test's matter. */
    assert_contains(out, strchr(line, '-') + 2);
}

TEST(text_is_aligned_by_columns_on_the_screen)
{
    const char *out = shell_expect(0, "$ENCODE --tokens '桜 naïve'")->out;
    assert_contains(out, "\n1  桜      7   0-3\n2  naïve   8  4-10\n");
}

TEST(text_escapes_what_a_terminal_would_obey)
{
    const char *out =
        shell_expect(0, "$ENCODE \"$(printf 'dog\\033[2J \\342\\200\\256cat')\" dog")->out;
    assert_null(strchr(out, '\033'));
    assert_lacks(out, "\xE2\x80\xAE");
    assert_contains(out, "\\x1b[2J");
    assert_contains(out, "\\u202e");
}

TEST(text_introduces_each_of_several_texts)
{
    const char *out = shell_expect(0, "$ENCODE -m plain.weights I ''")->out;
    assert_contains(out, "\ntext 1: I\n#");
    assert_contains(out, "\ntext 2: \n(no tokens)\n");
    assert_lacks(shell_expect(0, "$ENCODE I")->out, "text 1");
}

TEST(pooled_text_has_a_line_per_text)
{
    const char *out = shell_expect(0, "$ENCODE -p mean 'I ride' dog")->out;
    assert_contains(out, "mean pooling");
    assert_contains(out, "\n     1  I ride  ");
    assert_contains(out, "\n     2  dog  ");
    assert_int_equal(count_lines(out), 6);
}

/* ---- The same numbers in every format ---- */

TEST(json_says_all_about_a_text)
{
    const char *out = shell_expect(0, "$ENCODE --tokens -f json 'I \"zoo\"' --pair cat")->out;
    assert_string_equal(
        out,
        "{\"text\": \"I \\\"zoo\\\"\", \"pair\": \"cat\", \"tokens\": ["
        "{\"text\": \"[CLS]\", \"id\": 9, \"type\": 0, \"span\": [0, 0], \"special\": true}, "
        "{\"text\": \"i\", \"id\": 2, \"type\": 0, \"span\": [0, 1], \"special\": false}, "
        "{\"text\": \"[UNK]\", \"id\": 1, \"type\": 0, \"span\": [3, 6], \"special\": false}, "
        "{\"text\": \"[SEP]\", \"id\": 10, \"type\": 0, \"span\": [0, 0], \"special\": true}, "
        "{\"text\": \"cat\", \"id\": 6, \"type\": 1, \"span\": [0, 3], \"special\": false, "
        "\"in_pair\": true}, "
        "{\"text\": \"[SEP]\", \"id\": 10, \"type\": 1, \"span\": [0, 0], \"special\": true}], "
        "\"truncated\": false}\n");
    out = shell_expect(0, "$ENCODE -p cls --tokens -f json I")->out;
    assert_contains(out, "{\"text\": \"I\", \"tokens\": [{\"text\": \"[CLS]\", ");
    assert_contains(out, "}], \"vector\": [");
}

/* A corpus of them would be mostly tokens. */
TEST(json_of_texts_has_tokens_where_they_are_asked_for)
{
    const char *out = shell_expect(0, "$ENCODE -p cls -f json I")->out;
    assert_contains(out, "{\"text\": \"I\", \"vector\": [");
    assert_lacks(out, "tokens");
    assert_contains(shell_expect(0, "$ENCODE -f json I")->out, "\"tokens\": [");
    shell_expect(0, "$ENCODE -p none --tokens -f json I >a && $ENCODE --tokens -f json I | cmp a");
    assert_contains(shell_expect(2, "$ENCODE -p mean --tokens -f csv I")->err,
                    "--tokens makes no vectors and goes without -p, unless -f json shows both");
}

TEST(python_reads_the_json)
{
    if (shell("python3 -c 'import json'")->code != 0) {
        print_message("skipped: python3 is not here\n");
        skip();
    }
    shell_expect(0, "printf '\"a\\\\u0000\\\\n\\\\u001f\\\\\\\\ \\\\\"q\"\\n\"\\377 \\177\"\\n' | "
                    "$ENCODE --input jsonl -f json >py.json && python3 -c 'import json\n"
                    "a, b = [json.loads(line) for line in open(\"py.json\", encoding=\"utf-8\")]\n"
                    "assert a[\"text\"] == \"a\\0\\n\\x1f\\\\ \\\"q\", a[\"text\"]\n"
                    "assert b[\"text\"] == \"\\ufffd \\x7f\", b[\"text\"]\n"
                    "assert len(a[\"vectors\"]) == len(a[\"tokens\"])'");
}

TEST(csv_quotes_fields)
{
    assert_string_equal(shell_expect(0, "$ENCODE --tokens --no-special -f csv 'I' 'ride dog'")->out,
                        "index,token_index,text,id,begin,end,in_pair,masked\r\n"
                        "0,0,i,2,0,1,0,0\r\n1,0,ride,3,0,4,0,0\r\n1,1,dog,5,5,8,0,0\r\n");
    assert_contains(shell_expect(0, "$ENCODE -p mean -f csv 'a \"b\", c'")->out,
                    "\r\n0,\"a \"\"b\"\", c\",,");
}

TEST(ids)
{
    assert_string_equal(shell_expect(0, "$ENCODE --tokens -f ids 'I ride' '' zoo")->out,
                        "9 2 3 10\n9 10\n9 1 10\n");
    assert_string_equal(shell_expect(0, "$ENCODE -f ids --no-special I '' bike")->out, "2\n\n4\n");
}

/* ---- What is computed ---- */

TEST(long_texts)
{
    const char *five = "'I ride bike I ride'";
    const struct shell_result *result = shell_expect(1, "$ENCODE --max-tokens 4 I %s", five);
    assert_contains(result->err, "text 2 has 7 tokens and the limit is 4");
    assert_contains(result->err, "--on-long truncate");
    assert_contains(result->out, "text 1: I\n"); /* those before it are there */
    shell_expect(1, "$ENCODE --on-long error --max-tokens 4 %s", five);

    result = shell_expect(0, "$ENCODE -f ids --max-tokens 4 --on-long truncate %s %s", five, five);
    assert_string_equal(result->out, "9 2 3 10\n9 2 3 10\n");
    assert_string_equal(result->err, "encode: text 1 was cut to 4 of its 7 tokens\n"
                                     "encode: 2 of 2 texts were cut\n");
    result = shell_expect(0, "$ENCODE -f ids --max-tokens 4 --on-long truncate %s I", five);
    assert_string_equal(result->err, "encode: text 1 was cut to 4 of its 7 tokens\n");
    result = shell_expect(0, "(echo I; yes I ride bike I ride | head -n 3000) | $ENCODE -p mean -f "
                             "csv --max-tokens 4 --on-long truncate");
    assert_string_equal(result->err, "encode: line 2 of stdin was cut to 4 of its 7 tokens\n"
                                     "encode: 3000 of 3001 texts were cut\n");
    for (int i = 0; i < 3; i++) {
        static const char *const tasks[] = {"--similarity", "--show-mask", "--rank I"};
        result = shell_expect(0, "$ENCODE %s --max-tokens 4 --on-long truncate I %s %s", tasks[i],
                              five, five);
        assert_string_equal(result->err, "encode: text 2 was cut to 4 of its 7 tokens\n"
                                         "encode: 2 of 3 texts were cut\n");
    }
    result =
        shell_expect(0, "$ENCODE --rank %s --max-tokens 4 --on-long truncate I %s", five, five);
    assert_string_equal(result->err, "encode: the query was cut to 4 of its 7 tokens\n"
                                     "encode: 1 of 2 texts was cut\n");
    assert_contains(
        shell_expect(0, "$ENCODE -f json --max-tokens 4 --on-long truncate %s", five)->out,
        "\"truncated\": true}");
    assert_contains(shell_expect(2, "$ENCODE --max-tokens 17 I")->err, "16 tokens");
    /* Special tokens alone do not fit: cutting is no way out, and is not recommended. */
    result = shell_expect(1, "$ENCODE --max-tokens 1 --on-long truncate I");
    assert_contains(result->err, "text 1: ");
    assert_lacks(result->err, "--on-long");
}

TEST(threads_and_batches_change_no_bit)
{
    shell_expect(0, "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo 'I ride "
                    "bike'; echo; echo dog cat dog; echo 'zoo I'; done >lines");
    shell_expect(0, "for p in none mean; do $ENCODE -p $p -f csv -t 1 <lines >one && $ENCODE -p $p "
                    "-f csv -t 2 <lines >two && cmp one two || exit 1; done");
    struct values all, alone;
    encode_npy(&all, "-p mean <lines");
    assert_int_equal(all.n_rows, 80);
    encode_npy(&alone, "-p mean 'dog cat dog'");
    for (size_t i = 2; i < 80; i += 4)
        assert_memory_equal(row(&all, i), alone.data, TOY_WIDTH * sizeof(float));
}

/* ---- Input ---- */

TEST(lines)
{
    assert_string_equal(
        shell_expect(0, "printf 'I\\n\\nride\\r\\n\\nbike' | $ENCODE --no-special -f ids")->out,
        "2\n\n3\n\n4\n");
    assert_string_equal(
        shell_expect(0, "printf '\\357\\273\\277I\\n' | $ENCODE --no-special -f ids")->out, "2\n");
    assert_string_equal(shell_expect(0, "$ENCODE -f ids </dev/null")->out, "");
    assert_string_equal(shell_expect(0, "$ENCODE -f ids -- -I")->out, "9 2 10\n");
}

TEST(json_lines)
{
    shell_expect(0, "printf '%%s\\n' '\"I\"' '[\"I\", \"dog\"]' '{\"text\": \"cat\"}' '{\"text\": "
                    "\"I\", \"pair\": \"dog\"}' '{\"ids\": [2, 3]}' '{\"ids\": []}' >lines.jsonl");
    assert_string_equal(shell_expect(0, "$ENCODE --input jsonl -f ids <lines.jsonl")->out,
                        "9 2 10\n9 2 10 5 10\n9 6 10\n9 2 10 5 10\n2 3\n\n");
    shell_expect(0, "sed -n 2p lines.jsonl | $ENCODE --input jsonl -f npy >a && $ENCODE -f npy I "
                    "--pair dog >b && cmp a b");
    /* Ids with their types are the pair again. */
    shell_expect(0, "echo '{\"ids\": [9, 2, 10, 5, 10], \"types\": [0, 0, 0, 1, 1]}' | $ENCODE "
                    "--input jsonl -f npy | cmp - b");
    /* So are padded ones, whose padding gives zeros. */
    struct values padded, pair;
    read_npy(shell_expect(0, "cat b"), &pair);
    read_npy(shell_expect(0,
                          "echo '{\"ids\": [0, 9, 2, 10, 5, 10, 0], \"types\": [0, 0, 0, 0, 1, 1, "
                          "0], \"mask\": [0, 1, 1, 1, 1, 1, 0]}' | $ENCODE --input jsonl -f npy"),
             &padded);
    assert_int_equal(padded.n_rows, 7);
    assert_memory_equal(row(&padded, 1), pair.data, 5 * TOY_WIDTH * sizeof(float));
    for (size_t i = 0; i < TOY_WIDTH; i++)
        assert_true(row(&padded, 0)[i] == 0 && row(&padded, 6)[i] == 0);
}

/* ---- Output ---- */

TEST(output_file)
{
    shell_expect(
        0, "$ENCODE -f json I >expected && $ENCODE -f json -o out.json I && cmp expected out.json");
    assert_string_equal(shell_expect(0, "$ENCODE -o out.txt I")->out, "");
    /* A failure half way leaves what was there. */
    shell_expect(0, "ls -a >before");
    shell_expect(1, "printf '\"I\"\\nnull\\n' | $ENCODE --input jsonl -f json -o out.json");
    shell_expect(0, "cmp expected out.json");
    shell_expect(1, "printf 'null\\n' | $ENCODE --input jsonl -f json -o never.json");
    shell_expect(
        0, "ls -a >after; sed /before/d before >a; sed '/before/d;/after/d' after >b; cmp a b");
}

/* ---- Comparison ---- */

TEST(compare_numbers)
{
    struct values a, b;
    char expected[160];
    encode_npy(&a, "'dog I dog'");
    encode_npy(&b, "'I dog cat dog'");
    const char *out = shell_expect(0, "$ENCODE -f json --compare 'dog I dog' 'I dog cat dog'")->out;
    /* Repeated words pair in order: dog 1 with 2, dog 3 with 4. */
    size_t pairs[][2] = {{1, 2}, {2, 1}, {3, 4}};
    for (size_t i = 0; i < 3; i++) {
        const float *in_a = row(&a, pairs[i][0]), *in_b = row(&b, pairs[i][1]);
        const char *place;
        snprintf(expected, sizeof expected,
                 "\"position_a\": %zu, \"position_b\": %zu, \"cosine\": ", pairs[i][0],
                 pairs[i][1]);
        assert_contains(out, expected);
        place = strstr(out, expected) + strlen(expected);
        assert_true(fabs(strtod(place, NULL) - engine_cosine(in_a, in_b, TOY_WIDTH)) <= 1e-8);
        place = strstr(place, "\"largest_difference\": ") + strlen("\"largest_difference\": ");
        assert_true(fabs(strtod(place, NULL) - difference(in_a, in_b, TOY_WIDTH)) <= 1e-6);
    }
    assert_contains(out, "\"only_a\": [], \"only_b\": [{\"word\": \"cat\", \"position\": 3}]");
}

/* ---- The program itself ---- */

TEST(help_and_version)
{
    const struct shell_result *result = shell_expect(0, "$ENCODE --help");
    assert_true(count_lines(result->out) <= 86);
    assert_string_equal(result->err, "");
    const char *options[] = {"--model",   "--position",   "--mask",    "--threads",   "--input",
                             "--pair",    "--no-special", "--compare", "--normalize", "--tokens",
                             "--on-long", "--max-tokens", "--pooling", "--format",    "--all",
                             "--output",  "--version"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        assert_contains(result->out, options[i]);
    assert_contains(shell_expect(0, "$ENCODE --version")->out, "encode " ENGINE_VERSION "\n");
}

TEST(default_weights)
{
    setenv("LD_LIBRARY_PATH", getenv("ENCODE_BUILD"), 1); /* libengine.so is not beside copies */
    shell_expect(0, "mkdir -p tree/build-clang/asan tree/weights prefix/bin prefix/share/encode && "
                    "cp toy.weights tree/weights/default.weights && cp plain.weights "
                    "prefix/share/encode/default.weights && for build in tree/build-clang "
                    "tree/build-clang/asan prefix/bin; do cp \"$ENCODE\" $build; done && ln -sr "
                    "tree/weights/default.weights tree/build-clang && ln -sr "
                    "tree/weights/default.weights tree/build-clang/asan && mv tree moved");
    assert_contains(shell_expect(0, "ENCODE_MODEL= moved/build-clang/encode I")->out, "Toy: ");
    assert_contains(shell_expect(0, "ENCODE_MODEL= moved/build-clang/asan/encode I")->out, "Toy: ");
    assert_contains(shell_expect(0, "ENCODE_MODEL= prefix/bin/encode I")->out, "Plain: ");
    assert_contains(shell_expect(0, "moved/build-clang/encode I")->out, "Toy: ");
    assert_contains(shell_expect(0, "$ENCODE -m plain.weights I")->out, "Plain: ");
    const char *err =
        shell_expect(1, "rm moved/weights/*; ENCODE_MODEL= moved/build-clang/encode I")->err;
    assert_contains(err, "there are no default weights");
    assert_contains(err, "share/encode/default.weights'");
    assert_contains(err, "-m FILE");
    unsetenv("LD_LIBRARY_PATH");
}

SET_UP()
{
    shell_setup();
}
