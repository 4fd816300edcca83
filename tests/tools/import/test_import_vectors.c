/* encode-import --vectors: the ways in which GloVe, word2vec and fastText write their text files,
 * lines that are wrong, which words of a text are found, and what runs on the file that comes of
 * it. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/shell.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void write_file(const char *name, const char *text)
{
    tiny_write_text(".", name, text);
}

/* The row of an id, [width], as a text of that id alone has it. */
static void row_of(engine_session *session, int32_t id, float *row, size_t width)
{
    const engine_input input = {.ids = &id, .n_ids = 1};
    const engine_encode_options options = {.struct_bytes = sizeof options,
                                           .pooling = ENGINE_POOLING_NONE};
    assert_int_equal(engine_encode(session, &input, 1, &options, row, width, NULL, NULL),
                     ENGINE_OK);
}

static void expect_word(const engine_model *model, int32_t id, const char *word, float a, float b)
{
    const char *text = "";
    size_t len = 0;
    float row[2];
    engine_session *session = support_session(model, NULL);
    row_of(session, id, row, 2);
    engine_session_free(session);
    if (engine_token_text(model, id, &text, &len) != ENGINE_OK) { /* it has none */
        text = "";
        len = 0;
    }
    if (len != strlen(word) || memcmp(text, word, len) != 0 || !(row[0] == a) || !(row[1] == b))
        fail_msg("id %d: '%.*s' %g %g, expected '%s' %g %g", id, (int)len, text, (double)row[0],
                 (double)row[1], word, (double)a, (double)b);
}

static size_t vocabulary_of(const engine_model *model)
{
    engine_info info = {.struct_bytes = sizeof info};
    assert_int_equal(engine_model_info(model, &info), ENGINE_OK);
    return info.n_vocabulary;
}

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
        write_file("v.txt", files[i]);
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
    write_file("v.txt", "2000 1 2\n1.5 3 4\n7 1/2 5 6\n3 4 7 8\n");
    const struct shell_result *result = shell_expect(0, "$IMPORT --vectors v.txt -o v.weights");
    assert_contains(result->err, "line 4: 3 numbers; expected 2; skipped");
    engine_model *model = support_open("v.weights");
    assert_int_equal(vocabulary_of(model), 4);
    expect_word(model, 1, "2000", 1, 2);
    expect_word(model, 2, "1.5", 3, 4);
    expect_word(model, 3, "7 1/2", 5, 6);
    engine_model_close(model);
    write_file("v.txt", "5 3\n6 2\n7 3\n"); /* one number each: no header */
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
    write_file("v.txt", "20 2\na 1 2\nb 1\nb 1 2 3\nb 1 x\nb nan 2\nb 1 -inf\n\n\xff\xfe 1 2\n"
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
    write_file("v.txt", "a 1 2\nb 3 4\n\n\xff\xfe 1 2\n 1 2\n"
                        "\033[2J\302\233 1 2\n\033[2J\302\233 1 2\n");
    result = shell_expect(0, "$IMPORT --vectors v.txt -o v.weights");
    assert_contains(result->err, "line 3: the line is empty");
    assert_contains(result->err, "line 4: the word is not UTF-8");
    assert_contains(result->err, "line 5: 1 number; expected 2");
    assert_contains(result->err, "line 7: '?[2J?"
                                 "?' is there already");
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
        write_file("v.txt", cases[i].text);
        assert_contains(shell_expect(1, "$IMPORT --vectors v.txt -o out/v.weights")->err,
                        cases[i].words);
    }
    assert_contains(shell_expect(1, "$IMPORT --vectors nowhere -o a")->err, "'nowhere'");
    assert_contains(shell_expect(1, "$IMPORT --vectors . -o a")->err, "cannot be read");
    shell_expect(1, "head -c 300000 /dev/zero >zeros; $IMPORT --vectors zeros -o out/v.weights");
    shell_expect(1, "head -c 300000 /dev/urandom >noise; $IMPORT --vectors noise -o out/v.weights");
    write_file("v.txt", "a 1 2\nb 3 70000\n");
    assert_contains(shell_expect(1, "$IMPORT --vectors v.txt --weights f16 -o out/v.weights")->err,
                    "does not fit its type");
    assert_contains(shell_expect(1, "$IMPORT --vectors v.txt -o /nowhere/a")->err, "/nowhere/a");
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
    write_file("v.txt", "a 1 2\nb 3 4\n");
    shell_expect(0, "rm -f g.txt l.txt h.txt; cp v.txt g.txt; ln -s g.txt l.txt; ln g.txt h.txt");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        assert_contains(shell_expect(2, "%s", commands[i])->err,
                        "which is read, and would be replaced");
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

/* ---- Which words are found ---- */

static void expect_ids(const char *model, const char *text, const char *ids)
{
    const struct shell_result *result =
        shell_expect(0, "$ENCODE -m %s --tokens -f ids \"%s\"", model, text);
    char line[128];
    snprintf(line, sizeof line, "%s\n", ids);
    assert_string_equal(result->out, line);
}

TEST(tokenizer)
{
    write_file("v.txt", "dog 1 2\n, 3 4\nwell-known 5 6\nu.s. 7 8\njosé 9 1\n's 2 3\n1,000 4 5\n"
                        "well 6 7\nno. 8 9\n");
    const struct shell_result *result = shell_expect(0, "$IMPORT --vectors v.txt -o v.weights");
    assert_contains(result->err, "for no word has a capital");
    assert_contains(result->err, "2 words can be met in no text");
    assert_contains(result->err, ": ''s', 'no.'");
    expect_ids("v.weights", "Dog,", "1 2");
    expect_ids("v.weights", "DOG, dog", "1 2 1");
    expect_ids("v.weights", "a Well-Known JOSÉ", "0 3 5");
    expect_ids("v.weights", "the U.S. (1,000)", "0 4 0 7 0");
    expect_ids("v.weights", "unwell-known", "0 0 0"); /* no word of another one */
    expect_ids("v.weights", "dog's", "1 0 0");
    shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --split blanks");
    expect_ids("v.weights", "Dog , 's no. dog,", "1 2 6 9 0");
    shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --lower no");
    expect_ids("v.weights", "Dog dog", "0 1");

    write_file("v.txt", "dog 1 2\nParis 3 4\nparis 5 6\nÉcole 7 8\n");
    result = shell_expect(0, "$IMPORT --vectors v.txt -o v.weights");
    assert_contains(result->err, "texts keep their capitals, for words have them, 'Paris' first");
    expect_ids("v.weights", "Dog Paris paris École", "0 2 3 4");
    result = shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --lower yes");
    assert_contains(result->err, "2 words can be met in no text");
    expect_ids("v.weights", "Dog Paris", "1 3");
    write_file("v.txt", "dog 1 2\nÉcole 7 8\n");
    assert_contains(shell_expect(0, "$IMPORT --vectors v.txt -o v.weights")->err, "'École' first");
}

/* Row 0 has a name that no word has, and the words are the file's. */
TEST(unknown)
{
    write_file("v.txt", "<unk> 1 2\n[UNK] 3 4\ndog 5 6\n");
    shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --lower yes");
    engine_model *model = support_open("v.weights");
    expect_word(model, 0, "<unknown>", 0, 0);
    expect_word(model, 1, "<unk>", 1, 2);
    engine_model_close(model);
}

TEST(limit)
{
    write_file("v.txt", "a 1 2\nb 3\na 5 6\nc 7 8\nd 1 1\ne 1 1\n");
    assert_contains(shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --limit 2")->err,
                    "2 words of 2 numbers");
    engine_model *model = support_open("v.weights");
    assert_int_equal(vocabulary_of(model), 3);
    expect_word(model, 2, "c", 7, 8);
    engine_model_close(model);
    /* Words that are not wanted count once each, too. */
    write_file("v.txt", "x 1 2\nx 1 2\nx 1 2\na 5 6\na 5 6\nb 7 8\n");
    write_file("t.txt", "a b\n");
    assert_contains(
        shell_expect(0, "$IMPORT --vectors v.txt --only-words-of t.txt -o v.weights --limit 2")
            ->err,
        "1 of these words has no vector, and rows of zeros (texts are in lower case; --lower no "
        "keeps capitals): 'b'");
    assert_lacks(
        shell_expect(0, "$IMPORT --vectors v.txt --only-words-of t.txt -o v.weights --limit 3")
            ->err,
        "no vector");
}

/* One word is none in the plural, and a NUL byte is no word. */
TEST(header_of_one)
{
    write_file("v.txt", " 1 2\nb 3 4\n  c 5 6\n");
    assert_contains(shell_expect(0, "$IMPORT --vectors v.txt -o v.weights")->err,
                    "line 1 says 1 word; 2 lines were right");
    const struct shell_result *result = shell_expect(
        0, "printf 'a 1 2\n\\000 3 4\nb\\000c 5 6\nd 7 8\n' | $IMPORT --vectors - -o v.weights");
    assert_contains(result->err, "line 2: the word has a NUL byte in it; skipped");
    assert_contains(result->err, "line 3: the word has a NUL byte in it; skipped");
    assert_contains(result->err, "2 words of 2 numbers");
}

/* Ids by frequency, then by the first place; row 0 is padding, absent words are zeros. */
TEST(only_words)
{
    write_file("v.txt", "3 2\nred 1 2\nwolf 3 4\nthe 5 6\nred 9 9\nblue 7 8\n");
    write_file("t.txt", "The wolf, the quokka!\nRed wolf and the numbat\n");
    const struct shell_result *result =
        shell_expect(0, "$IMPORT --vectors v.txt --only-words-of t.txt -o t.weights");
    assert_contains(result->err, "6 words of 2 numbers, table [7, 2]; row 0, of zeros, is padding");
    assert_contains(result->err, "3 of these words have no vector");
    assert_contains(result->err, ": 'quokka', 'and', 'numbat'");
    assert_contains(result->err, "line 5: 'red' is there already");
    engine_model *model = support_open("t.weights");
    expect_word(model, 0, "", 0, 0);
    expect_word(model, 1, "the", 5, 6);
    expect_word(model, 2, "wolf", 3, 4);
    expect_word(model, 3, "quokka", 0, 0);
    expect_word(model, 4, "red", 1, 2);
    expect_word(model, 5, "and", 0, 0);
    engine_model_close(model);
    expect_ids("t.weights", "Red WOLF, zebra the", "4 2 1"); /* unknown words are left out */
    shell_expect(0, "cat t.txt | $IMPORT --vectors v.txt --only-words-of - -o s.weights");
    expect_ids("s.weights", "Red WOLF, zebra the", "4 2 1");
    shell_expect(0, "$IMPORT --vectors v.txt --only-words-of t.txt -o t.weights --lower no");
    expect_ids("t.weights", "The the wolf", "3 2 1"); /* wolf and the are there twice */
    write_file("t.txt", "quokka numbat\n");
    assert_contains(
        shell_expect(1, "$IMPORT --vectors v.txt --only-words-of t.txt -o u.weights")->err,
        "has none of the words of 't.txt'");
    assert_contains(shell_expect(1, "$IMPORT --vectors v.txt --only-words-of no -o u.weights")->err,
                    "'no'");
    shell_expect(0, "[ ! -e u.weights ]");
}

/* ---- What runs on it ---- */

TEST(programs)
{
    write_file("v.txt", "dog 1 2\nwolf 2 3\nking -1 0.5\n");
    shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --max-tokens 100");
    shell_expect(0, "$ENCODE -m v.weights -p mean -f csv 'Dog wolf' >m.csv && $ENCODE -m v.weights "
                    "-p model -f csv 'Dog wolf' | cmp - m.csv");
    const struct shell_result *result =
        shell_expect(0, "$ENCODE -m v.weights -p mean -f json 'Dog wolf' 'zebra' ''");
    assert_contains(result->out, "[1.5, 2.5]");
    assert_contains(result->out, "[0.0, 0.0]");
    assert_lacks(result->out, "nan");
    result = shell_expect(0, "$ENCODE -m v.weights --similarity dog wolf zebra");
    assert_contains(result->out, "0.9923"); /* 8 / sqrt(5 · 13) */
    assert_contains(result->out, "0.0000");
    assert_lacks(result->out, "nan");
    result = shell_expect(0, "printf 'king\\nzebra\\nwolf\\n' | $ENCODE -m v.weights --rank dog");
    assert_lacks(result->out, "nan");
    assert_true(strstr(result->out, "wolf") < strstr(result->out, "zebra"));
    result = shell_expect(0, "$ENCODE -m v.weights --compare 'dog wolf king' 'king wolf dog'");
    assert_contains(result->out, "no layers, width 2, vocabulary 4");
    assert_contains(result->out, "Without positions");
    assert_contains(shell_expect(0, "$ENCODE -m v.weights --tokens 'Dog zebra'")->out,
                    "<unk> (zebra)");
    shell_expect(0, "$IMPORT --vectors v.txt -o p.weights --position sinusoidal --position-base "
                    "100 --embedding-scale sqrt --position-scale 2");
    shell_expect(0, "$ENCODE -m p.weights -f csv 'dog wolf' >p.csv && $ENCODE -m v.weights -f csv "
                    "--position sinusoidal --position-base 100 --embedding-scale sqrt "
                    "--position-scale 2 'dog wolf' | cmp - p.csv");
    shell_expect(0, "$IMPORT --vectors v.txt -o p.weights --position fourier --frequencies 0.25");
    shell_expect(0, "$INSPECT --verify p.weights");
    result = shell_expect(0, "$IMPORT --vectors v.txt --dry-run -o dry.weights");
    assert_contains(result->out, "Nothing is written");
    assert_contains(result->out, "vocabulary             4");
    shell_expect(0, "[ ! -e dry.weights ]");
}

TEST(types)
{
    static const struct {
        const char *type;
        double tolerance; /* of the largest of the row */
    } cases[] = {{"f32", 0}, {"f16", 1.0 / 2048}, {"bf16", 1.0 / 256}, {"int8", 0.5 / 127}};
    static const float expected[] = {-3, 0.7f};
    write_file("v.txt", "dog 1 2\nwolf -3 0.7\nzero 0 0\n");
    for (size_t i = 0; i < 4; i++) {
        float row[2];
        shell_expect(0, "$IMPORT --vectors v.txt -o v.weights --weights %s", cases[i].type);
        assert_contains(shell_expect(0, "$INSPECT --verify v.weights")->out, cases[i].type);
        engine_model *model = support_open("v.weights");
        engine_session *session = support_session(model, NULL);
        row_of(session, 2, row, 2);
        for (size_t k = 0; k < 2; k++)
            if (!(fabs((double)row[k] - (double)expected[k]) <= 3 * cases[i].tolerance + 1e-9))
                fail_msg("%s: %g, expected %g", cases[i].type, (double)row[k], (double)expected[k]);
        row_of(session, 3, row, 2);
        assert_true(row[0] == 0 && row[1] == 0);
        engine_session_free(session);
        engine_model_close(model);
    }
}

/* ---- Size ---- */

/* Most memory and seconds of a program; the shell would count its own. */
static void run_measured(char *const argv[], double *megabytes, double *seconds)
{
    struct timespec begin, end;
    struct rusage usage;
    int status = -1;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(126);
        execv(argv[0], argv);
        _exit(127);
    }
    assert_true(child > 0 && wait4(child, &status, 0, &usage) == child);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    *megabytes = (double)usage.ru_maxrss / 1024;
    *seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}

/* 40,000 words of 100 numbers, a tenth of GloVe's: 16 MB of floats from 32 MB of text. The bounds
 * scale to 400,000 words in 300 MB; the time is that of a busy machine. */
TEST(size)
{
    char program[] = "--vectors", vectors[] = "large.txt", o[] = "-o", output[] = "large.weights";
    char *const argv[] = {getenv("IMPORT"), program, vectors, o, output, NULL};
    double megabytes, seconds;
    if (support_sanitized()) {
        print_message("sanitizers take more memory than this allows: skipped\n");
        skip();
    }
    shell_expect(0, "sh $MAKE_VECTORS 40000 100 >large.txt");
    run_measured(argv, &megabytes, &seconds);
    print_message("40,000 x 100: %.2f s, %.0f MB\n", seconds, megabytes);
    if (!(megabytes <= 40) || !(seconds <= 10))
        fail_msg("40,000 x 100 took %.1f s and %.0f MB; expected at most 10 s and 40 MB", seconds,
                 megabytes);
    engine_model *model = support_open("large.weights");
    assert_int_equal(vocabulary_of(model), 40001);
    engine_model_close(model);
    expect_ids("large.weights", "w-10 w39999 w40001", "10 39999 0");
}

/* ---- The true ones ---- */

enum { GLOVE_WIDTH = 50, GLOVE_WORDS = 9163 };

static float glove[GLOVE_WORDS + 1][GLOVE_WIDTH];

static int32_t glove_id(engine_session *session, const char *word)
{
    const engine_input input = {.text = word, .text_len = strlen(word)};
    engine_token token = {.id = 0};
    size_t n = 0;
    assert_int_equal(engine_tokenize(session, &input, NULL, &token, 1, &n, NULL), ENGINE_OK);
    assert_int_equal(n, 1);
    return token.id;
}

/* king - man + woman is nearest to queen, of all words but these three. */
static void check_analogy(engine_session *session)
{
    const int32_t king = glove_id(session, "King"), man = glove_id(session, "man"),
                  woman = glove_id(session, "woman");
    float target[GLOVE_WIDTH];
    double best = -2;
    int32_t nearest = -1;
    for (size_t i = 0; i < GLOVE_WIDTH; i++)
        target[i] = glove[king][i] - glove[man][i] + glove[woman][i];
    for (int32_t id = 1; id <= GLOVE_WORDS; id++) {
        double cosine = engine_cosine(target, glove[id], GLOVE_WIDTH);
        if (cosine > best && id != king && id != man && id != woman) {
            best = cosine;
            nearest = id;
        }
    }
    assert_int_equal(nearest, glove_id(session, "queen"));
    if (!(fabs(best - 0.861) <= 0.0005))
        fail_msg("cosine of queen: %.6f, expected 0.861", best);
}

TEST(glove)
{
    char path[SUPPORT_PATH];
    if (!support_shared("text/glove/glove.6B.50d.9163.txt", path)) {
        print_message("no GloVe vectors beside the project: skipped\n");
        skip();
    }
    const struct shell_result *result =
        shell_expect(0, "$IMPORT --vectors %s -o glove.weights", path);
    assert_lacks(result->err, "skipped");
    assert_contains(result->err, "table [9164, 50]");
    engine_model *model = support_open("glove.weights");
    engine_session *session = support_session(model, NULL);
    for (int32_t id = 0; id <= GLOVE_WORDS; id++)
        row_of(session, id, glove[id], GLOVE_WIDTH);
    assert_true(glove[692][0] == 0.50451f && glove[692][1] == 0.68607f); /* king, from 1 */
    assert_int_equal(glove_id(session, "wolf"), 6305);
    check_analogy(session);
    const double cosine = engine_cosine(glove[glove_id(session, "dog")],
                                        glove[glove_id(session, "wolf")], GLOVE_WIDTH);
    if (!(fabs(cosine - 0.694) <= 0.0005))
        fail_msg("cosine of dog and wolf: %.6f, expected 0.694", cosine);
    engine_session_free(session);
    engine_model_close(model);

    /* The two sentences of eleven words: a matrix [12, 50] and the ids of the notebook. */
    write_file("t.txt", "king queen man woman dog wolf football basketball red green yellow\n"
                        "man queen yellow basketball green dog woman football king red wolf\n");
    result = shell_expect(0, "$IMPORT --vectors %s --only-words-of t.txt -o t.weights", path);
    assert_contains(result->err, "11 words of 50 numbers, table [12, 50]");
    assert_lacks(result->err, "no vector");
    assert_string_equal(shell_expect(0, "$ENCODE -m t.weights --tokens -f ids <t.txt")->out,
                        "1 2 3 4 5 6 7 8 9 10 11\n3 2 11 8 10 5 4 7 1 9 6\n");
    shell_expect(0, "$ENCODE -m t.weights -f npy 'king wolf' >t.npy && $ENCODE -m glove.weights -f "
                    "npy 'king wolf' | cmp - t.npy");
}

SET_UP()
{
    char *script = realpath("tests/tools/import/make_vectors.sh", NULL);
    assert_non_null(script);
    setenv("MAKE_VECTORS", script, 1);
    free(script);
    import_setup();
}
