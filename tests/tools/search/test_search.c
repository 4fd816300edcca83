/* encode-search beside encode --rank, which encodes the corpus again: the same texts in the same
 * order, in every format; what a row is of; candidates by a cross-encoder; one query at a time. */
#include "tests/tools/encode/head_models.h"
#include "tests/tools/shell.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORPUS                                                                                     \
    "printf '%%s\\n' 'dog cat' bad good 'paul smith in rome' 'the dog .' cat 'good dog' >corpus "

SET_UP()
{
    shell_set_program("SEARCH", "encode-search");
    shell_setup();
    head_models_write();
    shell_expect(0, CORPUS "&& $ENCODE -m plain.emb -p mean -f npy -o mean.npy <corpus");
}

/* The text with its scores to three decimals: kernels sum in orders of their own. Valid until the
 * next call. */
static const char *rounded(const char *text)
{
    static char out[4096];
    size_t n = 0;
    while (*text != '\0') {
        char *end = (char *)(uintptr_t)text + 1;
        bool is_score = text[strspn(text, "0123456789")] == '.' && text[0] != '.';
        if (is_score)
            n += (size_t)snprintf(out + n, sizeof out - n, "%.3f", strtod(text, &end));
        else
            out[n++] = *text;
        assert_true(n + 1 < sizeof out);
        text = end;
    }
    out[n] = '\0';
    return out;
}

/* ---- Formats ---- */

TEST(a_table)
{
    const char *out =
        shell_expect(0, "$SEARCH -m plain.emb -p mean -k 3 mean.npy corpus --query dog")->out;
    assert_contains(out, ": 7 rows, width 14 (f32), cosine\n\nquery 1: dog\n");
    assert_contains(
        out,
        "rank     score  id  text\n   1    0.8660  1   dog cat\n   2    0.8660  7   good dog\n");
    assert_lines(out, 7);
    assert_lacks(shell_expect(0, "$SEARCH -m plain.emb -p mean mean.npy --query dog")->out,
                 "the dog");
}

/* Ties are in the order of rows: "dog cat" and "good dog" are as near to "dog". */
TEST(json)
{
    assert_string_equal(
        rounded(
            shell_expect(0, "echo dog | $SEARCH -m plain.emb -p mean -k 2 -f json mean.npy corpus")
                ->out),
        "{\"query\": \"dog\", \"hits\": [{\"rank\": 1, \"score\": 0.866, \"row\": 0, \"line\": "
        "1, \"text\": \"dog cat\"}, {\"rank\": 2, \"score\": 0.866, \"row\": 6, \"line\": 7, "
        "\"text\": \"good dog\"}]}\n");
}

TEST(tabs)
{
    shell_expect(0, "printf 'a\\tb\\rc\\n' >one && $ENCODE -m plain.emb -p mean -f npy -o one.npy "
                    "<one");
    assert_string_equal(
        rounded(shell_expect(
                    0, "printf 'cat\\ndog\\n' | $SEARCH -m plain.emb -p mean -f tsv one.npy one")
                    ->out),
        "1\t1\t1\t0.348\ta b c\n2\t1\t1\t0.348\ta b c\n");
}

TEST(run_files)
{
    shell_expect(0, "printf '%%s\\n' '{\"_id\": \"q7\", \"text\": \"dog\"}' '{\"id\": 12, "
                    "\"text\": \"cat\"}' '\"bad\"' >queries");
    const char *out =
        rounded(shell_expect(0, "$SEARCH -m plain.emb -p mean -k 1 -f trec --input jsonl "
                                "mean.npy <queries")
                    ->out);
    assert_string_equal(out, "q7 Q0 1 1 0.866 encode-search\n"
                             "12 Q0 6 1 1.000 encode-search\n"
                             "3 Q0 2 1 1.000 encode-search\n");
    assert_contains(
        rounded(shell_expect(0, "$SEARCH -m plain.emb -p mean -k 1 -f json --input jsonl "
                                "mean.npy <queries")
                    ->out),
        "{\"id\": \"q7\", \"query\": \"dog\", ");
    assert_contains(
        shell_expect(1, "echo '{\"id\": \"q 7\", \"text\": \"dog\"}' | $SEARCH -m plain.emb -p "
                        "mean -f trec --input jsonl mean.npy")
            ->err,
        "-f trec: the id 'q 7' of a query is empty, or has a blank");
}

/* ---- The same as ranks ---- */

/* Of every text: its number and its score, best first. */
static void same_as_rank(const char *model, const char *pooling, const char *vectors,
                         const char *options)
{
    shell_expect(0, "$ENCODE -m %s -p %s -f %s -o vectors.%s <corpus", model, pooling, vectors,
                 vectors);
    shell_expect(0,
                 "$ENCODE -m %s %s -f csv --rank 'cat dog' <corpus | tail -n +2 | tr -d '\\r' "
                 "| awk -F, '{print $1, $2 + 1, $3}' >expected",
                 model, options);
    shell_expect(0,
                 "$SEARCH -m %s -f tsv vectors.%s --query 'cat dog' | awk '{print $2, $3, $4}' "
                 ">found && diff expected found",
                 model, vectors);
}

TEST(sparse_weights_and_vectors_of_tokens)
{
    same_as_rank("lexical.emb", "sparse", "npz", "-p sparse");
    same_as_rank("splade.head", "model", "npz", "");
    same_as_rank("lexical.emb", "colbert", "npy", "-p colbert");
    same_as_rank("colbert.emb", "model", "npy", ""); /* with its prompts */
}

TEST(prompts)
{
    shell_expect(0, "$ENCODE -m plain.emb -p model --prompt passage -f npy -o model.npy <corpus");
    const char *own = "$SEARCH -m plain.emb -f tsv model.npy --query dog";
    const char *ranked = "$ENCODE -m plain.emb --rank dog -f csv <corpus | tr -d '\\r' | awk -F, "
                         "'NR > 1 {print $2 + 1}' >expected";
    shell_expect(0, "%s && %s | awk '{print $3}' | diff expected -", ranked, own);
    shell_expect(0,
                 "%s >own && %s --query-prompt query | diff own - && ! %s --no-prompt | diff -q "
                 "own -",
                 own, own, own);
    assert_contains(shell_expect(2, "%s --query-prompt nonsense", own)->err, "query, passage");
}

TEST(columns_that_are_cut)
{
    shell_expect(0, "$ENCODE -m plain.emb -p mean --dimensions 6 -f npy -o cut.npy <corpus");
    assert_contains(
        rounded(shell_expect(
                    0, "$SEARCH -m plain.emb -p mean --dimensions 6 -f tsv cut.npy --query cat")
                    ->out),
        "1\t1\t6\t1.000\n");
    assert_contains(shell_expect(1, "$SEARCH -m plain.emb -p mean cut.npy --query cat")->err,
                    "'cut.npy' has rows of 6 columns, and plain.emb makes vectors of 14");
    shell_expect(0, "$ENCODE -m plain.emb -p mean -f npy -o whole.npy <corpus");
    assert_contains(
        shell_expect(1, "$SEARCH -m plain.emb -p mean --dimensions 6 whole.npy --query cat")->err,
        "'whole.npy' has rows of 14 columns, and --dimensions cuts queries to 6");
}

/* ---- Rows ---- */

/* Windows of a text: the text format and JSON show them, a run file has the best of each text. */
TEST(windows)
{
    shell_expect(0, "printf '%%s\\n' 'cat cat cat bad bad bad dog cat bad' 'dog' >long && "
                    "$ENCODE -m bare.emb -p mean --max-tokens 5 --on-long chunk -f npy -o long.npy "
                    "<long && test $(wc -l <long.npy.rows.jsonl) = 4");
    const char *out =
        shell_expect(0, "$SEARCH -m bare.emb -p mean long.npy long --query 'dog cat bad'")->out;
    assert_contains(out, "rank     score  id  window  span   text\n"
                         "   1    1.0000  1   3/3     24-35  dog cat bad\n");
    assert_contains(
        shell_expect(0, "$SEARCH -m bare.emb -p mean -f json long.npy long --query 'dog cat bad'")
            ->out,
        "\"row\": 2, \"line\": 1, \"window\": 2, \"windows\": 3, \"begin\": 24, \"end\": 35, "
        "\"text\": \"dog cat bad\"}");
    shell_expect(0, "$SEARCH -m bare.emb -p mean -f trec -k 2 long.npy --query 'bad cat' | cut -d' "
                    "' -f3,4 >run && printf '1 1\\n2 2\\n' | diff run -");
}

TEST(ids)
{
    shell_expect(0, "sed 's/.*/{\"_id\": \"d&\", \"title\": \"\", \"text\": \"&\"}/' corpus "
                    ">corpus.jsonl && $ENCODE -m plain.emb -p mean --input jsonl -f npy -o ids.npy "
                    "<corpus.jsonl");
    assert_contains(
        rounded(shell_expect(0, "$SEARCH -m plain.emb -p mean -f tsv -k 1 ids.npy corpus.jsonl "
                                "--query cat")
                    ->out),
        "1\t1\tdcat\t1.000\tcat\n");
    assert_contains(
        shell_expect(1, "$SEARCH -m plain.emb -p mean -f trec ids.npy --query dog")->err,
        "the id 'ddog cat' of a text is empty, or has a blank");
    /* A file that belongs to other vectors. */
    shell_expect(0, "cp mean.npy other.npy; head -n 6 ids.npy.rows.jsonl >other.npy.rows.jsonl");
    assert_contains(shell_expect(1, "$SEARCH -m plain.emb -p mean other.npy --query dog")->err,
                    "the file belongs to other vectors");
    shell_expect(0, "sed 's/}//' ids.npy.rows.jsonl >other.npy.rows.jsonl");
    shell_expect(1, "$SEARCH -m plain.emb -p mean other.npy --query dog");
    assert_contains(
        shell_expect(1, "head -n 2 corpus >two; $SEARCH -m plain.emb -p mean mean.npy two --query "
                        "cat")
            ->err,
        "'two' has 2 lines, and 'mean.npy' was made of 7: it is not the file that was encoded");
    assert_contains(
        shell_expect(1, "cat corpus corpus >twice; $SEARCH -m plain.emb -p mean mean.npy twice "
                        "--query cat")
            ->err,
        "'twice' has 14 lines, and 'mean.npy' was made of 7:");
    assert_contains(
        shell_expect(1, "head -n 6 corpus.jsonl >six.jsonl; $SEARCH -m plain.emb -p mean ids.npy "
                        "six.jsonl --query cat")
            ->err,
        "'six.jsonl' has 6 lines, and 'ids.npy' was made of at least 7:");
    /* Lines that were left out have no rows, and an empty last line of JSON is none. */
    shell_expect(0, "(cat corpus.jsonl; echo '{\"text\": 7}') >more.jsonl && $SEARCH -m plain.emb "
                    "-p mean --no-check ids.npy more.jsonl --query cat");
    shell_expect(0,
                 "(sed 's/.*/\"&\"/' corpus; echo) >quoted.jsonl && $ENCODE -m plain.emb -p mean "
                 "--input jsonl -f npy -o quoted.npy <quoted.jsonl && $SEARCH -m plain.emb -p "
                 "mean quoted.npy quoted.jsonl --query cat");
    assert_contains(
        shell_expect(
            1, "tac corpus.jsonl >other.jsonl; $SEARCH -m plain.emb -p mean --no-check ids.npy "
               "other.jsonl --query cat")
            ->err,
        "has another id than its row in 'ids.npy'");
}

/* The digits of numbers too, also of those that no 64 bits hold. */
TEST(ids_as_they_came)
{
    shell_expect(0, "printf '{\"id\": %%s, \"text\": \"%%s\"}\\n' 0.1 dog "
                    "123456789012345678901234567890 cat 1.50 bad '\"a\"' good >numbers.jsonl && "
                    "$ENCODE -m plain.emb -p mean --input jsonl -f npy -o numbers.npy "
                    "<numbers.jsonl");
    assert_string_equal(
        shell_expect(0, "printf '\"%%s\"\\n' dog cat bad good | $SEARCH -m plain.emb -p mean "
                        "--input jsonl -f tsv -k 1 numbers.npy | cut -f 3")
            ->out,
        "0.1\n123456789012345678901234567890\n1.50\na\n");
    assert_contains(shell_expect(0, "$SEARCH -m plain.emb -p mean -f json -k 1 numbers.npy --query "
                                    "cat")
                        ->out,
                    "\"row\": 1, \"line\": 2, \"id\": 123456789012345678901234567890}");
}

/* More lines than a block of the index has, and the last without an end. */
TEST(many_lines)
{
    shell_expect(0, "seq 20000 | sed 's/$/ dog/; 19999s/.*/cat/; 20000s/.*/cat bad/' | head -c -1 "
                    ">many && $ENCODE -m plain.emb -p mean -f npy -o many.npy <many");
    assert_string_equal(
        rounded(shell_expect(
                    0, "printf 'cat\\n\\x22\\ncat bad\\n' | $SEARCH -m plain.emb -p mean -f tsv "
                       "-k 1 many.npy many")
                    ->out),
        "1\t1\t19999\t1.000\tcat\n2\t1\t1\t0.866\t1 dog\n3\t1\t20000\t1.000\tcat bad\n");
}

/* ---- Cross-encoders ---- */

TEST(reranked)
{
    const char *search = "$SEARCH -m plain.emb -p mean --rerank pair.head";
    shell_expect(0, "$ENCODE -m pair.head --rank bad -f csv <corpus | tr -d '\\r' | awk -F, 'NR > "
                    "1 {print $2 + 1, $3}' | sort >expected");
    shell_expect(0,
                 "%s -f tsv mean.npy corpus --query bad | awk '{print $3, $4}' >found; sort "
                 "found | diff expected - && sort -srgk2 found | diff found -",
                 search);
    /* Of one candidate only that one, with both scores. */
    assert_contains(
        rounded(
            shell_expect(0, "%s -f json --candidates 1 -k 1 mean.npy corpus --query cat", search)
                ->out),
        "\"score\": -0.500, \"score_by_vector\": 1.000, \"row\": 5,");
    assert_contains(shell_expect(2, "%s mean.npy --query cat", search)->err, "reads the texts");
    assert_contains(
        shell_expect(2, "%s -k 9 --candidates 8 mean.npy corpus --query cat", search)->err,
        "less than --top");
    assert_contains(
        shell_expect(1, "$SEARCH -m plain.emb -p mean --rerank bare.emb mean.npy corpus --query a")
            ->err,
        "--rerank takes a cross-encoder");
    shell_expect(0, "sed 's/^cat$/cat " LONG_TEXT "/' corpus >longer");
    assert_contains(shell_expect(1, "%s --no-check mean.npy longer --query cat", search)->err,
                    "--rerank: after the query, text 6 has 19 tokens and the limit is 12: "
                    "--on-long truncate cuts it");
    assert_contains(
        shell_expect(0, "%s --on-long truncate --no-check mean.npy longer --query cat", search)
            ->err,
        "text 6 was cut: 12 of 19 tokens are read");
}

/* ---- Streams ---- */

/* A query that is there is answered, and a file of vectors that is cut off ends the program with a
 * message. */
TEST(a_query_at_a_time)
{
    const struct shell_result *result = shell_expect(
        1, "cp mean.npy served.npy; rm -f in; mkfifo in; $SEARCH -m plain.emb -p mean served.npy "
           "<in >early & exec 3>in; echo cat >&3; $AWAIT 1.0000 early; "
           ": >served.npy; echo dog >&3; exec 3>&-; wait $!");
    assert_contains(result->err, "a file was overwritten or cut off while it was in use");
    shell_expect(0, "grep '1.0000  6' early");
}

TEST(queries_that_fail)
{
    const struct shell_result *result = shell_expect(
        1, "printf 'cat\\n%s\\n' | $SEARCH -m plain.emb -p mean -f tsv -k 1 mean.npy", LONG_TEXT);
    assert_string_equal(rounded(result->out), "1\t1\t6\t1.000\n");
    assert_contains(result->err, "line 2 of stdin has 18 tokens and the limit is 12");
    result = shell_expect(0,
                          "printf 'cat\\n%s\\n%s\\n' | $SEARCH -m plain.emb -p mean -f tsv -k 1 "
                          "--on-long truncate mean.npy",
                          LONG_TEXT, LONG_TEXT);
    assert_lines(result->out, 3);
    assert_contains(result->err, "line 2 of stdin was cut to 12 of its 18 tokens");
    assert_contains(result->err, "2 of 3 queries were cut");
    assert_contains(shell_expect(1, "echo '[\"a\", \"b\"]' | $SEARCH -m plain.emb -p mean --input "
                                    "jsonl mean.npy")
                        ->err,
                    "line 1 of stdin: a query is a single text");
    /* More than a group takes. */
    shell_expect(0, "yes cat | head -n 2500 | $SEARCH -m plain.emb -p mean -f trec -k 1 mean.npy | "
                    "tail -n 1 | grep '2500 Q0 6 1'");
}

/* The last row begins with NaN. */
TEST(rows_without_scores)
{
    shell_expect(
        0, "{ head -c -56 mean.npy; printf '\\0\\0\\300\\177'; tail -c 52 mean.npy; } >nan.npy");
    const struct shell_result *result =
        shell_expect(1, "printf 'cat\\ndog\\n' | $SEARCH -m plain.emb -p mean -f tsv nan.npy");
    assert_string_equal(result->out, "");
    assert_contains(result->err, "'nan.npy': row 6 has no scores: it has NaN or an infinity");
    assert_contains(result->err, "(1 such row); the others can be searched with --on-error skip");
    result = shell_expect(0, "printf 'cat\\ndog\\n' | $SEARCH -m plain.emb -p mean -f tsv "
                             "--on-error skip nan.npy");
    assert_lines(result->out, 12);
    assert_contains(result->err, "1 of 7 rows of 'nan.npy' have no scores");
}

/* What was perhaps meant otherwise is said once, and searched. */
TEST(queries_that_surprise)
{
    const struct shell_result *result = shell_expect(
        0, "printf 'cat \\377\\n\\377 dog\\n' | $SEARCH -m plain.emb -p mean -f tsv -k 1 mean.npy");
    assert_lines(result->out, 2);
    assert_string_equal(result->err, "encode-search: line 1 of stdin is not UTF-8: each invalid "
                                     "part is read as U+FFFD\n");
    result =
        shell_expect(0, "echo '{\"text\": \"cat\"}' | $SEARCH -m plain.emb -p mean -f tsv -k 1 "
                        "mean.npy");
    assert_contains(result->err, "encode-search: line 1 of stdin looks like JSON, and is read as");
    result = shell_expect(
        0, "printf 'qwx.\\ncat\\n' | $SEARCH -m plain.emb -p mean -f tsv -k 1 mean.npy");
    assert_string_equal(result->err, "encode-search: line 1 of stdin: the model knows 0 of its 1 "
                                     "word; texts of unknown words get nearly the same vector\n");
}

TEST(outputs)
{
    shell_expect(0, "$SEARCH -m plain.emb -p mean -o result mean.npy --query cat && grep -q cat "
                    "result");
    assert_contains(
        shell_expect(2, "$SEARCH -m plain.emb -p mean -o mean.npy mean.npy --query cat")->err,
        "is read");
    shell_expect(0, "$ENCODE -m plain.emb -p mean -f npy -o none.npy </dev/null");
    assert_string_equal(
        shell_expect(0, "$SEARCH -m plain.emb -p mean -f json none.npy --query cat")->out,
        "{\"query\": \"cat\", \"hits\": []}\n");
}
