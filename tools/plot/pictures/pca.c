/* pca.c - see pca.h. With X the centred rows [n, D], the axes are the right singular vectors of X
 * with the largest singular values s_k; the share of component k is s_k^2 / sum of s^2 (Jolliffe,
 * Principal Component Analysis, 2002, chapter 3.5). They are computed by one-sided Jacobi rotations
 * (Hestenes 1958; Golub and Van Loan, Matrix Computations, chapter 8.6): pairs of rows are rotated
 * until all rows are orthogonal. Rotating rows changes neither axes nor singular values, and of
 * orthogonal rows the lengths are the singular values and the directions the axes.
 *
 * Singular vectors have no sign; the one taken depends on the axes alone (as in sklearn since 1.5),
 * so that the same points in another order give the same picture.
 */
#include "tools/plot/pictures/pca.h"

#include "tools/plot/memory.h"

#include <math.h>

enum { SWEEPS_MOST = 60 }; /* over all pairs; some ten are enough */

/* Of two rows: a cosine below this is rounding. */
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

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Makes two rows orthogonal; false if they were. What is left of a row that the others make up is
 * rounding: its square is below `least`. */
static bool rotate(double *a, double *b, size_t width, double least)
{
    double aa = dot(a, a, width), bb = dot(b, b, width), ab = dot(a, b, width);
    if (!(fmin(aa, bb) > least && fabs(ab) > LEAST_COSINE * sqrt(aa) * sqrt(bb)))
        return false;
    double cotangent = (bb - aa) / (2 * ab); /* of twice the angle */
    double tangent = copysign(1, cotangent) / (fabs(cotangent) + hypot(1, cotangent));
    double c = 1 / hypot(1, tangent), s = c * tangent;
    for (size_t i = 0; i < width; i++) {
        double kept = a[i];
        a[i] = c * kept - s * b[i];
        b[i] = s * kept + c * b[i];
    }
    return true;
}

static bool make_orthogonal(double *rows, size_t n, size_t width, double least)
{
    bool is_done = false;
    for (int sweep = 0; sweep < SWEEPS_MOST && !is_done; sweep++) {
        is_done = true;
        for (size_t i = 0; i < n; i++)
            for (size_t k = i + 1; k < n; k++)
                if (rotate(rows + i * width, rows + k * width, width, least))
                    is_done = false;
    }
    return is_done;
}

/* The longest row becomes axis k, and zeros, so that the next one is another. */
static void take_axis(struct pca *pca, size_t k, double *rows, size_t n, double total)
{
    size_t width = pca->width, longest = 0;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double squares = dot(rows + i * width, rows + i * width, width);
        if (squares > most) {
            most = squares;
            longest = i;
        }
    }
    if (!(most > LEAST_SHARE * total))
        return;
    pca->share[k] = most / total;
    for (size_t i = 0; i < width; i++) {
        pca->axes[k * width + i] = rows[longest * width + i] / sqrt(most);
        rows[longest * width + i] = 0;
    }
    fix_sign(pca->axes + k * width, width);
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
    for (size_t i = 0; i < n * width; i++) {
        centred[i] = rows[i] - pca->mean[i % width];
        if (!isfinite(centred[i]))
            return false;
    }
    double total = dot(centred, centred, n * width);
    if (!make_orthogonal(centred, n, width, LEAST_SHARE * total))
        return false;
    for (size_t k = 0; k < PCA_COMPONENTS; k++)
        take_axis(pca, k, centred, n, total);
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
