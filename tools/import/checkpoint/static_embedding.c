/* static_embedding.c - see static_embedding.h. Sources: model2vec/model.py and
 * model2vec/persistence/ in MinishLab/model2vec; StaticEmbedding.py in
 * huggingface/sentence-transformers, which reads both kinds, but drops no unknown tokens.
 */
#include "tools/import/checkpoint/static_embedding.h"

#include "tools/common/alloc.h"
#include "tools/import/files/tensor_file.h"
#include "tools/import/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Where nothing says how long a text may be. The mean of more is a mean of everything; and memory
 * is asked for by this. */
enum { LONGEST_TEXT = 8192, MODEL2VEC_LENGTH = 512 };

static const struct body BODY = {.is_embedding_alone = true};
static const struct architecture STATIC_EMBEDDING = {.class_name = "StaticEmbedding",
                                                     .body = &BODY};
static const struct architecture MODEL2VEC = {.class_name = "StaticModel", .body = &BODY};

bool static_embedding_is_there(const struct sentence_transformers *st, const struct json_file *file)
{
    const char *type = json_string_value(json_object_get(file->root, "model_type"));
    return st->is_static || (type != NULL && strcmp(type, "model2vec") == 0);
}

/* ---- Tensors ---- */

/* The table; its name says which program wrote it. */
static struct stored_tensor *find_table(const struct tensor_set *set, bool *is_model2vec)
{
    struct stored_tensor *own = tensor_set_find(set, "embedding.weight");
    struct stored_tensor *table = own != NULL ? own : tensor_set_find(set, "embeddings");
    char shape[SHAPE_TEXT];
    if (table == NULL)
        program_die("%s has no tensor 'embedding.weight' and no 'embeddings'",
                    set->files[0].header.name);
    if (table->n_dims != 2 || table->shape[0] == 0 || table->shape[1] == 0)
        tensor_die(set, table, " has the shape %s; expected [tokens, width]",
                   tensor_shape_text(table, shape));
    if (table->type == 0)
        tensor_die(set, table, " has the dtype %s; expected F32, F16 or BF16", table->dtype);
    *is_model2vec = own == NULL;
    return table;
}

/* `mapping` or `weights`, one number for each token; n 0: as many as there are. NULL: absent. */
static const struct stored_tensor *find_column(const struct tensor_set *set, const char *name,
                                               uint64_t n, const char *dtypes)
{
    struct stored_tensor *column = tensor_set_find(set, name);
    char shape[SHAPE_TEXT];
    if (column == NULL)
        return NULL;
    if (column->n_dims != 1 || column->shape[0] == 0 || (n > 0 && column->shape[0] != n))
        tensor_die(set, column, " has the shape %s; expected a number for each token",
                   tensor_shape_text(column, shape));
    if (strstr(dtypes, column->dtype) == NULL)
        tensor_die(set, column, " has the dtype %s; expected one of %s", column->dtype, dtypes);
    column->used = true;
    return column;
}

static const struct stored_tensor *find_mapping(const struct tensor_set *set, uint64_t n)
{
    return find_column(set, "mapping", n, "I32, I64");
}

/* Its numbers, of any type that either has. */
static double *read_column(const struct tensor_set *set, const struct stored_tensor *column)
{
    size_t n = (size_t)column->shape[0], element = column->element_bytes;
    const char *dtype = column->dtype;
    double *numbers = alloc_zeros(n, sizeof *numbers);
    uint8_t *bytes = alloc_zeros(n, element);
    tensor_read(set, column, 0, bytes, n * element);
    for (size_t i = 0; i < n; i++) {
        union {
            uint16_t f16;
            float f32;
            double f64;
            int32_t i32;
            int64_t i64;
        } number;
        memcpy(&number, bytes + i * element, element);
        numbers[i] = strcmp(dtype, "F16") == 0   ? f16_to_f32(number.f16)
                     : strcmp(dtype, "F32") == 0 ? number.f32
                     : strcmp(dtype, "F64") == 0 ? number.f64
                     : strcmp(dtype, "I32") == 0 ? number.i32
                                                 : (double)number.i64;
    }
    return numbers;
}

/* Each row that the mapping names is in the table. */
static void check_mapping(const struct tensor_set *set, const struct stored_tensor *mapping,
                          uint64_t n_rows)
{
    double *rows = read_column(set, mapping);
    for (uint64_t i = 0; i < mapping->shape[0]; i++)
        if (!(rows[i] >= 0 && rows[i] < (double)n_rows))
            tensor_die(set, mapping, ", token %" PRIu64 ": row %.0f of %" PRIu64, i, rows[i],
                       n_rows);
}

/* ---- The config ---- */

/* An absent 'max_length' means 512, null no limit. */
static int64_t read_length(const struct json_file *file)
{
    bool is_null = json_is_null(json_object_get(file->root, "max_length"));
    return is_null ? 0 : json_count(file, NULL, "max_length", 1, MODEL2VEC_LENGTH);
}

void static_embedding_defaults(struct model_config *model, uint64_t rows, uint64_t width)
{
    config_defaults(model);
    model->layers = 0;
    model->width = (int64_t)width;
    model->vocabulary = (int64_t)rows;
    model->token_types = 0;
    model->pooling = POOLING_MEAN;
    model->max_tokens = LONGEST_TEXT;
}

void static_embedding_config(const struct json_file *file, const struct tensor_set *set,
                             struct checkpoint_config *config)
{
    struct model_config *model = &config->model;
    bool is_model2vec;
    const struct stored_tensor *table = find_table(set, &is_model2vec);
    const struct stored_tensor *mapping = find_mapping(set, 0);
    uint64_t n = mapping != NULL ? mapping->shape[0] : table->shape[0];
    if (n > INT32_MAX || table->shape[1] > INT32_MAX)
        tensor_die(set, table, " is too large");
    *config =
        (struct checkpoint_config){.architecture = is_model2vec ? &MODEL2VEC : &STATIC_EMBEDDING};
    static_embedding_defaults(model, n, table->shape[1]);
    if (!is_model2vec)
        return;
    int64_t most = read_length(file);
    config->truncates = most > 0;
    model->max_text_tokens = most > 0 ? most : LONGEST_TEXT;
    model->max_tokens = most > LONGEST_TEXT ? most : LONGEST_TEXT;
    model->normalize = json_flag(file, NULL, "normalize", false);
}

void static_embedding_tokenizer(struct import_tokenizer *tokenizer,
                                const struct checkpoint_config *config)
{
    tokenizer->single[0] = tokenizer->pair[0] = '\0';
    if (config->architecture == &MODEL2VEC && tokenizer->draft.unknown != WORD_NONE)
        draft_set_number(&tokenizer->draft, "dropped", tokenizer->draft.unknown);
}

/* ---- The table ---- */

/* The only tensor of such a model. */
static struct planned_tensor *plan_table(struct plan *plan, const struct model_config *model)
{
    *plan = (struct plan){.tensors = alloc_zeros(1, sizeof *plan->tensors), .n = 1, .cap = 1};
    *plan->tensors = (struct planned_tensor){
        .name = "embedding.token.weight",
        .layout = LAYOUT_ROWS,
        .n_dims = 2,
        .rows = (size_t)model->vocabulary,
        .cols = (size_t)model->width,
        .kind = PART_TABLE,
    };
    return plan->tensors;
}

static void count_bytes(struct plan *plan)
{
    const struct planned_tensor *table = plan->tensors;
    plan->n_parameters = (uint64_t)table->rows * table->cols;
    plan->n_bytes = tensor_bytes(table->type, table->layout, table->rows, table->cols);
}

void static_embedding_plan_values(struct plan *plan, enum tensor_type type, const float *values,
                                  const struct model_config *model)
{
    struct planned_tensor *table = plan_table(plan, model);
    table->values = values;
    table->type = type != 0 ? type : TENSOR_F32;
    count_bytes(plan);
}

/* A product of two roundings is rounded once more in f32 alone. */
static enum tensor_type choose_type(struct stored_types types, const struct planned_tensor *table)
{
    enum tensor_type asked = table_type(types);
    if (asked == 0)
        return table->row_weights != NULL ? TENSOR_F32 : table->parts[0]->type;
    return asked;
}

void static_embedding_plan(struct plan *plan, struct stored_types types,
                           const struct tensor_set *set, const struct model_config *model)
{
    bool takes_more;
    struct stored_tensor *stored = find_table(set, &takes_more);
    stored->used = true;
    struct planned_tensor *table = plan_table(plan, model);
    table->set = set;
    table->parts[0] = stored;
    table->n_parts = 1;
    if (takes_more) {
        table->row_numbers = find_mapping(set, table->rows);
        table->row_weights = find_column(set, "weights", table->rows, "F16, F32, F64");
    }
    if (table->row_numbers != NULL)
        check_mapping(set, table->row_numbers, stored->shape[0]);
    tensor_set_check_used(set, "a static embedding");
    table->type = choose_type(types, table);
    count_bytes(plan);
    plan->n_source_bytes = stored->n_bytes;
    if (plan->n_bytes == 0)
        tensor_die(set, stored, " is too large");
}

/* Row by row: a mapping may name any at any time. */
void static_embedding_write(const struct planned_tensor *table, struct weight_writer *writer)
{
    double *numbers =
        table->row_numbers != NULL ? read_column(table->set, table->row_numbers) : NULL;
    double *weights =
        table->row_weights != NULL ? read_column(table->set, table->row_weights) : NULL;
    engine_status status = ENGINE_OK;
    struct tensor_rows row;
    tensor_rows_open(&row, 1, table->cols, true);
    for (size_t i = 0; i < table->rows && status == ENGINE_OK; i++) {
        tensor_rows_read(&row, table->set, table->parts[0],
                         numbers != NULL ? (uint64_t)numbers[i] : i, 1);
        for (size_t k = 0; weights != NULL && k < table->cols; k++)
            row.values[k] = (float)(row.values[k] * weights[i]);
        status = weight_writer_rows(writer, row.values, 1);
    }
    progress_add(table->parts[0]->n_bytes);
    tensor_rows_free(&row);
}
