/* tiny_model.h - a weight file of a few kilobytes that has a bit of everything: five sections of
 * settings and tensors, every table, f32 rows and panels, int8 with scales, special tokens and
 * token types. The suites of the interface and of bad input damage it.
 *
 * Width 8, 2 heads, 1 layer, feed-forward 16, 12 tokens at most; ids: 0 without a text, 1 [UNK], 2
 * [CLS], 3 [SEP], 4 i, 5 ride, 6 bike, 7 the. Texts are framed as [CLS] A [SEP], pairs as [CLS] A
 * [SEP] B [SEP].
 */
#ifndef TESTS_TINY_MODEL_H
#define TESTS_TINY_MODEL_H

#include "tests/support.h"

enum { TINY_WIDTH = 8, TINY_VOCABULARY = 8, TINY_TYPES = 2, TINY_MAX_TOKENS = 12 };

/* Writes the file. position: "none", "sinusoidal" or "learned" (12 rows and one of offset). */
engine_status tiny_model_write(const char *path, const char *position, engine_error *error);

/* The file as support_read gives it. */
void *tiny_model_bytes(const char *position, size_t *len);

/* The same with learned positions and a WordPiece tokenizer as BERT's, lower case without accents:
 * ids 5 ri, 6 ##de. */
void *tiny_model_pieces(size_t *len);

/* tiny_model_bytes with prompts: query "ride ", passage "the the ", style "bike ", and style is the
 * default one. */
void *tiny_model_prompts(size_t *len);

/* A suite's model and session of these bytes, whose length is put into `len`. */
#define TINY_SUITE(bytes)                                                                          \
    static engine_model *model;                                                                    \
    static engine_session *session;                                                                \
    SET_UP()                                                                                       \
    {                                                                                              \
        size_t len;                                                                                \
        void *tiny_bytes = (bytes);                                                                \
        model = support_open_memory(tiny_bytes, len);                                              \
        session = support_session(model, NULL);                                                    \
    }                                                                                              \
    enum { D = TINY_WIDTH }

#endif
