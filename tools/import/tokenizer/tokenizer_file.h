/* tokenizer_file.h - the tokenizer of a checkpoint: a tokenizer.json, or a vocab.txt, a vocab.json
 * with its merges or a sentencepiece model with tokenizer_config.json and special_tokens_map.json,
 * as the settings (TOKN), the vocabulary (VOCB) and other sections of weights/FORMAT.md.
 *
 * Truncation and padding of a tokenizer.json are not read: they are settings of the program that
 * wrote the file. A part that the engine does not have is refused by its name. */
#ifndef TOOLS_IMPORT_TOKENIZER_FILE_H
#define TOOLS_IMPORT_TOKENIZER_FILE_H

#include "tools/import/tokenizer/tokenizer_parts.h"

/* Returns whether the directory has a tokenizer's file of any kind in `place` ("" or
 * "0_Transformer/"). */
bool import_tokenizer_is_there(const struct folder *folder, const char *place);

/* From a checkpoint's directory. is_static: of static embeddings, whose code reads a tokenizer.json
 * alone; for all others it is what AutoTokenizer of transformers makes of the files, in the
 * folder's release where releases differ. */
void import_tokenizer_read(struct import_tokenizer *tokenizer, struct folder *folder,
                           const char *place, bool is_static);

/* From one file, a tokenizer.json or a vocab.txt under any name (JSON starts with '{'), or a
 * sentencepiece model, whose name ends with ".model". */
void import_tokenizer_read_file(struct import_tokenizer *tokenizer, const char *path);

/* From the text of a tokenizer.json; name is for messages. */
void import_tokenizer_parse(struct import_tokenizer *tokenizer, const char *name, const char *text,
                            size_t len);

/* How many types its templates need, at least 2. */
size_t import_tokenizer_types(const struct import_tokenizer *tokenizer);

/* Writes TOKN and VOCB. n_types: rows of the model's token-type table; SIZE_MAX for a file without
 * a model. With fewer than 2 the templates' types are all 0. truncate: the setting `truncate`.
 * Failures are the writer's. */
engine_status import_tokenizer_write(const struct import_tokenizer *tokenizer, size_t n_types,
                                     bool truncate, struct weight_writer *writer);

#endif
