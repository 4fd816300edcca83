"use strict";
// What the order does to the result.

function momentState(state) {
    const n = state.order.length;
    return {
        before: toyRun(range(n)).last,
        sentenceWords: sentenceNow(),
        moments: state.last.map((row, i) => [...row, moved(state.order, state.order[i])]),
        columnHeads: ["1", "2", "3", "4"],
        momentHeads: ["1", "2", "3", "4", "moved by"],
    };
}

function showVerdict() {
    const scheme = chosen.position === "none" ? "Positions off" : `Positions ${chosen.position}`;
    const parts = [`${scheme}, mask ${maskNames[chosen.mask]}, “${orderText(chosen.order)}”: `];
    if (isFirst(chosen.order)) {
        const most = Math.max(...ordersNow().map(mostMoved));
        parts.push("the first order. Among the orders below the largest difference is ", strong(exact(most)), ".");
    } else {
        parts.push("the largest difference of any word’s last row from the first order is ");
        parts.push(strong(exact(mostMoved(chosen.order))), ".");
    }
    $("#verdict").replaceChildren(...parts);
}

const strong = text => h("strong", {}, text);
const exact = value => (value === 0 ? "0" : shown(value));

// A lane for each order, a mark for each word: how far its last row has moved.
function showOrders() {
    const orders = ordersNow(),
        words = sentenceNow(),
        lane = 46,
        values = orders.map(order => words.map((_, word) => moved(order, word)));
    const most = Math.max(...values.flat(), 1),
        x = value => 12 + (value / most) * 430;
    const lanes = orders.map((order, i) =>
        svg(
            "g",
            { class: order.join() === chosen.order.join() ? "lane now" : "lane" },
            textAt(12, 44 + i * lane, cut(orderText(order))),
            svg("line", { class: "axis", x1: x(0), x2: x(most), y1: 57 + i * lane, y2: 57 + i * lane }),
            ...values[i].map((value, word) =>
                svg("circle", { class: wordClass(word), cx: x(value), cy: 57 + i * lane + ((word % 3) - 1) * 3, r: 6 }),
            ),
        ),
    );
    const ticks = [0, most / 2, most].map((value, i) =>
        textAt(x(value), 16, shown(value, 1), { class: "small", "text-anchor": ["start", "middle", "end"][i] }),
    );
    const told = orders.map(
        (order, i) => `${orderText(order)}: ${words.map((word, w) => `${word} ${exact(values[i][w])}`).join(", ")}`,
    );
    const height = 40 + orders.length * lane;
    draw($("#order-figure .picture"), 460, height, `How far each word moved. ${told.join(". ")}.`, ...ticks, ...lanes);
}

const cut = text => ([...text].length > 48 ? [...text].slice(0, 47).join("") + "…" : text);

// ---- The trained model ----

function modelState() {
    const { order } = chosen,
        { hidden, last } = modelRun(order),
        T = last.length,
        L = modelNumber("layers");
    const state = l => hidden.slice(l * T, (l + 1) * T);
    return {
        file: modelWeights.name,
        layers: L,
        heads: modelNumber("heads"),
        width: modelNumber("width"),
        vocabulary: modelNumber("vocabulary"),
        tokens: modelTokens(order).map(token => token.text),
        ids: modelTokens(order).map(token => [token.id]),
        norms: range(L + 1).map(l => state(l).map(length)),
        moved: range(L).map(l => state(l + 1).map((row, t) => distance(row, state(l)[t]))),
        layerNames: range(L).map(i => `layer ${i + 1}`),
        stateNames: range(L + 1).map(i => (i === 0 ? "words + places" : `after layer ${i}`)),
        orderNames: ordersNow().map(orderText),
        orderHeads: ["as trained", "positions off"],
        orders: ordersNow().map(() => ["…", "…"]),
        sentences: sentences.map(words => words.join(" ")),
        sentenceNumbers: sentences.map((_, i) => `${i + 1}`),
        likeness: sentences.map(() => sentences.map(() => "…")),
    };
}

// Tables of many texts are filled one number at a time, after the page is shown; what is chosen meanwhile ends that.
let round = 0;

async function fillLater(state) {
    const mine = ++round;
    document.body.dataset.busy = "yes";
    const first = range(sentenceNow().length);
    for (const [i, order] of ordersNow().entries())
        for (const [j, position] of ["", "none"].entries()) {
            await new Promise(done => setTimeout(done));
            if (mine !== round) return;
            const [a, b] = [order, first].map(which => modelRun(which, position).vector[0]);
            state.model.orders[i][j] = cosine(a, b);
        }
    const vectors = sentences.map(words => sentenceVector(words.join(" ")));
    state.model.likeness = vectors.map(a => vectors.map(b => cosine(a, b)));
    fillMatrices(state, '[data-matrix="model.orders"], [data-matrix="model.likeness"]');
    delete document.body.dataset.busy;
}

function sentenceVector(text) {
    const ids = modelWeights.tokens(text).map(token => token.id);
    return modelWeights.encode(ids, { position: modelPosition(), mask: engineMask() }, ["hidden", "attention", "last", "vector"]).vector[0];
}
