/* script.c - see script.h.
 *
 * The layout says where everything is, so gnuplot chooses nothing: each panel has its margins on
 * the page, and every text is a label at a place of its own. Texts pass through gnuplot_put_string,
 * numbers are written by us; nothing else of the user's reaches the script.
 */
#include "tools/plot/gnuplot/script.h"

#include "tools/plot/writer.h"

#include <stdlib.h>
#include <string.h>

static void put_terminal(struct writer *writer, const struct page *page)
{
    double width = writer->layout->width, height = writer->layout->height;
    switch (page->medium) {
    case MEDIUM_PNG: /* its letters have their size at 96 pixels per inch */
        fprintf(writer->out,
                "set terminal pngcairo noenhanced font 'sans,9' size %zu,%zu fontscale %.5f "
                "linewidth %.5f background '#FFFFFF'\n",
                page->pixels[0], page->pixels[1], page->dpi / 96, page->dpi / 96);
        break;
    case MEDIUM_SVG: /* its letters are in pixels, 96 per inch */
        fprintf(writer->out,
                "set terminal svg noenhanced font 'sans-serif,9' size %zu,%zu fontscale 1.33333 "
                "linewidth 1 background '#FFFFFF'\n",
                page->pixels[0], page->pixels[1]);
        break;
    case MEDIUM_PDF: /* its letters are a third larger than they say */
        fprintf(writer->out,
                "set terminal pdfcairo noenhanced font 'sans,9' size %.6fin,%.6fin fontscale 0.75 "
                "linewidth 1.5 background '#FFFFFF'\n",
                width / 72, height / 72);
        break;
    }
}

static void put_title(struct writer *writer, const struct figure *figure)
{
    const struct layout *layout = writer->layout;
    double y = layout->height - 8 - TITLE_FONT / 2, x = layout->width / 2;
    bool is_broken = figure->title && title_break(figure->title, layout->title_columns) > 0;
    put_broken(writer, figure->title, layout->title_columns, x,
               is_broken ? y - 1.3 * TITLE_FONT : y, TITLE_FONT);
}

/* Each line as far as the page is wide. */
static void put_notes(struct writer *writer, const struct figure *figure)
{
    const struct layout *layout = writer->layout;
    double y = 8 + layout->notes_height - 4 - NOTE_FONT * 0.65;
    size_t columns = (size_t)((layout->width - 24) / (NOTE_FONT * 0.56));
    for (const char *line = figure->notes; line && *line; y -= NOTE_FONT * 1.3) {
        size_t len = strcspn(line, "\n");
        char *copy = strndup(line, len);
        put_text(writer, copy, columns, 12, y, LEFT, NOTE_FONT, 0, "");
        free(copy);
        line += len + (line[len] ? 1 : 0);
    }
}

void script_write(const struct figure *figure, const struct layout *layout, const struct page *page,
                  FILE *script)
{
    struct writer writer = {.out = script, .layout = layout, .medium = page->medium};
    static void (*const draw[])(struct writer *, const struct frame *, size_t) = {
        [PANEL_MAP] = draw_map,
        [PANEL_LINES] = draw_lines,
        [PANEL_DOTS] = draw_dots,
        [PANEL_POINTS] = draw_points,
    };
    fputs("set encoding utf8\n", script);
    put_terminal(&writer, page);
    fputs("unset key\nunset border\nunset xtics\nunset ytics\nunset cbtics\nunset colorbox\n"
          "set style fill solid\nset multiplot\n",
          script);
    put_title(&writer, figure);
    put_notes(&writer, figure);
    for (size_t i = 0; i < layout->n_frames; i++) {
        draw[layout->frames[i].panel->kind](&writer, &layout->frames[i], i);
        end_panel(&writer);
    }
    fputs("unset multiplot\n", script);
}
