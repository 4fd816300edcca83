/* label_places.c - see script.h. Each name tries places around its point, near and farther
 * off, and takes the cheapest: what it covers of other names and dots costs its area, what leaves
 * the frame costs more, and the right side costs nothing. Three rounds, each name against all
 * others as they stand then. n names cost n^2 per round; a picture has at most some hundred. */
#include "tools/plot/gnuplot/script.h"

#include <math.h>

enum { ROUNDS = 3, DIRECTIONS = 8, DISTANCES = 5 };

static double overlap(const struct box *a, const struct box *b)
{
    double width = fmin(a->right, b->right) - fmax(a->left, b->left);
    double height = fmin(a->top, b->top) - fmax(a->bottom, b->bottom);
    return width > 0 && height > 0 ? width * height : 0;
}

static struct box name_at(const struct named_point *point, int direction, double distance)
{
    static const double across[DIRECTIONS] = {1, 1, 1, -1, -1, -1, 0, 0};
    static const double up[DIRECTIONS] = {0, 1, -1, 0, 1, -1, 1, -1};
    double x = point->x + across[direction] * (distance + point->width / 2);
    double y =
        point->y + up[direction] * (across[direction] != 0 ? 0.6 * distance + point->height / 3
                                                           : distance + point->height / 2);
    return (struct box){x - point->width / 2, y - point->height / 2, x + point->width / 2,
                        y + point->height / 2};
}

static double cost(const struct named_point *points, size_t n, size_t self, const struct box *name,
                   const struct box *frame, double radius)
{
    double width = name->right - name->left, height = name->top - name->bottom;
    double total = 6 * (width * height - overlap(name, frame));
    for (size_t i = 0; i < n; i++) {
        const struct box dot = {points[i].x - radius, points[i].y - radius, points[i].x + radius,
                                points[i].y + radius};
        total += 3 * overlap(name, &dot);
        if (i != self)
            total += overlap(name, &points[i].name);
    }
    return total;
}

static void improve(struct named_point *points, size_t n, size_t self, const struct box *frame,
                    double radius)
{
    double best = INFINITY;
    struct box choice = points[self].name;
    for (int step = 0; step < DISTANCES; step++)
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            struct box name = name_at(&points[self], direction, radius + 1.5 + 5 * step);
            double price = cost(points, n, self, &name, frame, radius) + 4 * step + 0.1 * direction;
            if (price < best) {
                best = price;
                choice = name;
            }
        }
    points[self].name = choice;
}

void place_labels(struct named_point *points, size_t n, const struct box *frame, double radius)
{
    for (size_t i = 0; i < n; i++)
        points[i].name = name_at(&points[i], 0, radius + 1.5);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < n; i++)
            improve(points, n, i, frame, radius);
}
