/* tags: sizes */
/* The lower case of words that become a vocabulary. Which letters have which is in
 * model/unicode/test_letters.c. */
#include "tests/suite.h"

#include "tools/writer/tokenizer/keras.h"

#include <string.h>

static void check(const char *text, bool lower, const char *expected)
{
    char out[64];
    assert_int_equal(text_lower(text, strlen(text), lower, out), strlen(expected));
    assert_memory_equal(out, expected, strlen(expected));
}

TEST(lower_case)
{
    check("I Ride A BIKE", true, "i ride a bike");
    check("I Ride A BIKE", false, "I Ride A BIKE");
    check("\u00c4\u03a3\u0391\u03a3", true,
          "\u00e4\u03c3\u03b1\u03c2");  /* a sigma that ends a word */
    check("\u0130x", true, "i\u0307x"); /* two code points */
    check("", true, "");
}

TEST(invalid_bytes_take_three)
{
    check("\xff", true, "\ufffd");
    check("a\xff\xfe.", true, "a\ufffd\ufffd.");
    check("a\xff", false, "a\ufffd");
}
