/* Any bytes as a safetensors file, or as one of torch where they begin as a zip archive does: what
 * says where the tensors are is parsed and checked, and where it passes, every tensor that can be
 * read is read to its last row. Nothing may crash, read outside the file or, of a file that is
 * right, leak. */
#include "tests/fuzz/command_line.h"
#include "tests/fuzz/heal_zip.h"
#include "tests/fuzz/model_use.h"
#include "tests/fuzz/replay.h"
#include "tests/tools/import/refusals.h"
#include "tools/import/files/tensor_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_tensor(const struct tensor_set *set, const struct stored_tensor *tensor)
{
    enum { COLS = 16, MOST_COLS = 4096 };
    uint64_t n = tensor->n_bytes / tensor->element_bytes;
    size_t cols = tensor->is_transposed ? (size_t)tensor->shape[1] : COLS;
    if (cols == 0 || cols > MOST_COLS)
        return;
    struct tensor_rows chunk;
    tensor_rows_open(&chunk, 1, cols, true);
    for (uint64_t row = 0; row < n / cols; row++)
        tensor_rows_read(&chunk, set, tensor, row, 1);
    tensor_rows_free(&chunk);
}

static void read_all(struct tensor_set *set, int fd, const uint8_t *data, size_t size)
{
    bool is_zip = size >= 2 && memcmp(data, "PK", 2) == 0;
    static const char *const prefixes[] = {"bert.", "model.", NULL};
    char shape[SHAPE_TEXT];
    tensor_set_add(set, is_zip ? "fuzz.bin" : "fuzz.safetensors", fd, size);
    tensor_set_strip(set, prefixes);
    for (size_t i = 0; i < set->n; i++) {
        tensor_shape_text(&set->tensors[i], shape);
        must(tensor_set_find(set, set->tensors[i].key) == &set->tensors[i]);
        if (set->tensors[i].type != 0)
            read_tensor(set, &set->tensors[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tensor_set set;
    static bool is_right;
    set = (struct tensor_set){0};
    uint8_t *healed = heal_zip(data, size);
    int fd = unnamed_file(size % 8 == 0 ? data : healed, size);
    READ_OR_REFUSE(&is_right, read_all(&set, fd, data, size));
    import_free();
    close(fd);
    free(healed);
    return 0;
}
