/* The files that encode-search takes: rows of each type beside plain double arithmetic, and what is
 * wrong with all others, named. */
#include "tests/fuzz/replay.h"
#include "tests/tools/encode/head_models.h"
#include "tests/tools/encode/npy_values.h"
#include "tests/tools/program_ends.h"
#include "tests/tools/shell.h"
#include "tools/search/vectors.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- Refusals ---- */

#define DICT(descr, order, shape)                                                                  \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

TEST(headers)
{
    static const struct {
        const char *dict, *message;
    } cases[] = {
        {DICT("'<f8'", "False", "(3, 8)"), "holds \"<f8\"; float32, float16"},
        {DICT("'>f4'", "False", "(3, 8)"), "holds \">f4\""},
        {DICT("'|i1'", "False", "(3, 8)"), "a.astype(np.float32)"},
        {DICT("'|O'", "False", "(3, 8)"), "holds \"|O\""},
        {DICT("'<f4'", "True", "(3, 8)"), "in Fortran order"},
        {DICT("'<f4'", "False", "(24,)"), "is an array of 1 dimension,"},
        {DICT("'<f4'", "False", "(3, 2, 4)"), "is an array of 3 dimensions"},
        {DICT("'<f4'", "False", "(3, 0)"), "without columns"},
        {DICT("'<f4'", "False", "(4, 8)"), "is cut off: 32 items of 4 bytes, and 96 bytes"},
        {DICT("'<f4'", "False", "(2, 8)"), "has 32 bytes after its 16 items"},
        {DICT("'<f4'", "False", "(4611686018427387904, 8)"), "has a header"},
        {DICT("'<f4'", "False", "(3, 8"), "has a header"},
        {DICT("'<f4'", "False", "(3, -8)"), "has a header"},
        {DICT("'<f4'", "False", "24"), "has a header"},
        {DICT("'<f4'", "False", "(3, 8.0)"), "has a header"},
        {DICT("'<f4'", "False", "(3, 1, 1, 1, 1, 1, 1, 1, 8)"), "has a header"},
        {DICT("3", "False", "(3, 8)"), "holds 3;"},
        {DICT("'<f4'", "None", "(3, 8)"), "has a header"},
        {"{'descr': '<f4', 'shape': (3, 8)}", "has a header"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 8), 'more': 1}", "has a header"},
        {DICT("[('scale', '<f4'), ('values', '|i1', (20,))]", "False", "(4,)"),
         "has rows of 20 columns, and"},
        {DICT("'<f4'", "False", "(2, 12)"), "has rows of 12 columns, and"},
        {DICT("'<f4'", "False", "(6, 4)"), "makes vectors of 8: both must be of one model; if "
                                           "encode --dimensions N cut them"},
        {DICT("'|u1'", "False", "(48, 2)"), "has rows of 16 columns (packed bits), and"},
    };
    const char bytes[96] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file("wrong.npy", cases[i].dict, bytes, sizeof bytes);
        assert_contains(shell_expect(1, "$SEARCH -p mean wrong.npy --query I")->err,
                        cases[i].message);
    }
}

/* Versions 2 and 3 have a length of four bytes. */
TEST(versions)
{
    const char *version =
        "printf '\\223NUMPY\\%03o\\000\\166\\000\\000\\000%%-117s\\n' '{\"descr\": \"<f4\", "
        "\"fortran_order\": False, \"shape\": (1, 8)}' >v.npy; head -c 32 /dev/zero >>v.npy; "
        "$SEARCH -p mean -f tsv v.npy --query I";
    for (int i = 2; i <= 3; i++)
        assert_string_equal(shell_expect(0, version, i)->out, "1\t1\t1\t0.0\n");
    assert_contains(shell_expect(1, version, 4)->err, "has version 4.0 of NumPy's format");
}

/* Sparse weights with other bytes and the right checksums. */
#define REPACKED(replaced)                                                                         \
    "$ENCODE -m lexical.emb -p sparse -f npz dog cat >whole.npz; python3 -c \"import zipfile\n"    \
    "from_ = zipfile.ZipFile('whole.npz')\n"                                                       \
    "with zipfile.ZipFile('v.npy', 'w') as to:\n"                                                  \
    "    for name in from_.namelist():\n"                                                          \
    "        to.writestr(name, from_.read(name).replace(" replaced "))\""

TEST(files)
{
    static const struct {
        const char *make, *message;
    } cases[] = {
        {": >v.npy", "'v.npy' is empty"},
        {"echo text >v.npy",
         "is not an array of NumPy (.npy), as encode -f npy writes; name VECTORS before TEXTS"},
        {"rm -f v.npy", "cannot read 'v.npy': No such file"},
        {"rm -f v.npy; mkfifo v.npy", "is not a regular file: a pipe, a device"},
        {"rm -f v.npy; mkdir v.npy", "is not a regular file"},
        {"rmdir v.npy; printf '\\223NUMPY\\001\\000\\377\\377' >v.npy; echo >>v.npy; echo "
         ">>v.npy",
         "is cut off: its header has 65545 bytes"},
        {"$ENCODE -m lexical.emb -p sparse -f npz dog cat | head -c 700 >v.npy", "is cut off"},
        /* Before a name of one byte. */
        {"{ printf 'PK\\3\\4'; head -c 22 /dev/zero; printf '\\1\\0\\0\\0'; } >v.npy",
         "is cut off"},
        {"$ENCODE -m lexical.emb -p sparse -f npz dog cat | sed 's/indptr/indptR/' >v.npy",
         "has no indptr.npy"},
        {"$ENCODE -m lexical.emb -p sparse -f npz dog cat | sed 's/csr/csc/' >v.npy",
         "format.npy in 'v.npy' is damaged: its bytes do not have the checksum of the archive"},
        {REPACKED("b'csr', b'csc'"), "is not a CSR matrix"},
        {REPACKED("b'<i4', b'<i8'"),
         "indices.npy in 'v.npy' is \"<i8\" in 1 dimensions, expected \"<i4\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_contains(
            shell_expect(1, "%s; $SEARCH -m lexical.emb v.npy --query dog", cases[i].make)->err,
            cases[i].message);
}

TEST(models)
{
    shell_expect(0, "$ENCODE -m lexical.emb -p sparse -f npz -o s.npz dog cat && $ENCODE -m "
                    "plain.emb -p mean -f npy -o v.npy dog cat");
    assert_contains(shell_expect(2, "$SEARCH -m lexical.emb -p cls s.npz --query dog")->err,
                    "-p and --metric cannot be combined with it");
    assert_contains(shell_expect(1, "$SEARCH -m plain.emb s.npz --query dog")->err,
                    "the model has no sparse weights");
    assert_contains(shell_expect(2, "$SEARCH -m pair.head v.npy --query dog")->err,
                    "is a cross-encoder, which makes no vectors");
    assert_contains(shell_expect(2, "$SEARCH -m colbert.emb v.npy --query dog")->err,
                    "makes a vector for each token");
    assert_contains(shell_expect(2, "$SEARCH")->err, "VECTORS is missing");
    assert_contains(shell_expect(2, "$SEARCH --candidates 5 a b")->err, "is for --rerank");
}

/* ---- Any bytes ---- */

/* A file that is taken is one whose every row can be read. */
static int open_bytes(const uint8_t *data, size_t size)
{
    static struct vectors vectors;
    FILE *file = fopen("fuzzed", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    vectors.file = (struct mapped){0};
    PROGRAM_RUN(vectors_open(&vectors, "fuzzed"));
    if (program_code < 0) {
        const char *end = vectors.file.data + vectors.file.len;
        if (vectors.kind == VECTORS_ROWS)
            assert_true((const char *)vectors.rows.rows +
                            vectors.n *
                                (vectors.rows.type == ENGINE_BINARY
                                     ? vectors.width
                                     : engine_row_bytes(vectors.rows.type, vectors.width)) ==
                        end);
        for (size_t i = 0; i < vectors.n && vectors.kind != VECTORS_ROWS; i++)
            assert_true(vectors_start(&vectors, i) <= vectors_start(&vectors, i + 1));
    }
    vectors_close(&vectors);
    return 0;
}

TEST(any_bytes)
{
    const char *const commands[] = {
        "$ENCODE -p mean -f npy I",
        "$ENCODE -m lexical.emb -p sparse -f npz 'dog cat' dog",
    };
    size_t n = 0;
    const int err = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    assert_true(err >= 0 && nowhere >= 0);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct shell_result *result = shell_expect(0, "%s", commands[i]);
        dup2(nowhere, STDERR_FILENO);
        n += replay(open_bytes, result->out, result->out_len, 1000);
        dup2(err, STDERR_FILENO);
    }
    close(err);
    close(nowhere);
    print_message("%zu inputs\n", n);
}
