/* tags: no-asan no-coverage */
/* Every float32 that is printed reads back as the same bits, and no digit is wasted. */
#include "tests/support.h"
#include "tools/common/print/display.h"
#include "tools/common/print/rows.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_text(float value, const char *expected)
{
    char text[FORMAT_FLOAT_MAX];
    size_t len = format_float(value, text);
    assert_string_equal(text, expected);
    assert_int_equal(len, strlen(expected));
}

TEST(known_numbers)
{
    assert_text(0.0f, "0.0");
    assert_text(-0.0f, "-0.0");
    assert_text(1.0f, "1.0");
    assert_text(-0.1f, "-0.1");
    assert_text(100.0f, "100.0");
    assert_text(1.0f / 3, "0.33333334");
    assert_text(16777216.0f, "16777216.0");
    assert_text(1e-5f, "0.00001");
    assert_text(1e-6f, "1e-06");
    assert_text(1e9f, "1e+09");
    assert_text(FLT_MAX, "3.4028235e+38");
    assert_text(FLT_MIN, "1.1754944e-38");
    assert_text(FLT_TRUE_MIN, "1e-45");
    assert_text(INFINITY, "inf");
    assert_text(-INFINITY, "-inf");
    assert_text(NAN, "nan");
}

/* Cells of DISPLAY_NUMBER columns, with as many digits as there is room for. */
TEST(cells)
{
    static const struct {
        double value;
        const char *cell;
    } cases[] = {{0.5, "  0.5000"},       {-99.9999, "-99.9999"}, {99.99996, "  100.00"},
                 {-4688.404, "-4688.40"}, {9999.994, " 9999.99"}, {9999.996, " 1.0e+04"},
                 {-1.25e30, "-1.2e+30"},  {INFINITY, "     inf"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        size_t len;
        FILE *stream = open_memstream(&text, &len);
        display_number(stream, cases[i].value);
        fclose(stream);
        assert_string_equal(text, cases[i].cell);
        free(text);
    }
}

static void assert_reads_back(uint32_t bits)
{
    char text[FORMAT_FLOAT_MAX];
    float value, again;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
        return;
    size_t len = format_float(value, text);
    assert_int_equal(len, strlen(text));
    assert_true(len < 18);
    again = strtof(text, NULL);
    assert_memory_equal(&again, &value, sizeof value);
}

TEST(reads_back)
{
    uint64_t random = 1;
    for (int i = 0; i < 300000; i++) {
        uint32_t bits = (uint32_t)support_random(&random);
        assert_reads_back(bits);
        assert_reads_back((bits & 0x87FFFFFFu) | 0x38000000u); /* 2^-15 to 2 */
    }
    /* Where the distance to the neighbours changes: around every power of two. */
    for (uint32_t exponent = 0; exponent < 255; exponent++)
        for (uint32_t i = 0; i < 5; i++)
            assert_reads_back((exponent << 23) + i - (exponent ? 2 : 0));
}
