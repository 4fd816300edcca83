/* encode as its users know it: every option, every output format, the comparison. */
#include "tests/tools/shell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NPY_HEADER = 128, MAX_VALUES = 4096 };

struct values {
    size_t n_rows, width;
    float data[MAX_VALUES];
};

/* The array of a result in NumPy's format; checks the header on the way. */
static void read_npy(const struct shell_result *result, struct values *values)
{
    assert_true(result->out_len >= NPY_HEADER);
    assert_memory_equal(result->out, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_int_equal(result->out[NPY_HEADER - 1], '\n');
    assert_int_equal(sscanf(result->out + 10,
                            "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu), }",
                            &values->n_rows, &values->width),
                     2);
    size_t n = values->n_rows * values->width;
    assert_true(n <= MAX_VALUES);
    assert_int_equal(result->out_len, NPY_HEADER + 4 * n);
    memcpy(values->data, result->out + NPY_HEADER, 4 * n);
}

static void encode_npy(struct values *values, const char *arguments)
{
    read_npy(shell_expect(0, "$ENCODE -f npy %s", arguments), values);
}

static double difference(const float *a, const float *b, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs((double)a[i] - (double)b[i]);
        if (!(d <= largest))
            largest = d;
    }
    return largest;
}

static const float *row(const struct values *values, size_t i)
{
    return values->data + i * values->width;
}

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

TEST(json_numbers_are_the_same_bits)
{
    struct values values;
    encode_npy(&values, "'I ride bike' dog");
    const char *next = shell_expect(0, "$ENCODE -f json 'I ride bike' dog")->out;
    for (size_t text = 0, i = 0; text < 2; text++) {
        size_t n = (text == 0 ? 5 : 3) * TOY_WIDTH;
        next = strstr(next, "\"vectors\": [[");
        assert_non_null(next);
        next += strlen("\"vectors\": [[");
        for (size_t k = 0; k < n; k++, i++) {
            char *end;
            float value = strtof(next, &end);
            assert_ptr_not_equal(end, next);
            assert_memory_equal(&value, &values.data[i], sizeof value);
            next = end + strspn(end, "], [");
        }
    }
}

TEST(csv_numbers_are_the_same_bits)
{
    struct values values;
    encode_npy(&values, "-p max 'I ride bike' dog");
    char *next = shell_expect(0, "$ENCODE -p max -f csv 'I ride bike' dog")->out;
    assert_contains(next, "text_index,text,pair,v0,v1,v2,v3,v4,v5,v6,v7\r\n0,I ride bike,,");
    next = strchr(next, '\n');
    for (size_t i = 0; i < 2; i++) {
        for (size_t column = 0; column < 3; column++)
            next = strchr(next + 1, ',');
        for (size_t k = 0; k < TOY_WIDTH; k++) {
            float value = strtof(next + 1, &next);
            assert_memory_equal(&value, &row(&values, i)[k], sizeof value);
        }
        assert_memory_equal(next, "\r\n", 2);
    }
}

TEST(json_says_all_about_a_text)
{
    const char *out = shell_expect(0, "$ENCODE --tokens -f json 'I \"zoo\"' --pair cat")->out;
    assert_string_equal(
        out, "{\"text\": \"I \\\"zoo\\\"\", \"pair\": \"cat\", \"tokens\": [{\"text\": \"[CLS]\", "
             "\"id\": 9, \"span\": [0, 0], \"special\": true}, {\"text\": \"i\", \"id\": 2, "
             "\"span\": [0, 1], \"special\": false}, {\"text\": \"[UNK]\", \"id\": 1, \"span\": "
             "[3, 6], \"special\": false}, {\"text\": \"[SEP]\", \"id\": 10, \"span\": [0, 0], "
             "\"special\": true}, {\"text\": \"cat\", \"id\": 6, \"span\": [0, 3], \"special\": "
             "false, \"pair\": true}, {\"text\": \"[SEP]\", \"id\": 10, \"span\": [0, 0], "
             "\"special\": true}], \"truncated\": false}\n");
    assert_contains(shell_expect(0, "$ENCODE -p cls -f json I")->out, "], \"vector\": [");
}

TEST(python_reads_the_json)
{
    if (shell("python3 -c 'import json'")->code != 0) {
        print_message("python3 is not here\n");
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
                        "text_index,token_index,token,id,begin,end,in_pair,masked\r\n"
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

TEST(npy_is_the_same_through_every_kind_of_output)
{
    shell_expect(
        0,
        "$ENCODE -f npy 'I ride' dog >direct.npy && $ENCODE -f npy 'I ride' dog | cat >piped.npy "
        "&& : >appended.npy && $ENCODE -f npy 'I ride' dog >>appended.npy && $ENCODE -f npy -o "
        "named.npy 'I ride' dog && (printf x; $ENCODE -f npy 'I ride' dog) >behind.npy");
    shell_expect(0, "cmp direct.npy piped.npy && cmp direct.npy appended.npy && cmp direct.npy "
                    "named.npy && tail -c +2 behind.npy | cmp direct.npy -");
    struct values values;
    read_npy(shell_expect(0, "cat direct.npy"), &values);
    assert_int_equal(values.n_rows, 7);
    assert_int_equal(values.width, TOY_WIDTH);
    encode_npy(&values, "-p mean </dev/null");
    assert_int_equal(values.n_rows, 0);
}

TEST(numpy_reads_the_npy)
{
    if (shell("python3 -c 'import numpy'")->code != 0) {
        print_message("numpy is not here\n");
        skip();
    }
    shell_expect(0, "$ENCODE -f npy I >np.npy && python3 -c 'import numpy\n"
                    "a = numpy.load(\"np.npy\")\n"
                    "assert a.shape == (3, 8) and a.dtype == numpy.float32'");
}

/* ---- What is computed ---- */

TEST(poolings_agree_with_the_tokens)
{
    struct values tokens, mean, cls, largest;
    encode_npy(&tokens, "'I ride bike'");
    encode_npy(&mean, "-p mean 'I ride bike'");
    encode_npy(&cls, "-p cls 'I ride bike'");
    encode_npy(&largest, "-p max 'I ride bike'");
    assert_int_equal(mean.n_rows, 1);
    for (size_t i = 0; i < TOY_WIDTH; i++) {
        double sum = 0, most = -INFINITY;
        for (size_t t = 0; t < tokens.n_rows; t++) {
            sum += (double)row(&tokens, t)[i];
            most = fmax(most, (double)row(&tokens, t)[i]);
        }
        assert_true(fabs((double)mean.data[i] - sum / (double)tokens.n_rows) <= 1e-6);
        assert_true((double)largest.data[i] == most);
        assert_true(cls.data[i] == tokens.data[i]);
    }
}

static double length(const float *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)values[i] * (double)values[i];
    return sqrt(sum);
}

TEST(normalize)
{
    struct values values, models;
    encode_npy(&values, "-p mean --normalize 'I ride'");
    assert_true(fabs(length(values.data, TOY_WIDTH) - 1) <= 1e-6);
    encode_npy(&models, "-p model 'I ride'"); /* mean, to length 1 */
    assert_memory_equal(models.data, values.data, TOY_WIDTH * sizeof(float));
    encode_npy(&values, "-p mean 'I ride'");
    assert_true(length(values.data, TOY_WIDTH) > 1.01);
}

TEST(model_without_pooling_gives_tokens)
{
    struct values values;
    encode_npy(&values, "-m plain.weights -p model 'I ride bike'");
    assert_int_equal(values.n_rows, 3);
    assert_contains(shell_expect(2, "$ENCODE -m plain.weights -p model --normalize I")->err,
                    "no pooling of its own");
}

TEST(positions)
{
    struct values a, b;
    encode_npy(&a, "--no-special 'I ride bike'");
    encode_npy(&b, "--no-special 'bike ride I'");
    assert_true(difference(row(&a, 0), row(&b, 2), TOY_WIDTH) > 1e-2);
    encode_npy(&b, "--no-special --position sinusoidal 'I ride bike'");
    assert_memory_equal(a.data, b.data, 3 * TOY_WIDTH * sizeof(float));
    encode_npy(&a, "--no-special --position none 'I ride bike'");
    encode_npy(&b, "--no-special --position none 'bike ride I'");
    for (size_t t = 0; t < 3; t++)
        assert_true(difference(row(&a, t), row(&b, 2 - t), TOY_WIDTH) <= 1e-5);
}

TEST(masks)
{
    struct values a, b;
    encode_npy(&a, "--no-special --mask causal 'I ride bike'");
    encode_npy(&b, "--no-special --mask causal 'I ride dog'");
    assert_memory_equal(a.data, b.data, 2 * TOY_WIDTH * sizeof(float));
    encode_npy(&a, "--no-special --mask full 'I ride bike'");
    encode_npy(&b, "--no-special --mask full 'I ride dog'");
    assert_true(difference(a.data, b.data, TOY_WIDTH) > 1e-3);
}

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
    assert_true(count_lines(result->out) <= 75);
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
    const char *build = getenv("ENCODE"); /* copies of the program find libengine.so there */
    char folder[SUPPORT_PATH];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(build, '/') - build), build);
    setenv("LD_LIBRARY_PATH", folder, 1);
    shell_expect(0, "mkdir -p tree/build/asan tree/weights prefix/bin prefix/share/encode && cp "
                    "\"$ENCODE\" tree/build && cp \"$ENCODE\" tree/build/asan && cp \"$ENCODE\" "
                    "prefix/bin && cp toy.weights tree/weights/default.weights && cp plain.weights "
                    "prefix/share/encode/default.weights");
    assert_contains(shell_expect(0, "ENCODE_MODEL= tree/build/encode I")->out, "Toy: ");
    assert_contains(shell_expect(0, "ENCODE_MODEL= tree/build/asan/encode I")->out, "Toy: ");
    assert_contains(shell_expect(0, "ENCODE_MODEL= prefix/bin/encode I")->out, "Plain: ");
    assert_contains(shell_expect(0, "tree/build/encode I")->out, "Toy: ");
    assert_contains(shell_expect(0, "$ENCODE -m plain.weights I")->out, "Plain: ");
    const char *err = shell_expect(1, "rm tree/weights/*; ENCODE_MODEL= tree/build/encode I")->err;
    assert_contains(err, "there are no default weights");
    assert_contains(err, "tree/weights/default.weights'");
    assert_contains(err, "encode/default.weights'");
    assert_contains(err, "-m FILE");
    unsetenv("LD_LIBRARY_PATH");
}

SET_UP()
{
    shell_setup();
}
