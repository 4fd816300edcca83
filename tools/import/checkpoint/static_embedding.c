/* static_embedding.c - see static_embedding.h. Sources: model2vec/model.py and
 * model2vec/persistence/ in MinishLab/model2vec 0.10; StaticEmbedding.py in
 * huggingface/sentence-transformers, which reads both kinds, but drops no unknown tokens. */
#include "tools/import/checkpoint/static_embedding.h"

#include "tools/common/alloc.h"
#include "tools/common/print/display.h"
#include "tools/import/files/tensor_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The longest text if no file limits it. Memory grows with it. */
enum { LONGEST_TEXT = 8192, MODEL2VEC_LENGTH = 512 };

static const struct body BODY = {.is_embedding_alone = true};
static const struct architecture STATIC_EMBEDDING = {.class_name = "StaticEmbedding",
                                                     .body = &BODY};
static const struct architecture MODEL2VEC = {.class_name = "StaticModel", .body = &BODY};

/* ---- Tensors ---- */

/* Returns the table, whose name says which program wrote it. */
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

static const char MAPPING_TYPES[] = "I32, I64";

/* Returns `mapping` or `weights`, a number for each of n tokens (0: of any number), or NULL. */
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

/* Returns the numbers of a column, of any of its types, or NULL if there is none. */
static double *read_column(const struct tensor_set *set, const struct stored_tensor *column)
{
    if (column == NULL)
        return NULL;
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

/* ---- The config ---- */

void static_embedding_defaults(struct model_config *model, uint64_t rows, uint64_t width)
{
    *model = CONFIG_DEFAULTS;
    model->layers = 0;
    model->width = (size_t)width;
    model->vocabulary = (size_t)rows;
    model->token_types = 0;
    model->pooling = POOLING_MEAN;
    model->max_tokens = LONGEST_TEXT;
}

/* Texts are cut to so many tokens. */
static void set_limit(struct checkpoint_config *config, size_t most)
{
    config->truncates = true;
    config->model.max_text_tokens = most;
    config->model.max_tokens = most > LONGEST_TEXT ? most : LONGEST_TEXT;
}

void static_embedding_config(const struct json_file *file, const struct tensor_set *set,
                             struct checkpoint_config *config)
{
    struct model_config *model = &config->model;
    bool is_model2vec;
    const struct stored_tensor *table = find_table(set, &is_model2vec);
    const struct stored_tensor *mapping = find_column(set, "mapping", 0, MAPPING_TYPES);
    uint64_t n = mapping != NULL ? mapping->shape[0] : table->shape[0];
    if (n > INT32_MAX || table->shape[1] > INT32_MAX)
        tensor_die(set, table, " is too large");
    *config =
        (struct checkpoint_config){.architecture = is_model2vec ? &MODEL2VEC : &STATIC_EMBEDDING};
    static_embedding_defaults(model, n, table->shape[1]);
    if (!is_model2vec)
        return;
    bool has_no_limit = json_is_null(json_object_get(file->root, "max_length"));
    model->max_text_tokens = LONGEST_TEXT;
    if (!has_no_limit)
        set_limit(config, json_count(file, NULL, "max_length", 1, MODEL2VEC_LENGTH));
    model->normalize = json_flag(file, NULL, "normalize", false);
}

static int compare_counts(const void *a, const void *b)
{
    const size_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Returns the median of the characters of all tokens, of two the mean, rounded down. */
static size_t median_characters(const struct word_list *words)
{
    size_t *counts = alloc_zeros(words->n + 1, sizeof *counts), n = 0;
    for (size_t id = 0; id < words->n; id++)
        if (words->texts[id] != NULL)
            counts[n++] = utf8_count(words->texts[id], words->lens[id]);
    qsort(counts, n, sizeof *counts, compare_counts);
    size_t median = n > 0 ? (counts[(n - 1) / 2] + counts[n / 2]) / 2 : 0;
    alloc_free(counts);
    return median;
}

void static_embedding_tokenizer(struct import_tokenizer *tokenizer,
                                struct checkpoint_config *config)
{
    struct tokenizer_draft *draft = &tokenizer->draft;
    size_t most = config->truncates ? config->model.max_text_tokens : 0;
    tokenizer->single[0] = tokenizer->pair[0] = '\0';
    if (config->architecture == &MODEL2VEC) {
        size_t most_chars = most * median_characters(&draft->words);
        if (most_chars > 0)
            draft_set_number(draft, "max_chars", most_chars < INT32_MAX ? most_chars : INT32_MAX);
        if (draft->unknown != WORD_NONE)
            draft_set_number(draft, "dropped", draft->unknown);
    } else if (tokenizer->truncation > 0) {
        set_limit(config, tokenizer->truncation);
    }
}

/* ---- The table ---- */

/* Returns the only tensor of such a model, without its numbers and their type. */
static struct planned_tensor start_table(const struct model_config *model)
{
    return (struct planned_tensor){.name = "embedding.token.weight",
                                   .kind = PART_TABLE,
                                   .n_dims = 2,
                                   .rows = model->vocabulary,
                                   .cols = model->width};
}

void static_embedding_plan_values(struct plan *plan, enum tensor_type type, const float *values,
                                  const struct model_config *model)
{
    struct planned_tensor table = start_table(model);
    table.values = values;
    table.type = type != 0 ? type : TENSOR_F32;
    plan_add(plan, &table);
}

/* Weighted rows are stored in f32 unless another type was asked for: in f16 they would be rounded
 * twice. The rows that a mapping names must be in the table. */
void static_embedding_plan(struct plan *plan, const struct tensor_set *set,
                           const struct model_config *model)
{
    bool is_model2vec;
    uint64_t n = model->vocabulary;
    struct stored_tensor *stored = find_table(set, &is_model2vec);
    struct planned_tensor table = start_table(model);
    table.set = set;
    table.parts[table.n_parts++] = stored;
    stored->used = true;
    if (is_model2vec) {
        const struct stored_tensor *mapping = find_column(set, "mapping", n, MAPPING_TYPES);
        table.row_weights = read_column(set, find_column(set, "weights", n, "F16, F32, F64"));
        table.row_numbers = read_column(set, mapping);
        for (uint64_t i = 0; mapping != NULL && i < n; i++)
            if (!(table.row_numbers[i] >= 0 && table.row_numbers[i] < (double)stored->shape[0]))
                tensor_die(set, mapping, ", token %" PRIu64 ": row %.0f, expected 0 to %" PRIu64, i,
                           table.row_numbers[i], stored->shape[0] - 1);
    }
    tensor_set_check_used(set, "a static embedding");
    table.type = table_type(plan->types);
    if (table.type == 0)
        table.type = table.row_weights != NULL ? TENSOR_F32 : stored->type;
    plan_add(plan, &table);
}
