/* encode-plot as a user runs it: every picture in every format, its numbers, wrong use, texts that
 * would like to be commands, outputs that cannot be written. Pictures are skipped where gnuplot is
 * not there. */
#include "tests/tools/shell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_gnuplot(void)
{
    return shell("command -v gnuplot >/dev/null")->code == 0;
}

#define NEEDS_GNUPLOT()                                                                            \
    do {                                                                                           \
        if (!has_gnuplot()) {                                                                      \
            print_message("skipped: gnuplot is not there\n");                                      \
            skip();                                                                                \
        }                                                                                          \
    } while (0)

/* ---- Tables ---- */

enum { COLUMNS_MOST = 600, ROWS_MOST = 600 };

struct table {
    size_t n_rows, n_columns;
    char *names[ROWS_MOST], *columns[COLUMNS_MOST];
    double *values; /* [ROWS_MOST, n_columns] */
};

/* The index-th table of what the last command wrote; it is cut up in place. */
static struct table *read_table(const char *text, size_t index)
{
    static char *copy;
    static struct table table;
    free(copy);
    free(table.values);
    table = (struct table){0};
    copy = strdup(text);
    char *at = copy, *line;
    for (size_t i = 0; i <= index; i++) {
        at = strstr(at, "\nname\t");
        assert_non_null(at);
        at++;
    }
    line = strsep(&at, "\n");
    strsep(&line, "\t");
    for (char *name; (name = strsep(&line, "\t")) != NULL;)
        table.columns[table.n_columns++] = name;
    table.values = calloc(ROWS_MOST * table.n_columns, sizeof(double));
    while (at && (line = strsep(&at, "\n")) != NULL && line[0]) {
        table.names[table.n_rows] = strsep(&line, "\t");
        for (size_t i = 0; i < table.n_columns; i++) {
            char *number = strsep(&line, "\t"), *end;
            assert_non_null(number);
            table.values[table.n_rows * table.n_columns + i] = strtod(number, &end);
            assert_true(*number && !*end);
        }
        assert_null(line);
        table.n_rows++;
    }
    return &table;
}

static double value(const struct table *table, size_t row, size_t column)
{
    return table->values[row * table->n_columns + column];
}

static size_t find(char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("there is no '%s'", name);
    return 0;
}

static void assert_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.9g, expected %.9g", got, expected);
}

/* ---- Numbers ---- */

static void test_position_numbers(void **state)
{
    (void)state;
    struct table *table = read_table(shell_expect(0, "$PLOT position --width 100 -f data")->out, 0);
    assert_int_equal(table->n_rows, 100);
    assert_int_equal(table->n_columns, 100);
    for (size_t p = 0; p < 100; p++) {
        double squares = 0;
        for (size_t i = 0; i < 100; i++) {
            double angle = (double)p / pow(10000, (double)(i / 2 * 2) / 100);
            assert_near(value(table, p, i), i % 2 ? cos(angle) : sin(angle), 1e-6);
            squares += value(table, p, i) * value(table, p, i);
        }
        assert_near(sqrt(squares), 7.0710678, 1e-5);
    }
    table =
        read_table(shell_expect(0, "$PLOT position --width 100 --kind distance -f data")->out, 0);
    assert_near(value(table, 70, 72), 3.2668781, 1e-5);
    assert_near(value(table, 5, 5), 0, 0);
    table = read_table(
        shell_expect(0, "$PLOT position --width 100 --kind correlation -f data")->out, 0);
    assert_near(value(table, 34, 34), 50, 1e-4);
    assert_near(value(table, 3, 9), value(table, 9, 3), 0);
    table = read_table(shell_expect(0, "$PLOT position --width 100 --kind cosine -f data")->out, 0);
    assert_near(value(table, 34, 34), 1, 1e-6);
    table = read_table(
        shell_expect(0, "$PLOT position --width 512 --kind waves --dims 0:512:64 -f data")->out, 0);
    assert_int_equal(table->n_rows, 8);
    assert_near(value(table, find(table->names, 8, "dim 64"), 10), sin(10 / pow(10000, 0.125)),
                1e-6);
    table = read_table(
        shell_expect(0, "$PLOT position --width 6 -n 40 --position binary --transpose -f data")
            ->out,
        0);
    assert_int_equal(table->n_rows, 6);
    assert_near(value(table, 5, 35), 1, 0);
    assert_near(value(table, 2, 35), 0, 0);
}

static void test_learned_positions(void **state)
{
    (void)state;
    shell_expect(0, "$NEW -o learned.weights --position learned --width 8 --heads 2 --max-tokens "
                    "12 --keras --words 'a b'");
    const char *out =
        shell_expect(0, "$PLOT position -m learned.weights --beside sinusoidal -f data")->out;
    assert_contains(out, "learned");
    assert_int_equal(read_table(out, 0)->n_rows, 12);
    assert_near(value(read_table(out, 1), 1, 0), sin(1), 1e-6);
    assert_contains(shell_expect(1, "$PLOT position -m learned.weights -n 13 -f data")->err, "12");
    assert_contains(shell_expect(2, "$PLOT position --position learned --width 8 -f data")->err,
                    "weight file");
    assert_contains(shell_expect(2, "$PLOT position -m learned.weights --width 9 -f data")->err,
                    "8");
    shell_expect(0, "$PLOT position --beside learned.weights --kind cosine -f data");
}

static void check_attention(const struct table *table, size_t n, size_t n_visible, bool is_causal)
{
    assert_int_equal(table->n_rows, n);
    assert_int_equal(table->n_columns, n);
    for (size_t row = 0; row < n; row++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            bool is_hidden = i >= n_visible || row >= n_visible || (is_causal && i > row);
            if (is_hidden && value(table, row, i) != 0)
                fail_msg("%zu looks at %zu: %g", row, i, value(table, row, i));
            sum += value(table, row, i);
        }
        assert_near(sum, row < n_visible ? 1 : 0, row < n_visible ? 1e-6 : 0);
    }
}

static void test_attention_numbers(void **state)
{
    (void)state;
    static const char *const asks[] = {"--head 1", "--head 2 --layer 2", "--head mean", "--rollout",
                                       "--rollout --layer 1"};
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        const char *out = shell_expect(0, "$PLOT attention 'I ride bike' %s -f data", asks[i])->out;
        check_attention(read_table(out, 0), 5, 5, false);
        out = shell_expect(0, "$PLOT attention 'I ride bike' --pad-to 9 %s -f data", asks[i])->out;
        check_attention(read_table(out, 0), 9, 5, false);
        out =
            shell_expect(0, "$PLOT attention 'I ride bike' --mask causal %s -f data", asks[i])->out;
        check_attention(read_table(out, 0), 5, 5, true);
    }
    const char *out = shell_expect(0, "$PLOT attention 'I ride bike' -f data")->out;
    for (size_t head = 0; head < 2; head++)
        check_attention(read_table(out, head), 5, 5, false);
    assert_string_equal(read_table(out, 0)->names[0], "[CLS]");
    out =
        shell_expect(0, "$PLOT attention 'I ride bike' --pad-to 9 --pad-side left --head 1 -f data")
            ->out;
    struct table *table = read_table(out, 0);
    assert_string_equal(table->names[3], "[padding]");
    assert_string_equal(table->names[4], "[CLS]");
    assert_near(value(table, 3, 4), 0, 0);
}

/* R = (0.5 A2 + 0.5 I)(0.5 A1 + 0.5 I) from the maps of the heads. */
static void test_rollout(void **state)
{
    (void)state;
    enum { N = 5 };
    double layers[2][N][N] = {{{0}}}, rolled;
    for (size_t l = 0; l < 2; l++)
        for (size_t h = 0; h < 2; h++) {
            struct table *table = read_table(
                shell_expect(0, "$PLOT attention 'I ride bike' --layer %zu --head %zu -f data",
                             l + 1, h + 1)
                    ->out,
                0);
            for (size_t i = 0; i < N * N; i++)
                layers[l][i / N][i % N] += 0.25 * value(table, i / N, i % N);
        }
    for (size_t i = 0; i < N; i++)
        layers[0][i][i] += 0.5, layers[1][i][i] += 0.5;
    struct table *table =
        read_table(shell_expect(0, "$PLOT attention 'I ride bike' --rollout -f data")->out, 0);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            rolled = 0;
            for (size_t k = 0; k < N; k++)
                rolled += layers[1][i][k] * layers[0][k][j];
            assert_near(value(table, i, j), rolled, 1e-12);
        }
}

/* Without positions another order gives the same places; with positions it does not. */
static void test_words_numbers(void **state)
{
    (void)state;
    double moved = 0;
    const char *out =
        shell_expect(0, "$PLOT words 'I ride bike dog' 'dog bike I ride' -f data")->out;
    for (size_t row = 0; row < 2; row++) {
        struct table *table = read_table(out, row ? 4 : 0);
        char *names[4];
        double places[4][2];
        assert_int_equal(table->n_rows, 4);
        for (size_t i = 0; i < 4; i++) {
            names[i] = strdup(table->names[i]);
            places[i][0] = value(table, i, 0);
            places[i][1] = value(table, i, 1);
        }
        table = read_table(out, row ? 5 : 1);
        for (size_t i = 0; i < 4; i++) {
            size_t other = find(table->names, 4, names[i]);
            double d =
                hypot(places[i][0] - value(table, other, 0), places[i][1] - value(table, other, 1));
            if (row == 0)
                assert_near(d, 0, 1e-9);
            else
                moved = fmax(moved, d);
            free(names[i]);
        }
    }
    assert_true(moved > 0.1);
    /* Tables 2 and 3: distances in all dimensions, the same words as far apart in both orders. */
    struct table *table = read_table(out, 2);
    double distance = value(table, find(table->names, 4, "ride"), find(table->columns, 4, "dog"));
    table = read_table(out, 3);
    assert_near(value(table, find(table->names, 4, "ride"), find(table->columns, 4, "dog")),
                distance, 1e-9);
    /* W2 = 0 is "without"; larger weights take words farther. */
    double at[3];
    static const char *const scales[] = {"0", "1", "10"};
    for (size_t i = 0; i < 3; i++) {
        out = shell_expect(0,
                           "$PLOT words 'I ride' --position sinusoidal --position-scale %s -f data",
                           scales[i])
                  ->out;
        at[i] = value(read_table(out, 1), 0, 1);
    }
    out = shell_expect(0, "$PLOT words 'I ride' --position none -f data")->out;
    assert_near(value(read_table(out, 1), 0, 1), at[0], 1e-9);
    assert_true(at[2] > at[1]);
    assert_contains(shell_expect(2, "$PLOT words 'I ride' --link I:wolf -f data")->err, "wolf");
    shell_expect(0, "$PLOT words 'I ride' 'ride I' --link i:ride --fit each -f data");
}

static void test_layers_numbers(void **state)
{
    (void)state;
    struct table *table = read_table(shell_expect(0, "$PLOT layers 'I ride bike' -f data")->out, 0);
    assert_int_equal(table->n_rows, 2);
    assert_int_equal(table->n_columns, 5);
    for (size_t i = 0; i < 10; i++)
        assert_true(table->values[i] > 0);
    table =
        read_table(shell_expect(0, "$PLOT layers 'I ride bike' --measure cosine -f data")->out, 0);
    for (size_t i = 0; i < 10; i++)
        assert_true(table->values[i] >= 0 && table->values[i] <= 2);
}

static void test_order_numbers(void **state)
{
    (void)state;
    struct table *table =
        read_table(shell_expect(0, "$PLOT order 'I ride bike dog' -f data -p mean")->out, 0);
    assert_int_equal(table->n_rows, 23);
    assert_int_equal(table->n_columns, 2);
    for (size_t i = 0; i < 23; i++) {
        assert_true(value(table, i, 0) > 1e-3);
        assert_near(value(table, i, 1), 0, 1e-5);
        assert_true(i == 0 || value(table, i, 0) >= value(table, i - 1, 0));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(table->names[i], table->names[j]);
    }
    /* A word twice: 4! / 2! - 1. */
    assert_int_equal(
        read_table(shell_expect(0, "$PLOT order 'I ride I bike' -f data")->out, 0)->n_rows, 11);
    const char *many =
        "$PLOT order 'I ride bike dog cat I ride bike' --permutations 17 --seed %d -f data";
    char *first = strdup(shell_expect(0, many, 3)->out);
    assert_int_equal(read_table(first, 0)->n_rows, 17);
    assert_string_equal(shell_expect(0, many, 3)->out, first);
    assert_string_not_equal(shell_expect(0, many, 4)->out, first);
    free(first);
    assert_contains(shell_expect(1, "$PLOT order 'I I' -f data")->err, "two different words");
    assert_contains(shell_expect(1, "$PLOT order '' -f data")->err, "two different words");
}

static void test_similarity_numbers(void **state)
{
    (void)state;
    struct table *table = read_table(
        shell_expect(0, "printf 'I ride bike\\nbike ride I\\ndog\\n' | $PLOT similarity -f data")
            ->out,
        0);
    assert_int_equal(table->n_rows, 3);
    for (size_t i = 0; i < 3; i++)
        assert_near(value(table, i, i), 1, 1e-6);
    double cosine = value(table, 0, 2);
    const char *out =
        shell_expect(0, "$ENCODE --similarity -f csv 'I ride bike' 'bike ride I' dog")->out;
    char number[32];
    snprintf(number, sizeof number, "%.5f", cosine);
    number[strlen(number) - 1] = '\0';
    assert_contains(out, number);
    assert_contains(shell_expect(2, "echo dog | $PLOT similarity -f data")->err, "two texts");
}

/* ---- Pictures ---- */

static unsigned big_endian(const unsigned char *bytes)
{
    return (unsigned)bytes[0] << 24 | (unsigned)bytes[1] << 16 | (unsigned)bytes[2] << 8 | bytes[3];
}

/* What the file's own header says of its size, in pixels, or in points for PDF. */
static void read_size(const char *path, const char *end, double *width, double *height)
{
    const struct shell_result *file = shell_expect(0, "cat %s", path);
    assert_true(file->out_len > 500);
    if (strcmp(end, "png") == 0) {
        assert_memory_equal(file->out, "\x89PNG\r\n\x1a\n", 8);
        *width = big_endian((const unsigned char *)file->out + 16);
        *height = big_endian((const unsigned char *)file->out + 20);
        assert_memory_equal(file->out + file->out_len - 8, "IEND", 4);
    } else if (strcmp(end, "svg") == 0) {
        const char *at = strstr(file->out, "width=\"");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "width=\"%lf\" height=\"%lf\"", width, height), 2);
        assert_contains(file->out, "</svg>");
    } else {
        assert_memory_equal(file->out, "%PDF", 4);
        const char *at = memmem(file->out, file->out_len, "/MediaBox", 9);
        assert_non_null(at);
        assert_int_equal(sscanf(strchr(at, '[') + 1, " 0 0 %lf %lf", width, height), 2);
    }
}

static const char *const PICTURES[] = {
    "position",
    "position --kind waves --width 32 --dims 6,7,8,9 -n 60",
    "position --kind correlation --colors RdBu",
    "position --kind distance --width 20",
    "position --position binary --width 8 -n 32 --beside sinusoidal",
    "attention 'I ride bike'",
    "attention 'I ride bike' --head 1 --pad-to 8",
    "attention 'I ride bike' --rollout",
    "words 'I ride bike' 'bike ride I' --link i:bike",
    "words 'dog'",
    "layers 'I ride bike'",
    "order 'I ride bike'",
    "similarity 'I ride bike' 'bike ride I' dog",
};
enum { N_PICTURES = sizeof PICTURES / sizeof PICTURES[0] };

static void test_pictures(void **state)
{
    (void)state;
    static const char *const ends[] = {"png", "svg", "pdf"};
    NEEDS_GNUPLOT();
    for (size_t i = 0; i < N_PICTURES; i++)
        for (size_t e = 0; e < 3; e++) {
            double width, height;
            const struct shell_result *run =
                shell_expect(0, "$PLOT %s -o out.%s --size 660x480", PICTURES[i], ends[e]);
            assert_int_equal(run->out_len, 0);
            assert_int_equal(run->err_len, 0);
            char path[32];
            snprintf(path, sizeof path, "out.%s", ends[e]);
            read_size(path, ends[e], &width, &height);
            double unit = e == 2 ? 0.75 : 1;
            assert_near(width, 660 * unit, 0.6);
            assert_near(height, 480 * unit, 0.6);
        }
}

static void test_sizes(void **state)
{
    (void)state;
    double width, height;
    NEEDS_GNUPLOT();
    shell_expect(0, "$PLOT attention 'I ride' -o a.png --size 5x4in --dpi 100");
    read_size("a.png", "png", &width, &height);
    assert_true(width == 500 && height == 400);
    shell_expect(0, "$PLOT attention 'I ride' -o a.pdf --size 160x100mm");
    read_size("a.pdf", "pdf", &width, &height);
    assert_near(width, 160 / 25.4 * 72, 0.6);
    assert_near(height, 100 / 25.4 * 72, 0.6);
    for (size_t i = 0; i < N_PICTURES; i++) { /* the default fits a page of A4 */
        shell_expect(0, "$PLOT %s -o a.pdf", PICTURES[i]);
        read_size("a.pdf", "pdf", &width, &height);
        assert_true(width >= 100 && width <= 460 && height >= 70 && height <= 640);
    }
    static const char *const wrong[] = {"0x0",  "10",    "10x",   "x10",   "100x100km",
                                        "-5x5", "nanx5", "infx5", "20x20", "1e9x1e9"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_contains(
            shell_expect(2, "$PLOT attention 'I ride' -o a.png --size %s", wrong[i])->err,
            "--size");
}

static void test_text(void **state)
{
    (void)state;
    NEEDS_GNUPLOT();
    for (size_t i = 0; i < N_PICTURES; i++) {
        const struct shell_result *run = shell_expect(0, "$PLOT %s", PICTURES[i]);
        assert_true(run->out_len > 50);
        assert_lacks(run->out, "\x1b");
        assert_lacks(run->out, "\f");
    }
    /* Maps and dots need no gnuplot. */
    assert_contains(
        shell_expect(0, "PATH=/nowhere \"$PLOT\" attention 'I ride bike' --head 1")->out, "bike");
    assert_contains(shell_expect(0, "PATH=/nowhere \"$PLOT\" order 'I ride bike'")->out,
                    "ride I bike");
}

/* ---- Titles ---- */

/* No title of a panel or page is cut at the size that a picture has by itself. */
static void test_whole_titles(void **state)
{
    static const char *const pictures[] = {
        "words 'I ride bike' 'bike ride I' --embedding-scale sqrt --position-scale 10",
        ("words 'I ride bike' 'bike ride I' --position exponential --position-base 500 "
         "--embedding-scale 10 --position-scale 100"),
        "position --position fourier --frequencies 0.125,0.25 --beside exponential --beside binary",
    };
    (void)state;
    NEEDS_GNUPLOT();
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        shell_expect(0, "$PLOT %s -o titles.svg", pictures[i]);
        assert_lacks(shell_expect(0, "cat titles.svg")->out, "…");
    }
    assert_contains(shell_expect(0, "$PLOT %s -f svg", pictures[1])->out, "W1 = 10, W2 = 100");
}

/* What is not the default is in the title or the panel's, from the command line and from the file. */
static void test_named_positions(void **state)
{
    static const struct {
        const char *arguments, *words;
    } cases[] = {
        {"position --position-base 100 --position sinusoidal --position-scale 3",
         ": sinusoidal, base 100, W2 = 3, 100 positions"},
        {"position --position-base 100", ": sinusoidal, base 100, 100 positions"},
        {"position", ": sinusoidal, Toy, 16 positions"},
        {"position -m odd.weights", ": sinusoidal, random weights, base 50, W2 = 10, 16 positions"},
        {"position --beside odd.weights", ": sinusoidal, random weights, base 50, W2 = 10\n"},
        {"position -m waves.weights", ", 2 frequencies, "},
        {"words -m odd.weights 'I ride'", ": with sinusoidal positions, base 50, W1 = 2, W2 = 10\n"},
        {"words -m odd.weights 'I ride'", ": without positions, W1 = 2\n"},
        {"words 'I ride' --position-scale 10", ": with sinusoidal positions, W1 = 1, W2 = 10\n"},
        {"words -m waves.weights 'I ride' --frequencies 0.25",
         ": with fourier positions, frequency 0.25\n"},
        {"attention -m odd.weights 'I ride'", ", base 50, W1 = 2, W2 = 10\n"},
        {"similarity -m odd.weights 'I ride' dog", ", base 50, W1 = 2, W2 = 10\n"},
        {"order -m odd.weights 'I ride'", "with sinusoidal positions, base 50, W1 = 2, W2 = 10\t"},
    };
    (void)state;
    shell_expect(0, "$NEW -o odd.weights --width 8 --heads 2 --max-tokens 16 --words 'i ride dog' "
                    "--position-base 50 --position-scale 10 --embedding-scale 2");
    shell_expect(0, "$NEW -o waves.weights --width 8 --heads 2 --max-tokens 16 --words 'i ride' "
                    "--position fourier --frequencies 0.1,0.2");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_contains(shell_expect(0, "$PLOT %s -f data", cases[i].arguments)->out,
                        cases[i].words);
    /* A base without a scheme is the sinusoid's, and what stands beside has its own. */
    const char *out = shell_expect(0, "$PLOT position --position-base 100 -n 3 --width 4 --beside "
                                      "sinusoidal -f data")
                          ->out;
    assert_near(value(read_table(out, 0), 1, 2), sin(0.1), 1e-6);
    assert_near(value(read_table(out, 1), 1, 2), sin(0.01), 1e-6);
}

/* Cells of numbers reach under the next ones and have no white borders: no paper shows between. */
static void test_no_seams(void **state)
{
    double left[2], right[2];
    (void)state;
    NEEDS_GNUPLOT();
    const char *at =
        shell_expect(0, "$PLOT position --position binary --width 4 -n 4 -f svg")->out;
    assert_lacks(at, "stroke='rgb(255, 255, 255)'");
    for (size_t i = 0; i < 2; i++) {
        at = strstr(at, "<polygon fill");
        assert_non_null(at);
        at = strstr(at, "points = '");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "points = '%lf,%*f %lf", &left[i], &right[i]), 2);
    }
    assert_true(left[1] > left[0] && left[1] <= right[0] - 0.9);
}

/* Few columns and positions: each has a number, and nothing has half of one. */
static void test_whole_ticks(void **state)
{
    (void)state;
    NEEDS_GNUPLOT();
    const char *out = shell_expect(0, "$PLOT position --position binary --width 2 -n 3 -f svg")->out;
    assert_contains(out, "<text>1</text>");
    assert_lacks(out, "0.5<");
    assert_lacks(shell_expect(0, "$PLOT position --position binary --kind waves --dims 0 --width 2 "
                                 "-n 3 -f svg")
                     ->out,
                 "<text>1.5<");
}

/* The plane of letters says its axes and how far linked words are apart, as the numbers do. */
static void test_links_in_words(void **state)
{
    (void)state;
    char shown[128], *end;
    const char *out = shell_expect(0, "$PLOT words 'I ride bike' 'bike ride I' --position "
                                      "sinusoidal --link i:bike -f data")
                          ->out;
    struct table *table = read_table(out, 0);
    size_t i = find(table->names, 3, "i"), bike = find(table->names, 3, "bike");
    double length = hypot(value(table, i, 0) - value(table, bike, 0),
                          value(table, i, 1) - value(table, bike, 1));
    const char *link = strstr(out, "# link: i – bike\t");
    assert_non_null(link);
    assert_near(strtod(strchr(link, '\t'), &end), length, 1e-12);
    assert_int_equal(*end, '\n');
    assert_non_null(strstr(end, "# link: i – bike\t")); /* of the second text */
    NEEDS_GNUPLOT();
    out = shell_expect(0, "$PLOT words 'I ride bike' 'bike ride I' --position sinusoidal --link "
                          "i:bike")
              ->out;
    snprintf(shown, sizeof shown, "\ndistance in the plane: i – bike: %.3g\n", length);
    assert_contains(out, shown);
    assert_contains(out, "\nupwards: component 2: ");
}

/* Names of permutations and of columns are whole where there is room. */
static void test_whole_names(void **state)
{
    (void)state;
    const char *sentence = "one two three four five six seven eight nine";
    assert_lacks(shell_expect(0, "$PLOT order --permutations 5 '%s'", sentence)->out, "…");
    assert_lacks(shell_expect(0, "$PLOT order --permutations 5 '%s ten eleven'", sentence)->out,
                 "…");
    assert_contains(shell_expect(0, "$PLOT similarity 'I ride bike' 'bike ride I'")->out,
                    " I ride bike bike ride I\n");
    NEEDS_GNUPLOT();
    assert_lacks(shell_expect(0, "$PLOT order --title T -f svg '%s'", sentence)->out, "…");
}

/* Without an argument the texts are lines of stdin. */
static void test_texts_of_stdin(void **state)
{
    static const char *const pictures[] = {"attention --head 1", "layers", "order", "words"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char *expected =
            strdup(shell_expect(0, "$PLOT %s 'I ride bike' -f data", pictures[i])->out);
        assert_string_equal(
            shell_expect(0, "echo 'I ride bike' | $PLOT %s -f data", pictures[i])->out, expected);
        free(expected);
    }
    char *expected = strdup(shell_expect(0, "$PLOT words 'I ride' dog -f data")->out);
    assert_string_equal(shell_expect(0, "printf 'I ride\\n\\ndog\\n' | $PLOT words -f data")->out,
                        expected);
    free(expected);
    assert_contains(shell_expect(2, "yes | $PLOT words")->err, "stdin has more lines");
    assert_contains(shell_expect(2, "printf 'a\\nb\\n' | $PLOT order")->err, "head -n 1");
    assert_contains(shell_expect(1, "printf 'a\\000b\\n' | $PLOT layers")->err, "NUL");
}

static void test_files(void **state)
{
    (void)state;
    NEEDS_GNUPLOT();
    shell_expect(0, "$PLOT attention 'I ride' -f svg > b.svg && $PLOT attention 'I ride' -f svg -o "
                    "b.data && cmp b.svg b.data");
    shell_expect(0, "$PLOT attention 'I ride' -o b.txt --data b.tsv && grep -q 'name\t' b.tsv && "
                    "grep -q ride b.txt");
    assert_contains(shell_expect(2, "$PLOT attention 'I ride' -o b.jpg")->err, ".png");
    /* Alone, --data writes nothing else. */
    assert_int_equal(shell_expect(0, "$PLOT attention 'I ride' --data c.tsv")->out_len, 0);
    shell_expect(0, "test -s c.tsv");
    shell_expect(0, "$PLOT attention 'I ride' --title '' -o d.svg");
    assert_contains(
        shell_expect(0, "$PLOT attention 'I ride' --title 'Heads, seen' -o d.svg; cat d.svg")->out,
        "Heads, seen");
}

/* A dash is stdout for the numbers too; what would be written twice to one place is refused. */
static void test_two_outputs(void **state)
{
    (void)state;
    static const char *const to_stdout[] = {"-f data --data -", "--data - -f text", "-o - --data -",
                                            "-o - -f png --data -"};
    static const char *const same[] = {"-o x.txt --data x.txt", "-o both.tsv --data ./both.tsv",
                                       "-o both.tsv --data link.tsv"};
    shell_expect(0, "$PLOT attention 'I ride' -f data >numbers");
    shell_expect(0, "$PLOT attention 'I ride' --data - | cmp - numbers && test ! -e ./-");
    shell_expect(0,
                 "$PLOT attention 'I ride' -o map.txt --data - | cmp - numbers && test -s map.txt");
    assert_contains(
        shell_expect(0, "$PLOT attention 'I ride' -o - --data n.tsv && cmp n.tsv numbers")->out,
        "ride");
    for (size_t i = 0; i < sizeof to_stdout / sizeof to_stdout[0]; i++)
        assert_contains(shell_expect(2, "$PLOT attention 'I ride' %s", to_stdout[i])->err,
                        "both go to standard output");
    shell_expect(0, "echo old >both.tsv && ln -s both.tsv link.tsv");
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        assert_contains(shell_expect(2, "$PLOT attention 'I ride' %s", same[i])->err, "same file");
    shell_expect(0, "test ! -e x.txt && test \"$(cat both.tsv)\" = old");
}

/* ---- What goes wrong ---- */

static void test_no_gnuplot(void **state)
{
    (void)state;
    shell_expect(0, "rm -f e.png");
    const struct shell_result *run =
        shell_expect(1, "PATH=/nowhere \"$PLOT\" attention 'I ride' -o e.png --data e.tsv");
    assert_contains(run->err, "gnuplot-nox");
    assert_int_equal(count_lines(run->err), 1);
    shell_expect(0, "test ! -e e.png && test -s e.tsv");
    shell_expect(0, "PATH=/nowhere \"$PLOT\" attention 'I ride' -f data");
}

/* A gnuplot that fails, that says nothing, that stops half way, that is killed. */
static void test_bad_gnuplot(void **state)
{
    (void)state;
    static const struct {
        const char *script, *words;
    } cases[] = {
        {"cat >/dev/null; echo 'no terminal here' >&2; exit 1", "no terminal here"},
        {"cat >/dev/null", "drew nothing"},
        {"printf '\\211PNG'; cat >/dev/null", "a part of the picture"},
        {"cat >/dev/null; kill -9 $$", "signal 9"},
        {"exit 0", "gnuplot"},
        {"yes x | head -c 100000 >&2; exit 3", "gnuplot failed"},
    };
    shell_expect(0, "mkdir -p fake");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        shell_expect(
            0, "rm -f e.png; cat > fake/gnuplot <<'END'\n#!/bin/sh\n%s\nEND\nchmod +x fake/gnuplot",
            cases[i].script);
        const struct shell_result *run =
            shell_expect(1, "PATH=$PWD/fake:$PATH \"$PLOT\" position -n 400 -o e.png");
        assert_contains(run->err, cases[i].words);
        shell_expect(0, "test ! -e e.png");
    }
}

static void test_outputs_that_fail(void **state)
{
    (void)state;
    NEEDS_GNUPLOT();
    assert_contains(shell_expect(1, "$PLOT attention 'I ride' -f png -o /dev/full")->err,
                    "/dev/full");
    static const char *const formats[] = {"png", "svg", "pdf", "text", "data"};
    for (size_t i = 0; i < 5; i++)
        assert_contains(shell_expect(1, "$PLOT position -f %s -o /dev/full", formats[i])->err,
                        "'/dev/full': No space left on device");
    assert_contains(shell_expect(1, "$PLOT attention 'I ride' --data /dev/full")->err, "/dev/full");
    assert_contains(shell_expect(1, "$PLOT attention 'I ride' -f data > /dev/full")->err, "stdout");
    assert_contains(shell_expect(1, "$PLOT attention 'I ride' > /dev/full")->err, "stdout");
    assert_contains(shell_expect(1, "$PLOT attention 'I ride' -o nowhere/a.png")->err,
                    "nowhere/a.png");
    shell_expect(0, "echo old > keep.png; chmod 400 keep.png");
    if (shell("test -w keep.png")->code != 0) {
        assert_contains(shell_expect(1, "$PLOT attention 'I ride' -o keep.png")->err, "keep.png");
        assert_contains(shell_expect(0, "cat keep.png")->out, "old");
    }
    shell_expect(0, "$PLOT position -f data | head -n 1 >/dev/null; true");
}

/* Texts that a shell or gnuplot would obey stay texts, in names, titles and file names. */
static void test_hostile_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "`touch HACKED`",
        "$(touch HACKED)",
        "\" ; system(\"touch HACKED\") ; \"",
        "'; !touch HACKED",
        "@x $x %d %s %n",
        "\\\"",
        "a\nEND_OF_PANEL\n!touch HACKED\n",
        "{/Bold=99 x}_^",
        "\\140touch HACKED\\140",
        "<tspan>&amp;</svg>",
        "set output 'HACKED'",
        "\xff\xfe bad",
        "\x1b]0;x\x07",
        "桜 naïve",
    };
    NEEDS_GNUPLOT();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        setenv("HOSTILE", texts[i], 1);
        shell_expect(
            0, "$PLOT similarity \"$HOSTILE\" 'I ride' --title \"$HOSTILE\" -o h.svg --data h.tsv");
        shell_expect(0, "$PLOT similarity \"$HOSTILE\" 'I ride' -o \"$PWD/h.png\"");
        shell_expect(0, "$PLOT similarity \"$HOSTILE\" 'I ride'");
        shell_expect(0, "$PLOT order \"$HOSTILE ride\" -o h.pdf");
        if (shell("$PLOT words \"$HOSTILE\" ride")->code != 0) /* marks alone are no words */
            assert_contains(shell_expect(1, "$PLOT words \"$HOSTILE\" ride")->err, "no words");
        shell_expect(0, "$PLOT words \"dog $HOSTILE\" \"ride $HOSTILE\" -o h.svg");
        shell_expect(0, "test ! -e HACKED");
    }
    assert_contains(shell_expect(0, "cat h.svg")->out, "桜");
    shell_expect(0, "cp toy.weights './we`touch HACKED`ird.weights'");
    shell_expect(
        0,
        "$PLOT attention -m './we`touch HACKED`ird.weights' 'I ride' -o h.svg && test ! -e HACKED");
    struct table *table =
        read_table(shell_expect(0, "$PLOT similarity 'a\tb' 'c\nd' -f data")->out, 0);
    assert_string_equal(table->names[0], "a\\tb");
    assert_string_equal(table->columns[1], "c\\nd");
}

static void test_few_and_many_tokens(void **state)
{
    (void)state;
    NEEDS_GNUPLOT();
    shell_expect(0, "$PLOT attention '' -o t.png"); /* [CLS] [SEP] */
    assert_contains(shell_expect(1, "$PLOT attention -m plain.weights '' -o t.png")->err,
                    "no tokens");
    assert_contains(shell_expect(1, "$PLOT layers -m plain.weights '' -o t.png")->err, "no tokens");
    assert_contains(shell_expect(1, "$PLOT words '' -o t.png")->err, "no words");
    shell_expect(0, "$PLOT attention -m plain.weights I -o t.png");
    setenv("MANY",
           "i ride bike dog cat i ride bike dog cat i ride bike dog cat i ride bike dog cat i ride "
           "bike dog cat "
           "i ride bike dog cat i ride bike dog cat i ride bike dog cat i ride bike dog cat i ride "
           "bike dog cat",
           1);
    shell_expect(0, "$PLOT attention -m plain.weights \"$MANY\" -o t.png && $PLOT words -m "
                    "plain.weights \"$MANY\" -o t.svg");
    shell_expect(0, "$PLOT attention -m plain.weights --pad-to 64 \"$MANY\" && $PLOT layers -m "
                    "plain.weights \"$MANY\" -o t.pdf");
    assert_contains(shell_expect(1, "$PLOT attention \"$MANY\" -o t.png")->err, "at most 16");
}

/* What would fill the memory or take hours is refused at once, with what can be asked for. */
static void test_limits(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *words;
    } cases[] = {
        {"position -n 9000 --kind distance", "9000 x 9000 numbers, and a picture takes at most "
                                             "16777216: with -n 4096 it can be drawn"},
        {"position -n 4097 --kind cosine --width 1", "with -n 4096"},
        {"position -n 100000 --width 65536", "with -n 256"},
        {"position -n 100000 --width 65536 --kind waves", "with -n 256"},
        {"position -n 500 --kind correlation --width 65536", "500 x 65536"},
        {"position -m far.weights --beside wide.weights --width 8 -n 5000", "with -n 4096"},
        {"attention -m far.weights 'a b' --pad-to 9000", "2 x 2 x 9000 x 9000"},
    };
    shell_expect(0, "$NEW -o far.weights --words 'a b' --width 8 --heads 2 --layers 2 --max-tokens "
                    "100000 --position sinusoidal");
    shell_expect(0, "$NEW -o wide.weights --words 'a b' --width 4096 --heads 1 --layers 0 "
                    "--max-tokens 100000 --position sinusoidal");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_contains(shell_expect(2, "ulimit -t 10; $PLOT %s -f data", cases[i].arguments)->err,
                        cases[i].words);
    shell_expect(0, "$PLOT position -n 65536 --width 256 --kind waves --dims 0 --data far.tsv");
    shell_expect(0, "$PLOT attention -m far.weights 'a b' --pad-to 100 --data far.tsv");
}

static void test_wrong_use(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *words;
    } cases[] = {
        {"", "what shall be drawn"},
        {"-o x.png attention a", "name comes first"},
        {"heat", "there is no picture 'heat'"},
        {"attention </dev/null", "one text is needed"},
        {"words </dev/null", "one text is needed"},
        {"attention a b", "one text is needed"},
        {"position text", "takes no text"},
        {"words a b c", "one or two texts"},
        {"attention 'I ride' --layer 3", "layers 1 to 2"},
        {"attention 'I ride' --layer 0", "--layer"},
        {"attention 'I ride' --head 3", "heads 1 to 2"},
        {"attention 'I ride' --pad-to 2", "--pad-to 2"},
        {"attention 'I ride' --pad-to 99", "at most 16"},
        {"attention 'I ride' --rollout --head 1", "--rollout"},
        {"attention 'I ride' --pad-side left", "--pad-to"},
        {"attention 'I ride' --dims 1", "--dims is no option of attention"},
        {"position --layer 1", "--layer is no option of position"},
        {"position --dims 1,2", "--kind waves"},
        {"position --kind waves --transpose", "--transpose"},
        {"position --kind waves --dims 200", "columns"},
        {"position --kind bars", "--kind"},
        {"position --colors rainbow", "--colors"},
        {"position --position fourier --position-base 5", "--position-base"},
        {"words a --link ab", "--link"},
        {"attention 'I ride' --position-scale 2 --position none", "--position-scale"},
        {"attention 'I ride' --nonsense", "nonsense"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct shell_result *run = shell("$PLOT %s", cases[i].arguments);
        if (run->code != 2)
            fail_msg("exit code %d: %s: %s", run->code, cases[i].arguments, run->err);
        assert_contains(run->err, cases[i].words);
        assert_int_equal(run->out_len, 0);
    }
    /* One message, and what helps. */
    static const char *const columns[] = {"x", "5:5", "200", "0:128"};
    for (size_t i = 0; i < 4; i++) {
        const struct shell_result *run =
            shell_expect(2, "$PLOT position --kind waves --dims %s", columns[i]);
        assert_int_equal(count_lines(run->err), 2);
    }
    static const char *const commands[] = {"position", "attention", "words",
                                           "layers",   "order",     "similarity"};
    for (size_t i = 0; i < 6; i++)
        assert_contains(shell_expect(0, "$PLOT %s --help", commands[i])->out, "--data FILE");
    assert_contains(shell_expect(0, "$PLOT --help")->out, "similarity");
    shell_expect(0, "$PLOT --version");
}

/* Every option of the help is in the manual. */
static void test_manual(void **state)
{
    (void)state;
    const struct shell_result *run = shell_expect(
        0, "for p in position attention words layers order similarity; do $PLOT $p --help; done | "
           "grep -oE '(^| )--[a-z-]+' | tr -d ' ' | sort -u | while read -r o; do "
           "sed 's/\\\\-/-/g' \"$SOURCE/tools/man/encode-plot.1\" | grep -qF -- \"$o\" || echo "
           "\"missing $o\"; done");
    assert_string_equal(run->out, "");
}

static int setup(void **state)
{
    char source[4096], path[SUPPORT_PATH];
    assert_non_null(getcwd(source, sizeof source));
    setenv("SOURCE", source, 1);
    support_program("encode-plot", path);
    char *real = realpath(path, NULL);
    assert_non_null(real);
    setenv("PLOT", real, 1);
    free(real);
    return shell_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_position_numbers),
        cmocka_unit_test(test_learned_positions),
        cmocka_unit_test(test_attention_numbers),
        cmocka_unit_test(test_rollout),
        cmocka_unit_test(test_words_numbers),
        cmocka_unit_test(test_layers_numbers),
        cmocka_unit_test(test_order_numbers),
        cmocka_unit_test(test_similarity_numbers),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_whole_titles),
        cmocka_unit_test(test_named_positions),
        cmocka_unit_test(test_no_seams),
        cmocka_unit_test(test_whole_ticks),
        cmocka_unit_test(test_links_in_words),
        cmocka_unit_test(test_whole_names),
        cmocka_unit_test(test_texts_of_stdin),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_two_outputs),
        cmocka_unit_test(test_no_gnuplot),
        cmocka_unit_test(test_bad_gnuplot),
        cmocka_unit_test(test_outputs_that_fail),
        cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_few_and_many_tokens),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_wrong_use),
        cmocka_unit_test(test_manual),
    };
    return cmocka_run_group_tests(tests, setup, shell_teardown);
}
