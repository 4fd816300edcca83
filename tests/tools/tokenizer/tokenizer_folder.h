/* tokenizer_folder.h - a text of a tokenizer.json, files of a tokenizer in a folder, and what
 * reading them gives. */
#ifndef TESTS_TOOLS_TOKENIZER_FOLDER_H
#define TESTS_TOOLS_TOKENIZER_FOLDER_H

#include "tools/import/tokenizer/tokenizer_file.h"

#include <stdbool.h>
#include <stddef.h>

/* The release that is followed where they differ. */
extern enum reference_release tokenizer_folder_as;

/* Reads the folder's tokenizer. False: it was refused, and program_words says why. */
bool tokenizer_folder_read(const char *directory, struct import_tokenizer *tokenizer);

/* Reads a tokenizer.json that has ' for ". */
bool tokenizer_text_read(const char *text, struct import_tokenizer *tokenizer);

/* Fails unless the text or the folder is refused with these words. */
void tokenizer_text_refused(const char *text, struct import_tokenizer *tokenizer,
                            const char *words);
void tokenizer_folder_refused(const char *directory, struct import_tokenizer *tokenizer,
                              const char *words);

#endif
