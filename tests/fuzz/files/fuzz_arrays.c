/* Any bytes as VECTORS of encode-search: an array of NumPy, or an archive of some where they begin
 * as a zip archive does. What passes is read to its last byte. */
#include "tests/fuzz/command_line.h"
#include "tests/fuzz/heal_zip.h"
#include "tests/fuzz/model_use.h"
#include "tests/fuzz/replay.h"
#include "tests/tools/import/refusals.h"
#include "tools/search/vector_files.h"

#include <stdlib.h>

static unsigned sum(const char *bytes, size_t n)
{
    unsigned all = 0;
    for (size_t i = 0; i < n; i++)
        all += (unsigned char)bytes[i];
    return all;
}

static void read_all(struct vectors *vectors, const char *path)
{
    volatile unsigned all = 0;
    vectors_open(vectors, path);
    must(vectors_kind_name(vectors)[0] != '\0');
    if (vectors->kind == VECTORS_ROWS) {
        const size_t columns =
            vectors->rows.type == ENGINE_BINARY ? 8 * vectors->width : vectors->width;
        const size_t n_bytes = vectors->n * engine_row_bytes(vectors->rows.type, columns);
        must((const char *)vectors->rows.rows + n_bytes == vectors->file.data + vectors->file.len);
        all = sum(vectors->rows.rows, n_bytes);
        return;
    }
    const size_t n_entries = vectors_start(vectors, vectors->n);
    all = sum(vectors->values, n_entries * sizeof(float));
    all = sum(vectors->ids, n_entries * sizeof(int32_t));
    for (size_t i = 0; i < vectors->n; i++)
        must(vectors_start(vectors, i) <= vectors_start(vectors, i + 1));
    (void)all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct vectors vectors;
    uint8_t *healed = heal_zip(data, size);
    const char *path = same_file(size % 8 == 0 ? data : healed, size);
    vectors = (struct vectors){0};
    be_silent();
    import_begin();
    PROGRAM_RUN(read_all(&vectors, path));
    vectors_close(&vectors);
    import_pause();
    import_free();
    speak_again();
    free(healed);
    return 0;
}
