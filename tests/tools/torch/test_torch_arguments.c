/* Arguments of the calls that make tensors in files of torch.save: sound opcodes, and values that
 * are of another kind, too many or too large. */
#include "tests/tools/import/import_cases.h"
#include "tests/tools/import/refusals.h"
#include "tests/tools/torch/tiny_torch.h"
#include "tools/import/files/tensor_file.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct tensor_set set;
static struct tiny_bytes file, pickle;

static void add(void)
{
    int fd = memfd_create("torch", MFD_CLOEXEC);
    assert_true(fd >= 0 && write(fd, file.bytes, file.len) == (ssize_t)file.len);
    set = (struct tensor_set){0};
    tensor_set_add(&set, "tiny.bin", fd, file.len);
}

/* words: of the refusal; NULL: the file is accepted. */
static void check(const char *what, const char *words)
{
    static bool is_right;
    tiny_torch(&file, &pickle);
    READ_OR_REFUSE(&is_right, add());
    import_free();
    if (is_right != (words == NULL))
        fail_msg("%s: %s", what, is_right ? "accepted" : program_words);
    if (words != NULL && strstr(program_words, words) == NULL)
        fail_msg("%s: \"%s\" is not in: %s", what, words, program_words);
}

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

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
    static const struct {
        const char *what;
        const uint8_t *bytes;
        size_t len;
        const char *words;
    } cases[] = {
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
         BYTES("(" WORD TYPE KEY CPU "\x8a\x07\1\0\0\0\0\0\x20"
               "tQK\0" SIZES STRIDES REST),
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
        check(cases[i].what, cases[i].words);
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
        {"another call", BYTES("\x80\x02"
                               "ctorch._utils\n_rebuild_parameter\n)R.")},
        {"an ordered dictionary of something", BYTES("\x80\x02"
                                                     "ccollections\nOrderedDict\nK\1\x85R.")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pickle.len = 0;
        tiny_put(&pickle, cases[i].bytes, cases[i].len);
        check(cases[i].what, "holds no dictionary of tensors");
    }
}
