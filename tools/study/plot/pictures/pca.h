/* pca.h - principal components: the plane in which points differ most. */
#ifndef TOOLS_PLOT_PCA_H
#define TOOLS_PLOT_PCA_H

#include <stdbool.h>
#include <stddef.h>

enum { PCA_COMPONENTS = 2 };

struct pca {
    double *mean, *axes; /* [width], [PCA_COMPONENTS, width]: of length 1, or zeros if there is
                            no more variance */
    double share[PCA_COMPONENTS]; /* of the whole variance, 0 to 1 */
    size_t width;
};

/* Finds the axes of n rows [n, width]. The largest component of each axis, the first of equals, is
 * positive: the axes do not depend on the order of the rows. Returns false if there are no columns,
 * or numbers are not finite. */
bool pca_fit(struct pca *pca, const double *rows, size_t n, size_t width);

/* Writes the coordinates of rows in the plane, [n, PCA_COMPONENTS]. */
void pca_project(const struct pca *pca, const double *rows, size_t n, double *out);

#endif
