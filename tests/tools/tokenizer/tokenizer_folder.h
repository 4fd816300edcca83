/* tokenizer_folder.h - a text of a tokenizer.json, files of a tokenizer in a folder, and what
 * reading them gives. */
#ifndef TESTS_TOOLS_TOKENIZER_FOLDER_H
#define TESTS_TOOLS_TOKENIZER_FOLDER_H

#include "tools/import/tokenizer/tokenizer_file.h"

#include <stdbool.h>
#include <stddef.h>

/* The release that is followed where they differ. */
extern enum reference_release tokenizer_folder_as;

/* Reads the folder's tokenizer, or a tokenizer.json that has ' for ". What is read is kept until
 * the next read. False: it was refused, and program_words says why. */
bool tokenizer_folder_read(const char *directory, struct import_tokenizer *tokenizer);
bool tokenizer_text_read(const char *text, struct import_tokenizer *tokenizer);

/* Fails unless it is read, with these settings: ARE("key", "value", ...), "" for absent. */
void tokenizer_folder_is(const char *directory, struct import_tokenizer *tokenizer,
                         const char *const *settings);
void tokenizer_text_is(const char *text, struct import_tokenizer *tokenizer,
                       const char *const *settings);
#define ARE(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Fails unless the text or the folder is refused with these words. */
void tokenizer_text_refused(const char *text, struct import_tokenizer *tokenizer,
                            const char *words);
void tokenizer_folder_refused(const char *directory, struct import_tokenizer *tokenizer,
                              const char *words);

#endif
