// Makes the calls of a table, see language.sh: node node_uses.mjs CASES FOLDER
import { readFileSync, writeFileSync } from 'node:fs';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const start = performance.now();
const { Encoder, EngineError } = await import(`${process.env.TREE}/tools/hosts/node/index.mjs`);
const lines = (file) => readFileSync(file, 'utf8').split('\n').slice(0, -1);
const bytes = (rows) => Buffer.concat(rows.map((row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength)));
const memory = async () => { // what is collected is freed when the event loop turns
    for (let i = 0; i < 3; i++) { globalThis.gc?.(); await new Promise((turn) => setTimeout(turn, 20)); }
    return Number(readFileSync('/proc/self/statm', 'utf8').split(' ')[1]) * 4096;
};

const calls = {
    encode: (e, file, o) => bytes(e.encode(lines(file), o)),
    pairs: (e, file, o) => bytes(e.encode(lines(file).map((line) => line.split('\t')), o)),
    ids: (e, file, o) => bytes(e.encode(lines(file).map((line) => ({ ids: line.split(' ').map(Number) })), o)),
    labels: (e, file, o) => {
        const n = e.labels.length, rows = e.classify(lines(file), o).flatMap((row) =>
            Array.from({ length: row.length / n }, (_, i) => Math.max(...row.subarray(i * n, (i + 1) * n))));
        return bytes([Float32Array.from(rows)]);
    },
    rank: (e, file, o) => {
        const [query, ...texts] = lines(file), scores = new Float32Array(texts.length);
        for (const { index, score } of e.rank(query, texts, o)) scores[index] = score;
        return bytes([scores]);
    },
    tokens: (e, file) => e.tokenize(lines(file)[0]).map((t) => `${t.id} ${t.begin} ${t.end}\n`).join(''),
    search: (e, file) => {
        const rows = e.encode(lines(file)), hits = e.search(rows, rows, { k: 3 }).flat(), out = Buffer.alloc(12 * hits.length);
        hits.forEach(({ row, score }, i) => (out.writeBigUInt64LE(BigInt(row), 12 * i), out.writeFloatLE(score, 12 * i + 8)));
        return out;
    },
    threads: async (e, file) => { // on other threads by encodeAsync, and in workers, each with an encoder
        const texts = lines(file), expected = bytes(e.encode(texts));
        const found = await Promise.all(Array.from({ length: 32 }, () => e.encodeAsync(texts)));
        const workers = await Promise.all([1, 2].map(() => new Promise((done, fail) =>
            new Worker(new URL(import.meta.url), { workerData: texts }).on('message', done).on('error', fail))));
        const wrong = [...found.map(bytes), ...workers.map((w) => Buffer.from(w))].filter((b) => !b.equals(expected));
        return wrong.length ? `${wrong.length} differ\n` : 'same\n';
    },
    cancel: async (e, file) => {
        const stop = new AbortController();
        let turns = 0;
        const timer = setInterval(() => (turns++, turns === 5 && stop.abort()), 4); // the event loop goes on
        await e.encodeAsync(lines(file), { signal: stop.signal }).then(() => { throw new Error('not cancelled'); },
            (error) => { if (error.name !== 'AbortError') throw error; });
        clearInterval(timer);
        e.encode('usable');
        return 'error 12 -1\n';
    },
    many: async (e) => {
        const n = Number(process.env.MANY);
        let before = 0;
        for (let i = 0; i < n; i++) {
            if (i === n >> 1) before = await memory();
            e.encode('I ride bike');
        }
        const grown = await memory() - before;
        return grown < 16 << 20 ? 'flat\n' : `${grown} bytes more\n`;
    },
    closed: (e) => {
        const other = new Encoder(process.env.ENCODE_MODEL);
        other.close();
        other.close();
        try { other.encode('a'); } catch { return 'closed\n'; }
        return 'open\n';
    },
    speed: (e, file) => {
        const texts = lines(file), begin = performance.now();
        for (let i = 0; i < 50; i++) texts.forEach((text) => e.encode(text));
        return `${first.toFixed(1)} ms, ${((performance.now() - begin) * 20 / texts.length).toFixed(0)} µs\n`;
    },
};

let first = 0;
if (!isMainThread) parentPort.postMessage(bytes(new Encoder().encode(workerData)));
else {
    const encoders = {};
    new Encoder().encode('I ride bike');
    first = performance.now() - start;
    for (const line of lines(process.argv[2])) {
        const [call, out, model, role, dimensions, normalize, prompt, onLong, file] = line.split('\t');
        const options = { role, dimensions: Number(dimensions), normalize: normalize === '1', onLong, ...(prompt !== '-' && { prompt }) };
        let answer;
        try {
            encoders[model] ??= new Encoder(model);
            answer = await calls[call](encoders[model], file, options);
        } catch (error) {
            if (!(error instanceof EngineError)) throw error;
            answer = `error ${error.status} ${error.index ?? -1} ${error.message}\n`;
        }
        writeFileSync(`${process.argv[3]}/${out}`, answer);
    }
}
