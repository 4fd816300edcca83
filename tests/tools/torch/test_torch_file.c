/* Guarantee: files of torch.save give the same numbers as safetensors; cut at every byte, or
 * with a wrong record, opcode or bit, they are refused by name, and nothing in them is
 * executed.
 *
 * Arguments of the calls that make tensors in files of torch.save: sound opcodes, and values that
 * are of another kind, too many or too large. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/shell.h"
#include "tests/tools/torch/tiny_torch.h"
#include "tools/import/files/tensor_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct tensor_set set;
static struct tiny_bytes file, pickle;

/* ---- Reading a file from memory ---- */

static void add(const uint8_t *bytes, size_t len)
{
    int fd = memfd_create("torch", MFD_CLOEXEC);
    assert_true(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
    set = (struct tensor_set){0};
    tensor_set_add(&set, "tiny.bin", fd, len);
}

/* words: of the refusal; NULL: it is accepted, and stays to be looked at. */
static void judge(const char *what, const uint8_t *bytes, size_t len, const char *words)
{
    static bool is_right;
    import_free();
    READ_OR_REFUSE(&is_right, add(bytes, len));
    if (is_right != (words == NULL))
        fail_msg("%s: %s", what, is_right ? "accepted" : program_words);
    if (words != NULL && strstr(program_words, words) == NULL)
        fail_msg("%s: \"%s\" is not in: %s", what, words, program_words);
}

/* The same of the pickle in `pickle`, in `file` beside its storage. */
static void judge_pickle(const char *what, const char *words)
{
    tiny_torch(&file, &pickle);
    judge(what, file.bytes, file.len, words);
}

static void tensor_is(const char *name, size_t rows, size_t cols, const float *expected)
{
    const struct stored_tensor *tensor = tensor_set_find(&set, name);
    struct tensor_rows chunk;
    assert_non_null(tensor);
    tensor_rows_open(&chunk, rows, cols, true);
    tensor_rows_read(&chunk, &set, tensor, 1, rows - 1); /* from the second row on */
    for (size_t i = 0; i < (rows - 1) * cols; i++)
        assert_true(chunk.values[i] == expected[cols + i]);
    tensor_rows_free(&chunk);
}

/* The storage is 0, 1, 2 … 23. */
static void check_sound(void)
{
    float matrix[24], transposed[20];
    for (int i = 0; i < 24; i++)
        matrix[i] = (float)i;
    for (int i = 0; i < 20; i++)
        transposed[i] = (float)(4 + i / 5 + i % 5 * 4);
    tensor_is("matrix", 6, 4, matrix);
    tensor_is("shared", 4, 4, matrix + 8);
    tensor_is("transposed", 4, 5, transposed);
    import_free();
}

TEST(sound)
{
    tiny_torch_sound(&file);
    judge("a sound file", file.bytes, file.len, NULL);
    check_sound();
}

TEST(numbers_of_64_bits)
{
    float numbers[6] = {1, 2, 3, 4, 5, 6};
    const struct tiny_tensor tensor = {"w", "FloatStorage", "0", 6, 0, {3, 2}, {2, 1}, 2};
    tiny_pickle_begin(&pickle);
    tiny_pickle_tensor(&pickle, &tensor);
    tiny_pickle_end(&pickle);
    const struct tiny_entry entries[] = {{"a/b/data.pkl", pickle.bytes, pickle.len},
                                         {"a/b/data/0", numbers, sizeof numbers}};
    tiny_zip(&file, entries, 2, true);
    judge("zip64", file.bytes, file.len, NULL);
    tensor_is("w", 3, 2, numbers);
    import_free();
    for (size_t cut = 0; cut < file.len; cut++)
        judge("a truncated file", file.bytes, cut, "tiny.bin");
}

TEST(truncated)
{
    tiny_torch_sound(&file);
    for (size_t cut = 0; cut < file.len; cut++)
        judge("a truncated file", file.bytes, cut, "tiny.bin");
}

/* ---- Damage ---- */

/* A bit of what is used, anywhere in the data of an entry, is seen by the archive's checksum; a
 * checksum of 0 was not made. */
TEST(checksums)
{
    static const char *const entries[] = {"x/data.pkl", "x/data/0", "x/byteorder"};
    char words[80];
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        tiny_torch_sound(&file);
        uint8_t *name = memmem(file.bytes, file.len, entries[i], strlen(entries[i]));
        assert_non_null(name);
        uint8_t *data = name + strlen(entries[i]) + 4; /* after an extra field of 4 */
        data[3] ^= 0x10;
        snprintf(words, sizeof words, "the data of '%s' is damaged: its checksum is", entries[i]);
        judge("a flipped bit", file.bytes, file.len, words);
    }
    tiny_torch_sound(&file);
    uint8_t *at = file.bytes;
    while ((at = memmem(at, (size_t)(file.bytes + file.len - at), "PK\1\2", 4)) != NULL) {
        memset(at + 16, 0, 4);
        at += 4;
    }
    judge("no checksums", file.bytes, file.len, NULL);
    check_sound();
}

/* ---- Archives that lie ---- */

static size_t find(const char *mark, size_t index)
{
    for (size_t at = 0; at + 4 <= file.len; at++)
        if (memcmp(file.bytes + at, mark, 4) == 0 && index-- == 0)
            return at;
    fail_msg("no record");
    return 0;
}

TEST(archives)
{
    static const char header[] = "PK\x03\x04", entry[] = "PK\x01\x02", end[] = "PK\x05\x06";
    const struct {
        const char *what, *mark;
        size_t index, offset;
        uint64_t number;
        size_t n_bytes;
        const char *words;
    } cases[] = {
        {"a compressed entry", entry, 2, 10, 8, 2, "compressed"},
        {"an encrypted entry", entry, 2, 8, 1, 2, "encrypted"},
        {"a header that says compressed", header, 2, 8, 8, 2, "no header of a stored entry"},
        {"another length than packed", entry, 2, 20, 95, 4, "compressed"},
        {"an absurd length", entry, 2, 20, 0xFFFFFFF0FFFFFFF0, 8, "does not fit"},
        {"a storage that is longer", entry, 2, 20, 0x0000006100000061, 8, "overlap"},
        {"a storage that is shorter", entry, 2, 20, 0x0000005F0000005F, 8, "another length"},
        {"an absurd place", entry, 2, 42, 0xFFFFFFF0, 4, "does not fit"},
        {"the place of another", entry, 2, 42, 0, 4, "no header of a stored entry"},
        {"an absurd name", entry, 2, 28, 0xFFFF, 2, "longer than the directory"},
        {"an absurd extra field", entry, 3, 30, 0xFFFF, 2, "longer than the directory"},
        {"a name as an extra field", entry, 2, 28, 0x00080000, 4, "extra field"},
        {"a header elsewhere", entry, 2, 42, 7, 4, "no header of a stored entry"},
        {"an absurd header", header, 3, 28, 0xFFFF, 2, "does not fit"},
        {"no mark", entry, 0, 0, 0, 4, "no entry of the directory"},
        {"an entry more", end, 0, 10, 5, 2, "more entries"},
        {"an entry less", end, 0, 10, 3, 2, "after the last entry"},
        {"many entries", end, 0, 10, 0xFFFE, 2, "more entries"},
        {"64 bits without a record", end, 0, 10, 0xFFFF, 2, "64 bits"},
        {"an absurd directory", end, 0, 12, 0xFFFFFFF0, 4, "does not fit"},
        {"a directory elsewhere", end, 0, 16, 0xFFFFFFF0, 4, "does not fit"},
        {"several disks", end, 0, 4, 1, 2, "several disks"},
        {"a comment that is not there", end, 0, 20, 7, 2, "no zip archive ends"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tiny_torch_sound(&file);
        size_t at = find(cases[i].mark, cases[i].index) + cases[i].offset;
        for (size_t k = 0; k < cases[i].n_bytes; k++)
            file.bytes[at + k] = (uint8_t)(cases[i].number >> (8 * k) & 0xFF);
        judge(cases[i].what, file.bytes, file.len, cases[i].words);
    }
}

TEST(entries)
{
    static const struct {
        struct tiny_entry entries[3];
        size_t n;
        const char *words;
    } cases[] = {
        {{{"x/data", "", 0}}, 1, "without an entry"},
        {{{"x/data.pkl", "", 0}}, 1, "the end comes too early"},
        {{{"x/data.pkl", "", 0}, {"y/data.pkl", "", 0}}, 2, "two entries"},
        {{{"x/data.pkl", "", 0}, {"x/data.pkl", "", 0}}, 2, "has the name of another"},
        {{{"x/data.pkl", "", 0}, {"x/byteorder", "big", 3}}, 2, "byte order"},
        {{{"x/data.pkl", "", 0}, {"x/byteorder", "Little", 6}}, 2, "byte order"},
        {{{"x/data.pkl", "\x80\x02}.", 4}, {"x/byteorder", "little", 6}}, 2, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tiny_zip(&file, cases[i].entries, cases[i].n, false);
        judge("entries", file.bytes, file.len, cases[i].words);
    }
}

/* ---- Pickles that lie ---- */

struct byte_case {
    const char *what;
    const uint8_t *bytes;
    size_t len;
    const char *words; /* NULL: accepted */
};
#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

/* The opcodes replace the dictionary's items; the rest is sound. */
TEST(pickles)
{
    static const struct byte_case cases[] = {
        {"a command", BYTES("X\x01\0\0\0acos\nsystem\nX\x04\0\0\0echo\x85R"), "'os.system'"},
        {"another global", BYTES("X\x01\0\0\0actorch\nload\n)R"), "'torch.load'"},
        {"part of a global", BYTES("X\x01\0\0\0actorch\nFloat\n"), "'torch.Float'"},
        {"a global without an end", BYTES("ctorch"), "the end comes too early"},
        {"an opcode of protocol 4", BYTES("\x8C\1a"), "opcode 0x8C"},
        {"an object", BYTES("ctorch\nFloatStorage\n)\x81"), "opcode 0x81"},
        {"an instance of a class", BYTES("(ios\nsystem\n"), "opcode 0x69"},
        {"protocol 4", BYTES("\x80\x04"), "protocol"},
        {"a text without an end", BYTES("X\xFF\xFF\xFF\x7F"), "the end comes too early"},
        {"a number of 9 bytes", BYTES("\x8A\x09\1\1\1\1\1\1\1\1\1"), "more than 64 bits"},
        {"a memo number too far", BYTES("Nr\xFF\xFF\xFF\xFF"), "memo"},
        {"a memo number that is free", BYTES("j\xFF\xFF\xFF\xFF"), "memo"},
        {"a key without a value", BYTES("X\x01\0\0\0a"), "a key has no value"},
        {"a key that is no text", BYTES("K\x01K\x01"), "is not a text"},
        {"a key with a NUL", BYTES("X\x01\0\0\0\0K\x01"), "is not a text"},
        {"a key that is not UTF-8", BYTES("X\x01\0\0\0\377K\x01"), "is not a text"},
        {"a number for a tensor", BYTES("X\x01\0\0\0aK\x01"), "'a' is something else"},
        {"a dictionary in the dictionary", BYTES("X\x01\0\0\0a}"), "'a' is something else"},
        {"the dictionary in itself", BYTES("X\x01\0\0\0ah\1"), "'a' is something else"},
        {"a mark for a tensor", BYTES("X\x01\0\0\0a(\x85"), "'a' is something else"},
        {"a call without a function", BYTES("X\x01\0\0\0aK\x01)R"), "not a function"},
        {"a call without a tuple", BYTES("ccollections\nOrderedDict\nK\x01R"), "not a function"},
        {"a tensor without arguments", BYTES("X\x01\0\0\0actorch._utils\n_rebuild_tensor_v2\n)R"),
         "no storage"},
        {"a parameter of itself", BYTES("X\x01\0\0\0actorch._utils\n_rebuild_parameter\nh\1\x85R"),
         "something else"},
        {"a persistent number", BYTES("K\x01Q"), "persistent"},
        {"attributes of a number", BYTES("K\x01}b"), "attributes"},
        {"items put into a tuple", BYTES(")K\x01K\x01s"), "holds none"},
        {"items put into a number", BYTES("K\x01K\1a"), "holds none"},
        {"nothing on the stack", BYTES("u0"), "opcode 0x30"},
        {"too little on the stack", BYTES("u\x87"), "missing on the stack"},
        {"no mark", BYTES("uut"), "missing on the stack"},
        {"a list for a dictionary", BYTES("u0].\x80\x02]"), "opcode 0x30"},
        {"an end too early", BYTES("u."), "left over"},
        {"values left over", BYTES("uN}("), "left over"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tiny_pickle_begin(&pickle);
        tiny_put(&pickle, cases[i].bytes, cases[i].len);
        tiny_put(&pickle, "u.", 2);
        judge_pickle(cases[i].what, cases[i].words);
    }
}

/* Tuples of tuples, each twice in the next: 2^30 values to a reader that follows them all. */
TEST(doubling)
{
    tiny_pickle_begin(&pickle);
    tiny_pickle_text(&pickle, "a");
    tiny_put(&pickle, ")", 1);
    for (uint8_t i = 2; i < 32; i++) {
        const uint8_t doubled[] = {'q', i, 'h', i, 0x86};
        tiny_put(&pickle, doubled, sizeof doubled);
    }
    tiny_put(&pickle, "u.", 2);
    judge_pickle("doubled tuples", "something else");
}

TEST(tensors)
{
    static const struct {
        const char *what;
        struct tiny_tensor tensor;
        const char *words; /* NULL: accepted */
    } cases[] = {
        {"a scalar", {"w", "FloatStorage", "0", 24, 23, {0}, {0}, 0}, NULL},
        {"no rows", {"w", "FloatStorage", "0", 24, 24, {0, 4}, {4, 1}, 2}, NULL},
        {"one row with any stride", {"w", "FloatStorage", "0", 24, 4, {1, 4}, {77, 1}, 2}, NULL},
        {"integers", {"w", "LongStorage", "0", 12, 0, {12}, {1}, 1}, NULL},
        {"another type", {"w", "HalfStorage", "0", 24, 0, {6, 4}, {4, 1}, 2}, "another length"},
        {"another length", {"w", "FloatStorage", "0", 23, 0, {5, 4}, {4, 1}, 2}, "another length"},
        {"no such storage", {"w", "FloatStorage", "1", 24, 0, {6, 4}, {4, 1}, 2}, "does not have"},
        {"a place outside", {"w", "FloatStorage", "../version", 24, 0, {1}, {1}, 1}, "not have"},
        {"no length", {"w", "FloatStorage", "0", -1, 0, {6, 4}, {4, 1}, 2}, "no storage"},
        {"out of the storage", {"w", "FloatStorage", "0", 24, 1, {6, 4}, {4, 1}, 2}, "out of"},
        {"before the storage", {"w", "FloatStorage", "0", 24, -1, {6, 4}, {4, 1}, 2}, "out of"},
        {"behind the storage", {"w", "FloatStorage", "0", 24, 25, {0}, {1}, 1}, "out of"},
        {"a negative size", {"w", "FloatStorage", "0", 24, 0, {-6, 4}, {4, 1}, 2}, "cannot be"},
        {"a negative stride", {"w", "FloatStorage", "0", 24, 0, {6, 4}, {-4, 1}, 2}, "cannot be"},
        {"absurd sizes",
         {"w", "FloatStorage", "0", 24, 0, {1 << 30, 1 << 30, 1 << 30}, {1, 1, 1}, 3},
         "cannot be"},
        {"a row repeated", {"w", "FloatStorage", "0", 24, 0, {6, 4}, {0, 1}, 2}, "strides"},
        {"rows with gaps", {"w", "FloatStorage", "0", 24, 0, {3, 4}, {8, 1}, 2}, "strides"},
        {"three dimensions turned",
         {"w", "FloatStorage", "0", 24, 0, {2, 3, 4}, {1, 2, 6}, 3},
         "strides"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tiny_pickle_begin(&pickle);
        tiny_pickle_tensor(&pickle, &cases[i].tensor);
        tiny_pickle_end(&pickle);
        judge_pickle(cases[i].what, cases[i].words);
    }
    tiny_pickle_begin(&pickle);
    tiny_pickle_tensor(&pickle, &cases[0].tensor);
    tiny_pickle_tensor(&pickle, &cases[0].tensor);
    tiny_pickle_end(&pickle);
    judge_pickle("a name twice", "'w' is there twice");
}

TEST(old_format)
{
    static const uint8_t old[] = "\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.";
    judge("the format before 1.6", old, sizeof old - 1, "torch.save(");
}

/* ---- A checkpoint ---- */

static void write_torch(const char *from, const char *to, const char *options)
{
    char script[SUPPORT_PATH + 32];
    snprintf(script, sizeof script, "%s", __FILE__);
    *strrchr(script, '/') = '\0';
    shell_expect(0, "cd %s && python3 -B \"$ROOT\"/%s/torch_file.py %s %s %s", import_directory,
                 script, from, to, options);
}

/* Returns the model's vectors for some ids, by the file that is in the directory. */
static const char *vectors(void)
{
    return shell_expect(0,
                        "$IMPORT %s -o torch.weights && echo '{\"ids\": [2, 5, 9, 3]}' | $ENCODE "
                        "-m torch.weights --input jsonl -f csv",
                        import_directory)
        ->out;
}

TEST(same_as_safetensors)
{
    static const char *const options[] = {"", "--transpose", "--parameters --transpose"};
    char expected[8192];
    import_make();
    snprintf(expected, sizeof expected, "%s", vectors());
    assert_true(strlen(expected) > 300);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        import_make();
        write_torch("model.safetensors", "pytorch_model.bin", options[i]);
        shell_expect(0, "rm %s/model.safetensors", import_directory);
        assert_string_equal(vectors(), expected);
    }
    /* Shards: here one, which an index names. */
    shell_expect(0, "cd %s && mv pytorch_model.bin a.bin", import_directory);
    import_refused("no tensors", "neither model.safetensors nor pytorch_model.bin");
    import_write("pytorch_model.bin.index.json",
                 "{'weight_map': {'bert.embeddings.word_embeddings.weight': 'a.bin'}}");
    assert_string_equal(vectors(), expected);
    shell_expect(0, "cd %s && cp a.bin ..", import_directory);
    import_write("pytorch_model.bin.index.json",
                 "{'weight_map': {'bert.embeddings.word_embeddings.weight': '../a.bin'}}");
    import_refused("a shard elsewhere", "'../a.bin' is not the name of a file in the directory");
}

/* ---- Arguments of the calls that make tensors ---- */

/* Of the storage, the first number, 6 and 4 numbers with the strides 4 and 1, no gradients. */
#define WORD    "X\x07\0\0\0storage"
#define TYPE    "ctorch\nFloatStorage\n"
#define KEY     "X\x01\0\0\0000"
#define CPU     "X\x03\0\0\0cpu"
#define LEN     "K\x18"
#define STORAGE "(" WORD TYPE KEY CPU LEN "tQ"
#define SIZES   "(K\x06K\x04t"
#define STRIDES "(K\x04K\x01t"
#define REST                                                                                       \
    "\x89"                                                                                         \
    "ccollections\nOrderedDict\n)R"
#define NINE "(K\1K\1K\1K\1K\1K\1K\1K\1K\1t"

TEST(arguments)
{
    static const struct byte_case cases[] = {
        {"sound", BYTES(STORAGE "K\0" SIZES STRIDES REST), NULL},
        {"no metadata", BYTES(STORAGE "K\0" SIZES STRIDES REST "N"), NULL},
        {"empty metadata", BYTES(STORAGE "K\0" SIZES STRIDES REST "}"), NULL},
        {"metadata", BYTES(STORAGE "K\0" SIZES STRIDES REST "}" WORD "\x88s"), "has metadata"},
        {"metadata of another kind", BYTES(STORAGE "K\0" SIZES STRIDES REST "K\1"), "has metadata"},
        {"another word", BYTES("(X\x07\0\0\0Storage" TYPE KEY CPU LEN "tQK\0" SIZES STRIDES REST),
         "has no storage that is"},
        {"a word with a NUL",
         BYTES("(X\x08\0\0\0storage\0" TYPE KEY CPU LEN "tQK\0" SIZES STRIDES REST),
         "has no storage that is"},
        {"a number for the type", BYTES("(" WORD "K\1" KEY CPU LEN "tQK\0" SIZES STRIDES REST),
         "has no storage that is"},
        {"no type of a storage",
         BYTES("(" WORD "ctorch._utils\n_rebuild_parameter\n" KEY CPU LEN
               "tQK\0" SIZES STRIDES REST),
         "has no storage that is"},
        {"a number for the key", BYTES("(" WORD TYPE "K\0" CPU LEN "tQK\0" SIZES STRIDES REST),
         "has no storage that is"},
        {"an empty key", BYTES("(" WORD TYPE "X\0\0\0\0" CPU LEN "tQK\0" SIZES STRIDES REST),
         "has a storage that the archive does not have"},
        {"a text for the length", BYTES("(" WORD TYPE KEY CPU CPU "tQK\0" SIZES STRIDES REST),
         "has no storage that is"},
        {"no length", BYTES("(" WORD TYPE KEY CPU "tQK\0" SIZES STRIDES REST),
         "has no storage that is"},
        {"a length above 2^53",
         BYTES("(" WORD TYPE KEY CPU "\x8A\x07\1\0\0\0\0\0\40tQK\0" SIZES STRIDES REST),
         "has no storage that is"},
        {"a number for the sizes", BYTES(STORAGE "K\0K\6" STRIDES REST),
         "not a tuple of at most 8"},
        {"no sizes", BYTES(STORAGE "K\0"), "not a tuple of at most 8"},
        {"no strides", BYTES(STORAGE "K\0" SIZES), "not a tuple of at most 8"},
        {"nine sizes", BYTES(STORAGE "K\0" NINE NINE REST), "not a tuple of at most 8"},
        {"a number for the strides", BYTES(STORAGE "K\0" SIZES "K\1" REST),
         "not a tuple of at most 8"},
        {"fewer strides", BYTES(STORAGE "K\0" SIZES "K\1\x85" REST), "not a tuple of at most 8"},
        {"a text for a size", BYTES(STORAGE "K\0" CPU "K\4\x86" STRIDES REST), "cannot be"},
        {"a text for the first number", BYTES(STORAGE CPU SIZES STRIDES REST),
         "reaches out of its storage"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tiny_pickle_begin(&pickle);
        tiny_pickle_text(&pickle, "w");
        tiny_put(&pickle, BYTES("ctorch._utils\n_rebuild_tensor_v2\n("));
        tiny_put(&pickle, cases[i].bytes, cases[i].len);
        tiny_put(&pickle, "tRu.", 4);
        judge_pickle(cases[i].what, cases[i].words);
    }
}

/* The file's value must be a dictionary, or an ordered dictionary that is filled later. */
TEST(roots)
{
    static const struct {
        const char *what;
        const uint8_t *bytes;
        size_t len;
    } cases[] = {
        {"a list", BYTES("\x80\x02].")},
        {"a number", BYTES("\x80\x02K\1.")},
        {"another call", BYTES("\x80\2ctorch._utils\n_rebuild_parameter\n)R.")},
        {"an ordered dictionary of something", BYTES("\x80\2ccollections\nOrderedDict\nK\1\x85R.")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pickle.len = 0;
        tiny_put(&pickle, cases[i].bytes, cases[i].len);
        judge_pickle(cases[i].what, "holds no dictionary of tensors");
    }
}

SET_UP()
{
    char root[SUPPORT_PATH];
    assert_non_null(getcwd(root, sizeof root));
    assert_int_equal(setenv("ROOT", root, 1), 0);
    import_setup();
}
