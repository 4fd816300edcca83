/* words.c - see words.h. */
#include "tools/search/words.h"

#include "engine/file/crc32c.h"
#include "tools/common/alloc.h"
#include "tools/common/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The index of a file ---- */

/* Returns the CRC-32C of the lines of TEXTS that belong to a file. */
static uint64_t sum_texts(const struct collection *collection, const struct vector_file *file)
{
    const bool is_last = file + 1 == collection->files + collection->n_files;
    const size_t end = is_last ? collection->n_lines : file[1].first_line;
    uint32_t sum = 0;
    for (size_t i = 0; i < collection->n_texts; i++) {
        struct text_file *texts = &collection->texts[i];
        const size_t n = lines_count(&texts->lines);
        const size_t first =
            file->first_line > texts->first_line ? file->first_line - texts->first_line : 0;
        const size_t last = end < texts->first_line + n ? end - texts->first_line : n;
        size_t len;
        if (end <= texts->first_line || first >= n)
            continue;
        const char *from = lines_get(&texts->lines, first + 1, &len);
        const char *to = last < n ? lines_get(&texts->lines, last + 1, &len)
                                  : texts->lines.file.data + texts->lines.file.len;
        sum = crc32c(sum, from, (size_t)(to - from));
    }
    return sum;
}

/* Stores what identifies the texts of rows: the checksums of the rows file and of TEXTS, or the one
 * that encode wrote. Returns false if neither is known. */
static bool find_stamp(const struct collection *collection, const struct vector_file *file,
                       uint64_t *stamp)
{
    const json_t *sum = json_object_get(file->origin, "input_crc32c");
    const uint64_t of_rows = crc32c(0, file->rows.file.data, file->rows.file.len);
    *stamp = of_rows << 32 | (collection->n_texts > 0 ? sum_texts(collection, file)
                                                      : (uint64_t)json_integer_value(sum));
    return sum != NULL || collection->n_texts > 0;
}

/* Makes the index of a file's rows in its builder. */
static engine_index make_index(const struct collection *collection, struct vector_file *file,
                               uint64_t stamp)
{
    engine_index index = {0};
    engine_error error = {0};
    struct passage passage;
    struct record record;
    file->builder = engine_index_new();
    if (file->builder == NULL)
        alloc_die();
    for (size_t row = 0; row < file->vectors.n; row++) {
        passage_find(collection, file->first_row + row, &passage);
        passage_text(collection, &passage, &record);
        if (engine_index_add_text(file->builder, record.input.text, record.input.text_len,
                                  &error) != ENGINE_OK)
            program_die("%s", error.message);
        record_free(&record);
        passage_free(&passage);
    }
    if (engine_index_bytes(file->builder, stamp, &index.bytes, &index.len, &error) != ENGINE_OK)
        program_die("%s", error.message);
    return index;
}

/* Opens the file of an index. A file of another kind, which is never replaced, ends the program. */
static void map_index(struct vector_file *file, const char *path, engine_index *index)
{
    mapped_open(&file->words, path);
    *index = (engine_index){.bytes = file->words.data, .len = file->words.len};
    if (engine_index_open(index, NULL) != ENGINE_OK || (!index->has_words && index->n_ids > 0))
        program_die("'%s' is damaged or no index of this version: remove it, and it is made", path);
}

static void open_index(const struct collection *collection, struct vector_file *file,
                       engine_index *index)
{
    char *path = alloc_text("%s.words", file->path);
    uint64_t stamp;
    const bool is_known = find_stamp(collection, file, &stamp);
    const bool exists = access(path, F_OK) == 0;
    file->words_path = path;
    if (exists)
        map_index(file, path, index);
    if (exists && is_known && index->stamp == stamp && index->n_rows == file->vectors.n)
        return;
    if (collection->n_texts == 0)
        program_die("'%s' %s: name TEXTS, too, and it is made (tables: by encode --words)", path,
                    !exists    ? "does not exist"
                    : is_known ? "is of other texts or rows"
                               : "is of texts that no origin tells");
    unlink(path); /* it is mapped, and so would be refused as an output */
    *index = make_index(collection, file, stamp);
    struct output output;
    output_open(&output, path, OUTPUT_SHARED); /* searches may make it at the same time */
    fwrite(index->bytes, 1, index->len, output.stream);
    output_check(&output, false);
    if (output_end(&output, PROGRAM_DONE) != PROGRAM_DONE)
        exit(PROGRAM_FAILED);
    engine_index_free(file->builder);
    file->builder = NULL;
    mapped_close(&file->words);
    map_index(file, path, index);
}

void words_open(struct collection *collection)
{
    collection->indexes = alloc_zeros(collection->n_files, sizeof *collection->indexes);
    for (size_t i = 0; i < collection->n_files; i++)
        open_index(collection, &collection->files[i], &collection->indexes[i]);
}

/* ---- Queries ---- */

/* The words of n queries in one file of VECTORS, owned. */
struct word_queries {
    engine_sparse_queries sparse;
    engine_weight *weights;
    size_t *starts;
};

static struct word_queries words_of_queries(const struct collection *collection,
                                            const struct vector_file *file,
                                            const struct item *queries, size_t n)
{
    const size_t which = (size_t)(file - collection->files);
    struct word_queries words = {.starts = alloc_zeros(n + 1, sizeof *words.starts)};
    size_t cap = 1;
    for (size_t i = 0; i < n; i++)
        cap += query_text(&queries[i]).text_len / 2 + 1;
    words.weights = alloc_zeros(cap, sizeof *words.weights);
    for (size_t i = 0; i < n; i++) {
        const engine_input text = query_text(&queries[i]);
        words.starts[i + 1] =
            words.starts[i] + engine_index_query(collection->indexes, collection->n_files, which,
                                                 text.text, text.text_len,
                                                 words.weights + words.starts[i]);
    }
    words.sparse = (engine_sparse_queries){
        .index = &collection->indexes[which], .weights = words.weights, .starts = words.starts};
    return words;
}

static void words_free(struct word_queries *queries)
{
    free(queries->weights);
    free(queries->starts);
}

void words_fuse(const struct collection *collection, const struct item *queries, size_t n,
                size_t n_threads, engine_fusion *fusions, float *vector_offsets)
{
    engine_moments *of_vectors = alloc_zeros(n, sizeof *of_vectors);
    engine_moments *of_words = alloc_zeros(n, sizeof *of_words);
    engine_error error = {0};
    for (size_t f = 0; f < collection->n_files; f++) {
        const struct vector_file *file = &collection->files[f];
        struct word_queries words = words_of_queries(collection, file, queries, n);
        const engine_search_options options =
            ENGINE_SEARCH_OPTIONS(.metric = collection->metric, .n_threads = n_threads,
                                  .sparse = &words.sparse);
        if (engine_search_moments(&file->vectors.rows, queries[0].rows, n, &options, of_vectors,
                                  of_words, &error) != ENGINE_OK)
            program_die("%s", error.message);
        words_free(&words);
    }
    for (size_t i = 0; i < n; i++) {
        fusions[i] = engine_fuse(of_vectors[i], of_words[i], collection->word_weight);
        vector_offsets[i] = engine_fuse(of_vectors[i], (engine_moments){0}, 0).offset;
    }
    free(of_vectors);
    free(of_words);
}

/* ---- Searching ---- */

void collection_search(const struct collection *collection, const struct text_encoder *encoder,
                       const struct item *queries, size_t n, size_t k, const engine_fusion *fusions,
                       engine_hit *out)
{
    engine_hit *found = alloc_zeros(n * k, sizeof *found);
    engine_hit *scratch = alloc_zeros(k, sizeof *scratch);
    for (size_t i = 0; i < n * k; i++)
        out[i] = (engine_hit){.row = UINT64_MAX};
    for (size_t f = 0; f < collection->n_files; f++) {
        struct vector_file *file = &collection->files[f];
        struct word_queries words = {0};
        if (file->vectors.n == 0)
            continue;
        if (fusions != NULL) {
            words = words_of_queries(collection, file, queries, n);
            words.sparse.fusions = fusions;
        }
        vectors_search(&file->vectors, encoder, queries, n, k, collection->metric,
                       fusions ? &words.sparse : NULL, found);
        words_free(&words);
        for (size_t i = 0; i < n; i++)
            hits_merge(out + i * k, found + i * k, file->first_row, k, scratch);
    }
    free(found);
    free(scratch);
}

float words_score(const struct collection *collection, const struct item *query, uint64_t row,
                  float *by_words)
{
    const struct vector_file *file = collection_file(collection, row);
    struct word_queries words = words_of_queries(collection, file, query, 1);
    const engine_search_options options =
        ENGINE_SEARCH_OPTIONS(.metric = collection->metric, .n_threads = 1);
    engine_vectors one = file->vectors.rows;
    engine_hit hit = {0};
    row -= file->first_row;
    one.rows = (const char *)one.rows + row * engine_row_bytes(one.type, one.width);
    one.n = 1;
    engine_search(&one, query->rows, 1, 1, &options, &hit, NULL);
    *by_words = engine_index_score(words.sparse.index, words.weights, words.starts[1], row);
    words_free(&words);
    return hit.score;
}
