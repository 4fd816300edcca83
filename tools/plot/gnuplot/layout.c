/* layout.c - see layout.h. The width of names decides how much room is left for the values, and
 * that decides how names are written; both are computed in turns until they agree (three are
 * enough). */
#include "tools/plot/gnuplot/layout.h"

#include "tools/common/display.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double PAGE_WIDTH = 453, PAGE_HEIGHT = 620; /* A4 less its margins: 160 mm × 219 mm */
static const double EDGE = 8, GAP = 5, LINE = 1.3;       /* a line of text is 1.3 letters high */
static const double CELL_MOST = 32, PANEL_LEAST = 130;
static const double SCALE_WIDTH = 9, SENTENCE_SHARE = 0.6;

enum { NAME_COLUMNS = 24, LONG_NAME_COLUMNS = 44, PASSES = 4 };

/* What surrounds the values, and the values themselves. */
struct plan {
    const struct figure *figure;
    size_t columns, rows, n;
    double width, height; /* of the page; 0: to be chosen */
    double panel_width, panel_height;
    double y_area, x_area, right_area, top_area, head; /* around a panel; above all */
    double gap_x, gap_y, left, bottom, right;
    struct label_style x, y;
};

double text_points(const char *text, double font, size_t columns)
{
    return text ? (double)display_width(text, strlen(text), columns) * font * COLUMN_EM : 0;
}

/* ---- Titles of panels ---- */

/* Letters are a little narrower than what is reckoned for names. */
size_t columns_of_title(double points)
{
    return points > 4 * AXIS_FONT ? (size_t)(points / (AXIS_FONT * 0.55)) : 7;
}

size_t columns_above(double panel_width)
{
    return columns_of_title(panel_width + 20);
}

size_t title_break(const char *title, size_t columns)
{
    size_t len = strlen(title), best = 0, least = SIZE_MAX;
    if (display_width(title, len, columns + 1) <= columns)
        return 0;
    for (size_t i = 1; i + 1 < len; i++) {
        if (title[i] != ' ')
            continue;
        size_t first = display_width(title, i, columns + 1);
        if (first > columns)
            break;
        size_t second = display_width(title + i + 1, len - i - 1, 10000);
        size_t longer = first > second ? first : second;
        size_t cost = longer + (title[i - 1] == ',' ? 0 : 8) + (longer > columns ? columns : 0);
        if (cost <= least) { /* behind a comma, if both lines fit */
            least = cost;
            best = i;
        }
    }
    return best;
}

static size_t lines_above(const struct plan *plan, const struct panel *panel)
{
    if (!panel->title)
        return 0;
    return title_break(panel->title, columns_above(plan->panel_width)) ? 2 : 1;
}

double legend_height(const struct panel *panel)
{
    return (double)panel->x.n * AXIS_FONT * LINE;
}

/* ---- Names along an axis ---- */

static double widest_name(const struct plan *plan, bool is_x, double font, size_t columns)
{
    double widest = 0;
    for (size_t i = 0; i < plan->figure->n_panels; i++) {
        const struct panel *panel = &plan->figure->panels[i];
        const struct axis *axis = is_x ? &panel->x : &panel->y;
        for (size_t e = 0; panel->kind != PANEL_DATA && axis->labels && e < axis->n; e++)
            widest = fmax(widest, text_points(axis->labels[e], font, columns));
    }
    return widest;
}

static size_t most_elements(const struct plan *plan, bool is_x)
{
    size_t most = 1;
    for (size_t i = 0; i < plan->figure->n_panels; i++) {
        const struct panel *panel = &plan->figure->panels[i];
        size_t n = is_x ? panel->x.n : panel->y.n;
        if (panel->kind != PANEL_DATA && n > most)
            most = n;
    }
    return most;
}

/* Letters no higher than the room between two names, and not all names where that is too small. */
static void fit_names(struct label_style *style, double spacing, double per_font)
{
    style->font = fmin(TICK_FONT, spacing / per_font);
    style->step = 1;
    if (style->font < LEAST_FONT) {
        style->font = LEAST_FONT;
        style->step = (size_t)ceil(LEAST_FONT * per_font / spacing);
    }
}

static void style_x(struct plan *plan)
{
    struct label_style *style = &plan->x;
    double spacing = plan->panel_width / (double)most_elements(plan, true);
    *style = (struct label_style){.font = TICK_FONT, .step = 1, .columns = NAME_COLUMNS};
    double widest = widest_name(plan, true, TICK_FONT, NAME_COLUMNS);
    if (widest + 4 <= spacing || widest == 0) {
        style->extent = TICK_FONT * LINE;
        return;
    }
    style->degrees = spacing >= 1.5 * LEAST_FONT ? 45 : 90;
    fit_names(style, spacing, style->degrees < 90 ? 1.5 : 1.15);
    widest = widest_name(plan, true, style->font, NAME_COLUMNS);
    style->extent = widest * (style->degrees < 90 ? 0.71 : 1) + style->font;
}

static const struct panel *first_drawn(const struct figure *figure)
{
    size_t i = 0;
    while (figure->panels[i].kind == PANEL_DATA)
        i++;
    return &figure->panels[i];
}

/* Permutations differ in their last words: smaller letters before any is cut. */
static void fit_sentences(const struct plan *plan, struct label_style *style, double room)
{
    double widest = widest_name(plan, false, style->font, SIZE_MAX);
    if (widest > room)
        style->font = fmax(LEAST_FONT, style->font * room / widest);
    style->columns = (size_t)(room / (style->font * COLUMN_EM) + 1e-9);
}

static void style_y(struct plan *plan)
{
    struct label_style *style = &plan->y;
    double page = plan->width > 0 ? plan->width : PAGE_WIDTH;
    double spacing = plan->panel_height / (double)most_elements(plan, false);
    size_t most = (size_t)(0.4 * page / (TICK_FONT * COLUMN_EM));
    *style = (struct label_style){.columns = most < LONG_NAME_COLUMNS ? most : LONG_NAME_COLUMNS};
    if (plan->n > 1)
        style->columns = NAME_COLUMNS;
    fit_names(style, spacing, 1.15);
    if (first_drawn(plan->figure)->kind == PANEL_DOTS)
        fit_sentences(plan, style, SENTENCE_SHARE * page);
    style->extent = widest_name(plan, false, style->font, style->columns);
}

/* ---- Areas around the values ---- */

double widest_tick(double least, double most)
{
    struct ticks ticks = ticks_make(least, most, 5);
    char text[TICK_BYTES];
    double widest = 0;
    for (size_t i = 0; i < ticks.n && i < 100; i++)
        widest = fmax(widest, text_points(tick_text(&ticks, i, text), TICK_FONT, TICK_BYTES));
    return widest;
}

static double y_names_width(const struct plan *plan, const struct panel *panel)
{
    double begin, end;
    switch (panel->kind) {
    case PANEL_LINES: return widest_tick(panel->least, panel->most);
    case PANEL_POINTS: return widest_tick(panel->y_range[0], panel->y_range[1]);
    default: break;
    }
    if (panel->y.labels)
        return plan->y.extent;
    axis_ends(panel, &panel->y, &begin, &end);
    return widest_tick(begin, end);
}

static double right_width(const struct panel *panel)
{
    if (panel->kind == PANEL_MAP)
        return GAP + SCALE_WIDTH + GAP + widest_tick(panel->least, panel->most) +
               (panel->unit ? AXIS_FONT * LINE + 2 : 0);
    if (panel->kind != PANEL_LINES)
        return GAP;
    double widest = 0;
    for (size_t i = 0; i < panel->y.n; i++) {
        char scratch[AXIS_NAME_BYTES];
        const char *name = axis_name(&panel->y, i, scratch);
        widest = fmax(widest, text_points(name, TICK_FONT, NAME_COLUMNS));
    }
    return 3 * GAP + 20 + widest;
}

static void measure_areas(struct plan *plan)
{
    plan->y_area = plan->x_area = plan->right_area = plan->top_area = 0;
    for (size_t i = 0; i < plan->figure->n_panels; i++) {
        const struct panel *panel = &plan->figure->panels[i];
        if (panel->kind == PANEL_DATA)
            continue;
        bool is_named = panel->kind == PANEL_MAP && panel->x.labels;
        const char *y_title = panel->kind == PANEL_LINES ? panel->unit : panel->y.title;
        const char *x_title = panel->kind == PANEL_DOTS ? panel->unit : panel->x.title;
        plan->y_area = fmax(plan->y_area, GAP + y_names_width(plan, panel) +
                                              (y_title ? AXIS_FONT * LINE + 6 : 0));
        plan->x_area = fmax(plan->x_area, GAP + (is_named ? plan->x.extent : TICK_FONT * LINE) +
                                              (x_title ? AXIS_FONT * LINE + 2 : 0));
        plan->right_area = fmax(plan->right_area, right_width(panel));
        plan->top_area =
            fmax(plan->top_area, (panel->title ? 3 : 0) +
                                     (double)lines_above(plan, panel) * AXIS_FONT * LINE +
                                     (panel->kind == PANEL_DOTS ? legend_height(panel) : 0));
    }
    /* The first names at 45 degrees reach to the left of the values. */
    if (plan->x.degrees == 45)
        plan->y_area =
            fmax(plan->y_area,
                 plan->x.extent - plan->panel_width / (double)most_elements(plan, true) / 2);
}

static double notes_height(const struct figure *figure)
{
    size_t n = 0;
    for (const char *c = figure->notes; c && *c; c++)
        n += *c == '\n';
    return (double)n * NOTE_FONT * LINE + (n ? 4 : 0);
}

static void measure_gaps(struct plan *plan)
{
    const struct figure *figure = plan->figure;
    bool one_scale = figure->shares_scale && figure->panels[0].kind == PANEL_MAP;
    plan->left = EDGE + plan->y_area;
    plan->bottom = EDGE + plan->x_area + notes_height(plan->figure);
    plan->right = EDGE + plan->right_area;
    plan->gap_x =
        (figure->shares_y ? GAP : plan->y_area + GAP) + (one_scale ? GAP : plan->right_area);
    plan->gap_y = (figure->shares_x ? GAP : plan->x_area + 2 * GAP) + plan->top_area;
}

/* ---- The values' own size ---- */

static double shape_of(const struct panel *panel, double width)
{
    double rows = (double)(panel->y.n ? panel->y.n : 1),
           columns = (double)(panel->x.n ? panel->x.n : 1);
    switch (panel->kind) {
    case PANEL_MAP:
        return panel->is_square  ? width * rows / columns
               : panel->y.labels ? fmin(width, fmax(90, rows * 22))
                                 : 0.62 * width;
    case PANEL_DOTS: return fmax(90, fmin(rows * 12, 470));
    case PANEL_POINTS: {
        double ratio =
            (panel->y_range[1] - panel->y_range[0]) / (panel->x_range[1] - panel->x_range[0]);
        return width * fmin(1, fmax(0.6, panel->is_square ? ratio : 0.7));
    }
    default: return 0.5 * width;
    }
}

static void size_panels(struct plan *plan)
{
    const struct panel *panel = first_drawn(plan->figure);
    double columns = (double)plan->columns, rows = (double)plan->rows;
    double page_width = plan->width > 0 ? plan->width : PAGE_WIDTH;
    double page_height = plan->height > 0 ? plan->height : PAGE_HEIGHT;
    double around_x = plan->left + plan->right + (columns - 1) * plan->gap_x;
    double around_y = plan->bottom + plan->top_area + plan->head + EDGE + (rows - 1) * plan->gap_y;
    double width = fmax(20, (page_width - around_x) / columns);
    double height = fmax(20, (page_height - around_y) / rows);
    bool has_square_cells = panel->kind == PANEL_MAP && panel->is_square;

    if (has_square_cells && plan->width <= 0)
        width = fmin(width, fmax(PANEL_LEAST, CELL_MOST * (double)panel->x.n));
    if (has_square_cells || plan->height <= 0)
        height = fmin(height, shape_of(panel, width));
    if (has_square_cells)
        width = fmin(width, height * (double)panel->x.n / (double)panel->y.n);
    plan->panel_width = width;
    plan->panel_height = height;
}

/* ---- Title ---- */

static void measure_title(struct plan *plan, struct layout *layout)
{
    double width = plan->width > 0 ? plan->width : PAGE_WIDTH;
    const char *title = plan->figure->title ? plan->figure->title : "";
    layout->title_columns = (size_t)fmax(8, (width - 2 * EDGE) / (TITLE_FONT * 0.56));
    size_t columns = display_width(title, strlen(title), 10000);
    layout->n_title_lines = columns == 0 ? 0 : title_break(title, layout->title_columns) ? 2 : 1;
    plan->head = EDGE + (double)layout->n_title_lines * TITLE_FONT * LINE + (columns ? 4 : 0);
}

/* ---- All of it ---- */

/* A page that was not asked for is no larger than what is on it, and wide enough for its title. */
static void settle_page(struct plan *plan, struct layout *layout)
{
    double columns = (double)plan->columns, rows = (double)plan->rows;
    double width =
        plan->left + plan->right + columns * plan->panel_width + (columns - 1) * plan->gap_x;
    double height = plan->bottom + plan->top_area + plan->head + rows * plan->panel_height +
                    (rows - 1) * plan->gap_y;
    const char *title = plan->figure->title;
    double title_width = fmin(2 * EDGE + text_points(title, TITLE_FONT * 0.92, 10000), PAGE_WIDTH);
    layout->width = plan->width > 0 ? plan->width : ceil(fmax(width, title_width));
    layout->height = plan->height > 0 ? plan->height : ceil(height);
    double spare_x = (layout->width - width) / 2, spare_y = (layout->height - height) / 2;
    if (spare_x > 0)
        plan->left += spare_x;
    if (spare_y > 0)
        plan->bottom += spare_y;
}

static void place(const struct plan *plan, struct layout *layout)
{
    const struct figure *figure = plan->figure;
    size_t n = 0;
    for (size_t i = 0; i < figure->n_panels; i++) {
        const struct panel *panel = &figure->panels[i];
        if (panel->kind == PANEL_DATA)
            continue;
        struct frame *frame = &layout->frames[n];
        size_t column = n % plan->columns, row = n / plan->columns;
        double left = plan->left + (double)column * (plan->panel_width + plan->gap_x);
        double bottom =
            plan->bottom + (double)(plan->rows - 1 - row) * (plan->panel_height + plan->gap_y);
        frame->panel = panel;
        frame->plot =
            (struct box){left, bottom, left + plan->panel_width, bottom + plan->panel_height};
        frame->has_y_names = !figure->shares_y || column == 0;
        frame->has_x_names = !figure->shares_x || n + plan->columns >= plan->n;
        bool has_scale = panel->kind == PANEL_MAP && (!figure->shares_scale || n == 0);
        double right = frame->plot.right, top = frame->plot.top;
        if (figure->shares_scale) { /* beside all of them */
            right = plan->left + (double)plan->columns * (plan->panel_width + plan->gap_x) -
                    plan->gap_x;
            bottom = plan->bottom;
            double height = fmin(top - bottom, 260), middle = (top + bottom) / 2;
            bottom = middle - height / 2;
            top = middle + height / 2;
        }
        if (has_scale)
            frame->scale = (struct box){right + GAP, bottom, right + GAP + SCALE_WIDTH, top};
        n++;
    }
}

static size_t choose_columns(const struct figure *figure, size_t n)
{
    if (figure->columns)
        return figure->columns < n ? figure->columns : n;
    return n <= 3 ? n : (size_t)ceil(sqrt((double)n));
}

bool layout_make(struct layout *layout, const struct figure *figure, double width, double height)
{
    size_t n = figure_n_drawn(figure);
    struct plan plan = {.figure = figure, .n = n, .width = width, .height = height};
    *layout = (struct layout){.n_frames = n, .frames = calloc(n + 1, sizeof *layout->frames)};
    if (!layout->frames)
        return false;
    if (n == 0)
        return true;
    plan.columns = choose_columns(figure, n);
    plan.rows = (n + plan.columns - 1) / plan.columns;
    plan.panel_width = 0.7 * (width > 0 ? width : PAGE_WIDTH) / (double)plan.columns;
    plan.panel_height = shape_of(first_drawn(figure), plan.panel_width);
    measure_title(&plan, layout);
    for (int pass = 0; pass < PASSES; pass++) {
        style_x(&plan);
        style_y(&plan);
        measure_areas(&plan);
        measure_gaps(&plan);
        size_panels(&plan);
    }
    settle_page(&plan, layout);
    plan.width = layout->width;
    measure_title(&plan, layout);
    place(&plan, layout);
    layout->x = plan.x;
    layout->notes_height = notes_height(figure);
    layout->y = plan.y;
    return true;
}

void layout_free(struct layout *layout)
{
    free(layout->frames);
    *layout = (struct layout){0};
}
