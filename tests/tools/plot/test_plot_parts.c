/* The parts of encode-plot: principal components against another algorithm, columns, strings
 * of gnuplot, another process.
 *
 * Guarantee: principal components agree with another method to 1e-5. */
#include "tests/owned.h"
#include "tests/support.h"
#include "tests/tools/program_ends.h"

#include "tools/common/alloc.h"
#include "tools/common/child.h"
#include "tools/study/plot/pictures/pca.h"
#include "tools/study/plot/plot_options.h"
#include "tools/study/plot/render.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* ---- Principal components ---- */

/* The eigenvector v [n] of the largest eigenvalue of a symmetric matrix a [n, n], by powers of the
 * matrix, which LAPACK's dgesvd does not use. It is taken out of the matrix. Returns the
 * eigenvalue. */
static double take_largest(double *a, double *v, size_t n)
{
    double *product = new_doubles(n), value = 0;
    for (size_t i = 0; i < n; i++)
        v[i] = 1 + (double)(i % 3);
    for (int power = 0; power < 20000; power++) {
        double square = 0;
        for (size_t i = 0; i < n; i++) {
            product[i] = 0;
            for (size_t j = 0; j < n; j++)
                product[i] += a[i * n + j] * v[j];
            square += product[i] * product[i];
        }
        value = sqrt(square);
        for (size_t i = 0; i < n; i++)
            v[i] = product[i] / value;
    }
    for (size_t i = 0; i < n * n; i++)
        a[i] -= value * v[i / n] * v[i % n];
    return value;
}

static double *covariance(const double *rows, size_t n, size_t width)
{
    double *mean = new_bytes(width * sizeof *mean),
           *matrix = new_bytes(width * width * sizeof *matrix);
    for (size_t i = 0; i < n * width; i++)
        mean[i % width] += rows[i] / (double)n;
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < width; i++)
            for (size_t j = 0; j < width; j++)
                matrix[i * width + j] +=
                    (rows[r * width + i] - mean[i]) * (rows[r * width + j] - mean[j]);
    return matrix;
}

static void check_pca(size_t n, size_t width, uint64_t seed)
{
    double *rows = new_doubles(n * width), *v = new_doubles(width), *plane = new_doubles(2 * n),
           total = 0;
    struct pca pca;
    for (size_t i = 0; i < n * width; i++) /* columns of different spread */
        rows[i] = random_within(&seed, 1 + (double)(i % width % 7));
    double *a = covariance(rows, n, width);
    for (size_t i = 0; i < width; i++)
        total += a[i * width + i];
    assert_true(pca_fit(&pca, rows, n, width));
    pca_project(&pca, rows, n, plane);
    for (size_t k = 0; k < PCA_COMPONENTS; k++) {
        const double value = take_largest(a, v, width), *axis = pca.axes + k * width;
        double product = 0, largest = 0, variance = 0;
        for (size_t i = 0; i < width; i++) {
            product += v[i] * axis[i];
            largest = fabs(axis[i]) > fabs(largest) ? axis[i] : largest;
        }
        assert_true(largest > 0); /* which says the sign */
        for (size_t i = 0; i < width; i++) {
            double difference = fabs((product < 0 ? -v[i] : v[i]) - axis[i]);
            if (!(difference <= 1e-5))
                fail_msg("axis %zu of %zu x %zu differs by %g at %zu", k, n, width, difference, i);
        }
        for (size_t r = 0; r < n; r++)
            variance += plane[2 * r + k] * plane[2 * r + k];
        assert_true(fabs(pca.share[k] - value / total) <= 1e-9);
        assert_true(fabs(variance / total - pca.share[k]) <= 1e-9);
    }
}

TEST(pca_against_powers)
{
    check_pca(11, 50, 1); /* fewer rows than columns, as eleven words have */
    check_pca(40, 12, 2);
    check_pca(3, 2, 3);
    check_pca(200, 30, 4);
}

/* As many rows and columns as words of a long text have, without a dominant direction. */
TEST(pca_of_a_long_text)
{
    enum { N = 400, WIDTH = 300 };
    double *rows = new_doubles(N * WIDTH), rest = 0;
    uint64_t seed = 5;
    struct pca pca;
    for (size_t i = 0; i < N * WIDTH; i++)
        rows[i] = random_within(&seed, 1);
    assert_true(pca_fit(&pca, rows, N, WIDTH));
    double *matrix = covariance(rows, N, WIDTH); /* of which the axes are eigenvectors */
    for (size_t k = 0; k < PCA_COMPONENTS; k++)
        for (size_t i = 0; i < WIDTH; i++) {
            const double *axis = pca.axes + k * WIDTH;
            double product = 0, length = 0;
            for (size_t j = 0; j < WIDTH; j++) {
                product += matrix[i * WIDTH + j] * axis[j];
                length += matrix[j * WIDTH + j] * pca.share[k]; /* total times share */
            }
            rest = fmax(rest, fabs(product / length - axis[i]));
        }
    if (!(rest <= 1e-9))
        fail_msg("not an eigenvector: %g", rest);
}

/* The same rows in another order, and some twice: the same axes. */
TEST(pca_in_any_order)
{
    enum { N = 11, WIDTH = 50 };
    double rows[N * WIDTH], turned[2 * N * WIDTH];
    uint64_t seed = 7;
    struct pca a, b, c;
    for (size_t i = 0; i < N * WIDTH; i++)
        rows[i] = (double)support_below(&seed, 1000) / 1000;
    for (size_t r = 0; r < N; r++)
        memcpy(turned + r * WIDTH, rows + (r * 7 + 3) % N * WIDTH, WIDTH * sizeof *rows);
    memcpy(turned + N * WIDTH, rows, sizeof rows);
    assert_true(pca_fit(&a, rows, N, WIDTH) && pca_fit(&b, turned, N, WIDTH) &&
                pca_fit(&c, turned, 2 * N, WIDTH));
    for (size_t i = 0; i < PCA_COMPONENTS * WIDTH; i++) {
        assert_true(fabs(a.axes[i] - b.axes[i]) <= 1e-9);
        assert_true(fabs(a.axes[i] - c.axes[i]) <= 1e-9);
    }
}

TEST(pca_of_little)
{
    double one[3] = {1, 2, 3}, same[6] = {1, 2, 3, 1, 2, 3}, line[6] = {0, 0, 0, 1, 1, 1}, place[4];
    double bad[4] = {0, NAN, 1, 2};
    struct pca pca;
    assert_true(pca_fit(&pca, one, 1, 3));
    pca_project(&pca, one, 1, place);
    assert_true(place[0] == 0 && place[1] == 0 && pca.share[0] == 0);
    assert_true(pca_fit(&pca, same, 2, 3));
    assert_true(pca.share[0] == 0 && pca.share[1] == 0);
    assert_true(pca_fit(&pca, line, 2, 3));
    pca_project(&pca, line, 2, place);
    assert_true(fabs(pca.share[0] - 1) <= 1e-12 &&
                fabs(fabs(place[0] - place[2]) - sqrt(3)) <= 1e-12);
    assert_true(fabs(place[1]) <= 1e-12 && fabs(place[3]) <= 1e-12);
    /* Three rows that are the same but for the rounding of their mean. */
    double tenths[6] = {0.1, 0.7, 0.1, 0.7, 0.1, 0.7};
    assert_true(pca_fit(&pca, tenths, 3, 2));
    assert_true(pca.share[0] == 0 && pca.share[1] == 0);
    assert_false(pca_fit(&pca, bad, 2, 2));
    assert_false(pca_fit(&pca, one, 1, 0));
}

/* ---- Columns ---- */

static void check_dims(const char *text, size_t width, size_t n, size_t first, size_t last)
{
    size_t got = 0;
    const size_t *dims = dims_read(text, width, &got);
    assert_int_equal(got, n);
    assert_int_equal(dims[0], first);
    assert_int_equal(dims[n - 1], last);
}

TEST(dims)
{
    check_dims("6,7,8,9", 32, 4, 6, 9);
    check_dims("31", 32, 1, 31, 31);
    check_dims(NULL, 512, 8, 0, 448);
    check_dims(NULL, 15, 15, 0, 14);
    check_dims(NULL, 3, 3, 0, 2);
    check_dims("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1", 2, 28, 0, 1);
    static const char *const wrong[] = {
        "",
        "x",
        "1,",
        ",1",
        "32",
        "1:2",
        "-1",
        "1 ,2",
        "99999999999999999999",
        "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        static size_t n;
        PROGRAM_RUN(dims_read(wrong[i], 32, &n));
        assert_int_equal(program_code, PROGRAM_MISUSED);
    }
}

/* ---- gnuplot's strings ---- */

TEST(strings)
{
    const char *text = gnuplot_string("a`b\"c\\d@e$f%g\n(1) é桜");
    for (const char *c = text + 1; c[1]; c++)
        assert_null(strchr("`\"@$%\n({'", *c));
    assert_non_null(strstr(text, "é桜"));
    assert_non_null(strstr(text, "\\050\\061\\051")); /* a digit after an escape is escaped too */
}

/* ---- Another process ---- */

TEST(child)
{
    enum { LARGE = 3 << 20 };
    /* What is missing is not looked for in PATH, which may hold folders that are closed to us. */
    char cat[] = "cat", none[] = "./no-such-program", yes[] = "false";
    char *const echo[] = {cat, NULL}, *const missing[] = {none, NULL}, *const fails[] = {yes, NULL};
    char *input = malloc(LARGE);
    struct child_result result;
    assert_non_null(input);
    for (size_t i = 0; i < LARGE; i++)
        input[i] = (char)(i * 31 % 251);
    assert_int_equal(run_child(echo, input, LARGE, &result), 0);
    assert_true(result.status == 0 && result.len == LARGE);
    assert_memory_equal(result.bytes, input, LARGE);
    free(result.bytes);
    assert_int_equal(run_child(missing, input, LARGE, &result), ENOENT);
    assert_int_equal(run_child(fails, input, LARGE, &result), 0);
    assert_true(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 1);
    free(result.bytes);
    free(input);
}

/* The parent process may ignore SIGCHLD; a child's status is known all the same. */
TEST(child_of_who_ignores_children)
{
    char no[] = "false";
    char *const fails[] = {no, NULL};
    struct child_result result;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before, after;
    sigaction(SIGCHLD, &ignore, &before);
    assert_int_equal(run_child(fails, "", 0, &result), 0);
    sigaction(SIGCHLD, &before, &after);
    assert_true(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 1);
    assert_true(after.sa_handler == SIG_IGN);
    free(result.bytes);
}

SET_UP()
{
    alloc_in_arena(true); /* what the parts never free is no leak */
}
