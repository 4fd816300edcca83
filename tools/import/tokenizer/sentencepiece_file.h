/* sentencepiece_file.h - reads the model of a sentencepiece tokenizer: a message of protocol
 * buffers, of which pieces with scores, the map of characters and a few numbers are taken.
 */
#ifndef TOOLS_IMPORT_SENTENCEPIECE_FILE_H
#define TOOLS_IMPORT_SENTENCEPIECE_FILE_H

#include "tools/import/tokenizer/tokenizer_parts.h"

#include <stdint.h>

enum { PIECE_CONTROL = 3, PIECE_USER_DEFINED = 4 };

struct sentencepiece_piece {
    const char *text; /* [len], of the file */
    size_t len;
    double score;
    uint64_t type;
};

struct sentencepiece_file {
    struct sentencepiece_piece *pieces; /* [n] */
    size_t n;
    uint64_t model_type; /* 1 unigram, 2 BPE, 3 word, 4 char */
    uint64_t unknown;    /* the number of that piece */
    const uint8_t *map;  /* [map_len], of the file; NULL: there is none */
    size_t map_len;
};

/* Refused where it is no such message. */
void sentencepiece_file_read(struct sentencepiece_file *file,
                             const struct import_tokenizer *tokenizer, const char *data,
                             size_t len);

#endif
