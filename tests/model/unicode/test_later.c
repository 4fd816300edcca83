/* tags: sizes aarch64 */
/* Characters that Unicode assigned after version 15 are the same with every utf8proc: unassigned,
 * but for what the reference knows of them. utf8proc 2.9 has those of 15.1, 2.10 those of 16. */
#include "tests/suite.h"

#include "model/unicode/unicode.h"

static unsigned kinds_of(uint32_t code)
{
    return unicode_properties(code) &
           (UNICODE_WORD | UNICODE_LETTER | UNICODE_NUMBER | UNICODE_PUNCTUATION | UNICODE_MARK);
}

TEST(properties)
{
    assert_int_equal(kinds_of(0x2EBF0), UNICODE_WORD | UNICODE_LETTER); /* of 15.1 */
    assert_int_equal(kinds_of(0x2EE5D), UNICODE_WORD | UNICODE_LETTER);
    assert_int_equal(kinds_of(0x2EE5E), 0);
    assert_int_equal(kinds_of(0x10D4E), UNICODE_WORD | UNICODE_LETTER); /* of 16, as there */
    assert_int_equal(kinds_of(0x10D6E), 0);
    assert_int_equal(kinds_of(0x10EFC), UNICODE_WORD); /* of 16: a mark */
}

TEST(regular_expressions)
{
    const unsigned kinds = UNICODE_CAPITAL | UNICODE_SMALL | UNICODE_JOINED;
    assert_int_equal(unicode_properties('A') & kinds, UNICODE_CAPITAL);
    assert_int_equal(unicode_properties(0x1C5) & kinds, UNICODE_CAPITAL); /* a title case */
    assert_int_equal(unicode_properties(0x6F22) & kinds, 0);
    assert_int_equal(unicode_properties(0x10D50) & kinds, UNICODE_CAPITAL); /* of 16 */
    assert_int_equal(unicode_properties(0x10D70) & kinds, UNICODE_SMALL);
    assert_int_equal(unicode_properties(0x10EFC) & kinds, UNICODE_JOINED);
    assert_int_equal(unicode_properties(0x1ACF) & kinds, 0); /* of 17 */
}

TEST(forms)
{
    uint32_t out[UNICODE_DECOMPOSED];
    assert_int_equal(unicode_decompose(0x105C9, false, out), 1); /* of 16: U+105D2 U+0307 */
    assert_int_equal(out[0], 0x105C9);
    assert_int_equal(unicode_compose(0x105D2, 0x307), 0);
    assert_int_equal(unicode_combining_class(0x10EFC), 0); /* of 16: 220 */
}
