# matrix.awk - a table of encode-plot -f data as JSON: how=rows, or how=packed; the first `columns`.
#
#     awk -F'\t' -f pack.awk -f matrix.awk -v how=rows -v columns=4
/^#/ || $1 == "name" { next }
{
    n_rows++
    for (i = 2; i <= columns + 1; i++) {
        list[n++] = sprintf("%.9g", $i)
        if (how == "packed") packed = packed pack($i)
    }
}
END {
    if (exit_code || !n_rows) exit exit_code
    print (how == "packed" ? quoted(packed) : json_matrix(list, 0, n_rows, columns))
}
