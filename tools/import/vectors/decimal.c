/* decimal.c - decimal text to float; see decimal.h.
 *
 * Nearly all numbers have few digits and a small exponent: with w the digits as a whole number,
 * they are w * 10^e. Computed in double, where 10^|e| is exact up to 22, that is off by less than 3
 * units of its last place (w and the product; Clinger, "How to read floating point numbers
 * accurately", 1990). Rounded to float it is right unless the middle of two floats is so near that
 * the two may lie on both sides of it. What is left is strtof's.
 */
#include "tools/import/vectors/decimal.h"

#include "tools/common/alloc.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 19 /* that fit into 64 bits */, LEAST_POWER = -22, MOST_POWER = 19 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "e-05" at text[at], added to the exponent. Returns its end; 0: it is not one or two digits. */
static size_t add_exponent(const char *text, size_t len, size_t at, int *exponent)
{
    const bool is_signed = at + 1 < len && (text[at + 1] == '-' || text[at + 1] == '+');
    size_t begin = at + 1 + is_signed, end = begin;
    int value = 0;
    for (; end < len && end < begin + 3 && is_digit(text[end]); end++)
        value = value * 10 + (text[end] - '0');
    *exponent += is_signed && text[at + 1] == '-' ? -value : value;
    return end > begin && end < begin + 3 ? end : 0;
}

/* The number that begins the text, and its length; 0: it is none of this kind. */
static size_t from_doubles(const char *text, size_t len, float *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const bool is_signed = len > 0 && (text[0] == '-' || text[0] == '+');
    size_t at = is_signed, n_digits = 0;
    int exponent = 0;
    bool has_point = false;
    uint64_t w = 0, bits;
    for (; at < len && (is_digit(text[at]) || (text[at] == '.' && !has_point)); at++) {
        if (text[at] == '.') {
            has_point = true;
            continue;
        }
        w = w * 10 + (uint64_t)(text[at] - '0');
        exponent -= has_point;
        n_digits++;
    }
    if (at < len && (text[at] == 'e' || text[at] == 'E'))
        at = add_exponent(text, len, at, &exponent);
    if (n_digits == 0 || n_digits > MOST_DIGITS || exponent < LEAST_POWER || exponent > MOST_POWER)
        return 0;
    double number = exponent < 0 ? (double)w / powers[-exponent] : (double)w * powers[exponent];
    memcpy(&bits, &number, sizeof bits);
    const uint64_t below = bits & 0x1FFFFFFF, middle = 0x10000000; /* bits that a float drops */
    if (below + 4 > middle && below < middle + 4)
        return 0;
    *value = is_signed && text[0] == '-' ? -(float)number : (float)number;
    return at;
}

/* strtof wants a text that ends, and reads names and hexadecimal digits too. No program calls
 * setlocale, so it is that of the C locale. */
static size_t from_strtof(const char *text, size_t len, float *value)
{
    size_t n = 0;
    while (n < len && text[n] != '\0' && strchr("+-.0123456789eE", text[n]) != NULL)
        n++;
    char *copy = alloc_text("%.*s", (int)(n < INT32_MAX ? n : INT32_MAX), text), *end;
    *value = strtof(copy, &end);
    n = isfinite(*value) ? (size_t)(end - copy) : 0;
    free(copy);
    return n;
}

size_t decimal_read(const char *text, size_t len, float *value)
{
    size_t n = from_doubles(text, len, value);
    return n > 0 ? n : from_strtof(text, len, value);
}

bool decimal_parse(const char *text, size_t len, float *value)
{
    return len > 0 && decimal_read(text, len, value) == len;
}
