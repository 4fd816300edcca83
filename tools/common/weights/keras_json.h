/* keras_json.h - a tokenizer from Keras' Tokenizer.to_json(), for programs that have their own way
 * to say what is wrong. */
#ifndef TOOLS_KERAS_JSON_H
#define TOOLS_KERAS_JSON_H

#include "tools/common/weights/problem.h"
#include "tools/common/weights/token_source.h"

/* Into a source that token_source_begin made with is_keras. path is for messages. */
bool keras_json_read(struct token_source *source, const char *path, const char *data, size_t len,
                     struct problem *problem);

#endif
