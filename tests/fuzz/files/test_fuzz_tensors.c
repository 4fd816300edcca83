/* The fuzz target of files with tensors, on files made from a sound one of each format. */
#include "tests/fuzz/files/fuzz_tensors.c"

#include "tests/tools/import/tiny_checkpoint.h"
#include "tests/tools/torch/tiny_torch.h"

TEST(safetensors)
{
    struct tiny_tensors tensors = {.header = json_object()};
    const int table[] = {4, 16, -1}, row[] = {16, -1}, none[] = {0, 3, -1};
    size_t len;
    tiny_tensors_add(&tensors, "bert.embeddings.word_embeddings.weight", "F32", table);
    tiny_tensors_add(&tensors, "bert.a", "F16", row);
    tiny_tensors_add(&tensors, "model.a", "BF16", row);
    tiny_tensors_add(&tensors, "empty", "I64", none);
    char *file = tiny_tensors_file(&tensors, &len);
    replay(file, len, 20000);
    free(file);
    tiny_tensors_free(&tensors);
}

TEST(torch)
{
    static struct tiny_bytes file;
    tiny_torch_sound(&file);
    replay(file.bytes, file.len, 20000);
}
