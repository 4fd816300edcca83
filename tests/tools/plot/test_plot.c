/* encode-plot's pictures in every format: sizes, titles, ticks, links, names, and where they go.
 * Skipped where gnuplot is not there. */
#include "tests/tools/plot/plot_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    "words --fit each 'I ride bike' 'bike ride I'",
};
enum { N_PICTURES = sizeof PICTURES / sizeof PICTURES[0] };

TEST(pictures)
{
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
            assert_close(width, 660 * unit, 0.6);
            assert_close(height, 480 * unit, 0.6);
        }
}

TEST(sizes)
{
    double width, height;
    NEEDS_GNUPLOT();
    shell_expect(0, "$PLOT attention 'I ride' -o a.png --size 5x4in --dpi 100");
    read_size("a.png", "png", &width, &height);
    assert_true(width == 500 && height == 400);
    shell_expect(0, "$PLOT attention 'I ride' -o a.pdf --size 160x100mm");
    read_size("a.pdf", "pdf", &width, &height);
    assert_close(width, 160 / 25.4 * 72, 0.6);
    assert_close(height, 100 / 25.4 * 72, 0.6);
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

TEST(text)
{
    NEEDS_GNUPLOT();
    for (size_t i = 0; i < N_PICTURES; i++) {
        const struct shell_result *run = shell_expect(0, "$PLOT %s", PICTURES[i]);
        assert_true(run->out_len > 50);
        assert_lacks(run->out, "\x1b");
        assert_lacks(run->out, "\f");
    }
    /* Maps and dots need no gnuplot. */
    assert_contains(shell_expect(0, "PATH=absent \"$PLOT\" attention 'I ride bike' --head 1")->out,
                    "bike");
    assert_contains(shell_expect(0, "PATH=absent \"$PLOT\" order 'I ride bike'")->out,
                    "ride I bike");
}

/* ---- Titles ---- */

/* No title of a panel or page is cut at the size that a picture has by itself. */
TEST(whole_titles)
{
    static const char *const pictures[] = {
        "words 'I ride bike' 'bike ride I' --embedding-scale sqrt --position-scale 10",
        ("words 'I ride bike' 'bike ride I' --position exponential --position-base 500 "
         "--embedding-scale 10 --position-scale 100"),
        "position --position fourier --frequencies 0.125,0.25 --beside exponential --beside binary",
    };
    NEEDS_GNUPLOT();
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        shell_expect(0, "$PLOT %s -o titles.svg", pictures[i]);
        assert_lacks(shell_expect(0, "cat titles.svg")->out, "…");
    }
    assert_contains(shell_expect(0, "$PLOT %s -f svg", pictures[1])->out, "W1 = 10, W2 = 100");
}

/* What is not the default is in the title or the panel's, from the command line and from the file.
 */
TEST(named_positions)
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
        {"words -m odd.weights 'I ride'",
         ": with sinusoidal positions, base 50, W1 = 2, W2 = 10\n"},
        {"words -m odd.weights 'I ride'", ": without positions, W1 = 2\n"},
        {"words 'I ride' --position-scale 10", ": with sinusoidal positions, W1 = 1, W2 = 10\n"},
        {"words -m waves.weights 'I ride' --frequencies 0.25",
         ": with fourier positions, frequency 0.25\n"},
        {"attention -m odd.weights 'I ride'", ", base 50, W1 = 2, W2 = 10\n"},
        {"similarity -m odd.weights 'I ride' dog", ", base 50, W1 = 2, W2 = 10\n"},
        {"order -m odd.weights 'I ride'", "with sinusoidal positions, base 50, W1 = 2, W2 = 10\t"},
    };
    shell_expect(0, "$NEW -o odd.weights --width 8 --heads 2 --max-tokens 16 --words 'i ride dog' "
                    "--position-base 50 --position-scale 10 --embedding-scale 2");
    shell_expect(0, "$NEW -o waves.weights --width 8 --heads 2 --max-tokens 16 --words 'i ride' "
                    "--position fourier --frequencies 0.1,0.2");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_contains(shell_expect(0, "$PLOT %s -f data", cases[i].arguments)->out,
                        cases[i].words);
    /* A base without a scheme is the sinusoid's, and what stands beside has its own. */
    const char *out =
        shell_expect(
            0, "$PLOT position --position-base 100 -n 3 --width 4 --beside sinusoidal -f data")
            ->out;
    assert_close(table_value(read_table(out, 0), 1, 2), sin(0.1), 1e-6);
    assert_close(table_value(read_table(out, 1), 1, 2), sin(0.01), 1e-6);
}

/* How far down in an SVG the first text that is this one stands. */
static double height_of(const char *svg, const char *name)
{
    double height = NAN;
    const char *text = strstr(svg, name), *group = NULL;
    for (const char *at = svg; text && (at = strstr(at, "translate(")) != NULL && at < text; at++)
        group = at;
    assert_non_null(group);
    assert_int_equal(sscanf(group, "translate(%*f,%lf)", &height), 1);
    return height;
}

/* Texts and orders begin at the top, layers at the bottom. */
TEST(which_way_is_up)
{
    static const char *const cases[][3] = {
        {"similarity dog cat ride", ">dog</text>", ">cat</text>"},
        {"order 'I ride bike'", ">I bike ride</text>", ">bike ride I</text>"},
        {"layers 'I ride bike'", ">layer 2</text>", ">layer 1</text>"},
    };
    NEEDS_GNUPLOT();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *svg = shell_expect(0, "$PLOT %s -f svg", cases[i][0])->out;
        assert_true(height_of(svg, cases[i][1]) < height_of(svg, cases[i][2]));
    }
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (; (text = strstr(text, word)) != NULL; text++)
        n++;
    return n;
}

/* Names and titles stand where they belong, and once: of heads that share their names along the
 * edges only. */
TEST(names_once)
{
    NEEDS_GNUPLOT();
    const char *out = shell_expect(0, "$PLOT attention 'I ride bike' --head 1 -f svg")->out;
    assert_int_equal(count(out, ">ride</text>"), 2); /* as a query and as a key */
    assert_int_equal(count(out, ">attention weight</text>"), 1);
    assert_int_equal(count(out, ">key: what is looked at</text>"), 1);
    out = shell_expect(0, "$PLOT attention 'I ride bike' -f svg")->out;
    assert_int_equal(count(out, ">head 1</text>"), 1);
    assert_int_equal(count(out, ">head 2</text>"), 1);
    assert_int_equal(count(out, ">ride</text>"), 3);
    assert_int_equal(count(out, ">attention weight</text>"), 1);
    out = shell_expect(0, "$PLOT words 'I ride bike' --link i:bike -f svg")->out;
    assert_int_equal(count(out, ">ride</text>"), 2); /* without positions and with them */
    out = shell_expect(0, "$PLOT order 'I ride bike' -f svg")->out;
    assert_int_equal(count(out, ">bike ride I</text>"), 1);
    assert_int_equal(count(out, ">without positions</text>"), 1);
    out = shell_expect(0, "$PLOT position --kind waves --width 8 -f svg")->out;
    assert_int_equal(count(out, "<title>dim 2</title>"), 1); /* what a viewer shows of a line */
    out = shell_expect(0, "$PLOT layers 'I ride' --title 'a]]>b' -f svg")->out;
    assert_int_equal(count(out, ">a]]&gt;b</text>"), 1); /* XML does not allow ]]> in a text */
}

/* Below the plane of letters is how far linked words are apart, as the numbers have it. */
TEST(links_in_words)
{
    char shown[128], *end;
    const char *out =
        shell_expect(
            0,
            "$PLOT words 'I ride bike' 'bike ride I' --position sinusoidal --link i:bike -f data")
            ->out;
    struct table *table = read_table(out, 0);
    size_t i = name_index(table->names, 3, "i"), bike = name_index(table->names, 3, "bike");
    double length = hypot(table_value(table, i, 0) - table_value(table, bike, 0),
                          table_value(table, i, 1) - table_value(table, bike, 1));
    const char *link = strstr(out, "# link: i – bike\t");
    assert_non_null(link);
    assert_close(strtod(strchr(link, '\t'), &end), length, 1e-12);
    assert_int_equal(*end, '\n');
    assert_non_null(strstr(end, "# link: i – bike\t")); /* of the second text */
    NEEDS_GNUPLOT();
    out = shell_expect(
              0, "$PLOT words 'I ride bike' 'bike ride I' --position sinusoidal --link i:bike")
              ->out;
    snprintf(shown, sizeof shown, "distance in the plane: i – bike: %.3g\n", length);
    assert_contains(out, shown);
}

/* Names of permutations and of columns are whole where there is room. */
TEST(whole_names)
{
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
TEST(texts_of_stdin)
{
    static const char *const pictures[] = {"attention --head 1", "layers", "order", "words"};
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

/* One panel shows two texts, and arrows lead from the words of one to those of the other where
 * positions move them; words that stay have none. */
TEST(arrows)
{
    NEEDS_GNUPLOT();
    const char *out = shell_expect(0, "$PLOT words 'I ride bike' 'bike ride I' -f svg")->out;
    assert_int_equal(count(out, ">ride</text>"), 2); /* without positions and with them */
    assert_contains(out, "rgb(128, 128, 128)");
    out = shell_expect(0, "$PLOT words 'I ride bike' 'I ride bike' -f svg")->out;
    assert_lacks(out, "rgb(128, 128, 128)");
}

/* A PDF has all pages, a PNG or SVG one of them. */
TEST(pages)
{
    assert_contains(shell_expect(2, "$PLOT steps 'I ride' -f svg --page 3")->err, "has 2 pages");
    assert_contains(shell_expect(0, "$PLOT steps 'I ride' --page 2")->out, "layer 2: output");
    NEEDS_GNUPLOT();
    const struct shell_result *run = shell_expect(0, "$PLOT steps 'I ride' -f svg");
    assert_contains(run->err, "page 1 of 2: --page N draws another, and a PDF has all");
    assert_contains(run->out, ">layer 1: output</text>");
    assert_lacks(run->out, "layer 2");
    run = shell_expect(0, "$PLOT steps 'I ride' -f svg --page 2");
    assert_lacks(run->out, "layer 1");
    assert_contains(shell_expect(0, "$PLOT steps 'I ride' -f pdf | grep -a /Count")->out, "2");
}

/* A script of the user's in place of the picture's: it has the table, the variables and common.gp;
 * what it writes is taken if it is a picture. */
TEST(own_script)
{
    NEEDS_GNUPLOT();
    shell_expect(0,
                 "cat >own.gp <<'END'\n"
                 "load folder.'/common.gp'\n"
                 "eval open_page\n"
                 "set title 'OWN '.title\n"
                 "plot data index table[1] matrix every 1:1:1:1 using ($1-1):($2-1):3 with image\n"
                 "END");
    const char *out =
        shell_expect(0, "$PLOT attention 'I ride' --head 1 --title T --script own.gp -f svg")->out;
    assert_contains(out, ">OWN T</text>");
    assert_contains(shell_expect(1, "$PLOT layers 'I ride' --script none.gp -f svg")->err,
                    "gnuplot failed: ");
    assert_contains(shell_expect(2, "$PLOT layers 'I ride' --script own.gp -o own.gp -f svg")->err,
                    "own.gp");
    shell_expect(0, "cp \"$SOURCE\"/tools/plot/maps.gp \"it's.gp\"");
    shell_expect(0, "$PLOT layers 'I ride' --script \"it's.gp\" -o own.png");
}

TEST(files)
{
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
TEST(two_outputs)
{
    static const char *const to_stdout[] = {"-f data --data -", "--data - -f text", "-o - --data -",
                                            "-o - -f png --data -"};
    static const char *const same[] = {"-o x.txt --data x.txt", "-o x.txt --data ./x.txt",
                                       "-o both.tsv --data ./both.tsv",
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

SET_UP()
{
    plot_setup();
}
