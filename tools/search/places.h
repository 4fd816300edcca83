/* places.h - what is searched: the files of VECTORS, and what a row of them stands for: its line in
 * the corpus, its id, its part of a long text, as the rows file beside the vectors says; and that
 * text, from TEXTS. Rows and lines are counted over all files in their order, as if they were one.
 */
#ifndef TOOLS_SEARCH_PLACES_H
#define TOOLS_SEARCH_PLACES_H

#include "tools/common/texts/item.h"
#include "tools/search/mapped.h"
#include "tools/search/vectors.h"

#include <jansson.h>
#include <stdint.h>

/* One file of VECTORS, with what encode wrote beside it. */
struct vector_file {
    struct vectors vectors;
    const char *path;
    char *rows_path;   /* owned */
    struct lines rows; /* of the rows file, if has_rows */
    bool has_rows;
    json_t *origin;               /* of the origin file, owned; NULL: absent, or not JSON */
    size_t first_row, first_line; /* rows and lines of the files before it */
    size_t n_lines;               /* that it was encoded from, as far as is known */
};

/* One file of TEXTS. */
struct text_file {
    struct lines lines;
    bool is_json;
    size_t first_line; /* lines of the files before it */
};

struct places {
    struct vector_file *files;     /* [n_files] */
    const struct vectors *vectors; /* of the first file that has rows; all are alike */
    struct text_file *texts;       /* [n_texts]; none: hits have no texts */
    size_t n_files, n_texts;
    size_t n_rows, n_lines; /* of all files */
    bool has_rows;          /* a file has a rows file */
};

struct place {
    const struct vector_file *file;
    json_t *members;       /* of the row's line, owned; NULL: row k is line k + 1 */
    struct record written; /* its id and its members but the row, line and token; owned */
    size_t line;           /* of the corpus, from 1 */
    char *id;              /* [id_len], of id_text, owned */
    size_t id_len;
};

/* Opens files of vectors, which must be of one kind, with their rows files, and files of texts.
 * Here and below what is wrong ends the program. */
void places_open(struct places *places, char *const *vectors, size_t n_vectors, char *const *texts,
                 size_t n_texts);
void places_close(struct places *places);

/* Of one row. */
void places_find(const struct places *places, uint64_t row, struct place *place);
void place_free(struct place *place);

/* The id [len] as it came, a string without quotes; where none came, the number. To be freed. */
char *id_text(const struct record *record, size_t number, size_t *len);

/* A whole number of the row's line, such as "begin"; false: it says nothing of the kind. */
bool place_number(const struct place *place, const char *key, size_t *number);

/* The text, or the part of it that the row stands for, as record->input. */
void places_text(const struct places *places, const struct place *place, struct record *record);

#endif
