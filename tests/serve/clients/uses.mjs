// Calls a server by the clients of npm, unmodified, and prints a line of JSON for each call: {name, kind, value}. kind
// says what the value must be equal to (check.py).
//
//     node uses.mjs FOLDER URL TEXTS     FOLDER: has node_modules/; TEXTS: JSON of {texts, ids, query, long}
import { createRequire } from 'node:module';

const [folder, url, json] = process.argv.slice(2);
const { texts, ids, query, long } = JSON.parse(json);
const require = createRequire(`${folder}/index.js`);
const apiKey = 'sk-none';

async function call(name, kind, get) {
    let value;
    try {
        value = await get();
    } catch (error) {
        value = [error.status ?? error.statusCode ?? error.status_code ?? error.httpResponse?.status ?? null, String(error)];
        kind = kind.startsWith('error') ? kind : 'failure';
    }
    console.log(JSON.stringify({ name: `node ${name}`, kind, value }));
}

async function use(name, calls) {
    let client;
    try {
        client = require(name);
    } catch (error) {
        if (error.code !== 'MODULE_NOT_FOUND') throw error;
        console.log(JSON.stringify({ name: `node ${name}`, kind: 'absent' }));
        return;
    }
    await calls(client);
}

const vectors = (answer) => answer.data.map((item) => item.embedding);
const model = 'default';

await use('openai', async ({ OpenAI }) => {
    const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
    const embed = async (input, more = {}) => vectors(await client.embeddings.create({ model, input, ...more }));
    await call('openai', 'all', () => embed(texts));
    await call('openai, one text', 'first', () => embed(texts[0]));
    await call('openai, ids', 'first', () => embed(ids));
    await call('openai, lists of ids', 'first', () => embed([ids]));
    await call('openai, float', 'all', () => embed(texts, { encoding_format: 'float' }));
    await call('openai, dimensions', 'short', () => embed(texts, { dimensions: 64 }));
    await call('openai, usage', 'tokens', async () => (await client.embeddings.create({ model, input: texts })).usage.total_tokens);
    await call('openai, models', 'models', async () => (await client.models.list()).data.map((item) => item.id));
    await call('openai, model', 'model', async () => (await client.models.retrieve(model)).id);
    await call('openai, no such model', 'error 404', () => client.embeddings.create({ model: 'none', input: 'x' }));
    await call('openai, a long text', 'error 400', () => embed(long));
    await call('openai, no text', 'error 400', () => embed([]));
    await call('openai, a wrong id', 'error 400', () => embed([1e9]));
});

await use('@langchain/openai', async ({ OpenAIEmbeddings }) => {
    const client = new OpenAIEmbeddings({ apiKey, model, configuration: { baseURL: `${url}/v1` } });
    await call('@langchain/openai', 'all', () => client.embedDocuments(texts));
    await call('@langchain/openai, a query', 'first', async () => [await client.embedQuery(texts[0])]);
});

await use('ollama', async ({ Ollama }) => {
    const client = new Ollama({ host: url });
    await call('ollama', 'all', async () => (await client.embed({ model, input: texts })).embeddings);
    await call('ollama, one text', 'first', async () => (await client.embed({ model, input: texts[0] })).embeddings);
    await call('ollama, a tag', 'first', async () => (await client.embed({ model: `${model}:latest`, input: texts[0] })).embeddings);
    await call('ollama, dimensions', 'short', async () => (await client.embed({ model, input: texts, dimensions: 64 })).embeddings);
    await call('ollama, embeddings', 'first', async () => [(await client.embeddings({ model, prompt: texts[0] })).embedding]);
    await call('ollama, tokens', 'tokens', async () => (await client.embed({ model, input: texts })).prompt_eval_count);
    await call('ollama, list', 'tags', async () => (await client.list()).models.map((item) => item.name));
    await call('ollama, show', 'capabilities', async () => (await client.show({ model })).capabilities);
    await call('ollama, version', 'text', async () => (await client.version()).version);
    await call('ollama, no such model', 'error 404', () => client.embed({ model: 'none', input: 'x' }));
    await call('ollama, a long text', 'error 400', () => client.embed({ model, input: long, truncate: false }));
});

await use('@langchain/ollama', async ({ OllamaEmbeddings }) => {
    const client = new OllamaEmbeddings({ model, baseUrl: url });
    await call('@langchain/ollama', 'all', () => client.embedDocuments(texts));
    await call('@langchain/ollama, a query', 'first', async () => [await client.embedQuery(texts[0])]);
});

await use('@huggingface/inference', async ({ InferenceClient }) => {
    const client = new InferenceClient('hf_none', { endpointUrl: url });
    await call('huggingface', 'all', () => client.featureExtraction({ inputs: texts }));
    await call('huggingface, one text', 'first', () => client.featureExtraction({ inputs: texts[0] }));
    await call('huggingface, /embed', 'all', () => new InferenceClient('hf_none').endpoint(`${url}/embed`).featureExtraction({ inputs: texts }));
    await call('huggingface, likeness', 'scores', () => client.sentenceSimilarity({ inputs: { source_sentence: query, sentences: texts } }));
    await call('huggingface, a long text', 'error 413', () => client.featureExtraction({ inputs: long }));
});

await use('cohere-ai', async ({ CohereClient, CohereClientV2 }) => {
    const client = new CohereClientV2({ token: apiKey, environment: url, maxRetries: 0 });
    const embed = (more) => client.embed({ model, texts, inputType: 'search_document', ...more });
    const ranks = (answer) => answer.results.map((item) => [item.index, item.relevanceScore]);
    await call('cohere', 'all', async () => (await embed({ embeddingTypes: ['float'] })).embeddings.float);
    await call('cohere, default type', 'all', async () => (await embed({})).embeddings.float);
    await call('cohere, base64', 'base64', async () => (await embed({ embeddingTypes: ['base64'] })).embeddings.base64);
    await call('cohere, bits', 'ubinary', async () => (await embed({ embeddingTypes: ['ubinary', 'int8'] })).embeddings.ubinary);
    await call('cohere, dimensions', 'short', async () => (await embed({ outputDimension: 64 })).embeddings.float);
    await call('cohere, rerank', 'ranks', async () => ranks(await client.rerank({ model, query, documents: texts })));
    await call('cohere, the best two', 'best', async () => ranks(await client.rerank({ model, query, documents: texts, topN: 2 })));
    const first = new CohereClient({ token: apiKey, environment: url, maxRetries: 0 });
    await call('cohere, v1 rerank', 'ranks', async () => ranks(await first.rerank({ model, query, documents: texts })));
    await call('cohere, documents', 'documents', async () =>
        (await first.rerank({ model, query, documents: texts, returnDocuments: true })).results.map((item) => item.document.text));
    await call('cohere, no such model', 'error 404', () => client.rerank({ model: 'none', query, documents: texts }));
});
