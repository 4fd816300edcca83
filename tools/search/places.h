/* places.h - what a row stands for: its line in the corpus, its id, its part of a long text, as the
 * rows file beside the vectors says; and that text, from TEXTS. */
#ifndef TOOLS_SEARCH_PLACES_H
#define TOOLS_SEARCH_PLACES_H

#include "tools/common/texts/item.h"
#include "tools/search/mapped.h"

#include <jansson.h>
#include <stdint.h>

struct place {
    json_t *members;       /* of the row's line, owned; NULL: row k is line k + 1 */
    struct record written; /* its id and its members but "row", as they are there; owned */
    size_t line;           /* of the corpus, from 1 */
    char *id;              /* [id_len], of id_text, owned */
    size_t id_len;
};

struct places {
    struct lines rows, texts;
    bool has_rows, has_texts, has_json_texts;
    char *rows_path;     /* owned */
    const char *vectors; /* path, for messages */
};

/* The rows file of VECTORS, if there is one, and TEXTS (NULL: none). n_rows: that VECTORS has. Here
 * and below what is wrong ends the program. */
void places_open(struct places *places, const char *vectors, size_t n_rows, const char *texts);
void places_close(struct places *places);

/* Of one row. */
void places_find(struct places *places, uint64_t row, struct place *place);
void place_free(struct place *place);

/* The id [len] as it came, a string without quotes; where none came, the number. To be freed. */
char *id_text(const struct record *record, size_t number, size_t *len);

/* A whole number of the row's line, such as "begin"; false: it says nothing of the kind. */
bool place_number(const struct place *place, const char *key, size_t *number);

/* The text, or the part of it that the row stands for, as record->input. */
void places_text(struct places *places, const struct place *place, struct record *record);

#endif
