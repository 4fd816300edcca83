"""Calls a server by the clients of PyPI, unmodified, and prints a line of JSON for each call: name, kind, value. kind
says what the value must be equal to (check.py).

    python uses.py URL TEXTS     TEXTS: JSON of texts, ids, query, long
"""

import importlib
import json
import sys

URL, given = sys.argv[1], json.loads(sys.argv[2])
texts, ids, query, long = (given[name] for name in ("texts", "ids", "query", "long"))
MODEL = "default"


def call(name, kind, get):
    try:
        value = get()
    except Exception as error:  # of any client's own class
        response = getattr(error, "response", None)
        value = [getattr(error, "status_code", getattr(response, "status_code", None)), str(error)]
        kind = kind if kind.startswith("error") else "failure"
    print(json.dumps({"name": f"python {name}", "kind": kind, "value": value}))


def module(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        print(json.dumps({"name": f"python {name}", "kind": "absent"}))


def use_openai(openai):
    client = openai.OpenAI(api_key="sk-none", base_url=f"{URL}/v1", max_retries=0)

    def embed(given, **more):
        return [item.embedding for item in client.embeddings.create(model=MODEL, input=given, **more).data]

    call("openai", "all", lambda: embed(texts))
    call("openai, one text", "first", lambda: embed(texts[0]))
    call("openai, ids", "first", lambda: embed(ids))
    call("openai, lists of ids", "first", lambda: embed([ids]))
    call("openai, float", "all", lambda: embed(texts, encoding_format="float"))
    call("openai, dimensions", "short", lambda: embed(texts, dimensions=64))
    call("openai, usage", "tokens", lambda: client.embeddings.create(model=MODEL, input=texts).usage.prompt_tokens)
    call("openai, models", "models", lambda: [item.id for item in client.models.list()])
    call("openai, no such model", "error 404", lambda: client.embeddings.create(model="none", input="x"))
    call("openai, a long text", "error 400", lambda: embed(long))


def use_ollama(ollama):
    client = ollama.Client(host=URL)
    call("ollama", "all", lambda: client.embed(MODEL, texts)["embeddings"])
    call("ollama, dimensions", "short", lambda: client.embed(MODEL, texts, dimensions=64)["embeddings"])
    call("ollama, embeddings", "first", lambda: [client.embeddings(MODEL, texts[0])["embedding"]])
    call("ollama, list", "tags", lambda: [item.model for item in client.list().models])
    call("ollama, show", "capabilities", lambda: client.show(MODEL).capabilities)
    call("ollama, running", "models", lambda: [item.model.split(":")[0] for item in client.ps().models])
    call("ollama, no such model", "error 404", lambda: client.embed("none", "x"))
    call("ollama, a long text", "error 400", lambda: client.embed(MODEL, long, truncate=False))


def use_huggingface_hub(huggingface_hub):
    client = huggingface_hub.InferenceClient(URL)
    call("huggingface", "all", lambda: client.feature_extraction(texts).tolist())
    call("huggingface, one text", "first", lambda: client.feature_extraction(texts[0]).tolist())
    call("huggingface, /embed", "all", lambda: client.feature_extraction(texts, model=f"{URL}/embed").tolist())
    call("huggingface, dimensions", "short", lambda: client.feature_extraction(texts, dimensions=64).tolist())
    call("huggingface, likeness", "scores", lambda: client.sentence_similarity(query, other_sentences=texts))
    call("huggingface, a long text", "error 413", lambda: client.feature_extraction(long))


def use_cohere(cohere):
    client = cohere.ClientV2("none", base_url=URL)

    def embed(**more):
        return client.embed(model=MODEL, texts=texts, input_type="search_document", **more).embeddings

    def ranks(answer):
        return [[item.index, item.relevance_score] for item in answer.results]

    call("cohere", "all", lambda: embed(embedding_types=["float"]).float_)
    call("cohere, base64", "base64", lambda: embed(embedding_types=["base64"]).base64)
    call("cohere, bits of two types", "ubinary", lambda: embed(embedding_types=["int8", "ubinary"]).ubinary)
    call("cohere, rerank", "ranks", lambda: ranks(client.rerank(model=MODEL, query=query, documents=texts)))
    call(
        "cohere, the best two", "best", lambda: ranks(client.rerank(model=MODEL, query=query, documents=texts, top_n=2))
    )
    first = cohere.Client("none", base_url=URL)
    call("cohere, v1 rerank", "ranks", lambda: ranks(first.rerank(model=MODEL, query=query, documents=texts)))
    call("cohere, no such model", "error 404", lambda: client.rerank(model="none", query=query, documents=texts))


for package, use in (
    ("openai", use_openai),
    ("ollama", use_ollama),
    ("huggingface_hub", use_huggingface_hub),
    ("cohere", use_cohere),
):
    if found := module(package):
        use(found)
