# pack.awk - numbers as text, for the other scripts of this folder (awk -f pack.awk -f OTHER.awk).
#
# Packed, a number is four characters: base64 of three bytes, the highest first, of
# round(PER_ONE · number) + 2^23. A number with which that does not go ends the script.
BEGIN {
    PER_ONE = 10000
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (i = 0; i < 4096; i++)
        two_characters[i] = substr(alphabet, int(i / 64) + 1, 1) substr(alphabet, i % 64 + 1, 1)
}

function pack(number,    n) {
    n = int(number * PER_ONE + 8388608.5)
    if (!(n >= 0 && n < 16777216)) {
        print "lesson: " number " cannot be packed" >"/dev/stderr"
        exit_code = 1
        exit 1
    }
    return two_characters[int(n / 4096)] two_characters[n % 4096]
}

# The fields from `first` on of a line of a table, packed.
function pack_row(first,    i, packed) {
    packed = ""
    for (i = first; i <= NF; i++)
        packed = packed pack($i)
    return packed
}

function quoted(text) {
    gsub(/[\\"]/, "\\\\&", text)
    return "\"" text "\""
}

# "[1, 2, 3]" of numbers with six digits, list[first] to list[first + n - 1].
function json_row(list, first, n,    i, text) {
    text = ""
    for (i = 0; i < n; i++)
        text = text (i ? ", " : "") sprintf("%.6g", list[first + i])
    return "[" text "]"
}

# "[[1, 2], [3, 4]]", row by row from list[first].
function json_matrix(list, first, n_rows, n_columns,    r, text) {
    text = ""
    for (r = 0; r < n_rows; r++)
        text = text (r ? ", " : "") json_row(list, first + r * n_columns, n_columns)
    return "[" text "]"
}
