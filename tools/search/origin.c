/* origin.c - see origin.h. */
#include "tools/search/origin.h"

#include "engine/file/crc32c.h"
#include "tools/common/output.h"
#include "tools/common/texts/encoder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HINT "; encode the texts again, or search anyway with --no-check"

static json_int_t origin_number(const struct vector_file *file, const char *key)
{
    return json_integer_value(json_object_get(file->origin, key));
}

static bool has_checksum(const struct vector_file *file)
{
    return json_object_get(file->origin, "input_bytes") != NULL;
}

engine_precision origin_precision(const struct vector_file *file)
{
    const char *name =
        json_string_value(json_object_get(json_object_get(file->origin, "options"), "precision"));
    return name && strcmp(name, "bf16") == 0 ? ENGINE_PRECISION_BF16 : ENGINE_PRECISION_EXACT;
}

/* Compares what rows and queries must have in common; prompts need not be the same. */
static void compare_model(const struct vector_file *file, const struct encoder *encoder)
{
    const char *const names[][2] = {{"pooling", encoder_pooling_asked(encoder)},
                                    {"position", encoder->position},
                                    {"mask", encoder->mask}};
    const char *const of_rows[] = {"position-base", "frequencies", "position-scale",
                                   "embedding-scale", "no-special"};
    const json_t *name = json_object_get(file->origin, "name");
    const json_int_t model = origin_number(file, "model"), n_rows = origin_number(file, "rows");
    if (model != (json_int_t)encoder->info.checksum)
        program_die(
            "'%s' was encoded by another model: %s (checksum %08X), not '%s' (%08X): name it "
            "with -m" HINT,
            file->path, json_is_string(name) ? json_string_value(name) : "", (unsigned)model,
            encoder->info.path, (unsigned)encoder->info.checksum);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *its = json_string_value(json_object_get(file->origin, names[i][0]));
        if (!its || strcmp(its, names[i][1]) != 0)
            program_die("'%s' was encoded with the %s '%s', and queries have '%s'" HINT, file->path,
                        names[i][0], its ? its : "", names[i][1]);
    }
    for (size_t i = 0; i < sizeof of_rows / sizeof of_rows[0]; i++)
        if (json_object_get(json_object_get(file->origin, "options"), of_rows[i]))
            program_die("'%s' was encoded with --%s, and queries cannot be" HINT, file->path,
                        of_rows[i]);
    if (origin_precision(file) != encoder->request.model.precision)
        program_note("'%s' was encoded with another --precision than queries are", file->path);
    if (n_rows != (json_int_t)file->vectors.n_rows)
        program_die("'%s' has %zu rows, and its origin was written for %lld" HINT, file->path,
                    file->vectors.n_rows, (long long)n_rows);
}

/* Compares TEXTS one after the other with the inputs of the files one after the other, if all are
 * known. */
static void compare_texts(const struct collection *collection)
{
    uint64_t bytes = 0, texts_bytes = 0;
    uint32_t sum = 0, texts_sum = 0;
    for (size_t i = 0; i < collection->n_files; i++) {
        const struct vector_file *file = &collection->files[i];
        const uint64_t n = (uint64_t)origin_number(file, "input_bytes");
        if (!has_checksum(file))
            return;
        sum = crc32c_join(sum, (uint32_t)origin_number(file, "input_crc32c"), n);
        bytes += n;
    }
    for (size_t i = 0; i < collection->n_texts; i++) {
        const struct mapped *texts = &collection->texts[i].lines.file;
        texts_sum = crc32c(texts_sum, texts->data, texts->len);
        texts_bytes += texts->len;
    }
    if (bytes != texts_bytes || sum != texts_sum)
        program_die("'%s'%s is not the file that '%s'%s was encoded from: its bytes differ" HINT,
                    collection->texts->lines.file.path,
                    collection->n_texts > 1 ? " with the texts after it" : "",
                    collection->files->path,
                    collection->n_files > 1 ? " with the files after it" : "");
}

/* ---- Without an origin ---- */

/* Returns the cosine of the vector and the row, as a share of the cosine of the vector and itself
 * as a row of that type; 1 if a cosine does not exist. */
static float relative_cosine(const engine_vectors *rows, uint64_t row, const float *vector)
{
    const size_t bytes = engine_row_bytes(rows->type, rows->width);
    char *both = alloc_zeros(2, bytes);
    engine_hit hits[2];
    const engine_search_options options = ENGINE_SEARCH_OPTIONS(.n_threads = 1);
    const engine_vectors two = {both, 2, rows->width, rows->type};
    memcpy(both, (const char *)rows->rows + row * bytes, bytes);
    engine_rows_from_f32(vector, 1, rows->width, rows->type, both + bytes);
    const bool is_scored = engine_search(&two, vector, 1, 2, &options, hits, NULL) == ENGINE_OK;
    free(both);
    const size_t own = is_scored && hits[1].row == 1;
    return is_scored && hits[own].score > 0 ? hits[1 - own].score / hits[own].score : 1;
}

/* Returns whether the model gives nearly the row for its text with a prompt of the file, or without
 * one. True if this cannot be known: the vector of a window is not that of its text alone. */
static bool is_of_its_text(const struct collection *collection, const struct vector_file *file,
                           uint64_t row, struct encoder *encoder)
{
    const struct prompt none = {"", 0};
    struct prompt usual = none; /* of -p model */
    const struct prompt *const prompts[] = {&encoder->prompt, &none, &encoder->query_prompt,
                                            &usual};
    engine_prompt(encoder->model, NULL, &usual.text, &usual.len, NULL);
    struct passage passage;
    size_t window;
    passage_find(collection, file->first_row + row, &passage);
    bool is_its_own = passage_number(&passage, "window", &window);
    for (size_t i = 0; i < 4 && !is_its_own; i++) {
        struct item item = {.number = 1};
        passage_text(collection, &passage, &item.record);
        if (!item.record.input.ids)
            item_add_prompt(&item, prompts[i]);
        is_its_own = !encoder_tokenize(encoder, &item) || item.n_dropped > 0 ||
                     item_n_visible(&item) == 0 || encoder_encode(encoder, &item, 1) != 1 ||
                     relative_cosine(&file->vectors.rows, row, item.rows) > 0.98F;
        item_free(&item);
    }
    passage_free(&passage);
    return is_its_own;
}

/* Texts that were sorted or added differ at the first, the middle or the last row. */
static void check_file(const struct collection *collection, const struct vector_file *file,
                       struct encoder *encoder)
{
    const bool has_texts = collection->n_texts > 0 && file->vectors.kind == VECTORS_ROWS;
    const size_t n = has_texts && !has_checksum(file) ? file->vectors.n : 0;
    char *path = alloc_text("%s" OUTPUT_ORIGIN, file->path);
    if (file->origin ? !json_is_object(file->origin) : access(path, F_OK) == 0)
        program_die("'%s' is damaged or cannot be read: remove it, or use --no-check", path);
    free(path);
    if (file->origin)
        compare_model(file, encoder);
    for (size_t i = 0; i < 3 && n > 0; i++)
        if (!is_of_its_text(collection, file, i * (n - 1) / 2, encoder))
            program_die("row %zu (counted from 0) of '%s' is not what '%s' gives for its text in "
                        "'%s': another model, "
                        "pooling or prompt, or other texts" HINT,
                        i * (n - 1) / 2, file->path, encoder->info.path,
                        collection->texts->lines.file.path);
}

void origin_check(const struct collection *collection, struct encoder *encoder)
{
    for (size_t i = 0; i < collection->n_files; i++)
        check_file(collection, &collection->files[i], encoder);
    if (collection->n_texts > 0)
        compare_texts(collection);
}
