/* What encode makes of heads, prompts and poolings, with models whose answers are worked out by
 * hand (head_models.h). */
#include "tests/tools/encode/head_models.h"
#include "tests/tools/shell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

SET_UP()
{
    shell_setup();
    head_models_write();
}

/* The number behind the n-th occurrence, from 1, of a key. */
static double number_after(const char *text, const char *key, size_t n)
{
    for (; n > 0; n--) {
        text = strstr(text, key);
        if (!text)
            fail_msg("%s is not there", key);
        text += strlen(key);
    }
    return strtod(text, NULL);
}

static void assert_near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-6))
        fail_msg("%.9g, expected %.9g", got, expected);
}

/* ---- Labels ---- */

TEST(labels_of_texts)
{
    const double sum_good = exp(2) + 2, sum_bad = exp(3) + 2;
    const char *out =
        shell_expect(0, "$ENCODE -m sequence.head --labels --all -f json 'good dog' bad")->out;
    assert_contains(out, "{\"text\": \"good dog\", \"label\": \"GOOD\", \"score\": ");
    assert_contains(out, "{\"text\": \"bad\", \"label\": \"BAD\", \"score\": ");
    assert_contains(out, "{\"label\": \"LABEL_2\", \"score\": ");
    assert_near(number_after(out, "\"labels\": [{\"label\": \"GOOD\", \"score\": ", 1),
                exp(2) / sum_good);
    assert_near(number_after(out, "\"labels\": [{\"label\": \"BAD\", \"score\": ", 1),
                exp(3) / sum_bad);
    assert_near(number_after(out, "{\"label\": \"LABEL_2\", \"score\": ", 1), 1 / sum_good);
    assert_lines(out, 2);

    out = shell_expect(0, "$ENCODE -m sequence.head --labels -f json bad")->out;
    assert_lacks(out, "\"labels\"");
    assert_contains(out, ", \"truncated\": false}\n");
    assert_string_equal(
        shell_expect(0, "$ENCODE -m sequence.head --labels --raw-scores -f csv bad 'good,'  in")
            ->out,
        "index,text,pair,label,score\r\n0,bad,,BAD,3.0\r\n1,\"good,\",,BAD,0.0\r\n"
        "2,in,,BAD,0.0\r\n");
    out = shell_expect(0, "$ENCODE -m sequence.head --labels --all good --pair bad")->out;
    assert_contains(out, "3 labels per text (softmax), at most 12 tokens\n");
    assert_contains(out, "\n     1  good | bad                      GOOD      0.7870  BAD  ");
}

/* A text without tokens has no label, and what stands there is no score. */
TEST(no_label)
{
    const struct shell_result *result =
        shell_expect(0, "$ENCODE -m sequence.head --labels '' bad --no-special");
    assert_contains(result->err, "text 1 has no tokens: it has no label");
    assert_lacks(result->out, "0.0000");
    assert_contains(result->out, " -  ");
    const char *out =
        shell_expect(0, "$ENCODE -m sequence.head --labels -f json --no-special ''")->out;
    assert_string_equal(
        out, "{\"text\": \"\", \"label\": null, \"score\": null, \"truncated\": false}\n");
    out = shell_expect(0, "$ENCODE -m sequence.head --labels --all -f json --no-special ''")->out;
    assert_contains(out, "\"label\": null, \"score\": null, \"labels\": [], ");
    out = shell_expect(0, "$ENCODE -m sequence.head --labels --all -f csv --no-special ''")->out;
    assert_contains(out, "index,text,pair,label,score\r\n0,,,,\r\n");
    assert_int_equal(count_lines(out), 2);
}

TEST(labels_of_tokens)
{
    const char *out = shell_expect(0, "$ENCODE -m token.head --labels 'smith in'")->out;
    assert_contains(out,
                    "\n0  [CLS]   1     -  O       0.9479\n1  smith   9   0-5  I-PER   0.9479\n");
    out = shell_expect(0, "$ENCODE -m token.head --labels --all -f json smith")->out;
    assert_contains(out, "\"text\": \"smith\", \"id\": 9, \"type\": 0, \"span\": [0, 5], "
                         "\"special\": false, \"label\": \"I-PER\", \"score\": 0.9479");
    const char *smith = strstr(out, "\"smith\", \"id\"");
    assert_non_null(smith);
    assert_near(number_after(smith, "\"label\": \"I-PER\", \"score\": ", 1), exp(4) / (exp(4) + 3));
    assert_near(number_after(smith, "{\"label\": \"B-LOC\", \"score\": ", 1), 1 / (exp(4) + 3));
    assert_lines(shell_expect(0, "$ENCODE -m token.head --labels --all -f csv smith")->out,
                 1 + 3 * 4);
    assert_contains(shell_expect(0, "$ENCODE -m token.head --labels --raw-scores -f csv rome")->out,
                    "index,token_index,text,id,begin,end,in_pair,masked,label,score\r\n"
                    "0,0,[CLS],1,,,,0,O,4.0\r\n0,1,rome,11,0,4,0,0,B-LOC,4.0\r\n");
}

/* ---- Entities ---- */

TEST(entities)
{
    const char *out =
        shell_expect(0, "$ENCODE -m token.head --entities 'dog paul smith in rome' cat")->out;
    assert_contains(out, "\ntext 1: dog paul smith in rome\nentity      label     score  span\n"
                         "paul smith  PER      0.9479  4-14\nrome        LOC      0.9479  18-22\n");
    assert_contains(out, "\ntext 2: cat\n(no entities)\n");
    out = shell_expect(0, "$ENCODE -m token.head --entities -f json paul --pair 'in rome'")->out;
    assert_contains(out, "{\"text\": \"paul\", \"pair\": \"in rome\", \"entities\": [{\"text\": "
                         "\"paul\", \"label\": \"PER\", \"score\": 0.947");
    assert_contains(out, ", \"span\": [0, 4]}, {\"text\": \"rome\", \"label\": \"LOC\", ");
    assert_contains(out, ", \"span\": [3, 7], \"in_pair\": true}], \"truncated\": false}\n");
    assert_string_equal(
        shell_expect(
            0, "printf 'cat\\nin rome\\n' | $ENCODE -m token.head --entities -f csv --raw-scores")
            ->out,
        "index,text,label,score,begin,end,in_pair\r\n1,rome,LOC,4.0,3,7,0\r\n");
    assert_contains(
        shell_expect(1, "echo '{\"ids\": [8]}' | $ENCODE -m token.head --entities --input jsonl")
            ->err,
        "line 1 of stdin: --entities takes texts");
}

/* Labels without B- and I- name an entity by themselves; a tag of another kind is a name too. */
TEST(entities_of_plain_labels)
{
    shell_expect(0, "$NEW -o tags.weights --words 'a b' --width 8 --layers 0 --head token --labels "
                    "LOC,ITEM,B_PER,OTHER --seed 3");
    const char *out = shell_expect(0, "$ENCODE -m tags.weights --entities -f csv 'a b a b'")->out;
    assert_contains(out, "\r\n0,a b,LOC,");
    assert_contains(out, "\r\n0,a,B_PER,");
}

/* ---- Words for mask tokens ---- */

TEST(fill)
{
    const double sum = exp(5) + exp(4) + exp(3) + 11;
    const char *out =
        shell_expect(0, "$ENCODE -m mask.head --fill --top 2 -f json 'the [MASK] in [MASK]'")->out;
    assert_contains(out, "\"masks\": [{\"token_index\": 2, \"span\": [4, 10], \"candidates\": "
                         "[{\"text\": \"rome\", \"id\": 11, \"score\": ");
    assert_contains(out, "}]}, {\"token_index\": 4, \"span\": [14, 20], \"candidates\": [");
    assert_near(number_after(out, "\"id\": 11, \"score\": ", 2), exp(5) / sum);
    assert_near(number_after(out, "\"id\": 8, \"score\": ", 1), exp(4) / sum);
    assert_lacks(out, "\"dog\"");
    out = shell_expect(0, "$ENCODE -m mask.head --fill '[MASK]'")->out;
    assert_contains(out, "\n[MASK] at token 1, bytes 0-6\n");
    assert_contains(out, "\n  rome         11       0.6340\n  paul          8       0.2332\n");
    assert_lines(out, 2 + 1 + 2 + 5);
    out = shell_expect(0, "echo '{\"ids\": [1, 3]}' | $ENCODE -m mask.head --fill --top 1 -f csv "
                          "--raw-scores --input jsonl")
              ->out;
    assert_string_equal(out, "index,token_index,begin,end,in_pair,text,id,score\r\n"
                             "0,1,,,,rome,11,5.0\r\n");
    assert_contains(shell_expect(0, "$ENCODE -m mask.head --fill dog cat -f json")->err,
                    "encode: text 1 has no [MASK]: there is nothing to fill\n");
    assert_contains(
        shell_expect(0, "$ENCODE -m mask.head --fill --on-long truncate '%s [MASK]'", LONG_TEXT)
            ->err,
        "encode: text 1 has no [MASK] in the part that was kept (--on-long chunk keeps all): there "
        "is nothing to fill\n");
    out = shell_expect(0, "$ENCODE -m mask.head --fill --raw-scores dog --pair '[MASK]'")->out;
    assert_contains(out, "[MASK] at token 3, pair bytes 0-6\n  word         id        logit\n");
    out = shell_expect(0, "$ENCODE -m mask.head --fill -f json dog --pair '[MASK]'")->out;
    assert_contains(out, "\"token_index\": 3, \"span\": [0, 6], \"in_pair\": true, \"candidates\"");
    assert_contains(shell_expect(0, "$ENCODE -m mask.head --fill dog")->out, "(no mask token)\n");
    /* More than there are words. */
    assert_lines(shell_expect(0, "$ENCODE -m mask.head --fill --top 99 -f csv '[MASK]'")->out, 15);
}

/* ---- Ranks ---- */

TEST(rank_by_pairs)
{
    const char *candidates = "printf 'cat\\ndog\\nin\\nrome the'";
    const char *out =
        shell_expect(0, "%s | $ENCODE -m pair.head --rank bad -f csv", candidates)->out;
    assert_string_equal(out, "rank,index,score,text\r\n1,3,3.0,rome the\r\n2,1,1.5,dog\r\n"
                             "3,2,0.0,in\r\n4,0,-0.5,cat\r\n");
    out =
        shell_expect(0, "%s | $ENCODE -m pair.head --rank bad --in-order -f csv", candidates)->out;
    assert_string_equal(out, "index,score,text\r\n0,-0.5,cat\r\n1,1.5,dog\r\n2,0.0,in\r\n"
                             "3,3.0,rome the\r\n");
    out = shell_expect(0, "%s | $ENCODE -m pair.head --rank bad --top 2 -f json", candidates)->out;
    assert_string_equal(out, "{\"query\": \"bad\", \"rank\": 1, \"index\": 3, \"score\": 3.0, "
                             "\"text\": \"rome the\", \"truncated\": false}\n"
                             "{\"query\": \"bad\", \"rank\": 2, \"index\": 1, \"score\": 1.5, "
                             "\"text\": \"dog\", \"truncated\": false}\n");
    out = shell_expect(0, "$ENCODE -m pair.head --rank bad cat dog")->out;
    assert_contains(out, "scores of pairs (logits)");
    assert_contains(out, "query: bad\n\n  rank       #     score  text\n"
                         "     1       2    1.5000  dog\n     2       1   -0.5000  cat\n");
}

TEST(rank_by_cosine)
{
    const char *out =
        shell_expect(0, "$ENCODE -m bare.emb --rank dog 'dog cat' rome dog -f csv")->out;
    assert_contains(out, "\r\n1,2,1.0,dog\r\n2,0,0.8660254,dog cat\r\n3,1,0.66666");
    out = shell_expect(0, "$ENCODE -m bare.emb -p max --no-special --rank dog 'dog cat' -f json")
              ->out;
    assert_near(number_after(out, "\"score\": ", 1), sqrt(0.5));
    /* Equals stay in the order of the input, over many batches. */
    out = shell_expect(0, "for i in $(seq 700); do echo dog; done | $ENCODE -m bare.emb --rank dog "
                          "--top 600 -f csv | tail -1")
              ->out;
    assert_string_equal(out, "600,599,1.0,dog\r\n");
}

TEST(rank_failures)
{
    const char *err =
        shell_expect(1, "printf 'dog\\n%s\\n' | $ENCODE -m bare.emb --rank dog", LONG_TEXT)->err;
    assert_contains(err, "line 2 of stdin has 18 tokens and the limit is 12: --on-long truncate");
    const struct shell_result *result =
        shell_expect(1, "$ENCODE -m bare.emb --rank dog --in-order -f csv cat '%s'", LONG_TEXT);
    assert_contains(result->out, "\r\n0,0.66666");
    assert_contains(shell_expect(1, "$ENCODE -m bare.emb --rank '%s' dog", LONG_TEXT)->err,
                    "encode: the query has 18 tokens");
    result = shell_expect(0, "$ENCODE -m bare.emb --rank dog --on-long truncate -f json '%s'",
                          LONG_TEXT);
    assert_contains(result->out, "\"truncated\": true}\n");
    assert_contains(result->err, "encode: text 1 was cut to 12 of its 18 tokens\n");
    assert_contains(
        shell_expect(1, "echo '[\"dog\", \"cat\"]' | $ENCODE -m pair.head --rank dog --input jsonl")
            ->err,
        "line 1 of stdin: --rank takes single texts");
    assert_contains(
        shell_expect(1, "echo '{\"ids\": [4]}' | $ENCODE -m pair.head --rank dog --input jsonl")
            ->err,
        "line 1 of stdin: --rank takes single texts");
    assert_contains(shell_expect(1, "$ENCODE -m pair.head --rank dog cat '%s'", LONG_TEXT)->err,
                    "text 2 has 18 tokens and the limit is 12");
    assert_contains(shell_expect(0, "$ENCODE -m bare.emb --rank dog '' --no-special")->err,
                    "text 1 has no tokens: its score is 0");
    assert_lacks(shell_expect(0, "$ENCODE -m bare.emb --rank dog cat --in-order")->out, "rank");
    assert_lacks(shell_expect(0, "$ENCODE -m bare.emb --rank dog cat --in-order -f json")->out,
                 "\"rank\"");
    assert_string_equal(shell_expect(0, "$ENCODE -m bare.emb --rank dog -f csv </dev/null")->out,
                        "rank,index,score,text\r\n");
    assert_lines(shell_expect(0, "$ENCODE -m bare.emb --rank dog --top 9 cat '' -f json")->out, 2);
    assert_contains(shell_expect(2, "$ENCODE -m pair.head -p mean --rank dog cat")->err,
                    "which reads both texts");
    assert_contains(shell_expect(2, "$ENCODE -m bare.emb --raw-scores --rank dog cat")->err,
                    "ranks by vectors");
}

/* ---- Similarity ---- */

TEST(similarity)
{
    const char *out = shell_expect(0, "$ENCODE -m bare.emb --similarity dog 'dog cat' rome")->out;
    assert_contains(out, "\n     #         1        2        3  text\n"
                         "     1    1.0000   0.8660   0.6667  dog\n"
                         "     2    0.8660   1.0000   0.5774  dog cat\n"
                         "     3    0.6667   0.5774   1.0000  rome\n");
    assert_string_equal(
        shell_expect(0, "printf 'dog\\ndog cat\\n' | $ENCODE -m bare.emb --similarity -f json")
            ->out,
        "{\"texts\": [\"dog\", \"dog cat\"], \"similarity\": [[1.0, 0.8660254], [0.8660254, 1.0]], "
        "\"truncated\": [false, false]}\n");
    assert_string_equal(
        shell_expect(0, "printf '\"dog\"\\n[\"dog\", \"cat\"]\\n' | $ENCODE -m bare.emb "
                        "--no-special --similarity -f csv --input jsonl")
            ->out,
        "index,text,pair,s0,s1\r\n0,dog,,1.0,0.70710677\r\n1,dog,cat,0.70710677,1.0\r\n");
    /* Of many texts in one call the one that is wrong is named. */
    assert_contains(shell_expect(1,
                                 "printf '\"dog\"\\n{\"ids\": [4,4,4,4,4,4,4,4,4,4,4,4,4]}\\n' | "
                                 "$ENCODE -m bare.emb --similarity --input jsonl")
                        ->err,
                    "encode: line 2 of stdin has 13 ids and the limit is 12: ");
    assert_contains(shell_expect(1, "echo dog | $ENCODE -m bare.emb --similarity")->err,
                    "at least two texts; stdin has one");
    assert_contains(shell_expect(1, "$ENCODE -m bare.emb --similarity </dev/null")->err,
                    "at least two texts; stdin has none");
    assert_contains(shell_expect(1, "$ENCODE -m bare.emb --similarity dog '%s'", LONG_TEXT)->err,
                    "text 2 has 18 tokens and the limit is 12");
    assert_string_equal(
        shell_expect(0, "printf '[\"dog\", \"cat\"]\\n{\"ids\": [4]}\\n' | $ENCODE -m bare.emb "
                        "--similarity -f json --input jsonl | cut -c -40")
            ->out,
        "{\"texts\": [[\"dog\", \"cat\"], null], \"simil\n");
    assert_lines(
        shell_expect(
            0, "for i in $(seq 300); do echo dog; done | $ENCODE -m bare.emb --similarity -f csv")
            ->out,
        301);
}

/* ---- Poolings and what a model has not ---- */

TEST(poolings)
{
    assert_contains(
        shell_expect(0, "$ENCODE -m projected.emb -p model -f json --no-special '[CLS] dog'")->out,
        "\"vector\": [0.0, 0.5, 0.0], ");
    assert_contains(shell_expect(0, "$ENCODE -m projected.emb -p model cat")->out, "values ");
    assert_lines(shell_expect(0, "$ENCODE -m projected.emb -p mean -f csv cat")->out, 2);
    assert_contains(shell_expect(0, "$ENCODE -m projected.emb -p mean -f csv cat")->out,
                    ",v13\r\n");
    const char *out =
        shell_expect(0, "$ENCODE -m bare.emb -p weighted_mean --no-special -f json 'dog cat'")->out;
    assert_contains(out, "\"vector\": [0.0, 0.0, 0.0, 0.0, 0.33333334, 0.6666667, ");
    assert_contains(
        shell_expect(0, "$ENCODE -m bare.emb -p mean_sqrt --no-special -f json 'dog cat'")->out,
        "\"vector\": [0.0, 0.0, 0.0, 0.0, 0.70710677, 0.70710677, ");
    assert_contains(
        shell_expect(0, "$ENCODE -m bare.emb -p last --no-special -f json 'dog cat'")->out,
        "\"vector\": [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, ");
    assert_contains(shell_expect(0, "$ENCODE -m pooler.emb -p pooler -f json cat")->out,
                    "\"vector\": [0.0, 0.7615942, 0.0, ");
    assert_contains(shell_expect(1, "$ENCODE -m bare.emb -p pooler cat")->err,
                    "encode: -p pooler: the model has no pooler; the head of bare.emb is none\n");
}

TEST(missing_heads)
{
    static const char *const cases[][3] = {
        {"bare.emb", "--labels",
         "--labels needs a model with head sequence or token; the head of bare.emb is none"},
        {"mask.head", "--labels", "the head of mask.head is mask, for --fill"},
        {"sequence.head", "--entities",
         "--entities needs a model with head token; the head of sequence.head is sequence, for "
         "--labels"},
        {"token.head", "--fill",
         "--fill needs a model with head mask; the head of token.head is token, for --labels and "
         "--entities"},
        {"pooler.emb", "--fill", "the head of pooler.emb is pooler"},
        {"words.alone", "",
         "words.alone holds a tokenizer alone: --tokens and -f ids work, a vector needs a model"},
        {"words.alone", "--rank dog", "--rank needs a model"},
        {"words.alone", "-p mean", "needs a model"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct shell_result *result =
            shell_expect(1, "$ENCODE -m %s %s dog", cases[i][0], cases[i][1]);
        assert_contains(result->err, cases[i][2]);
        assert_string_equal(result->out, "");
        assert_lines(result->err, 1);
    }
    assert_string_equal(shell_expect(0, "$ENCODE -m words.alone -f ids 'dog cat'")->out,
                        "1 4 5 2\n");
    assert_contains(shell_expect(0, "$ENCODE -m words.alone --tokens dog")->out,
                    "words.alone: no model\nblanks tokenizer\n");
}

/* ---- Prompts ---- */

TEST(prompts)
{
    const char *out = shell_expect(0, "$ENCODE -m plain.emb --prompt passage -f json dog")->out;
    assert_contains(out, "{\"text\": \"the dog\", \"prompt\": \"the \", \"tokens\": [");
    assert_contains(out, "{\"text\": \"dog\", \"id\": 4, \"type\": 0, \"span\": [4, 7], ");
    assert_contains(
        shell_expect(0, "$ENCODE -m bare.emb --tokens -f ids --prompt-text 'in ' dog --pair cat")
            ->out,
        "1 10 4 2 5 2\n");
    /* The file's default goes with its pooling. */
    assert_contains(shell_expect(0, "$ENCODE -m plain.emb -p model -f json dog")->out,
                    "\"prompt\": \"bad \"");
    assert_lacks(shell_expect(0, "$ENCODE -m plain.emb -p mean -f json dog")->out, "\"prompt\"");
    assert_lacks(shell_expect(0, "$ENCODE -m plain.emb -p model --no-prompt -f json dog")->out,
                 "\"prompt\"");
    assert_lacks(
        shell_expect(0,
                     "echo '{\"ids\": [4]}' | $ENCODE -m plain.emb -p model -f json --input jsonl")
            ->out,
        "\"prompt\"");
    assert_contains(shell_expect(2, "$ENCODE -m plain.emb --prompt nope dog")->err,
                    "this model has no prompt 'nope': it has query, passage, style; --prompt-text "
                    "TEXT gives other words\n");
    assert_contains(shell_expect(2, "$ENCODE -m bare.emb --prompt nope dog")->err, "it has none");
    assert_contains(
        shell_expect(1, "echo '{\"ids\": [4]}' | $ENCODE -m plain.emb --prompt query --input jsonl")
            ->err,
        "ids are taken as they are");
    /* With --rank each side has its role. */
    assert_string_equal(shell_expect(0, "$ENCODE -m plain.emb --rank dog cat -f json")->out,
                        "{\"query\": \"good dog\", \"rank\": 1, \"index\": 0, \"score\": 0.5, "
                        "\"text\": \"the cat\", \"prompt\": \"the \", \"truncated\": false}\n");
    assert_contains(
        shell_expect(
            0, "$ENCODE -m plain.emb --rank dog cat -f json --prompt style --query-prompt passage")
            ->out,
        "{\"query\": \"the dog\", \"rank\": 1, \"index\": 0, \"score\": 0.5, \"text\": \"bad "
        "cat\", \"prompt\": \"bad \"");
}

/* ---- Misuse ---- */

TEST(prompts_that_are_not_there)
{
    assert_contains(
        shell_expect(2, "$ENCODE -m plain.emb --rank dog --query-prompt nosuch cat")->err,
        "--query-prompt: ");
    const char *err = shell_expect(2, "$ENCODE -m plain.emb -p model --prompt nosuch dog")->err;
    assert_contains(err, "--prompt: ");
    assert_contains(err, "; --prompt-text TEXT gives other words");
    assert_lines(shell_expect(0, "$ENCODE -m plain.emb -p model --prompt query '' -f csv")->out, 2);
    assert_lines(shell_expect(0, "$ENCODE -m plain.emb -p model --rank dog cat -f csv")->out, 2);
}

TEST(contradictions)
{
    static const char *const cases[] = {
        "--labels --fill a",
        "--rank q --similarity a b",
        "--tokens --labels a",
        "--labels -f npy a",
        "--entities -f ids a",
        "--labels -p mean a",
        "--fill --normalize a",
        "--rank q --pair b a",
        "--rank q -p none a",
        "--rank q --on-long chunk a",
        "--similarity a",
        "--similarity --on-long chunk a b",
        "--similarity -f npy a b",
        "--top 3 a",
        "--in-order a",
        "--query-prompt x a",
        "--rank q --in-order --top 2 a",
        "--raw-scores a",
        "--stride 2 a",
        "--prompt a --prompt-text b c",
        "--prompt a --no-prompt c",
        "--truncate-left --on-long error a",
        "--truncation only-first --on-long error a",
        "--truncation none a",
        "--on-long split a",
        "--compare --prompt-text x a b",
        "--compare --on-long chunk a b",
        "--top 0 --fill a",
        "--truncate-left --on-long chunk a",
        "-p first a",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct shell_result *result =
            shell_expect(2, "$ENCODE -m token.head %s </dev/null", cases[i]);
        assert_string_equal(result->out, "");
        assert_memory_equal(result->err, "encode: ", 8);
        assert_contains(result->err, "Try 'encode --help'.\n");
        assert_lines(result->err, 2);
    }
}
