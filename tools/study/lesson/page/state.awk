# state.awk - what a page without JavaScript shows: the first sentence in its first order, sinusoidal positions, the full
# mask, head 1 of layer 1. The same as toyState and modelState of the page's script, from the same packed numbers,
# by the names that places of the page ask for (fill.awk).

# Takes the next matrix of the packed numbers; for the script: reader of 1-data.js.
function begin(at) {
    if (!(at in value)) missing(at)
    packed = value[at]
    packed_at = 1
}

function next_number(    n, i) {
    n = 0
    for (i = 0; i < 4; i++)
        n = 64 * n + index(alphabet, substr(packed, packed_at++, 1)) - 1
    return (n - 8388608) / PER_ONE
}

function take(to, n_rows, n_columns,    i, j) {
    for (i = 0; i < n_rows; i++)
        for (j = 0; j < n_columns; j++)
            value[to "." i "." j] = next_number()
}

function skip(n) {
    packed_at += 4 * n
}

# Columns of a matrix, or all of them.
function copy(to, from, first, n,    i, j) {
    for (i = 0; has_row(from, i); i++) {
        if ((from "." i) in value) value[to "." i] = value[from "." i]
        for (j = 0; (n == "" || j < n) && (from "." i "." (first + j)) in value; j++)
            value[to "." i "." j] = value[from "." i "." (first + j)]
    }
}

function name_all(to, names,    i, n, part) {
    n = split(names, part, "|")
    for (i = 1; i <= n; i++) value[to "." i - 1] = part[i]
}

function dot(a, b, n,    i, sum) {
    for (i = 0; i < n; i++) sum += value[a "." i] * value[b "." i]
    return sum
}

# ---- The toy ----

function toy_state() {
    T = 3
    D = value["toy.width"]
    K = value["toy.head_width"]
    F = value["toy.feed_forward"]
    KEY = "sinusoidal/10000/2/full"
    words_and_places()
    states()
    inside_layer()
    attention()
    text_vector()
    value["now.maskName"] = "full"
    value["now.schemeName"] = "sinusoidal, base 10,000"
    value["now.waveCaption"] = value["now.waveRows.0"] = ""
    value["now.differences.none"] = largest_difference("none/-/2/full")
    value["now.differences.sinusoidal"] = largest_difference(KEY)
}

function words_and_places(    t, id) {
    copy("now.words", "toy.sentences.0.words")
    copy("now.places", "now.words")
    copy("now.sentenceWords", "now.words")
    copy("toy.vocabulary", "toy.words")
    copy("now.place", "toy.place_rows.sinusoidal/10000")
    for (t = 0; t < T; t++) {
        for (id = 0; value["toy.words." id] != value["now.words." t];) id++
        value["now.ids." t ".0"] = id
        copy("now.rows." t, "toy.table." id)
    }
    copy("now.token", "now.rows")
}

function states() {
    begin("toy.grid.runs." KEY)
    take("now.x", T, D)
    take("now.out", T, D)
    take("now.last", T, D)
    take("now.weights", T, T)
    skip((value["toy.layers"] * value["toy.heads"] - 1) * T * T)
    take("now.pools", 1, D) # which text_vector moves
    copy("now.pooled", "now.pools.0")
    copy("now.embedded", "now.x")
    copy("now.first", "now.out")
    copy("now.before", "now.last")
    copy("now.moments", "now.last")
    name_all("now.columnHeads", "1|2|3|4")
    name_all("now.momentHeads", "1|2|3|4")
}

function inside_layer(    name, t, i, mean) {
    begin("toy.steps.runs." KEY)
    take("now.qkv", T, 3 * D)
    take("now.heads", T, D)
    take("now.sum", T, D)
    take("now.normed", T, D)
    take("now.middle", T, F)
    take("now.sum2", T, D)
    split("bq wo gamma beta w1 b1", name, " ")
    for (i in name) copy("now." name[i], "toy.parameters.0." name[i])
    for (t = 0; t < T; t++) {
        mean = 0
        for (i = 0; i < D; i++) {
            value["now.output." t "." i] = value["now.sum." t "." i] - value["now.x." t "." i]
            value["now.fed." t "." i] = value["now.sum2." t "." i] - value["now.normed." t "." i]
            mean += value["now.sum." t "." i] / D
        }
        value["now.mean." t] = mean
        for (i = 0; i < D; i++) value["now.variance." t] += (value["now.sum." t "." i] - mean) ^ 2 / D
    }
}

function attention(    i, j) {
    copy("now.q", "now.qkv", 0, K)
    copy("now.k", "now.qkv", D, K)
    copy("now.v", "now.qkv", 2 * D, K)
    copy("now.head", "now.heads", 0, K)
    for (i = 0; i < K; i++) copy("now.wq." i, "toy.parameters.0.wq." i)
    for (i = 0; i < T; i++)
        for (j = 0; j < T; j++) {
            value["now.scores." i "." j] = dot("now.q." i, "now.k." j, K)
            value["now.scaled." i "." j] = value["now.scores." i "." j] / sqrt(K)
        }
    copy("now.masked", "now.scaled")
    for (j = 0; j < T; j++) {
        value["now.share." j ".0"] = value["now.scaled." query "." j]
        value["now.share." j ".1"] = exp(value["now.scaled." query "." j])
        value["now.share." j ".2"] = value["now.weights." query "." j]
        value["now.shareSum"] += value["now.share." j ".1"]
    }
    name_all("now.shareHeads", "score|e^score|share")
}

function text_vector(    i, t) {
    for (i = 0; i < D; i++) {
        value["now.mean_vector." i] = 0
        for (t = 0; t < T; t++) value["now.mean_vector." i] += value["now.last." t "." i] / T
    }
    value["now.length"] = sqrt(dot("now.mean_vector", "now.mean_vector", D))
    copy("now.pools.0", "now.mean_vector")
    copy("now.pools.1", "now.pooled")
    name_all("now.poolNames", "mean|length 1")
}

# Of the first sentence: over its orders and words.
function largest_difference(key,    i, most) {
    for (i = 0; i < 18; i++)
        if (value["toy.differences." key "." i] > most) most = value["toy.differences." key "." i]
    return most + 0
}

# ---- The trained model: its first layer and head; as the first order is, backwards is the last ----

function model_state(    n, L, i, j, word) {
    copy("model.tokens", "default.sentences.0.tokens.0")
    copy("model.back_tokens", "default.sentences.0.tokens.5")
    while (("model.tokens." n + 0) in value) n++
    L = value["default.layers"]
    begin("default.norms.runs.model/full")
    take("model.norms", L + 1, n)
    begin("default.moves.runs.model/full")
    take("model.moved", L, n)
    begin("default.attention.runs.model/full")
    take("model.first_map", n, n)
    skip((5 * value["default.layers_shown"] * value["default.heads"] - 1) * n * n)
    take("model.back_map", n, n)
    for (i = 0; i < 6; i++) {
        value["model.orders." i ".0"] = value["default.cosines.model/full." i]
        value["model.orders." i ".1"] = value["default.cosines.none/full." i]
        for (j = 0; j < T; j++) {
            word = value["now.words." value["toy.sentences.0.orders." i "." j]]
            value["model.orderNames." i] = value["model.orderNames." i] (j ? " " : "") word
        }
    }
    name_all("model.orderHeads", "as trained|positions off")
    value["model.stateNames.0"] = "words + places"
    for (i = 1; i <= L; i++) {
        value["model.layerNames." i - 1] = "layer " i
        value["model.stateNames." i] = "after layer " i
    }
}
