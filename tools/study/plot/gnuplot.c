/* gnuplot.c - see gnuplot.h. A script draws the picture: maps.gp, waves.gp, order.gp, words.gp, or
 * the user's (--script). It reads the table of numbers and the variables that common.gp describes.
 * Texts reach gnuplot as strings alone: those of gnuplot_string, or of the table.
 *
 * Strings: gnuplot runs commands between backquotes and expands @macros anywhere in a line, also in
 * strings, before it reads escapes. So every ASCII character but letters, digits, blanks and a few
 * marks is written as an octal escape.
 *
 * Characters: gnuplot's cairo terminals draw a character without a font as a box as large as the
 * page (seen with gnuplot 5.4.4, pango 1.50), so such characters must not reach them. fontconfig's
 * fc-list, which libpango needs, prints the characters of each font as ranges of hexadecimal
 * numbers. If it is absent, every character is passed on.
 */
#include "tools/study/plot/gnuplot.h"

#include "tools/common/child.h"
#include "tools/common/options.h"
#include "tools/common/print/display.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

const char *gnuplot_string(const char *text)
{
    bool after_escape = false; /* octal digits after an escape would extend it */
    struct written made;
    FILE *stream = alloc_open(&made);
    putc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                        (*c >= '0' && *c <= '9' && !after_escape) || *c >= 0x80 ||
                        strchr(" .,:-", *c);
        after_escape = !is_plain;
        if (is_plain)
            putc(*c, stream);
        else
            fprintf(stream, "\\%03o", *c);
    }
    putc('"', stream);
    return alloc_close(stream, &made);
}

/* ---- Fonts ---- */

enum { LAST_COMMON = 0x17F, N_CHARACTERS = 0x110000 }; /* Latin is in every font */

static const char BOX[] = "\xE2\x96\xA1";

/* Returns a bit for each character that a font has; NULL if fc-list is absent. It prints ranges,
 * "20-7e a0-17f 18f" and so on, with line ends between fonts. */
static const unsigned char *read_fonts(void)
{
    static const char blanks[] = " \n";
    char name[] = "fc-list", format[] = "--format=%{charset}\\n";
    char *const arguments[] = {name, format, NULL};
    struct child_result result;
    unsigned char *has = NULL;
    int reason = run_child(arguments, "", 0, &result);
    if (reason != 0 && reason != ENOENT)
        program_die("cannot run fc-list: %s", strerror(reason));
    const char *at = result.status == 0 && result.len > 0 ? result.bytes : "";
    if (*at)
        has = alloc_zeros(N_CHARACTERS / 8, 1);
    for (; *at; at += strcspn(at, blanks), at += strspn(at, blanks)) {
        char *end;
        unsigned long first = strtoul(at, &end, 16);
        unsigned long last = *end == '-' ? strtoul(end + 1, NULL, 16) : first;
        for (unsigned long c = first; c <= last && c < N_CHARACTERS; c++)
            has[c / 8] |= (unsigned char)(1u << c % 8);
    }
    free(result.bytes);
    return has;
}

/* Replaces each character of a text that no font of this machine has by U+25A1 (a box; by ? if the
 * character takes fewer bytes), and prints a note once. */
static void replace_missing(struct written *written)
{
    static const unsigned char *has;
    static bool is_read, is_noted;
    char *text = written->bytes;
    uint32_t character;
    size_t out = 0;
    for (size_t at = 0, n; at < written->len; at += n) {
        n = utf8_next(text + at, written->len - at, &character);
        if (character > LAST_COMMON && !is_read) {
            has = read_fonts();
            is_read = true;
        }
        if (character <= LAST_COMMON || !has || has[character / 8] >> character % 8 & 1) {
            memmove(text + out, text + at, n);
            out += n;
            continue;
        }
        bool has_box = has[0x25A1 / 8] >> 0x25A1 % 8 & 1 && n >= sizeof BOX - 1;
        memcpy(text + out, has_box ? BOX : "?", has_box ? sizeof BOX - 1 : 1);
        out += has_box ? sizeof BOX - 1 : 1;
        if (!is_noted)
            program_note("no font here has U+%04X, and perhaps others: a box is drawn instead; "
                         "packages such as fonts-noto-core and fonts-noto-cjk have more",
                         (unsigned)character);
        is_noted = true;
    }
    written->len = out;
}

/* ---- Running ---- */

/* Makes a message one line for the terminal: line ends and controls become blanks. */
static const char *one_line(char *message)
{
    char *out = message;
    for (const char *c = message; *c; c++) {
        char shown = (unsigned char)*c < 0x20 || *c == 0x7F ? ' ' : *c;
        if (shown != ' ' || (out > message && out[-1] != ' '))
            *out++ = shown;
    }
    while (out > message && out[-1] == ' ')
        out--;
    *out = '\0';
    return message[0] ? message : "it gave no reason";
}

/* Runs gnuplot on the commands, without its start files, and returns what it writes to stdout. Ends
 * the program if gnuplot is absent, fails, or draws nothing. */
static struct written run_gnuplot(const struct written *commands)
{
    /* By its name stdin is read as a file is, not byte by byte as from a terminal. */
    char name[] = "gnuplot", defaults[] = "-d", from_stdin[] = "/dev/stdin";
    char *const arguments[] = {name, defaults, from_stdin, NULL};
    struct child_result result;
    int reason = run_child(arguments, commands->bytes, commands->len, &result);
    if (reason == ENOENT)
        program_die("gnuplot is not installed: sudo apt-get install gnuplot-nox (sh "
                    "tools/setup.sh installs it too); -f data needs none");
    if (reason)
        program_die("cannot run gnuplot: %s", strerror(reason));
    struct written picture = {alloc_own(result.bytes), result.len};
    const char *message = one_line(result.message);
    if (WIFSIGNALED(result.status))
        program_die("gnuplot was ended by signal %d: %s", WTERMSIG(result.status), message);
    if (WEXITSTATUS(result.status) != 0)
        program_die("gnuplot failed: %s", message);
    if (result.len == 0)
        program_die("gnuplot drew nothing: %s", message);
    return picture;
}

/* ---- Commands ---- */

enum { TEXT_ROWS = 24, TITLE_COLUMNS = 400, TITLE_BYTES = 2000 };

/* Returns the folder of the scripts: beside the program, where make links that of its tree, or
 * PREFIX/share/encode/plot for PREFIX/bin/encode-plot. */
static const char *find_scripts(void)
{
    static const char *const folders[] = {"plot", "../share/encode/plot"};
    char program[PATH_MAX] = "";
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = len > 0 ? strrchr(program, '/') : NULL;
    if (slash)
        *slash = '\0';
    for (size_t i = 0; i < 2; i++) {
        char *folder = alloc_own(alloc_text("%s/%s", program, folders[i]));
        if (access(folder, X_OK) == 0)
            return folder;
    }
    program_die("the scripts of gnuplot are neither in '%s/plot' nor in '%s/../share/encode/plot'",
                program, program);
}

/* Returns the columns that names are cut to, so that they leave room for the values. */
static size_t name_columns(const struct figure *figure)
{
    switch (figure->panels[0].kind) {
    case PANEL_DOTS: return 90; /* permutations differ in their last words */
    case PANEL_POINTS: return 20;
    default: return figure->n_panels > 1 ? 20 : 28;
    }
}

/* One line, cut if it is long. */
static const char *title_string(const char *title)
{
    return gnuplot_string(title ? text_cut(title, TITLE_COLUMNS) : "");
}

/* Writes the variables of panel i, whose table is the index-th. */
static void write_panel_variables(const struct panel *panel, size_t i, size_t index,
                                  size_t name_most, FILE *out)
{
    static const char *const palettes[] = {"", "RdBu", "viridis", "Blues"};
    fprintf(out,
            "i = %zu\ntable[i] = %zu\npage[i] = %zu\nrows[i] = %zu\ncolumns[i] = %zu\n"
            "y_names[i] = %zu\nx_names[i] = %zu\ncolors[i] = \"%s\"\nleast[i] = %.9g\n"
            "most[i] = %.9g\npanel_title[i] = %s\nx_title[i] = %s\ny_title[i] = %s\n"
            "unit[i] = %s\n",
            i, index, panel->page, panel->y.n, panel->x.n, axis_widest(&panel->y, name_most),
            axis_widest(&panel->x, name_most), palettes[panel->palette], panel->least, panel->most,
            title_string(panel->title), title_string(panel->x.title), title_string(panel->y.title),
            title_string(panel->unit));
}

/* Writes the variables that common.gp describes. columns: of characters, 0 for a picture. */
static void write_variables(const struct figure *figure, const struct plot_options *options,
                            size_t columns, FILE *out)
{
    static const char *const formats[] = {"", "text", "", "png", "svg", "pdf"};
    const bool is_text = columns > 0;
    double width = is_text ? (double)columns : options->width_inches;
    double height = is_text ? TEXT_ROWS : options->height_inches;
    size_t n = 0, i = 0;
    for (size_t k = 0; k < figure->n_panels; k++)
        n += figure->panels[k].kind != PANEL_DATA;
    fprintf(out, "format = \"%s\"\nwidth = %.9g\nheight = %.9g\ndpi = %zu\n",
            formats[options->format], width, height, options->dpi);
    size_t title_len = strnlen(figure->title, TITLE_BYTES);
    fprintf(out, "title = %s\nnotes = \"\"\n",
            options->title ? gnuplot_string(text_of_bytes(figure->title, title_len))
                           : title_string(figure->title));
    for (size_t k = 0; k < figure->n_notes; k++)
        fprintf(out, "notes = notes.%s.\"\\n\"\n", title_string(figure->notes[k]));
    fprintf(out,
            "n_notes = %zu\nn = %zu\nn_beside = %zu\nsquare = %d\ny_up = %d\nshows_values = %d\n"
            "shares_scale = %d\nshares_names = %d\noverlaid = %d\n",
            figure->n_notes, n, figure->columns, figure->is_square, figure->y_up,
            figure->shows_values, figure->shares_scale, figure->shares_names, figure->is_overlaid);
    fputs("array table[n]\narray page[n]\narray rows[n]\narray columns[n]\narray y_names[n]\n"
          "array x_names[n]\narray colors[n]\narray least[n]\narray most[n]\n"
          "array panel_title[n]\narray x_title[n]\narray y_title[n]\narray unit[n]\n",
          out);
    for (size_t k = 0; k < figure->n_panels; k++)
        if (figure->panels[k].kind != PANEL_DATA)
            write_panel_variables(&figure->panels[k], ++i, k, name_columns(figure), out);
}

/* The table is a file in memory, which gnuplot can open several times. */
struct written gnuplot_draw(const struct figure *figure, const struct plot_options *options,
                            size_t columns)
{
    static const char *const scripts[] = {[PANEL_MAP] = "maps.gp",
                                          [PANEL_LINES] = "waves.gp",
                                          [PANEL_DOTS] = "order.gp",
                                          [PANEL_POINTS] = "words.gp"};
    const char *folder = find_scripts(), *script = options->script;
    struct written commands, table;
    int file = memfd_create("table", 0);
    FILE *stream = alloc_open(&table), *data = file < 0 ? NULL : fdopen(file, "w");
    figure_write_table(figure, name_columns(figure), stream);
    alloc_close(stream, &table);
    stream = alloc_open(&commands);
    fprintf(stream, "set encoding utf8\ndata = \"/dev/fd/%d\"\nfolder = %s\n", file,
            gnuplot_string(folder));
    write_variables(figure, options, columns, stream);
    if (!script)
        script = alloc_own(alloc_text("%s/%s", folder, scripts[figure->panels[0].kind]));
    fprintf(stream, "load %s\n", gnuplot_string(script));
    alloc_close(stream, &commands);
    if (options->format == PLOT_PNG || options->format == PLOT_PDF) {
        replace_missing(&table);
        replace_missing(&commands);
    }
    if (!data || fwrite(table.bytes, 1, table.len, data) < table.len || fflush(data) != 0)
        program_die("no memory for the numbers that gnuplot draws: %s", strerror(errno));
    struct written picture = run_gnuplot(&commands);
    fclose(data);
    return picture;
}
