/* encode --similarity --pairs: the cosine of each pair, which is that of the table, in order. */
#include "tests/tools/encode/head_models.h"
#include "tests/tools/shell.h"

SET_UP()
{
    shell_setup();
    head_models_write();
}

TEST(a_number_for_each_pair)
{
    assert_string_equal(
        shell_expect(0, "$ENCODE -m bare.emb --similarity --pairs dog 'dog cat' dog rome")->out,
        "0.8660254\n0.6666667\n");
    assert_string_equal(
        shell_expect(0,
                     "printf '[\"dog\", \"dog cat\"]\\n{\"pair\": \"rome\", \"text\": \"dog\"}\\n' "
                     "| $ENCODE -m bare.emb --similarity --pairs --input jsonl")
            ->out,
        "0.8660254\n0.6666667\n");
    assert_string_equal(
        shell_expect(0, "$ENCODE -m bare.emb --similarity --pairs --input jsonl </dev/null")->out,
        "");
    assert_string_equal(shell_expect(0, "$ENCODE -m bare.emb --no-special -p mean --similarity "
                                        "--pairs dog ''")
                            ->out,
                        "0.0\n");
}

TEST(formats)
{
    const char *pairs = "dog 'dog cat' dog \"$(printf 'ro\\nme')\"";
    assert_contains(
        shell_expect(0, "$ENCODE -m bare.emb --similarity --pairs -f json %s", pairs)->out,
        "{\"text\": \"dog\", \"pair\": \"dog cat\", \"similarity\": 0.8660254}\n"
        "{\"text\": \"dog\", \"pair\": \"ro\\nme\", \"similarity\": ");
    assert_contains(
        shell_expect(0, "$ENCODE -m bare.emb --similarity --pairs -f csv %s", pairs)->out,
        "index,text,pair,similarity\r\n0,dog,dog cat,0.8660254\r\n1,dog,\"ro\nme\",");
}

/* Many batches: the order is that of the input, and nothing of one pair is left in another. */
TEST(more_pairs_than_a_batch_has)
{
    shell_expect(0, "for i in $(seq 3000); do echo '[\"dog\", \"dog cat\"]'; "
                    "echo '[\"dog\", \"rome\"]'; done > many.jsonl");
    assert_string_equal(shell_expect(0, "$ENCODE -m bare.emb --similarity --pairs --input jsonl "
                                        "<many.jsonl | paste - - | sort | uniq -c | tr -s ' '")
                            ->out,
                        " 3000 0.8660254\t0.6666667\n");
}

/* With a row for each id of the vocabulary a call takes few texts: a batch goes in several. */
TEST(sparse_weights)
{
    shell_expect(0, "$NEW -o many.weights --layers 0 --width 8 --head mask --set sparse=mask "
                    "--pooling none");
    shell_expect(0, "for i in $(seq 700); do echo '[\"dog\", \"dog\"]'; "
                    "echo '[\"the dog\", \"rides\"]'; done > many.jsonl");
    assert_string_equal(
        shell_expect(0, "one=$($ENCODE -m many.weights --similarity --pairs 'the dog' rides) && "
                        "$ENCODE -m many.weights --similarity --pairs --input jsonl <many.jsonl | "
                        "paste - - | sed \"s/$one/that/\" | uniq -c | tr -s ' '")
            ->out,
        " 700 1.0\tthat\n");
}

TEST(what_is_no_pair)
{
    const struct shell_result *result =
        shell_expect(1, "printf '[\"dog\", \"dog cat\"]\\n\"dog\"\\n' | "
                        "$ENCODE -m bare.emb --similarity --pairs --input jsonl");
    assert_string_equal(result->out, "0.8660254\n");
    assert_contains(result->err, "line 2 of stdin: --pairs takes two texts");
    assert_contains(shell_expect(1, "echo '{\"ids\": [4]}' | $ENCODE -m bare.emb --similarity "
                                    "--pairs --input jsonl")
                        ->err,
                    "line 1 of stdin: --pairs takes two texts");
    result = shell_expect(1, "$ENCODE -m bare.emb --similarity --pairs dog 'dog cat' dog '%s'",
                          "a a a a a a a a a a a a a a a a");
    assert_string_equal(result->out, "0.8660254\n");
    assert_contains(result->err, "text 2 has 18 tokens and the limit is 12");
}

TEST(contradictions)
{
    static const char *const cases[][2] = {
        {"--pairs a b", "--pairs requires --similarity"},
        {"--similarity --pairs a b c", "the last one has none beside it"},
        {"--similarity --pairs </dev/null", "--pairs reads pairs of JSON lines"},
        {"--similarity --pairs -f npy a b", "are text, json or csv"},
        {"--similarity --pairs --on-long chunk a b", "goes without --on-long chunk"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_contains(shell_expect(2, "$ENCODE -m bare.emb %s", cases[i][0])->err, cases[i][1]);
}
