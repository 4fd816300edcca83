"""Code for sentence-transformers runs with another import line: its own README's, where it is installed (in this Python,
or the one that SENTENCE_TRANSFORMERS_PYTHON names), ours of the same shapes, and keywords that stand in snippets."""

import contextlib
import importlib.metadata
import io
import os
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile
import unittest
import warnings
from unittest import mock

import numpy as np
from test_index import write_static_model

import libengine
from libengine import sentence_transformers


def readme() -> str:
    """Returns the README of sentence-transformers, or "" if it is not installed."""
    script = ("import importlib.metadata as m; d = m.metadata('sentence-transformers'); "
              "print(d.get_payload() or d['Description'])")
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        data = importlib.metadata.metadata("sentence-transformers")
        return data.get_payload() or data["Description"]
    python = os.environ.get("SENTENCE_TRANSFORMERS_PYTHON")
    if not python:
        return ""
    return subprocess.run([python, "-c", script], capture_output=True, text=True).stdout


# The models of snippets: a name of the Hub, and the file in this folder that encode-fetch would have made of it.
MODELS = {"all-MiniLM-L6-v2": None, "ms-marco-MiniLM-L6-v2": "pairs", "splade-cocondenser-ensembledistil": "vectors",
          "GTE-ModernColBERT-v1": "vectors"}

EMBEDDINGS = """
from libengine.sentence_transformers import SentenceTransformer, util
model = SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2", device="cpu")
sentences = ["I ride a bike.", "He rides a bicycle.", "The bread is baked at night."]
embeddings = model.encode(sentences)
print(embeddings.shape, model.to("cpu").eval().device)
scores = model.similarity(embeddings, embeddings)
assert scores[0][1] > scores[0][2]
queries, documents = model.encode_query(["who rides?"]), model.encode_document(sentences)
assert model.similarity(queries, documents).shape == (1, 3)
assert util.cos_sim(embeddings[0], embeddings).argmax() == 0
for hits in util.semantic_search(queries, documents, top_k=2):
    print([hit["corpus_id"] for hit in hits], "best first:", hits[0]["score"] >= hits[1]["score"])
"""

CROSS = """
from libengine.sentence_transformers import CrossEncoder
model = CrossEncoder("cross-encoder/ms-marco-MiniLM-L6-v2")
passages = ["I ride bike", "bad dog"]
scores = model.predict([("dog", passage) for passage in passages])
for rank in model.rank("dog", passages, return_documents=True):
    print(f"- #{rank['corpus_id']} ({rank['score']:.2f}): {rank['text']}")
"""

SPARSE = """
from libengine.sentence_transformers import MultiVectorEncoder, SparseEncoder
model = SparseEncoder("naver/splade-cocondenser-ensembledistil")
embeddings = model.encode(["I ride bike", "the big dog"])
assert model.similarity(embeddings, embeddings).shape == (2, 2)
print(f"{SparseEncoder.sparsity(embeddings)['sparsity_ratio']:.2%}")
words = model.decode(embeddings, top_k=2)[0]
assert words[0][1] >= words[-1][1] and words[0][1] == embeddings[0].max()
model = MultiVectorEncoder("lightonai/GTE-ModernColBERT-v1")
queries, documents = model.encode_query(["big dog"]), model.encode_document(["a big dog", "I ride"])
print(queries[0].shape, model.similarity(queries, documents).argmax())
"""


class Snippets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for name, made in MODELS.items():
            with contextlib.suppress(FileExistsError):
                os.symlink(f"{made}.weights" if made else libengine.Encoder().path, f"{name}.weights")

    def run_code(self, *blocks) -> str:
        """Returns what the blocks print, one after the other."""
        names, printed = {}, io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pairs.weights, whose texts are cut
            for block in blocks:
                exec(block, names)
        return printed.getvalue()

    def test_readme(self):
        """The blocks of its README, unmodified."""
        blocks = re.findall(r"```python\n(.*?)```", readme(), re.S)
        if not blocks:
            self.skipTest("sentence-transformers is not installed")
        self.assertGreaterEqual(len(blocks), 5)
        with mock.patch.dict(sys.modules, sentence_transformers=sentence_transformers):
            printed = self.run_code(*blocks)
        self.assertIn(f"(3, {libengine.Encoder().width})", printed)
        self.assertIn("#0 (", printed)

    def test_own(self):
        """Code of the same shapes, in which the import line alone is another."""
        printed = self.run_code(EMBEDDINGS)
        self.assertIn(f"(3, {libengine.Encoder().width}) cpu\n", printed)
        self.assertRegex(printed, r"\[[012], [012]\] best first: True")
        self.assertEqual(self.run_code(CROSS).count("- #"), 2)
        try:
            import scipy  # noqa: F401
        except ImportError:
            with self.assertRaisesRegex(ImportError, "pip install scipy"):
                self.run_code(SPARSE)
            return
        self.assertRegex(self.run_code(SPARSE), r"%\n\([0-9]+, 8\) ")

    def test_cosines_of_float16(self):
        rows = np.array([[300, 400], [0, 0], [-400, 300]], np.float16)
        np.testing.assert_allclose(sentence_transformers.util.cos_sim(rows, rows), np.diag([1, 0, 1]), atol=1e-6)

    def test_names(self):
        """A model is found as a path, or where its name leads; else the reason says what fetches it."""
        find = sentence_transformers.SentenceTransformer
        self.assertEqual(find("head.weights").path, "head.weights")
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, HF_HOME=folder, XDG_CACHE_HOME=folder):
            with self.assertRaisesRegex(OSError, "encode-fetch org/model .or hf download. fetches"):
                find("org/model")
            hub = pathlib.Path(folder, "hub/models--org--model")
            (hub / "refs").mkdir(parents=True)
            (hub / "refs/main").write_text("abc\n")
            model = hub / "snapshots/abc"
            model.mkdir(parents=True)
            write_static_model(model)
            found = find("org/model", trust_remote_code=True)
            self.assertEqual(found.path, libengine.Encoder.from_pretrained("org/model").path)
            self.assertEqual(pickle.loads(pickle.dumps(found)).path, found.path)
            with self.assertRaisesRegex(OSError, r"is a directory, not a weight file: Encoder.from_pretrained\('"):
                libengine.Encoder(model)
        for options, words in (({"device": "cuda"}, "the CPU is the only device"), ({"revision": "x"}, "encode-fetch --revision")):
            with self.assertRaisesRegex((TypeError, ValueError), words):
                find("all-MiniLM-L6-v2", **options)

    def test_keywords(self):
        encoder = libengine.Encoder()
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            vectors = encoder.encode(["I ride bike", "a dog"], batch_size=1, show_progress_bar=True, convert_to_numpy=True,
                                     convert_to_tensor=False, normalize_embeddings=True, device="cpu")
        np.testing.assert_array_equal(vectors, encoder.encode(["I ride bike", "a dog"], normalize_embeddings=True))
        self.assertRegex(shown.getvalue(), r"2 of 2 texts, [0-9,]+ texts/s, 0 s left")
        for keywords, words in (({"device": "cuda"}, "the CPU is the only device"),
                                ({"convert_to_numpy": False}, "convert_to_tensor=True makes tensors")):
            with self.assertRaisesRegex(ValueError, words):
                encoder.encode("a", **keywords)
        try:
            import torch
        except ImportError:
            return
        tensor = encoder.encode(["I ride bike", "a dog"], convert_to_tensor=True, normalize_embeddings=True)
        self.assertTrue(torch.equal(tensor, torch.from_numpy(vectors)))
        self.assertEqual(encoder.encode("a", convert_to_tensor=True).shape, (encoder.width,))

    def test_predict(self):
        texts = [("I ride", "a dog"), ("bike", "bike")]
        two = libengine.Encoder("pairs.weights")
        np.testing.assert_array_equal(two.predict(texts), two.classify(texts))
        self.assertEqual(libengine.Encoder("head.weights").predict(["a", "b"]).shape, (2, 2))

    def test_first_mistakes(self):
        encoder = libengine.Encoder()
        index = libengine.Index(encoder.encode(["I ride bike", "a dog"]))
        for queries in ("a dog", ["a dog"], np.array(["a dog"])):
            with self.assertRaisesRegex(TypeError, r"index.search\(encoder.encode_query"):
                index.search(queries)
        self.assertEqual(libengine.Index([[1, 0], [0, 2]]).search([0, 1], top_k=1)[0]["corpus_id"], 1)
        with self.assertRaisesRegex(OSError, r"No such file or directory; Encoder.from_pretrained\('org/model'\) looks"):
            libengine.Encoder("org/model")
        with self.assertRaisesRegex(OSError, "encode-fetch sentence-transformers/none .or hf download. fetches"):
            libengine.Encoder.from_pretrained("none")
        for sentences in (None, 5):
            with self.assertRaisesRegex(TypeError, "give a str, or a list of them"):
                encoder.encode(sentences)
        self.assertEqual(repr(encoder), f"<libengine.Encoder 'default weights': {encoder.n_layers} layers, width {encoder.width}>")
        encoder.close()
        self.assertIn("closed", repr(encoder))

    def test_words(self):
        """A text of unknown words is reported where the command does, and no other."""
        encoder = libengine.Encoder()
        with self.assertWarnsRegex(UserWarning, r"sentences\[1\]: the model knows 0 of its 2 words; texts of unknown"):
            encoder.encode(["I ride bike", "שלום עולם"])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            encoder.encode(["I ride bike", "", "the dog sleeps", "dog " * 400], on_long="truncate")
            encoder.encode({"ids": [2, 9, 3]})
