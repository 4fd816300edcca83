// Encoder: a model from texts to vectors, tokens, labels and ranks. index.d.mts is made of this by tsc.
import { C, EngineError, bytesAt, call, engine, folder, read, sizeOf, struct, textOf } from './library.mjs';

export { EngineError };
/** @type {string} */
export const version = engine.engine_version();
const namesOf = (prefix) => Object.fromEntries(Object.entries(C).filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => [name.slice(prefix.length).toLowerCase(), value]));
const ROLES = namesOf('ENGINE_ROLE_'), ON_LONG = namesOf('ENGINE_ON_LONG_'), METRICS = namesOf('ENGINE_METRIC_');
const pointer = () => new BigUint64Array(1);
const utf8 = (value) => (value === undefined ? undefined : Buffer.from(`${value}\0`));
function choice(name, choices, value) {
    if (value in choices) return choices[value];
    throw new TypeError(`${name} is ${value}: choose ${Object.keys(choices).join(', ')}`);
}

/** @typedef {string | [string, string] | { ids: ArrayLike<number>, types?: ArrayLike<number>, mask?: ArrayLike<number> }} Input
 * A text, a pair of texts, or token ids.
 * @typedef {object} Options
 * @property {'text' | 'query' | 'document'} [role] chooses the model's prompt for it
 * @property {string} [prompt] one of the model's, by its name ('': none)
 * @property {string} [promptText] a prompt of your own
 * @property {number} [dimensions] only so many first columns
 * @property {boolean} [normalize] scale vectors to length 1
 * @property {'model' | 'truncate' | 'error'} [onLong] what becomes of a text that is longer than the model takes */

function inputOf(item, i) {
    if (typeof item === 'string') return { text: utf8(item), text_len: Buffer.byteLength(item) };
    if (Array.isArray(item) && item.length === 2)
        return { ...inputOf(item[0]), pair: utf8(item[1]), pair_len: Buffer.byteLength(item[1]) };
    if (!item?.ids) throw new TypeError(`texts[${i}] is neither a string, nor two strings, nor { ids }`);
    const { ids, types, mask } = item;
    if ([types, mask].some((given) => given && given.length !== ids.length))
        throw new TypeError(`texts[${i}]: types and mask have a number for each id`);
    return { n_ids: ids.length, ids: Int32Array.from(ids), types: types && Int32Array.from(types), mask: mask && Uint8Array.from(mask) };
}
function inputsOf(items) { // an array of engine_input, with what it points to
    const made = items.map((item, i) => struct('engine_input', inputOf(item, i)));
    return Object.assign(Buffer.concat([...made, Buffer.alloc(1)]), { kept: made });
}
/** @param {any} options */
const optionsOf = ({ role = 'text', onLong = 'model', prompt, promptText, dimensions, normalize, ...members }) =>
    struct('engine_encode_options', { ...members, dimensions, normalize: normalize ? 1 : 0, prompt: utf8(prompt),
        prompt_text: utf8(promptText), prompt_len: promptText && Buffer.byteLength(promptText),
        role: choice('role', ROLES, role), on_long: choice('onLong', ON_LONG, onLong) });

function free(held) { // what an encoder had: when it is closed, or forgotten
    held.sessions.splice(0).forEach(engine.engine_session_free);
    if (!held.busy.size) engine.engine_model_close(held.model), (held.model = 0n);
}
const forgotten = new FinalizationRegistry(free);

/** A model, opened from a weight file (default: the environment's ENCODE_MODEL, else the default weights). */
export class Encoder {
    #held = { model: 0n, sessions: [], busy: new Set() }; // busy: what calls use that have not ended

    /** @param {string} [path] @param {{ threads?: number }} [options] threads of each call; 0: all CPUs */
    constructor(path, { threads = 0 } = {}) {
        const file = path ?? process.env.ENCODE_MODEL ?? `${folder}/default.weights`;
        const model = pointer(), info = struct('engine_info'), shape = struct('engine_shape');
        call(engine.engine_model_open, utf8(file), null, model);
        [this.#held.model] = model;
        forgotten.register(this, this.#held, this);
        call(engine.engine_model_info, model[0], info);
        engine.engine_shape_of(model[0], optionsOf({ prompt: '' }), shape, null);
        Object.assign(this.#held, { threads, metric: read('engine_shape', shape).metric });
        const { name, n_labels, max_text_tokens, output_width } = read('engine_info', info);
        /** @type {{ name: string, width: number, maxTokens: number }} maxTokens: of a text */
        this.info = { name, width: output_width, maxTokens: max_text_tokens };
        /** @type {string[]} */ this.labels = Array.from({ length: n_labels }, (_, i) => engine.engine_label(model[0], i) ?? `LABEL_${i}`);
    }

    /** Frees the model when the calls that run have ended; a forgotten encoder does so by itself. */
    close() {
        this.#held.closed = true;
        free(this.#held);
        forgotten.unregister(this);
    }

    get #model() {
        if (this.#held.closed) throw new TypeError('the encoder is closed: make another one');
        return this.#held.model;
    }

    #begin(given) {
        const model = this.#model, session = pointer(), { sessions, threads } = this.#held;
        if (sessions.length) session[0] = sessions.pop();
        else call(engine.engine_session_new, model, struct('engine_session_options', { n_threads: threads }), session);
        const running = { session: session[0], given };
        this.#held.busy.add(running);
        return running;
    }

    #end(running, status, accept) {
        const error = status && bytesAt(engine.engine_session_error(running.session), sizeOf('engine_error'));
        this.#held.busy.delete(running);
        this.#held.sessions.push(running.session);
        if (this.#held.closed) free(this.#held);
        if (error && status !== accept) throw new EngineError(status, error);
        return status;
    }

    #call(f, given, accept = 0, running = this.#begin(given)) {
        return this.#end(running, f(running.session, ...given), accept);
    }

    async #callAsync(f, given, signal) {
        signal?.throwIfAborted();
        const running = this.#begin(given); // an interrupt before the call has begun is lost: it is repeated
        const timer = signal && setInterval(() => signal.aborted && engine.engine_session_interrupt(running.session), 5);
        const status = await new Promise((done) => f.async(running.session, ...given, (_, result) => done(result)));
        clearInterval(timer);
        this.#end(running, status, C.ENGINE_ERROR_INTERRUPTED);
        if (status) throw signal.reason;
    }

    #prepare(texts, options, pooling = C.ENGINE_POOLING_TEXT) { // the arguments of engine_encode, and a function for its rows afterwards
        const items = typeof texts === 'string' ? [texts] : texts, n = items.length, inputs = inputsOf(items);
        const settings = optionsOf({ ...options, pooling }), found = struct('engine_shape');
        call(engine.engine_shape_of, this.#model, settings, found);
        const { width, per_token } = read('engine_shape', found), needed = pointer();
        const results = Buffer.alloc(n * sizeOf('engine_result') + 1), given = [inputs, n, settings];
        if (per_token) this.#call(engine.engine_encode, [...given, null, 0, needed, results], C.ENGINE_ERROR_BUFFER);
        const out = new Float32Array(per_token ? Number(needed[0]) : n * width);
        const start = (i) => (i === n ? out.length : width * (per_token ? read('engine_result', results, i).row : i));
        const row = (i) => out.subarray(start(i), start(i + 1));
        return { given: [...given, out, out.length, needed, results], rows: () => (texts === items ? items.map((_, i) => row(i)) : row(0)) };
    }

    /** Vectors of texts, views of one Float32Array; of one text its vector.
     * @template {string | Input[]} T @param {T} texts @param {Options} [options]
     * @returns {T extends string ? Float32Array : Float32Array[]} */
    encode(texts, options = {}) {
        return this.#rows(texts, options);
    }

    #rows(texts, options, pooling = undefined) {
        const { given, rows } = this.#prepare(texts, options, pooling);
        this.#call(engine.engine_encode, given);
        return rows();
    }

    /** The same off the event loop. An AbortSignal interrupts it within a step of a layer.
     * @template {string | Input[]} T @param {T} texts @param {Options & { signal?: AbortSignal }} [options]
     * @returns {Promise<T extends string ? Float32Array : Float32Array[]>} */
    async encodeAsync(texts, { signal, ...options } = {}) {
        const { given, rows } = this.#prepare(texts, options);
        await this.#callAsync(engine.engine_encode, given, signal);
        return rows();
    }

    /** Scores of `labels` for each text, in their order; of a model that labels tokens, those of all its tokens.
     * @template {string | Input[]} T @param {T} texts @param {Options} [options]
     * @returns {T extends string ? Float32Array : Float32Array[]} */
    classify(texts, options = {}) {
        return this.#rows(texts, options, C.ENGINE_POOLING_LABELS);
    }

    /** Texts by how well they answer a query, best first: by cross-encoder or vectors, as the model does it.
     * @param {string} query @param {string[]} texts @param {Options & { top?: number }} [options] */
    rank(query, texts, { top, ...options } = {}) {
        const scores = new Float32Array(texts.length), settings = optionsOf({ n_cut: pointer(), ...options });
        this.#call(engine.engine_rank, [inputsOf([query]), inputsOf(texts), texts.length, settings, scores]);
        return Array.from(scores, (score, index) => ({ index, score })).sort((a, b) => b.score - a.score || a.index - b.index).slice(0, top);
    }

    /** Tokens of a text, uncut; begin and end are offsets in its UTF-8. @param {Input} text @param {Options} [options]
     * @returns {{ text: string, id: number, begin: number, end: number, special: boolean, inPair: boolean }[]} */
    tokenize(text, options = {}) {
        const given = [inputsOf([text]), optionsOf({ prompt: '', ...options })], needed = pointer().fill(64n);
        let tokens;
        do tokens = Buffer.alloc(Number(needed[0]) * sizeOf('engine_token'));
        while (this.#call(engine.engine_tokenize, [...given, tokens, needed[0], needed, null], C.ENGINE_ERROR_BUFFER));
        return Array.from({ length: Number(needed[0]) }, (_, i) => {
            const { id, begin, end, special, in_pair } = read('engine_token', tokens, i);
            return { text: textOf(this.#model, id), id, begin, end, special: special > 0, inPair: in_pair > 0 };
        });
    }

    /** Score of two vectors, by the model's metric: the larger, the nearer. @param {Float32Array} a @param {Float32Array} b
     * @returns {number} */
    similarity(a, b) {
        if (a.length === b.length) return engine.engine_similarity(this.#held.metric, a, b, a.length);
        throw new TypeError(`vectors have ${a.length} and ${b.length} columns`);
    }

    /** The k nearest rows of each query, exactly, best first. metric: by default the model's.
     * @param {Float32Array[]} rows @param {Float32Array[]} queries @param {{ k?: number, metric?: 'cosine' | 'dot' | 'euclidean' | 'manhattan' }} [options]
     * @returns {{ row: number, score: number }[][]} */
    search(rows, queries, { k = 10, metric } = {}) {
        const width = rows[0]?.length ?? 0, count = Math.min(k, rows.length);
        if ([...rows, ...queries].some((row) => row.length !== width)) throw new TypeError('vectors have different widths');
        const flat = (list) => Float32Array.from(list.flatMap((row) => Array.from(row)));
        const hits = Buffer.alloc(queries.length * count * sizeOf('engine_hit') + 1);
        const chosen = metric === undefined ? this.#held.metric : choice('metric', METRICS, metric);
        if (count) call(engine.engine_search, struct('engine_vectors', { rows: flat(rows), n: rows.length, width }), flat(queries),
            queries.length, count, struct('engine_search_options', { metric: chosen, n_threads: this.#held.threads }), hits);
        return queries.map((_, q) => Array.from({ length: count }, (_, i) => read('engine_hit', hits, q * count + i)));
    }
}
