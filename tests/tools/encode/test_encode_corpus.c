/* A corpus, encoded once: what else its lines say comes out again, and what each row of an array
 * is, is told beside the array. */
#include "tests/tools/encode/head_models.h"
#include "tests/tools/shell.h"

#include <string.h>

SET_UP()
{
    shell_setup();
}

/* ---- Members of JSON lines ---- */

static const char *json_of(const char *line)
{
    return shell_expect(
               0, "cat <<'END' | $ENCODE --input jsonl --no-special -f json -p cls\n%s\nEND", line)
        ->out;
}

/* Digits, order, nesting, escapes and blanks: nothing is written anew. */
TEST(members_come_out_as_they_came_in)
{
    assert_contains(
        json_of("{ \"z\" :1.10, \"text\": \"I\", \"a\":{\"b\": [1e5 , \"x}\\\"]\\\\\", {} ]},"
                "\"é\": null,\"n\": 184467440737095516150,\"empty\" : \"\" ,\"t\":true}"),
        "{\"text\": \"I\", \"z\": 1.10, \"a\": {\"b\": [1e5 , \"x}\\\"]\\\\\", {} ]}, \"é\": null, "
        "\"n\": 184467440737095516150, \"empty\": \"\", \"t\": true, \"vector\": [");
    assert_contains(json_of("{\"ids\": [2], \"id\": 7, \"mask\": null}"),
                    "{\"text\": null, \"id\": 7, \"vector\": [");
    assert_contains(json_of("{\"text\": \"I\",\t\"a\": [1,\t2]}"), "\"a\": [1, 2], \"vector\"");
}

/* Neither a double nor 64 bits hold them, and other numbers of the line are what they are. */
TEST(members_that_are_large_numbers)
{
    assert_contains(json_of("{\"ids\": [2], \"id\": 123456789012345678901234567890, \"a\": "
                            "[1e400,-1e999, 3]}"),
                    "\"id\": 123456789012345678901234567890, \"a\": [1e400,-1e999, 3], \"vector\"");
    assert_contains(
        shell_expect(1, "echo '{\"ids\": [184467440737095516150]}' | $ENCODE --input jsonl")->err,
        "\"ids\"[0] is not a whole number");
    assert_contains(shell_expect(1,
                                 "echo '{\"text\": \"I\", \"a\": [1e400, 01]}' | $ENCODE --input "
                                 "jsonl")
                        ->err,
                    "this is not JSON");
}

TEST(members_are_with_each_window)
{
    const char *out =
        shell_expect(
            0, "echo '{\"id\": 7, \"text\": \"I ride bike\"}' | $ENCODE --input jsonl -f json "
               "-p mean --no-special --max-tokens 2 --on-long chunk")
            ->out;
    assert_lines(out, 2);
    assert_contains(out, "\"of\": 2, \"span\": [0, 6]}, \"id\": 7, \"vector\": [");
    assert_contains(out, "\"of\": 2, \"span\": [7, 11]}, \"id\": 7, \"vector\": [");
}

/* A terminal obeys none of them, and a reader gets the same text. */
TEST(hidden_characters_of_members_are_escapes)
{
    assert_contains(json_of("{\"text\": \"I\", \"a\": \"\u202e\xc2\x9b\", \"\u202e\": 1}"),
                    "\"a\": \"\\u202e\\u009b\", \"\\u202e\": 1, ");
}

/* An object has no key twice: that of the result stays. */
TEST(keys_of_the_result_are_the_results)
{
    const char *out = json_of("{\"text\": \"I\", \"vector\": 1, \"truncated\": 2, \"label\": 3, "
                              "\"t\\u0065xts\": 4, \"masks\": 5}");
    assert_contains(out,
                    "{\"text\": \"I\", \"label\": 3, \"texts\": 4, \"masks\": 5, \"vector\": [");
    assert_contains(out, "], \"truncated\": false}\n");
    out = shell_expect(0, "echo '{\"t\\u0065xt\": \"I\", \"tokens\": 1, \"vector\": 2}' | "
                          "$ENCODE --input jsonl --tokens -f json")
              ->out;
    assert_contains(out, "{\"text\": \"I\", \"vector\": 2, \"tokens\": [{");
}

/* ---- BEIR ---- */

/* The text is title, blank, text; an object without "_id" is none of BEIR's. */
TEST(documents_of_beir)
{
    assert_string_equal(
        shell_expect(0, "cat <<'END' | $ENCODE --input jsonl --no-special -f ids\n"
                        "{\"_id\": \"1\", \"title\": \"I\", \"text\": \"ride\", \"metadata\": {}}\n"
                        "{\"_id\": \"2\", \"title\": \"\", \"text\": \"ride\"}\n"
                        "{\"_id\": \"3\", \"title\": \"I\", \"text\": \"\"}\n"
                        "{\"_id\": \"4\", \"text\": \"ride\"}\n"
                        "{\"id\": \"5\", \"title\": \"I\", \"text\": \"ride\"}\n"
                        "{\"_id\": \"6\", \"title\": null, \"text\": \"ride\"}\n"
                        "END")
            ->out,
        "2 3\n3\n2\n3\n3\n3\n");
    assert_contains(json_of("{\"_id\": \"1\", \"title\": \"I\", \"text\": \"ride\"}"),
                    "{\"text\": \"I ride\", \"_id\": \"1\", \"title\": \"I\", \"vector\": [");
}

/* ---- The rows file ---- */

static const char *rows_of(const char *arguments)
{
    return shell_expect(0, "$ENCODE -f npy -o r.npy %s\ncat r.npy.rows.jsonl", arguments)->out;
}

TEST(rows_have_ids)
{
    shell_expect(
        0, "cat >ids.jsonl <<'END'\n{\"_id\": \"d\\u0037\", \"id\": 1, \"text\": \"I\"}\n"
           "{\"id\": 7.50, \"text\": \"ride\"}\n\"dog\"\n{\"id\": null, \"text\": \"I\"}\nEND");
    const char *expected = "{\"row\": 0, \"line\": 1, \"id\": \"d\\u0037\"}\n"
                           "{\"row\": 1, \"line\": 2, \"id\": 7.50}\n"
                           "{\"row\": 2, \"line\": 3}\n{\"row\": 3, \"line\": 4}\n";
    assert_string_equal(rows_of("-p mean --input jsonl <ids.jsonl"), expected);
    assert_string_equal(rows_of("-p mean --pad-to 4 --input jsonl <ids.jsonl"), expected);
    assert_string_equal(rows_of("--tokens --pad-to 4 --input jsonl <ids.jsonl"), expected);
    assert_string_equal(rows_of("--pad-to 4 --input jsonl <ids.jsonl"), expected);
    /* The rows before the first that has one are told with it. */
    assert_string_equal(rows_of("-p mean --input jsonl <<'END'\n\"a\"\n\"b\"\n"
                                "{\"id\": 3, \"text\": \"c\"}\nEND\n"),
                        "{\"row\": 0, \"line\": 1}\n{\"row\": 1, \"line\": 2}\n"
                        "{\"row\": 2, \"line\": 3, \"id\": 3}\n");
}

/* Of an archive they are its texts, however many weights each has. */
TEST(rows_of_npz_are_texts)
{
    head_models_write();
    shell_expect(0, "printf '{\"id\": \"a\", \"text\": \"dog cat\"}\\n\"good\"\\n' >two.jsonl");
    assert_string_equal(
        shell_expect(0, "$ENCODE -m lexical.emb -p sparse -f npz --input jsonl -o r.npz "
                        "<two.jsonl\ncat r.npz.rows.jsonl")
            ->out,
        "{\"row\": 0, \"line\": 1, \"id\": \"a\"}\n{\"row\": 1, \"line\": 2}\n");
}

TEST(rows_are_windows_or_tokens)
{
    assert_string_equal(
        rows_of("-p mean --no-special --max-tokens 2 --on-long chunk 'I ride bike' dog"),
        "{\"row\": 0, \"line\": 1, \"window\": 0, \"windows\": 2, \"begin\": 0, \"end\": 6}\n"
        "{\"row\": 1, \"line\": 1, \"window\": 1, \"windows\": 2, \"begin\": 7, \"end\": 11}\n"
        "{\"row\": 2, \"line\": 2, \"window\": 0, \"windows\": 1, \"begin\": 0, \"end\": 3}\n");
    assert_string_equal(rows_of("--no-special 'I ride' dog"),
                        "{\"row\": 0, \"line\": 1, \"token\": 0}\n"
                        "{\"row\": 1, \"line\": 1, \"token\": 1}\n"
                        "{\"row\": 2, \"line\": 2, \"token\": 0}\n");
    /* Whoever has the texts need not know the prompt. */
    assert_string_equal(
        rows_of("-p mean --no-special --max-tokens 3 --on-long chunk --prompt-text 'cat ' 'I ride "
                "bike'"),
        "{\"row\": 0, \"line\": 1, \"window\": 0, \"windows\": 2, \"begin\": 0, \"end\": 6}\n"
        "{\"row\": 1, \"line\": 1, \"window\": 1, \"windows\": 2, \"begin\": 7, \"end\": 11}\n");
    /* Of ids there is no text; of a pair the bytes may be those of the second. */
    assert_string_equal(
        rows_of("-p mean --on-long chunk --input jsonl <<'END'\n{\"ids\": [2]}\nEND\n"),
        "{\"row\": 0, \"line\": 1, \"window\": 0, \"windows\": 1}\n");
    assert_contains(rows_of("-p mean --max-tokens 6 --on-long chunk I --pair 'I ride bike dog'"),
                    "\"begin\": 7, \"end\": 15, \"pair\": true}\n");
}

/* One that is not needed is not written, and none that tells of another array stays. */
TEST(rows_that_are_lines_need_no_file)
{
    static const char PLAIN[] = "printf 'I\\ndog\\n' | $ENCODE -p mean -f npy -o r.npy";
    shell_expect(0, "rm -f r.npy*; %s && test ! -e r.npy.rows.jsonl", PLAIN);
    rows_of("I dog");
    shell_expect(0, "%s && test ! -e r.npy.rows.jsonl", PLAIN);
    /* Whatever is written in the array's place, and however. */
    rows_of("I dog");
    shell_expect(0, "$ENCODE -p mean -f json -o r.npy I && test ! -e r.npy.rows.jsonl");
    rows_of("I dog");
    shell_expect(0, "$ENCODE --rank I -f csv -o r.npy dog && test ! -e r.npy.rows.jsonl");
    /* After a failure both stay as they were. */
    rows_of("I dog");
    shell_expect(0, "sha256sum r.npy* >before");
    shell_expect(1, "printf '\"I\"\\nnull\\n' | $ENCODE --input jsonl -f npy -o r.npy");
    shell_expect(0, "sha256sum --status -c before && test $(ls r.npy* .encode* | wc -l) = 3");
    /* There is none beside what is no file. */
    shell_expect(0,
                 "$ENCODE -f npy -o /dev/stdout I >out.npy && test ! -e /dev/stdout.rows.jsonl && "
                 "test ! -e out.npy.rows.jsonl && $ENCODE -f npy -o /dev/null I && test ! -e "
                 "/dev/null.rows.jsonl && $ENCODE -f npy I >out.npy");
    shell_expect(0, "$ENCODE -f json -o out.json I && test ! -e out.json.rows.jsonl");
}

/* What an earlier run had left out is not what this one has; a report with a name of its own stays
 * until another takes its place, and a folder is nobody's report. */
TEST(reports_of_earlier_runs)
{
    static const char SKIPS[] = "printf '\"I\"\n7\n' | $ENCODE -p mean -f json --input jsonl "
                                "--on-error skip -o l.json";
    shell_expect(0, "%s && test -s l.json.left-out.jsonl", SKIPS);
    shell_expect(0,
                 "echo I | $ENCODE -p mean -f json -o l.json && test ! -e l.json.left-out.jsonl");
    shell_expect(0, "%s && %s --report own && test ! -e l.json.left-out.jsonl && test -s own",
                 SKIPS, SKIPS);
    shell_expect(0, "echo I | $ENCODE -p mean -f json -o l.json && test -s own");
    shell_expect(0, "%s --report ./l.json.left-out.jsonl && test -s l.json.left-out.jsonl", SKIPS);
    assert_contains(
        shell_expect(2, "$ENCODE -p mean -f json -o l.json <l.json.left-out.jsonl")->err,
        "'l.json.left-out.jsonl' would be written over the file on stdin");
    shell_expect(0,
                 "rm l.json.left-out.jsonl && mkdir l.json.left-out.jsonl && echo I | $ENCODE -p "
                 "mean -f json -o l.json && test -d l.json.left-out.jsonl");
}

TEST(rows_file_that_cannot_be_written)
{
    assert_contains(shell_expect(2, "echo I >in.npy.rows.jsonl && $ENCODE -p mean -f npy -o in.npy "
                                    "<in.npy.rows.jsonl")
                        ->err,
                    "'in.npy.rows.jsonl' would be written over the file on stdin, which is read");
    assert_contains(shell_expect(1, "mkdir -p d.npy.rows.jsonl && $ENCODE -f npy -o d.npy I")->err,
                    "cannot write to 'd.npy.rows.jsonl': Is a directory");
    shell_expect(0, "test ! -e in.npy && test ! -e d.npy");
}
