/* tags: numbers aarch64 */
/* Element types and layouts: binary16 and bfloat16 against their definition in double, int8 within
 * half a scale, both layouts against the reference decoder of weights/FORMAT.md, and sizes against
 * 128-bit arithmetic. */
#include "engine/plain/weights.h"
#include "tests/model/plain.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- binary16, bfloat16 ---- */

/* The nearest number of `digits` significant bits, ties to even; fixed steps below 2^lowest,
 * infinity from 2^above on. rint rounds to even. */
static double rounded(double x, int digits, int lowest, int above)
{
    if (x == 0 || isinf(x))
        return x;
    int exponent = ilogb(x) < lowest ? lowest : ilogb(x);
    double step = ldexp(1, exponent - digits + 1), nearest = rint(x / step) * step;
    return fabs(nearest) >= ldexp(1, above) ? copysign((double)INFINITY, x) : nearest;
}

static void check_f16(float x)
{
    double expected = rounded((double)x, 11, -14, 16);
    uint16_t half = f32_to_f16(x);
    double got = plain_f16(half);
    if (isnan(x) ? !isnan(got) : !(got == expected && !signbit(got) == !signbit(expected)))
        fail_msg("f16 of %.9g: %.9g, expected %.9g", (double)x, got, expected);
}

static void check_bf16(float x)
{
    double expected = rounded((double)x, 8, -126, 128);
    double got = (double)float_of((uint32_t)f32_to_bf16(x) << 16);
    if (isnan(x) ? !isnan(got) : !(got == expected && !signbit(got) == !signbit(expected)))
        fail_msg("bf16 of %.9g: %.9g, expected %.9g", (double)x, got, expected);
}

TEST(all_halves)
{
    for (uint32_t half = 0; half < 0x10000; half++) {
        float value = f16_to_f32((uint16_t)half);
        double expected = plain_f16(half);
        assert_true(!signbit(value) == !(half & 0x8000));
        if (isnan(expected)) {
            assert_true(isnan(value) && isnan(f16_to_f32(f32_to_f16(value))));
        } else {
            assert_true((double)value == expected);
            assert_int_equal(f32_to_f16(value), half);
        }
        value = bf16_to_f32((uint16_t)half);
        /* What i386 gives floats back in makes a NaN quiet. */
        const uint32_t quiet = isnan(value) ? 0x400000 : 0;
        assert_int_equal(bits_of(value) | quiet, half << 16 | quiet);
        if (isnan(value))
            assert_true(isnan(bf16_to_f32(f32_to_bf16(value))));
        else
            assert_int_equal(f32_to_bf16(value), half);
    }
}

/* Half way between neighbours, and a float to either side of it: every possible tie. */
TEST(ties)
{
    for (uint32_t half = 0; half < 0x7F80; half++) {
        double low = plain_f16(half), high = half + 1 < 0x7C00 ? plain_f16(half + 1) : 65536;
        for (int sign = -1; sign <= 1 && half < 0x7C00; sign += 2) {
            float middle = (float)(sign * (low + high) / 2);
            assert_true((double)middle == sign * (low + high) / 2);
            check_f16(middle);
            check_f16(nextafterf(middle, INFINITY));
            check_f16(nextafterf(middle, -INFINITY));
        }
        for (uint32_t sign = 0; sign < 2; sign++)
            for (uint32_t middle = 0x7FFF; middle <= 0x8001; middle++)
                check_bf16(float_of(sign << 31 | half << 16 | middle));
    }
}

TEST(many_floats)
{
    static const float special[] = {
        0.0f,    -0.0f,        INFINITY, -INFINITY,  FLT_MAX,         -FLT_MAX,
        FLT_MIN, FLT_TRUE_MIN, 65504,    65519.996f, 65520,           65535,
        65536,   0x1p-14f,     0x1p-24f, 0x1p-25f,   0x1.000002p-25f, 0x1.fffffep-15f};
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        check_f16(special[i]);
        check_bf16(special[i]);
    }
    for (size_t i = 0; i < 500000; i++) {
        float any = float_of((uint32_t)support_random(&state)); /* NaN among them */
        check_f16(any);
        check_bf16(any);
        check_f16((float)ldexp(random_within(&state, 1), (int)support_below(&state, 44) - 27));
    }
}

/* A NaN stays a NaN with any of its bits set, also if only bits that are cut off are set. */
TEST(nan)
{
    for (unsigned bit = 0; bit < 23; bit++) {
        for (uint32_t sign = 0; sign < 2; sign++) {
            float nan = float_of(sign << 31 | 0x7F800000u | 1u << bit);
            assert_true(isnan(f16_to_f32(f32_to_f16(nan))));
            assert_true(isnan(bf16_to_f32(f32_to_bf16(nan))));
            nan = float_of(sign << 31 | 0x7F800000u | ((2u << bit) - 1)); /* and all below it */
            assert_true(isnan(f16_to_f32(f32_to_f16(nan))));
            assert_true(isnan(bf16_to_f32(f32_to_bf16(nan))));
        }
    }
}

/* ---- matrices ---- */

static const enum tensor_type types[] = {TENSOR_F32, TENSOR_F16, TENSOR_BF16, TENSOR_INT8};

/* What an element may be off after its type's rounding; int8: half a scale, and the quotient's
 * rounding of up to 127 halves of 2^-23. */
static double tolerance(enum tensor_type type, double value, double largest_of_row)
{
    switch (type) {
    case TENSOR_F32: return 0;
    case TENSOR_F16: return fmax(fabs(value) * 0x1p-11, 0x1p-25);
    case TENSOR_BF16: return fabs(value) * 0x1p-8;
    default: break;
    }
    return largest_of_row / 127 * (0.5 + 2 * 127 * 0x1p-24);
}

static void check_decoded(const struct stored *stored, const float *values, const double *decoded)
{
    size_t rows = stored->matrix.rows, cols = stored->matrix.cols;
    for (size_t n = 0; n < rows; n++) {
        double largest = 0;
        for (size_t k = 0; k < cols; k++)
            largest = fmax(largest, fabs((double)values[n * cols + k]));
        for (size_t k = 0; k < cols; k++) {
            double value = (double)values[n * cols + k], got = decoded[n * cols + k];
            if (!(fabs(got - value) <= tolerance(stored->matrix.type, value, largest)))
                fail_msg("type %d, [%zu, %zu] (%zu, %zu): %.9g of %.9g, row's largest %.9g",
                         (int)stored->matrix.type, rows, cols, n, k, got, value, largest);
        }
    }
}

/* What the engine reads back, panel by panel, is what the reference decoder reads, rounded once;
 * rows that are not there are zeros. */
static void check_panels(const struct stored *stored, const double *decoded)
{
    size_t rows = stored->matrix.rows, cols = stored->matrix.cols;
    float *panel = new_floats(cols * PANEL);
    for (size_t j = 0; j < (rows + PANEL - 1) / PANEL; j++) {
        fill_untouched(panel, cols * PANEL);
        matrix_panel(&stored->matrix, j, panel);
        for (size_t k = 0; k < cols; k++) {
            for (size_t i = 0; i < PANEL; i++) {
                size_t n = j * PANEL + i;
                assert_true(panel[k * PANEL + i] == (n < rows ? (float)decoded[n * cols + k] : 0));
            }
        }
    }
}

static void check_rows(const struct stored *stored, const double *decoded)
{
    size_t rows = stored->matrix.rows, cols = stored->matrix.cols;
    float *row = new_floats(cols);
    for (size_t n = 0; n < rows; n++) {
        fill_untouched(row, cols);
        matrix_piece(&stored->matrix, n, 0, cols, row);
        for (size_t k = 0; k < cols; k++)
            assert_true(row[k] == (float)decoded[n * cols + k]);
    }
}

static void check_matrix(enum tensor_type type, const float *values, size_t rows, size_t cols)
{
    double *decoded[2];
    for (int layout = LAYOUT_ROWS; layout <= LAYOUT_PANELS; layout++) {
        struct stored stored = store_matrix(type, (enum tensor_layout)layout, values, rows, cols);
        decoded[layout] = new_doubles(rows * cols);
        struct plain_tensor tensor = {.type = (enum plain_type)type,
                                      .layout = (enum plain_layout)layout,
                                      .rows = rows,
                                      .cols = cols,
                                      .n_bytes = stored.n_bytes,
                                      .values = decoded[layout]};
        assert_true(plain_decode(&tensor, stored.bytes));
        check_decoded(&stored, values, decoded[layout]);
        check_panels(&stored, decoded[layout]);
        if (layout == LAYOUT_ROWS)
            check_rows(&stored, decoded[layout]);
    }
    assert_memory_equal(decoded[0], decoded[1], rows * cols * sizeof **decoded);
}

TEST(matrices)
{
    static const size_t cols[] = {1, 2, 3, 4, 5, 7, 15, 16, 17, 26, 63, 64, 65, 70, 129};
    uint64_t state = 2;
    for (size_t t = 0; t < 4; t++) {
        for (size_t c = 0; c < sizeof cols / sizeof *cols; c++) {
            for (size_t rows = 1; rows <= 35; rows++) {
                float *values = random_floats(&state, rows * cols[c], rows % 2 == 0 ? 0.1 : 300);
                for (size_t k = 0; k < cols[c] && rows > 2; k++)
                    values[cols[c] + k] = 0; /* a row of zeros */
                check_matrix(types[t], values, rows, cols[c]);
            }
        }
    }
}

/* Rows of every size, down to those whose scale is a subnormal of few digits. */
TEST(int8_of_any_size)
{
    enum { COLS = 37 };
    uint64_t state = 3;
    for (int i = 0; i < 10 * 277; i++) {
        struct largest largest = {0};
        float values[COLS], scale;
        int8_t stored[COLS];
        for (size_t k = 0; k < COLS; k++)
            values[k] = (float)ldexp(random_within(&state, 1), i / 10 - 149);
        matrix_encode(TENSOR_INT8, LAYOUT_ROWS, values, 1, COLS, false, stored, &scale);
        for (size_t k = 0; k < COLS; k++) {
            double value = (double)values[k], got = stored[k] * (double)scale;
            note_error(&largest, fabs(got - value) - (0.5 + 127 * 0x1p-24) * (double)scale, got,
                       value, (double)scale);
            assert_true(stored[k] > -128);
        }
        if (!(largest.error <= 0))
            fail_msg("%.9g of %.9g, scale %.9g", largest.got, largest.expected, largest.at);
    }
}

/* ---- sizes ---- */

/* Twice as wide as size_t. */
#if SIZE_MAX > UINT32_MAX
__extension__ typedef unsigned __int128 wide;
#else
typedef uint64_t wide;
#endif
enum { HALF = 4 * sizeof(size_t) }; /* of its bits */

/* weights/FORMAT.md, "Tensor directory". */
static wide bytes_by_format(enum tensor_type type, enum tensor_layout layout, size_t rows,
                            size_t cols)
{
    const unsigned element = type == TENSOR_F32 ? 4 : type >= TENSOR_INT8 ? 1 : 2;
    const wide n_factors = ((wide)cols + 15) / 16 * 16;
    wide n = rows, k = cols;
    if (n >> HALF != 0 && k >> HALF != 0) /* more than there is, and soon more than is wide */
        return n * (k >> 2);
    if (layout == LAYOUT_PANELS) {
        n = (n + 15) / 16 * 16;
        k = type >= TENSOR_INT8 ? (k + 3) / 4 * 4 : k;
    }
    wide bytes = n * k * element;
    if (type >= TENSOR_INT8)
        bytes = (bytes + 63) / 64 * 64 + 4 * n;
    if (type > TENSOR_INT8)
        bytes += 4 * n + 4 * n_factors;
    return type == TENSOR_INT8K ? bytes + 64 + 4 * KEPT * n : bytes;
}

/* Exact, or 0 where the number is too large to be of use. */
static void check_bytes(size_t rows, size_t cols)
{
    for (enum tensor_type type = TENSOR_F32; type <= TENSOR_INT8K; type++) {
        for (int layout = LAYOUT_ROWS; layout <= LAYOUT_PANELS; layout++) {
            size_t got = tensor_bytes(type, (enum tensor_layout)layout, rows, cols);
            wide expected = bytes_by_format(type, (enum tensor_layout)layout, rows, cols);
            bool exists = rows > 0 && cols >= (type == TENSOR_INT8K ? KEPT : 1) &&
                          (type <= TENSOR_INT8 || layout == LAYOUT_PANELS);
            if (got == 0 ? expected <= SIZE_MAX / 16 && exists : got != expected)
                fail_msg("type %d, layout %d, [%zu, %zu]: %zu bytes", (int)type, layout, rows, cols,
                         got);
        }
    }
}

TEST(bytes)
{
    const size_t root = (size_t)1 << HALF, most = SIZE_MAX;
    const size_t around[] = {0,        1,        root / 2, root,     most / 64, most / 16,
                             most / 8, most / 5, most / 4, most / 2, most - 16, most};
    enum { N = sizeof around / sizeof *around };
    uint64_t state = 4;
    for (size_t rows = 1; rows <= 70; rows++)
        for (size_t cols = 1; cols <= 70; cols++)
            check_bytes(rows, cols);
    for (size_t i = 0; i < N * N; i++)
        for (size_t d = 0; d < 9; d++)
            check_bytes(around[i / N] + d / 3 - 1, around[i % N] + d % 3 - 1);
    for (size_t i = 0; i < 200000; i++) {
        size_t rows = (size_t)(support_random(&state) >> support_below(&state, 64));
        check_bytes(rows, (size_t)(support_random(&state) >> support_below(&state, 64)));
        check_bytes(rows, 1 + support_below(&state, 5));
    }
    assert_int_equal(tensor_bytes((enum tensor_type)0, LAYOUT_ROWS, 4, 4), 0);
    assert_int_equal(tensor_bytes((enum tensor_type)8, LAYOUT_PANELS, 4, 4), 0);
    assert_int_equal(tensor_bytes(TENSOR_INT8K, LAYOUT_PANELS, 4, KEPT - 1), 0);
    assert_int_equal(tensor_bytes(TENSOR_INT8A8, LAYOUT_ROWS, 4, 4), 0);
    assert_int_equal(tensor_bytes(TENSOR_INT8A7, LAYOUT_ROWS, 4, 4), 0);
    assert_int_equal(tensor_bytes(TENSOR_F32, (enum tensor_layout)2, 4, 4), 0);
    assert_int_equal(tensor_bytes(TENSOR_F32, LAYOUT_PANELS, SIZE_MAX / 8, SIZE_MAX / 8), 0);
}

/* After the scales of int8a8 and int8a7 as many sums, then a factor for each column; decoded, an
 * element has its factor in it. After the factors of int8k the columns that it keeps as they are.
 */
TEST(factors)
{
    uint64_t state = 4;
    for (size_t rows = 1; rows <= 35; rows += 2)
        for (size_t cols = 1; cols <= 37; cols += 3)
            for (int type = TENSOR_INT8A8; type <= TENSOR_INT8K; type++) {
                if (type == TENSOR_INT8K && cols < KEPT)
                    continue;
                float *values = random_floats(&state, rows * cols, 1), panel[37 * PANEL];
                struct stored stored =
                    store_matrix((enum tensor_type)type, LAYOUT_PANELS, values, rows, cols);
                const struct matrix *matrix = &stored.matrix;
                size_t bytes = tensor_bytes((enum tensor_type)type, LAYOUT_PANELS, rows, cols);
                const float *end = matrix->factors + (cols + 15) / 16 * 16;
                if (type == TENSOR_INT8K) {
                    assert_ptr_equal(matrix->kept_panels, end + 16);
                    end += 16 + KEPT * ((rows + 15) / 16 * 16);
                }
                assert_ptr_equal(end, (const char *)stored.bytes + bytes);
                assert_ptr_equal(matrix->column_sums + (rows + 15) / 16 * 16, matrix->factors);
                assert_int_equal(matrix->type, TENSOR_INT8);
                assert_int_equal(matrix->rounding,
                                 type == TENSOR_INT8A7 ? ROUND_7_BITS : ROUND_8_BITS);
                for (size_t n = 0; n < rows; n++) {
                    double sum = 0;
                    matrix_panel(matrix, n / PANEL, panel);
                    for (size_t k = 0; k < cols; k++) {
                        double got = (double)panel[k * PANEL + n % PANEL];
                        double step = (double)matrix->scales[n] * (double)matrix->factors[k];
                        sum += step > 0 ? got / step : 0;
                        assert_true(fabs(got - (double)values[n * cols + k]) <= 0.5001 * step);
                    }
                    assert_true(fabs(sum - matrix->column_sums[n]) < 1e-2);
                }
            }
}

/* Memory of n pieces of 1 MiB that are one piece, all -128. */
static int8_t *map_pieces(size_t n)
{
    enum { PIECE = 1 << 20 };
    int file = memfd_create("piece", 0);
    assert_true(file >= 0 && ftruncate(file, PIECE) == 0);
    char *all = mmap(NULL, n * PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(all != MAP_FAILED);
    for (size_t i = 0; i < n; i++)
        assert_true(mmap(all + i * PIECE, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                         file, 0) != MAP_FAILED);
    memset(all, -128, PIECE);
    close(file);
    return (int8_t *)all;
}

/* The sums of 2^24 + 65,536 columns are below -2^31: they count modulo 2^32. UBSan sees a sum that
 * wraps without meaning to. */
TEST(sums_of_rows_that_are_too_wide)
{
    const size_t cols = (1u << 24) + (1u << 16), n_pieces = cols * PANEL >> 20;
    int8_t *panel = map_pieces(n_pieces);
    int32_t sums[PANEL];
    panel_sums(panel, cols, sums);
    for (size_t n = 0; n < PANEL; n++)
        assert_int_equal(sums[n], INT32_MAX - 128 * (1 << 16) + 1);
    munmap(panel, n_pieces << 20);
}

/* With in_pairs no two neighbours add up to more than 128; the sum of two 3e38 is no float. */
TEST(pairs)
{
    enum { WIDTH = 66 };
    const float sizes[] = {1e-3f, 1, 3e38f};
    uint64_t state = 9;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int in_pairs = 0; in_pairs < 2; in_pairs++) {
            float values[PANEL * WIDTH], scales[PANEL];
            int8_t stored[PANEL * (WIDTH + 2)];
            int largest = 0;
            for (size_t i = 0; i < PANEL * WIDTH; i++)
                values[i] = (float)random_within(&state, 1) * sizes[s];
            matrix_encode(TENSOR_INT8K, LAYOUT_PANELS, values, PANEL, WIDTH, in_pairs, stored,
                          scales);
            for (size_t i = 0; i < sizeof stored; i += 2)
                largest = (int)fmax(largest, abs(stored[i] + stored[i + 1]));
            assert_true(in_pairs ? largest > 100 && largest <= 128 : largest > 200);
        }
}
