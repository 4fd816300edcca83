/* tags: no-asan */
/* encode-plot's pictures in every format have the size that was asked for, and the first text is at
 * the top. Skipped without gnuplot. tests/cli/plot/ has their words, titles and messages. */
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

/* Reads the size in the file's header: pixels, or points for PDF. */
static void read_size(const char *path, const char *end, double *width, double *height)
{
    bool is_pdf = strcmp(end, "pdf") == 0;
    const struct shell_result *file = shell_expect(
        0, is_pdf ? "python3 -B \"$SOURCE\"/tests/tools/plot/pdf_objects.py <%s" : "cat %s", path);
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

/* Returns how far down in an SVG the first text with this name is. */
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

SET_UP()
{
    plot_setup();
}
