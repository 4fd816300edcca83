/* Decimal text to float: to the last bit what strtof gives, for every way of writing floats, for
 * texts beside the middle of two floats, and for what is no number. */
#include "tests/support.h"
#include "tools/import/vectors/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t n_checked;

/* The programs never call setlocale, so strtof is that of the C locale. */
static void check(const char *text)
{
    float got = -7, expected = strtof(text, NULL);
    bool is_number = decimal_parse(text, strlen(text), &got);
    n_checked++;
    if (is_number != (isfinite(expected) != 0))
        fail_msg("%s: %s", text, is_number ? "accepted" : "refused");
    if (is_number && memcmp(&got, &expected, sizeof got) != 0)
        fail_msg("%s: %a, expected %a", text, (double)got, (double)expected);
}

static float any_float(uint64_t *state)
{
    for (;;) {
        uint32_t bits = (uint32_t)support_random(state);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            return value;
    }
}

TEST(floats)
{
    uint64_t state = 1;
    char text[128];
    for (int i = 0; i < 200000; i++) {
        float value = any_float(&state);
        int digits = (int)support_below(&state, 20);
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        check(text);
        snprintf(text, sizeof text, "%.*E", digits, (double)value);
        check(text);
        snprintf(text, sizeof text, "%.*f", (int)support_below(&state, 12),
                 (double)(int64_t)support_random(&state) / 2e18);
        check(text);
    }
}

/* The middle of two floats, cut at some digit: a little below it, above it, or the middle. */
TEST(middles)
{
    uint64_t state = 2;
    char text[128];
    for (int i = 0; i < 200000; i++) {
        float value = any_float(&state);
        double middle = ((double)value + (double)nextafterf(value, INFINITY)) / 2;
        if (!isfinite(middle) || fabs(middle) > 3e38)
            continue;
        snprintf(text, sizeof text, "%.*g", 15 + (int)support_below(&state, 40), middle);
        check(text);
        if (i % 3 == 0)
            strcat(text, "1");
        check(text);
    }
}

TEST(forms)
{
    static const char *const numbers[] = {
        "0",
        "-0",
        "+3",
        "5.",
        ".5",
        "-.5e1",
        "1e-3",
        "1E+3",
        "00012.500e-0003",
        "1e-50",
        "1e-45",
        "0e999999999999999999999",
        "3.4028235e38",
        "3.4028236e38",
        "-3.5e38",
        "1e400",
        "16777217",
        "16777219",
        "33554435",
        "123456789012345678901234567890",
        "16777217.000000000000000000000",
        "16777217.00000000000000000000000000000000000001",
        "100000000000000000000000000000000000000",
        "0.00000000000000000000000000000000000000000000140129846432481707",
    };
    static const char *const others[] = {
        "",     "-",     "+",   ".",     "-.", "e5", "1e",  "1e+",  "nan",   "NaN", "inf",   "-inf",
        "0x10", "0x1p3", "1,5", "1.2.3", "1 ", " 1", "--1", "1e5e", "1_000", "١",   "1e5.5",
    };
    float value;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        check(numbers[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (decimal_parse(others[i], strlen(others[i]), &value))
            fail_msg("'%s' was accepted", others[i]);
    assert_int_equal(decimal_read("1.5 2", 5, &value), 3); /* ends where the number does */
    assert_int_equal(decimal_read("1.5", 2, &value), 2);   /* and reads nothing behind len */
    assert_true(value == 1);
}

/* A thousand digits, in front of the point and behind it. */
TEST(long)
{
    char text[2100];
    for (size_t n = 1; n < 1000; n += 7) {
        memset(text, '0', sizeof text);
        text[0] = '1';
        text[n] = '.';
        snprintf(text + 1000, 40, "5e-%zu", n);
        check(text);
        snprintf(text + 1000, 40, "5e-%zu", n + 40);
        check(text);
    }
}
