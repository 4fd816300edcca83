"use strict";
// Attention of the toy: one row of the softmax worked, and lines between words.

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
