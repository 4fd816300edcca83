/* pca.c - see pca.h. With X the centred rows [n, D], the axes are the right singular vectors of X
 * with the largest singular values s_k; the share of component k is s_k^2 / sum of s^2 (Jolliffe,
 * Principal Component Analysis, 2002, chapter 3.5).
 *
 * Only two axes of many are wanted, so they are looked for in a small space that grows towards
 * them: a block Krylov space, restarted (Golub and Van Loan, Matrix Computations, chapter 10.3).
 * From a few directions v it takes v, X'X v, (X'X)^2 v ..., made orthonormal. Within it the best
 * axes are found by one-sided Jacobi rotations (Hestenes 1958; chapter 8.6 there): pairs of
 * directions are rotated until their images X v are orthogonal; the lengths of those are then the
 * singular values. The next round starts from the longest, until two of them are axes of X.
 *
 * Singular vectors have no sign; the one taken depends on the axes alone (as in sklearn since 1.5),
 * so that the same points in another order give the same picture.
 *
 * LAPACK in OpenBLAS would be shorter, but ends by a signal or never where memory is refused.
 */
#include "tools/plot/pictures/pca.h"

#include "tools/plot/memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    KEPT = 8,   /* directions that a round starts from; among equal axes more than two help */
    SPACE = 64, /* directions at the end of a round */
    ROUNDS_MOST = 100,
    SWEEPS_MOST = 60, /* over all pairs; some ten are enough */
};

/* Of two images: a cosine below this is rounding. */
static const double LEAST_COSINE = 1e-14;

/* Shares below this are rounding: the axis is not determined. */
static const double LEAST_SHARE = 1e-24;

static void fix_sign(double *axis, size_t width)
{
    size_t largest = 0;
    /* Twins up to rounding: the first of them. */
    for (size_t i = 1; i < width; i++)
        if (fabs(axis[i]) > fabs(axis[largest]) * (1 + 1e-9))
            largest = i;
    if (axis[largest] < 0)
        for (size_t i = 0; i < width; i++)
            axis[i] = -axis[i];
}

/* In eight sums, which the processor computes side by side. */
static double dot(const double *a, const double *b, size_t n)
{
    double sums[8] = {0}, sum = 0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++)
            sums[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum += a[i] * b[i];
    for (size_t k = 0; k < 8; k++)
        sum += sums[k];
    return sum;
}

static void add_multiple(double *restrict out, double factor, const double *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] += factor * a[i];
}

/* ---- The space ---- */

struct space {
    const double *rows; /* X [n, width] */
    size_t n, width, n_directions;
    double least;   /* the square of an image below this is rounding */
    double *places; /* [SPACE + 1, width + n]: each direction v, and behind it its image X v */
};

static double *direction(const struct space *space, size_t i)
{
    return space->places + i * (space->width + space->n);
}

static double *image(const struct space *space, size_t i)
{
    return direction(space, i) + space->width;
}

/* The direction at the end becomes orthogonal to those before it and one more of them; or none, if
 * they make it up: what is left then is rounding, which the last of the passes takes away again. */
static void add_direction(struct space *space)
{
    enum { PASSES = 3 };
    double *last = direction(space, space->n_directions), length = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        for (size_t i = 0; i < space->n_directions; i++) {
            const double *other = direction(space, i);
            add_multiple(last, -dot(last, other, space->width), other, space->width);
        }
        length = sqrt(dot(last, last, space->width));
        if (!(length > (pass < PASSES - 1 ? 0 : 0.5)))
            return;
        for (size_t i = 0; i < space->width; i++)
            last[i] /= length;
    }
    for (size_t row = 0; row < space->n; row++)
        last[space->width + row] = dot(space->rows + row * space->width, last, space->width);
    space->n_directions++;
}

/* X'X v of direction i. */
static void apply(const struct space *space, size_t i, double *out)
{
    memset(out, 0, space->width * sizeof *out);
    for (size_t row = 0; row < space->n; row++)
        add_multiple(out, image(space, i)[row], space->rows + row * space->width, space->width);
}

/* The same numbers each time, in which every axis has its part. */
static void start(struct space *space)
{
    uint64_t state = 1;
    for (size_t k = 0; k < KEPT; k++) {
        double *next = direction(space, space->n_directions);
        for (size_t i = 0; i < space->width; i++) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            next[i] = (double)(state >> 33) / (1U << 30) - 1;
        }
        add_direction(space);
    }
}

static void grow(struct space *space)
{
    for (size_t i = 0; i < space->n_directions && space->n_directions < SPACE; i++) {
        apply(space, i, direction(space, space->n_directions));
        add_direction(space);
    }
}

/* ---- The axes in it ---- */

/* Makes two images orthogonal, their directions with them; false if they were. */
static bool rotate(struct space *space, size_t first, size_t second)
{
    const double *y = image(space, first), *z = image(space, second);
    double yy = dot(y, y, space->n), zz = dot(z, z, space->n), yz = dot(y, z, space->n);
    if (!(fmin(yy, zz) > space->least && fabs(yz) > LEAST_COSINE * sqrt(yy) * sqrt(zz)))
        return false;
    double cotangent = (zz - yy) / (2 * yz); /* of twice the angle */
    double tangent = copysign(1, cotangent) / (fabs(cotangent) + hypot(1, cotangent));
    double c = 1 / hypot(1, tangent), s = c * tangent;
    double *restrict a = direction(space, first), *restrict b = direction(space, second);
    for (size_t i = 0; i < space->width + space->n; i++) {
        double kept = a[i];
        a[i] = c * kept - s * b[i];
        b[i] = s * kept + c * b[i];
    }
    return true;
}

static bool make_orthogonal(struct space *space)
{
    bool is_done = false;
    for (int sweep = 0; sweep < SWEEPS_MOST && !is_done; sweep++) {
        is_done = true;
        for (size_t i = 0; i < space->n_directions; i++)
            for (size_t k = i + 1; k < space->n_directions; k++)
                if (rotate(space, i, k))
                    is_done = false;
    }
    return is_done;
}

static double squares_of(const struct space *space, size_t i)
{
    return dot(image(space, i), image(space, i), space->n);
}

/* The directions of the longest images come first, anew orthonormal; there are no others then. */
static void keep_longest(struct space *space)
{
    size_t n = space->n_directions, bytes = (space->width + space->n) * sizeof(double);
    double *spare = direction(space, SPACE);
    space->n_directions = 0;
    for (size_t k = 0; k < KEPT && k < n; k++) {
        size_t longest = k;
        for (size_t i = k + 1; i < n; i++)
            if (squares_of(space, i) > squares_of(space, longest))
                longest = i;
        memcpy(spare, direction(space, longest), bytes);
        memmove(direction(space, longest), direction(space, k), bytes);
        memcpy(direction(space, space->n_directions), spare, bytes);
        add_direction(space);
    }
}

/* Whether |X'X v - s^2 v| of the axes that are wanted is rounding, beside the first s^2. */
static bool has_axes(const struct space *space)
{
    double *rest = direction(space, SPACE);
    for (size_t k = 0; k < PCA_COMPONENTS && k < space->n_directions; k++) {
        double squares = squares_of(space, k), first = squares_of(space, 0);
        apply(space, k, rest);
        add_multiple(rest, -squares, direction(space, k), space->width);
        if (sqrt(dot(rest, rest, space->width)) >
            fmax(1e-12 * sqrt(first) * sqrt(squares), 1e-14 * first))
            return false;
    }
    return true;
}

static void take_axis(struct pca *pca, size_t k, const struct space *space, double total)
{
    double squares = k < space->n_directions ? squares_of(space, k) : 0;
    if (!(squares > LEAST_SHARE * total))
        return;
    pca->share[k] = squares / total;
    memcpy(pca->axes + k * pca->width, direction(space, k), pca->width * sizeof *pca->axes);
    fix_sign(pca->axes + k * pca->width, pca->width);
}

bool pca_fit(struct pca *pca, const double *rows, size_t n, size_t width)
{
    *pca = (struct pca){.width = width};
    if (width == 0)
        return false;
    pca->mean = memory_zeros(width, sizeof *pca->mean);
    pca->axes = memory_zeros(width, PCA_COMPONENTS * sizeof *pca->axes);
    double *centred = memory_zeros(n * width, sizeof *centred);
    for (size_t i = 0; i < n * width; i++)
        pca->mean[i % width] += rows[i];
    for (size_t i = 0; i < width && n > 0; i++)
        pca->mean[i] /= (double)n;
    for (size_t i = 0; i < n * width; i++)
        if (!isfinite(centred[i] = rows[i] - pca->mean[i % width]))
            return false;
    double total = dot(centred, centred, n * width);
    struct space space = {.rows = centred, .n = n, .width = width, .least = LEAST_SHARE * total};
    space.places = memory_zeros(SPACE + 1, (width + n) * sizeof *space.places);
    start(&space);
    for (int round = 0; round < ROUNDS_MOST && (round == 0 || !has_axes(&space)); round++) {
        grow(&space);
        if (!make_orthogonal(&space))
            return false;
        keep_longest(&space);
    }
    for (size_t k = 0; k < PCA_COMPONENTS; k++)
        take_axis(pca, k, &space, total);
    return true;
}

void pca_project(const struct pca *pca, const double *rows, size_t n, double *out)
{
    for (size_t row = 0; row < n; row++)
        for (size_t k = 0; k < PCA_COMPONENTS; k++) {
            double sum = 0;
            for (size_t i = 0; i < pca->width; i++)
                sum += (rows[row * pca->width + i] - pca->mean[i]) * pca->axes[k * pca->width + i];
            out[row * PCA_COMPONENTS + k] = sum;
        }
}
