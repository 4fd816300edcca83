/* tokenizer_steps.h - the normalizer and the pre-tokenizer of a tokenizer.json as lists of steps,
 * and what every part with a "type" in such a file has in common.
 */
#ifndef TOOLS_IMPORT_TOKENIZER_STEPS_H
#define TOOLS_IMPORT_TOKENIZER_STEPS_H

#include "tools/import/files/json_file.h"
#include "tools/import/tokenizer/tokenizer_parts.h"

struct json_tokenizer {
    struct json_file file;
    struct import_tokenizer *tokenizer;
    struct blank_list steps; /* of the list that is being read */
};

/* A type that a part may have, and what reads it; a list of them ends with type NULL. */
struct part_kind {
    const char *type;
    const char *step; /* what it always becomes; or NULL */
    bool (*read)(struct json_tokenizer *json, const json_t *part);
};

/* Reads a part by its type. `what` is its name in messages: "normalizer". */
bool part_read(struct json_tokenizer *json, const char *what, const json_t *part,
               const struct part_kind *kinds);

bool part_is_sequence(const json_t *part);

/* "FILE: the WHAT is 'FOUND'; expected EXPECTED"; false. */
bool part_refuse(const struct json_tokenizer *json, const char *what, const char *found,
                 const char *expected);

/* The settings `normalizer` and `splitter`. */
bool steps_read(struct json_tokenizer *json);

#endif
