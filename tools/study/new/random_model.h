/* random_model.h - the tensors of a model whose numbers are seeded random ones. */
#ifndef TOOLS_RANDOM_MODEL_H
#define TOOLS_RANDOM_MODEL_H

#include "tools/writer/weight_writer.h"

#include <stdint.h>

struct random_options {
    uint64_t seed;
    enum tensor_type linear_type; /* matrices of linear layers */
    enum tensor_layout linear_layout;
    enum tensor_type table_type; /* embedding tables, always in rows */
    const float *frequencies;    /* [position_frequencies], which are not random */
};

/* Returns how many numbers the tensors hold, as a float because it may be absurd. */
double random_model_size(const struct model_config *config);

/* Ends the program if the file system, that of the folder if there is no such file yet, reports
 * less room than so many bytes: before minutes are spent on writing them. */
void random_model_check_room(const char *path, double n_bytes);

/* Writes every tensor that the config asks for; *n_parameters receives how many numbers they hold.
 * The config must have passed config_check. Failures are the writer's. */
void random_model_write(struct weight_writer *writer, const struct model_config *config,
                        const struct random_options *options, uint64_t *n_parameters);

#endif
