/* -f npy --type: each element type against what it should hold of the float32 rows, which the same
 * command without --type gives. */
#include "tests/tools/encode/head_models.h"
#include "tests/tools/encode/npy_values.h"
#include "tests/weight_surgery.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

SET_UP()
{
    shell_setup();
    head_models_write();
}

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

/* What stands behind the header, which names the type and the shape. */
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

TEST(f32_is_the_default)
{
    shell_expect(0, "$ENCODE -p mean -f npy --type f32 %s >a && $ENCODE -p mean -f npy %s | cmp a",
                 TEXTS, TEXTS);
}

/* The nearest number of 10 bits behind the point, or of those that have 2^-24 for a unit. */
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

/* An empty text's vector is zeros: its scale is 0, and no bit is set. */
TEST(rows_of_zeros)
{
    static const char zeros[16];
    static const size_t lens[] = {16, 12, 1};
    static const char *const types[] = {"f16", "int8", "binary"};
    for (size_t i = 0; i < 3; i++) {
        const struct shell_result *result =
            shell_expect(0, "$ENCODE -p mean --no-special -f npy --type %s ''", types[i]);
        assert_int_equal(result->out_len, NPY_HEADER + lens[i]);
        assert_memory_equal(result->out + NPY_HEADER, zeros, lens[i]);
    }
}

/* No text, and rows of tokens, padded or not; into a pipe, a file, and behind what is there. */
TEST(shapes)
{
    static const struct {
        const char *arguments, *descr, *shape;
        size_t n_bytes;
    } cases[] = {
        {"-p mean --type f16 </dev/null", "'<f2'", "0, 8", 0},
        {"-p mean --type int8 </dev/null", "'|i1', (8,))]", "0,", 0},
        {"-p mean --type binary </dev/null", "'|u1'", "0, 1", 0},
        {"--no-special --type int8 'I ride' dog", "'|i1', (8,))]", "3,", 36},
        {"--no-special --type binary 'I ride' dog", "'|u1'", "3, 1", 3},
        {"--no-special --type int8 --pad-to 4 'I ride' dog", "'|i1', (8,))]", "2, 4", 96},
        {"--no-special --type f16 --pad-to 4 'I ride' dog", "'<f2'", "2, 4, 8", 128},
        {"--no-special --type binary --pad-to 4 'I ride' dog", "'|u1'", "2, 4, 1", 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct shell_result *result =
            shell_expect(0,
                         "$ENCODE -f npy -o file.npy %s\n$ENCODE -f npy %s | cat >pipe.npy\n"
                         "cmp file.npy pipe.npy && cat file.npy",
                         cases[i].arguments, cases[i].arguments);
        char shape[64];
        sprintf(shape, "'shape': (%s), }", cases[i].shape);
        assert_int_equal(result->out_len, NPY_HEADER + cases[i].n_bytes);
        assert_contains(result->out + 10, cases[i].descr);
        assert_contains(result->out + 10, shape);
    }
}

TEST(numbers_that_a_type_cannot_hold)
{
    shell_expect(0, "cp bare.emb large.emb && cp bare.emb none.emb");
    put_number("large.emb", "embedding.token.weight", 4 * 14 + 4, 65519.0F); /* of dog */
    put_number("large.emb", "embedding.token.weight", 5 * 14 + 5, -65520.0F);
    put_number("none.emb", "embedding.token.weight", 4 * 14 + 4, NAN);
    shell_expect(0, "$ENCODE -m large.emb --no-special -p mean -f npy --type f16 dog");
    assert_contains(
        shell_expect(1, "printf 'dog\\ncat\\n' | $ENCODE -m large.emb --no-special -p mean -f npy "
                        "--type f16 -o l.npy")
            ->err,
        "encode: line 2 of stdin has a number beyond 65504, the largest of --type f16: f32 holds");
    /* One among others, of a text or of a token, is left out if that is asked for. */
    for (const char *pooling = "mean\0none\0"; *pooling; pooling += strlen(pooling) + 1) {
        assert_contains(
            shell_expect(0,
                         "printf 'dog\ncat\ndog I\n' | $ENCODE -m large.emb --no-special -p %s "
                         "-f npy --type f16 --on-error skip -o left.npy",
                         pooling)
                ->err,
            "1 of 3 texts was left out: see left.npy.left-out.jsonl");
        shell_expect(0,
                     "printf 'dog\ndog I\n' | $ENCODE -m large.emb --no-special -p %s -f npy "
                     "--type f16 | cmp - left.npy",
                     pooling);
        shell_expect(0, "grep -q '^{\"line\": 2, \"reason\": \"has a number beyond 65504, the' "
                        "left.npy.left-out.jsonl && grep -q '\"row\": 1, \"line\": 3' "
                        "left.npy.rows.jsonl");
    }
    /* Of a text in windows only they are; the text counts once. */
    assert_contains(
        shell_expect(0, "printf 'cat dog cat cat\nI\n' | $ENCODE -m large.emb --no-special -p mean "
                        "-f npy --type f16 --on-long chunk --max-tokens 1 --on-error skip "
                        "-o left.npy")
            ->err,
        "1 of 2 texts was left out: see left.npy.left-out.jsonl");
    assert_contains(shell_expect(0, "cut -c 1-24 left.npy.left-out.jsonl | tr '\n' ' '")->out,
                    "{\"line\": 1, \"window\": 0, {\"line\": 1, \"window\": 2, "
                    "{\"line\": 1, \"window\": 3, ");
    shell_expect(0, "test ! -e l.npy && $ENCODE -m large.emb -p mean -f npy --type int8 cat");
    for (const char *type = "f32\0f16\0int8\0binary\0"; *type; type += strlen(type) + 1)
        assert_contains(
            shell_expect(1, "$ENCODE -m none.emb --no-special -p mean -f npy --type %s dog", type)
                ->err,
            "text 1 gives NaN or an infinity");
}

TEST(type_is_of_arrays_of_vectors)
{
    assert_contains(shell_expect(2, "$ENCODE -p mean --type int8 I")->err,
                    "--type is that of the vectors of -f npy");
    assert_contains(shell_expect(2, "$ENCODE --tokens --pad-to 4 -f npy --type f16 I")->err,
                    "--type is that of vectors, which --tokens does not make");
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
