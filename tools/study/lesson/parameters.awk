# parameters.awk - the tensors of the toy model that the page shows, as JSON: its table, and parameters of each layer.
#
#     awk -F'\t' -f pack.awk -f parameters.awk PARAMETERS      lines NAME, ROWS, COLUMNS, numbers
BEGIN {
    n_members = split("wq attention.qkv.weight,bq attention.qkv.bias,wo attention.output.weight," \
        "gamma attention.norm.weight,beta attention.norm.bias,w1 feed_forward.in.weight,b1 feed_forward.in.bias",
        members, ",")
}
{
    rows_of[$1] = $2
    columns_of[$1] = $3
    for (i = 4; i <= NF; i++)
        parameter[$1, i - 4] = $i
}
END {
    print "\"table\": " tensor("embedding.token.weight", rows_of["embedding.token.weight"]) ","
    printf "\"parameters\": ["
    for (layer = 0; ("layers." layer ".attention.qkv.weight") in rows_of; layer++)
        put_layer("layers." layer ".")
    print "]"
}

function tensor(name, n_rows,    i, list) {
    for (i = 0; i < n_rows * columns_of[name]; i++)
        list[i] = parameter[name, i]
    return columns_of[name] == 1 ? json_row(list, 0, n_rows) : json_matrix(list, 0, n_rows, columns_of[name])
}

# Of queries, keys and values those of queries, which come first.
function put_layer(layer,    i, part, name) {
    for (i = 1; i <= n_members; i++) {
        split(members[i], part, " ")
        name = layer part[2]
        printf "%s\"%s\": %s", (i > 1 ? ", " : layer == "layers.0." ? "{" : ",\n{"), part[1],
            tensor(name, rows_of[name] / (name ~ /qkv/ ? 3 : 1))
    }
    printf "}"
}
