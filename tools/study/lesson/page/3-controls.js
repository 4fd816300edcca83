"use strict";
// What can be touched: radio buttons, two sliders, and words that are dragged or moved by arrow keys.

// One place changes what is chosen, and everything on the page follows.
function choose(changes) {
    Object.assign(chosen, changes);
    if (changes.sentence !== undefined) Object.assign(chosen, { order: 0 });
    showAll();
    $("#spoken").textContent = `${told(changes)}. ${movedText()}`;
}

// ---- Radio buttons ----
// Each group may occur several times on the page; all show the same.

const numbered = (n, word) => Array.from({ length: n }, (_, i) => [i, `${word}${i + 1}`]);
const orderText = order => order.map(word => sentenceNow().words[word]).join(" ");

const choices = {
    sentence: () => toy.sentences.map((sentence, i) => [i, sentence.words.join(" ")]),
    order: () => sentenceNow().orders.map((order, i) => [i, orderText(order)]),
    position: () => toy.positions.map(name => [name, name]),
    places: () => [
        ["none", "off"],
        ["sinusoidal", "on"],
    ],
    mask: () => Object.entries(maskNames),
    layer: () => numbered(toy.layers, ""),
    head: () => numbered(toy.heads, ""),
    query: () => sentenceNow().words.map((word, i) => [i, word]),
    key: () => sentenceNow().words.map((word, i) => [i, word]),
    plane: () => data.plane.map((picture, i) => [i, picture.label]),
};

// The switch of positions is on with any scheme; switched on again it brings back the last one.
let lastScheme = beginning.position;
function chooseValue(name, value) {
    if (name === "places") return choose({ position: value === "none" ? "none" : lastScheme });
    if (name === "position" && value !== "none") lastScheme = value;
    return choose({ [name]: value });
}

function isChosen(name, value) {
    if (name === "places") return (chosen.position === "none") === (value === "none");
    return chosen[name] === value;
}

function fillChoices() {
    $$("fieldset[data-choice]").forEach((group, g) => {
        const name = group.dataset.choice,
            options = choices[name]();
        const labels = options.map(([, label]) => label).join();
        if (group.dataset.labels !== labels) {
            $$("label", group).forEach(label => label.remove());
            group.append(
                ...options.map(([value, label]) => radio(name, `${name}-${g}`, value, label)),
            );
            group.dataset.labels = labels;
        }
        $$("input", group).forEach((input, i) => {
            input.checked = isChosen(name, options[i][0]);
        });
    });
}

function radio(name, group, value, label) {
    const input = h("input", {
        type: "radio",
        name: group,
        value,
        change: () => chooseValue(name, value),
    });
    return h("label", {}, input, h("span", {}, label));
}

// ---- Sliders ----

const sliders = {
    ratio: {
        label: "Word : place, W1 : W2",
        stops: () => toy.ratios.map(ratio => ratio.label),
        works: () => chosen.position !== "none",
    },
    base: {
        label: "Base of the waves",
        stops: () => toy.bases.map(base => base.toLocaleString("en")),
        works: () => hasBase(chosen.position),
    },
};

function makeSlider(holder) {
    const name = holder.dataset.slider,
        slider = sliders[name];
    const input = h("input", {
        type: "range",
        id: `slider-${name}`,
        min: 0,
        max: slider.stops().length - 1,
        step: 1,
        input: event => choose({ [name]: Number(event.target.value) }),
    });
    holder.append(
        h("label", { for: input.id }, slider.label, h("output", { for: input.id })),
        input,
    );
}

function fillSliders() {
    for (const holder of $$("[data-slider]")) {
        const name = holder.dataset.slider,
            { stops, works } = sliders[name];
        const input = $("input", holder),
            text = stops()[chosen[name]];
        input.value = chosen[name];
        input.disabled = !works();
        input.setAttribute("aria-valuetext", text);
        $("output", holder).textContent = works() ? text : "not used";
    }
}

// ---- Words ----

function fillWords() {
    for (const holder of $$("[data-words]")) {
        const focused =
            holder.contains(document.activeElement) && document.activeElement.dataset.word;
        holder.replaceChildren(
            h(
                "ol",
                { class: "words", "aria-label": "Words in their order" },
                ...orderNow().map(wordChip),
            ),
        );
        if (focused) $(`[data-word="${focused}"]`, holder)?.focus({ preventScroll: true });
    }
}

function wordChip(word, place) {
    const text = sentenceNow().words[word];
    const chip = h(
        "button",
        {
            type: "button",
            class: `chip word${word}`,
            "data-word": String(word),
            "aria-label": `${text}, place ${place + 1} of 3. Arrow keys move it.`,
            keydown: event => moveByKey(event, place),
            pointerdown: event => beginDrag(event, word),
        },
        text,
    );
    return h("li", {}, chip);
}

// Moves the word at a place to another place.
function moveWord(from, to) {
    if (to < 0 || to > 2 || to === from) return;
    const order = [...orderNow()];
    order.splice(to, 0, ...order.splice(from, 1));
    choose({ order: sentenceNow().orders.findIndex(other => other.join() === order.join()) });
}

function moveByKey(event, place) {
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    moveWord(place, place + steps[event.key]);
}

// The word follows the pointer; wherever it passes the middle of another, they change places.
function beginDrag(event, word) {
    const holder = event.target.closest("[data-words]");
    event.preventDefault();
    event.target.focus({ preventScroll: true });
    holder.classList.add("dragging");
    const follow = moving => {
        const middles = $$(".chip", holder)
            .map(chip => chip.getBoundingClientRect())
            .map(box => box.left + box.width / 2);
        const from = orderNow().indexOf(word);
        const to = middles.filter((middle, i) => i !== from && middle < moving.clientX).length;
        moveWord(from, to);
    };
    const end = () => {
        holder.classList.remove("dragging");
        removeEventListener("pointermove", follow);
        removeEventListener("pointerup", end);
        removeEventListener("pointercancel", end);
    };
    addEventListener("pointermove", follow);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
}

// ---- In words ----

function movedText() {
    if (chosen.order === 0) return "This is the first order; move a word.";
    const value = mostMoved(chosen.order);
    return value === 0
        ? "Moved by 0: every word has the row that it had in the first order."
        : `Moved: a word’s last row differs from its row in the first order by up to ${shown(value)}.`;
}

// What was changed, for a screen reader.
const titles = {
    sentence: "Words",
    order: "Order",
    position: "Positions",
    mask: "Mask",
    layer: "Layer",
    head: "Head",
    query: "Query of",
    key: "Key of",
    plane: "Words and places",
    ratio: "Word and place",
    base: "Base",
};

function told(changes) {
    if (changes === beginning) return "As at the beginning";
    const labelOf = (name, value) =>
        name in sliders ? sliders[name].stops()[value] : new Map(choices[name]()).get(value);
    return Object.entries(changes)
        .map(([name, value]) => `${titles[name]} ${labelOf(name, value)}`)
        .join(", ");
}

const maskNames = { full: "full", causal: "look-ahead", padding: "padding" };

function fillPanel() {
    $("#settings .summary").textContent =
        `${orderText(orderNow())} · ${chosen.position} · ${maskNames[chosen.mask]}`;
    $("#settings .moved").textContent = movedText();
}

// In a narrow window the panel takes the lower part; what the reader looks at moves above it.
function keepInSight(open) {
    const height = open ? `${$("#settings").offsetHeight}px` : "";
    document.documentElement.style.scrollPaddingBottom = document.body.style.paddingBottom = height;
    const read = $$("#lesson .tables, #lesson table, #lesson figure").find(
        part => part.getBoundingClientRect().bottom > innerHeight * 0.35,
    );
    if (open) read?.scrollIntoView({ block: "nearest" });
}

function startControls() {
    $$("[data-slider]").forEach(makeSlider);
    $("#reset").addEventListener("click", () => {
        lastScheme = beginning.position;
        choose(beginning);
    });
    const opener = $("#settings .opener");
    opener.addEventListener("click", () => {
        const open = opener.getAttribute("aria-expanded") !== "true";
        opener.setAttribute("aria-expanded", open);
        $("#settings").classList.toggle("open", open);
        keepInSight(open);
    });
    addEventListener("beforeprint", () => {
        $$(".guess").forEach(guess => (guess.open = true));
    });
}
