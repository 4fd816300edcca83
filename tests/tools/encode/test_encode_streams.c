/* encode between other programs: results come early, memory stays small, progress is told. */
#include "tests/tools/shell.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(result_comes_before_the_next_line)
{
    const char *formats[] = {"text", "json", "csv", "ids"};
    for (size_t i = 0; i < 4; i++)
        shell_expect(0,
                     "rm -f in early; mkfifo in; $ENCODE -f %s <in >early & exec 3>in; echo I >&3; "
                     "$AWAIT 2 early; grep '2' early >seen; echo dog >&3; exec 3>&-; wait $!; test "
                     "-s seen",
                     formats[i]);
}

/* `cp new.weights served.weights` while a program reads that file: a message, not a signal. */
TEST(weights_that_are_cut_off_under_it)
{
    const struct shell_result *result = shell_expect(
        1, "cp \"$ENCODE_MODEL\" served.weights; rm -f in early; mkfifo in; $ENCODE -m "
           "served.weights -f csv <in >early & exec 3>in; echo I >&3; $AWAIT 2 early; "
           ": >served.weights; echo dog >&3; exec 3>&-; wait $!");
    assert_contains(result->err, "encode: a file was overwritten or cut off while it was in use");
    assert_contains(result->err, "write another one beside it, and rename that");
    assert_lines(result->err, 1);
}

/* The same with a larger model: wrong numbers, a message or the end of the program, but nothing
 * reads outside the file. */
TEST(weights_that_another_model_is_copied_over)
{
    shell_expect(0, "$NEW -o larger.weights --layers 3 --width 512 --heads 8 --vocabulary 5000");
    const struct shell_result *result = shell(
        "cp \"$ENCODE_MODEL\" served.weights; rm -f in early; mkfifo in; $ENCODE -m served.weights "
        "-f csv <in >early & exec 3>in; echo I >&3; $AWAIT 2 early; "
        "cat larger.weights >served.weights; echo dog >&3; exec 3>&-; wait $!");
    assert_true(result->code == 0 || result->code == 1);
    if (result->code == 1)
        assert_lines(result->err, 1);
}

/* The largest resident memory of `encode` over n lines, in KiB. */
static long memory_for(const char *n_lines)
{
    char command[256];
    struct rusage usage;
    int status;
    snprintf(
        command, sizeof command,
        "yes 'I ride bike' | head -n %s | { exec $ENCODE -t 1 -f npy | tail -c 1 >/dev/null; }",
        n_lines);
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_int_equal(status, 0);
    return usage.ru_maxrss;
}

TEST(memory_does_not_grow_with_the_input)
{
#ifdef __SANITIZE_ADDRESS__
    skip(); /* freed memory is kept in quarantine */
#endif
    /* Batches are as large as the machine is fast, up to some MB; both inputs are many of the
     * largest. 120000 lines more are 20 MB of rows: that these are not kept is seen at half of it.
     */
    long few = memory_for("60000"), many = memory_for("180000");
    print_message("memory: %ld KiB for 60000 lines, %ld KiB for 180000\n", few, many);
    assert_true(many - few < 10240);
}

TEST(endless_input)
{
    const struct shell_result *result =
        shell_expect(0, "yes 'I ride' | $ENCODE -f ids | head -n 5000 | tail -n 1");
    assert_string_equal(result->out, "9 2 3 10\n");
    assert_string_equal(result->err, "");
}

/* 5,000 lines are several batches; the results are the same with and without. */
TEST(progress)
{
    const struct shell_result *result;
    shell_expect(0, "yes 'I ride bike' | head -5000 > many.txt");
    result = shell_expect(0, "$ENCODE -p mean -f npy -o quiet.npy < many.txt");
    assert_string_equal(result->err, "");
    assert_string_equal(result->out, "");
    result = shell_expect(0, "$ENCODE -p mean -f npy --progress < many.txt > loud.npy");
    assert_contains(result->err, "encode: 5000 texts, ");
    assert_contains(result->err, " texts/s, ");
    assert_contains(result->err, " tokens/s in ");
    shell_expect(0, "cmp quiet.npy loud.npy");
    assert_contains(shell_expect(0, "$ENCODE --rank bike --progress I ride bike")->err,
                    "encode: 3 texts, ");
    assert_lacks(shell_expect(1, "$ENCODE -f ids --input jsonl --progress < many.txt")->err,
                 "texts/s");
}

/* Who gives the name of a file perhaps means what is in it; said once. */
TEST(names_of_files)
{
    shell_expect(0, "echo cat >corpus.txt; cp corpus.txt second.txt");
    const struct shell_result *result =
        shell_expect(0, "$ENCODE -f ids 'I ride' corpus.txt second.txt .");
    assert_string_equal(result->err, "encode: text 2 is the name of a file; `encode ... < "
                                     "corpus.txt` encodes its lines\n");
    assert_string_equal(shell_expect(0, "$ENCODE -f ids <corpus.txt")->err, "");
    shell_expect(0, "cp corpus.txt queries.jsonl");
    assert_string_equal(shell_expect(0, "$ENCODE -f ids queries.jsonl")->err,
                        "encode: text 1 is the name of a file; `encode ... --input jsonl < "
                        "queries.jsonl` encodes its lines\n");
    /* Also where there is none: a folder was forgotten, or a letter. */
    assert_string_equal(shell_expect(0, "$ENCODE -f ids cat corpsu.txt")->err,
                        "encode: text 2 looks like the name of a file; `encode ... < corpsu.txt` "
                        "encodes its lines\n");
    assert_string_equal(shell_expect(0, "$ENCODE -f ids 'see corpsu.txt' .txt a.text")->err, "");
}

/* JSON that is read as text is vectors of braces and quotes; said of the first line alone. */
TEST(json_as_text)
{
    static const char note[] = "encode: line 1 of stdin looks like JSON, and is read as text; "
                               "encode and encode-search read JSON with --input jsonl\n";
    shell_expect(0, "printf '{\"text\": \"dog\"}\\n{\"text\": \"cat\"}\\n' >lines; (echo dog; cat "
                    "lines) >later");
    assert_string_equal(shell_expect(0, "$ENCODE -f ids <lines")->err, note);
    assert_string_equal(
        shell_expect(0, "printf '\\357\\273\\277' | cat - lines | $ENCODE -f ids")->err, note);
    assert_string_equal(shell_expect(0, "$ENCODE -f ids --input jsonl <lines")->err, "");
    assert_string_equal(shell_expect(0, "$ENCODE -f ids <later")->err, "");
    assert_string_equal(shell_expect(0, "$ENCODE -f ids \"$(head -1 lines)\"")->err, "");
    assert_string_equal(shell_expect(0, "echo '{dog}' | $ENCODE -f ids")->err, "");
}

TEST(a_missing_folder)
{
    assert_string_equal(shell_expect(1, "$ENCODE -f ids -o missing/ids cat")->err,
                        "encode: cannot make a file in the folder of 'missing/ids': No such file "
                        "or directory\n");
}

SET_UP()
{
    shell_setup();
}
