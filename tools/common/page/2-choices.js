"use strict";
// The sentences, what is chosen, and what can be touched: radio buttons, words that are dragged or moved by arrow keys,
// boxes for own sentences.

// ---- What both pages have: <form data-part="sentences"> … ----
// What the page has there by itself takes the place of the slot.

const parts = {
    sentences: `<h2>Type your own sentences</h2>
<p>Up to three, of one to twelve words, in any letters. Everything below follows them.</p>
<div class="inputs"></div>
<p class="small" id="own-told" aria-live="polite"></p>
<p class="small" id="failed" aria-live="polite"></p>
<slot></slot>`,
    heads: `<figure id="heads-figure"><div class="picture" role="group" aria-label="Layer and head of the model"></div>
<figcaption>All heads of the <span data-value="model.layers"></span> layers, for the first order. Press one
to see it large.</figcaption></figure>
<div class="pair"><figure id="map-first"><div class="picture"></div></figure>
<figure id="map-now"><div class="picture"></div></figure></div>
<p class="verdict" id="trained-verdict"></p>`,
    panel: `<button type="button" class="opener" aria-expanded="false" aria-controls="panel"><strong>Try it</strong>
<span class="summary"></span></button>
<div id="panel">
<h2>Try it</h2>
<fieldset data-choice="sentence"><legend>Sentence</legend></fieldset>
<div data-words="small"></div>
<fieldset data-choice="order"><legend>Order</legend></fieldset>
<fieldset data-choice="position" data-needs="positions"><legend>Positions</legend></fieldset>
<slot></slot>
<fieldset data-choice="mask" data-needs="layers"><legend>Mask</legend></fieldset>
<p class="moved"></p>
<button type="button" id="reset">Reset</button>
</div>`,
};

function fillParts() {
    for (const place of $$("[data-part]"))
        place.innerHTML = parts[place.dataset.part].replace("<slot></slot>", place.innerHTML);
}

// ---- What is chosen ----
// Words are numbered in the order in which they were typed. order: which word stands at each place.

const WORDS_MOST = 12;

let sentences = []; // of words
let chosen = {};

// What follows from a choice of the sentence: its first order, and what the page adds.
const firstOf = sentence => ({ order: range(sentences[sentence].length), ...page.follow?.(sentences[sentence].length) });

const sentenceNow = () => sentences[chosen.sentence];
const orderText = order => order.map(word => sentenceNow()[word]).join(" ");
const isFirst = order => order.every((word, i) => word === i);

// Orders worth a comparison; of up to three words that is all of them.
function ordersOf(n) {
    const first = range(n),
        swap = (i, j) => first.map(word => (word === i ? j : word === j ? i : word));
    const all = [first, swap(n - 2, n - 1), swap(0, 1), [...first.slice(1), 0], [n - 1, ...first.slice(0, -1)]];
    all.push([...first].reverse());
    const inside = all.filter(order => order.every(word => word >= 0 && word < n));
    return [...new Map(inside.map(order => [order.join(), order])).values()];
}

// Those, and the one that is chosen.
function ordersNow() {
    const all = ordersOf(sentenceNow().length);
    return all.some(order => order.join() === chosen.order.join()) ? all : [...all, chosen.order];
}

// One place changes what is chosen, and everything on the page follows.
async function choose(changes) {
    Object.assign(chosen, changes, changes.sentence !== undefined && firstOf(changes.sentence));
    await showAll();
    $("#spoken").textContent = `${told(changes)}. ${page.moved()}`;
}

// ---- Radio buttons ----
// Each group may occur several times on the page; all show the same.

// Values and labels of each group.
const choices = {
    sentence: () => sentences.map((words, i) => [i, words.join(" ")]),
    order: () => ordersNow().map(order => [order.join(), orderText(order)]),
};
// Of groups whose values are not those of `chosen`: what a value changes, and which one is chosen.
const changesOf = { order: value => ({ order: value.split(",").map(Number) }) };
const valueOf = { order: () => chosen.order.join() };

const valueNow = name => (name in valueOf ? valueOf[name]() : chosen[name]);
const labelNow = name => new Map(choices[name]()).get(valueNow(name));

function fillChoices() {
    $$("fieldset[data-choice]").forEach((group, g) => {
        const name = group.dataset.choice,
            options = choices[name]();
        const labels = options.join();
        if (group.dataset.labels !== labels) {
            $$("label", group).forEach(label => label.remove());
            group.append(...options.map(([value, label]) => radio(name, `${name}-${g}`, value, label)));
            group.dataset.labels = labels;
        }
        $$("input", group).forEach((input, i) => {
            input.checked = options[i][0] === valueNow(name);
        });
    });
}

function radio(name, group, value, label) {
    const change = () => choose(name in changesOf ? changesOf[name](value) : { [name]: value });
    return h("label", {}, h("input", { type: "radio", name: group, value, change }), h("span", {}, label));
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
                ...chosen.order.map(wordChip),
            ),
        );
        if (focused) $(`[data-word="${focused}"]`, holder)?.focus({ preventScroll: true });
    }
}

function wordChip(word, place) {
    const text = sentenceNow()[word];
    const chip = h(
        "button",
        {
            type: "button",
            class: `chip ${wordClass(word)}`,
            "data-word": String(word),
            "aria-label": `${text}, place ${place + 1} of ${sentenceNow().length}. Arrow keys move it.`,
            keydown: event => moveByKey(event, place),
            pointerdown: event => beginDrag(event, word),
        },
        text,
    );
    return h("li", {}, chip);
}

// Moves the word at a place to another place.
function moveWord(from, to) {
    if (to < 0 || to >= chosen.order.length || to === from) return;
    const order = [...chosen.order];
    order.splice(to, 0, ...order.splice(from, 1));
    choose({ order });
}

function moveByKey(event, place) {
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    moveWord(place, place + steps[event.key]);
}

// The word follows the pointer: it is after all words whose middle the pointer has passed, line by line.
function beginDrag(event, word) {
    const holder = event.target.closest("[data-words]");
    event.preventDefault();
    event.target.focus({ preventScroll: true });
    holder.classList.add("dragging");
    const follow = moving => {
        const boxes = $$(".chip", holder).map(chip => chip.getBoundingClientRect()),
            x = moving.clientX,
            y = Math.min(Math.max(moving.clientY, boxes[0].top), boxes.at(-1).bottom);
        const isPassed = box => box.bottom < y || (box.top <= y && box.left + box.width / 2 < x);
        const from = chosen.order.indexOf(word);
        moveWord(from, boxes.filter((box, i) => i !== from && isPassed(box)).length);
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

// What was changed, for a screen reader.
const titles = {
    model: "Model",
    sentence: "Words",
    order: "Order",
    position: "Positions",
    mask: "Mask",
    layer: "Layer",
    head: "Head",
    query: "Query of",
    key: "Key of",
    ratio: "Word and place",
    base: "Base",
};

const told = changes =>
    "modelLayer" in changes && !("model" in changes)
        ? "All as it was at first"
        : Object.keys(changes)
              .filter(name => name in titles)
              .map(name => `${titles[name]} ${labelNow(name)}`)
              .join(", ");

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
    fillParts();
    $("#reset").addEventListener("click", () => choose(page.beginning()));
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
    $("#own .inputs").replaceChildren(...[0, 1, 2].map(ownInput));
}

// ---- Own sentences ----

const ownInput = i =>
    h("input", {
        type: "text",
        maxlength: 120,
        "aria-label": `Sentence ${i + 1}`,
        value: sentences[i]?.join(" ") ?? "",
        placeholder: "nothing",
        spellcheck: "false",
        autocomplete: "off",
        input: takeOwn,
    });

// What was typed: sentences without a word are left out; without any the page stays as it is.
function takeOwn() {
    const typed = $$("#own .inputs input").map(input => input.value.trim().split(/\s+/u).filter(word => word));
    const own = typed.filter(words => words.length > 0);
    const isLong = own.some(words => words.length > WORDS_MOST);
    $("#own-told").textContent =
        own.length === 0 ? "Type a word: without one the page keeps the last sentences."
        : isLong ? `A sentence has ${WORDS_MOST} words at most here: the first ${WORDS_MOST} are taken.`
        : "";
    if (own.length === 0) return;
    sentences = own.map(words => words.slice(0, WORDS_MOST));
    const sentence = Math.min(chosen.sentence, sentences.length - 1);
    Object.assign(chosen, { sentence, ...firstOf(sentence) });
    showAll();
}
