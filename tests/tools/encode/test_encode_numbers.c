/* tags: numbers */
/* The numbers that encode writes: JSON and CSV have the bits of .npy, each --type has what it
 * should of the float32 rows, NumPy reads the arrays, and archives are as SciPy reads them.
 * tests/cli/ has what the programs print. */
#include "tests/tools/encode/head_models.h"
#include "tests/tools/encode/npy_values.h"

#include "engine/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SET_UP()
{
    shell_setup();
    head_models_write();
}

/* ---- JSON and CSV ---- */

TEST(json_numbers_are_the_same_bits)
{
    struct values values;
    encode_npy(&values, "'I ride bike' dog");
    const char *next = shell_expect(0, "$ENCODE -f json 'I ride bike' dog")->out;
    for (size_t text = 0, i = 0; text < 2; text++) {
        size_t n = (text == 0 ? 5 : 3) * TOY_WIDTH;
        next = strstr(next, "\"vectors\": [[");
        assert_non_null(next);
        next += strlen("\"vectors\": [[");
        for (size_t k = 0; k < n; k++, i++) {
            char *end;
            float value = strtof(next, &end);
            assert_ptr_not_equal(end, next);
            assert_memory_equal(&value, &values.data[i], sizeof value);
            next = end + strspn(end, "], [");
        }
    }
}

TEST(csv_numbers_are_the_same_bits)
{
    struct values values;
    encode_npy(&values, "-p max 'I ride bike' dog");
    char *next = shell_expect(0, "$ENCODE -p max -f csv 'I ride bike' dog")->out;
    assert_contains(next, "index,text,pair,v0,v1,v2,v3,v4,v5,v6,v7\r\n0,I ride bike,,");
    next = strchr(next, '\n');
    for (size_t i = 0; i < 2; i++) {
        for (size_t column = 0; column < 3; column++)
            next = strchr(next + 1, ',');
        for (size_t k = 0; k < TOY_WIDTH; k++) {
            float value = strtof(next + 1, &next);
            assert_memory_equal(&value, &row(&values, i)[k], sizeof value);
        }
        assert_memory_equal(next, "\r\n", 2);
    }
}

/* ---- Types ---- */

/* Rows of the toy model (width 8), cut to some columns: as many as fill bytes, one, and others. */
static const size_t WIDTHS[] = {8, 1, 3, 7};
enum { N_WIDTHS = sizeof WIDTHS / sizeof WIDTHS[0], N_TEXTS = 3 };
static const char TEXTS[] = "'I ride bike' dog 'the cat'";

static void rows_of_width(struct values *values, size_t width)
{
    char arguments[128];
    sprintf(arguments, "-p mean --dimensions %zu %s", width, TEXTS);
    encode_npy(values, arguments);
    assert_int_equal(values->n_rows, N_TEXTS);
    assert_int_equal(values->width, width);
}

/* Returns what follows the header, which names the type and the shape. */
static const char *typed_rows(const char *type, size_t width, const char *descr, const char *shape,
                              size_t n_bytes)
{
    char expected[NPY_HEADER + 1], dict[NPY_HEADER];
    const struct shell_result *result =
        shell_expect(0, "$ENCODE -p mean -f npy --type %s --dimensions %zu %s", type, width, TEXTS);
    sprintf(dict, "{'descr': %s, 'fortran_order': False, 'shape': (%s), }", descr, shape);
    sprintf(expected, "%-117s\n", dict);
    assert_true(result->out_len == NPY_HEADER + n_bytes);
    assert_memory_equal(result->out, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_memory_equal(result->out + 10, expected, NPY_HEADER - 10);
    return result->out + NPY_HEADER;
}

/* Returns the nearest number of 10 bits after the point, or the nearest multiple of 2^-24. */
static double nearest_half(double value)
{
    int exponent;
    frexp(value, &exponent);
    double unit = ldexp(1, exponent < -13 ? -24 : exponent - 11);
    return nearbyint(value / unit) * unit;
}

static double half_value(const char *bytes)
{
    unsigned bits = (unsigned char)bytes[0] | (unsigned)(unsigned char)bytes[1] << 8;
    int exponent = bits >> 10 & 31;
    double magnitude = ldexp((bits & 1023) + (exponent ? 1024 : 0), exponent ? exponent - 25 : -24);
    return bits >> 15 ? -magnitude : magnitude;
}

TEST(f16_is_the_nearest)
{
    for (size_t i = 0; i < N_WIDTHS; i++) {
        struct values values;
        char shape[32];
        rows_of_width(&values, WIDTHS[i]);
        sprintf(shape, "%d, %zu", N_TEXTS, WIDTHS[i]);
        const char *bytes = typed_rows("f16", WIDTHS[i], "'<f2'", shape, N_TEXTS * WIDTHS[i] * 2);
        for (size_t at = 0; at < N_TEXTS * WIDTHS[i]; at++)
            assert_true(half_value(bytes + 2 * at) == nearest_half((double)values.data[at]));
    }
}

TEST(int8_has_a_scale_for_each_row)
{
    for (size_t i = 0; i < N_WIDTHS; i++) {
        const size_t width = WIDTHS[i];
        struct values values;
        char descr[64];
        rows_of_width(&values, width);
        sprintf(descr, "[('scale', '<f4'), ('values', '|i1', (%zu,))]", width);
        const char *bytes = typed_rows("int8", width, descr, "3,", N_TEXTS * (4 + width));
        for (size_t at = 0; at < N_TEXTS; at++, bytes += 4 + width) {
            float scale, largest = 0;
            memcpy(&scale, bytes, sizeof scale);
            for (size_t column = 0; column < width; column++)
                largest = fmaxf(largest, fabsf(row(&values, at)[column]));
            assert_true(scale == largest / 127);
            for (size_t column = 0; column < width; column++) {
                double error = (double)row(&values, at)[column] -
                               (double)scale * (double)(signed char)bytes[4 + column];
                assert_true(fabs(error) <= 0.5001 * (double)scale); /* half a step, and roundings */
            }
        }
    }
}

TEST(binary_has_signs)
{
    for (size_t i = 0; i < N_WIDTHS; i++) {
        const size_t n_bytes = (WIDTHS[i] + 7) / 8;
        struct values values;
        char shape[32];
        rows_of_width(&values, WIDTHS[i]);
        sprintf(shape, "%d, %zu", N_TEXTS, n_bytes);
        const char *bytes = typed_rows("binary", WIDTHS[i], "'|u1'", shape, N_TEXTS * n_bytes);
        for (size_t at = 0; at < N_TEXTS; at++)
            for (size_t bit = 0; bit < 8 * n_bytes; bit++)
                assert_int_equal(bytes[at * n_bytes + bit / 8] >> (7 - bit % 8) & 1,
                                 bit < WIDTHS[i] && row(&values, at)[bit] > 0);
    }
}

/* NumPy's own reading and rounding. */
TEST(numpy_agrees)
{
    if (shell("/usr/bin/python3 -c 'import numpy'")->code != 0) {
        print_message("skipped: numpy is not here\n");
        skip();
    }
    shell_expect(0,
                 "for d in 8 1 3 7; do for t in f32 f16 int8 binary; do\n"
                 "$ENCODE -p mean -f npy --type $t --dimensions $d -o $d.$t.npy %s ''\n"
                 "done; done; $ENCODE --type int8 --pad-to 6 -f npy -o tokens.npy %s",
                 TEXTS, TEXTS);
    shell_expect(0, "/usr/bin/python3 - <<'END'\n"
                    "import numpy as np\n"
                    "for d in 8, 1, 3, 7:\n"
                    "    f32, f16, int8, bits = (np.load(f'{d}.{t}.npy') for t in ('f32', 'f16', "
                    "'int8', 'binary'))\n"
                    "    assert f32.shape == (4, d) and f16.dtype == np.float16\n"
                    "    assert np.array_equal(f16, f32.astype(np.float16))\n"
                    "    assert np.array_equal(bits, np.packbits(f32 > 0, axis=-1))\n"
                    "    assert int8.dtype == [('scale', '<f4'), ('values', 'i1', (d,))]\n"
                    "    scale = (abs(f32).max(axis=1) / np.float32(127)).astype(np.float32)\n"
                    "    assert np.array_equal(int8['scale'], scale)\n"
                    "    exact = f32.astype(float) / np.where(scale == 0, 1, scale)[:, None]\n"
                    "    assert (abs(int8['values'] - exact) < 0.5001).all()\n"
                    "assert np.load('tokens.npy')['values'].shape == (3, 6, 8)\n"
                    "END");
}

/* ---- Archives ---- */

static uint64_t number(const char *bytes, size_t n)
{
    uint64_t value = 0;
    for (size_t i = n; i-- > 0;)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

static uint32_t crc32_of(const char *bytes, size_t n)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

/* Returns the bytes after the header of an array in the archive, whose sizes have 64 bits. Checks
 * the checksum and the header. */
static const char *array_of(const struct shell_result *archive, const char *name,
                            const char *header)
{
    const char *at = archive->out;
    while (number(at, 4) == 0x04034B50) {
        size_t name_len = number(at + 26, 2), extra_len = number(at + 28, 2);
        const char *extra = at + 30 + name_len, *bytes = extra + extra_len;
        size_t n = number(extra + 4, 8);
        assert_int_equal(number(extra, 4), 1 | 16 << 16);
        assert_int_equal(number(extra + 12, 8), n);
        if (strncmp(at + 30, name, name_len) == 0 && strlen(name) == name_len) {
            assert_int_equal(crc32_of(bytes, n), number(at + 14, 4));
            assert_memory_equal(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
            assert_memory_equal(bytes + 10, header, strlen(header));
            return bytes + NPY_HEADER;
        }
        at = bytes + n;
    }
    fail_msg("no %s", name);
    return NULL;
}

/* Checks the directory at the end: the number of files, and their offsets. */
static void check_directory(const struct shell_result *archive, size_t n_files)
{
    const char *end = archive->out + archive->out_len - 22;
    const char *whole = archive->out + number(end - 20 + 8, 8);
    assert_int_equal(number(end, 4), 0x06054B50);
    assert_int_equal(number(end + 10, 2), n_files);
    assert_int_equal(number(whole, 4), 0x06064B50);
    assert_int_equal(number(whole + 32, 8), n_files);
    assert_ptr_equal(whole, archive->out + number(whole + 48, 8) + number(whole + 40, 8));
    const char *entry = archive->out + number(whole + 48, 8);
    for (size_t i = 0; i < n_files; i++) {
        size_t name_len = number(entry + 28, 2), extra_len = number(entry + 30, 2);
        const char *extra = entry + 46 + name_len;
        assert_int_equal(number(entry, 4), 0x02014B50);
        assert_int_equal(number(archive->out + number(extra + 20, 8), 4), 0x04034B50);
        entry = extra + extra_len;
    }
    assert_ptr_equal(entry, whole);
}

/* The array that scipy.sparse.load_npz reads: weights of each text in the order of ids. */
TEST(weights_as_a_csr_matrix)
{
    const struct shell_result *archive =
        shell_expect(0, "$ENCODE -m lexical.emb -p sparse -f npz 'cat dog' bad dog");
    const float data[] = {2, 0.5f, 2};
    const int32_t indices[] = {4, 5, 4};
    const int64_t starts[] = {0, 2, 2, 3}, shape[] = {3, 14};
    check_directory(archive, 5);
    assert_memory_equal(array_of(archive, "data.npy",
                                 "{'descr': '<f4', 'fortran_order': False, "
                                 "'shape': (3,), }"),
                        data, sizeof data);
    assert_memory_equal(array_of(archive, "indices.npy",
                                 "{'descr': '<i4', 'fortran_order': False, "
                                 "'shape': (3,), }"),
                        indices, sizeof indices);
    assert_memory_equal(array_of(archive, "indptr.npy",
                                 "{'descr': '<i8', 'fortran_order': False, "
                                 "'shape': (4,), }"),
                        starts, sizeof starts);
    assert_memory_equal(array_of(archive, "shape.npy",
                                 "{'descr': '<i8', 'fortran_order': False, "
                                 "'shape': (2,), }"),
                        shape, sizeof shape);
    assert_memory_equal(array_of(archive, "format.npy",
                                 "{'descr': '|S3', 'fortran_order': False, "
                                 "'shape': (), }"),
                        "csr", 3);
}

/* engine_rank uses the file's prompts also if the pooling is named in the options. */
TEST(ranks_by_name)
{
    engine_model *model;
    engine_session *session;
    const engine_input cat = {.text = "cat", .text_len = 3}, stop = {.text = ".", .text_len = 1};
    engine_encode_options options = ENGINE_ENCODE_OPTIONS(.pooling = ENGINE_POOLING_COLBERT);
    const char *prompt;
    size_t len;
    float own, named;
    assert_int_equal(engine_model_open("colbert.emb", NULL, &model, NULL), 0);
    assert_int_equal(engine_session_new(model, NULL, &session, NULL), 0);
    assert_int_equal(engine_rank(session, &cat, &stop, 1, NULL, &own), 0);
    assert_int_equal(engine_rank(session, &cat, &stop, 1, &options, &named), 0);
    assert_float_equal(own, 2.6, 1e-6);
    assert_float_equal(named, own, 0);
    assert_int_equal(engine_prompt(model, &options, &prompt, &len, NULL), 0);
    assert_int_equal(len, strlen("bad "));
    engine_session_free(session);
    engine_model_close(model);
}
