/* pca.c - see pca.h. With X the centred rows [n, D], the axes are the right singular vectors of X
 * with the largest singular values s_k; the share of component k is s_k^2 / sum of s^2 (Jolliffe,
 * Principal Component Analysis, 2002, chapter 3.5).
 *
 * One-sided Jacobi rotations (Hestenes 1958; Golub and Van Loan, Matrix Computations, chapter 8.6)
 * find them: pairs of rows are rotated until all are orthogonal. Rotations of rows leave X'X as it
 * is, so each row then is an axis times its singular value. The time grows with n^2 D: a text of
 * 500 words takes about a second.
 *
 * The sign of a singular vector is free; it is chosen by the axes alone (as in sklearn since 1.5),
 * so that the same points in another order give the same picture.
 *
 * LAPACK in OpenBLAS would be shorter, but if memory is refused it crashes or never ends.
 */
#include "tools/study/plot/pictures/pca.h"

#include "tools/common/alloc.h"

#include <math.h>
#include <string.h>

enum { SWEEPS_MOST = 60 }; /* over all pairs; some ten are enough */

/* Of two rows: a cosine below this is rounding. */
static const double LEAST_COSINE = 1e-14;

/* Of the sum of squares: a share below this is rounding, and determines no axis. */
static const double LEAST_SHARE = 1e-24;

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

/* Makes two rows orthogonal; returns false if they were. Rows shorter than the root of `least` are
 * rounding. */
static bool rotate_rows(double *restrict a, double *restrict b, size_t width, double least)
{
    double aa = dot(a, a, width), bb = dot(b, b, width), ab = dot(a, b, width);
    if (!(fmin(aa, bb) > least && fabs(ab) > LEAST_COSINE * sqrt(aa) * sqrt(bb)))
        return false;
    double cotangent = (bb - aa) / (2 * ab); /* of twice the angle */
    double tangent = copysign(1, cotangent) / (fabs(cotangent) + hypot(1, cotangent));
    double c = 1 / hypot(1, tangent), s = c * tangent;
    for (size_t i = 0; i < width; i++) {
        double before = a[i];
        a[i] = c * before - s * b[i];
        b[i] = s * before + c * b[i];
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
                if (rotate_rows(rows + i * width, rows + k * width, width, least))
                    is_done = false;
    }
    return is_done;
}

/* Makes the longest row an axis, and then zeros. The largest component of an axis is positive: the
 * first of the components that are equal up to rounding. */
static void extract_axis(struct pca *pca, size_t k, double *rows, size_t n, double total,
                         double least)
{
    size_t width = pca->width, longest = 0, largest = 0;
    for (size_t i = 1; i < n; i++)
        if (dot(rows + i * width, rows + i * width, width) >
            dot(rows + longest * width, rows + longest * width, width))
            longest = i;
    double *row = rows + longest * width, squares = n ? dot(row, row, width) : 0;
    if (!(squares > least))
        return;
    for (size_t i = 1; i < width; i++)
        if (fabs(row[i]) > fabs(row[largest]) * (1 + 1e-9))
            largest = i;
    for (size_t i = 0; i < width; i++)
        pca->axes[k * width + i] = row[i] / copysign(sqrt(squares), row[largest]);
    pca->share[k] = squares / total;
    memset(row, 0, width * sizeof *row);
}

bool pca_fit(struct pca *pca, const double *rows, size_t n, size_t width)
{
    *pca = (struct pca){.width = width};
    if (width == 0)
        return false;
    pca->mean = alloc_zeros(width, sizeof *pca->mean);
    pca->axes = alloc_zeros(width, PCA_COMPONENTS * sizeof *pca->axes);
    double *centred = alloc_zeros(n * width, sizeof *centred);
    for (size_t i = 0; i < n * width; i++)
        pca->mean[i % width] += rows[i];
    for (size_t i = 0; i < width && n > 0; i++)
        pca->mean[i] /= (double)n;
    for (size_t i = 0; i < n * width; i++)
        if (!isfinite(centred[i] = rows[i] - pca->mean[i % width]))
            return false;
    double total = dot(centred, centred, n * width);
    double least = LEAST_SHARE * dot(rows, rows, n * width);
    if (!make_orthogonal(centred, n, width, least))
        return false;
    for (size_t k = 0; k < PCA_COMPONENTS; k++)
        extract_axis(pca, k, centred, n, total, least);
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
