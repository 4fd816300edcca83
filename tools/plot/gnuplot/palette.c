/* palette.c - see palette.h. RdBu and Blues are ColorBrewer's (Brewer, Harrower), viridis is
 * matplotlib's (Smith, van der Walt), each by equally spaced stops, linear in between; the colours
 * of lines are those of Okabe and Ito, with grey for their yellow, which is faint on white. */
#include "tools/plot/gnuplot/palette.h"

enum { STOPS_MOST = 11 };

struct stops {
    size_t n;
    uint32_t colors[STOPS_MOST];
};

static const struct stops PALETTES[N_PALETTES] = {
    [PALETTE_DEFAULT] = {2, {0xFFFFFF, 0x08306B}},
    [PALETTE_RDBU] = {11,
                      {0x67001F, 0xB2182B, 0xD6604D, 0xF4A582, 0xFDDBC7, 0xF7F7F7, 0xD1E5F0,
                       0x92C5DE, 0x4393C3, 0x2166AC, 0x053061}},
    [PALETTE_VIRIDIS] = {10,
                         {0x440154, 0x482878, 0x3E4989, 0x31688E, 0x26828E, 0x1F9E89, 0x35B779,
                          0x6ECE58, 0xB5DE2B, 0xFDE725}},
    [PALETTE_BLUES] = {9,
                       {0xFFFFFF, 0xDEEBF7, 0xC6DBEF, 0x9ECAE1, 0x6BAED6, 0x4292C6, 0x2171B5,
                        0x08519C, 0x08306B}},
};

static const uint32_t LINES[N_LINE_COLORS] = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7,
                                              0xE69F00, 0x56B4E9, 0x000000, 0x999999};

uint32_t palette_color(enum palette palette, double at)
{
    const struct stops *stops = &PALETTES[palette];
    double place = !(at > 0) ? 0 : at >= 1 ? (double)(stops->n - 1) : at * (double)(stops->n - 1);
    size_t i = (size_t)place < stops->n - 1 ? (size_t)place : stops->n - 2;
    double part = place - (double)i;
    uint32_t color = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double a = stops->colors[i] >> shift & 0xFF, b = stops->colors[i + 1] >> shift & 0xFF;
        color |= (uint32_t)(a + part * (b - a) + 0.5) << shift;
    }
    return color;
}

/* Relative luminance of ITU-R BT.709, without undoing gamma: enough to choose black or white. */
bool color_is_light(uint32_t color)
{
    double red = color >> 16 & 0xFF, green = color >> 8 & 0xFF, blue = color & 0xFF;
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 140;
}

void palette_put(enum palette palette, FILE *script)
{
    const struct stops *stops = &PALETTES[palette];
    fputs("set palette defined (", script);
    for (size_t i = 0; i < stops->n; i++)
        fprintf(script, "%s%zu '#%06X'", i ? ", " : "", i, (unsigned)stops->colors[i]);
    fputs(") maxcolors 0\n", script);
}

uint32_t line_color(size_t i)
{
    return LINES[i % N_LINE_COLORS];
}
