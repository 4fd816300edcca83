# parameters.awk - the tensors of the toy model as JSON: its table, and the parameters of each layer.
#
#     awk -F'\t' -f pack.awk -f parameters.awk PARAMETERS      lines NAME, ROWS, COLUMNS, numbers
{
    rows_of[$1] = $2
    columns_of[$1] = $3
    for (i = 4; i <= NF; i++)
        parameter[$1, i - 4] = $i
}
END {
    print "\"table\": " tensor("embedding.token.weight", 0, rows_of["embedding.token.weight"]) ","
    printf "\"parameters\": ["
    for (layer = 0; ("layers." layer ".attention.qkv.weight") in rows_of; layer++)
        put_layer("layers." layer ".")
    print "]"
}

function tensor(name, first, n_rows,    i, list, n_columns) {
    n_columns = columns_of[name]
    for (i = 0; i < n_rows * n_columns; i++)
        list[i] = parameter[name, first * n_columns + i]
    return n_columns == 1 ? json_row(list, 0, n_rows) : json_matrix(list, 0, n_rows, n_columns)
}

function member(name, tensor_name, part, parts,    n) {
    n = rows_of[tensor_name] / parts
    printf "%s\"%s\": %s", (name == "wq" ? "" : ", "), name, tensor(tensor_name, part * n, n)
}

function put_layer(layer) {
    printf "%s{", (layer == "layers.0." ? "" : ",\n")
    member("wq", layer "attention.qkv.weight", 0, 3)
    member("wk", layer "attention.qkv.weight", 1, 3)
    member("wv", layer "attention.qkv.weight", 2, 3)
    member("bq", layer "attention.qkv.bias", 0, 3)
    member("bk", layer "attention.qkv.bias", 1, 3)
    member("bv", layer "attention.qkv.bias", 2, 3)
    member("wo", layer "attention.output.weight", 0, 1)
    member("bo", layer "attention.output.bias", 0, 1)
    member("gamma", layer "attention.norm.weight", 0, 1)
    member("beta", layer "attention.norm.bias", 0, 1)
    member("w1", layer "feed_forward.in.weight", 0, 1)
    member("b1", layer "feed_forward.in.bias", 0, 1)
    member("w2", layer "feed_forward.out.weight", 0, 1)
    member("b2", layer "feed_forward.out.bias", 0, 1)
    member("gamma2", layer "feed_forward.norm.weight", 0, 1)
    member("beta2", layer "feed_forward.norm.bias", 0, 1)
    printf "}"
}
