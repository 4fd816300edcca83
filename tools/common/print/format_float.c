/* format_float.c - shortest decimals that read back as the same float32.
 *
 * A decimal n·10^-s with p digits reads back as x when it is closer to x than half the distance
 * to x's nearer neighbour. For p = 6 .. 9 the nearest such decimal is computed in double, which has
 * 29 bits more than a float32: with powers of ten up to 10^22 (exact in double) two roundings of
 * 2^-53 cannot exceed the 2^-25 that decide, and the test keeps a margin of 1e-6 of them. Six
 * digits or fewer survive decimal → float32 → decimal (FLT_DIG), so p starts at 6 and trailing
 * zeros are cut. Where an exponent is needed, printing the decimal's own double gives its digits
 * again. Numbers outside of that range go through printf and back.
 */
#include "tools/common/print/format_float.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_DIGITS = FLT_DIG, MOST_DIGITS = FLT_DECIMAL_DIG, LARGEST_POWER = 22 };

static const double POWERS[LARGEST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static double times_power(double value, int power)
{
    return power >= 0 ? value * POWERS[power] : value / POWERS[-power];
}

/* Digits, of which the first counts 10^exponent and the last is no zero, with a point among
 * them and at least one decimal; written from their end. */
static size_t print_decimal(bool is_negative, uint32_t digits, int n_digits, int exponent,
                            char *out)
{
    int last = exponent - n_digits + 1;
    int lowest = last < -1 ? last : -1, highest = exponent > 0 ? exponent : 0;
    size_t len = (size_t)(is_negative + highest + 2 - lowest); /* 2: the unit and the point */
    char *at = out + len;
    *at = '\0';
    for (int power = lowest; power <= highest; power++) {
        bool is_zero = power < last || power > exponent;
        *--at = (char)('0' + (is_zero ? 0 : digits % 10));
        digits /= is_zero ? 1 : 10;
        if (power == -1)
            *--at = '.';
    }
    if (is_negative)
        *out = '-';
    return len;
}

/* The length; 0: not in the range that double decides. */
static size_t print_by_double(float value, char *out)
{
    double x = fabs((double)value);
    double half_gap = (x - (double)nextafterf(fabsf(value), 0.0f)) / 2;
    int exponent = (int)floor(log10(x));

    if (exponent < LEAST_DIGITS - LARGEST_POWER + 3 || exponent > LARGEST_POWER)
        return 0;
    for (int p = LEAST_DIGITS; p <= MOST_DIGITS; p++) {
        int scale = p - 1 - exponent;
        double n = nearbyint(times_power(x, scale));
        double decimal = times_power(n, -scale);
        if (fabs(decimal - x) >= half_gap * (1 - 1e-6))
            continue;
        /* log10 may round up to the next power, and n may too: the digits decide. */
        int carry = n >= POWERS[p] ? 1 : n < POWERS[p - 1] ? -1 : 0;
        int n_digits = p + carry;
        uint32_t digits = (uint32_t)n;
        for (exponent += carry; digits % 10 == 0; digits /= 10)
            n_digits--;
        if (exponent < -5 || exponent >= MOST_DIGITS)
            return (size_t)snprintf(out, FORMAT_FLOAT_MAX, "%.*e", n_digits - 1,
                                    copysign(decimal, (double)value));
        return print_decimal(value < 0, digits, n_digits, exponent, out);
    }
    return 0;
}

static size_t print_by_reading_back(float value, char *out)
{
    size_t len = 0;
    for (int p = 1; p <= MOST_DIGITS; p++) {
        len = (size_t)snprintf(out, FORMAT_FLOAT_MAX, "%.*e", p - 1, (double)value);
        if (strtof(out, NULL) == value)
            break;
    }
    return len;
}

size_t format_float(float value, char out[FORMAT_FLOAT_MAX])
{
    const char *name = isnan(value)   ? "nan"
                       : isinf(value) ? (value < 0 ? "-inf" : "inf")
                       : value == 0   ? (signbit(value) ? "-0.0" : "0.0")
                                      : NULL;
    if (name)
        return strlen(strcpy(out, name));
    size_t len = print_by_double(value, out);
    return len ? len : print_by_reading_back(value, out);
}
