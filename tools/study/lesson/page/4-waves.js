"use strict";
// The pictures of a position scheme: its waves, its table, and how near places are to one another.

const WAVES = 6,
    SCHEME_ROWS = 64,
    PLACES = 32,
    SIDE = 224; // columns drawn as waves, places shown, size of a picture

// Of learned positions those of the trained model are shown, if it has so many.
function schemeTable() {
    const { position, base } = toySettings();
    if (position === "none") return null;
    if (position !== "learned") return schemeWeights.positions(SCHEME_ROWS, position, base);
    const isThere = model.setting("position") === "learned" &&
        Number(model.setting("max_tokens")) >= SCHEME_ROWS;
    return isThere ? columns(model.positions(SCHEME_ROWS), 0, PLACES) : null;
}

function showWaves() {
    const table = schemeTable();
    $("#wave-figure .picture").hidden = table === null;
    $("#wave-figure .nothing").hidden = table !== null;
    $("#wave-figure .nothing").textContent =
        chosen.position === "none"
            ? "Without positions there is nothing to draw: every place is the same."
            : "The trained model has no learned positions that could be drawn here.";
    $("#wave-figure figcaption").hidden = table === null;
    $("#wave-figure details").hidden = table === null;
    if (table === null) return;
    const most = Math.max(...table.flat().map(Math.abs), 1e-9);
    const relative = scale(table, 1 / most),
        rows = relative.slice(0, PLACES);
    draw(
        $("#wave-lines"),
        SIDE,
        SIDE,
        `Positions ${chosen.position}: ${waveWords[chosen.position]}`,
        ...waveLines(relative),
    );
    draw(
        $("#wave-table"),
        SIDE,
        SIDE,
        `The table of positions ${chosen.position} as colours.`,
        heat(rows, 0, 0, SIDE / PLACES),
    );
    draw(
        $("#wave-near"),
        SIDE,
        SIDE,
        "Products of the rows of each pair of places as colours.",
        nearPlaces(rows),
    );
}

const waveWords = {
    sinusoidal:
        "waves, fast ones in the first columns and slow ones in the last; near places are alike.",
    learned: "the table of the trained model; what is alike in it was learned.",
    index: "one slope, the same in all columns; later places are larger.",
    binary: "digits 0 and 1 that change places after 1, 2, 4, 8 … steps; near places need not be alike.",
    fourier: "waves that fit in 64 places; each column has its own frequency.",
    exponential: "curves that fall from 1 to 0, the first at once and the last over many places.",
};

// Columns of the table as curves over the places, each in a lane of its own.
function waveLines(table) {
    const step = Math.floor(table[0].length / WAVES / 2) * 2,
        lane = SIDE / WAVES;
    const x = place => 24 + (place * (SIDE - 30)) / (table.length - 1);
    return Array.from({ length: WAVES }, (_, i) => {
        const column = i * step,
            y = value => lane * (i + 0.5) - value * lane * 0.38;
        const points = table.map(
            (row, place) => `${x(place).toFixed(1)},${y(row[column]).toFixed(1)}`,
        );
        return svg(
            "g",
            {},
            svg("line", { class: "axis", x1: x(0), x2: x(table.length - 1), y1: y(0), y2: y(0) }),
            svg("polyline", { class: "wave", points: points.join(" ") }),
            ...chosen.order.map((word, place) =>
                svg("circle", {
                    class: wordClass(word),
                    cx: x(place),
                    cy: y(table[place][column]),
                    r: 3.5,
                }),
            ),
            textAt(18, y(0) + 4, String(column), { class: "small", "text-anchor": "end" }),
        );
    });
}

// Products of each pair of places: what attention can feel of their distance.
function nearPlaces(rows) {
    const products = rows.map(a => rows.map(b => dot(a, b)));
    const most = Math.max(...products.flat().map(Math.abs));
    return heat(scale(products, 1 / most), 0, 0, SIDE / PLACES);
}

function waveState() {
    const scheme =
        chosen.position +
        (hasBase(chosen.position) ? `, base ${BASES[chosen.base].toLocaleString("en")}` : "");
    const table = schemeTable();
    const some = [0, 1, 2, 3, 7, 8, 16, 31];
    return {
        schemeName: scheme,
        waveCaption: `Scheme ${scheme}, ${PLACES} columns. Blue is above 0, red below.`,
        waveRows: table ? some.map(place => table[place].slice(0, 8)) : [[0]],
        waveHeads: table ? some.map((_, i) => `column ${i}`) : [""],
        waveNames: table ? some.map(place => `place ${place}`) : ["none"],
    };
}
