/* Guarantee: results of encode come before the next line, in memory that does not grow with the
 * input; a weight file that is cut off while it is in use gives a message. */
#include "tests/model/growth.h"
#include "tests/tools/shell.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

static void encode_book(void *user, size_t n)
{
    (void)user;
    shell_expect(0,
                 "yes I | head -n %zu | tr '\\n' ' ' | $ENCODE -t 1 --no-special -p mean -f npy "
                 "--on-long chunk -o book.npy",
                 n);
}

/* The time of a line of 400,000 words in windows is linear in its length. */
TEST(windows_of_a_book)
{
    if (support_sanitized()) /* AddressSanitizer keeps freed memory, in time that is not linear */
        skip();
    const double found = growth(encode_book, NULL, 100000);
    print_message("four times the text: %.1f times the work\n", found);
    assert_true(found <= GROWTH_MOST);
}

TEST(arrays_are_not_written_to_a_terminal)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        print_message("skipped: no terminals here\n");
        skip();
    }
    char name[64];
    assert_int_equal(ptsname_r(terminal, name, sizeof name), 0);
    int other_end = open(name, O_RDWR | O_NOCTTY);
    assert_true(other_end >= 0);
    assert_contains(shell_expect(2, "$ENCODE -f npy dog >%s", name)->err,
                    "stdout is a terminal: -o FILE\n");
    shell_expect(0, "$ENCODE -f npy -o tty.npy dog >%s && $ENCODE -f csv dog >%s", name, name);
    close(other_end);
    close(terminal);
}

SET_UP()
{
    shell_setup();
}
