# waves.gp - each row of a table as a line: position --kind waves. common.gp has the variables.
load folder."/common.gp"

n_beside = n_beside ? least_of(n_beside, n) : 1
n_below = ceil(n / (1.0 * n_beside))
if (is_text) { heading = ''; page_height = n_below * page_height
} else { if (!has_height) { page_height = least_of(620, 30 + n_below * 0.5 * page_width / n_beside) } }
eval open_page
if (!is_text) { set xtics font tick_letters; set ytics font tick_letters }

set multiplot layout n_below, n_beside title heading font title_letters
do for [i = 1:n] {
    set title fold_to(panel_title[i], 0.7 * page_width / n_beside, axis_font) font axis_letters
    if (!strlen(panel_title[i])) { set tmargin 1.5 }
    set xlabel x_title[i] font axis_letters
    set ylabel unit[i] font axis_letters
    key_letters = sprintf(',%g', least_of(tick_font, page_height / n_below / (2.2 * rows[i])))
    set key outside right top Left reverse samplen 2 spacing 0.9 noenhanced \
        font key_letters
    set xrange [(columns[i] > 1 ? 0 : -0.5):(columns[i] > 1 ? columns[i] - 1 : 0.5)]
    array names[rows[i]]
    stats data index table[i] every ::1 using (names[int($0) + 1] = stringcolumn(1), 0) nooutput
    if (columns[i] == 1) {
        plot for [r = 1:rows[i]] data index table[i] matrix every 1:1:1:r:columns[i]:r \
            using ($1 - 1):3 with linespoints pt 7 ps 0.5 lc rgb line_color(r) title names[r]
    } else {
        plot for [r = 1:rows[i]] data index table[i] matrix every 1:1:1:r:columns[i]:r \
            using ($1 - 1):3 with lines lw 1.4 lc rgb line_color(r) dt dashes(r) title names[r]
    }
}
unset multiplot
