/* page.c - see page.h. The width of names decides how much room is left for the values, and that
 * decides how names are written; both are computed in turns until they agree (PASSES are enough).
 */
#include "tools/plot/gnuplot/page.h"

#include "tools/common/print/display.h"
#include "tools/plot/memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double PAGE_WIDTH = 453, PAGE_HEIGHT = 620; /* A4 less its margins: 160 mm × 219 mm */
static const double EDGE = 8, GAP = 5;
static const double CELL_MOST = 32, PANEL_LEAST = 130, PANEL_SMALLEST = 20;
static const double LEAST_FONT = 5.5, COLUMN_EM = 0.62; /* a little more than letters' mean width */
static const double NUMBER_WIDTH = 4 * TICK_FONT * 0.62, TICK_MARK = 4, SENTENCE_SHARE = 0.6;

enum { NAME_COLUMNS = 24, LONG_NAME_COLUMNS = 44, PASSES = 4 };

/* ---- Texts ---- */

double text_points(const char *text, double font, size_t columns)
{
    return (double)display_width(text, strlen(text), columns) * font * COLUMN_EM;
}

char *text_cut(const char *text, size_t len, size_t columns)
{
    char *cut;
    size_t cut_len;
    FILE *stream = alloc_open(&cut, &cut_len);
    display_text(stream, text, len, columns);
    memory_close(stream, &cut);
    return cut;
}

/* Behind a comma or a colon, if what follows fits on a line. */
static bool is_clause(const char *line, const char *end, size_t columns)
{
    return end > line && strchr(",:", end[-1]) &&
           display_width(end, strlen(end), columns + 2) <= columns + 1; /* the blank */
}

/* The end of a title's line: a blank where it is about as long as wanted. */
static const char *line_end(const char *line, size_t wanted, size_t columns)
{
    const char *end = strchrnul(line, ' ');
    while (*end) {
        size_t width = display_width(line, (size_t)(end - line), columns);
        const char *next = strchrnul(end + 1, ' ');
        if (width >= wanted || (20 * width >= 13 * wanted && is_clause(line, end, columns)) ||
            display_width(line, (size_t)(next - line), columns + 1) > columns)
            break;
        end = next;
    }
    return end;
}

/* Breaks a text at blanks into as few lines of `columns` as there can be, of about one length. */
static char *break_lines(const char *text, size_t columns)
{
    char *lines;
    size_t len, total = display_width(text, strlen(text), SIZE_MAX);
    size_t n_lines = (total + columns - 1) / columns;
    FILE *stream = alloc_open(&lines, &len);
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = line + strlen(line);
        if (display_width(line, (size_t)(end - line), columns + 1) > columns)
            end = line_end(line, total / n_lines, columns);
        if (line > text)
            putc('\n', stream);
        display_text(stream, line, (size_t)(end - line), columns);
    }
    memory_close(stream, &lines);
    return lines;
}

char *title_lines(const char *title, double points)
{
    return break_lines(title, (size_t)fmax(8, (points + 20) / (AXIS_FONT * 0.55)));
}

static double lines_height(const char *lines, double font)
{
    double n = lines[0] ? 1 : 0;
    for (const char *c = lines; *c; c++)
        n += *c == '\n' && c[1];
    return n * font * LINE_HEIGHT;
}

/* ---- Names along an axis ---- */

/* Names, where others have numbers. The names of lines are in their legend. */
static bool has_names(const struct panel *panel, bool is_x)
{
    if (panel->kind == PANEL_MAP)
        return is_x ? panel->x.labels : panel->y.labels;
    return panel->kind == PANEL_DOTS && !is_x;
}

static double widest_name(const struct page *page, bool is_x, double font, size_t columns)
{
    double widest = 0;
    for (size_t i = 0; i < page->n; i++) {
        const struct panel *panel = page->panels[i];
        const struct axis *axis = is_x ? &panel->x : &panel->y;
        for (size_t e = 0; has_names(panel, is_x) && e < axis->n; e++)
            widest = fmax(widest, text_points(axis->labels[e], font, columns));
    }
    return widest;
}

static double most_elements(const struct page *page, bool is_x)
{
    double most = 1;
    for (size_t i = 0; i < page->n; i++)
        most = fmax(most, (double)(is_x ? page->panels[i]->x.n : page->panels[i]->y.n));
    return most;
}

/* Letters no higher than the room between two names, and not all names where that is too small. */
static void fit_names(struct name_style *style, double spacing, double per_font)
{
    style->font = fmin(TICK_FONT, spacing / per_font);
    style->step = 1;
    if (style->font < LEAST_FONT) {
        style->font = LEAST_FONT;
        style->step = (size_t)ceil(LEAST_FONT * per_font / spacing);
    }
}

static void choose_x_names(struct page *page)
{
    struct name_style *style = &page->x;
    double spacing = page->panel_width / most_elements(page, true);
    double widest = widest_name(page, true, TICK_FONT, NAME_COLUMNS);
    *style = (struct name_style){.font = TICK_FONT,
                                 .step = 1,
                                 .columns = NAME_COLUMNS,
                                 .extent = TICK_FONT * LINE_HEIGHT + TICK_MARK};
    if (widest + 4 <= spacing || widest == 0)
        return;
    style->degrees = spacing >= 1.5 * LEAST_FONT ? 45 : 90;
    fit_names(style, spacing, style->degrees < 90 ? 1.5 : 1.15);
    widest = widest_name(page, true, style->font, NAME_COLUMNS);
    style->extent = widest * (style->degrees < 90 ? 0.71 : 1) + style->font;
}

static void choose_y_names(struct page *page, double page_width)
{
    struct name_style *style = &page->y;
    double most = fmin(LONG_NAME_COLUMNS, 0.4 * page_width / (TICK_FONT * COLUMN_EM));
    *style = (struct name_style){.columns = page->n > 1 ? NAME_COLUMNS : (size_t)most};
    fit_names(style, page->panel_height / most_elements(page, false), 1.15);
    if (page->kind == PANEL_DOTS) { /* permutations differ in their last words: none is cut */
        double room = SENTENCE_SHARE * page_width;
        double widest = widest_name(page, false, style->font, SIZE_MAX);
        if (widest > room)
            style->font = fmax(LEAST_FONT, style->font * room / widest);
        style->columns = (size_t)(room / (style->font * COLUMN_EM) + 1e-9);
    }
    style->extent = has_names(page->panels[0], false)
                        ? widest_name(page, false, style->font, style->columns)
                        : NUMBER_WIDTH;
}

/* ---- What is around the values ---- */

double page_title_distance(const struct name_style *style, const char *lines)
{
    double height = lines ? lines_height(lines, AXIS_FONT) : AXIS_FONT * LINE_HEIGHT;
    return GAP + style->extent + height - 0.6 * AXIS_FONT;
}

static double title_height(const char *title, double points)
{
    return title ? lines_height(title_lines(title, points), AXIS_FONT) : 0;
}

/* What a panel needs on each of its sides. */
enum side { LEFT, RIGHT, BELOW, ABOVE, N_SIDES };

static double right_side(const struct page *page, const struct panel *panel)
{
    double widest = 0;
    if (panel->kind == PANEL_MAP)
        return 22 + NUMBER_WIDTH + title_height(panel->unit, page->panel_height);
    if (panel->kind != PANEL_LINES)
        return GAP + NUMBER_WIDTH / 2;
    for (size_t i = 0; i < panel->y.n; i++)
        widest = fmax(widest, text_points(panel->y.labels[i], TICK_FONT, NAME_COLUMNS));
    return 40 + widest;
}

static void find_sides(const struct page *page, double most[N_SIDES])
{
    for (size_t i = 0; i < page->n; i++) {
        const struct panel *panel = page->panels[i];
        const char *y_title = panel->kind == PANEL_LINES ? panel->unit : panel->y.title;
        const char *x_title = panel->kind == PANEL_DOTS ? panel->unit : panel->x.title;
        double title = title_height(panel->title, page->panel_width);
        double legend =
            panel->kind == PANEL_DOTS ? (double)panel->x.n * TICK_FONT * LINE_HEIGHT : 0;
        const double sides[N_SIDES] = {
            [LEFT] = 2 * GAP + page->y.extent + title_height(y_title, page->panel_height),
            [RIGHT] = right_side(page, panel),
            [BELOW] = GAP + page->x.extent + title_height(x_title, page->panel_width),
            [ABOVE] = title + (title > 0 ? GAP : 0) + legend,
        };
        for (size_t s = 0; s < N_SIDES; s++)
            most[s] = fmax(most[s], sides[s]);
    }
    if (page->x.degrees == 45) /* the first names reach to the left of the values */
        most[LEFT] =
            fmax(most[LEFT], page->x.extent - page->panel_width / most_elements(page, true) / 2);
}

static void measure_sides(struct page *page, const struct figure *figure)
{
    double most[N_SIDES] = {0}, notes = (double)figure->n_notes * NOTE_FONT * LINE_HEIGHT;
    find_sides(page, most);
    page->left = EDGE + most[LEFT];
    page->right = EDGE + most[RIGHT];
    page->bottom = EDGE + most[BELOW] + (notes > 0 ? notes + GAP : 0);
    page->top = EDGE + lines_height(page->title, TITLE_FONT) + GAP + most[ABOVE];
    page->gap_x =
        (figure->shares_y ? GAP : most[LEFT]) + (figure->shares_scale ? GAP : most[RIGHT]);
    page->gap_y = (figure->shares_x ? GAP : most[BELOW] + 2 * GAP) + most[ABOVE];
}

/* ---- The values' own size ---- */

static double height_for(const struct panel *panel, double width)
{
    double rows = (double)panel->y.n, columns = (double)panel->x.n;
    switch (panel->kind) {
    case PANEL_MAP:
        return panel->is_square  ? width * rows / columns
               : panel->y.labels ? fmin(width, fmax(90, rows * 22))
                                 : 0.62 * width;
    case PANEL_DOTS: return fmax(90, fmin(rows * 12, 470));
    case PANEL_POINTS:
        return width * fmin(1, fmax(0.6, (panel->y_range[1] - panel->y_range[0]) /
                                             (panel->x_range[1] - panel->x_range[0])));
    default: return 0.5 * width;
    }
}

/* A page of a size that was asked for is filled, but for the squares of a map. */
static void size_panels(struct page *page, double width, double height)
{
    const struct panel *panel = page->panels[0];
    bool is_chosen = page->width <= 0, is_square = panel->kind == PANEL_MAP && panel->is_square;
    double gaps_x = (double)(page->columns - 1) * page->gap_x;
    double gaps_y = (double)(page->rows - 1) * page->gap_y;
    double room_x = width - page->left - page->right - gaps_x;
    double room_y = height - page->bottom - page->top - gaps_y;
    page->panel_width = fmax(PANEL_SMALLEST, room_x / (double)page->columns);
    page->panel_height = fmax(PANEL_SMALLEST, room_y / (double)page->rows);
    if (is_square && is_chosen)
        page->panel_width =
            fmin(page->panel_width, fmax(PANEL_LEAST, CELL_MOST * (double)panel->x.n));
    if (is_square || is_chosen)
        page->panel_height = fmin(page->panel_height, height_for(panel, page->panel_width));
    if (is_square)
        page->panel_width =
            fmin(page->panel_width, page->panel_height * (double)panel->x.n / (double)panel->y.n);
}

/* A page that was not asked for is as large as what is on it, and wide enough for its title; on
 * one that is larger, all of it stands in the middle. False: on one that is smaller it would lie
 * on top of itself. */
static bool size_page(struct page *page)
{
    double columns = (double)page->columns, rows = (double)page->rows;
    double width =
        page->left + page->right + columns * page->panel_width + (columns - 1) * page->gap_x;
    double height = page->bottom + page->top + rows * page->panel_height + (rows - 1) * page->gap_y;
    if (page->width <= 0) {
        double title = 2 * EDGE + text_points(page->title, TITLE_FONT, SIZE_MAX);
        page->width = ceil(fmax(width, fmin(PAGE_WIDTH, title)));
        page->height = ceil(height);
    }
    static const double ROUNDING = 0.01;
    if (width > page->width + ROUNDING || height > page->height + ROUNDING)
        return false;
    double beside = fmax(0, page->width - width) / 2, above = fmax(0, page->height - height) / 2;
    page->left += beside;
    page->right += beside;
    page->bottom += above;
    page->top += above;
    return true;
}

/* In columns and rows, all but those that are for the table alone. */
static void arrange_panels(struct page *page, const struct figure *figure)
{
    page->panels = memory_zeros(figure->n_panels, sizeof *page->panels);
    for (size_t i = 0; i < figure->n_panels; i++)
        if (figure->panels[i].kind != PANEL_DATA)
            page->panels[page->n++] = &figure->panels[i];
    page->kind = page->panels[0]->kind;
    page->columns = figure->columns < page->n ? figure->columns : page->n;
    if (!figure->columns)
        page->columns = page->n <= 3 ? page->n : (size_t)ceil(sqrt((double)page->n));
    page->rows = (page->n + page->columns - 1) / page->columns;
}

bool page_make(struct page *page, const struct figure *figure, double width, double height)
{
    *page = (struct page){.width = width, .height = height};
    width = width > 0 ? width : PAGE_WIDTH;
    height = height > 0 ? height : PAGE_HEIGHT;
    arrange_panels(page, figure);
    page->title =
        break_lines(figure->title, (size_t)fmax(8, (width - 2 * EDGE) / (TITLE_FONT * 0.56)));
    page->panel_width = 0.7 * width / (double)page->columns;
    page->panel_height = height_for(page->panels[0], page->panel_width);
    for (int pass = 0; pass < PASSES; pass++) {
        choose_x_names(page);
        choose_y_names(page, width);
        measure_sides(page, figure);
        size_panels(page, width, height);
    }
    return size_page(page);
}
