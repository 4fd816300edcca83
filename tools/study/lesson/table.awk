# table.awk - answers about a table of numbers that encode-plot wrote with -f data, one line per panel:
#
#     awk -F'\t' -f table.awk -v ask=QUESTION
#
#     symmetric   rows; pairs that differ from their mirror image; values not below their row's diagonal
#     diagonal    rows; least and largest value of the diagonal
#     sums        least and largest sum of a row
#     signs       how often each row changes its sign
#     lengths     least and largest length of a row
#     apart       least and largest value `k` columns after the diagonal
#     range       least and largest value
#     different   rows; how many different ones
#
# and, at the end, about all panels of points (two columns, x and y):
#
#     nearer      distance of the points `a` and `b` in the first panel and the second: nearer, same, farther
#     moved       the farthest that a point of the first panel is from the one of its name in the second
BEGIN { n = n_columns = n_planes = 0 }
/^#/ { next }
!NF { answer(); next }
!n_columns { n_columns = NF - 1; is_plane = $2 == "x" && $3 == "y"; n_planes += is_plane; next }
{
    names[n] = $1
    if (is_plane) {
        x[n_planes, $1] = $2
        y[n_planes, $1] = $3
    }
    for (j = 0; j < n_columns; j++)
        value[n, j] = $(j + 2)
    n++
}
END {
    answer()
    if (ask == "nearer") nearer()
    if (ask == "moved") moved()
}

function answer() {
    if (!n_columns)
        return
    if (ask == "symmetric") symmetric()
    if (ask == "diagonal") diagonal()
    if (ask == "sums") sums()
    if (ask == "signs") signs()
    if (ask == "lengths") lengths()
    if (ask == "apart") apart(k)
    if (ask == "range") range()
    if (ask == "different") different()
    n = n_columns = 0
}

function symmetric(    i, j, n_mirror, n_larger) {
    for (i = 0; i < n; i++)
        for (j = 0; j < n_columns; j++) {
            n_mirror += value[i, j] != value[j, i]
            n_larger += j != i && value[i, j] >= value[i, i]
        }
    print n, n_mirror + 0, n_larger + 0
}

function diagonal(    i, least, most) {
    least = most = value[0, 0]
    for (i = 1; i < n; i++) {
        if (value[i, i] < least) least = value[i, i]
        if (value[i, i] > most) most = value[i, i]
    }
    print n, least, most
}

function sums(    i, j, sum, least, most) {
    for (i = 0; i < n; i++) {
        sum = 0
        for (j = 0; j < n_columns; j++)
            sum += value[i, j]
        if (!i || sum < least) least = sum
        if (!i || sum > most) most = sum
    }
    printf "%.6f %.6f\n", least, most
}

function signs(    i, j, n_changes) {
    for (i = 0; i < n; i++) {
        n_changes = 0
        for (j = 1; j < n_columns; j++)
            n_changes += value[i, j] * value[i, j - 1] < 0
        printf "%s%d", (i ? " " : ""), n_changes
    }
    print ""
}

# The least and the largest of n numbers, which begin when i is 0.
function extend(i, number) {
    if (!i || number < least) least = number
    if (!i || number > most) most = number
}

function lengths(    i, j, sum) {
    for (i = 0; i < n; i++) {
        sum = 0
        for (j = 0; j < n_columns; j++)
            sum += value[i, j] ^ 2
        extend(i, sqrt(sum))
    }
    printf "%.8g %.8g\n", least, most
}

function apart(k,    i) {
    for (i = 0; i + k < n; i++)
        extend(i, value[i, i + k])
    printf "%.8g %.8g\n", least, most
}

function range(    i) {
    for (i = 0; i < n * n_columns; i++)
        extend(i, value[int(i / n_columns), i % n_columns])
    print least, most
}

function different(    i, j, row, seen, n_different) {
    for (i = 0; i < n; i++) {
        row = ""
        for (j = 0; j < n_columns; j++)
            row = row " " value[i, j]
        n_different += !seen[row]++
    }
    print n, n_different
}

function distance(x1, y1, x2, y2) {
    return sqrt((x1 - x2) ^ 2 + (y1 - y2) ^ 2)
}

function nearer(    one, other) {
    if (n_planes != 2 || !((1, a) in x) || !((1, b) in x) || !((2, a) in x) || !((2, b) in x))
        return
    one = distance(x[1, a], y[1, a], x[1, b], y[1, b])
    other = distance(x[2, a], y[2, a], x[2, b], y[2, b])
    change = one - other < 1e-9 && other - one < 1e-9 ? "same" : (other < one ? "nearer" : "farther")
    printf "%s: %.3f and %.3f\n", change, one, other
}

function moved(    i, far, most, n_seen) {
    for (i in names)
        if (((1, names[i]) in x) && ((2, names[i]) in x)) {
            far = distance(x[1, names[i]], y[1, names[i]], x[2, names[i]], y[2, names[i]])
            if (far > most) most = far
            n_seen++
        }
    printf "%d words, %.3f\n", n_seen, most
}
