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

function movedText() {
    if (isFirst(chosen.order)) return "This is the first order; move a word.";
    const value = mostMoved(chosen.order);
    return value === 0
        ? "Moved by 0: every word has the row that it had in the first order."
        : `Moved: a word’s last row differs from its row in the first order by up to ${shown(value)}.`;
}
