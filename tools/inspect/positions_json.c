/* positions_json.c - what is measured of positions, as one JSON object. */
#include "tools/inspect/positions.h"

#include <jansson.h>

static json_t *whole(size_t n)
{
    return json_integer((json_int_t)n);
}

/* null where it is not finite */
static json_t *real(double value)
{
    json_t *number = json_real(value);
    return number != NULL ? number : json_null();
}

/* Takes what it is given; NULL: no memory. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static json_t *spread_object(const struct spread *spread, size_t k)
{
    json_t *object = json_object();
    bool ok = (k == 0 || set(object, "k", whole(k))) &&
              set(object, "constant", json_boolean(spread->is_constant)) &&
              set(object, "smallest", real(spread->smallest)) &&
              set(object, "smallest_at", whole(spread->smallest_at)) &&
              set(object, "largest", real(spread->largest)) &&
              set(object, "largest_at", whole(spread->largest_at)) &&
              set(object, "mean", real(spread->mean));
    if (!ok)
        json_decref(object);
    return ok ? object : NULL;
}

static json_t *range_object(const struct position_measures *measures)
{
    return json_pack("{s:o, s:[o, o], s:o, s:[o, o]}", "smallest", real(measures->smallest),
                     "smallest_at", whole(measures->smallest_at[0]),
                     whole(measures->smallest_at[1]), "largest", real(measures->largest),
                     "largest_at", whole(measures->largest_at[0]), whole(measures->largest_at[1]));
}

static json_t *apart_array(const struct position_measures *measures)
{
    json_t *array = json_array();
    for (size_t k = 1; k <= measures->n_apart; k++)
        if (json_array_append_new(array, spread_object(&measures->apart[k - 1], k)) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

/* Of the first groups their first rows. */
static json_t *same_array(const struct position_measures *measures)
{
    json_t *array = json_array();
    for (size_t g = 0; g < measures->n_same && g < GROUPS_SHOWN; g++) {
        const struct same_rows *same = &measures->same[g];
        json_t *rows = json_array();
        bool ok = true;
        for (size_t i = 0; i < same->n && i < MATCHES_SHOWN; i++)
            ok = ok && json_array_append_new(rows, whole(same->rows[i])) == 0;
        if (json_array_append_new(array, rows) != 0 || !ok) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *example_object(const struct index_example *example)
{
    return example == NULL
               ? json_null()
               : json_pack("{s:o, s:[o, o], s:[o, o]}", "value", real(example->value), "places",
                           whole(example->short_place), whole(example->long_place), "of",
                           whole(example->short_n), whole(example->long_n));
}

/* Members that are there where they were asked for. */
static bool set_picks(json_t *root, const struct position_picks *picks)
{
    return (!picks->has_row ||
            set(root, "row",
                json_pack("{s:o, s:o}", "p", whole(picks->row), "norm", real(picks->norm)))) &&
           (!picks->has_pair ||
            set(root, "pair",
                json_pack("{s:[o, o], s:o}", "p", whole(picks->pair[0]), whole(picks->pair[1]),
                          "distance", real(picks->distance))));
}

bool positions_print_json(const struct position_matrix *matrix,
                          const struct position_measures *measures,
                          const struct index_example *example, FILE *stream)
{
    json_t *root = json_object();
    bool ok =
        set(root, "scheme", json_string(matrix->scheme)) &&
        set(root, "width", whole(matrix->width)) && set(root, "positions", whole(matrix->n)) &&
        set(root, "base", matrix->base != 0 ? real(matrix->base) : json_null()) &&
        set(root, "scale", real(matrix->scale)) && set(root, "range", range_object(measures)) &&
        set(root, "norm", spread_object(&measures->norms, 0)) &&
        set(root, "distance", apart_array(measures)) && set_picks(root, &measures->picks) &&
        set(root, "different_rows", whole(measures->n_different)) &&
        set(root, "groups_of_same_rows", whole(measures->n_same)) &&
        set(root, "same_rows", same_array(measures)) &&
        set(root, "same_value_other_place", example_object(example));
    if (ok) {
        json_dumpf(root, stream, JSON_INDENT(2)); /* program_end sees a write that failed */
        putc('\n', stream);
    }
    json_decref(root);
    return ok;
}
