# words.gp - words in the plane: words. Two texts are in one panel (overlaid): dots are the words of text A, rings those
# of text B, and an arrow leads from each word of A to the same word of B. common.gp has the variables.
load folder."/common.gp"

texts = overlaid || n_beside == 2 ? 2 : 1    # tables whose axes are the same
n_panels = overlaid ? n / 2 : n
n_beside = n_beside ? least_of(n_beside, n_panels) : least_of(2, n_panels)
if (is_text) { n_beside = 1 }
n_below = ceil(n_panels / (1.0 * n_beside))
words = 0
do for [i = 1:n] { words = most_of(words, rows[i]) }
font = words > 60 ? 6 : words > 25 ? 7 : tick_font
letters = sprintf(',%g', font)

left = edge + line * axis_font + 4 * letter * tick_font + 2 * gap
below = gap + line * (tick_font + axis_font) + 2 * gap
above = line * axis_font + gap
bottom = edge + below - gap + (n_notes ? n_notes * note_font * line + gap : 0)
top = edge + line * title_font * lines(heading) + gap + above
panel_width = (page_width - n_beside * left - edge - (n_beside - 1) * gap) / n_beside
panel_height = has_height ? (page_height - top - bottom - (n_below - 1) * (above + below)) / n_below : \
    (n_beside > 1 ? 0.9 : 0.7) * panel_width
panel_width = most_of(20.0, panel_width); panel_height = most_of(20.0, panel_height)
if (is_text) { panel_height = height * 72; page_height = n_below * panel_height
} else { if (!has_height) { page_height = top + bottom + n_below * panel_height + (n_below - 1) * (above + below) } }
eval open_page

if (is_text) { set multiplot layout n_below, 1
} else {
    set multiplot layout n_below, n_beside margins screen left / page_width, 1 - (edge + gap) / page_width, \
        bottom / page_height, 1 - top / page_height \
        spacing screen (left + gap) / page_width, (above + below) / page_height title heading font title_letters
}

# The box of a name on side s of a point, 0 to 3: right, left, above, below; and its overlap with other boxes.
box_left(k, s) = column_x[k] + (s == 0 ? 4 : s == 1 ? -4 - wide[k] : -wide[k] / 2)
box_low(k, s) = column_y[k] + (s < 2 ? -0.55 * font : s == 2 ? 3 : -3 - 1.1 * font)
shared(a, a_wide, b, b_wide) = most_of(0, least_of(a + a_wide, b + b_wide) - most_of(a, b))
overlap(k, s, x, y, w, h) = shared(box_left(k, s), wide[k], x, w) * shared(box_low(k, s), 1.1 * font, y, h)
outside(k, s) = (box_left(k, s) < 0 || box_left(k, s) + wide[k] > panel_width || \
    box_low(k, s) < 0 || box_low(k, s) + 1.1 * font > panel_height) ? 1000 : 0

text_color(t) = line_color(overlaid ? t : 1)
do for [p = 1:n_panels] {
    # Points of all tables with these axes: those of the panel come first.
    first = overlaid ? 2 * p - 1 : p
    other = texts == 1 ? first : overlaid || p % 2 == 1 ? first + 1 : first - 1
    n_first = rows[first]; n_all = n_first + (other == first ? 0 : rows[other])
    array xs[n_all]; array ys[n_all]; array names[n_all]; array wide[n_all]
    array column_x[n_all]; array column_y[n_all]; array pair[n_all]; array side[n_all]
    stats data index table[first] every ::1 using \
        (k = int($0) + 1, xs[k] = $2, ys[k] = $3, names[k] = stringcolumn(1), 0) nooutput
    if (other != first) {
        stats data index table[other] every ::1 using \
            (k = n_first + int($0) + 1, xs[k] = $2, ys[k] = $3, names[k] = stringcolumn(1), 0) nooutput
    }
    x_least = xs[1]; x_most = xs[1]; y_least = ys[1]; y_most = ys[1]
    do for [k = 1:n_all] {
        x_least = least_of(x_least, xs[k]); x_most = most_of(x_most, xs[k])
        y_least = least_of(y_least, ys[k]); y_most = most_of(y_most, ys[k])
    }
    # One scale for both axes, with room for names at the edges.
    scale = most_of((x_most - x_least) / (0.7 * panel_width), (y_most - y_least) / (0.84 * panel_height))
    scale = scale > 0 ? scale : 2 / panel_width
    x_least = (x_least + x_most - scale * panel_width) / 2
    y_least = (y_least + y_most - scale * panel_height) / 2

    # The k-th of a word in A and the k-th in B are a pair.
    n_shown = overlaid ? n_all : n_first
    do for [k = 1:n_shown] {
        column_x[k] = (xs[k] - x_least) / scale; column_y[k] = (ys[k] - y_least) / scale
        wide[k] = strlen(names[k]) * letter * font + 2
        pair[k] = 0; side[k] = 0
    }
    if (overlaid) {
        do for [a = 1:n_first] { do for [b = n_first + 1:n_all] {
            if (!pair[a] && !pair[b] && names[a] eq names[b]) { pair[a] = b; pair[b] = a }
        } }
    }

    unset label; unset arrow
    do for [k = 1:n_shown] {
        # A pair has one name, at its word of A, on the side that covers least. Names of more than 60 words are
        # on the right: the search takes the square of their number.
        if (k <= n_first || !pair[k]) {
            cost = 1e9
            do for [s = 0:(words > 60 ? -1 : 3)] {
                new_cost = outside(k, s) + s
                do for [j = 1:n_shown] {
                    new_cost = new_cost + overlap(k, s, column_x[j] - 4, column_y[j] - 4, 8, 8)
                    if (j < k && (j <= n_first || !pair[j])) {
                        new_cost = new_cost + \
                            overlap(k, s, box_left(j, side[j]), box_low(j, side[j]), wide[j], 1.1 * font)
                    }
                }
                # An arrow begins at the word.
                if (pair[k]) { do for [t = 1:9] {
                    new_cost = new_cost + \
                        overlap(k, s, column_x[k] + t / 10.0 * (column_x[pair[k]] - column_x[k]) - 2, \
                            column_y[k] + t / 10.0 * (column_y[pair[k]] - column_y[k]) - 2, 4, 4)
                } }
                if (new_cost < cost) { cost = new_cost; side[k] = s }
            }
            x = box_left(k, side[k]) + 1; y = box_low(k, side[k]) + 0.55 * font
            if (is_text) { set label names[k] at xs[k], ys[k] left offset 1, 0
            } else { set label names[k] at graph x / panel_width, graph y / panel_height left font letters front }
        }
        if (k <= n_first && pair[k] && length(column_x[k] - column_x[pair[k]], column_y[k] - column_y[pair[k]]) > 5) {
            set arrow from xs[k], ys[k] to xs[pair[k]], ys[pair[k]] head filled size screen 5 / page_width, 20 \
                lc rgb '#808080' lw 1 back
        }
    }

    # The texts below are the legend.
    if (n_notes && !is_text) { do for [t = 1:2] {
        line_end = strstrt(notes, "\n")
        note = t == 1 ? notes[1:line_end - 1] : notes[line_end + 1:strlen(notes) - 1]
        note = note[1:int((page_width - 3 * edge) / (0.56 * note_font))]
        set label note \
            at screen 2 * edge / page_width, screen (edge + (2.5 - t) * line * note_font) / page_height \
            left offset 0.3, 0 font note_letters tc rgb text_color(t) \
            point pt (t == 1 || !overlaid ? 7 : 6) ps 0.6 lw 1.2 lc rgb text_color(t)
    } }

    set title fold_to(overlaid ? panel_title[first][4:*] : panel_title[first], panel_width, axis_font) font axis_letters
    set xlabel x_title[first] font axis_letters
    set ylabel y_title[first] font axis_letters
    set xtics scale 0.5 font tick_letters; set ytics scale 0.5 font tick_letters
    set xrange [x_least:x_least + scale * panel_width]
    set yrange [y_least:y_least + scale * panel_height]
    plot data index table[first] every ::1 using 2:3 with points pt (is_text ? 1 : 7) ps 0.5 lc rgb line_color(1) notitle, \
        data index table[other] every ::1 using (overlaid ? $2 : NaN):3 \
            with points pt (is_text ? 2 : 6) ps 1.0 lw 1.2 lc rgb line_color(2) notitle
}
unset multiplot
