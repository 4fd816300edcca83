/* Any bytes as a file of word vectors, read to its end: every word is UTF-8 and not empty, every
 * number finite, and there are as many words as lines. */
#include "tests/fuzz/command_line.h"
#include "tests/fuzz/model_use.h"
#include "tests/fuzz/replay.h"
#include "tests/tools/import/refusals.h"
#include "tools/common/alloc.h"
#include "tools/common/print/display.h"
#include "tools/import/vectors/word_vectors.h"

#include <math.h>

static void read_all(struct vectors_file *file)
{
    const char *word;
    size_t len, n = 0;
    float *values = alloc_zeros(file->width, sizeof *values);
    for (; vectors_file_next(file, &word, &len, values); n++) {
        must(len > 0 && utf8_is_valid(word, len));
        for (size_t i = 0; i < file->width; i++)
            must(isfinite(values[i]));
    }
    must(n == file->n && n + file->has_header == file->reader.n_lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct vectors_file file;
    static bool is_right;
    const char *path = same_file(data, size);
    READ_OR_REFUSE(&is_right, {
        vectors_file_open(&file, path, 0);
        read_all(&file);
    });
    vectors_file_close(&file);
    import_free();
    return 0;
}
