/* decimal.c - decimal text to float; see decimal.h.
 *
 * The digits are read as a whole number w and a power of ten e: the number is w * 10^e. Computed in
 * double, where 10^|e| is exact up to 22, that is off by less than 3 units of its last place (w,
 * the product, and digits that w has no room for; Clinger, "How to read floating point numbers
 * accurately", 1990). Rounded to float it is right unless the middle of two floats is so near that
 * the two may lie on both sides of it. What is left, a few numbers in a hundred million, is
 * strtof's.
 */
#include "tools/import/vectors/decimal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What is written: w * 10^exponent. */
struct decimal {
    uint64_t w; /* its first 19 digits */
    int64_t exponent;
    bool is_negative;
    size_t len; /* bytes of the text; 0: not a number */
};

enum { MOST_DIGITS = 19, MOST_EXPONENT = 100000000 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t scan_exponent(const char *text, size_t len, size_t at, struct decimal *decimal)
{
    size_t begin = at + 1;
    int64_t exponent = 0;
    if (at >= len || (text[at] != 'e' && text[at] != 'E'))
        return at;
    bool is_negative = begin < len && text[begin] == '-';
    begin += begin < len && (text[begin] == '-' || text[begin] == '+');
    size_t end = begin;
    for (; end < len && is_digit(text[end]); end++)
        exponent = exponent < MOST_EXPONENT ? exponent * 10 + (text[end] - '0') : exponent;
    if (end == begin)
        return at; /* "1e" is "1" and something else */
    decimal->exponent += is_negative ? -exponent : exponent;
    return end;
}

static struct decimal scan(const char *text, size_t len)
{
    struct decimal decimal = {0};
    size_t at = len > 0 && (text[0] == '-' || text[0] == '+'), n_digits = 0, n_kept = 0;
    bool has_point = false;
    decimal.is_negative = at > 0 && text[0] == '-';
    for (; at < len; at++) {
        if (is_digit(text[at])) {
            n_digits++;
            if (n_kept < MOST_DIGITS) {
                decimal.w = decimal.w * 10 + (uint64_t)(text[at] - '0');
                decimal.exponent -= has_point;
                n_kept += decimal.w > 0; /* not the zeros in front */
            } else {
                decimal.exponent += !has_point;
            }
        } else if (text[at] == '.' && !has_point) {
            has_point = true;
        } else {
            break;
        }
    }
    if (n_digits > 0)
        decimal.len = scan_exponent(text, len, at, &decimal);
    return decimal;
}

static bool from_doubles(const struct decimal *decimal, float *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (decimal->exponent < -22 || decimal->exponent > 22)
        return false;
    double number = decimal->exponent < 0 ? (double)decimal->w / powers[-decimal->exponent]
                                          : (double)decimal->w * powers[decimal->exponent];
    if (decimal->w > 0 && (number < (double)FLT_MIN * 2 || number > (double)FLT_MAX / 2))
        return false;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    const uint64_t below = bits & 0x1FFFFFFF, middle = 0x10000000; /* bits that a float drops */
    if (below + 4 > middle && below < middle + 4)
        return false;
    *value = (float)number;
    return true;
}

/* strtof wants a text that ends. No program calls setlocale, so it is that of the C locale. */
static bool from_strtof(const char *text, size_t len, float *value)
{
    char *copy = malloc(len + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    *value = strtof(copy, NULL);
    free(copy);
    return isfinite(*value);
}

size_t decimal_read(const char *text, size_t len, float *value)
{
    const struct decimal decimal = scan(text, len);
    if (decimal.len == 0)
        return 0;
    if (from_doubles(&decimal, value)) {
        *value = decimal.is_negative ? -*value : *value;
        return decimal.len;
    }
    return from_strtof(text, decimal.len, value) ? decimal.len : 0;
}

bool decimal_parse(const char *text, size_t len, float *value)
{
    return len > 0 && decimal_read(text, len, value) == len;
}
