/* positions.h - encode-inspect --positions: the matrix of a position scheme, or of a model's own
 * positions, and what can be measured of it. */
#ifndef TOOLS_INSPECT_POSITIONS_H
#define TOOLS_INSPECT_POSITIONS_H

#include "tools/common/position_options.h"

#include <stdbool.h>
#include <stddef.h>

enum positions_format { POSITIONS_TEXT, POSITIONS_JSON, POSITIONS_CSV };

/* One row and two, by their positions, that are looked at besides. */
struct position_picks {
    bool has_row, has_pair;
    size_t row, pair[2];
};

/* What is asked; 0: not said. */
struct positions_request {
    const char *path; /* NULL: no file, options.position says the scheme */
    struct position_options options;
    size_t width, n, n_apart;
    struct position_picks picks;
    enum positions_format format;
};

/* Of numbers that are counted from 0: of each row one, or of each pair of rows. */
struct spread {
    double smallest, largest, mean;
    size_t smallest_at, largest_at;
    bool is_constant; /* but for the rounding of double */
};

/* Rows that are the same in float32, as they are added: `n` of them, the first `MATCHES_SHOWN` in
 * rows. */
enum { MATCHES_SHOWN = 6, GROUPS_SHOWN = 8 };
struct same_rows {
    size_t rows[MATCHES_SHOWN], n;
};

struct position_matrix {
    const char *scheme, *name; /* name of the model, or NULL */
    size_t n, width;
    double *rows; /* [n, width]; of a learned table its float32 numbers */
    double base;  /* in force; 0: the scheme has none */
    double scale;
    size_t n_frequencies, period; /* of fourier: given ones, or harmonics of so many tokens */
};

/* Of the matrix as a whole. */
struct position_measures {
    struct spread range; /* of all numbers, which are counted row by row */
    double rounding;     /* lengths or distances that vary by no more than this are constant */
    size_t n_different;  /* rows */
    struct same_rows same[GROUPS_SHOWN];
    size_t n_same; /* groups of rows that are the same; the first ones are in same */
};

void positions_measure(const struct position_matrix *matrix, struct position_measures *measures);

/* |PE[p]| and |PE[pair[0]] - PE[pair[1]]| */
double positions_norm(const struct position_matrix *matrix, size_t p);
double positions_distance(const struct position_matrix *matrix, const size_t pair[2]);

/* |PE[p] - PE[p+k]| over all p; k 0: |PE[p]|. */
struct spread positions_apart(const struct position_matrix *matrix, size_t k, double rounding);

/* With distances up to request->n_apart, which is below matrix->n, and the picks. */
void positions_print_text(const struct positions_request *request,
                          const struct position_matrix *matrix,
                          const struct position_measures *measures);
void positions_print_json(const struct positions_request *request,
                          const struct position_matrix *matrix,
                          const struct position_measures *measures);

/* Output goes to stdout. */
void positions_inspect(struct positions_request *request);

#endif
