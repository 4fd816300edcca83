/* sample.c - see sample.h. */
#include "tests/tools/families/sample.h"

#include "engine/plain/weights.h"
#include "tests/owned.h"

#include <stdio.h>
#include <string.h>

static void drop_header(void *header)
{
    json_decref(header);
}

void sample_file_read(struct sample_file *file, const char *path)
{
    size_t n_bytes;
    const uint8_t *bytes = support_read(path, &n_bytes);
    const uint64_t n_header = n_bytes >= 8 ? plain_number(bytes, 8) : UINT64_MAX;
    assert_true(n_header <= n_bytes - 8);
    file->header =
        owned(json_loadb((const char *)bytes + 8, (size_t)n_header, 0, NULL), drop_header);
    file->data = bytes + 8 + n_header;
    file->n_data = n_bytes - 8 - (size_t)n_header;
}

static json_t *find(const struct sample *sample, const char *key)
{
    char name[96];
    snprintf(name, sizeof name, "%s.%s", sample->name, key);
    return json_object_get(sample->file->header, name);
}

static double number_of(const uint8_t *bytes, const char *type)
{
    if (strcmp(type, "F32") == 0)
        return plain_f32(bytes);
    if (strcmp(type, "F16") == 0)
        return plain_f16((uint32_t)plain_number(bytes, 2));
    if (strcmp(type, "BF16") == 0) /* the upper half of an F32 */
        return plain_f32((const uint8_t[]){0, 0, bytes[0], bytes[1]});
    assert_string_equal(type, "I64");
    return (double)(int64_t)plain_number(bytes, 8);
}

double *sample_numbers(const struct sample *sample, const char *key, size_t *n)
{
    json_int_t begin, end;
    const char *type;
    json_t *tensor = find(sample, key);
    if (tensor == NULL)
        return NULL;
    assert_int_equal(
        json_unpack(tensor, "{s:s, s:[I, I]}", "dtype", &type, "data_offsets", &begin, &end), 0);
    assert_true(begin >= 0 && begin <= end && (uint64_t)end <= sample->file->n_data);
    const size_t n_each = type[0] == 'I' ? 8 : type[1] == '3' ? 4 : 2;
    *n = (size_t)(end - begin) / n_each;
    double *numbers = new_doubles(*n);
    for (size_t i = 0; i < *n; i++)
        numbers[i] = number_of(sample->file->data + (size_t)begin + i * n_each, type);
    return numbers;
}

void sample_read(struct sample *sample)
{
    json_int_t rows, cols;
    size_t n;
    assert_int_equal(json_unpack(find(sample, "input_ids"), "{s:[I, I]}", "shape", &rows, &cols),
                     0);
    const double *ids = sample_numbers(sample, "input_ids", &n),
                 *mask = sample_numbers(sample, "attention_mask", &n),
                 *types = sample_numbers(sample, "token_type_ids", &n);
    if (mask == NULL || types == NULL)
        fail_msg("%s lacks attention_mask or token_type_ids", sample->name);
    sample->n = (size_t)rows;
    sample->len = (size_t)cols;
    assert_true(sample->n > 0 && sample->n <= SAMPLE_ROWS && n == sample->n * sample->len);
    int32_t *numbers = new_bytes(2 * n * sizeof *numbers);
    uint8_t *bits = new_bytes(n);
    for (size_t i = 0; i < n; i++) {
        numbers[i] = (int32_t)ids[i];
        numbers[n + i] = (int32_t)types[i];
        bits[i] = (uint8_t)mask[i];
    }
    for (size_t i = 0, at = 0; i < sample->n; i++, at += sample->len)
        sample->inputs[i] = (engine_input){.ids = numbers + at,
                                           .types = numbers + n + at,
                                           .mask = bits + at,
                                           .n_ids = sample->len};
}
