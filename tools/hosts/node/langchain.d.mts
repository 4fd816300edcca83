import { Embeddings as Base } from '@langchain/core/embeddings';
import { Encoder } from './index.mjs';
/** new Embeddings({ encoder, ...options of encode }); without an encoder the default model. */
export declare class Embeddings extends Base {
    encoder: Encoder;
    options: {
        role?: 'text' | 'query' | 'document';
        prompt?: string;
        promptText?: string;
        dimensions?: number;
        normalize?: boolean;
        onLong?: 'model' | 'truncate' | 'error';
    };
    /** @param {{ encoder?: Encoder } & import('./index.mjs').Options} [given] */
    constructor({ encoder, ...options }?: {
        encoder?: Encoder;
    } & import('./index.mjs').Options);
    /** @param {string[]} texts @returns {Promise<number[][]>} */
    embedDocuments(texts: string[]): Promise<number[][]>;
    /** @param {string} text @returns {Promise<number[]>} */
    embedQuery(text: string): Promise<number[]>;
}
