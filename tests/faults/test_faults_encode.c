/* tags: no-asan long */
/* encode, each of its tasks and formats, with every fault. */
#include "tests/faults/every_fault.h"
#include "tests/support.h"
#include "tests/tools/encode/head_models.h"

#define ENCODE           "encode -m ../toy.weights "
#define COMPARE(command) "encode-compare " command " -m ../toy.weights "
#define INPUT            "i ride bike\nbike ride the dog\n"

SET_UP()
{
    every_fault_setup();
    head_models_write();
}

TEST(vectors)
{
    static const struct fault_case cases[] = {
        {ENCODE "i ride", NULL, false},
        {ENCODE "-o result", INPUT, false},
        {ENCODE "-p mean -f json", INPUT, false},
        {ENCODE "-p mean -f csv -o result", INPUT, false},
        {ENCODE "-p mean -f npy -o result", INPUT, false},
        {ENCODE "-f npy --pad-to 6", INPUT, false},
        {ENCODE "-p mean -f npy --type int8 --input jsonl -o result",
         "\"ride\"\n{\"_id\": \"d\", \"title\": \"a\", \"text\": \"dog\"}\n", false},
        {ENCODE "-p mean --tokens -f json --input jsonl",
         "{\"text\": \"dog\", \"id\": 1, \"more\": [1.50, {}]}\n", false},
        {ENCODE "--input jsonl -p mean", "[\"i\", \"ride\"]\n{\"ids\": [1, 2], \"mask\": [1, 0]}\n",
         false},
        {ENCODE "--max-tokens 2 --on-long chunk -f json", INPUT, false},
    };
    EVERY_FAULT(cases);
}

TEST(tokens_and_masks)
{
    static const struct fault_case cases[] = {
        {ENCODE "--tokens", INPUT, false},
        {ENCODE "--tokens -f json -o result", INPUT, false},
        {ENCODE "--tokens -f ids", INPUT, false},
        {COMPARE("mask") "--pad-to 4 --mask causal i ride", NULL, false},
    };
    EVERY_FAULT(cases);
}

TEST(several_texts)
{
    static const struct fault_case cases[] = {
        {COMPARE("similarity"), INPUT, false},
        {COMPARE("similarity") "-f json -o result", INPUT, false},
        {COMPARE("pairs") "--input jsonl -f json -o result", "[\"i\", \"ride\"]\n", false},
        {ENCODE "--rank ride", INPUT, false},
        {ENCODE "--rank ride -f json --top 1", INPUT, false},
        {COMPARE("words") "ride dog", NULL, false},
    };
    EVERY_FAULT(cases);
}

TEST(heads)
{
    static const struct fault_case cases[] = {
        {"encode -m ../mask.head --fill dog [MASK]", NULL, false},
        {"encode -m ../lexical.emb -p sparse -f npz -o result", "dog cat\ngood\n", false},
        {"encode -m ../lexical.emb -p colbert -f npy -o result", "dog cat\ngood\n", false},
        {"encode -m ../lexical.emb -p sparse dog", NULL, false},
        {"encode -m ../mask.head --fill -f json", "dog [MASK]\n", false},
        {"encode -m ../sequence.head --labels", "good\nbad\n", false},
        {"encode -m ../sequence.head --labels --all -f csv -o result", "good\nbad\n", false},
        {"encode -m ../token.head --entities", "paul smith in rome\n", false},
        {"encode -m ../pair.head --rank dog", "dog\nrome\n", false},
    };
    EVERY_FAULT(cases);
}
