"""Code for sentence-transformers runs with Encoder in place of its classes: its own README's, where it is installed (in
this Python, or the one that SENTENCE_TRANSFORMERS_PYTHON names), and keywords that stand in snippets everywhere."""

import contextlib
import importlib.metadata
import io
import os
import re
import subprocess
import sys
import types
import unittest
import warnings
from unittest import mock

import numpy as np

import libengine


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


class Snippets(unittest.TestCase):
    def test_readme(self):
        """The blocks of its README that make an embedding model or a cross-encoder, unmodified."""
        blocks = re.findall(r"```python\n(.*?)```", readme(), re.S)
        if not blocks:
            self.skipTest("sentence-transformers is not installed")
        module = types.ModuleType("sentence_transformers")
        module.SentenceTransformer = lambda name: libengine.Encoder()
        module.CrossEncoder = lambda name: libengine.Encoder("pairs.weights")
        names, n_run, printed = {}, 0, io.StringIO()
        with mock.patch.dict(sys.modules, sentence_transformers=module), contextlib.redirect_stdout(printed):
            warnings.simplefilter("ignore")  # of pairs.weights, whose texts are cut
            for block in blocks:
                if "SparseEncoder" in block or "MultiVectorEncoder" in block:  # encode_sparse, output_value="colbert"
                    continue
                exec(block, names)
                n_run += 1
        self.assertGreaterEqual(n_run, 5)
        self.assertIn(f"(3, {libengine.Encoder().width})", printed.getvalue())
        self.assertIn("#0 (", printed.getvalue())

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
