/* format_float.c - shortest decimals that read back as the same float32.
 *
 * A decimal n·10^-s with p digits reads back as x when it lies closer to x than half the distance
 * to x's nearer neighbour. For p = 6 .. 9 the nearest such decimal is computed in double, which has
 * 29 bits more than a float32: with powers of ten up to 10^22 (exact in double) two roundings of
 * 2^-53 cannot hide behind the 2^-25 that decide, and the test keeps a margin of 1e-6 of them. Six
 * digits or fewer survive decimal → float32 → decimal (FLT_DIG), so p starts at 6 and trailing
 * zeros are cut. Numbers outside of that range go through printf and back.
 */
#include "tools/common/format_float.h"

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

/* d.ddd…·10^exponent as n_digits characters. */
struct decimal {
    char digits[MOST_DIGITS + 1];
    int n_digits;
    int exponent;
};

static void set_digits(struct decimal *decimal, uint32_t number, int exponent)
{
    char text[16];
    int n = snprintf(text, sizeof text, "%u", (unsigned)number);
    while (n > 1 && text[n - 1] == '0')
        n--;
    memcpy(decimal->digits, text, (size_t)n);
    decimal->n_digits = n;
    decimal->exponent = exponent;
}

static bool shortest_in_double(float value, struct decimal *decimal)
{
    double x = (double)value;
    double half_gap = (x - (double)nextafterf(value, 0.0f)) / 2;
    int exponent = (int)floor(log10(x));

    if (exponent < LEAST_DIGITS - LARGEST_POWER + 3 || exponent > LARGEST_POWER)
        return false;
    for (int p = LEAST_DIGITS; p <= MOST_DIGITS; p++) {
        int scale = p - 1 - exponent;
        double n = nearbyint(times_power(x, scale));
        double error = fabs(times_power(n, -scale) - x);
        if (error < half_gap * (1 - 1e-6)) {
            /* log10 may round up to the next power, and n may too: the digits decide. */
            int carry = n >= POWERS[p] ? 1 : n < POWERS[p - 1] ? -1 : 0;
            set_digits(decimal, (uint32_t)n, exponent + carry);
            return true;
        }
    }
    return false;
}

static void shortest_by_printf(float value, struct decimal *decimal)
{
    char text[FORMAT_FLOAT_MAX];
    for (int p = 1; p <= MOST_DIGITS; p++) {
        snprintf(text, sizeof text, "%.*e", p - 1, (double)value);
        if (strtof(text, NULL) == value || p == MOST_DIGITS)
            break;
    }
    decimal->n_digits = 0;
    for (const char *c = text; *c != 'e'; c++)
        if (*c != '.')
            decimal->digits[decimal->n_digits++] = *c;
    decimal->exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

static char *put(char *out, const char *digits, int n)
{
    memcpy(out, digits, (size_t)n);
    return out + n;
}

static char *put_zeros(char *out, int n)
{
    memset(out, '0', (size_t)n);
    return out + n;
}

static char *put_fixed(char *out, const struct decimal *decimal)
{
    int whole = decimal->exponent + 1;
    if (whole <= 0) {
        out = put(out, "0.", 2);
        out = put_zeros(out, -whole);
        return put(out, decimal->digits, decimal->n_digits);
    }
    if (whole >= decimal->n_digits) {
        out = put(out, decimal->digits, decimal->n_digits);
        out = put_zeros(out, whole - decimal->n_digits);
        return put(out, ".0", 2);
    }
    out = put(out, decimal->digits, whole);
    *out++ = '.';
    return put(out, decimal->digits + whole, decimal->n_digits - whole);
}

static char *put_scientific(char *out, const struct decimal *decimal)
{
    *out++ = decimal->digits[0];
    if (decimal->n_digits > 1) {
        *out++ = '.';
        out = put(out, decimal->digits + 1, decimal->n_digits - 1);
    }
    return out + sprintf(out, "e%+03d", decimal->exponent);
}

size_t format_float(float value, char out[FORMAT_FLOAT_MAX])
{
    char *end = out;
    struct decimal decimal;

    if (!isfinite(value)) {
        strcpy(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return strlen(out);
    }
    if (signbit(value)) {
        *end++ = '-';
        value = -value;
    }
    if (value == 0)
        set_digits(&decimal, 0, 0);
    else if (!shortest_in_double(value, &decimal))
        shortest_by_printf(value, &decimal);
    if (decimal.exponent >= -5 && decimal.exponent < MOST_DIGITS)
        end = put_fixed(end, &decimal);
    else
        end = put_scientific(end, &decimal);
    *end = '\0';
    return (size_t)(end - out);
}
