# case.awk - what the weights make of one sentence and of the same backwards, as JSON for the page without JavaScript.
#
#     awk -F'\t' -f pack.awk -f case.awk RUNS STEPS
#
# RUNS: what runs.awk wrote of the weights, for the cosines of the orders. STEPS: encode-plot steps -f data of both.
FNR == NR {
    if ($1 == "cosines" && match($2, /\[.*\]/)) {
        n = split(substr($2, RSTART + 1, RLENGTH - 2), list, ", ")
        for (i = 1; i <= n; i++)
            cosine[$2 ~ /^"model\/full"/ ? 1 : $2 ~ /^"none\/full"/ ? 2 : 3, i] = list[i]
    }
    next
}
/^# table / {
    title = substr($0, index($0, ": ") + 2)
    text = substr(title, 6, 1)
    is_state = title ~ /: (embedding|layer [0-9]+: output)$/
    if (is_state && text == 1 && title !~ /embedding$/) n_layers++
    is_map = title ~ /: layer 1: attention, head 1$/
    row = 0
    is_head = 1
    next
}
/^# / || !NF { next }
is_head { is_head = 0; next }
{
    row++
    if (title ~ /: embedding$/) {
        tokens[text] = tokens[text] (row > 1 ? ", " : "") quoted($1)
        n_tokens = row
    }
    for (i = 2; is_state && text == 1 && i <= NF; i++) {
        n_columns = NF
        state[n_layers + 0, row, i] = $i
    }
    for (i = 2; is_map && i <= NF; i++)
        map[text, (row - 1) * (NF - 1) + i - 2] = $i
}
END {
    print "\"model\": {\"tokens\": [" tokens[1] "], \"back_tokens\": [" tokens[2] "],"
    for (l = 0; l <= n_layers; l++)
        for (t = 1; t <= n_tokens; t++) {
            length_squared = moved_squared = 0
            for (i = 2; i <= n_columns; i++) {
                length_squared += state[l, t, i] ^ 2
                moved_squared += (state[l, t, i] - state[l - 1, t, i]) ^ 2
            }
            norms[n_norms++] = sqrt(length_squared)
            if (l) moved[n_moved++] = sqrt(moved_squared)
        }
    print "\"norms\": " json_matrix(norms, 0, n_layers + 1, n_tokens) ","
    print "\"moved\": " json_matrix(moved, 0, n_layers, n_tokens) ","
    for (i = 0; i < 6; i++) {
        orders[2 * i] = cosine[1, i + 1]
        orders[2 * i + 1] = cosine[2, i + 1]
    }
    print "\"orders\": " json_matrix(orders, 0, 6, 2) ","
    print "\"first_map\": " map_of(1) ","
    print "\"back_map\": " map_of(2) "}"
}
function map_of(text,    i, list) {
    for (i = 0; i < n_tokens * n_tokens; i++)
        list[i] = map[text, i]
    return json_matrix(list, 0, n_tokens, n_tokens)
}
