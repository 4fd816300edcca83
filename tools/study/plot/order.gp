# order.gp - dots on a line for each permutation: order. common.gp has the variables.
load folder."/common.gp"

# The names are complete, in letters as large as 60 % of the page allows.
font = most_of(5.5, least_of(tick_font, 0.6 * page_width / (letter * most_of(1, y_names[1]))))
left = edge + least_of(0.6 * page_width, y_names[1] * letter * font) + gap
bottom = edge + line * (tick_font + axis_font) + 2 * gap
top = edge + line * title_font * lines(heading) + gap + columns[1] * line * tick_font + gap
if (!has_height) { page_height = top + bottom + most_of(60.0, least_of(12.0 * rows[1], 470.0)) }
room = page_height - top - bottom
step = ceil(5.5 * 1.15 * rows[1] / most_of(20.0, room))
eval open_page

set title heading."\n" font title_letters
set lmargin at screen left / page_width
set rmargin at screen 1 - (edge + 12) / page_width
set tmargin at screen 1 - top / page_height
set bmargin at screen bottom / page_height
unset title
set label 1 heading at screen 0.5, screen 1 - (edge + title_font / 2) / page_height center font title_letters
set xlabel unit[1] font axis_letters
set xtics font tick_letters
array names[rows[1]]
stats data index table[1] every ::1 using (names[int($0) + 1] = stringcolumn(1), 0) nooutput
letters = sprintf(',%g', least_of(font, most_of(5.5, room / rows[1] / 1.15)))
set ytics ('' -1) scale 0 font letters
set for [r = 1:rows[1]:step] ytics add (plain(names[r]) r - 1)
array kinds[columns[1]]
stats data index table[1] every ::0::0 using (sum [c = 1:columns[1]] (kinds[c] = stringcolumn(c + 1), 0)) nooutput

set yrange [rows[1] - 0.5:-0.5]
set xrange [*:*]
set offsets 0.02, 0.04, 0, 0
set autoscale xfixmin
set key at graph 0, graph 1 left bottom Left reverse vertical maxcols 1 invert samplen 0.5 noenhanced \
    font tick_letters
set arrow 1 from 0, graph 0 to 0, graph 1 nohead lc rgb '#B0B0B0' lw 0.6 back
# A stem leads the eye from the name to the dot. Dots of the first kind are full; others are rings, drawn first.
plot data index table[1] every ::1 using (0):0:2:(0) with vectors nohead lc rgb '#D0D0D0' lw 0.6 notitle, \
    for [k = columns[1]:1:-1] data index table[1] every ::1 using (column(k + 1)):0 with points \
        pt (k == 1 ? 7 : 6) ps 0.55 lw 1 lc rgb line_color(k) title kinds[k]
