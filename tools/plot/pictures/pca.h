/* pca.h - principal components: the plane in which points differ most. */
#ifndef TOOLS_PLOT_PCA_H
#define TOOLS_PLOT_PCA_H

#include <stdbool.h>
#include <stddef.h>

enum { PCA_COMPONENTS = 2 };

struct pca {
    double *mean, *axes; /* [width], [PCA_COMPONENTS, width]: of length 1, or zeros where there is
                            no more variance */
    double share[PCA_COMPONENTS]; /* of the whole variance, 0 to 1 */
    size_t width;
};

/* Of n rows [n, width]. Each axis points so that its largest component, the first of equals, is
 * positive: the axes are the same in whatever order the rows come. False: no columns, or numbers
 * that are not finite. */
bool pca_fit(struct pca *pca, const double *rows, size_t n, size_t width);

/* The rows' places in the plane, [n, PCA_COMPONENTS]. */
void pca_project(const struct pca *pca, const double *rows, size_t n, double *out);

#endif
