/* What encode prints of models for search: sparse weights, vectors of tokens, ranks by them, and
 * vectors that are cut; in every format, and as NumPy's archives. */
#include "tests/tools/encode/head_models.h"
#include "tests/tools/encode/npy_values.h"
#include "tests/tools/shell.h"

#include "engine/engine.h"

#include <math.h>
#include <string.h>

SET_UP()
{
    shell_setup();
    head_models_write();
}

/* ---- Sparse weights ---- */

TEST(weights_as_text)
{
    const char *out = shell_expect(0, "$ENCODE -m lexical.emb -p sparse 'cat bad dog dog'")->out;
    assert_contains(out, ", sparse weights, at most 12 tokens\n\n"
                         "token  id    weight\n"
                         "dog     4    2.0000\n"
                         "cat     5    0.5000\n");
    out = shell_expect(0, "$ENCODE -m lexical.emb -p sparse bad dog")->out;
    assert_contains(out, "text 1: bad\n(no weights)\n\ntext 2: dog\ntoken  id    weight\n");
}

/* log(1 + 3), the larger of log(1 + 1) and that for rome, nothing for -5. */
TEST(weights_of_the_mask_head)
{
    const char *out = shell_expect(0, "$ENCODE -m splade.head -p model 'paul dog'")->out;
    assert_contains(out, "token  id    weight\nrome   11    1.3863\npaul    8    0.6931\n");
    assert_lacks(out, "cat");
    assert_contains(shell_expect(0, "$ENCODE -m splade.head -p sparse dog")->out,
                    "rome   11    0.6931\n");
}

TEST(more_weights_than_are_shown)
{
    shell_expect(0, "$NEW -o many.weights --layers 0 --width 8 --head mask --set sparse=mask "
                    "--pooling none");
    assert_contains(shell_expect(0, "$ENCODE -m many.weights -p sparse the")->out, " more\n");
    assert_lacks(shell_expect(0, "$ENCODE -m many.weights --all -p sparse the")->out, " more\n");
}

TEST(weights_as_json_and_csv)
{
    const char *out =
        shell_expect(0, "$ENCODE -m lexical.emb -p sparse -f json 'cat dog' bad")->out;
    assert_contains(out,
                    "\"weights\": [{\"text\": \"dog\", \"id\": 4, \"weight\": 2.0}, "
                    "{\"text\": \"cat\", \"id\": 5, \"weight\": 0.5}], \"truncated\": false}\n");
    assert_contains(out, "\"weights\": [], \"truncated\": false}\n");
    assert_string_equal(
        shell_expect(0, "$ENCODE -m lexical.emb -p sparse -f csv 'cat dog' bad dog")->out,
        "index,text,id,weight\r\n0,dog,4,2.0\r\n0,cat,5,0.5\r\n2,dog,4,2.0\r\n");
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

/* The bytes behind the header of an array in the archive, whose sizes stand in 64 bits; checks the
 * checksum and what the header says. */
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

/* The directory at the end: as many files, and where it begins. */
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

/* What scipy.sparse.load_npz reads: weights of each text in the order of ids. */
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
    shell_expect(0,
                 "$ENCODE -m lexical.emb -p sparse -f npz -o a.npz dog && $ENCODE -m lexical.emb "
                 "-p sparse -f npz dog | cmp - a.npz");
    /* The same numbers as a whole matrix. */
    struct values values;
    read_npy(shell_expect(0, "$ENCODE -m lexical.emb -p sparse -f npy 'cat dog' bad dog"), &values);
    assert_int_equal(values.width, 14);
    assert_true(row(&values, 0)[4] == 2 && row(&values, 0)[5] == 0.5f && row(&values, 1)[6] == 0);
}

/* Rows of all texts, one after the other; a text is where "token" is 0. */
TEST(vectors_of_tokens_as_an_array)
{
    struct values values;
    const float root = (float)sqrt(0.5);
    const float expected[] = {1, 0, 0, 1, root, root, root, root, 0.6f, 0.8f, root, root};
    read_npy(shell_expect(0, "$ENCODE -m lexical.emb -p colbert -f npy 'dog cat' '' good"),
             &values);
    assert_int_equal(values.width, 2);
    for (size_t i = 0; i < 12; i++)
        assert_true(fabsf(row(&values, i / 2)[i % 2] - expected[i]) <= 1e-6f);
    assert_string_equal(
        shell_expect(0, "$ENCODE -m lexical.emb -p colbert -f npy -o t.npy 'dog cat' '' good && "
                        "grep -c '\"token\": 0}' t.npy.rows.jsonl")
            ->out,
        "3\n");
    static const char *const commands[] = {"-m lexical.emb -p colbert", "-m bare.emb",
                                           "-m bare.emb -p none", "-m plain.emb -p mean"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        assert_contains(shell_expect(2, "$ENCODE %s -f npz dog", commands[i])->err,
                        "-f npz holds sparse weights (-p sparse); vectors are -f npy");
    assert_contains(shell_expect(1, "$ENCODE -m plain.emb -p model -f npz dog")->err,
                    "this model's own are vectors: -f npy");
}

/* ---- Vectors of tokens ---- */

/* The first token has none in one model, the full stop none in documents of the other. */
TEST(vectors_of_tokens)
{
    const char *out = shell_expect(0, "$ENCODE -m lexical.emb -p colbert 'dog good'")->out;
    assert_contains(out, ", vectors of length 1 of tokens, at most 12 tokens\n\n");
    assert_contains(out, "0  dog     4   0-3   1.0000   0.0000     1.0000\n"
                         "1  good    6   4-8   0.6000   0.8000     1.0000\n"
                         "2  [SEP]   2     -   0.7071   0.7071     1.0000\n");
    out = shell_expect(0, "$ENCODE -m colbert.emb -p model -f json 'cat .'")->out;
    assert_contains(out, "\"text\": \"bad cat .\"");
    assert_contains(out, "\"vectors\": [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]");
    assert_lacks(out, "\"text\": \".\"");
    out = shell_expect(0, "$ENCODE -m colbert.emb -p colbert --prompt query -f csv 'cat .'")->out;
    assert_contains(out, "\r\n0,1,good,6,0,4,0,0,0.6,0.8\r\n");
    assert_contains(out, ",.,13,9,10,0,0,0.0,1.0\r\n");
    out = shell_expect(0, "printf '%%s\\n' '{\"ids\": [4, 13, 5], \"mask\": [1, 1, 0]}' | "
                          "$ENCODE -m colbert.emb -p colbert --input jsonl -f json")
              ->out;
    assert_contains(out, "\"vectors\": [[1.0, 0.0]]");
}

/* ---- Ranks ---- */

TEST(ranks)
{
    const char *out =
        shell_expect(0, "$ENCODE -m lexical.emb -p sparse --rank 'dog cat' cat dog bad")->out;
    assert_contains(out, ", product of sparse weights, at most 12 tokens\n");
    assert_contains(out, "     1       2    4.0000  dog\n     2       1    0.2500  cat\n"
                         "     3       3    0.0000  bad\n");
    /* good, cat and [CLS], [SEP] of the query: 0.8 + 1 + 1 + 1 by "bad cat", and -0.6 for "bad". */
    out = shell_expect(0, "$ENCODE -m colbert.emb --rank cat cat .")->out;
    assert_contains(out, ", MaxSim of vectors of tokens, at most 12 tokens\n");
    assert_contains(out, "     1       1    3.8000  bad cat\n     2       2    2.6000  bad .\n");
    assert_contains(shell_expect(0, "$ENCODE -m splade.head --rank paul dog paul")->out,
                    "     1       2    2.4023  paul\n     2       1    0.9609  dog\n");
    assert_contains(shell_expect(0, "$ENCODE -m lexical.emb --rank dog dog")->out,
                    "cosine of cls pooling");
    assert_contains(shell_expect(0, "$ENCODE -m colbert.emb --similarity dog cat")->out,
                    "cosine of mean pooling");
    assert_contains(shell_expect(0, "$ENCODE -m splade.head --similarity dog dog")->out,
                    "cosine of sparse weights");
}

/* By the library itself the file's prompts count where its one kind of answer is named, too. */
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

/* ---- Dimensions ---- */

TEST(dimensions)
{
    struct values values;
    read_npy(shell_expect(0, "$ENCODE -m plain.emb -p model --no-prompt --dimensions 5 -f npy "
                             "'dog dog cat'"),
             &values);
    assert_int_equal(values.width, 5);
    assert_true(fabsf(row(&values, 0)[4] - 0.816497f) < 1e-6f); /* 2 of (1, 1, 0, 2): to length 1 */
    read_npy(shell_expect(0, "$ENCODE -m plain.emb -p mean --dimensions 5 -f npy 'dog dog cat'"),
             &values);
    assert_true(fabsf(row(&values, 0)[4] - 0.4f) < 1e-6f); /* 2 of 5 tokens */
    assert_contains(shell_expect(0, "$ENCODE -m lexical.emb -p colbert --dimensions 1 good")->out,
                    "0  good    6   0-4   1.0000     1.0000\n");
    /* Without the columns of "rome" no text is like another. */
    assert_contains(shell_expect(0, "$ENCODE -m plain.emb -p mean --no-special --dimensions 5 "
                                    "--similarity rome rome")
                        ->out,
                    "     1    0.0000   0.0000  rome\n");
}

/* ---- Refusals ---- */

TEST(refusals)
{
    static const struct {
        int code;
        const char *arguments, *message;
    } cases[] = {
        {1, "-m plain.emb -p sparse dog",
         "-p sparse: the model has no sparse weights, as SPLADE has\n"},
        {1, "-m plain.emb -p colbert dog",
         "-p colbert: the model has no layer for tokens' vectors"},
        {1, "-m plain.emb --rank dog -p colbert dog", "-p colbert: the model has no layer"},
        {2, "-m lexical.emb -p sparse --normalize dog", "it goes without -p sparse"},
        {2, "-m lexical.emb -p colbert --normalize dog", "length 1 without --normalize"},
        {2, "-m lexical.emb -p sparse --labels dog", "--labels, --entities and --fill do not"},
        {2, "-m lexical.emb -p colbert --pad-to 5 dog", "it cannot be combined with -p colbert"},
        {2, "-m lexical.emb -p colbert --similarity a b", "goes without -p none and colbert"},
        {2, "-m lexical.emb --dimensions 2 dog", "it requires -p, --rank or --similarity"},
        {2, "-m lexical.emb -p none --dimensions 2 dog", "--dimensions cuts vectors of texts"},
        {2, "-m lexical.emb -p sparse --dimensions 2 dog", "--dimensions cuts vectors of texts"},
        {2, "-m splade.head -p model --dimensions 2 dog", "this model's are neither"},
        {2, "-m pair.head --rank a --dimensions 2 dog", "goes without --dimensions"},
        {2, "-m plain.emb -p mean --dimensions 15 dog", "is more than these vectors have: 14"},
        {2, "-m lexical.emb -p colbert --dimensions 3 dog", "more than these vectors have: 2"},
        {2, "-m lexical.emb --labels -f npz dog", "-f npz holds sparse weights"},
        {2, "-m lexical.emb --raw-scores --rank a dog", "this model ranks by vectors"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_contains(shell_expect(cases[i].code, "$ENCODE %s", cases[i].arguments)->err,
                        cases[i].message);
}
