# worked.awk - the worked sums of the lesson as JSON: one sentence through the first layer of the toy
# model, number by number.
#
#     awk -F'\t' -f pack.awk -f worked.awk -v WORDS='I ride' -v HEAD_WIDTH=2 -v EPS=1e-5 PARAMETERS PLACES FULL CAUSAL
#
# PARAMETERS: lines NAME tab ROWS tab COLUMNS tab numbers, of the toy model's tensors. PLACES: the
# rows that are added for places, as encode-inspect --positions -f csv prints them. FULL, CAUSAL:
# encode-plot steps -f data of the sentence, with each mask. Queries, keys, values, attention,
# heads, sums and states are the engine's; scores and what is between two of them are worked here,
# and must lead to the engine's numbers.
FNR == 1 { file++ }
file == 1 {
    rows_of[$1] = $2
    columns_of[$1] = $3
    for (i = 4; i <= NF; i++)
        parameter[$1, i - 4] = $i
    next
}
file == 2 {
    n = split($0, field, ",")
    for (i = 2; i <= n && FNR > 1; i++)
        place[FNR - 2, i - 2] = field[i]
    next
}
/^# table / {
    step = (file == 4 ? "causal " : "") substr($0, index($0, ": ") + 2)
    is_head = 1
    n_step = 0
    next
}
/^# / || !NF { next }
is_head { is_head = 0; next }
{
    if (step == "embedding")
        token[n_step] = $1
    width_of[step] = NF - 1
    for (i = 2; i <= NF; i++)
        number[step, n_step, i - 2] = $i
    n_step++
}
END {
    if (!exit_code) {
        read_sizes()
        work()
    }
    exit exit_code
}

function read_sizes() {
    T = 0
    while (T in token) T++
    D = width_of["embedding"]
    K = HEAD_WIDTH
    n_words = split(WORDS, words, " ") # from 1
}

# ---- Output: each a line, "NAME": VALUE ----

function put(name, value) {
    printf "%s\"%s\": %s", (n_put++ ? ",\n" : ""), name, value
}

# Of a step: [T][n], the columns from `first` on.
function part(name, step, first, n,    t, i, list) {
    for (t = 0; t < T; t++)
        for (i = 0; i < n; i++)
            list[t * n + i] = number[step, t, first + i]
    put(name, json_matrix(list, 0, T, n))
}

function tensor(name, tensor_name, first_row, n_rows, n_columns,    i, list) {
    for (i = 0; i < n_rows * n_columns; i++)
        list[i] = parameter[tensor_name, first_row * n_columns + i]
    put(name, n_columns == 1 ? json_row(list, 0, n_rows) : json_matrix(list, 0, n_rows, n_columns))
}

function near(what, a, b,    difference) {
    difference = a - b
    if (!(difference < 1e-5 && difference > -1e-5)) {
        print "lesson: the worked " what " is " a ", the engine's " b >"/dev/stderr"
        exit_code = 1
    }
}

# ---- The sums ----

function work() {
    tokens()
    projections()
    attention("")
    attention("causal ")
    sublayers()
    pool()
    printf "\n"
}

function tokens(    t, i, list) {
    for (t = 0; t < T; t++) {
        text = text (t ? ", " : "") quoted(token[t])
        id = -1
        for (i = 0; i < n_words && id < 0; i++)
            if (words[i + 1] == token[t]) id = i
        ids = ids (t ? ", " : "") id
        for (i = 0; i < D; i++) {
            word_row[t * D + i] = parameter["embedding.token.weight", id * D + i]
            place_row[t * D + i] = place[t, i]
            near("embedding", word_row[t * D + i] + place[t, i], number["embedding", t, i])
        }
    }
    put("tokens", "[" text "]")
    put("ids", "[" ids "]")
    put("token", json_matrix(word_row, 0, T, D))
    put("place", json_matrix(place_row, 0, T, D))
    part("x", "embedding", 0, D)
}

function projections() {
    qkv = "layer 1: queries, keys, values"
    tensor("wq", "layers.0.attention.qkv.weight", 0, K, D)
    tensor("wk", "layers.0.attention.qkv.weight", D, K, D)
    tensor("wv", "layers.0.attention.qkv.weight", 2 * D, K, D)
    tensor("bq", "layers.0.attention.qkv.bias", 0, K, 1)
    tensor("bk", "layers.0.attention.qkv.bias", D, K, 1)
    tensor("bv", "layers.0.attention.qkv.bias", 2 * D, K, 1)
    part("q", qkv, 0, K)
    part("k", qkv, D, K)
    part("v", qkv, 2 * D, K)
}

# Of head 1. mask: "" for the full one, "causal " for the look-ahead mask.
function attention(mask,    i, j, c, sum, score, scaled, weights, head, scores, cells) {
    for (i = 0; i < T; i++) {
        sum = 0
        for (j = 0; j < T; j++) {
            score = 0
            for (c = 0; c < K; c++)
                score += number[mask qkv, i, c] * number[mask qkv, j, D + c]
            scores[i * T + j] = score
            scaled[i * T + j] = score / sqrt(K)
            weights[i * T + j] = mask != "" && j > i ? 0 : exp(scaled[i * T + j])
            sum += weights[i * T + j]
        }
        for (j = 0; j < T; j++) {
            weights[i * T + j] /= sum
            near("attention", weights[i * T + j], number[mask "layer 1: attention, head 1", i, j])
        }
    }
    for (i = 0; i < T; i++)
        for (c = 0; c < K; c++) {
            head[i * K + c] = 0
            for (j = 0; j < T; j++)
                head[i * K + c] += weights[i * T + j] * number[mask qkv, j, 2 * D + c]
            near("head", head[i * K + c], number[mask "layer 1: heads", i, c])
        }
    if (mask == "") {
        put("scores", json_matrix(scores, 0, T, T))
        put("scaled", json_matrix(scaled, 0, T, T))
    } else
        put("masked", masked(scaled))
    put(mask == "" ? "weights" : "masked_weights", json_matrix(weights, 0, T, T))
    put(mask == "" ? "head" : "masked_head", json_matrix(head, 0, T, K))
}

# Scores that the look-ahead mask hides are null.
function masked(scaled,    i, j, text) {
    for (i = 0; i < T; i++) {
        text = text (i ? ", [" : "[")
        for (j = 0; j < T; j++)
            text = text (j ? ", " : "") (j > i ? "null" : sprintf("%.6g", scaled[i * T + j]))
        text = text "]"
    }
    return "[" text "]"
}

# What a sublayer adds: its sum, less the residual.
function added(name, sum, residual,    t, i, list) {
    for (t = 0; t < T; t++)
        for (i = 0; i < D; i++)
            list[t * D + i] = number[sum, t, i] - number[residual, t, i]
    put(name, json_matrix(list, 0, T, D))
}

function sublayers(    t, i, mean, variance, means, variances, sum) {
    sum = "layer 1: attention + residual"
    for (t = 0; t < T; t++) {
        mean = variance = 0
        for (i = 0; i < D; i++)
            mean += number[sum, t, i] / D
        for (i = 0; i < D; i++)
            variance += (number[sum, t, i] - mean) ^ 2 / D
        means[t] = mean
        variances[t] = variance
        for (i = 0; i < D; i++)
            near("norm", (number[sum, t, i] - mean) / sqrt(variance + EPS) * \
                parameter["layers.0.attention.norm.weight", i] + \
                parameter["layers.0.attention.norm.bias", i], number["layer 1: norm of attention", t, i])
    }
    part("heads", "layer 1: heads", 0, D)
    tensor("wo", "layers.0.attention.output.weight", 0, D, D)
    tensor("bo", "layers.0.attention.output.bias", 0, D, 1)
    added("output", sum, "embedding")
    part("sum", sum, 0, D)
    put("mean", json_row(means, 0, T))
    put("variance", json_row(variances, 0, T))
    tensor("gamma", "layers.0.attention.norm.weight", 0, D, 1)
    tensor("beta", "layers.0.attention.norm.bias", 0, D, 1)
    part("normed", "layer 1: norm of attention", 0, D)
    feed_forward()
}

function feed_forward(    F) {
    F = width_of["layer 1: middle of feed-forward"]
    tensor("w1", "layers.0.feed_forward.in.weight", 0, F, D)
    tensor("b1", "layers.0.feed_forward.in.bias", 0, F, 1)
    part("middle", "layer 1: middle of feed-forward", 0, F)
    tensor("w2", "layers.0.feed_forward.out.weight", 0, D, F)
    tensor("b2", "layers.0.feed_forward.out.bias", 0, D, 1)
    added("fed", "layer 1: feed-forward + residual", "layer 1: norm of attention")
    part("sum2", "layer 1: feed-forward + residual", 0, D)
    tensor("gamma2", "layers.0.feed_forward.norm.weight", 0, D, 1)
    tensor("beta2", "layers.0.feed_forward.norm.bias", 0, D, 1)
    part("out", "layer 1: output", 0, D)
    part("last", "layer 2: output", 0, D)
}

function pool(    t, i, mean, sum, list) {
    for (i = 0; i < D; i++) {
        mean[i] = 0
        for (t = 0; t < T; t++)
            mean[i] += number["layer 2: output", t, i] / T
        sum += mean[i] ^ 2
    }
    for (i = 0; i < D; i++)
        near("pooled vector", mean[i] / sqrt(sum), list[i] = number["vectors of the texts: mean", 0, i])
    put("mean_vector", json_row(mean, 0, D))
    put("length", sprintf("%.6g", sqrt(sum)))
    put("pooled", json_row(list, 0, D))
}
