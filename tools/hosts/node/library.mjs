// The C library by koffi: functions, structs and constants as engine.json describes them, and errors.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import koffi from 'koffi';

const here = fileURLToPath(new URL('.', import.meta.url));
export const folder = process.env.LIBENGINE_FOLDER || `${here}bundled`; // libengine.so.1, default.weights, engine.json
const first = (...paths) => paths.find(existsSync);
const api = JSON.parse(readFileSync(first(`${folder}/engine.json`, `${here}../api/engine.json`), 'utf8'));
koffi.config({ async_stack_size: 1 << 19 }); // the library needs 128 KB
const library = koffi.load(first(`${folder}/libengine.so.1`) ?? 'libengine.so.1');

/** @type {Record<string, number>} values of enums */
export const C = Object.fromEntries(api.enums.flatMap((kind) => kind.values.map((v) => [v.name, v.value])));
const structs = Object.fromEntries(api.structs.map((struct) => [struct.name, struct]));
export const sizeOf = (name) => structs[name].bytes;

// Pointers are buffers or addresses; enums are int.
const PLAIN = ['void', 'size_t', 'uint64_t', 'int32_t', 'double', 'float'];
const kindOf = (type) => (type.includes('*') ? 'void *' : PLAIN.includes(type) ? type : 'int');
const byValue = (f) => [f.result, ...f.arguments.map((a) => a.type)].some((type) => type in structs); // engine_fuse
/** @type {Record<string, any>} */
export const engine = Object.fromEntries(api.functions.filter((f) => !byValue(f)).map((f) => [f.name,
    library.func(f.name, f.result === 'const char *' ? 'str' : kindOf(f.result), f.arguments.map((a) => kindOf(a.type)))]));
const accessOf = (m) => (m.type === 'float' ? 'Float32' : m.type === 'double' ? 'Float64' : { 1: 'Uint8', 4: 'Int32', 8: 'BigUint64' }[m.bytes]);

/** A struct with these members, others 0. A buffer is stored as its address, and kept with the struct. */
export function struct(name, members = {}) {
    const { bytes, members: known } = structs[name], result = Buffer.alloc(bytes);
    const view = new DataView(result.buffer, result.byteOffset);
    for (const m of known) {
        const value = m.name === 'struct_bytes' ? bytes : members[m.name];
        if (value === undefined) continue;
        const stored = ArrayBuffer.isView(value) ? koffi.address(value) : value;
        view[`set${accessOf(m)}`](m.offset, m.bytes === 8 && m.type !== 'double' ? BigInt(stored) : stored, true);
    }
    return Object.assign(result, { kept: members });
}

/** The members of the index-th struct in a buffer; char [] and char * are read as strings.
 * @returns {any} */
export function read(name, buffer, index = 0) {
    const { bytes, members } = structs[name], view = new DataView(buffer.buffer, buffer.byteOffset + index * bytes, bytes);
    return Object.fromEntries(members.map((m) => {
        if (m.type === 'char') return [m.name, koffi.decode(koffi.address(buffer) + BigInt(index * bytes + m.offset), 'char', -1)];
        const value = view[`get${accessOf(m)}`](m.offset, true);
        return [m.name, m.type !== 'const char *' ? Number(value) : value && koffi.decode(value, 'char', -1)];
    }));
}
export const bytesAt = (address, length) => Buffer.from(koffi.view(address, length));

/** An error of the library: its words, `status`, a number of engine_status, and `index`, of the text that caused it. */
export class EngineError extends Error {
    constructor(status, error) {
        const { message, input } = read('engine_error', error);
        super(message || engine.engine_status_name(status));
        this.name = 'EngineError'; this.status = status;
        /** @type {number | undefined} */ this.index = input < Number.MAX_SAFE_INTEGER ? input : undefined;
    }
}

/** Calls a function whose last argument is an engine_error. */
export function call(f, ...given) {
    const error = Buffer.alloc(sizeOf('engine_error')), status = f(...given, error);
    if (status) throw new EngineError(status, error);
}

/** The text of an id. */
export function textOf(model, id) {
    const found = new BigUint64Array(2);
    const status = engine.engine_token_text(model, id, found.subarray(0, 1), found.subarray(1));
    return status ? '' : bytesAt(found[0], Number(found[1])).toString();
}
