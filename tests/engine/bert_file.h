/* bert_file.h - turns a directory with a BERT-like checkpoint (config.json, model.safetensors) into
 * a weight file, for tests that have such checkpoints with expected outputs. */
#ifndef TESTS_ENGINE_BERT_FILE_H
#define TESTS_ENGINE_BERT_FILE_H

#include "model/tensor.h"

/* BERT, DistilBERT or RoBERTa bodies; matrices keep the type they have. Fails the test on any
 * error. */
void bert_file_write(const char *directory, const char *path, enum tensor_layout layout);

#endif
