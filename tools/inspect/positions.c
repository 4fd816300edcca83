/* positions.c - encode-inspect --positions: from what is asked to the matrix, by the engine, and to
 * its measures or its rows; see positions.h.
 */
#include "tools/inspect/positions.h"

#include "tools/common/alloc.h"
#include "tools/common/model_file.h"
#include "tools/common/print/csv_writer.h"

#include <stdlib.h>
#include <string.h>

/* The default width is that of encode-new, the default distances are a handful, and of long tables
 * the rows that texts mostly use; the most is what fits into memory anywhere. */
enum { DEFAULT_WIDTH = 128, DEFAULT_ROWS = 128, DEFAULT_TABLE_ROWS = 1024, DEFAULT_APART = 5 };
static const size_t MOST_NUMBERS = (size_t)1 << 27;

/* Of numbers to subtract for the distances, some seconds. */
static const double MOST_DIFFERENCES = 4294967296;

/* What the matrix is asked from: a model or none, and the options of a session. */
struct source {
    engine_model *model; /* or NULL */
    engine_info info;
    engine_session_options options;
    size_t width;
};

static void open_model(const struct positions_request *request, struct source *source)
{
    engine_error error;
    if (engine_model_open(request->path, NULL, &source->model, &error) != ENGINE_OK)
        program_exit(model_open_failed(request->path, &error));
    source->info.struct_bytes = sizeof source->info;
    engine_model_info(source->model, &source->info);
    if (!source->info.has_model)
        program_die("'%s' holds a tokenizer alone, which has no positions", request->path);
}

static engine_status ask(const struct source *source, const struct position_matrix *matrix,
                         size_t cap, size_t *numbers, engine_error *error)
{
    return engine_position_matrix_exact(source->model, &source->options, source->width, matrix->n,
                                        matrix->rows, cap, numbers, error);
}

/* The matrix's width and rows, which are to be freed. */
static void ask_rows(const struct source *source, struct position_matrix *matrix)
{
    engine_error error;
    size_t numbers = 0;
    engine_status status = ask(source, matrix, 0, &numbers, &error);
    if (status != ENGINE_OK && status != ENGINE_ERROR_BUFFER)
        program_die("%s%s", error.message, position_next_step(source->options.position, status));
    matrix->width = numbers / matrix->n;
    if (numbers > MOST_NUMBERS)
        program_die("%zu positions of width %zu are more than %zu numbers: ask for fewer with -n",
                    matrix->n, matrix->width, MOST_NUMBERS);
    matrix->rows = alloc_zeros(numbers, sizeof *matrix->rows);
    if (ask(source, matrix, numbers, NULL, &error) != ENGINE_OK)
        program_die("%s", error.message);
}

static void describe(const struct positions_request *request, const struct source *source,
                     struct position_matrix *matrix)
{
    const engine_model *model = source->model;
    const struct position_numbers numbers = position_numbers(&request->options, model, 0);
    if (model != NULL)
        matrix->name = source->info.name[0] != '\0' ? source->info.name : request->path;
    if (position_uses_base(matrix->scheme))
        matrix->base = numbers.base;
    matrix->scale = numbers.position_scale;
    if (strcmp(matrix->scheme, "fourier") != 0)
        return;
    matrix->n_frequencies = numbers.n_frequencies;
    matrix->period = model != NULL ? source->info.max_tokens : matrix->n;
}

static void check_distances(const struct position_matrix *matrix, size_t n_apart)
{
    size_t n = n_apart < matrix->n ? n_apart : matrix->n - 1;
    double numbers = (double)matrix->n * (double)matrix->width * (double)n;
    if (numbers > MOST_DIFFERENCES)
        program_die("-k %zu: so many distances of %zu positions of width %zu take %.0f "
                    "differences, at most %.0f are computed: ask for fewer with -k or -n",
                    n_apart, matrix->n, matrix->width, numbers, MOST_DIFFERENCES);
}

static void print_csv(const struct position_matrix *matrix, FILE *stream)
{
    struct csv_writer csv = {.stream = stream};
    csv_write_fields(&csv, "position");
    csv_write_numbered(&csv, "v", matrix->width);
    csv_end_row(&csv);
    for (size_t p = 0; p < matrix->n && !ferror(stream); p++) {
        csv_write_integer(&csv, (int64_t)p);
        for (size_t i = 0; i < matrix->width; i++)
            csv_write_float(&csv, (float)matrix->rows[p * matrix->width + i]);
        csv_end_row(&csv);
    }
}

/* Sets how many distances there are. */
static void settle_distances(struct positions_request *request,
                             const struct position_matrix *matrix)
{
    size_t n_apart = request->n_apart > 0 ? request->n_apart : DEFAULT_APART, most = matrix->n - 1;
    check_distances(matrix, n_apart);
    if (request->n_apart > most)
        program_note("%zu position%s %s at most %zu apart: -k %zu stops there; -n takes more rows",
                     matrix->n, plural(matrix->n), matrix->n == 1 ? "is" : "are", most, n_apart);
    request->n_apart = n_apart < most ? n_apart : most;
}

static void show(struct positions_request *request, const struct position_matrix *matrix)
{
    struct position_measures measures;
    if (request->format == POSITIONS_CSV) {
        print_csv(matrix, stdout);
        return;
    }
    settle_distances(request, matrix);
    positions_measure(matrix, &measures);
    if (request->format == POSITIONS_JSON)
        positions_print_json(request, matrix, &measures);
    else
        positions_print_text(request, matrix, &measures);
}

/* All of the picks are rows of the matrix. */
static void check_picks(const struct position_picks *picks, size_t n)
{
    size_t most = picks->has_row ? picks->row : 0;
    for (int i = 0; i < 2 && picks->has_pair; i++)
        most = picks->pair[i] > most ? picks->pair[i] : most;
    if (most >= n)
        program_die_misused("position %zu is asked for, and there are 0 to %zu: -n takes more",
                            most, n - 1);
}

void positions_inspect(struct positions_request *request)
{
    struct source source = {0};
    if (request->path != NULL)
        open_model(request, &source);
    size_t own_rows =
        source.info.max_tokens < DEFAULT_TABLE_ROWS ? source.info.max_tokens : DEFAULT_TABLE_ROWS;
    struct position_matrix matrix = {
        .scheme = request->options.position != ENGINE_POSITION_MODEL
                      ? engine_position_name(request->options.position)
                      : source.info.position,
        .n = request->n > 0         ? request->n
             : source.model != NULL ? own_rows
                                    : DEFAULT_ROWS,
    };
    const char *conflict = position_options_conflict(&request->options, matrix.scheme);
    if (conflict != NULL)
        program_die_misused("%s; here they are %s", conflict, matrix.scheme);
    check_picks(&request->picks, matrix.n);
    source.width = source.model != NULL ? 0 : request->width > 0 ? request->width : DEFAULT_WIDTH;
    source.options.struct_bytes = sizeof source.options;
    position_options_apply(&request->options, source.width, &source.options);
    ask_rows(&source, &matrix);
    describe(request, &source, &matrix);
    show(request, &matrix);
    free(matrix.rows);
    engine_model_close(source.model);
}
