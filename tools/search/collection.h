/* collection.h - the files that are searched: VECTORS and TEXTS. A row of VECTORS represents a
 * passage: a line of the corpus, or a part of a long one, with its id. The rows file beside the
 * vectors describes it, and TEXTS have its text. Rows and lines are counted over all files in their
 * order, as if they were one. */
#ifndef TOOLS_SEARCH_COLLECTION_H
#define TOOLS_SEARCH_COLLECTION_H

#include "tools/common/texts/item.h"
#include "tools/search/mapped.h"
#include "tools/search/search_options.h"
#include "tools/search/vector_files.h"

#include <jansson.h>
#include <stdint.h>

/* One file of VECTORS, with the files that encode wrote beside it. */
struct vector_file {
    struct vectors vectors;
    const char *path;
    char *rows_path;   /* owned */
    struct lines rows; /* of the rows file, if has_rows */
    bool has_rows;
    json_t *origin;               /* of the origin file, owned; NULL if it is absent or not JSON */
    size_t first_row, first_line; /* rows and lines of the files before it */
    /* Of a hybrid search: */
    struct mapped words;
    char *words_path;              /* owned */
    engine_index_builder *builder; /* of an index that is being made */
};

/* One file of TEXTS. */
struct text_file {
    struct lines lines;
    bool is_json;
    size_t first_line; /* lines of the files before it */
};

struct collection {
    struct vector_file *files;     /* [n_files] */
    const struct vectors *vectors; /* of the first file that has rows; all are alike */
    struct text_file *texts;       /* [n_texts]; with 0, hits have no texts */
    size_t n_files, n_texts;
    size_t n_rows, n_lines; /* of all files */
    bool checks;            /* origins say what their files are of */
    bool has_rows;          /* a file has a rows file */
    bool has_windows;       /* in a file rows are windows */
    void *empty_row;        /* that of an empty text, or NULL */
    engine_metric metric;
    engine_index *indexes; /* [n_files], of the words; NULL: no hybrid search */
    double word_weight;
};

struct passage {
    const struct vector_file *file;
    json_t *members;       /* of the row's line, owned; NULL if row k is line k + 1 */
    struct record written; /* its id and its members but the row, line and token; owned */
    size_t line;           /* of the corpus, from 1 */
    char *id;              /* [id_len], of id_text, owned */
    size_t id_len;
};

/* Opens files of vectors, which must be of one kind, with their rows files, and files of texts.
 * Errors of these functions end the program. */
void collection_open(struct collection *collection, const struct search_options *options);
void collection_close(struct collection *collection);

/* Returns the file of a row. */
struct vector_file *collection_file(const struct collection *collection, uint64_t row);

/* Returns a query as it was read, without its prompt. */
engine_input query_text(const struct item *query);

/* Finds the passage of a row. */
void passage_find(const struct collection *collection, uint64_t row, struct passage *passage);
void passage_free(struct passage *passage);

/* Reads a whole number of the row's line, such as "begin"; returns false if it is absent. */
bool passage_number(const struct passage *passage, const char *key, size_t *number);

/* Reads the passage's text into record->input. */
void passage_text(const struct collection *collection, const struct passage *passage,
                  struct record *record);

/* Returns the id [len] of a record as it was read, a string without quotes; its number if it has
 * none. The caller frees it. */
char *id_text(const struct record *record, size_t number, size_t *len);

/* Compares the origin of each file, which encode wrote, with the model, its options and the number
 * of rows, and the bytes of all files with TEXTS. If an origin is absent and TEXTS are given, three
 * rows of that file are encoded again. Ends the program at a difference. */
void origin_check(const struct collection *collection, struct text_encoder *encoder);

/* Returns an option of encode with which a file was encoded, or NULL if it was not given. */
const char *origin_option(const struct vector_file *file, const char *name);

/* Returns the precision with which a file was encoded, exact if that is not known. */
engine_precision origin_precision(const struct vector_file *file);

#endif
