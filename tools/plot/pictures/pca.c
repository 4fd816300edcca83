/* pca.c - see pca.h. With X the centred rows [n, D], the axes are the right singular vectors of X
 * with the largest singular values s_k; the share of component k is s_k^2 / sum of s^2 (Jolliffe,
 * Principal Component Analysis, 2002, chapter 3.5). LAPACK's dgesvd computes them; it reads
 * columns, to which our rows [n, D] are a matrix D × n, so that its left vectors are the axes.
 *
 * Singular vectors have no sign; the one taken depends on the axes alone (as in sklearn since 1.5),
 * so that the same points in another order give the same picture.
 */
#include "tools/plot/pictures/pca.h"

#include "tools/plot/memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Of LAPACK, in OpenBLAS: A = U * diag(s) * Vt; all by reference, columns first. */
void dgesvd_(const char *job_u, const char *job_vt, const int *rows, const int *columns, double *a,
             const int *lda, double *s, double *u, const int *ldu, double *vt, const int *ldvt,
             double *work, const int *n_work, int *info);

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

static void take_axes(struct pca *pca, const double *u, const double *s, size_t n_values)
{
    double total = 0;
    for (size_t i = 0; i < n_values; i++)
        total += s[i] * s[i];
    for (size_t k = 0; k < PCA_COMPONENTS && k < n_values; k++) {
        double share = total > 0 ? s[k] * s[k] / total : 0;
        if (!(share > LEAST_SHARE))
            continue;
        pca->share[k] = share;
        memcpy(pca->axes + k * pca->width, u + k * pca->width, pca->width * sizeof *u);
        fix_sign(pca->axes + k * pca->width, pca->width);
    }
}

/* U [D, min(n, D)] and s. dgesvd says first how much it wants to work with. */
static bool decompose(struct pca *pca, double *centred, size_t n)
{
    size_t least = n < pca->width ? n : pca->width;
    int rows = (int)pca->width, columns = (int)n, ldvt = 1, info = 0, n_work = -1;
    double wanted = 0, *work = &wanted;
    double *u = memory_zeros(pca->width * least, sizeof *u), *s = memory_zeros(least, sizeof *s);
    for (int call = 0; call < 2 && info == 0; call++) {
        dgesvd_("S", "N", &rows, &columns, centred, &rows, s, u, &rows, NULL, &ldvt, work, &n_work,
                &info);
        if (call == 0) {
            n_work = (int)wanted;
            work = memory_zeros((size_t)n_work, sizeof *work);
        }
    }
    if (info == 0)
        take_axes(pca, u, s, least);
    return info == 0;
}

bool pca_fit(struct pca *pca, const double *rows, size_t n, size_t width)
{
    *pca = (struct pca){.width = width};
    if (width == 0 || width > INT32_MAX / 64 || n > INT32_MAX / 64)
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
    return n <= 1 || decompose(pca, centred, n);
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
