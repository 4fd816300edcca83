import { EngineError } from './library.mjs';
export { EngineError };
/** @type {string} */
export declare const version: string;
export type Input = string | [string, string] | {
    ids: ArrayLike<number>;
    types?: ArrayLike<number>;
    mask?: ArrayLike<number>;
};
export type Options = {
    /**
     * chooses the model's prompt for it
     */
    role?: 'text' | 'query' | 'document';
    /**
     * one of the model's, by its name ('': none)
     */
    prompt?: string;
    /**
     * a prompt of your own
     */
    promptText?: string;
    /**
     * only so many first columns
     */
    dimensions?: number;
    /**
     * scale vectors to length 1
     */
    normalize?: boolean;
    /**
     * what becomes of a text that is longer than the model takes
     */
    onLong?: 'model' | 'truncate' | 'error';
};
/** A model, opened from a weight file (default: the environment's ENCODE_MODEL, else the default weights). */
export declare class Encoder {
    #private;
    /** @type {{ name: string, width: number, maxTokens: number }} maxTokens: of a text */
    info: {
        name: string;
        width: number;
        maxTokens: number;
    };
    /** @type {string[]} */ labels: string[];
    /** @param {string} [path] @param {{ threads?: number }} [options] threads of each call; 0: all CPUs */
    constructor(path?: string, { threads }?: {
        threads?: number;
    });
    /** Frees the model when the calls that run have ended; a forgotten encoder does so by itself. */
    close(): void;
    /** Vectors of texts, views of one Float32Array; of one text its vector.
     * @template {string | Input[]} T @param {T} texts @param {Options} [options]
     * @returns {T extends string ? Float32Array : Float32Array[]} */
    encode<T extends string | Input[]>(texts: T, options?: Options): T extends string ? Float32Array : Float32Array[];
    /** The same off the event loop. An AbortSignal interrupts it within a step of a layer.
     * @template {string | Input[]} T @param {T} texts @param {Options & { signal?: AbortSignal }} [options]
     * @returns {Promise<T extends string ? Float32Array : Float32Array[]>} */
    encodeAsync<T extends string | Input[]>(texts: T, { signal, ...options }?: Options & {
        signal?: AbortSignal;
    }): Promise<T extends string ? Float32Array : Float32Array[]>;
    /** Scores of `labels` for each text, in their order; of a model that labels tokens, those of all its tokens.
     * @template {string | Input[]} T @param {T} texts @param {Options} [options]
     * @returns {T extends string ? Float32Array : Float32Array[]} */
    classify<T extends string | Input[]>(texts: T, options?: Options): T extends string ? Float32Array : Float32Array[];
    /** Texts by how well they answer a query, best first: by cross-encoder or vectors, as the model does it.
     * @param {string} query @param {string[]} texts @param {Options & { top?: number }} [options] */
    rank(query: string, texts: string[], { top, ...options }?: Options & {
        top?: number;
    }): {
        index: number;
        score: number;
    }[];
    /** Tokens of a text, uncut; begin and end are offsets in its UTF-8. @param {Input} text @param {Options} [options]
     * @returns {{ text: string, id: number, begin: number, end: number, special: boolean, inPair: boolean }[]} */
    tokenize(text: Input, options?: Options): {
        text: string;
        id: number;
        begin: number;
        end: number;
        special: boolean;
        inPair: boolean;
    }[];
    /** Score of two vectors, by the model's metric: the larger, the nearer. @param {Float32Array} a @param {Float32Array} b
     * @returns {number} */
    similarity(a: Float32Array, b: Float32Array): number;
    /** The k nearest rows of each query, exactly, best first. metric: by default the model's.
     * @param {Float32Array[]} rows @param {Float32Array[]} queries @param {{ k?: number, metric?: 'cosine' | 'dot' | 'euclidean' | 'manhattan' }} [options]
     * @returns {{ row: number, score: number }[][]} */
    search(rows: Float32Array[], queries: Float32Array[], { k, metric }?: {
        k?: number;
        metric?: 'cosine' | 'dot' | 'euclidean' | 'manhattan';
    }): {
        row: number;
        score: number;
    }[][];
}
