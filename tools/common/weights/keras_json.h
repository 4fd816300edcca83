/* keras_json.h - a tokenizer from Keras' Tokenizer.to_json(). */
#ifndef TOOLS_KERAS_JSON_H
#define TOOLS_KERAS_JSON_H

#include "tools/common/weights/problem.h"
#include "tools/common/weights/tokenizer_draft.h"

/* Into an empty draft: words and settings. path is for messages. */
bool keras_json_read(struct tokenizer_draft *draft, const char *path, const char *data, size_t len,
                     struct problem *problem);

#endif
