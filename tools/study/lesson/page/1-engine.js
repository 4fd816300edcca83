"use strict";
// The engine of this page, engine/plain/ as WebAssembly, and what the page asks it. All numbers of models come from it;
// what is worked out here is what a reader could check by hand: a sum of shown numbers, a mean, a distance.

const data = JSON.parse(document.getElementById("data").textContent);

// ---- Bytes, texts and numbers of the engine ----

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
let wasm = null; // what it exports
let taken = null; // where results go that it hands over

async function embedded(id) {
    const text = atob(document.getElementById(id).textContent);
    const packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

function textOf(at, length) {
    const bytes = new Uint8Array(wasm.memory.buffer, at);
    return decoder.decode(bytes.subarray(0, length ?? bytes.indexOf(0)));
}

function put(bytes) {
    const at = wasm.malloc(bytes.length + 1);
    if (at === 0) throw new Error("the browser has no memory for it");
    const room = new Uint8Array(wasm.memory.buffer, at, bytes.length + 1);
    room.set(bytes);
    room[bytes.length] = 0;
    return at;
}

// Calls an exported function. Texts and arrays of numbers are put into its memory for the call.
function call(name, ...values) {
    const held = [];
    const lend = bytes => held[held.push(put(bytes)) - 1];
    const given = values.map(value =>
        typeof value === "string" ? lend(encoder.encode(value))
        : value instanceof Int32Array ? lend(new Uint8Array(value.buffer))
        : value);
    const result = wasm[name](...given);
    held.forEach(wasm.free);
    return result;
}

// The general categories of Unicode, in utf8proc's order.
const CATEGORIES = "Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co"
    .split(" ")
    .map(name => new RegExp(`\\p{${name}}`, "u"));

const lent = {
    env: {
        page_step: (what, at, n, width) => taken.step(textOf(what), at, n, width),
        page_token: (id, at, length, begin, end) => taken.token({ id, text: textOf(at, length), begin, end }),
        utf8proc_category: c => CATEGORIES.findIndex(category => category.test(String.fromCodePoint(c))),
        utf8proc_tolower: c => String.fromCodePoint(c).toLowerCase().codePointAt(0),
        utf8proc_decompose_char: (c, at, cap) => {
            const parts = [...String.fromCodePoint(c).normalize("NFD")].map(part => part.codePointAt(0));
            new Int32Array(wasm.memory.buffer, at, cap).set(parts.slice(0, cap));
            return parts.length;
        },
        utf8proc_encode_char: (c, at) =>
            encoder.encodeInto(String.fromCodePoint(c), new Uint8Array(wasm.memory.buffer, at, 4)).written,
        utf8proc_iterate: (at, n, to) => {
            const [first] = new Uint8Array(wasm.memory.buffer, at, 1),
                length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
            new Int32Array(wasm.memory.buffer, to, 1)[0] = textOf(at, length).codePointAt(0);
            return length;
        },
    },
    // Of the C library: it has no files, and the engine exits when memory ends.
    wasi_snapshot_preview1: {
        fd_close: () => 8,
        fd_seek: () => 8,
        fd_write: () => 8,
        proc_exit: () => {
            throw new Error("the browser has no memory for it");
        },
    },
};

// ---- Weight files ----

// Steps that have the same name in every layer.
const inLayer = (what, layer) => (layer === 0 ? what : `${what}, layer ${layer}`);

class Weights {
    constructor(bytes, name) {
        this.name = name;
        this.at = wasm.open(put(bytes), bytes.length);
        if (this.at === 0) throw new Error(textOf(wasm.error_text()));
        this.runs = new Map();
    }

    close() {
        wasm.close(this.at);
    }

    get layers() {
        return Number(this.setting("layers"));
    }

    get heads() {
        return Number(this.setting("heads"));
    }

    setting(key) {
        const at = call("setting", this.at, key);
        return at === 0 ? "" : textOf(at);
    }

    // What a call hands over: matrices by their names, of those that are wanted.
    collect(wanted, name, ...values) {
        const steps = {},
            seen = {};
        taken = {
            step: (what, at, n, width) => {
                if (wanted && !wanted.includes(what)) return;
                const numbers = new Float64Array(wasm.memory.buffer, at, n * width);
                seen[what] = (seen[what] ?? -1) + 1;
                steps[inLayer(what, seen[what])] = Array.from({ length: n }, (_, i) => [...numbers.subarray(i * width, (i + 1) * width)]);
            },
        };
        if (call(name, this.at, ...values) === 0) throw new Error(textOf(wasm.error_text()));
        return steps;
    }

    tensor(name) {
        return this.collect(null, "tensor", name)[name];
    }

    positions(n, position = "", base = 0, scale = 1) {
        const width = Number(this.setting("embedding_width") || this.setting("width"));
        return this.collect(null, "positions", n, width, position, base, scale).positions;
    }

    tokens(text) {
        const tokens = [];
        taken = { token: token => tokens.push(token) };
        if (!call("tokenize", this.at, text)) throw new Error(textOf(wasm.error_text()));
        return tokens;
    }

    // Every step of ids, or those wanted; of what was asked before, the same again.
    encode(ids, { position = "", mask = "", base = 0, w1 = -1, w2 = -1 }, wanted = null) {
        const key = [ids, position, mask, base, w1, w2].join("/");
        if (!this.runs.has(key)) {
            if (this.runs.size > 100) this.runs.clear();
            const numbers = Int32Array.from(ids);
            this.runs.set(key, this.collect(wanted, "encode", numbers, ids.length, position, mask, base, w1, w2));
        }
        return this.runs.get(key);
    }

    // As tools/common/page/3-model.js has a model.
    run(text, position, mask) {
        const tokens = this.tokens(text),
            T = tokens.length;
        const { hidden, attention, vector } = this.encode(
            tokens.map(token => token.id),
            { position, mask },
            ["hidden", "attention", "vector"],
        );
        const states = range(this.layers + 1).map(l => hidden.slice(l * T, (l + 1) * T)),
            moved = states.slice(1).map((rows, l) => rows.map((row, t) => distance(row, states[l][t])));
        return { tokens, attention, norms: states.map(rows => rows.map(length)), moved, vector: vector[0] };
    }
}

let toyWeights, schemeWeights;

async function openEngine() {
    const { instance } = await WebAssembly.instantiate(await embedded("engine"), lent);
    wasm = instance.exports;
    wasm._initialize?.();
    toyWeights = new Weights(await embedded("toy"), "toy");
    schemeWeights = new Weights(await embedded("schemes"), "schemes");
    model = new Weights(await embedded("weights"), data.file);
}

// ---- Arithmetic ----
const mean = row => row.reduce((sum, value) => sum + value, 0) / row.length;
const columns = (matrix, begin, n) => matrix.map(row => row.slice(begin, begin + n));
const largestDifference = (a, b) => Math.max(...a.map((value, i) => Math.abs(value - b[i])));

// ---- What is chosen ----
// query and key are numbers of words: who follows a word follows it wherever it is dragged.

const RATIOS = [[1, 10], [1, 2], [1, 1], [2, 1], [10, 1]],
    BASES = [10, 100, 10000],
    POSITIONS = ["none", "sinusoidal", "learned", "index", "binary", "fourier", "exponential"];

const beginning = () => ({
    sentence: 0,
    ...firstOf(0),
    layer: 0,
    head: 0,
    modelLayer: 0,
    modelHead: 0,
    position: "sinusoidal",
    ratio: 2,
    base: 2,
    mask: "full",
});

const hasBase = position => position === "sinusoidal" || position === "exponential";

// ---- The toy ----

// Its vocabulary is the words of all sentences: each new word takes the next row of the table.
const toyWords = () => [...new Set(sentences.flat())];
const toyIds = order => order.map(word => toyWords().indexOf(sentenceNow()[word]));

function toySettings() {
    const [w1, w2] = RATIOS[chosen.position === "none" ? 2 : chosen.ratio];
    return { position: chosen.position, mask: modelMask(), base: hasBase(chosen.position) ? BASES[chosen.base] : 0, w1, w2 };
}

const toyRun = order => toyWeights.encode(toyIds(order), toySettings());
const toyNumber = key => Number(toyWeights.setting(key));

// Parameters of the chosen layer and head, as the page shows them.
function headWeights() {
    const of = name => toyWeights.tensor(`layers.${chosen.layer}.${name}`),
        vector = name => of(name).map(([value]) => value);
    const K = toyNumber("width") / toyNumber("heads"),
        first = chosen.head * K;
    return {
        wq: of("attention.qkv.weight").slice(first, first + K),
        bq: vector("attention.qkv.bias").slice(first, first + K),
        wo: of("attention.output.weight"),
        gamma: vector("attention.norm.weight"),
        beta: vector("attention.norm.bias"),
        w1: of("feed_forward.in.weight"),
        b1: vector("feed_forward.in.bias"),
    };
}

// A row and a column for the place that holds no word.
function padded(matrix, value) {
    if (chosen.mask !== "padding") return matrix;
    return [...matrix.map(row => [...row, value]), [...matrix[0].map(() => value), value]];
}

// The steps inside the chosen layer, and of the chosen head.
function layerState(run) {
    const l = chosen.layer,
        name = `layers.${l}`,
        D = toyNumber("width"),
        K = D / toyNumber("heads"),
        first = chosen.head * K,
        T = run.last.length;
    const qkv = run[`${name}.attention.qkv: x·Wᵀ + b`],
        sum = run[inLayer("x + attention", l)];
    const [q, k, v] = [0, 1, 2].map(part => columns(qkv, part * D + first, K));
    return {
        x: run.hidden.slice(l * T, (l + 1) * T),
        q,
        k,
        v,
        masked: padded(run[`${name} head ${chosen.head}: scale · q·kᵀ + bias`], -Infinity),
        weights: padded(run[`${name} head ${chosen.head}: softmax(scale · q·kᵀ + bias)`], 0),
        heads: run[inLayer("heads side by side: probabilities · v", l)],
        head: columns(run[inLayer("heads side by side: probabilities · v", l)], first, K),
        output: run[`${name}.attention.output: x·Wᵀ + b`],
        sum,
        mean: sum.map(mean),
        variance: sum.map(row => mean(row.map(value => (value - mean(row)) ** 2))),
        normed: run[`${name}.attention.norm: LayerNorm(x)`],
        middle: run[inLayer("activated, times the gate if there is one", l)],
        fed: run[`${name}.feed_forward.out: x·Wᵀ + b`],
        sum2: run[inLayer("x + feed-forward", l)],
        out: run.hidden.slice((l + 1) * T, (l + 2) * T),
    };
}

// All that the elements of the page ask for by name.
function toyState() {
    const { order } = chosen,
        words = order.map(word => sentenceNow()[word]),
        run = toyRun(order),
        table = toyWeights.tensor("embedding.token.weight"),
        { position, base, w2 } = toySettings(),
        n = words.length;
    return {
        words,
        order,
        places: chosen.mask === "padding" ? [...words, "[pad]"] : words,
        ids: toyIds(order).map(id => [id]),
        rows: toyIds(order).map(id => table[id]),
        toy: {
            table: table.slice(0, toyWords().length),
            vocabulary: toyWords(),
            head_width: toyNumber("width") / toyNumber("heads"),
        },
        token: run["scale · token + type"],
        place: toyWeights.positions(n, position, base, w2),
        embedded: run["+ position"],
        ...headWeights(),
        ...layerState(run),
        first: run.hidden.slice(n, 2 * n),
        last: run.last,
        mean_vector: run.mean[0],
        length: length(run.mean[0]),
        pooled: run.vector[0],
        pools: [run.mean[0], run.vector[0]],
        poolNames: ["mean", "length 1"],
    };
}

// How far a word's last row is from the one it has in the first order: the largest difference of its numbers.
function moved(order, word) {
    const now = toyRun(order).last[order.indexOf(word)],
        value = largestDifference(now, toyRun(range(order.length)).last[word]);
    return value < 1e-9 ? 0 : value;
}

const mostMoved = order => Math.max(...order.map(word => moved(order, word)));
