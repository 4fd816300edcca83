"use strict";
// Attention: one row of the softmax worked, lines between words, and the maps of the trained model.

// For the query that is followed: score, e to it, share; a row for each key.
function shareState(state) {
    const row = state.masked[state.order.indexOf(chosen.query)];
    const weights = state.weights[state.order.indexOf(chosen.query)];
    const powers = row.map(Math.exp);
    return {
        share: row.map((score, i) => [score, powers[i], weights[i]]),
        shareHeads: ["score", "e^score", "share"],
        shareSum: powers.reduce((a, b) => a + b, 0),
        maskName: maskNames[chosen.mask],
    };
}

// ---- Lines between words: the toy's head ----

function showMix(state) {
    const step = state.words.length > 4 ? 30 : 50,
        y = i => 40 + i * step,
        left = 110,
        right = 310;
    const lines = state.words.flatMap((_, i) =>
        state.words.map((_, j) => mixLine(state, i, j, left, y(i), right, y(j))),
    );
    const names = state.words.flatMap((word, i) => [
        textAt(left - 12, y(i) + 5, short(word), {
            class: `name ${wordClass(state.order[i])}`,
            "text-anchor": "end",
        }),
        textAt(right + 12, y(i) + 5, short(word), { class: `name ${wordClass(state.order[i])}` }),
    ]);
    const told = state.words
        .map(
            (word, i) =>
                `${word} takes ${state.words.map((other, j) => `${shown(state.weights[i][j])} of ${other}`).join(", ")}`,
        )
        .join("; ");
    draw(
        $("#mix-figure .picture"),
        420,
        y(state.words.length - 1) + 30,
        `Shares: ${told}.`,
        textAt(left - 12, 14, "query", { class: "small", "text-anchor": "end" }),
        textAt(right + 12, 14, "key", { class: "small" }),
        ...lines,
        ...names,
    );
}

function mixLine(state, i, j, x1, y1, x2, y2) {
    const followed = state.order[i] === chosen.query,
        weight = state.weights[i][j];
    const line = svg("line", {
        class: wordClass(state.order[i]) + (followed ? " followed" : ""),
        x1,
        y1,
        x2,
        y2,
        "stroke-width": 14 * weight,
    });
    if (!followed || weight === 0) return line;
    const at = 0.72,
        label = { class: "small", "text-anchor": "middle" };
    return svg(
        "g",
        {},
        line,
        textAt(x1 + (x2 - x1) * at, y1 + (y2 - y1) * at - 3, shown(weight), label),
    );
}

// ---- The trained model ----

const modelPosition = () => (chosen.position === "none" ? "none" : "");
const modelNumber = key => Number(modelWeights.setting(key));
const modelTokens = order => modelWeights.tokens(orderText(order));

function modelRun(order, position = modelPosition()) {
    const ids = modelTokens(order).map(token => token.id);
    return modelWeights.encode(ids, { position, mask: engineMask() }, ["hidden", "attention", "last", "vector"]);
}

// Which word each token is of, and -1 for those that frame the text: by the bytes that it was made from.
function wordsOf(order) {
    let at = 0;
    const ends = order.map(word => (at += encoder.encode(sentenceNow()[word]).length + 1));
    return modelTokens(order).map(({ begin, end }) => (begin === end ? -1 : order[ends.findIndex(e => begin < e)]));
}

// The map of a head, [T, T].
function modelMap(order, layer, head) {
    const { attention } = modelRun(order),
        T = attention[0].length,
        at = (layer * modelNumber("heads") + head) * T;
    return attention.slice(at, at + T);
}

// The order that is chosen, or the words backwards.
const otherOrder = () => (isFirst(chosen.order) ? [...chosen.order].reverse() : chosen.order);

function showMaps() {
    const { modelLayer: layer, modelHead: head } = chosen,
        first = range(sentenceNow().length);
    showMap("#map-first", first, "The first order");
    showMap("#map-now", otherOrder(), isFirst(chosen.order) ? "Backwards" : "The order chosen now");
    const [a, b] = [first, otherOrder()].map(order => modelMap(order, layer, head));
    const largest = mapDifference(a, b, first, otherOrder());
    const what = modelPosition() === "none" ? "off" : "as trained";
    $("#trained-verdict").textContent =
        `Layer ${layer + 1}, head ${head + 1}, positions ${what}: ` +
        `the largest difference between the two maps, word for word, is ${shown(largest, 3)}.`;
}

function showMap(id, order, title) {
    const tokens = modelTokens(order).map(token => token.text),
        table = h("table", { class: "matrix map" });
    table.append(h("caption", {}, `${title}: ${orderText(order)}`));
    fillTable(table, {
        matrix: modelMap(order, chosen.modelLayer, chosen.modelHead),
        rows: tokens,
        numbers: wordsOf(order),
        heads: tokens,
    });
    $(".picture", $(id)).replaceChildren(table);
}

// For each token of one order the index of the same piece in another: the nth of its word, or of the frame.
function sameTokens(from, to) {
    const names = order => {
        const seen = new Map();
        return wordsOf(order).map(word => {
            seen.set(word, (seen.get(word) ?? 0) + 1);
            return `${word}/${seen.get(word)}`;
        });
    };
    const there = names(to);
    return names(from).map(name => there.indexOf(name));
}

function mapDifference(a, b, from, to) {
    const same = sameTokens(from, to);
    return Math.max(...a.flatMap((row, i) => row.map((value, j) => Math.abs(value - b[same[i]][same[j]]))));
}

// A small map for each head; pressing one shows it large.
function showHeads() {
    const holder = $("#heads-figure .picture");
    const rows = range(modelNumber("layers")).map(layer =>
        h(
            "div",
            { class: "heads-row" },
            h("span", { class: "small" }, `layer ${layer + 1}`),
            ...range(modelNumber("heads")).map(head => headButton(layer, head)),
        ),
    );
    const focused = document.activeElement?.dataset?.head;
    holder.replaceChildren(...rows);
    if (focused) $(`[data-head="${focused}"]`, holder)?.focus({ preventScroll: true });
}

function chooseHead(layer, head) {
    Object.assign(chosen, { modelLayer: layer, modelHead: head });
    showAll();
    $("#spoken").textContent = $("#trained-verdict").textContent;
}

function headButton(layer, head) {
    const map = modelMap(range(sentenceNow().length), layer, head),
        size = 40 / map.length;
    return h(
        "button",
        {
            type: "button",
            "data-head": `${layer}.${head}`,
            "aria-label": `Layer ${layer + 1}, head ${head + 1}`,
            "aria-pressed": String(layer === chosen.modelLayer && head === chosen.modelHead),
            click: () => chooseHead(layer, head),
        },
        svg("svg", { viewBox: "0 0 40 40", "aria-hidden": "true" }, heat(map, 0, 0, size)),
    );
}
