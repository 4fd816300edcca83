# common.gp - what the scripts of encode-plot share. To change a picture, name a script of your own with --script: one
# that sets some of these variables and loads maps.gp, waves.gp, order.gp or words.gp, or an edited copy of one of
# these. encode-plot runs a script after it has set these variables:
#
#   data              the table of numbers, as -f data writes it; names are cut where they are long
#   folder            where this file is
#   format            "png", "svg", "pdf", or "text" for characters
#   width, height     of the picture in inches, 0: the script chooses; of text in characters, for one panel
#   dpi               pixels per inch of a PNG
#   title, notes, n_notes     the heading, and lines below the panels
#   n, n_beside       panels; how many are beside each other, 0: the script chooses
#   square, y_up, shares_scale, shares_names, overlaid    0 or 1, see figure.h
#
# and of panel i from 1 to n:
#
#   table[i], page[i]         its index in data, and the page that it is on
#   rows[i], columns[i]       of its table
#   y_names[i], x_names[i]    columns that the longest name takes on a screen; 0: numbers instead of names
#   panel_title[i], x_title[i], y_title[i], unit[i]
#   colors[i], least[i], most[i]    of maps: "RdBu", "viridis" or "Blues", and the range of the colours
#
# Names and titles come from texts: print them, never run them (no eval, no system, no macros with them).
set datafile separator "\t"
set border 15 lc rgb '#404040' lw 0.8 front
set tics nomirror out textcolor rgb '#000000'
set format '%g'
unset key
set title offset 0,-0.4

# Letters of a PNG have their size at 96 pixels per inch, those of an SVG are in pixels, and those of a PDF are a third
# larger than they say. Keep noenhanced: it leaves texts unchanged.
is_text = format eq 'text'
per_inch = format eq 'png' ? dpi : format eq 'svg' ? 96 : format eq 'pdf' ? 1 : 10
if (is_text) { width = width / 10.0; height = height / 10.0 }
terminal = is_text ? 'dumb noenhanced nofeed' : "noenhanced background '#FFFFFF' ".( \
    format eq 'pdf' ? "font 'sans,9' fontscale 0.75 linewidth 1.5" : \
    format eq 'svg' ? "font 'sans-serif,9' fontscale 1.33333 linewidth 1" : \
    sprintf("font 'sans,9' fontscale %g linewidth %g pointscale %g", dpi / 96.0, dpi / 96.0, dpi / 96.0))
if (!is_text) { terminal = (format eq 'svg' ? 'svg ' : format.'cairo ').terminal }

# Sizes are in points, 1/72 inch. A page that fits the text of A4 is 453 x 620.
title_font = 10.5; axis_font = 9.0; tick_font = 8.0; note_font = 7.5
title_letters = sprintf(',%g', title_font); axis_letters = sprintf(',%g', axis_font)
tick_letters = sprintf(',%g', tick_font); note_letters = sprintf(',%g', note_font)
edge = 8.0; gap = 5.0; line = 1.3
letter = 0.62    # of the size of letters: a little more than their mean width
has_width = width > 0; has_height = height > 0
page_width = width > 0 ? width * 72 : 453.0
page_height = height > 0 ? height * 72 : 620.0

least_of(a, b) = a < b ? a : b
most_of(a, b) = a > b ? a : b
length(x, y) = sqrt(x * x + y * y)

# A text in lines of at most so many characters, broken at blanks.
blank(text, k) = k < 2 ? 0 : text[k:k] eq ' ' ? k : blank(text, k - 1)
broken(text, most, k) = text[1:(k ? k - 1 : most)]."\n".fold(text[(k ? k : most) + 1:*], most)
fold(text, most) = strlen(text) <= most ? text : broken(text, most, blank(text, most + 1))
even(text, most) = least_of(most, strlen(text) / int(ceil(strlen(text) / (1.0 * most))) + 8)
fold_most(text, most) = strlen(text) <= most ? text : fold(text, even(text, most))
fold_to(text, points, font) = fold_most(text, most_of(8, least_of(200, int(points / (0.56 * font)))))
lines(text) = strlen(text) == 0 ? 0 : strstrt(text, "\n") ? 1 + lines(text[strstrt(text, "\n") + 1:*]) : 1
# A name for `set xtics`, where % begins a format.
plain(name) = strstrt(name, '%') ? name[1:strstrt(name, '%')].'%'.plain(name[strstrt(name, '%') + 1:*]) : name
# 1, 2 or 5 times a power of ten, so that at most so many are in the range.
power(x) = 10.0 ** floor(log10(x))
round_up(x) = power(x) * (x / power(x) <= 1.0001 ? 1 : x / power(x) <= 2 ? 2 : x / power(x) <= 5 ? 5 : 10)
round_step(range, most) = round_up(range / (1.0 * most))

heading = fold_to(title, page_width - 2 * edge, title_font)

# Makes the page, of page_width x page_height points.
open_page = 'eval sprintf("set terminal %s size %s,%s", terminal, size_of(page_width), size_of(page_height))'
size_of(points) = format eq 'pdf' ? sprintf('%gin', points / 72) : sprintf('%d', floor(points / 72 * per_inch + 0.5))

# Of lines and dots: the colours of Okabe and Ito, with grey for their yellow, which is faint on white.
# Dashes, where the colours come again.
dashes(i) = (i - 1) / 8 % 4 + 1
array line_colors[8] = [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x000000, 0x999999]
line_color(i) = line_colors[(i - 1) % 8 + 1]
