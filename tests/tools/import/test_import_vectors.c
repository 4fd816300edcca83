/* encode-import --vectors: the ways in which GloVe, word2vec and fastText write their text files,
 * lines that are refused, and how much memory and time it takes. */
#include "tests/model/growth.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/import/vector_cases.h"
#include "tools/import/vectors/vectors.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Ways of writing ---- */

TEST(forms)
{
    static const char *const files[] = {
        "the 0.5 -1e-3\nof 2 .25\n.\u00A0. -3 4.\n",
        "3 2\nthe 0.5 -1e-3\nof 2 .25\n.\u00A0. -3 4.\n",            /* a header */
        "3 2 \nthe 0.5 -1e-3 \nof 2 .25 \n.\u00A0. -3 4. \n",        /* blanks after numbers */
        "the 0.5 -1e-3\r\nof 2 .25\r\n.\u00A0. -3 4.\r\n",           /* CR LF */
        "\xEF\xBB\xBFthe 0.5 -1e-3\nof 2 .25\n.\u00A0. -3 4.",       /* a mark; no last LF */
        "the\t0.50\t-0.001\nof  2.0   25e-2\n.\u00A0. \t-3e0 4\t\n", /* tabs, several blanks */
        "the +0.5 -.1E-2\nof 00002 0.25\n.\u00A0. -3.0 0.4e+1\n",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_vectors("v.txt", files[i]);
        const struct shell_result *result =
            shell_expect(0, "$IMPORT --vectors v.txt -o v.weights && $INSPECT --verify v.weights");
        assert_contains(result->err, "3 words of 2 numbers, table [4, 2]");
        engine_model *model = support_open("v.weights");
        assert_int_equal(vocabulary_of(model), 4);
        expect_word(model, 0, "<unk>", 0, 0);
        expect_word(model, 1, "the", 0.5f, -1e-3f);
        expect_word(model, 2, "of", 2, 0.25f);
        expect_word(model, 3, ".\u00A0.", -3, 4);
        engine_model_close(model);
    }
    shell_expect(0, "cat v.txt | $IMPORT --vectors - --name V -o a.weights && $IMPORT --vectors "
                    "v.txt --name V -o b.weights");
    assert_contains(shell_expect(0, "$INSPECT b.weights")->out, "sha256.0");
    assert_lacks(shell_expect(0, "$INSPECT a.weights")->out, "sha256.0");
    shell_expect(0, "$ENCODE -m a.weights -f csv 'the of' >a.csv && $ENCODE -m b.weights -f csv "
                    "'the of' | cmp - a.csv");
}

TEST(numbers_as_words)
{
    write_vectors("v.txt", "2000 1 2\n1.5 3 4\n-1e3 5 6\n");
    shell_expect(0, "$IMPORT --vectors v.txt -o v.weights");
    engine_model *model = support_open("v.weights");
    assert_int_equal(vocabulary_of(model), 4);
    expect_word(model, 1, "2000", 1, 2);
    expect_word(model, 2, "1.5", 3, 4);
    expect_word(model, 3, "-1e3", 5, 6);
    engine_model_close(model);
    write_vectors("v.txt", "a 3\n6 2\n7 3\n");
    assert_contains(shell_expect(0, "$IMPORT --vectors v.txt -o v.weights")->err, "table [4, 1]");
    write_vectors("v.txt", "5 3\n6 2\n7 3\n"); /* a header */
    assert_contains(shell_expect(1, "$IMPORT --vectors v.txt -o v.weights")->err,
                    "'v.txt', line 2: 1 number; expected 3");
}

/* Of a word that is there twice, as in some published files, the first vector counts. */
TEST(repeated)
{
    write_vectors("v.txt", "4 2\na 1 2\nc 3 4\na 9 9\nc 9 9\n");
    assert_contains(shell_expect(0, "$IMPORT --vectors v.txt -o v.weights")->err,
                    "'v.txt': 2 lines were skipped, line 4 first: the word has a vector already");
    engine_model *model = support_open("v.weights");
    assert_int_equal(vocabulary_of(model), 3);
    expect_word(model, 1, "a", 1, 2);
    expect_word(model, 2, "c", 3, 4);
    engine_model_close(model);
}

TEST(refused)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "'v.txt' is empty; expected lines of a word and its numbers"},
        {"\n", "line 1: a word and 0 numbers; expected a word and 1 to 65536 numbers"},
        {"hello\nworld\n", "line 1: a word and 0 numbers; expected"},
        {"hello world\n", "line 1: number 1 is 'world'; expected a finite decimal number"},
        {"{\"a\": [1, 2]}\n", "line 1: number 1 is '[1,'; expected"},
        {"a 1 2\nb 3\n", "line 2: 1 number; expected 2"},
        {"a 1 2\nb\n", "line 2: 0 numbers; expected 2"},
        {"a 1 2\nb 3 4 5\n", "line 2: '5' after 2 numbers; expected the line's end"},
        {"a 1 2\n. . 3 4\n", "line 2: number 1 is '.'; expected a finite decimal number"},
        {"a 1 2\n\nb 3 4\n", "line 2: it starts with '', 0 bytes; expected a word of 1 to 1024"},
        {"a 1 2\n 1 2\n", "line 2: it starts with '', 0 bytes"},
        {"a 1 2\n\xff\xfe 1 2\n",
         "', 2 bytes; expected a word of 1 to 1024 bytes (this is not UTF-8 text"},
        {"a 1 2\n\033[2J x 2\n", "line 2: number 1 is 'x'; expected"},
        {"3 2\n", "'v.txt', line 1 says 3 words; found 0"},
        {"3 2\na 1 2\nb 3 4\n", "'v.txt', line 1 says 3 words; found 2"},
        {"1 2\na 1 2\nb 3 4\n", "'v.txt', line 1 says 1 words; found 2"},
        {"0 2\n", "'v.txt' contains no word"},
        {"3 0\n", "line 1: words of 0 numbers; expected"},
        {"3 65537\n", "line 1: words of 65537 numbers; expected"},
        {"3 99999999999999999999999\n", "line 1: words of 18446744073709551615 numbers; expected"},
        {"3 4\na 1 2\nb 1 2\n", "line 2: 2 numbers; expected 4"},
        {"3 2\nabc \x9a\x99\x99?\x01\x01", "not UTF-8 text; of a compressed file: zcat FILE | "},
        {"\x1f\x8b\x08"
         "abc",
         "of a compressed file: zcat FILE | encode-import --vectors -; of a binary model"},
        {"PK\x03\x04"
         "abc",
         "not UTF-8 text"},
    };
    shell_expect(0, "rm -rf out; mkdir out; echo old >out/v.weights");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_vectors("v.txt", cases[i].text);
        const struct shell_result *result =
            shell_expect(1, "$IMPORT --vectors v.txt -o out/v.weights");
        assert_contains(result->err, cases[i].words);
        assert_lacks(result->err, "\033");
    }
    assert_contains(shell_expect(1, "$IMPORT --vectors nowhere -o a")->err, "'nowhere'");
    assert_contains(shell_expect(1, "$IMPORT --vectors . -o a")->err, "cannot be read");
    shell_expect(1, "head -c 300000 /dev/zero >zeros; $IMPORT --vectors zeros -o out/v.weights");
    shell_expect(1, "head -c 300000 /dev/urandom >noise; $IMPORT --vectors noise -o out/v.weights");
    shell_expect(1, "printf 'a 1 2\nb\\000c 3 4\n' | $IMPORT --vectors - -o out/v.weights");
    shell_expect(1, "printf 'a 1 2\n%%01025d 3 4\n' 0 | $IMPORT --vectors - -o out/v.weights");
    shell_expect(0, "printf 'a 1 2\n%%01024d 3 4\n' 0 | $IMPORT --vectors - -o v.weights");
    write_vectors("v.txt", "a 1 2\nb 3 70000\n");
    assert_contains(shell_expect(1, "$IMPORT --vectors v.txt --weights f16 -o out/v.weights")->err,
                    "does not fit its type");
    assert_contains(shell_expect(1, "$IMPORT --vectors v.txt -o absent/a")->err, "absent/a");
    assert_contains(
        shell_expect(1, "$IMPORT --vectors v.txt -o out/w --position fourier --frequencies 1,2")
            ->err,
        "position_frequencies");
    assert_string_equal(shell_expect(0, "ls -A out; cat out/v.weights")->out, "v.weights\nold\n");
}

/* ---- Numbers ---- */

/* Reads "w NUMBER" in the process, which goes on where the number is refused. */
static bool read_number(const char *number, float *value)
{
    static struct vectors_file file;
    static bool is_right;
    const char *word;
    size_t len;
    char line[2200];
    snprintf(line, sizeof line, "w %s\n", number);
    write_vectors("n.txt", line);
    READ_OR_REFUSE(&is_right, {
        vectors_file_open(&file, "n.txt", 0);
        assert_true(vectors_file_next(&file, &word, &len, value));
    });
    vectors_file_close(&file);
    import_free();
    return is_right;
}

static void check_number(const char *number)
{
    float value = -7, expected = strtof(number, NULL);
    assert_true(read_number(number, &value));
    if (memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s: %a, expected %a", number, (double)value, (double)expected);
}

TEST(numbers)
{
    static const char *const numbers[] = {
        "0",
        "-0",
        "+3",
        "5.",
        ".5",
        "-.5e1",
        "1E+3",
        "00012.500e-0003",
        "1e-50",
        "1e-45",
        "0e999999999999999999999",
        "3.4028235e38",
        "16777217",
        "16777219",
        "33554435",
        "16777217.00000000000000000000000000000000000001",
    };
    static const char *const others[] = {
        "-",    "+",     ".",     "-.",   "e5",      "1e",           "1e+",   "nan",
        "NaN",  "inf",   "-inf",  "0x10", "0x1p3",   "1,5",          "1.2.3", "--1",
        "1e5e", "1_000", "1e5.5", "1e39", "-3.5e38", "3.4028236e38",
    };
    float value;
    char many[1100];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        check_number(numbers[i]);
    snprintf(many, sizeof many, "0.%01000de998", 7);
    check_number(many);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (read_number(others[i], &value))
            fail_msg("'%s' was accepted", others[i]);
}

/* Files have points, whatever the locale. */
TEST(decimal_comma)
{
    float value = 0;
    if (!support_comma_locale(support_folder())) {
        print_message("skipped: no locale with a decimal comma here\n");
        skip();
    }
    const bool comma_is_read = read_number("1234,5", &value);
    const bool point_is_read = read_number("1234.5", &value);
    setlocale(LC_ALL, "C");
    assert_false(comma_is_read);
    assert_true(point_is_read);
    assert_true(value == 1234.5f);
}

/* ---- Files ---- */

/* The output may be no input, by whatever name, and is looked at before anything is read. */
TEST(output)
{
    static const char *const commands[] = {
        "$IMPORT --vectors g.txt -o g.txt",
        "$IMPORT --vectors g.txt -o ./l.txt",
        "$IMPORT --vectors l.txt -o g.txt",
        "$IMPORT --vectors g.txt -o h.txt",
        "$IMPORT --vectors - -o g.txt <g.txt",
        "$IMPORT --vectors v.txt --only-words-of g.txt -o g.txt",
        "$IMPORT --tokenizer-only g.txt -o g.txt",
    };
    write_vectors("v.txt", "a 1 2\nb 3 4\n");
    shell_expect(0, "rm -f g.txt l.txt h.txt; cp v.txt g.txt; ln -s g.txt l.txt; ln g.txt h.txt");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        assert_contains(shell_expect(2, "%s", commands[i])->err, "is read");
        shell_expect(0, "cmp v.txt g.txt");
    }
    assert_contains(shell_expect(2, "$IMPORT --vectors v.txt -o -")->err,
                    "would be standard output");
    shell_expect(0, "test ! -e ./-");
    assert_contains(shell_expect(2, "$IMPORT --vectors - -o g.txt <g.txt")->err,
                    "the file on stdin");
    shell_expect(0, "$IMPORT --vectors g.txt -o g.txt --dry-run");
    shell_expect(0, "$IMPORT --vectors g.txt -o g.weights && $IMPORT --vectors g.txt -o g.weights");
    const struct shell_result *result =
        shell_expect(1, "$IMPORT --vectors nowhere -o /nonexistent/x");
    assert_contains(result->err, "/nonexistent/x");
    assert_lacks(result->err, "nowhere");
}

TEST(misuse)
{
    static const struct {
        const char *options, *words;
    } cases[] = {
        {"--vectors v.txt", "-o FILE is needed"},
        {"--vectors v.txt dir -o a", "leave out dir"},
        {"--vectors v.txt --tokenizer-only t -o a", "leave out --tokenizer-only"},
        {"--limit 3 dir -o a", "require --vectors"},
        {"--vectors v.txt -o a --limit 0", "--limit"},
        {"--vectors v.txt -o a --lower maybe", "--lower"},
        {"--vectors v.txt -o a --split words", "--split"},
        {"--vectors v.txt -o a --only-words-of t --split blanks", "leave out --split"},
        {"--vectors - -o a --only-words-of -", "stdin"},
        {"--vectors v.txt -o a --position learned", "no positions of their own"},
        {"--vectors v.txt -o a --position rotary", "--position"},
        {"--vectors v.txt -o a --position-base 100", "--position-base"},
        {"--vectors v.txt -o a --max-tokens 0", "--max-tokens"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_contains(shell_expect(2, "$IMPORT %s", cases[i].options)->err, cases[i].words);
}

/* ---- Size ---- */

static void import_first(void *user, size_t n)
{
    (void)user;
    shell_expect(0, "head -n %zu large.txt | $IMPORT --vectors - -o large.weights", n);
}

/* Most memory of a program; the shell would count its own. */
static double megabytes_of(char *const argv[])
{
    struct rusage usage;
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(126);
        execv(argv[0], argv);
        _exit(127);
    }
    assert_true(child > 0 && wait4(child, &status, 0, &usage) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return (double)usage.ru_maxrss / 1024;
}

/* 40,000 words of 100 numbers, a tenth of GloVe's: 16 MB of floats from 32 MB of text. The bound
 * of memory scales to 400,000 words in 300 MB; time grows as the words do. */
TEST(size)
{
    enum { N_WORDS = 40000 };
    char program[] = "--vectors", vectors[] = "large.txt", o[] = "-o", output[] = "large.weights";
    char *const argv[] = {getenv("IMPORT"), program, vectors, o, output, NULL};
    if (support_sanitized()) {
        print_message("sanitizers take more memory than this allows: skipped\n");
        skip();
    }
    shell_expect(0, "sh \"$MAKE_VECTORS\" %d 100 >large.txt", N_WORDS);
    const double found = growth(import_first, NULL, N_WORDS / 4), megabytes = megabytes_of(argv);
    print_message("40,000 x 100: %.0f MB; four times the words, %.1f times the work\n", megabytes,
                  found);
    assert_true(megabytes <= 40);
    assert_true(found <= GROWTH_MOST);
    engine_model *model = support_open("large.weights");
    assert_int_equal(vocabulary_of(model), N_WORDS + 1);
    engine_model_close(model);
    expect_ids("large.weights", "w-10 w39999 w40001", "10 39999 0");
}

SET_UP()
{
    vectors_setup();
}
