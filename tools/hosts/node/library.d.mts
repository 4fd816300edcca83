export declare const folder: string;
/** @type {Record<string, number>} values of enums */
export declare const C: Record<string, number>;
export declare const sizeOf: (name: any) => any;
/** @type {Record<string, any>} */
export declare const engine: Record<string, any>;
/** A struct with these members, others 0. A buffer is stored as its address, and kept with the struct. */
export declare function struct(name: any, members?: {}): Buffer<ArrayBuffer> & {
    kept: {};
};
/** The members of the index-th struct in a buffer; char [] and char * are read as strings.
 * @returns {any} */
export declare function read(name: any, buffer: any, index?: number): any;
export declare const bytesAt: (address: any, length: any) => Buffer<ArrayBuffer>;
/** An error of the library: its words, `status`, a number of engine_status, and `index`, of the text that caused it. */
export declare class EngineError extends Error {
    status: any;
    /** @type {number | undefined} */ index: number | undefined;
    constructor(status: any, error: any);
}
/** Calls a function whose last argument is an engine_error. */
export declare function call(f: any, ...given: any[]): void;
/** The text of an id. */
export declare function textOf(model: any, id: any): string;
