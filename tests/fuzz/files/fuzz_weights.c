/* Any bytes as a weight file whose checksums are right: two bytes choose how the model is used, the
 * rest is the file, in which the magic bytes, its length and every checksum are made right first.
 * So the code after these checks is tested: opening, verifying, sessions, poolings, heads. */
#include "engine/file/crc32c.h"
#include "engine/file/weight_file.h"
#include "tests/fuzz/model_use.h"
#include "tests/fuzz/replay.h"

#include <stdlib.h>
#include <string.h>

struct file {
    uint8_t *data; /* [len], aligned to 64 bytes */
    size_t len;
};

/* Corrects the checksum of the bytes that an entry describes, if the file contains them. */
static void heal_checksum(const struct file *file, uint8_t *checksum, uint64_t offset, uint64_t len)
{
    if (offset <= file->len && len <= file->len - offset)
        put_u32(checksum, crc32c(0, file->data + offset, (size_t)len));
}

static void heal_tensors(const struct file *file, uint64_t offset, uint64_t len)
{
    if (offset > file->len || len > file->len - offset || len < DIRECTORY_START)
        return;
    uint8_t *entry = file->data + offset + DIRECTORY_START;
    uint64_t n = get_u32(file->data + offset), most = (len - DIRECTORY_START) / TENSOR_ENTRY_BYTES;
    for (uint64_t i = 0; i < n && i < most; i++, entry += TENSOR_ENTRY_BYTES)
        heal_checksum(file, entry + 20, get_u64(entry + 56), get_u64(entry + 64));
}

static void heal_sections(const struct file *file, uint64_t table, uint64_t n)
{
    uint8_t *entry = file->data + table;
    for (uint64_t i = 0; i < n; i++, entry += SECTION_ENTRY_BYTES) {
        uint64_t offset = get_u64(entry + 8), len = get_u64(entry + 16);
        if (memcmp(entry, "TENS", 4) == 0)
            heal_tensors(file, offset, len);
        heal_checksum(file, entry + 24, offset, len);
    }
}

static void heal(const struct file *file)
{
    if (file->len < HEADER_BYTES)
        return;
    memcpy(file->data, FORMAT_MAGIC, sizeof FORMAT_MAGIC);
    put_u32(file->data + 12, BYTE_ORDER_MARK);
    put_u32(file->data + 16, HEADER_BYTES);
    put_u64(file->data + 24, file->len);
    uint64_t table = get_u64(file->data + 32), n = get_u32(file->data + 20);
    if (table <= file->len && n <= (file->len - table) / SECTION_ENTRY_BYTES) {
        heal_sections(file, table, n);
        heal_checksum(file, file->data + 40, table, n * SECTION_ENTRY_BYTES);
    }
    heal_checksum(file, file->data + 60, 0, HEADER_BYTES - 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char text[] = "I ride a Bike, caf\xC3\xA9 the 12 [SEP] bike\xFF";
    void *copy = NULL;
    engine_model *model;
    engine_error error;
    if (size < 3)
        return 0;
    const struct file file = {posix_memalign(&copy, 64, size - 2) == 0 ? copy : NULL, size - 2};
    must(file.data != NULL);
    memcpy(file.data, data + 2, file.len);
    heal(&file);
    engine_status status = engine_model_open_memory(file.data, file.len, NULL, &model, &error);
    must((status == ENGINE_OK) == (model != NULL));
    must(status == ENGINE_OK || (error.message[0] != '\0' && status != ENGINE_ERROR_ARGUMENT &&
                                 status != ENGINE_ERROR_INTERNAL));
    if (status == ENGINE_OK)
        model_use(model, text, sizeof text - 1, data[0] | (unsigned)data[1] << 8);
    engine_model_close(model);
    free(copy);
    return 0;
}
