/* bert_file.h - a weight file of a shape, with seeded random numbers. */
#ifndef TOOLS_BENCH_BERT_FILE_H
#define TOOLS_BENCH_BERT_FILE_H

#include "engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BERT_TOKENS = 8192, BERT_VOCABULARY = 30522, BERT_VOCABULARY_LEAST = 1000 };

struct bert_shape {
    size_t layers, width, heads, feed_forward, vocabulary;
};

/* "6/384/12/1536" or "6/384/12/1536/30522". False: it is no shape, after a message that names
 * `option`. */
bool bert_shape_read(const char *option, const char *text, struct bert_shape *shape);

/* About how many bytes that file takes. */
double bert_file_bytes(const struct bert_shape *shape, const char *precision);

/* Writes a BERT of that shape to path: post-norm, learned positions up to 8,192, GELU, mean pooling
 * to length 1. precision: "f32", "f16", "bf16" or "int8": that of every linear layer; embedding
 * tables have the same, and f16 with int8. PROGRAM_DONE, or an exit code after a message. */
int bert_file_write(const char *path, const struct bert_shape *shape, const char *precision,
                    uint64_t seed);

#endif
