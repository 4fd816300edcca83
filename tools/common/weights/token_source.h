/* token_source.h - where a new model's tokenizer comes from: words, a word list, a Keras file,
 * or a text to fit a vocabulary on. The result is what the sections TOKN and VOCB of the weight
 * file say.
 *
 * The functions return PROGRAM_DONE, or an exit code after a message on stderr.
 */
#ifndef TOOLS_TOKEN_SOURCE_H
#define TOOLS_TOKEN_SOURCE_H

#include "engine/file/weight_writer.h"
#include "tools/common/weights/word_list.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What Keras' Tokenizer does unless told otherwise. */
#define KERAS_FILTERS "!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n"

enum { SPLIT_BYTES_MOST = 32 };

struct bytes_copy {
    char *data; /* NUL-terminated, owned */
    size_t len;
};

struct token_source {
    struct word_list words; /* ids 0 .. n-1 */
    bool is_keras, lower, char_level;
    struct bytes_copy filters, split; /* keras */
    uint64_t num_words;
    size_t unknown; /* id, or WORD_NONE: unknown words are dropped */
};

/* Rules of the kind: keras with the default filters, a blank and lower case; else split at
 * blanks. */
int token_source_begin(struct token_source *source, bool is_keras);
void token_source_free(struct token_source *source);

bool bytes_copy_set(struct bytes_copy *copy, const char *data, size_t len);
int no_memory(void);

/* Words separated by blanks, those that repeat once; then "[UNK]", unless it or "<unk>" is
 * there. */
int token_source_words(struct token_source *source, const char *words);

/* A file ("-": stdin) with one token per line: the id is the number of the line, from 0. */
int token_source_list(struct token_source *source, const char *path, const char *data, size_t len);

/* A file of Keras' Tokenizer.to_json(). */
int token_source_keras(struct token_source *source, const char *path, const char *data, size_t len);

/* Text to fit on, "-": stdin. */
struct fit_options {
    const char *oov;  /* text of the token for unknown words; "": none */
    size_t num_words; /* 0: all; else the most frequent */
    size_t min_count; /* words that occur less often are left out */
};
int token_source_fit(struct token_source *source, const char *path,
                     const struct fit_options *options);

/* Appends a token unless it is there. */
int token_source_add(struct token_source *source, const char *token);

engine_status token_source_write(const struct token_source *source, struct weight_writer *writer);

/* All of a file, "-": stdin; *data is to be freed. */
int read_whole(const char *path, char **data, size_t *len);

#endif
