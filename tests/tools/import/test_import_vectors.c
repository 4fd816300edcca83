/* encode-import --vectors: each decimal number is the nearest float32, in every locale; memory
 * and time; and GloVe's vectors. tests/cli/import/ has files, messages and what runs on them. */
#include "tests/model/growth.h"
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"
#include "tools/import/vectors/vectors.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Numbers ---- */

/* Reads "w NUMBER" in this process, which continues if the number is refused. */
static bool read_number(const char *number, float *value)
{
    static struct vectors_file file;
    static bool is_right;
    const char *word;
    size_t len;
    char line[2200];
    snprintf(line, sizeof line, "w %s\n", number);
    support_write_text("n.txt", line);
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

/* Files have points in every locale. */
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
    assert_string_equal(
        shell_expect(0, "$ENCODE -m large.weights --tokens -f ids 'w-10 w39999 w40001'")->out,
        "10 39999 0\n");
}

/* ---- GloVe's ---- */

enum { GLOVE_WIDTH = 50, GLOVE_WORDS = 9163 };

static float glove[GLOVE_WORDS + 1][GLOVE_WIDTH];

/* Reads the row of an id, [width]. */
static void row_of(engine_session *session, int32_t id, float *row, size_t width)
{
    const engine_input input = {.ids = &id, .n_ids = 1};
    const engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_NONE);
    assert_int_equal(engine_encode(session, &input, 1, &options, row, width, NULL, NULL),
                     ENGINE_OK);
}

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
    support_write_text("t.txt",
                       "king queen man woman dog wolf football basketball red green yellow\n"
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
