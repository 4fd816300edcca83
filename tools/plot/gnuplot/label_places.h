/* label_places.h - names beside points so that they cover neither one another nor points. */
#ifndef TOOLS_PLOT_LABEL_PLACES_H
#define TOOLS_PLOT_LABEL_PLACES_H

#include <stddef.h>

struct box {
    double left, bottom, right, top;
};

struct named_point {
    double x, y;          /* where it is */
    double width, height; /* of its name */
    struct box name;      /* answer: where that goes */
};

/* Chooses the names' places inside `frame` as far as there is room. `radius`: of the points' dots.
 */
void place_labels(struct named_point *points, size_t n, const struct box *frame, double radius);

#endif
