# maps.gp - tables as maps of colours: position, attention, layers, similarity, steps. common.gp has the variables.
load folder."/common.gp"

# RdBu and Blues are ColorBrewer's (Brewer, Harrower), viridis is matplotlib's (Smith, van der Walt).
palette_RdBu = "set palette defined (0 '#67001F', 1 '#B2182B', 2 '#D6604D', 3 '#F4A582', 4 '#FDDBC7', 5 '#F7F7F7', \
    6 '#D1E5F0', 7 '#92C5DE', 8 '#4393C3', 9 '#2166AC', 10 '#053061') maxcolors 0"
palette_viridis = "set palette defined (0 '#440154', 1 '#482878', 2 '#3E4989', 3 '#31688E', 4 '#26828E', 5 '#1F9E89', \
    6 '#35B779', 7 '#6ECE58', 8 '#B5DE2B', 9 '#FDE725') maxcolors 0"
palette_Blues = "set palette defined (0 '#FFFFFF', 1 '#DEEBF7', 2 '#C6DBEF', 3 '#9ECAE1', 4 '#6BAED6', 5 '#4292C6', \
    6 '#2171B5', 7 '#08519C', 8 '#08306B') maxcolors 0"

# A small scale has only the text in parentheses beside it.
short(text) = strstrt(text, '(') ? text[strstrt(text, '(') + 1:strlen(text) - 1] : text
scale_text(text, room) = fold_to(room < 90 ? short(text) : text, room, axis_font)

# ---- The page: panels beside and below each other, and the margins around them ----
x_longest = 0; y_longest = 0; columns_most = 1.0; rows_most = 1.0; named_most = 1.0; n_below = 1
has_titles = 0; has_x_titles = 0; has_y_titles = 0
n_beside = n_beside ? least_of(n_beside, n) : n <= 3 ? n : ceil(sqrt(n))
n_on_page = 0
do for [i = 1:n] {
    x_longest = most_of(x_longest, x_names[i])
    y_longest = most_of(y_longest, y_names[i])
    named_most = x_names[i] ? most_of(named_most, columns[i]) : named_most
    columns_most = most_of(columns_most, columns[i])
    rows_most = most_of(rows_most, rows[i])
    has_titles = has_titles || strlen(panel_title[i])
    has_x_titles = has_x_titles || strlen(x_title[i])
    has_y_titles = has_y_titles || strlen(y_title[i])
    n_on_page = i > 1 && page[i] == page[i > 1 ? i - 1 : 1] ? n_on_page + 1 : 1
    n_below = most_of(n_below, ceil(n_on_page / (1.0 * n_beside)))
}
x_font = tick_font; y_font = tick_font; x_turn = 0
panel_width = 0.7 * page_width / n_beside
panel_height = 0.5 * page_height / n_below
do for [pass = 1:3] {
    # Names that are wider than a cell are turned; letters are no larger than the cells are.
    x_room = panel_width / named_most; y_room = panel_height / rows_most
    x_font = x_longest ? least_of(tick_font, (x_room - 4) / (x_longest * letter)) : tick_font
    x_turn = x_font > 6 ? 0 : x_room >= 8 ? 45 : 90
    if (x_turn) { x_font = most_of(5.5, least_of(tick_font, x_room / (x_turn < 90 ? 1.5 : 1.15))) }
    y_font = most_of(5.5, least_of(tick_font, y_room / 1.15))
    x_step = x_turn ? ceil(5.5 * 1.15 / x_room) : 1; y_step = ceil(5.5 * 1.15 / y_room)
    x_extent = x_turn ? x_longest * letter * x_font * (x_turn < 90 ? 0.71 : 1) + x_font : line * tick_font + 4
    y_extent = y_longest ? y_longest * letter * y_font + 3 : 4 * letter * tick_font

    left = edge + y_extent + gap + (has_y_titles ? line * axis_font : 0)
    left = most_of(left, edge + (x_turn == 45 ? x_extent - x_room / 2 : 0))
    bar = 19 + 4 * letter * tick_font + line * axis_font * lines(scale_text(unit[1], panel_height))
    right = edge + bar
    below = gap + x_extent + (has_x_titles ? line * axis_font : 0)
    bottom = edge + below
    title_width = panel_width + (n_beside > 1 ? 0.6 * (left - edge + bar) : 0)
    above = has_titles ? gap + line * axis_font : 0
    do for [i = 1:n] {
        above = most_of(above, line * axis_font * lines(fold_to(panel_title[i], title_width, axis_font)) + gap)
    }
    top = edge + line * title_font * lines(heading) + gap + above
    gap_x = (shares_names ? gap : left) + (shares_scale ? gap : bar)
    gap_y = above + (shares_names ? gap : below + gap)

    panel_width = most_of(20.0, (page_width - left - right - (n_beside - 1) * gap_x) / n_beside)
    room = most_of(20.0, (page_height - top - bottom - (n_below - 1) * gap_y) / n_below)
    if (square) {
        if (!has_width) { panel_width = least_of(panel_width, most_of(130.0, 32.0 * columns_most)) }
        panel_height = least_of(room, panel_width * rows_most / columns_most)
        panel_width = panel_height * columns_most / rows_most
    } else {
        panel_height = has_height ? room : \
            least_of(room, y_longest ? most_of(90.0, 22.0 * rows_most) : 0.62 * panel_width)
    }
}

# If no size is given, the page is as large as its contents; on a larger page they are in the middle.
used_width = left + right + n_beside * panel_width + (n_beside - 1) * gap_x
used_height = top + bottom + n_below * panel_height + (n_below - 1) * gap_y
if (has_width && (used_width > page_width + 0.01 || used_height > page_height + 0.01)) {
    printerr 'titles and names leave no room for the values: a larger --size shows them'
    exit status 1
}
if (!has_width) {
    page_width = 1.0 * ceil(most_of(used_width, least_of(page_width, 2 * edge + strlen(title) * letter * title_font)))
    page_height = 1.0 * ceil(used_height)
}
left = left + most_of(0, (page_width - used_width) / 2); right = right + most_of(0, (page_width - used_width) / 2)
top = top + most_of(0, (page_height - used_height) / 2); bottom = bottom + most_of(0, (page_height - used_height) / 2)
eval open_page

# ---- Panels ----
number(v) = v == 0 ? '0' : abs(v) < 0.005 ? '0.00' : sprintf('%.2f', v)
luminance(c) = 0.2126 * (c >> 16 & 255) + 0.7152 * (c >> 8 & 255) + 0.0722 * (c & 255)
ink(c) = luminance(c) > 140 ? 0x202020 : 0xFFFFFF

on_page = 0
do for [i = 1:n] {
    if (i == 1 || page[i] != page[i > 1 ? i - 1 : 1]) {
        if (i > 1) { unset multiplot }
        set multiplot layout n_below, n_beside margins screen left / page_width, 1 - right / page_width, \
            bottom / page_height, 1 - top / page_height spacing screen gap_x / page_width, gap_y / page_height \
            title heading font title_letters
        on_page = 0
    }
    on_page = on_page + 1
    is_first = (on_page - 1) % n_beside == 0
    is_lowest = i + n_beside > n || page[i + n_beside > n ? n : i + n_beside] != page[i]
    eval value('palette_'.colors[i])
    set cbrange [least[i]:most[i]]
    set title fold_to(panel_title[i], title_width, axis_font) font axis_letters

    # The colour scale: one of all panels is as high as all of them.
    high = shares_scale ? n_below + (n_below - 1) * gap_y / panel_height : 1
    scale_room = high * panel_height
    if (shares_scale && i != n_beside) { unset colorbox; set cblabel ''
    } else {
        set colorbox vertical noborder user origin graph 1 + gap / panel_width, graph 1 - high \
            size screen 9 / page_width, graph high
        set cbtics round_step(most[i] - least[i], most_of(3, least_of(8, scale_room / 20))) scale 0.5 offset -0.5,0 \
            font tick_letters
        set cblabel scale_text(unit[i], scale_room) font axis_letters
    }

    # Names or numbers along the axes.
    unset label 1; unset label 2
    set xtics ('' -1) scale 0; set ytics ('' -1) scale 0
    if (is_lowest || !shares_names) {
        if (x_names[i]) {
            array names[columns[i]]
            stats data index table[i] every ::0::0 \
                using (sum [c = 1:columns[i]] (names[c] = stringcolumn(c + 1), 0)) nooutput
            x_letters = sprintf(',%g', x_font)
            if (x_turn) { set xtics ('' -1) scale 0 rotate by x_turn right font x_letters
            } else { set xtics ('' -1) scale 0 norotate font x_letters }
            set for [c = 1:columns[i]:x_step] xtics add (plain(names[c]) c - 1)
        } else {
            set xtics most_of(1, round_step(columns[i], panel_width / 28)) scale 0.5 norotate font tick_letters
        }
        set label 1 x_title[i] at graph 0.5, graph -(gap + x_extent + 0.5 * axis_font) / panel_height center \
            font axis_letters
    }
    if (is_first || !shares_names) {
        if (y_names[i]) {
            array names[rows[i]]
            stats data index table[i] every ::1 using (names[int($0) + 1] = stringcolumn(1), 0) nooutput
            y_letters = sprintf(',%g', y_font)
            set ytics ('' -1) scale 0 font y_letters
            set for [c = 1:rows[i]:y_step] ytics add (plain(names[c]) c - 1)
        } else {
            set ytics most_of(1, round_step(rows[i], panel_height / 28)) scale 0.5 font tick_letters
        }
        set label 2 y_title[i] at graph -(gap + y_extent + 0.5 * axis_font) / panel_width, graph 0.5 center rotate \
            font axis_letters
    }
    set xrange [-0.5:columns[i] - 0.5]
    set yrange [(y_up ? -0.5 : rows[i] - 0.5):(y_up ? rows[i] - 0.5 : -0.5)]

    # Named cells have white lines between them, and numbers where they fit.
    cell_width = panel_width / columns[i]; cell_height = panel_height / rows[i]
    widest = most_of(strlen(number(least[i])), strlen(number(most[i])))
    font = least_of(tick_font, least_of(1.48 * cell_width / widest, 0.7 * cell_height))
    is_boxed = (x_names[i] || y_names[i]) && cell_width > 3 && cell_height > 3 && rows[i] * columns[i] <= 2500
    letters = sprintf(',%g', font)
    has_numbers = is_boxed && font >= 4.5
    set style fill solid border lc rgb '#FFFFFF'
    if (!is_boxed) {
        plot data index table[i] matrix every 1:1:1:1 using ($1 - 1):($2 - 1):3 with image notitle
    } else {
        plot data index table[i] matrix every 1:1:1:1 \
            using ($1 - 1):($2 - 1):($1 - 1.5):($1 - 0.5):($2 - 1.5):($2 - 0.5):3 \
            with boxxyerror fillcolor palette lw 0.4 notitle, \
            data index table[i] matrix every 1:1:1:1 \
            using ($1 - 1):($2 - 1):(has_numbers ? number($3) : ''):(ink(palette($3))) \
            with labels tc rgb variable font letters notitle
    }
}
unset multiplot
