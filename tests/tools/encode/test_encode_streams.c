/* What encode takes for long inputs; tests/cli/programs/streams.sh has when its results come.
 *
 * Guarantee: results of encode come before the next line, in memory that does not grow with the
 * input; a weight file that is cut off while it is in use gives a message. */
#include "tests/model/growth.h"
#include "tests/tools/shell.h"

TEST(memory_does_not_grow_with_the_input)
{
#ifdef __SANITIZE_ADDRESS__
    skip(); /* freed memory is kept in quarantine */
#endif
    /* Batches are as large as the machine is fast, up to some MB; both inputs are many of the
     * largest. 120000 lines more are 20 MB of rows: that these are not kept is seen at half of it.
     */
#define ENCODED(n)                                                                                 \
    "yes 'I ride bike' | head -n " n " | { exec $ENCODE -t 1 -f npy | tail -c 1 >o; }"
    const long few = shell_memory(ENCODED("60000")), many = shell_memory(ENCODED("180000"));
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

SET_UP()
{
    shell_setup();
}
