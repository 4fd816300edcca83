/* torch_file.h - the tensors in a file of torch.save (pytorch_model.bin, sparse_linear.pt), without
 * torch. Since torch 1.6 such a file is a zip archive: NAME/data.pkl, a pickle of a dictionary of
 * tensors, each of which names its storage, shape and strides, and NAME/data/0, 1, … the storages,
 * row-major numbers as they are in memory, of the byte order that NAME/byteorder says. Source:
 * torch/serialization.py and torch/_utils.py of pytorch/pytorch. */
#ifndef TOOLS_IMPORT_TORCH_FILE_H
#define TOOLS_IMPORT_TORCH_FILE_H

#include <jansson.h>
#include <stdint.h>

/* Returns the header that a safetensors file would have, of an open file: {"NAME": {"dtype": "F32",
 * "shape": [2, 3], "data_offsets": [begin, end]}}. Offsets count from the start of the file,
 * tensors may share bytes, and "transposed" is true if columns, not rows, follow each other. */
json_t *torch_file_header(const char *name, int fd, uint64_t file_bytes);

#endif
