/* The files that encode-search reads: rows of each type are compared with double precision, and
 * archives with other contents are refused. tests/cli/search/ has what it prints, and
 * tests/fuzz/files/ any bytes. */
#include "tests/tools/encode/head_models.h"
#include "tests/tools/encode/npy_values.h"
#include "tests/tools/shell.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, NPY_HEAD = 128 };

SET_UP()
{
    shell_set_program("SEARCH", "encode-search");
    shell_setup();
    head_models_write();
}

/* A header of NumPy's format 1.0; the dict is padded to what it says. */
static size_t put_header(char out[NPY_HEAD], const char *dict)
{
    memset(out, ' ', NPY_HEAD);
    memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(out + 10, dict, strlen(dict));
    out[NPY_HEAD - 1] = '\n';
    return NPY_HEAD;
}

static void write_file(const char *path, const char *dict, const void *bytes, size_t n)
{
    char header[NPY_HEAD];
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(header, 1, put_header(header, dict), file), NPY_HEAD);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* ---- Types ---- */

static const struct {
    const char *name, *dict;
    double tolerance; /* of scores, from rounding the query's products in float32 */
} TYPES[] = {
    [ENGINE_F32] = {"f32", "{'descr': '<f4', 'fortran_order': False, 'shape': (300, 8), }", 1e-6},
    [ENGINE_F16] = {"f16", "{'shape': (300,8), 'descr':'<f2', 'fortran_order':False}", 1e-6},
    [ENGINE_INT8] = {"int8",
                     "{'descr': [('scale', '<f4'), ('values', '|i1', (8,))], 'fortran_order': "
                     "False, 'shape': (300,), }",
                     1e-6},
    [ENGINE_BINARY] = {"binary", "{'descr': \"|u1\", 'fortran_order': False, 'shape': (300, 1), }",
                       1e-6},
};

/* Column i of a row as its bytes say. */
static double column(const char *row, engine_element type, size_t i)
{
    float scale;
    uint16_t half;
    switch (type) {
    case ENGINE_F32: memcpy(&scale, row + 4 * i, 4); return (double)scale;
    case ENGINE_F16:
        memcpy(&half, row + 2 * i, 2);
        double value = ldexp((half & 0x3FF) + (half & 0x7C00 ? 1024 : 0),
                             (half >> 10 & 31) + !(half & 0x7C00) - 25);
        return half & 0x8000 ? -value : value;
    case ENGINE_INT8: memcpy(&scale, row, 4); return (double)scale * (signed char)row[4 + i];
    case ENGINE_BINARY: break;
    }
    return (row[i / 8] >> (7 - i % 8) & 1 ? 1 : -1) / sqrt(TOY_WIDTH);
}

static double score(const float *query, const char *row, engine_element type, bool is_cosine)
{
    double product = 0, of_query = 0, of_row = 0;
    for (size_t i = 0; i < TOY_WIDTH; i++) {
        double value = column(row, type, i);
        product += (double)query[i] * value;
        of_query += (double)query[i] * (double)query[i];
        of_row += value * value;
    }
    return is_cosine ? product / sqrt(of_query * of_row) : product;
}

/* The tenth best hit is where it should be, and no row that is none of the ten is better. */
static void check_hits(const char *out, const float *query, const char *rows, engine_element type,
                       bool is_cosine)
{
    const size_t row_bytes = engine_row_bytes(type, TOY_WIDTH);
    const double tolerance = TYPES[type].tolerance * (is_cosine ? 1 : 100);
    bool is_hit[ROWS] = {false};
    double worst = 0;
    char *at = (char *)(uintptr_t)out;
    for (size_t rank = 1; rank <= 10; rank++) {
        assert_int_equal(strtoul(at, &at, 10), 1);
        assert_int_equal(strtoul(at, &at, 10), rank);
        size_t row = strtoul(at, &at, 10) - 1;
        double found = strtod(at, &at);
        assert_true(row < ROWS && !is_hit[row]);
        worst = score(query, rows + row * row_bytes, type, is_cosine);
        assert_true(fabs(found - worst) <= tolerance);
        is_hit[row] = true;
    }
    for (size_t row = 0; row < ROWS; row++)
        if (!is_hit[row])
            assert_true(score(query, rows + row * row_bytes, type, is_cosine) <=
                        worst + 2 * tolerance);
}

TEST(types)
{
    float values[ROWS * TOY_WIDTH];
    char rows[ROWS * TOY_WIDTH * 4];
    struct values query;
    srand(7);
    for (size_t i = 0; i < ROWS * TOY_WIDTH; i++)
        values[i] = (float)rand() / (float)RAND_MAX - 0.5f;
    encode_npy(&query, "-p mean 'I ride bike'");
    for (engine_element type = ENGINE_F32; type <= ENGINE_BINARY; type++) {
        engine_rows_from_f32(values, ROWS, TOY_WIDTH, type, rows);
        write_file("rows.npy", TYPES[type].dict, rows, ROWS * engine_row_bytes(type, TOY_WIDTH));
        assert_contains(shell_expect(0, "$SEARCH -p mean rows.npy --query 'I ride bike'")->out,
                        TYPES[type].name);
        for (int dot = 0; dot < 2; dot++)
            check_hits(shell_expect(0,
                                    "$SEARCH -p mean -f tsv --metric %s rows.npy --query 'I "
                                    "ride bike'",
                                    dot ? "dot" : "cosine")
                           ->out,
                       row(&query, 0), rows, type, !dot);
    }
}

/* ---- Other files ---- */

/* Sparse weights with other bytes and the right checksums. */
#define REPACKED(replaced)                                                                         \
    "$ENCODE -m lexical.emb -p sparse -f npz dog cat >whole.npz; python3 -c \"import zipfile\n"    \
    "from_ = zipfile.ZipFile('whole.npz')\n"                                                       \
    "with zipfile.ZipFile('v.npy', 'w') as to:\n"                                                  \
    "    for name in from_.namelist():\n"                                                          \
    "        to.writestr(name, from_.read(name).replace(" replaced "))\""

TEST(archives)
{
    static const char *const cases[][2] = {
        {REPACKED("b'csr', b'csc'"), "is not a CSR matrix"},
        {REPACKED("b'<i4', b'<i8'"),
         "indices.npy in 'v.npy' is \"<i8\" in 1 dimensions, expected \"<i4\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_contains(
            shell_expect(1, "%s; $SEARCH -m lexical.emb v.npy --query dog", cases[i][0])->err,
            cases[i][1]);
}

/* A query is answered before the next one comes, and a file of vectors that is cut off ends the
 * program with a message. */
TEST(a_query_at_a_time)
{
    const struct shell_result *result =
        shell_expect(1, "printf 'dog\\ncat\\n' | $ENCODE -m plain.emb -p mean -f npy -o "
                        "served.npy; rm -f in; mkfifo in; $SEARCH -m plain.emb -p mean served.npy "
                        "<in >early & exec 3>in; echo cat >&3; $AWAIT 1.0000 early; "
                        ": >served.npy; echo dog >&3; exec 3>&-; wait $!");
    assert_contains(result->err, "a file was overwritten or cut off while it was in use");
    shell_expect(0, "grep '1.0000  2' early");
}
