// LangChain's Embeddings by an Encoder.
import { Embeddings as Base } from '@langchain/core/embeddings';
import { Encoder } from './index.mjs';

/** new Embeddings({ encoder, ...options of encode }); without an encoder the default model. */
export class Embeddings extends Base {
    /** @param {{ encoder?: Encoder } & import('./index.mjs').Options} [given] */
    constructor({ encoder = new Encoder(), ...options } = {}) {
        super({});
        this.encoder = encoder; this.options = options;
    }
    /** @param {string[]} texts @returns {Promise<number[][]>} */
    async embedDocuments(texts) {
        return (await this.encoder.encodeAsync(texts, { role: 'document', ...this.options })).map((row) => Array.from(row));
    }
    /** @param {string} text @returns {Promise<number[]>} */
    async embedQuery(text) {
        return Array.from(await this.encoder.encodeAsync(text, { role: 'query', ...this.options }));
    }
}
