#!/usr/bin/env python3
"""Writes directories with sentence-transformers 6.2, imports them, and compares what encode prints with what
sentence-transformers gives of the same directory in float64.

    modules6.py BUILD FOLDER [NAME ...]     BUILD has the programs; FOLDER is for the directories

Models are small and random. Vectors and weights of texts, queries and documents must be within 1e-5. Run by
test_modules6.sh.
"""
import json
import os
import subprocess
import sys

import torch
from sentence_transformers import MultiVectorEncoder, SentenceTransformer, SparseEncoder
from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
from sentence_transformers.sentence_transformer.modules import Dense, LayerNorm, Normalize, Pooling, Transformer
from sentence_transformers.sparse_encoder.modules import Router, SparseStaticEmbedding, SpladePooling
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForMaskedLM, BertModel, PreTrainedTokenizerFast
from transformers.utils import logging

logging.disable_progress_bar()

BOUND = 1e-5
WORDS = "i ride bike dog cat the a red house query document for : , . ! man sees un ##known ##s bite".split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TEXTS = ["i ride the bike", "the dog bites a man , the man sees dogs .", "", "zebra cat", "house " * 40, "a"]
PROMPTS = {"query": "query : ", "document": "the document", "odd": "un", "tail": "dog [SEP]", "long": "red " * 40}

CLASSES = {}
build, folder = sys.argv[1], sys.argv[2]


def tokenizer(has_end=True, length=32):
    vocabulary = {word: i for i, word in enumerate(SPECIAL + WORDS)}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]" if has_end else "[CLS] $A", pair=None,
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]", model_max_length=length)


def transformer(name, kind=BertModel, **of_tokenizer):
    """A Transformer module of a random BERT."""
    place = os.path.join(folder, name + ".body")
    config = BertConfig(vocab_size=len(SPECIAL + WORDS), hidden_size=24, num_hidden_layers=2, num_attention_heads=3,
                        intermediate_size=40, max_position_embeddings=64)
    model = kind(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, 0.1 if parameter.dim() == 1 else 0, 0.3)
    model.save_pretrained(place)
    tokenizer(**of_tokenizer).save_pretrained(place)
    task = {"transformer_task": "fill-mask"} if kind is BertForMaskedLM else {}
    return Transformer(place, **task)


def pooled(name, modes, *modules, include_prompt=True, **of_tokenizer):
    body = transformer(name, **of_tokenizer)
    pooling = Pooling(24, pooling_mode=modes, include_prompt=include_prompt)
    return SentenceTransformer(modules=[body, pooling, *modules], prompts=PROMPTS)


def dense(n_in, n_out, activation, **more):
    module = Dense(n_in, n_out, activation_function=activation, **more)
    torch.nn.init.normal_(module.linear.weight, 0, 0.4)
    return module


def norm(width):
    module = LayerNorm(width)
    torch.nn.init.normal_(module.norm.weight, 1, 0.3)
    torch.nn.init.normal_(module.norm.bias, 0, 0.3)
    return module


def routed(name, prompts=None, **pooling):
    """Queries have weights of their token ids, as OpenSearch's doc-v2 and v3."""
    body = transformer(name, BertForMaskedLM)
    weights = torch.rand(len(SPECIAL + WORDS)) * 3
    router = Router.for_query_document(
        query_modules=[SparseStaticEmbedding(tokenizer=body.tokenizer, weight=weights, frozen=True)],
        document_modules=[body, SpladePooling(**pooling)])
    return SparseEncoder(modules=[router], prompts=prompts, similarity_fn_name="dot")


def colbert(name, expansion, **lengths):
    """Vectors of tokens, with queries of a fixed length."""
    body = transformer(name, kind=lengths.pop("kind", BertModel), **lengths.pop("of_tokenizer", {}))
    body.query_expansion, body.query_length = expansion, lengths.get("query_length")
    body.document_length = lengths.get("document_length")
    tokens = {"module_input_name": "token_embeddings"}
    last = [MultiVectorMask(skiplist_words=[".", ","]), Normalize(**tokens)]  # in its own order, or the other
    return MultiVectorEncoder(modules=[body, dense(24, 10, NN.Identity(), **tokens), *last[::-1 if expansion else 1]],
                              prompts={"query": "query : ", "document": "the "})


def fixed(length, attend, **more):
    return {"strategy": "fixed", "length": length, "attend": attend, **more}


NN = torch.nn
CASES = {
    "prompt-mean": lambda name: pooled(name, "mean", Normalize(), include_prompt=False),
    "prompt-cls": lambda name: pooled(name, "cls", include_prompt=False),
    "prompt-sqrt": lambda name: pooled(name, "mean_sqrt_len_tokens", include_prompt=False),
    "prompt-weighted": lambda name: pooled(name, "weightedmean", include_prompt=False),
    "prompt-last": lambda name: pooled(name, "lasttoken", include_prompt=False),
    "prompt-max": lambda name: pooled(name, "max", dense(24, 9, NN.Tanh()), include_prompt=False),
    "prompt-no-end": lambda name: pooled(name, "mean", include_prompt=False, has_end=False),
    "joined": lambda name: pooled(name, ("max", "mean", "lasttoken", "cls", "weightedmean", "mean_sqrt_len_tokens")),
    "joined-dense": lambda name: pooled(name, ("cls", "mean"), dense(48, 10, NN.Sigmoid()), Normalize()),
    "joined-prompt": lambda name: pooled(name, ("mean", "max"), include_prompt=False),
    "activations": lambda name: pooled(name, "mean", dense(24, 20, NN.GELU()), dense(20, 16, NN.SiLU(), bias=False),
                                       dense(16, 12, NN.ReLU()), dense(12, 8, NN.Sigmoid()), dense(8, 8, NN.Identity())),
    "norms": lambda name: pooled(name, "mean", norm(24), dense(24, 30, NN.Tanh()), norm(30), Normalize()),
    "router": lambda name: routed(name, activation_function="log1p_relu"),
    "router-sum": lambda name: routed(name, {"query": "query : ", "document": "the "}, pooling_strategy="sum"),
    "fixed": lambda name: colbert(name, fixed(16, False)),
    "fixed-attend": lambda name: colbert(name, fixed(16, True), document_length=20),
    "fixed-long": lambda name: colbert(name, fixed(48, False)),
    "fixed-token": lambda name: colbert(name, fixed(11, False, token="house")),
    "query-length": lambda name: colbert(name, None, query_length=9),
    "norm-alone": lambda name: pooled(name, ("mean", "cls"), norm(48)),
}


def run(*command, stdin=None):
    done = subprocess.run([os.path.join(build, command[0]), *command[1:]], input=stdin, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def numbers(record):
    if "vectors" in record:
        return torch.tensor(record["vectors"], dtype=torch.float64)
    if "vector" in record:
        return torch.tensor(record["vector"], dtype=torch.float64)
    row = torch.zeros(len(SPECIAL + WORDS), dtype=torch.float64)
    for weight in record["weights"]:
        row[weight["id"]] = weight["weight"]
    return row


def encode(weights, texts, *options):
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    printed = run("encode", "-m", weights, "-p", "model", "-f", "json", "--input", "jsonl", "--on-long", "truncate", *options,
                  stdin=lines)
    return [numbers(json.loads(line)) for line in printed.splitlines()]


def compare(name, what, got, expected):
    worst = 0
    assert len(got) == len(expected), f"{name}: {what}: {len(got)} answers, expected {len(expected)}"
    for one, other in zip(got, expected):
        assert one.shape == other.shape, f"{name}: {what}: {list(one.shape)}, expected {list(other.shape)}"
        difference = (one - other).abs().max().item() / max(1, other.abs().max().item())
        assert difference <= BOUND, f"{name}: {what}: {difference:.2g} from sentence-transformers, bound {BOUND:g}"
        worst = max(worst, difference)
    return worst


def check_pooled(name, place, weights):
    model = SentenceTransformer(place).double().eval()
    worst = 0
    for prompt in [None, *PROMPTS]:
        options = ["--no-prompt"] if prompt is None else ["--prompt", prompt]
        expected = model.encode(TEXTS, prompt_name=prompt, convert_to_tensor=True)
        worst = max(worst, compare(name, f"prompt {prompt}", encode(weights, TEXTS, *options), expected))
    expected = model.encode(TEXTS, prompt="sees a ", convert_to_tensor=True)
    worst = max(worst, compare(name, "a prompt's text", encode(weights, TEXTS, "--prompt-text", "sees a "), expected))
    compare(name, "encode_query", encode(weights, TEXTS, "--prompt", "query"), model.encode_query(TEXTS, convert_to_tensor=True))
    return worst


def check_roles(name, place, weights):
    is_sparse = isinstance(CLASSES[name], SparseEncoder)
    model = type(CLASSES[name])(place).double().eval()
    options = {"convert_to_tensor": True, "convert_to_sparse_tensor": False} if is_sparse else {}
    worst = max(compare(name, "encode_query", encode(weights, TEXTS, "--prompt", "query"), model.encode_query(TEXTS, **options)),
                compare(name, "encode_document", encode(weights, TEXTS, "--prompt", "document"),
                        model.encode_document(TEXTS, **options)))
    return max(worst, compare(name, "encode", encode(weights, TEXTS), model.encode(TEXTS, **options))) if is_sparse else worst


def check(name):
    torch.manual_seed(len(name))
    place, weights = os.path.join(folder, name), os.path.join(folder, name + ".weights")
    model = CLASSES[name] = CASES[name](name)
    model.save_pretrained(place, create_model_card=False)
    run("encode-import", place, "-o", weights)
    return (check_pooled if isinstance(model, SentenceTransformer) else check_roles)(name, place, weights)


def main():
    n_failed = 0
    for name in sys.argv[3:] or CASES:
        try:
            print(f"{name}: {check(name):.1e}")
        except (AssertionError, RuntimeError) as error:
            n_failed += 1
            print(f"FAILED: {error}")
    n = len(sys.argv[3:] or CASES)
    print(f"{n - n_failed} passed, {n_failed} failed")
    sys.exit(n_failed > 0)


main()
