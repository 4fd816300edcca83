"use strict";
// A model and the reader's sentences: its tokens, the maps of its heads, what its layers do, its vectors; and the
// chain of links that lights up where the reader is.
//
// `model` has its name, layers, heads and isFixed (its positions cannot be switched off), and run(text, position, mask),
// "" being as the model has them, returns, or promises,
//     tokens: [T] of {id, text, begin, end, isUnknown}, bytes of the text from begin to end; none: a token that frames it
//     attention: [layers · heads · T][T], a row for each query
//     norms: [layers + 1][T], lengths of the rows after the embedding and after each layer
//     moved: [layers][T], how far the layer moved the row
//     vector: of the text, or null
// `page` has what the page adds: beginning() is what is chosen at first, follow(n) of it what depends on the sentence;
// pause() before it computes; show(state, runs), of the first order and of the other, and showLater(state, runs), of the
// sentences, fill in what is its own; moved() is what it says of the order.
let model = null;

const encoder = new TextEncoder();
const modelMask = () => (chosen.mask === "padding" ? "full" : chosen.mask);
const modelPosition = () => (chosen.position === "none" ? "none" : "");
const runText = (text, position = modelPosition()) => model.run(text, position, modelMask());
const runOrder = (order, position) => runText(orderText(order), position);

// Which word each token is of, and -1 for those that frame the text: by the last byte that it was made from, as some
// begin with the blank before their word.
function wordsOf({ tokens }, order) {
    let at = 0;
    const ends = order.map(word => (at += encoder.encode(sentenceNow()[word]).length + 1));
    return tokens.map(({ begin, end }) => (begin === end ? -1 : order[ends.findIndex(e => end <= e)]));
}

// Some tokenizers have a blank of its own.
const pieceOf = ({ text, isUnknown }) => (isUnknown ? `⟨${text}⟩` : text.trim() || "␣");

function modelState({ tokens, norms, moved }) {
    const positions = model.isFixed ? ["as trained"] : ["as trained", "positions off"];
    return {
        file: model.name,
        layers: model.layers,
        heads: model.heads,
        tokens: tokens.map(pieceOf),
        ids: tokens.map(token => [token.id]),
        norms,
        moved,
        layerNames: moved.map((_, i) => `layer ${i + 1}`),
        stateNames: norms.map((_, i) => (i === 0 ? "words + places" : `after layer ${i}`)),
        orderNames: ordersNow().map(orderText),
        orderHeads: positions,
        orders: ordersNow().map(() => positions.map(() => "…")),
        sentences: sentences.map(words => words.join(" ")),
        sentenceNumbers: sentences.map((_, i) => `${i + 1}`),
        likeness: sentences.map(() => sentences.map(() => "…")),
    };
}

// ---- All of it ----

let round = 0; // what is chosen meanwhile ends an older round

async function showAll() {
    const mine = ++round;
    document.body.dataset.busy = "yes";
    fillChoices();
    fillWords();
    $("#settings .summary").textContent = `${orderText(chosen.order)} · ${labelNow("position")} · ${labelNow("mask")}`;
    try {
        await page.pause?.();
        if (mine !== round) return;
        // The first order, and the one that is chosen, or the words backwards.
        const first = range(sentenceNow().length),
            orders = [first, isFirst(chosen.order) ? [...first].reverse() : chosen.order];
        const runs = await Promise.all(orders.map(order => runOrder(order)));
        if (mine !== round) return;
        showRuns(orders, runs, mine);
    } catch (error) {
        fail(error, mine);
    }
}

function fail(error, mine) {
    if (mine !== round) return;
    $("#failed").textContent = error.message;
    delete document.body.dataset.busy;
}

function showRuns(orders, runs, mine) {
    const run = runs[isFirst(chosen.order) ? 0 : 1],
        state = { model: modelState(run), numbers: { "model.tokens": wordsOf(run, chosen.order) }, order: chosen.order };
    $("#failed").textContent = "";
    page.show(state, runs);
    fillValues(state);
    fillMatrices(state);
    $("#settings .moved").textContent = page.moved();
    if (model.layers > 0) {
        showHeads(runs[0]);
        showMaps(orders, runs);
    }
    fillLater(state, mine).catch(error => fail(error, mine));
}

// Tables of many texts are filled one number at a time, after the page is shown.
async function fillLater(state, mine) {
    const first = range(sentenceNow().length);
    const hasVectors = (await runOrder(first)).vector !== null;
    for (const [i, order] of hasVectors ? ordersNow().entries() : [])
        for (const j of state.model.orderHeads.keys()) {
            await new Promise(done => setTimeout(done));
            if (mine !== round) return;
            const [a, b] = await Promise.all([order, first].map(which => runOrder(which, j === 0 ? "" : "none")));
            state.model.orders[i][j] = cosine(a.vector, b.vector);
        }
    const runs = await Promise.all(sentences.map(words => runText(words.join(" "))));
    if (hasVectors) state.model.likeness = runs.map(a => runs.map(b => cosine(a.vector, b.vector)));
    await page.showLater?.(state, runs);
    if (mine !== round) return;
    fillMatrices(state, "[data-later]");
    delete document.body.dataset.busy;
}

// ---- Heads ----

// The map of a head, [T, T].
function mapOf({ attention, tokens }, layer, head) {
    const T = tokens.length,
        at = (layer * model.heads + head) * T;
    return attention.slice(at, at + T);
}

function showMaps(orders, runs) {
    const { modelLayer: layer, modelHead: head } = chosen,
        maps = runs.map(run => mapOf(run, layer, head));
    showMap("#map-first", orders[0], runs[0], maps[0], "The first order");
    showMap("#map-now", orders[1], runs[1], maps[1], isFirst(chosen.order) ? "Backwards" : "The order chosen now");
    const same = sameTokens(orders, runs);
    const largest = Math.max(
        ...maps[0].flatMap((row, i) => row.map((value, j) => Math.abs(value - (maps[1][same[i]]?.[same[j]] ?? value)))),
    );
    const what = modelPosition() === "none" ? "off" : "as trained";
    $("#trained-verdict").textContent =
        `Layer ${layer + 1}, head ${head + 1}, positions ${what}: ` +
        `the largest difference between the two maps, word for word, is ${shown(largest, 3)}.`;
}

function showMap(id, order, run, matrix, title) {
    const tokens = run.tokens.map(pieceOf),
        table = h("table", { class: "matrix map" });
    table.append(h("caption", {}, `${title}: ${orderText(order)}`));
    fillTable(table, { matrix, rows: tokens, numbers: wordsOf(run, order), heads: tokens });
    $(".picture", $(id)).replaceChildren(table);
}

// For each token of the first order the index of the same piece in the other: the nth of its word, or of the frame.
function sameTokens(orders, runs) {
    const [names, there] = orders.map((order, i) => {
        const seen = new Map();
        return wordsOf(runs[i], order).map(word => {
            seen.set(word, (seen.get(word) ?? 0) + 1);
            return `${word}/${seen.get(word)}`;
        });
    });
    return names.map(name => there.indexOf(name));
}

// Things in a line, so that all lines of n have about as many, `most` at most.
const perLine = (n, most) => Math.ceil(n / Math.ceil(n / most));

// A small map for each head; pressing one shows it large.
function showHeads(run) {
    const holder = $("#heads-figure .picture"),
        style = `--wide: ${perLine(model.heads, 16)}; --narrow: ${perLine(model.heads, 8)}`;
    const rows = range(model.layers).map(layer =>
        h(
            "div",
            { class: "heads-row" },
            h("span", { class: "small" }, `layer ${layer + 1}`),
            h("div", {}, ...range(model.heads).map(head => headButton(run, layer, head))),
        ),
    );
    holder.style.cssText = style;
    const focused = document.activeElement?.dataset?.head;
    holder.replaceChildren(...rows);
    if (focused) $(`[data-head="${focused}"]`, holder)?.focus({ preventScroll: true });
}

async function chooseHead(layer, head) {
    Object.assign(chosen, { modelLayer: layer, modelHead: head });
    await showAll();
    $("#spoken").textContent = $("#trained-verdict").textContent;
}

function headButton(run, layer, head) {
    const map = mapOf(run, layer, head);
    return h(
        "button",
        {
            type: "button",
            "data-head": `${layer}.${head}`,
            "aria-label": `Layer ${layer + 1}, head ${head + 1}`,
            "aria-pressed": String(layer === chosen.modelLayer && head === chosen.modelHead),
            click: () => chooseHead(layer, head),
        },
        svg("svg", { viewBox: "0 0 40 40", "aria-hidden": "true" }, heat(map, 0, 0, 40 / map.length)),
    );
}

// ---- The chain ----

function lightUp(id) {
    for (const link of $$("#chain a")) {
        const here = link.hash === `#${id}`;
        if (here) link.setAttribute("aria-current", "step");
        else link.removeAttribute("aria-current");
    }
    for (const part of $$(".whole [data-step]"))
        part.classList.toggle("here", part.dataset.step === id);
    const link = $(`#chain a[href="#${id}"]`);
    $("#chain .here").textContent = link ? link.textContent : "";
}

// The step whose heading was passed last, looking at a line in the upper third of the window.
function followReader() {
    const line = innerHeight * 0.35;
    const passed = $$("section.step:not([hidden])").filter(step => step.getBoundingClientRect().top < line);
    lightUp(passed.length ? passed[passed.length - 1].id : "");
}

function startChain() {
    let waiting = false;
    addEventListener(
        "scroll",
        () => {
            if (waiting) return;
            waiting = true;
            requestAnimationFrame(() => {
                waiting = false;
                followReader();
            });
        },
        { passive: true },
    );
    followReader();
}

// Wide tables scroll by themselves.
function wrapTables() {
    for (const table of $$("#lesson table.matrix")) {
        const holder = h("div", { class: "scroll" });
        table.replaceWith(holder);
        holder.append(table);
    }
}
