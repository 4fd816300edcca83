/* Texts of one length: encode --pad-to, its sides, ids and formats; and encode --show-mask. */
#include "tests/tools/shell.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NPY_HEADER = 128 };

static const char SENTENCES[] =
    "king queen man woman dog wolf football basketball red green yellow\\n"
    "man queen yellow basketball green dog woman football king red wolf\\n";

/* ---- The matrix of ids ---- */

/* "1 2 3 0 0\n": the ids, then zeros up to n. */
static void row_of(char *out, const char *ids, size_t n_ids, size_t n)
{
    strcpy(out, ids);
    for (size_t i = n_ids; i < n; i++)
        strcat(out, " 0");
    strcat(out, "\n");
}

/* The notebook: Tokenizer(num_words=64).fit_on_texts(texts), pad_sequences(padding='post',
 * maxlen=100). */
TEST(matrix_of_the_notebook)
{
    char first[512], second[512], both[1024];
    row_of(first, "1 2 3 4 5 6 7 8 9 10 11", 11, 100);
    row_of(second, "3 2 11 8 10 5 4 7 1 9 6", 11, 100);
    snprintf(both, sizeof both, "%s%s", first, second);
    shell_expect(
        0, "printf '%s' >two.txt && $NEW -o two.weights --fit two.txt --oov '' --num-words 63",
        SENTENCES);
    const struct shell_result *result =
        shell_expect(0, "$ENCODE -m two.weights --tokens --pad-to 100 --pad-side right --on-long "
                        "truncate -f ids <two.txt");
    assert_string_equal(result->out, both);
    assert_string_equal(result->err, "");
}

/* Of tokens alone --pad-to says the length, whatever the model takes. */
TEST(longer_than_the_model_takes)
{
    shell_expect(0, "$NEW -o short.weights --words 'a b' --width 4 --heads 1 --position learned "
                    "--max-tokens 3");
    assert_string_equal(shell_expect(0, "$ENCODE -m short.weights --tokens --pad-to 6 --on-long "
                                        "truncate -f ids 'a b a b b a a' 'a b a b'")
                            ->out,
                        "0 1 0 1 1 0\n0 1 0 1 0 0\n");
}

TEST(padding_id_is_the_vocabularys)
{
    assert_string_equal(shell_expect(0, "$ENCODE -f ids --pad-to 6 'dog cat' bike ''")->out,
                        "9 5 6 10 0 0\n9 4 10 0 0 0\n9 10 0 0 0 0\n");
    shell_expect(0, "$NEW -o late.weights --words 'a b' --add-token '<pad>' --width 4 --heads 1");
    assert_string_equal(shell_expect(0, "$ENCODE -m late.weights -f ids --pad-to 3 b")->out,
                        "1 3 3\n");
    assert_string_equal(
        shell_expect(0, "$ENCODE -m late.weights -f ids --pad-to 3 --pad-id 7 b")->out, "1 7 7\n");
    assert_string_equal(
        shell_expect(0, "$ENCODE -m late.weights -f ids --pad-to 3 --pad-id=-100 b")->out,
        "1 -100 -100\n");
    shell_expect(0, "$NEW -o words.weights --words 'a b' --width 4 --heads 1");
    const struct shell_result *result =
        shell_expect(0, "$ENCODE -m words.weights -f ids --pad-to 2 b '' a");
    assert_string_equal(result->out, "1 0\n0 0\n0 0\n");
    assert_contains(result->err, "padding has the id 0, which is also that of \"a\"; --pad-id");
    assert_int_equal(count_lines(result->err), 1);
}

TEST(sides_of_padding_and_cutting)
{
    shell_expect(0, "printf 'dog\\n\\ni ride bike dog cat\\n' >lines");
    assert_string_equal(shell_expect(0, "$ENCODE --tokens -f ids --no-special --pad-to 3 "
                                        "--pad-side left --on-long truncate <lines")
                            ->out,
                        "0 0 5\n0 0 0\n2 3 4\n");
    assert_string_equal(shell_expect(0, "$ENCODE --tokens -f ids --no-special --pad-to 3 "
                                        "--pad-side left --truncate-left <lines")
                            ->out,
                        "0 0 5\n0 0 0\n4 5 6\n");
    assert_string_equal(
        shell_expect(0, "$ENCODE -f ids --pad-to 5 --max-tokens 4 --on-long truncate <lines")->out,
        "9 5 10 0 0\n9 10 0 0 0\n9 2 3 10 0\n");
    /* What is counted of a text that was cut is its tokens, not the padding behind them. */
    const struct shell_result *result =
        shell_expect(0, "$ENCODE --tokens --pad-to 6 --max-tokens 3 --truncate-left <lines");
    assert_contains(result->out, "text 3: i ride bike dog cat  (3 of 7 tokens)\n");
    assert_contains(result->err, "line 3 of stdin was cut to 3 of its 7 tokens\n");
    assert_string_equal(shell_expect(0, "$ENCODE -f ids --pad-to 4 --on-long chunk <lines")->out,
                        "9 5 10 0\n9 10 0 0\n9 2 3 10\n9 4 5 10\n9 6 10 0\n");
}

TEST(pairs_are_padded)
{
    assert_string_equal(shell_expect(0, "$ENCODE -f ids --pad-to 8 dog --pair 'cat bike'")->out,
                        "9 5 10 6 4 10 0 0\n");
    assert_string_equal(
        shell_expect(0, "$ENCODE -f ids --pad-to 5 --on-long truncate dog --pair 'cat bike'")->out,
        "9 5 10 6 10\n");
    assert_contains(shell_expect(0, "$ENCODE --tokens -f csv --pad-to 7 dog --pair cat")->out,
                    "\r\n0,4,[SEP],10,,,,0\r\n0,5,[PAD],0,,,,1\r\n0,6,[PAD],0,,,,1\r\n");
}

TEST(too_long_is_said)
{
    const struct shell_result *result =
        shell_expect(1, "$ENCODE -f ids --pad-to 4 dog 'dog cat bike'");
    assert_string_equal(result->out, "9 5 10 0\n");
    assert_contains(result->err,
                    "text 2 has 5 tokens and the limit is 4: --on-long truncate cuts it, --on-long "
                    "chunk makes windows of it, a larger --pad-to takes more\n");
    static const char special[] =
        "text 1: its 2 special tokens alone are more than the limit of 1\n";
    assert_contains(shell_expect(1, "$ENCODE -f ids --pad-to 1 dog")->err, special);
    assert_contains(shell_expect(1, "$ENCODE -f ids --pad-to 1 --on-long truncate dog")->err,
                    special);
    assert_string_equal(shell_expect(0, "$ENCODE -f ids --pad-to 2 --on-long truncate dog")->out,
                        "9 10\n");
    assert_contains(shell_expect(0, "$ENCODE -f ids --pad-to 3 --on-long truncate 'dog cat'")->err,
                    "text 1 was cut to 3 of its 4 tokens");
}

TEST(formats_mark_padding)
{
    assert_contains(shell_expect(0, "$ENCODE --tokens --pad-to 4 dog")->out,
                    "\n3  [PAD]   0  padding\n");
    assert_contains(shell_expect(0, "$ENCODE --tokens --pad-to 4 --pad-id=-100 dog")->out,
                    "\n#  token    id     span\n0  [CLS]     9        -\n");
    assert_contains(
        shell_expect(0, "$ENCODE --tokens --pad-to 4 -f json dog")->out,
        "{\"text\": \"[PAD]\", \"id\": 0, \"type\": 0, \"span\": [0, 0], \"special\": true, "
        "\"masked\": true}]");
    assert_contains(
        shell_expect(0, "echo '{\"ids\": [0, 5], \"mask\": [0, 1]}' | $ENCODE --tokens --input "
                        "jsonl -f csv --pad-to 4 --pad-side left")
            ->out,
        "masked\r\n0,0,[PAD],0,,,,1\r\n0,1,[PAD],0,,,,1\r\n0,2,[PAD],0,,,,1\r\n0,3,dog,5,,,,0\r\n");
}

/* ---- Arrays ---- */

static const char *shape_of(const struct shell_result *result)
{
    assert_true(result->out_len >= NPY_HEADER);
    assert_memory_equal(result->out, "\x93NUMPY\x01\x00\x76\x00", 10);
    return result->out + 10;
}

TEST(ids_as_an_array)
{
    static const int32_t expected[] = {9, 5, 10, 0, 9, 10, 0, 0};
    const struct shell_result *result =
        shell_expect(0, "printf 'dog\\n\\n' | $ENCODE --tokens --pad-to 4 -f npy | cat");
    assert_contains(shape_of(result),
                    "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 4), } ");
    assert_int_equal(result->out_len, NPY_HEADER + sizeof expected);
    assert_memory_equal(result->out + NPY_HEADER, expected, sizeof expected);
    shell_expect(0, "printf 'dog\\n\\n' | $ENCODE --tokens --pad-to 4 -f npy >seekable && printf "
                    "'dog\\n\\n' | $ENCODE --tokens --pad-to 4 -f npy | cmp - seekable");
    assert_contains(shape_of(shell_expect(0, "$ENCODE --tokens --pad-to 4 -f npy </dev/null")),
                    "(0, 4)");
}

/* Rows of padding are zeros, those of tokens the same to the bit with and without it. */
TEST(tensor_of_vectors)
{
    enum { N = 6, ROWS = 2 * N, TOKENS = 4 + 3 };
    float plain[TOKENS * TOY_WIDTH], padded[ROWS * TOY_WIDTH], zeros[3 * TOY_WIDTH] = {0};
    const struct shell_result *result = shell_expect(0, "$ENCODE -f npy 'dog cat' bike");
    assert_int_equal(result->out_len, NPY_HEADER + sizeof plain);
    memcpy(plain, result->out + NPY_HEADER, sizeof plain);

    for (int on_left = 0; on_left < 2; on_left++) {
        result = shell_expect(0, "$ENCODE -f npy --pad-to 6 --pad-side %s 'dog cat' bike",
                              on_left ? "left" : "right");
        assert_contains(shape_of(result), "'shape': (2, 6, 8), }");
        assert_int_equal(result->out_len, NPY_HEADER + sizeof padded);
        memcpy(padded, result->out + NPY_HEADER, sizeof padded);
        const float *first = padded, *second = padded + N * TOY_WIDTH;
        assert_memory_equal(first + (on_left ? 2 : 0) * TOY_WIDTH, plain,
                            4 * TOY_WIDTH * sizeof *plain);
        assert_memory_equal(first + (on_left ? 0 : 4) * TOY_WIDTH, zeros,
                            2 * TOY_WIDTH * sizeof *zeros);
        assert_memory_equal(second + (on_left ? 3 : 0) * TOY_WIDTH, plain + 4 * TOY_WIDTH,
                            3 * TOY_WIDTH * sizeof *plain);
        assert_memory_equal(second + (on_left ? 0 : 3) * TOY_WIDTH, zeros, sizeof zeros);
    }
}

TEST(padding_changes_no_vector)
{
    shell_expect(0,
                 "seq 300 | sed 's/.*/i ride bike dog/; 2~3s/dog//' >many && $ENCODE -p mean -f "
                 "csv <many >without && $ENCODE -p mean -f csv --pad-to 16 <many | cmp - without "
                 "&& $ENCODE -p mean -f csv --pad-to 9 --pad-side left -t 3 <many | cmp - without");
    /* Padding takes no room of the model's: it may be longer than that. */
    assert_contains(shape_of(shell_expect(0, "$ENCODE -f npy --pad-to 40 dog")), "(1, 40, 8)");
    assert_contains(shell_expect(1, "$ENCODE -f npy --pad-to 40 -o never '%s'",
                                 "dog dog dog dog dog dog dog dog dog dog dog dog dog dog dog")
                        ->err,
                    "text 1 has 17 tokens and the limit is 16");
}

/* ---- Masks ---- */

static const char LESSON[] =
    "printf '{\"ids\": [5, 7, 9, 0, 0], \"mask\": [1, 1, 1, 0, 0]}\\n"
    "{\"ids\": [3, 2, 4, 1]}\\n{\"ids\": [6, 1, 8, 4, 2]}\\n' | $ENCODE --show-mask --input jsonl";

TEST(masks_for_reading)
{
    const char *out = shell_expect(0, "%s --mask causal", LESSON)->out;
    assert_contains(out, "\npadding mask [3, 5], text × place: 1 is a token, 0 is padding\n"
                         "     1  1 1 1 0 0  (token ids)\n     2  1 1 1 1 0  (token ids)\n"
                         "     3  1 1 1 1 1  (token ids)\n");
    assert_contains(out,
                    "True is hidden, False is seen\n"
                    "     0  False  True  True  True  True\n     1  False False  True  True  True\n"
                    "     2  False False False  True  True\n     3  False False False False  True\n"
                    "     4  False False False False False\n");
    assert_contains(out,
                    "padding and causal mask together [5, 5], query × key: 1 is seen, 0 is hidden\n"
                    "text 1: (token ids)\n"
                    "     0  1 0 0 0 0\n     1  1 1 0 0 0\n     2  1 1 1 0 0\n"
                    "     3  0 0 0 0 0  padding: not computed\n");
    assert_contains(out, "exp(-inf) is 0");
    assert_contains(out, "As long as one key is\nseen that does no harm; where all are hidden");
    assert_contains(shell_expect(0, "%s", LESSON)->out, "     0  1 1 1 0 0\n     1  1 1 1 0 0\n");
}

static void numbers_of(const char *json, const char *key, double *out, size_t n)
{
    const char *at = strstr(json, key);
    assert_non_null(at);
    for (size_t i = 0; i < n; i++) {
        at += strcspn(at, "-0123456789");
        char *end;
        out[i] = strtod(at, &end);
        assert_true(end > at);
        at = end;
    }
}

/* The article's softmax(ids + (1 - mask) * -1e9), row by row; padding gets exactly 0. */
TEST(softmax_of_the_article)
{
    static const double scores[3][5] = {{5, 7, 9, -1e9, -1e9}, {3, 2, 4, 1, -1e9}, {6, 1, 8, 4, 2}};
    double weights[3][5];
    const char *out = shell_expect(0, "%s -f json", LESSON)->out;
    numbers_of(out, "\"softmax\": ", weights[0], 15);
    for (size_t row = 0; row < 3; row++) {
        double sum = 0;
        for (size_t i = 0; i < 5; i++)
            sum += exp(scores[row][i]);
        for (size_t i = 0; i < 5; i++) {
            double expected = exp(scores[row][i]) / sum;
            if (!(fabs(weights[row][i] - expected) <= 1e-7)) /* a float32 below 1 */
                fail_msg("row %zu, place %zu: %.9g, expected %.9g", row, i, weights[row][i],
                         expected);
            assert_int_equal(weights[row][i] == 0, scores[row][i] == -1e9);
        }
    }
    assert_contains(out, "\"padding_mask\": [[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]], "
                         "\"look_ahead_mask\": [[false, true, true, true, true], ");
    assert_contains(
        out, "\"seen\": [[[1, 1, 1, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 0, 0], [0, 0, 0, 0, 0], ");
    assert_contains(out, "{\"texts\": [null, null, null], \"places\": 5, \"mask\": \"full\", ");
}

TEST(masks_of_texts)
{
    const char *out = shell_expect(0, "printf 'dog\\n\\ni ride\\n' | $ENCODE --show-mask "
                                      "--no-special -f json --pad-to 3 --pad-side left")
                          ->out;
    assert_contains(out, "{\"texts\": [\"dog\", \"\", \"i ride\"], \"places\": 3, ");
    assert_contains(out, "\"padding_mask\": [[0, 0, 1], [0, 0, 0], [0, 1, 1]]");
    assert_contains(out, "\"softmax\": [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.5, 0.5]]");
    out = shell_expect(0, "$ENCODE --show-mask --mask causal i --pair dog")->out;
    assert_contains(out, "\npadding mask [1, 5], text × place: 1 is a token, 0 is padding\n"
                         "     1  1 1 1 1 1  i | dog\n");
    assert_contains(
        shell_expect(0, "$ENCODE --show-mask --on-long truncate --pad-to 3 -f json 'i ride'")->out,
        "\"truncated\": [true]");
    assert_contains(shell_expect(1, "$ENCODE --show-mask --pad-to 3 dog 'i ride'")->err,
                    "text 2 has 4 tokens");
    assert_contains(shell_expect(1, "$ENCODE --show-mask --no-special ''")->err,
                    "--pad-to N makes places");
    assert_contains(shell_expect(1, "$ENCODE --show-mask </dev/null")->err, "no token to show");
    assert_contains(shell_expect(1, "echo '{' | $ENCODE --show-mask --input jsonl")->err,
                    "line 1 of stdin");
    shell_expect(
        0, "seq 200 | $ENCODE --show-mask -f json -o masks.json && test $(wc -l <masks.json) = 1");
}

/* ---- Rows that were padded before ---- */

/* The article's batch as it stands there, without masks. */
TEST(given_ids_with_padding)
{
    const char *batch = "printf '{\"ids\": [5, 7, 9, 0, 0]}\\n{\"ids\": [3, 2, 4, 1]}\\n"
                        "{\"ids\": [6, 1, 8, 4, 2]}\\n' | $ENCODE --show-mask --input jsonl";
    char *masked = strdup(shell_expect(0, "%s", LESSON)->out);
    const struct shell_result *result = shell_expect(0, "%s --pad-id 0", batch);
    assert_string_equal(result->out, masked);
    assert_string_equal(result->err, "");
    free(masked);
    result = shell_expect(0, "%s", batch);
    assert_contains(result->out, "     1  1 1 1 1 1  (token ids)\n");
    assert_contains(result->err,
                    "line 1 of stdin: its ids begin or end with 0, [PAD], which counts as a token "
                    "here; --pad-id 0, or a \"mask\", makes it padding");
    assert_int_equal(count_lines(result->err), 1);
}

static const char *mask_of(const char *ids, const char *options)
{
    return shell_expect(0, "echo '{%s}' | $ENCODE --show-mask -f json --input jsonl %s", ids,
                        options)
        ->out;
}

TEST(where_padding_is_found)
{
    assert_contains(mask_of("\"ids\": [0, 0, 5, 0, 6]", "--pad-id 0"),
                    "\"padding_mask\": [[0, 0, 1, 1, 1]]");
    assert_contains(mask_of("\"ids\": [0, 5, 0]", "--pad-id 0 --pad-to 5 --pad-side left"),
                    "\"padding_mask\": [[0, 0, 0, 1, 0]]");
    assert_contains(mask_of("\"ids\": [0, 0]", "--pad-id 0"), "\"padding_mask\": [[0, 0]]");
    assert_contains(mask_of("\"ids\": [5, 0]", "--pad-id 7"), "\"padding_mask\": [[1, 1]]");
    assert_contains(mask_of("\"ids\": [5, 0], \"mask\": [1, 1]", "--pad-id 0"),
                    "\"padding_mask\": [[1, 1]]");
    /* Padding is never looked up: its id may be past the vocabulary. */
    assert_contains(mask_of("\"ids\": [5, 999999]", "--pad-id 999999"),
                    "\"padding_mask\": [[1, 0]]");
    shell_expect(0, "echo '{\"ids\": []}' | $ENCODE --input jsonl --pad-id 0 -p mean -f json");
}

/* What --pad-to -f ids wrote, read again: the same vectors to the bit. */
TEST(own_padding_is_read_back)
{
    static const char read_back[] =
        "$ENCODE -f ids --pad-to 7 --pad-side %s dog 'dog cat' '' | sed 's/ /, /g; s/.*/{\"ids\": "
        "[&]}/' | $ENCODE --input jsonl -p mean -f npy %s | cmp - texts.npy";
    shell_expect(0, "$ENCODE -p mean -f npy dog 'dog cat' '' >texts.npy");
    shell_expect(0, read_back, "right", "--pad-id 0");
    shell_expect(0, read_back, "left", "--pad-id 0");
    shell_expect(0, read_back, "right", "--pad-id 0 --pad-to 9");
    assert_contains(shell_expect(1, read_back, "right", "")->err, "--pad-id 0, or a \"mask\"");
    assert_string_equal(
        shell_expect(0,
                     "echo '{\"ids\": [5, 0], \"mask\": [1, 0]}' | $ENCODE --input jsonl -p mean")
            ->err,
        "");
    /* Id 0 is a word here, or no text at all, as Keras has it. */
    shell_expect(0, "$NEW -o words.weights --words 'a b' --width 4 --heads 1");
    shell_expect(0, "printf 'a b' | $NEW -o keras.weights --fit - --width 4 --heads 1");
    assert_string_equal(
        shell_expect(0, "echo '{\"ids\": [1, 0]}' | $ENCODE -m words.weights --input jsonl")->err,
        "");
    assert_contains(
        shell_expect(0, "echo '{\"ids\": [1, 0]}' | $ENCODE -m keras.weights --input jsonl")->err,
        "begin or end with 0, which counts");
}

/* ---- What requires what ---- */

static void misused(const char *arguments, const char *message)
{
    assert_contains(shell_expect(2, "$ENCODE %s", arguments)->err, message);
}

TEST(conflicts)
{
    misused("--pad-to 0 dog", "--pad-to");
    misused("--pad-to x dog", "--pad-to");
    misused("--pad-to 4 --pad-side up dog", "left, right, not 'up'");
    misused("--pad-to 4 --pad-id 2147483648 dog", "--pad-id");
    misused("--pad-to 4 --pad-id=-2147483649 dog", "--pad-id");
    misused("--pad-to 4 --pad-id=-x dog", "--pad-id");
    misused("--pad-side left dog", "--pad-side requires --pad-to or --show-mask");
    misused("--pad-side left --input jsonl", "--pad-side requires --pad-to or --show-mask");
    misused("--pad-id 1 dog", "--pad-id requires --pad-to, --show-mask or --input jsonl");
    misused("--pad-to 4 --max-tokens 5 dog", "--max-tokens is more than --pad-to");
    misused("--pad-to 4 --similarity dog cat", "--pad-to requires vectors");
    misused("--pad-to 4 --compare dog cat", "--pad-to requires vectors");
    misused("--pad-to 4 --labels dog", "--pad-to requires vectors");
    misused("--tokens -f npy dog", "--pad-to N");
    misused("--show-mask -f csv dog", "prints text or json");
    misused("--show-mask -f ids dog", "prints text or json");
    misused("--show-mask -p mean dog", "makes no vectors");
    misused("--show-mask --on-long chunk dog", "one row per text");
    misused("--show-mask --tokens dog", "different results");
    shell_expect(0, "$ENCODE --show-mask --pad-side left --pad-id 3 dog cat");
    const char *out = shell_expect(0, "$ENCODE --help")->out;
    assert_contains(out, "--pad-to N ");
    assert_contains(out, "--show-mask ");
}

/* Masks whose printing would take hours are refused with their size. */
TEST(too_many_cells)
{
    const char *err = shell_expect(1, "$ENCODE --show-mask --pad-to 1048576 I")->err;
    assert_contains(err, "masks of 1 text of 1048576 places have 2199023255552 cells");
    assert_contains(err, "at most 67108864 are shown");
    assert_contains(shell_expect(1, "yes I | head -n 400 | $ENCODE --show-mask --pad-to 500")->err,
                    "masks of 400 texts of 500 places have 100250000 cells");
}

SET_UP()
{
    shell_setup();
}
