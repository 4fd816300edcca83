"""Classes by the names that sentence-transformers gives them, whose users change the import line alone:

    from libengine.sentence_transformers import CrossEncoder, SentenceTransformer, SparseEncoder, util

A model is a path (a weight file or a checkpoint's directory), or a name of the Hub that was fetched before: by
encode-fetch into this folder, or into the Hub's cache. Results are arrays of NumPy, or tensors if convert_to_tensor asks.
"""

from __future__ import annotations

import pathlib

import numpy as np

from .encoder import Encoder, check_device
from .index import Index
from .pretrained import import_directory


class SentenceTransformer(Encoder):
    """An Encoder of a model's name or path. trust_remote_code is not needed: nothing of a checkpoint is executed."""

    device = "cpu"

    def __init__(self, model_name_or_path, threads: int | None = None, *, device=None, trust_remote_code: bool = False,
                 **others):
        del trust_remote_code
        check_device(device)
        for name in others:
            raise TypeError(f"{type(self).__name__}({name}=...) is not taken: only threads, device and trust_remote_code "
                            "are; encode() takes truncate_dim and prompts, encode-fetch --revision and tokens of the Hub")
        path = pathlib.Path(model_name_or_path)
        path = next((file for file in (path, pathlib.Path(f"{path.name}.weights")) if file.is_file()), None)
        super().__init__(path or import_directory(model_name_or_path), threads)

    def to(self, device):
        check_device(device)
        return self

    def eval(self):
        return self


class CrossEncoder(SentenceTransformer):
    """predict(pairs) and rank(query, documents), of a cross-encoder."""


class SparseEncoder(SentenceTransformer):
    """Weights of the vocabulary's words, as CSR matrices of scipy [n, vocabulary]."""

    def encode(self, sentences, batch_size: int = 64, *, role: str = "text", on_long: str = "model"):
        return self.encode_sparse(sentences, batch_size, role, on_long)

    def similarity(self, a, b=None) -> np.ndarray:
        return (a @ (a if b is None else b).T).toarray()

    @staticmethod
    def sparsity(embeddings) -> dict:
        return {"active_dims": embeddings.nnz / embeddings.shape[0],
                "sparsity_ratio": 1 - embeddings.nnz / (embeddings.shape[0] * embeddings.shape[1])}

    def decode(self, embeddings, top_k: int | None = None) -> list:
        """Returns for each row its words and weights, the largest first."""
        text = self._open().token_text
        return [sorted(((text(token), float(weight)) for token, weight in zip(row.indices, row.data)),
                       key=lambda word: -word[1])[:top_k] for row in embeddings]


class MultiVectorEncoder(SentenceTransformer):
    """A vector for each token, of models for it (ColBERT), and their MaxSim."""

    def encode(self, sentences, **options):
        return super().encode(sentences, output_value="colbert", **options)

    def similarity(self, a, b=None) -> np.ndarray:
        return np.array([[(x @ y.T).max(1).sum() for y in (a if b is None else b)] for x in a], np.float32)


class util:
    """Functions of sentence_transformers.util."""

    @staticmethod
    def dot_score(a, b) -> np.ndarray:
        return np.atleast_2d(a) @ np.atleast_2d(b).T

    @staticmethod
    def cos_sim(a, b) -> np.ndarray:
        a, b = (x.astype(np.promote_types(x.dtype, np.float32)) for x in map(np.atleast_2d, (a, b)))  # not in float16
        return util.dot_score(*(x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12) for x in (a, b)))

    @staticmethod
    def semantic_search(query_embeddings, corpus_embeddings, top_k: int = 10) -> list:
        """Returns the nearest rows of each query, by cosine: lists of dicts of corpus_id and score."""
        return Index(np.asarray(corpus_embeddings, np.float32)).search(np.atleast_2d(query_embeddings), top_k)
