/* tags: no-asan */
/* The programs that make weight files and look into them, with every fault. */
#include "tests/faults/every_fault.h"
#include "tests/support.h"
#include "tests/tools/import/tiny_checkpoint.h"

/* A tokenizer.json with a bit of everything. */
static const char TOKENIZER[] =
    "{'added_tokens': [{'id': 1, 'content': '[CLS]', 'special': true}], 'normalizer': {'type': "
    "'BertNormalizer', 'lowercase': true}, 'pre_tokenizer': {'type': 'BertPreTokenizer'}, "
    "'post_processor': {'type': 'BertProcessing', 'cls': ['[CLS]', 1], 'sep': ['[SEP]', 2]}, "
    "'model': {'type': 'WordPiece', 'unk_token': '[UNK]', 'vocab': {'[UNK]': 0, '[CLS]': 1, "
    "'[SEP]': 2, '[MASK]': 3, '##a': 4}}}";

SET_UP()
{
    every_fault_setup();
    tiny_checkpoint("checkpoint");
    tiny_sentence_transformers("checkpoint");
    tiny_write_text(".", "tokenizer.json", TOKENIZER);
    tiny_write_text(".", "vectors.txt", "ride 1 2 3\nbike 4 5 6\nthe 7 8 9\n");
    tiny_write_text(".", "text.txt", "i ride bike\nthe bike\n");
}

TEST(inspecting)
{
    static const struct fault_case cases[] = {
        {"encode-inspect ../toy.weights", NULL, false},
        {"encode-inspect -f json ../toy.weights", NULL, false},
        {"encode-inspect --verify ../toy.weights", NULL, false},
    };
    EVERY_FAULT(cases);
}

TEST(new_models)
{
    static const struct fault_case cases[] = {
        {"encode-new -o result --width 8 --heads 2 --layers 1", NULL, false},
        {"encode-new -o result --width 8 --heads 2 --type int8 --fit ../text.txt", NULL, false},
        {"encode-new -o result --width 8 --heads 2 --labels a,b --fit -", "i ride\n", false},
    };
    EVERY_FAULT(cases);
}

TEST(importing)
{
    static const struct fault_case cases[] = {
        {"encode-import ../checkpoint -o result", NULL, false},
        {"encode-import ../checkpoint -o result --weights int8", NULL, false},
        {"encode-import ../checkpoint -o result --dry-run", NULL, false},
        {"encode-import --tokenizer-only ../checkpoint/vocab.txt -o result", NULL, false},
        {"encode-import --tokenizer-only ../tokenizer.json -o result", NULL, false},
        {"encode-import --vectors ../vectors.txt -o result", NULL, false},
        {"encode-import --vectors - --only-words-of ../text.txt -o result", "ride 1 2\nbike 3 4\n",
         false},
    };
    EVERY_FAULT(cases);
}
