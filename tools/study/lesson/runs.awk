# runs.awk - the numbers of encode-plot steps -f data, of the six orders of two sentences, as JSON:
#
#     awk -F'\t' -f pack.awk -f runs.awk -v what=toy|default -v map_layers=4
#
# Input: for each run a line "@ KEY", then what the program printed. Output, what=toy: lines
# grid, steps and differences; what=default: attention, norms, moves and cosines; each
# of them NAME tab "KEY": VALUE. Of attention the maps of the first map_layers layers are kept, or of all.
BEGIN { ORDERS = 6; key = "" }

/^@ / { end_run(); key = substr($0, 3); next }
/^# table / { begin_table(); next }
/^# / || !NF { next }
$1 == "name" && is_head { is_head = 0; next }
{ take_row() }
END {
    if (exit_code) exit exit_code
    end_run()
}

# "# table 3 of 43: text 1: layer 1: attention, head 1"
function begin_table() {
    is_head = 1
    row = 0
    text = 0
    step = substr($0, index($0, ": ") + 2)
    if (match(step, /^text [0-9]+: /)) {
        text = substr(step, 6, RLENGTH - 7) + 0
        step = substr(step, RLENGTH + 1)
    }
    is_state = step == "embedding" || step ~ /: output$/
    is_map = step ~ /: attention, head /
    is_left_out = is_map && map_layers && substr(step, 7) + 0 > map_layers
    is_pooled = step ~ /^vectors of the texts/
    if (is_state) {
        state = step == "embedding" ? 0 : substr(step, 7) + 0
        if (state > n_layers) n_layers = state
    }
}

function take_row() {
    row++
    if (is_pooled) {
        text = row
        pooled[text] = pack_row(2)
        keep_pooled()
    } else if (is_state) {
        if (what == "toy") states[text] = states[text] pack_row(2)
        keep_state()
    } else if (is_left_out)
        return
    else if (is_map)
        maps[text] = maps[text] pack_row(2)
    else if (what == "toy" && step !~ /norm of feed-forward/) # which is the layer's output
        steps[text] = steps[text] pack_row(2)
}

# What is measured of states is measured of the numbers as the engine gave them.
function keep_state(    i) {
    n_rows = row
    n_columns = NF - 1
    name[text, row] = $1
    for (i = 2; i <= NF; i++)
        last[text, state, row, i] = $i
}

function keep_pooled(    i) {
    n_pooled = NF
    for (i = 2; i <= NF; i++)
        vector[text, i] = $i
}

# The largest difference of a word's last vector from its vector in the sentence's first order. Words
# are the words of the first order, in which each occurs once.
function differences_of(text, first,    r, s, i, d, most, out) {
    out = ""
    for (r = 1; r <= n_of[first]; r++) {
        for (s = 1; s <= n_of[text]; s++)
            if (name[text, s] == name[first, r])
                break
        most = 0
        for (i = 2; i <= n_columns + 1; i++) {
            d = last[text, n_layers, s, i] - last[first, n_layers, r, i]
            if (d < 0) d = -d
            if (d > most) most = d
        }
        out = out (r > 1 ? ", " : "") sprintf("%.3g", most)
    }
    return out
}

function length_of(text, state, row,    i, sum) {
    for (i = 2; i <= n_columns + 1; i++)
        sum += last[text, state, row, i] ^ 2
    return sqrt(sum)
}

function moved(text, state, row,    i, sum) {
    for (i = 2; i <= n_columns + 1; i++)
        sum += (last[text, state, row, i] - last[text, state - 1, row, i]) ^ 2
    return sqrt(sum)
}

function cosine(a, b,    i, ab, aa, bb) {
    for (i = 2; i <= n_pooled; i++) {
        ab += vector[a, i] * vector[b, i]
        aa += vector[a, i] ^ 2
        bb += vector[b, i] ^ 2
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0
}

function put(kind, value) {
    print kind "\t" quoted(key) ": " value
}

function end_run(    t, first, l, r, all, all_steps, all_differences, norms, moves, cosines) {
    if (key == "")
        return
    all = all_steps = all_differences = norms = moves = cosines = ""
    for (t = 1; (t, 0, 1, 2) in last; t++) {
        for (r = 1; (t, r) in name; r++)
            n_of[t] = r
        first = t - (t - 1) % ORDERS
        all = all states[t] maps[t] (what == "toy" ? pooled[t] : "")
        all_steps = all_steps steps[t]
        if (what == "toy") all_differences = all_differences (t > 1 ? ", " : "") differences_of(t, first)
        cosines = cosines (t > 1 ? ", " : "") sprintf("%.6g", cosine(t, first))
        for (l = 0; l <= n_layers && what == "default"; l++)
            for (r = 1; r <= n_of[t]; r++) {
                norms = norms pack(length_of(t, l, r))
                if (l) moves = moves pack(moved(t, l, r))
            }
    }
    if (what == "toy") {
        put("grid", quoted(all))
        put("steps", quoted(all_steps))
        put("differences", "[" all_differences "]")
    } else {
        put("attention", quoted(all))
        put("norms", quoted(norms))
        put("moves", quoted(moves))
        put("cosines", "[" cosines "]")
    }
    split("", last); split("", states); split("", maps); split("", steps); split("", name)
    n_layers = 0
}
