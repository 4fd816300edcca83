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
    const y = i => 40 + i * 50,
        left = 110,
        right = 310;
    const lines = state.words.flatMap((_, i) =>
        state.words.map((_, j) => mixLine(state, i, j, left, y(i), right, y(j))),
    );
    const names = state.words.flatMap((word, i) => [
        textAt(left - 12, y(i) + 5, word, {
            class: `name word${state.order[i]}`,
            "text-anchor": "end",
        }),
        textAt(right + 12, y(i) + 5, word, { class: `name word${state.order[i]}` }),
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
        170,
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
        class: `word${state.order[i]}` + (followed ? " followed" : ""),
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

const modelPosition = () => (chosen.position === "none" ? "none" : "model");
const modelKey = () => `${modelPosition()}/${engineMask()}`;

// Pieces of a sentence: as many in all its orders.
const modelLength = (sentence = chosen.sentence) => model.sentences[sentence].tokens[0].length;

// How many numbers the sentences before the chosen one have, if one of that length has so many.
function ofSentencesBefore(numbersOf) {
    let sum = 0;
    for (let s = 0; s < chosen.sentence; s++) sum += numbersOf(modelLength(s));
    return sum;
}

function modelMap(order, layer, head) {
    const { layers_shown: L, heads: H } = model,
        T = modelLength();
    const before = ofSentencesBefore(length => 6 * L * H * length * length);
    const at = before + ((order * L + layer) * H + head) * T * T;
    return reader(packed(model.attention, modelKey()), at)(T, T);
}

const modelTokens = order => model.sentences[chosen.sentence].tokens[order];
const otherOrder = () => (chosen.order === 0 ? 5 : chosen.order);

function showMaps() {
    showMap("#map-first", 0, "The first order");
    showMap("#map-now", otherOrder(), chosen.order === 0 ? "Backwards" : "The order chosen now");
    const [a, b] = [0, otherOrder()].map(order =>
        modelMap(order, chosen.modelLayer, chosen.modelHead),
    );
    const largest = mapDifference(a, b, placesOf(0), placesOf(otherOrder()));
    const what = modelPosition() === "none" ? "off" : "as trained";
    $("#trained-verdict").textContent =
        `Layer ${chosen.modelLayer + 1}, head ${chosen.modelHead + 1}, positions ${what}: ` +
        `the largest difference between the two maps, word for word, is ${shown(largest, 3)}.`;
}

function showMap(id, order, title) {
    const tokens = modelTokens(order),
        table = h("table", { class: "matrix map" });
    const layer = chosen.modelLayer,
        head = chosen.modelHead;
    table.append(h("caption", {}, `${title}: ${orderText(sentenceNow().orders[order])}`));
    fillTable(table, { matrix: modelMap(order, layer, head), rows: tokens, heads: tokens });
    $(".picture", $(id)).replaceChildren(table);
}

// The index of each piece of the first order in another order.
const placesOf = order => modelTokens(0).map(token => modelTokens(order).indexOf(token));

function mapDifference(a, b, from, to) {
    let largest = 0;
    from.forEach((i, row) =>
        from.forEach((j, column) => {
            largest = Math.max(largest, Math.abs(a[i][j] - b[to[row]][to[column]]));
        }),
    );
    return largest;
}

// A small map for each head; pressing one shows it large.
function showHeads() {
    const holder = $("#heads-figure .picture");
    const rows = Array.from({ length: model.layers_shown }, (_, layer) =>
        h(
            "div",
            { class: "heads-row" },
            h("span", { class: "small" }, `layer ${layer + 1}`),
            ...Array.from({ length: model.heads }, (_, head) => headButton(layer, head)),
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
    const map = modelMap(0, layer, head),
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
