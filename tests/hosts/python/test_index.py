"""Index finds what NumPy finds, in arrays and files of every type; Arrow arrays, and the cache of checkpoints."""

import asyncio
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

import libengine

DEFAULT = pathlib.Path(os.environ["TREE"], "weights/default.weights")


class BuildFolder(unittest.TestCase):
    def test_import(self):
        """Where libengine.so is, Python finds the package, and the package finds its library."""
        others = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LIBENGINE_FOLDER")}
        script = "import libengine; print(libengine.Encoder().encode('I ride bike').tobytes().hex())"
        found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=others,
                               cwd=os.environ["LIBENGINE_FOLDER"])
        self.assertEqual(found.stdout.strip(), libengine.Encoder().encode("I ride bike").tobytes().hex(), found.stderr)


class Search(unittest.TestCase):
    def setUp(self):
        generator = np.random.default_rng(3)
        self.rows = generator.normal(size=(500, 64)).astype(np.float32)
        self.queries = generator.normal(size=(7, 64)).astype(np.float32)

    def test_best_rows(self):
        products = self.queries @ self.rows.T
        cosines = products / np.linalg.norm(self.rows, axis=1) / np.linalg.norm(self.queries, axis=1)[:, None]
        with tempfile.TemporaryDirectory() as folder:
            np.save(f"{folder}/rows.npy", self.rows)
            for vectors in (self.rows, f"{folder}/rows.npy", pathlib.Path(folder, "rows.npy"), self.rows[::1]):
                for metric, scores in (("cosine", cosines), ("dot", products)):
                    found = libengine.Index(vectors).search(self.queries, 5, metric)
                    for hits, expected in zip(found, scores):
                        self.assertEqual([hit["corpus_id"] for hit in hits], np.argsort(-expected)[:5].tolist())
                        np.testing.assert_allclose([hit["score"] for hit in hits], -np.sort(-expected)[:5], atol=1e-4)

    def test_types(self):
        encoder = libengine.Encoder(DEFAULT)
        texts = [f"text {i} has {i % 7} dogs and {i % 5} bikes" for i in range(50)]
        for precision in ("float32", "float16", "int8", "binary"):
            index = libengine.Index(encoder.encode(texts, precision=precision))
            found = index.search(encoder.encode(texts), 1)
            self.assertEqual([hits[0]["corpus_id"] for hits in found], list(range(50)), precision)
        self.assertEqual(len(index), 50)
        for top_k in (100, None):
            self.assertEqual(len(index.search(encoder.encode("dogs"), top_k)), 50)

    def test_empty_texts(self):
        encoder, texts = libengine.Encoder(DEFAULT), ["dogs", "", "a cat", "", "bikes"]
        for precision in ("float32", "float16", "int8"):
            for width in (None, 64):
                rows = encoder.encode(texts, precision=precision, truncate_dim=width)
                found = libengine.Index(rows, encoder=encoder).search(encoder.encode("", truncate_dim=width), 5)
                self.assertEqual(sorted(hit["corpus_id"] for hit in found), [0, 2, 4], precision)
        rows = encoder.encode_document(texts)
        for options, n in (({}, 5), ({"encoder": encoder}, 3), ({"encoder": encoder, "texts": texts}, 3)):
            self.assertEqual(len(libengine.Index(rows, **options).search(encoder.encode("dogs"), 5)), n)
        prompted = libengine.Encoder("roles.weights")  # of documents, too
        index = libengine.Index(prompted.encode_document(["dog", ""]), encoder=prompted)
        self.assertEqual([hit["corpus_id"] for hit in index.search(prompted.encode_query("dog"))], [0])

    def test_words(self):
        """Scores with words are those of encode-search --hybrid."""
        texts = [f"naïve text {i}: {i % 7} dogs ride" for i in range(300)] + [" ", "a rareword", "the dog naps"]
        asked, encoder = ["rareword", "dogs of 17", "unknown zzz"], libengine.Encoder(DEFAULT)
        vectors = encoder.encode(texts)
        np.save("words.npy", vectors)
        pathlib.Path("words.txt").write_text("".join(text + "\n" for text in texts))
        index, queries = libengine.Index(vectors, texts=texts), encoder.encode_query(asked)
        for weight in (1.0, 0.25):
            program = pathlib.Path(os.environ["LIBENGINE_FOLDER"], "encode-search")
            command = [program, "--hybrid", "-f", "tsv", "-k", "5", "--no-check", "--word-weight", str(weight),
                       "words.npy", "words.txt"]
            printed = subprocess.run(command, input="\n".join(asked), capture_output=True, text=True, check=True).stdout
            expected = [line.split("\t")[2:4] for line in printed.splitlines()]
            found = index.search(queries, 5, texts=asked, word_weight=weight)
            self.assertEqual([(hit["corpus_id"] + 1, np.float32(hit["score"])) for hits in found for hit in hits],
                             [(int(row), np.float32(score)) for row, score in expected])
        self.assertEqual(found[0][0]["corpus_id"], 301)
        self.assertEqual(index.search(queries[0], 5, texts=asked[0]), index.search(queries, 5, texts=asked)[0])
        self.assertEqual(index.search(encoder.encode_query(["", "dogs"]), 1, texts=[" ", "dogs"])[0], [])
        self.assertEqual(index.search(queries, 5, texts=np.array(asked)), index.search(queries, 5, texts=asked))
        self.assertEqual(index.search(queries[0], texts="\u3000"), [])
        pathlib.Path("junk.npy").write_bytes(b"junk")
        with self.assertRaisesRegex(ValueError, "junk.npy is no array"):
            libengine.Index("junk.npy")
        with self.assertRaisesRegex(ValueError, "302 texts, but 303 rows"):
            libengine.Index(vectors, texts=texts[1:])
        with self.assertRaisesRegex(TypeError, r"texts\[1\]"):
            libengine.Index(vectors[:2], texts=["a", None])
        with self.assertRaisesRegex(TypeError, r"texts\[0\]"):
            index.search(queries[0], texts=[None])
        for wrong in ({"texts": asked[:2]}, {"texts": asked, "word_weight": float("nan")}):
            with self.assertRaises(ValueError):
                index.search(queries, **wrong)
        with self.assertRaisesRegex(ValueError, "has no texts"):
            libengine.Index(vectors).search(queries, texts=asked)

    def test_wrong(self):
        index = libengine.Index(self.rows)
        for options in ({"queries": self.queries[:, :9]}, {"queries": self.queries, "metric": "x"}):
            with self.assertRaises(ValueError):
                index.search(**options)
        self.queries[3] = np.nan
        with self.assertRaisesRegex(libengine.EngineError, "NaN") as caught:
            index.search(self.queries)
        self.assertEqual(caught.exception.index, 3)
        for wrong in (self.rows[0], self.rows.astype(np.float64), np.zeros((2, 2), object)):
            with self.assertRaises(TypeError):
                libengine.Index(wrong)
        np.savez("two.npz", a=self.rows, b=self.rows)
        with self.assertRaisesRegex(TypeError, "two.npz has several arrays"):
            libengine.Index("two.npz")
        layouts = [("scale", "<f4"), ("values", "<f4", (8,))], [("scale", "<f4"), ("values", "i1", (2, 4))], \
            [("scale", "<f4"), ("values", "i1")], np.dtype([("scale", "<f4"), ("values", "i1", (5,))], align=True)
        for layout in layouts:
            with self.assertRaises(TypeError):
                libengine.Index(np.zeros(3, layout))
        self.assertEqual(index.search(self.queries[:0]), [])
        self.assertEqual(libengine.Index(self.rows[:0]).search(self.queries[0]), [])


class Arrow(unittest.TestCase):
    def test_arrays(self):
        try:
            import pyarrow as pa
        except ImportError:
            self.skipTest("encode_arrow needs pyarrow (sh tools/setup.sh hosts)")
        encoder, texts = libengine.Encoder(DEFAULT), ["I ride bike", "", None, "naïve 東京", "dog " * 50]
        expected = encoder.encode([text or "" for text in texts])
        whole = pa.array(texts)
        for array in (whole, whole.cast(pa.large_string()), whole.dictionary_encode(), texts,
                      whole.cast(pa.string_view()), pa.chunked_array([texts[:2], texts[2:]]), pa.array(["x"] + texts)[1:],
                      pa.concat_arrays([whole, whole])[5:]):
            found = encoder.encode_arrow(array)
            self.assertEqual((found.type, found.null_count), (pa.list_(pa.float32(), 256), 1))
            for row, text in enumerate(texts):
                self.assertEqual(found[row].is_valid, text is not None)
                if text is not None:
                    self.assertEqual(found[row].values.to_numpy().tobytes(), expected[row].tobytes())
        self.assertEqual(len(encoder.encode_arrow(pa.array([], pa.string()))), 0)
        self.assertEqual(len(encoder.encode_arrow(pa.chunked_array([], pa.string()))), 0)
        self.assertEqual(encoder.encode_arrow(whole, truncate_dim=64).type.list_size, 64)
        with self.assertRaises(pa.ArrowException):
            encoder.encode_arrow(pa.array([[1]]))
        for ends in ((0, 300, 5), (0, -9, 5)):
            wrong = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(np.array(ends, np.int32)),
                                                           pa.py_buffer(b"dogca")])
            with self.assertRaisesRegex(ValueError, "offsets are wrong"):
                encoder.encode_arrow(wrong)
        for options in ({"precision": "int8"}, {"output_value": "token_embeddings"}):
            with self.assertRaisesRegex(ValueError, "a row of numbers"):
                encoder.encode_arrow(whole, **options)
        from libengine import ray, spark
        batch = pa.record_batch({"text": whole})
        for encode in (ray.EncodeColumn("text", path=DEFAULT), pickle.loads(pickle.dumps(ray.EncodeColumn("text")))):
            self.assertEqual(encode(pa.table(batch))["vector"].combine_chunks(), encoder.encode_arrow(whole))
        self.assertEqual(next(spark.encode_column("text", path=DEFAULT)([batch])).column(1).null_count, 1)
        with self.assertRaises(KeyError):
            next(spark.encode_column("txt", path=DEFAULT)([batch]))


def write_static_model(folder):
    """Writes static embeddings [6, 8] as model2vec does."""
    words = ["[PAD]", "[UNK]", "i", "ride", "a", "bike"]
    tokenizer = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
                 "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None,
                 "decoder": None, "model": {"type": "WordLevel", "unk_token": "[UNK]",
                                            "vocab": {word: i for i, word in enumerate(words)}}}
    numbers = np.random.default_rng(1).normal(size=(6, 8)).astype("<f4")
    header = json.dumps({"embeddings": {"dtype": "F32", "shape": [6, 8], "data_offsets": [0, 192]}}).encode()
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "config.json").write_text('{"model_type": "model2vec", "normalize": true}')
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + numbers.tobytes())
    return numbers


class Pretrained(unittest.TestCase):
    def test_cache(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
            with self.assertRaisesRegex(OSError, "not a directory"):
                libengine.Encoder.from_pretrained(f"{folder}/none")
            model = pathlib.Path(folder, "model")
            model.mkdir()
            with self.assertRaisesRegex(OSError, "config.json"), \
                    mock.patch.object(pathlib.Path, "rglob", side_effect=AssertionError("it walks a folder of others")):
                libengine.Encoder.from_pretrained(model)
            numbers = write_static_model(model)
            first = libengine.Encoder.from_pretrained(model)
            mean = numbers[[2, 3, 5]].mean(0)
            np.testing.assert_allclose(first.encode("I ride bike"), mean / np.linalg.norm(mean), atol=1e-6)
            made = pathlib.Path(first.path)
            changed = made.stat().st_mtime_ns
            self.assertEqual(made.parent, pathlib.Path(folder, "cache/libengine"))
            self.assertEqual(libengine.Encoder.from_pretrained(str(model)).path, first.path)
            self.assertEqual(made.stat().st_mtime_ns, changed)
            self.assertNotEqual(libengine.Encoder.from_pretrained(model, weights="f16").path, first.path)
            data = bytearray((model / "model.safetensors").read_bytes())
            data[-1] ^= 0x80
            (model / "model.safetensors").write_bytes(data)
            self.assertNotEqual(libengine.Encoder.from_pretrained(model).path, first.path)
            self.assertEqual(len(os.listdir(made.parent)), 3)


class Adapters(unittest.TestCase):
    def test_langchain(self):
        try:
            from libengine.langchain import Embeddings
        except ImportError:
            self.skipTest("the adapter for LangChain needs langchain-core (sh tools/setup.sh hosts)")
        encoder = libengine.Encoder(DEFAULT)
        embeddings = Embeddings(encoder, truncate_dim=64)
        expected = encoder.encode(["dogs", "a bike"], truncate_dim=64).tolist()
        self.assertEqual(embeddings.embed_documents(["dogs", "a bike"]), expected)
        self.assertEqual(embeddings.embed_query("dogs"), expected[0])
        from langchain_core.vectorstores import InMemoryVectorStore
        store = InMemoryVectorStore.from_texts(["dogs bark", "I ride a bike"], embeddings)
        self.assertEqual(store.similarity_search("who rides?", k=1)[0].page_content, "I ride a bike")

    def test_llama_index(self):
        try:
            from libengine.llama_index import Embedding
        except ImportError:
            self.skipTest("the adapter for LlamaIndex needs llama-index-core (sh tools/setup.sh hosts)")
        encoder = libengine.Encoder(DEFAULT)
        embedding, expected = Embedding(encoder), encoder.encode(["dogs", "a bike"]).tolist()
        self.assertEqual(embedding.get_text_embedding_batch(["dogs", "a bike"]), expected)
        self.assertEqual(embedding.get_query_embedding("dogs"), expected[0])
        self.assertEqual(asyncio.run(embedding.aget_query_embedding("a bike")), expected[1])
        self.assertEqual(embedding.model_name, "default weights")
