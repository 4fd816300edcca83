/* writer_cases.h - what the suite of the weight writer writes, and how it reads the result of
 * it. */
#ifndef TESTS_WRITER_CASES_H
#define TESTS_WRITER_CASES_H

#include "tests/support.h"
#include "tools/writer/weight_writer.h"

/* A folder of the running test's own, and a file in it that is not there yet. */
extern char writer_folder[SUPPORT_PATH], writer_path[SUPPORT_PATH];

void writer_set_up(void);
void writer_tear_down(void);

/* A writer of writer_path. */
struct weight_writer *open_writer(engine_error *error);

/* Returns how many files there are in the folder. */
size_t count_names(void);

void put(struct weight_writer *writer, engine_settings settings, const char *key,
         const char *value);

/* Width 4, 5 tokens, no layers; with its tokenizer, its table and a tensor that no layer has. */
void small_config(struct model_config *config);
void write_small_model(struct weight_writer *writer);

#endif
