"use strict";
// The numbers of the page. All come from the engine, packed in the JSON of the element "data"; what is
// worked out here is only what a reader could check by hand from them: products, sums, a mean.

const data = JSON.parse(document.getElementById("data").textContent);
const toy = data.toy;
const model = data.default;

// Three bytes a number, in base64: 65536·a + 256·b + c - 8388608 is the number times perOne.
function unpack(text, perOne) {
    const bytes = atob(text),
        numbers = new Float64Array(bytes.length / 3);
    for (let i = 0; i < numbers.length; i++) {
        const [a, b, c] = [0, 1, 2].map(j => bytes.charCodeAt(3 * i + j));
        numbers[i] = (65536 * a + 256 * b + c - 8388608) / perOne;
    }
    return numbers;
}

// Unpacked when first asked for.
const unpacked = new Map();
function packed(group, key) {
    const text = group.runs ? group.runs[key] : group.tables[key];
    if (!unpacked.has(text)) unpacked.set(text, unpack(text, group.per_one));
    return unpacked.get(text);
}

// Takes matrices out of a row of numbers, one after the other.
function reader(numbers, at) {
    return (rows, columns) => {
        const matrix = [];
        for (let i = 0; i < rows; i++, at += columns)
            matrix.push([...numbers.subarray(at, at + columns)]);
        return matrix;
    };
}

// ---- Arithmetic of matrices ----
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const scale = (matrix, factor) => matrix.map(row => row.map(value => value * factor));
const minus = (a, b) => a.map((row, i) => row.map((value, j) => value - b[i][j]));
const mean = row => row.reduce((sum, value) => sum + value, 0) / row.length;
const columns = (matrix, begin, n) => matrix.map(row => row.slice(begin, begin + n));
const length = row => Math.sqrt(dot(row, row));

// ---- What is chosen ----
// query and key are words, not places: who follows a word follows it wherever it is dragged.
const beginning = {
    sentence: 0,
    order: 0,
    layer: 0,
    head: 0,
    query: 1,
    key: 2,
    modelLayer: 0,
    modelHead: 0,
    plane: 0,
    position: toy.default.position,
    ratio: toy.default.ratio,
    base: toy.default.base,
    mask: toy.default.mask,
};
const chosen = { ...beginning };

const hasBase = position => position === "sinusoidal" || position === "exponential";
const engineMask = () => (chosen.mask === "padding" ? "full" : chosen.mask);
const sentenceNow = () => toy.sentences[chosen.sentence];
const orderNow = () => sentenceNow().orders[chosen.order];
const schemeKey = () =>
    hasBase(chosen.position) ? `${chosen.position}/${toy.bases[chosen.base]}` : chosen.position;

function toyKey(position = chosen.position) {
    if (position === "none") return `none/-/${toy.default.ratio}/${engineMask()}`;
    const base = hasBase(position) ? toy.bases[chosen.base] : "-";
    return `${position}/${base}/${chosen.ratio}/${engineMask()}`;
}

// ---- The toy ----
// What the engine gave for a sentence and order: rows before and after each layer, weights, the vector.
function toyRun(sentence, order) {
    const T = 3,
        { width: D, layers: L, heads: H } = toy;
    const block = (L + 1) * T * D + L * H * T * T + D;
    const take = reader(packed(toy.grid, toyKey()), (sentence * 6 + order) * block);
    const states = Array.from({ length: L + 1 }, () => take(T, D));
    const attention = Array.from({ length: L }, () => Array.from({ length: H }, () => take(T, T)));
    return { states, attention, pooled: take(1, D)[0] };
}

// What is inside a layer: queries, keys and values of all heads, and the rows on the way.
function toySteps(sentence, order, layer) {
    const T = 3,
        { width: D, layers: L, feed_forward: F } = toy;
    const block = T * (7 * D + F);
    const at = ((sentence * 6 + order) * L + layer) * block;
    const take = reader(packed(toy.steps, toyKey()), at);
    return {
        qkv: take(T, 3 * D),
        heads: take(T, D),
        sum: take(T, D),
        normed: take(T, D),
        middle: take(T, F),
        sum2: take(T, D),
    };
}

// The rows for words and places before they are added. Without positions there is nothing to add.
function summands(order, words) {
    const { w1, w2 } = toy.ratios[chosen.position === "none" ? toy.default.ratio : chosen.ratio];
    const rows = order.map(word => toy.table[toy.words.indexOf(words[word])]);
    const places = toy.place_rows[schemeKey()] || rows.map(row => row.map(() => 0));
    return { rows, token: scale(rows, w1), place: scale(places.slice(0, 3), w2) };
}

const sees = (query, key) => chosen.mask !== "causal" || key <= query;

// Scores, their softmax and what it mixes, for one head.
function headState(steps, weights) {
    const { width: D, head_width: K } = toy,
        first = chosen.head * K;
    const [q, k, v] = [0, 1, 2].map(part => columns(steps.qkv, part * D + first, K));
    const scores = q.map(query => k.map(key => dot(query, key)));
    const scaled = scale(scores, 1 / Math.sqrt(K));
    const masked = scaled.map((row, i) => row.map((score, j) => (sees(i, j) ? score : -Infinity)));
    return { q, k, v, scores, scaled, masked, weights, head: columns(steps.heads, first, K) };
}

// A row and a column for the place that holds no word.
function padded(matrix, value) {
    if (chosen.mask !== "padding") return matrix;
    return [...matrix.map(row => [...row, value]), matrix[0].map(() => value).concat(value)];
}

function headWeights() {
    const p = toy.parameters[chosen.layer],
        K = toy.head_width,
        first = chosen.head * K;
    const rows = name => p[name].slice(first, first + K);
    return { wq: rows("wq"), bq: rows("bq"), wo: p.wo, w1: p.w1, b1: p.b1, gamma: p.gamma, beta: p.beta };
}

// All that the elements of the page ask for by name.
function toyState() {
    const { words: sentence } = sentenceNow(),
        order = orderNow();
    const words = order.map(word => sentence[word]);
    const run = toyRun(chosen.sentence, chosen.order),
        steps = toySteps(chosen.sentence, chosen.order, chosen.layer);
    const x = run.states[chosen.layer],
        out = run.states[chosen.layer + 1],
        last = run.states[toy.layers];
    const head = headState(steps, run.attention[chosen.layer][chosen.head]);
    const average = last[0].map((_, column) => mean(last.map(row => row[column])));
    return {
        words,
        order,
        ...summands(order, sentence),
        embedded: run.states[0],
        x,
        ...headWeights(),
        ...head,
        places: chosen.mask === "padding" ? [...words, "[pad]"] : words,
        masked: padded(head.masked, -Infinity),
        weights: padded(head.weights, 0),
        ids: words.map(word => [toy.words.indexOf(word)]),
        heads: steps.heads,
        sum: steps.sum,
        output: minus(steps.sum, x),
        normed: steps.normed,
        mean: steps.sum.map(mean),
        variance: steps.sum.map(row => mean(row.map(value => (value - mean(row)) ** 2))),
        middle: steps.middle,
        fed: minus(steps.sum2, steps.normed),
        sum2: steps.sum2,
        out,
        first: run.states[1],
        last,
        mean_vector: average,
        length: length(average),
        pooled: run.pooled,
        pools: [average, run.pooled],
        poolNames: ["mean", "length 1"],
    };
}

// Largest difference of a word's last row from the one it has in the first order. What is left of
// rounding counts as 0.
function moved(order, word, position = chosen.position) {
    const value = toy.differences[toyKey(position)][(chosen.sentence * 6 + order) * 3 + word];
    return value < 1e-5 ? 0 : value;
}

function mostMoved(order) {
    return Math.max(...[0, 1, 2].map(word => moved(order, word)));
}
