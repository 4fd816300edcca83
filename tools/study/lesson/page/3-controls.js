"use strict";
// What can be touched: radio buttons, two sliders, and words that are dragged or moved by arrow keys.

// One place changes what is chosen, and everything on the page follows.
function choose(changes) {
    Object.assign(chosen, changes, changes.sentence !== undefined && firstOf(changes.sentence));
    showAll();
    $("#spoken").textContent = `${told(changes)}. ${movedText()}`;
}

// ---- Radio buttons ----
// Each group may occur several times on the page; all show the same.

const numbered = (n, word) => Array.from({ length: n }, (_, i) => [i, `${word}${i + 1}`]);
const orderText = order => order.map(word => sentenceNow()[word]).join(" ");
const words = () => sentenceNow().map((word, i) => [i, word]);

const choices = {
    sentence: () => sentences.map((words, i) => [i, words.join(" ")]),
    order: () => ordersNow().map(order => [order.join(), orderText(order)]),
    position: () => POSITIONS.map(name => [name, name]),
    places: () => [
        ["none", "off"],
        ["sinusoidal", "on"],
    ],
    mask: () => Object.entries(maskNames),
    layer: () => numbered(toyNumber("layers"), ""),
    head: () => numbered(toyNumber("heads"), ""),
    query: words,
    key: words,
};

// The switch of positions is on with any scheme; switched on again it brings back the last one.
let lastScheme = chosen.position;
function chooseValue(name, value) {
    if (name === "places") return choose({ position: value === "none" ? "none" : lastScheme });
    if (name === "order") return choose({ order: value.split(",").map(Number) });
    if (name === "position" && value !== "none") lastScheme = value;
    return choose({ [name]: value });
}

function isChosen(name, value) {
    if (name === "places") return (chosen.position === "none") === (value === "none");
    if (name === "order") return chosen.order.join() === value;
    return chosen[name] === value;
}

function fillChoices() {
    $$("fieldset[data-choice]").forEach((group, g) => {
        const name = group.dataset.choice,
            options = choices[name]();
        const labels = options.join();
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
        stops: () => RATIOS.map(ratio => ratio.join(" : ")),
        works: () => chosen.position !== "none",
    },
    base: {
        label: "Base of the waves",
        stops: () => BASES.map(base => base.toLocaleString("en")),
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

function movedText() {
    if (isFirst(chosen.order)) return "This is the first order; move a word.";
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
    ratio: "Word and place",
    base: "Base",
};

function told(changes) {
    if (changes.layer !== undefined && changes.order) return "All as it was at first";
    const labelOf = (name, value) =>
        name in sliders ? sliders[name].stops()[value] : new Map(choices[name]()).get(value);
    return Object.entries(changes)
        .map(([name, value]) => `${titles[name]} ${labelOf(name, name === "order" ? value.join() : value)}`)
        .join(", ");
}

const maskNames = { full: "full", causal: "look-ahead", padding: "padding" };

function fillPanel() {
    $("#settings .summary").textContent =
        `${orderText(chosen.order)} · ${chosen.position} · ${maskNames[chosen.mask]}`;
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
        lastScheme = "sinusoidal";
        choose(beginning());
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

// ---- Own sentences, own weights ----

function fillOwn() {
    $("#own .inputs").replaceChildren(
        ...[0, 1, 2].map(i =>
            h("input", {
                type: "text",
                maxlength: 120,
                "aria-label": `Sentence ${i + 1}`,
                value: sentences[i]?.join(" ") ?? "",
                placeholder: "nothing",
                spellcheck: "false",
                autocomplete: "off",
                input: takeOwn,
            }),
        ),
    );
}

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

async function takeWeights(file) {
    if (!file) return;
    $("#file-told").textContent = `Reading ${file.name} …`;
    try {
        const weights = new Weights(new Uint8Array(await file.arrayBuffer()), file.name);
        try {
            if (weights.setting("layers") === "0") throw new Error("it has no layers");
            weights.tokens("a");
        } catch (error) {
            weights.close();
            throw error;
        }
        modelWeights.close();
        modelWeights = weights;
        Object.assign(chosen, { modelLayer: 0, modelHead: 0 });
        showAll();
        $("#file-told").textContent = `The trained model is ${file.name} now.`;
    } catch (error) {
        $("#file-told").textContent = `${file.name} cannot be used: ${error.message}.`;
    }
}

function startOwn() {
    fillOwn();
    $("#file").addEventListener("change", event => takeWeights(event.target.files[0]));
    addEventListener("dragover", event => event.preventDefault());
    addEventListener("drop", event => {
        event.preventDefault();
        takeWeights(event.dataTransfer.files[0]);
    });
}
