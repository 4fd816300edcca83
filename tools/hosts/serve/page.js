"use strict";
// The page of encode-serve: its models are those of the server, whose /steps answers with all that the page shows.

class ServedModel {
    constructor(name) {
        this.name = name;
        this.runs = new Map();
    }

    // As tools/common/page/3-model.js has a model. What was asked before is not asked again.
    run(text, position, mask) {
        const body = { model: this.name, inputs: text, position: position || "model", mask: mask || "model" },
            key = JSON.stringify(body);
        if (this.runs.size > 100) this.runs.clear();
        if (!this.runs.has(key)) {
            this.runs.set(key, this.ask(body));
            this.runs.get(key).catch(() => this.runs.delete(key));
        }
        return this.runs.get(key);
    }

    async ask(body) {
        const steps = await ask("steps", body),
            T = steps.tokens.length;
        const bytes = n => encoder.encode([...body.inputs].slice(0, n).join("")).length;
        this.layers = steps.moved.length;
        this.heads = steps.attention.length / T / (this.layers || 1);
        this.isFixed = this.layers === 0 || steps.position === "none";
        steps.tokens = steps.tokens.map(({ id, text, start, stop }) => {
            const isUnknown = id === steps.unknown && start !== null;
            return { id, text, isUnknown, begin: bytes(start ?? 0), end: bytes(stop ?? 0) };
        });
        return steps;
    }

    // [texts][labels], and the names of these.
    async labels(texts) {
        const answer = await ask("predict", { model: this.name, inputs: texts.map(text => [text]) }),
            names = answer[0].map(({ label }) => label).sort();
        return { names, scores: answer.map(labels => names.map(name => labels.find(({ label }) => label === name).score)) };
    }
}

async function ask(path, body) {
    const headers = { "Content-Type": "application/json" };
    if ($("#key").value) headers.Authorization = `Bearer ${$("#key").value}`;
    const answer = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body) }).catch(() => {
        throw new Error("The server does not answer.");
    });
    const value = await answer.json();
    if (answer.status === 401) $("#key-asked").hidden = false;
    if (!answer.ok) throw new Error(value.error.message ?? value.error);
    return value;
}

let names = []; // of the server's models

Object.assign(choices, {
    model: () => names.map(name => [name, name]),
    position: () => [
        ["", "as trained"],
        ["none", "off"],
    ],
    mask: () => [
        ["", "as trained"],
        ["full", "full"],
        ["causal", "look-ahead"],
    ],
});

changesOf.model = name => {
    model = new ServedModel(name);
    return { model: name, modelLayer: 0, modelHead: 0, position: "", mask: "" };
};

let movedText = "";

const page = {
    beginning: () => ({ sentence: 0, ...firstOf(0), modelLayer: 0, modelHead: 0, position: "", mask: "" }),
    pause: () => new Promise(done => setTimeout(done, 150)), // of who types
    moved: () => movedText,
    show(state, [first, other]) {
        const { vector, has_labels: labels } = first,
            has = { model: true, layers: model.layers > 0, positions: !model.isFixed, vector, labels };
        has.unknown = [first, other].some(({ tokens }) => tokens.some(token => token.isUnknown));
        for (const part of $$("[data-needs]")) part.hidden = !has[part.dataset.needs];
        Object.assign(state.model, { vectors: [], labels: [], labelNames: [] });
        movedText =
            isFirst(chosen.order) ? "This is the first order; move a word."
            : vector ? `Moved: the cosine of the vector with that of the first order is ${shown(cosine(vector, other.vector), 3)}.`
            : "";
    },
    async showLater(state, runs) {
        if (runs[0].vector) showVectors(state, runs.map(run => run.vector));
        if (!runs[0].has_labels) return;
        const { names, scores } = await model.labels(state.model.sentences);
        Object.assign(state.model, { labels: scores, labelNames: names });
    },
};

function showVectors(state, vectors) {
    const WIDE = 64,
        size = 7,
        most = Math.max(...vectors.flat().map(Math.abs)) || 1;
    state.model.vectors = vectors.map(vector => vector.slice(0, 6));
    $("#vector-figure .picture").replaceChildren(
        ...vectors.map((vector, i) => {
            const lines = range(Math.ceil(vector.length / WIDE)).map(line => vector.slice(line * WIDE, (line + 1) * WIDE)),
                label = `The vector of “${state.model.sentences[i]}”, ${vector.length} numbers`;
            return h(
                "div",
                {},
                h("p", { class: "small" }, label),
                svg(
                    "svg",
                    { viewBox: `0 0 ${WIDE * size} ${lines.length * size}`, role: "img", "aria-label": label },
                    heat(scale(lines, 1 / most), 0, 0, size),
                ),
            );
        }),
    );
}

async function openModels() {
    document.body.dataset.busy = "yes";
    try {
        names = (await ask("v1/models")).data.map(({ id }) => id);
        Object.assign(chosen, changesOf.model(names[0]));
        showAll();
    } catch (error) {
        fail(error, round);
    }
}

sentences = ["I ride bike", "You cycle to work", "Bread is baked at night"].map(text => text.split(" "));
chosen = page.beginning();
document.documentElement.classList.add("js");
wrapTables();
startChain();
startControls();
$("#key").addEventListener("change", openModels);
$("#own").addEventListener("submit", event => event.preventDefault());
openModels();
