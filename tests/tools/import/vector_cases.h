/* vector_cases.h - word vectors for encode-import, and what the models made of them hold. */
#ifndef TESTS_TOOLS_VECTOR_CASES_H
#define TESTS_TOOLS_VECTOR_CASES_H

#include "tests/tools/import/import_cases.h"
#include "tests/tools/shell.h"

/* import_setup(), and $MAKE_VECTORS is the script that makes large files. */
void vectors_setup(void);

void write_vectors(const char *name, const char *text);

/* The row of an id, [width], as a text of that id alone has it. */
void row_of(engine_session *session, int32_t id, float *row, size_t width);
void expect_word(const engine_model *model, int32_t id, const char *word, float a, float b);
size_t vocabulary_of(const engine_model *model);
void expect_ids(const char *model, const char *text, const char *ids);

#endif
