/* encode-import --vectors: the ways in which GloVe, word2vec and fastText write their text files,
 * lines that are wrong, and how much memory and time it takes. */
#include "tests/model/growth.h"
#include "tests/tools/import/vector_cases.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Ways of writing ---- */

TEST(forms)
{
    static const char *const files[] = {
        "the 0.5 -1e-3\nof 2 .25\n. . . -3 4.\n",
        "3 2\nthe 0.5 -1e-3\nof 2 .25\n. . . -3 4.\n",             /* a header */
        "3 2 \nthe 0.5 -1e-3 \nof 2 .25 \n. . . -3 4. \n",         /* blanks behind */
        "the 0.5 -1e-3\r\nof 2 .25\r\n. . . -3 4.\r\n",            /* CR LF */
        "\xEF\xBB\xBFthe 0.5 -1e-3\nof 2 .25\n. . . -3 4.",        /* a mark, and no last end */
        "the\t0.50\t-0.001\nof  2.0   25e-2\n. . .\t-3e0 4\n",     /* tabs, several blanks */
        "  the +0.5 -.1E-2\n of 00002 0.25\n . . . -3.0 0.4e+1\n", /* blanks in front */
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_vectors("v.txt", files[i]);
        const struct shell_result *result =
            shell_expect(0, "$IMPORT --vectors v.txt -o v.weights && $INSPECT --verify v.weights");
        assert_contains(result->err, "3 words of 2 numbers, table [4, 2]");
        assert_lacks(result->err, "skipped");
        engine_model *model = support_open("v.weights");
        assert_int_equal(vocabulary_of(model), 4);
        expect_word(model, 0, "<unk>", 0, 0);
        expect_word(model, 1, "the", 0.5f, -1e-3f);
        expect_word(model, 2, "of", 2, 0.25f);
        expect_word(model, 3, ". . .", -3, 4);
        engine_model_close(model);
    }
    shell_expect(0, "cat v.txt | $IMPORT --vectors - --name V -o a.weights && $IMPORT --vectors "
                    "v.txt --name V -o b.weights");
    assert_contains(shell_expect(0, "$INSPECT b.weights")->out, "sha256.0");
    assert_lacks(shell_expect(0, "$INSPECT a.weights")->out, "sha256.0");
    shell_expect(0, "$ENCODE -m a.weights -f csv 'the of' >a.csv && $ENCODE -m b.weights -f csv "
                    "'the of' | cmp - a.csv");
}

/* Words that look like numbers, and numbers in front of which there is hardly a word. */
TEST(numbers_as_words)
{
    write_vectors("v.txt", "2000 1 2\n1.5 3 4\n7 1/2 5 6\n3 4 7 8\n");
    const struct shell_result *result = shell_expect(0, "$IMPORT --vectors v.txt -o v.weights");
    assert_contains(result->err, "line 4: 3 numbers; expected 2; skipped");
    engine_model *model = support_open("v.weights");
    assert_int_equal(vocabulary_of(model), 4);
    expect_word(model, 1, "2000", 1, 2);
    expect_word(model, 2, "1.5", 3, 4);
    expect_word(model, 3, "7 1/2", 5, 6);
    engine_model_close(model);
    write_vectors("v.txt", "5 3\n6 2\n7 3\n"); /* one number each: no header */
    assert_contains(shell_expect(0, "$IMPORT --vectors v.txt -o v.weights")->err, "table [4, 1]");
}

TEST(broken_lines)
{
    static const char *const reasons[] = {
        "line 3: 1 number; expected 2; skipped",
        "line 4: 3 numbers; expected 2; skipped",
        "line 5: number 2 is 'x', which is no finite number; skipped",
        "line 6: number 1 is 'nan', which is no finite number; skipped",
        "line 7: number 2 is '-inf', which is no finite number; skipped",
        "line 16: 'a' is there already; skipped",
        "line 17: 'c' is there already; skipped",
        "10 lines were skipped: 8 broken, 2 with a word that was there already",
        "line 1 says 20 words; 11 lines were right",
    };
    write_vectors("v.txt",
                  "20 2\na 1 2\nb 1\nb 1 2 3\nb 1 x\nb nan 2\nb 1 -inf\n\n\xff\xfe 1 2\n"
                  "b 1 1e39\nc 3 4\nd 5 6\ne 7 8\nf 7 8\ng 7 8\na 9 9\nc 9 9\nh 1 1\ni 1 1\n"
                  "j 1 1\n");
    const struct shell_result *result = shell_expect(0, "$IMPORT --vectors v.txt -o v.weights");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        assert_contains(result->err, reasons[i]);
    assert_lacks(result->err, "line 8:"); /* five of a kind are shown */
    engine_model *model = support_open("v.weights");
    assert_int_equal(vocabulary_of(model), 10);
    expect_word(model, 1, "a", 1, 2); /* the first is kept */
    expect_word(model, 2, "c", 3, 4);
    expect_word(model, 9, "j", 1, 1);
    engine_model_close(model);
    write_vectors("v.txt", "a 1 2\nb 3 4\n\n\xff\xfe 1 2\n 1 2\n"
                           "\033[2J\302\233 1 2\n\033[2J\302\233 1 2\n");
    result = shell_expect(0, "$IMPORT --vectors v.txt -o v.weights");
    assert_contains(result->err, "line 3: the line is empty");
    assert_contains(result->err, "line 4: the word is not UTF-8");
    assert_contains(result->err, "line 5: 1 number; expected 2");
    assert_contains(result->err, "line 7: '\\x1b[2J\\x9b' is there already");
}

TEST(refused)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "is empty"},
        {"\n", "not a file of word vectors"},
        {"hello world\nthis is a text\n", "no line starts with a word"},
        {"3 2\n", "binary form"},
        {"3 4\na 1 2\nb 1 2\n",
         "line 1 says 4 numbers for each word, but the lines behind it have 2"},
        {"a 1 2\nb x y\nc x y\nd z z\n",
         "of its 4 lines 1 are a word and 2 numbers; line 2: number 1"},
        {"\x1f\x8b\x08"
         "abc",
         "compressed (gzip)"},
        {"PK\x03\x04"
         "abc",
         "ZIP"},
        {"{\"a\": [1, 2]}\n", "not a file of word vectors"},
    };
    shell_expect(0, "rm -rf out; mkdir out; echo old >out/v.weights");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_vectors("v.txt", cases[i].text);
        assert_contains(shell_expect(1, "$IMPORT --vectors v.txt -o out/v.weights")->err,
                        cases[i].words);
    }
    assert_contains(shell_expect(1, "$IMPORT --vectors nowhere -o a")->err, "'nowhere'");
    assert_contains(shell_expect(1, "$IMPORT --vectors . -o a")->err, "cannot be read");
    shell_expect(1, "head -c 300000 /dev/zero >zeros; $IMPORT --vectors zeros -o out/v.weights");
    shell_expect(1, "head -c 300000 /dev/urandom >noise; $IMPORT --vectors noise -o out/v.weights");
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
        {"--limit 3 dir -o a", "go with --vectors"},
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
