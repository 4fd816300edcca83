# matrix.awk - encode-inspect --positions -f csv as JSON: how=rows, or how=packed; the first `columns`.
#
#     awk -F, -f pack.awk -f matrix.awk -v how=rows -v columns=4
NR > 1 {
    for (i = 2; i <= columns + 1; i++) {
        list[n++] = $i
        if (how == "packed") packed = packed pack($i)
    }
}
END {
    if (exit_code || !NR) exit exit_code
    print (how == "packed" ? quoted(packed) : json_matrix(list, 0, NR - 1, columns))
}
