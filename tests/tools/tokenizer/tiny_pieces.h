/* tiny_pieces.h - models of sentencepiece, small enough to break in every way. */
#ifndef TESTS_TOOLS_TINY_PIECES_H
#define TESTS_TOOLS_TINY_PIECES_H

#include "tests/tools/torch/tiny_torch.h"

/* Adds a model: of n pieces, with the scores 0, -1, -2 ..., of which those that begin with < or [
 * are control pieces; of the type 1, Unigram, or another; with the number of the unknown piece. */
void tiny_pieces(struct tiny_bytes *out, const char *const *pieces, size_t n, uint8_t type,
                 uint8_t unknown);

#endif
