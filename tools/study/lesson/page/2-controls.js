"use strict";
// What this page has to choose beside its sentences: the toy's settings, and the weight file of the trained model.

const numbered = (n, word) => range(n).map(i => [i, `${word}${i + 1}`]);
const words = () => sentenceNow().map((word, i) => [i, word]);
const maskNames = { full: "full", causal: "look-ahead", padding: "padding" };

Object.assign(choices, {
    position: () => POSITIONS.map(name => [name, name]),
    places: () => [
        ["none", "off"],
        ["sinusoidal", "on"],
    ],
    mask: () => Object.entries(maskNames),
    layer: () => numbered(toyWeights.layers, ""),
    head: () => numbered(toyWeights.heads, ""),
    query: words,
    key: words,
    ratio: () => RATIOS.map((ratio, i) => [i, ratio.join(" : ")]),
    base: () => BASES.map((base, i) => [i, base.toLocaleString("en")]),
});

// The switch of positions is on with any scheme; switched on again it brings back the last one.
let lastScheme = "sinusoidal";
changesOf.places = value => ({ position: value === "none" ? "none" : lastScheme });
changesOf.position = value => {
    if (value !== "none") lastScheme = value;
    return { position: value };
};
valueOf.places = () => (chosen.position === "none" ? "none" : "sinusoidal");

// ---- Sliders ----

const sliders = {
    ratio: { label: "Word : place, W1 : W2", works: () => chosen.position !== "none" },
    base: { label: "Base of the waves", works: () => hasBase(chosen.position) },
};

function makeSlider(holder) {
    const name = holder.dataset.slider;
    const input = h("input", {
        type: "range",
        id: `slider-${name}`,
        min: 0,
        max: choices[name]().length - 1,
        step: 1,
        input: event => choose({ [name]: Number(event.target.value) }),
    });
    holder.append(
        h("label", { for: input.id }, sliders[name].label, h("output", { for: input.id })),
        input,
    );
}

function fillSliders() {
    for (const holder of $$("[data-slider]")) {
        const name = holder.dataset.slider,
            works = sliders[name].works();
        const input = $("input", holder);
        input.value = chosen[name];
        input.disabled = !works;
        input.setAttribute("aria-valuetext", labelNow(name));
        $("output", holder).textContent = works ? labelNow(name) : "not used";
    }
}

// ---- Other weights ----

async function takeWeights(file) {
    if (!file) return;
    $("#file-told").textContent = `Reading ${file.name} …`;
    try {
        const weights = new Weights(new Uint8Array(await file.arrayBuffer()), file.name);
        try {
            if (weights.layers === 0) throw new Error("it has no layers");
            weights.tokens("a");
        } catch (error) {
            weights.close();
            throw error;
        }
        model.close();
        model = weights;
        Object.assign(chosen, { modelLayer: 0, modelHead: 0 });
        await showAll();
        $("#file-told").textContent = `The trained model is ${file.name} now.`;
    } catch (error) {
        $("#file-told").textContent = `${file.name} cannot be used: ${error.message}.`;
    }
}

function startFiles() {
    $("#file").addEventListener("change", event => takeWeights(event.target.files[0]));
    addEventListener("dragover", event => event.preventDefault());
    addEventListener("drop", event => {
        event.preventDefault();
        takeWeights(event.dataTransfer.files[0]);
    });
}
