"use strict";
// What the order does to the result, and the words in the plane.

function momentState(state) {
    const changes = state.order.map(word => moved(chosen.order, word));
    return {
        before: toyRun(chosen.sentence, 0).states[toy.layers],
        sentenceWords: sentenceNow().words,
        moments: state.last.map((row, i) => [...row, changes[i]]),
        columnHeads: ["1", "2", "3", "4"],
        momentHeads: ["1", "2", "3", "4", "moved by"],
    };
}

function showVerdict() {
    const scheme = chosen.position === "none" ? "Positions off" : `Positions ${chosen.position}`;
    const parts = [`${scheme}, mask ${maskNames[chosen.mask]}, “${orderText(orderNow())}”: `];
    if (chosen.order === 0) {
        const least = Math.max(...sentenceNow().orders.map((_, order) => mostMoved(order)));
        parts.push(
            `the first order. Among the other five orders the largest difference is `,
            h("strong", {}, exact(least)),
            ".",
        );
    } else {
        parts.push(
            "the largest difference of any word’s last row from the first order is ",
            h("strong", {}, exact(mostMoved(chosen.order))),
            ".",
        );
    }
    $("#verdict").replaceChildren(...parts);
}

const exact = value => (value === 0 ? "0" : shown(value));

// A lane for each order, a mark for each word: how far its last row has moved.
function showOrders() {
    const { orders, words } = sentenceNow();
    const values = orders.map((_, order) => words.map((_, word) => moved(order, word)));
    const most = Math.max(...values.flat(), 1),
        x = value => 136 + (value / most) * 300;
    const lanes = orders.map((order, i) =>
        svg(
            "g",
            { class: i === chosen.order ? "lane now" : "lane" },
            textAt(122, 44 + i * 30, orderText(order), { "text-anchor": "end" }),
            svg("line", { class: "axis", x1: x(0), x2: x(most), y1: 39 + i * 30, y2: 39 + i * 30 }),
            ...values[i].map((value, word) =>
                svg("circle", {
                    class: `word${word}`,
                    cx: x(value),
                    cy: 39 + i * 30 + (word - 1) * 3,
                    r: 6,
                }),
            ),
        ),
    );
    const ticks = [0, most / 2, most].map(value =>
        textAt(x(value), 16, shown(value, 1), { class: "small", "text-anchor": "middle" }),
    );
    const told = orders.map(
        (order, i) =>
            `${orderText(order)}: ${words.map((word, w) => `${word} ${exact(values[i][w])}`).join(", ")}`,
    );
    draw(
        $("#order-figure .picture"),
        460,
        214,
        `How far each word moved. ${told.join(". ")}.`,
        ...ticks,
        ...lanes,
    );
}

// ---- The trained model ----

function modelState() {
    const sentence = model.sentences[chosen.sentence],
        order = chosen.order;
    const T = modelLength(),
        L = model.layers,
        key = modelKey();
    const before = ofSentencesBefore(length => 6 * length) + order * T;
    const cosines = name =>
        model.cosines[`${name}/${engineMask()}`].slice(
            chosen.sentence * 6,
            chosen.sentence * 6 + 6,
        );
    return {
        ...model,
        tokens: sentence.tokens[order],
        norms: reader(packed(model.norms, key), before * (L + 1))(L + 1, T),
        moved: reader(packed(model.moves, key), before * L)(L, T),
        layerNames: Array.from({ length: L }, (_, i) => `layer ${i + 1}`),
        stateNames: Array.from({ length: L + 1 }, (_, i) =>
            i === 0 ? "words + places" : `after layer ${i}`,
        ),
        orders: sentence.orders.map((_, i) => [cosines("model")[i], cosines("none")[i]]),
        orderNames: sentence.orders.map(orderText),
        orderHeads: ["as trained", "positions off"],
    };
}

// ---- Words in the plane ----

function showPlane() {
    const picture = data.plane[chosen.plane],
        all = picture.points.flat();
    const box = [Math.min, Math.max].map(f => [f(...all.map(p => p.x)), f(...all.map(p => p.y))]);
    const parts = picture.points.map((points, i) => {
        const part = h("div", {});
        draw(part, 360, 310, planeWords(picture.texts[i], points), ...planePoints(points, box));
        part.append(h("p", { class: "small" }, picture.texts[i]));
        return part;
    });
    $("#plane-figure .picture").replaceChildren(...parts);
}

const groups = () => [...new Set(data.plane[0].points[0].map(point => point.group))];

// Each name goes to the first place beside its point that no name has taken: right, left, above, below.
function planePoints(points, [[x0, y0], [x1, y1]]) {
    const placed = points.map(point => ({
        ...point,
        x: 45 + ((point.x - x0) / (x1 - x0)) * 245,
        y: 285 - ((point.y - y0) / (y1 - y0)) * 260,
    }));
    const taken = placed.map(({ x, y }) => ({ x: x - 5, y: y - 5, width: 10, height: 10 }));
    return placed.flatMap(({ x, y, word, group }) => {
        const width = 7 * word.length;
        const places = [
            ["start", x + 8, x + 8, y - 6],
            ["end", x - 8, x - 8 - width, y - 6],
            ["middle", x, x - width / 2, y - 22],
            ["middle", x, x - width / 2, y + 10],
            ["start", x + 8, x + 8, y + 7],
            ["start", x + 8, x + 8, y - 19],
        ].map(([anchor, at, left, top]) => ({ anchor, at, x: left, y: top, width, height: 12 }));
        const name = places.find(place => !taken.some(other => meet(place, other))) || places[0];
        taken.push(name);
        return [
            svg("circle", { class: `group${groups().indexOf(group)}`, cx: x, cy: y, r: 5 }),
            textAt(name.at, name.y + 10, word, { class: "small", "text-anchor": name.anchor }),
        ];
    });
}

const meet = (a, b) =>
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function planeWords(text, points) {
    return (
        `Words of “${text}” in the plane: ` +
        points.map(p => `${p.word} at ${shown(p.x, 1)}, ${shown(p.y, 1)}`).join("; ")
    );
}
