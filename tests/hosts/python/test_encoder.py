"""What Encoder returns is what the command prints; wrong input is an exception that names the text."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import warnings

import numpy as np

import libengine

TREE = pathlib.Path(os.environ["TREE"])
DEFAULT = TREE / "weights/default.weights"


def command(model, *options, text=None, program="encode"):
    """Returns the objects that encode -f json prints."""
    program = os.environ["LIBENGINE_FOLDER"] + "/" + program
    done = subprocess.run([*program.split(), "-m", model, "-f", "json", *options], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def same(test, found, expected):
    """The numbers of JSON read back as exactly the same float32."""
    expected = np.array(expected, np.float32)
    test.assertEqual(found.shape, expected.shape)
    test.assertEqual(found.tobytes(), expected.tobytes())


class Vectors(unittest.TestCase):
    def setUp(self):
        self.encoder = libengine.Encoder(DEFAULT)

    def test_one_text_many_texts_and_pairs(self):
        texts = ["I ride bike", "", "naïve 東京", "a\0b"]
        expected = [line["vector"] for line in command(DEFAULT, "-p", "model", "--input", "jsonl",
                                                       text="".join(json.dumps(text) + "\n" for text in texts))]
        same(self, self.encoder.encode(texts), expected)
        same(self, self.encoder.encode(tuple(texts), batch_size=1), expected)
        same(self, self.encoder.encode(np.array(texts[:3])), expected[:3])
        same(self, self.encoder.encode(np.array(texts, object)), expected)
        same(self, self.encoder.encode(texts[0]), expected[0])
        same(self, self.encoder.encode(np.str_(texts[0])), expected[0])
        items = [{"text": "I ride", "pair": "a bike é"}, {"ids": [2, 51, 0, 3], "mask": [1, 1, 0, 1]}, texts[0]]
        lines = command(DEFAULT, "-p", "model", "--input", "jsonl", text="".join(json.dumps(i) + "\n" for i in items))
        same(self, self.encoder.encode(items), [line["vector"] for line in lines])
        same(self, self.encoder.encode(items[0]), lines[0]["vector"])
        for pair in (["I ride", "a bike é"], ("I ride", "a bike é")):
            same(self, self.encoder.encode([texts[0], pair])[1], lines[0]["vector"])
            self.assertEqual(self.encoder.tokenize([pair]), self.encoder.tokenize(items[:1]))

    def test_no_texts(self):
        self.assertEqual(self.encoder.encode([]).shape, (0, 256))
        self.assertEqual(self.encoder.encode([], precision="binary").shape, (0, 32))
        self.assertEqual(self.encoder.encode([], output_value="token_embeddings"), [])
        self.assertEqual(self.encoder.rank("x", []), [])
        self.assertFalse(self.encoder.encode([{"ids": []}]).any())  # as the command's vector

    def test_tokens_and_states(self):
        line = command(DEFAULT, "naïve 東京 dogs")[0]
        same(self, self.encoder.encode("naïve 東京 dogs", output_value="token_embeddings"), line["vectors"])
        tokens = self.encoder.tokenize("naïve 東京 dogs")
        self.assertEqual([t.id for t in tokens], [t["id"] for t in line["tokens"]])
        data = "naïve 東京 dogs".encode()
        for token, expected in zip(tokens, line["tokens"]):
            self.assertEqual(token.text, expected["text"])
            if not token.special:
                begin, end = expected["span"]
                self.assertEqual("naïve 東京 dogs"[token.begin:token.end], data[begin:end].decode())
        pair = self.encoder.tokenize({"text": "é dog", "pair": "é cat"})
        self.assertEqual([("é cat" if t.in_pair else "é dog")[t.begin:t.end] for t in pair if not t.special],
                         ["é", "dog", "é", "cat"])
        ragged = self.encoder.encode(["a", "b c", "d"], output_value="token_embeddings", batch_size=2)
        self.assertEqual([len(rows) for rows in ragged], [3, 4, 3])
        same(self, ragged[1], command(DEFAULT, "b c")[0]["vectors"])
        states, maps = self.encoder.hidden_states("I ride bike"), self.encoder.attention("I ride bike")
        self.assertEqual((states.shape, maps.shape), ((5, 5, 256), (4, 4, 5, 5)))
        same(self, states[-1], command(DEFAULT, "I ride bike")[0]["vectors"])
        np.testing.assert_allclose(maps.sum(-1), 1, atol=1e-6)

    def test_types_and_columns(self):
        vectors = self.encoder.encode(["I ride bike", "dogs"])
        with tempfile.TemporaryDirectory() as folder:
            for precision, kind in (("float16", "f16"), ("int8", "int8"), ("binary", "binary")):
                command(DEFAULT, "-p", "model", "-f", "npy", "--type", kind, "-o", f"{folder}/x.npy",
                        text="I ride bike\ndogs\n")
                expected, found = np.load(f"{folder}/x.npy"), self.encoder.encode(["I ride bike", "dogs"],
                                                                                precision=precision)
                self.assertEqual((found.dtype, found.shape, found.tobytes()),
                                 (expected.dtype, expected.shape, expected.tobytes()))
        short = self.encoder.encode(["I ride bike", "dogs"], truncate_dim=64)
        same(self, short, [line["vector"] for line in command(DEFAULT, "-p", "model", "--dimensions", "64",
                                                              "I ride bike", "dogs")])
        np.testing.assert_allclose(np.linalg.norm(short, axis=1), 1, atol=1e-6)
        np.testing.assert_allclose(self.encoder.similarity(vectors), vectors @ vectors.T, atol=1e-6)
        np.testing.assert_allclose(self.encoder.similarity(["dogs"], "I ride bike"), vectors[1:] @ vectors[:1].T,
                                   atol=1e-6)
        for given in (vectors.tolist(), list(vectors), ("I ride bike", "dogs"), np.array(["I ride bike", "dogs"])):
            np.testing.assert_allclose(self.encoder.similarity(given), vectors @ vectors.T, atol=1e-6)
        for wrong in (vectors > 0, self.encoder.encode(["dogs"], precision="binary"), vectors[None]):
            with self.assertRaises(TypeError):
                self.encoder.similarity(wrong)
        for wrong in ({"prompt": b"I ride "}, {"prompt_name": 5}):
            with self.assertRaisesRegex(TypeError, "give a str"):
                self.encoder.encode("dogs", **wrong)
        same(self, self.encoder.encode("bike", prompt="I ride "), self.encoder.encode("I ride bike"))

    def test_limit_of_texts(self):
        self.assertEqual((libengine.Encoder("short.weights").max_seq_length, self.encoder.max_seq_length), (7, 512))

    def test_model_without_pooling(self):
        encoder = libengine.Encoder("states.weights")
        same(self, encoder.encode("a b"), command("states.weights", "-p", "mean", "a b")[0]["vector"])
        np.testing.assert_allclose(np.linalg.norm(encoder.encode(["a b"], normalize_embeddings=True)), 1, atol=1e-6)

    def test_rank(self):
        texts = ["", "dogs bark", "I ride a bike", "rain", "my bike is red", " "]
        lines = command(DEFAULT, "--rank", "who rides?", text="\n".join(texts) + "\n")
        found = self.encoder.rank("who rides?", texts, return_documents=True)
        self.assertEqual([(hit["corpus_id"], np.float32(hit["score"]), hit["text"]) for hit in found],
                         [(line["index"], np.float32(line["score"]), line["text"]) for line in lines])
        self.assertEqual(self.encoder.rank("who rides?", texts, top_k=1)[0]["corpus_id"], lines[0]["index"])
        self.assertEqual([(hit["corpus_id"], hit["score"]) for hit in found[4:]], [(0, -1), (5, -1)])

    def test_metrics(self):
        texts = ["I ride bike", "bad dog", "I ride", "dog dog I"]
        for metric in ("cosine", "dot", "euclidean", "manhattan"):
            encoder = libengine.Encoder(f"{metric}.weights")
            self.assertEqual(encoder.similarity_fn_name, metric)
            expected = command(encoder.path, *texts, program="encode-compare similarity")[0]["similarity"]
            for given in (texts, encoder.encode(texts)):
                np.testing.assert_allclose(encoder.similarity(given), expected, rtol=1e-5, atol=1e-6)
            lines = command(encoder.path, "--rank", texts[0], text="\n".join(texts) + "\n")
            found = encoder.rank(texts[0], texts)
            self.assertEqual([hit["corpus_id"] for hit in found], [line["index"] for line in lines])
            hits = libengine.Index(encoder.encode(texts)).search(encoder.encode(texts[0]), metric=metric)
            self.assertEqual([hit["corpus_id"] for hit in hits], [line["index"] for line in lines])
            np.testing.assert_allclose([hit["score"] for hit in hits], [line["score"] for line in lines], atol=1e-6)

    def test_prompts_of_roles(self):
        """As sentence-transformers: query and document, or none; the default one is of other texts."""
        encoder, text = libengine.Encoder("roles.weights"), "I ride bike"
        same(self, encoder.encode_query(text), encoder.encode(text, prompt_name="query"))
        same(self, encoder.encode_document(text), encoder.encode(text, prompt_name=""))
        same(self, encoder.encode(text), encoder.encode(text, prompt_name="usual"))
        self.assertNotEqual(encoder.encode(text).tolist(), encoder.encode_document(text).tolist())

    def test_labels_are_no_vectors(self):
        for name, labels in (("head", "'bad', 'good'"), ("token", "'O', 'B-x', 'I-x'"), ("pairs", "'no', 'yes'")):
            encoder = libengine.Encoder(f"{name}.weights")
            calls = [lambda: encoder.encode("I ride"), lambda: encoder.similarity(["I", "ride"])]
            for call in calls + [lambda: encoder.rank("I", ["ride"])] * (name != "pairs"):
                with self.assertRaisesRegex(libengine.EngineError, labels):
                    call()

    def test_rank_of_pairs(self):
        """The second of two labels, the default prompt before the query, a limit that the file lets cut."""
        encoder, texts = libengine.Encoder("pairs.weights"), ["ride bike", "dog bad dog bad dog", "I"]
        lines = command("pairs.weights", "--rank", "dog", text="\n".join(texts) + "\n")
        self.assertEqual(lines[0]["query"], "bad dog")
        with self.assertWarnsRegex(UserWarning, "texts are cut to the 6 tokens"):
            found = encoder.rank("dog", texts)
        self.assertEqual([(hit["corpus_id"], np.float32(hit["score"])) for hit in found],
                         [(line["index"], np.float32(line["score"])) for line in lines])
        logits = encoder.classify([("dog", texts[0])])[0]
        score = next(hit["score"] for hit in found if hit["corpus_id"] == 0)
        self.assertAlmostEqual(score, 1 / (1 + np.exp(logits[0] - logits[1])), places=6)
        with self.assertRaises(libengine.InputError):
            encoder.rank("dog", texts, on_long="error")

    def test_cache_of_imports(self):
        """The cache knows each file that encode-import may read, and not those for other programs."""
        from libengine.pretrained import checksum
        with tempfile.TemporaryDirectory() as name:
            folder, seen = pathlib.Path(name), set()
            for path in ("config.json", "sparse_linear.pt", "colbert_linear.pt", "artifact.metadata", "shard.weights"):
                for text in ("a", "b"):
                    (folder / path).write_text(text)
                    seen.add(checksum(folder, None))
            self.assertEqual(len(seen), 10)
            (folder / "model.onnx").write_text("a")
            self.assertIn(checksum(folder, None), seen)

    def test_fill(self):
        masks = command(DEFAULT, "--fill", "--top", "3", "the [MASK] bites the [MASK]")[0]["masks"]
        found = self.encoder.fill("the [MASK] bites the [MASK]", top_k=3)
        self.assertEqual([[(c.text, c.id, np.float32(c.score)) for c in words] for words in found],
                         [[(c["text"], c["id"], np.float32(c["score"])) for c in mask["candidates"]] for mask in masks])

    def test_heads(self):
        encoder = libengine.Encoder("head.weights")
        labels = command("head.weights", "--labels", "--all", "I ride bike")[0]["labels"]
        scores = encoder.classify("I ride bike")
        self.assertEqual(encoder.labels, ["bad", "good"])
        self.assertEqual({encoder.labels[i]: np.float32(scores[i]) for i in range(2)},
                         {label["label"]: np.float32(label["score"]) for label in labels})
        self.assertEqual((encoder.classify(["a", "b"]).shape, encoder.classify([]).shape), ((2, 2), (0, 2)))
        encoder = libengine.Encoder("token.weights")
        expected = command("token.weights", "--entities", "I ride bike I ride")[0]["entities"]
        self.assertTrue(expected)
        self.assertEqual([(e.text, e.label, np.float32(e.score), [e.begin, e.end])
                          for e in encoder.entities("I ride bike I ride")],
                         [(e["text"], e["label"], np.float32(e["score"]), e["span"]) for e in expected])
        self.assertEqual([s.shape for s in encoder.classify(["I ride", "bike"])], [(2, 3), (1, 3)])

    def test_spans(self):
        encoder, text = libengine.Encoder("states.weights"), "I ride ä bike 東京 dog"
        for normalize in (False, True):
            tokens, rows = encoder.tokenize(text), encoder.encode(text, output_value="token_embeddings")
            spans = [(0, 6), (7, 13), (14, 16), (8, 20), (6, 7), (20, 20)]
            found = encoder.encode_spans(text, spans, normalize_embeddings=normalize, prompt="")
            for (begin, end), vector in zip(spans, found):
                own = [row for token, row in zip(tokens, rows) if token.begin < end and token.end > begin]
                mean = np.mean(own, axis=0, dtype=np.float64) if own else np.zeros(rows.shape[1])
                mean /= np.linalg.norm(mean) if normalize and own else 1
                self.assertLessEqual(np.abs(vector - mean).max(), 1e-6)
        self.assertEqual(encoder.encode_spans(text, []).shape, (0, encoder.width))
        self.assertRaises(TypeError, encoder.encode_spans, [text], [])
        for wrong in ((1, 0), (0, len(text) + 1), (len(text) + 1, len(text) + 2)):
            self.assertRaises(ValueError, encoder.encode_spans, text, [(0, 1), wrong])
        self.assertRaises(ValueError, encoder.encode_spans, text, [(-1, 2)])
        for wrong in ([(0, 1, 2), (3, 4, 5)], [(0,), (1,)]):  # as many numbers as pairs have
            self.assertRaises(ValueError, encoder.encode_spans, text, wrong)

    def test_explain(self):
        for name in ("vectors.weights", "biased.weights", "roles.weights", "dot.weights"):
            encoder, texts = libengine.Encoder(name), ("I ride the bike", "dog ride")
            first, second, shares = encoder.explain(*texts)
            self.assertEqual(shares.shape, (len(first), len(second)))
            self.assertLessEqual(abs(shares.sum() - encoder.similarity(encoder.encode([texts[0]]),
                                                                       encoder.encode([texts[1]]))[0, 0]), 1e-6)
            self.assertEqual("(biases)" in first, name == "biased.weights")
            self.assertIn("ride", first)
        self.assertIn("bad", libengine.Encoder("roles.weights").explain(*texts)[0])  # of the default prompt
        self.assertNotIn("bad", libengine.Encoder("roles.weights").explain(*texts, prompt_name="")[0])
        self.assertRaises(ValueError, libengine.Encoder("euclidean.weights").explain, *texts)
        self.assertRaises(TypeError, encoder.explain, ["I"], "ride")
        with self.assertRaisesRegex(libengine.EngineError, "first token alone"):
            libengine.Encoder("first.weights").explain(*texts)

    def test_zero_shot(self):
        encoder, texts, labels = libengine.Encoder("nli.weights"), ["I ride bike", "bad"], ["dog", "bike", "I ride"]
        for multi, template in ((False, None), (True, "is {}")):
            options = (["--multi"] if multi else []) + (["--template", template] if template else [])
            lines = command("nli.weights", "--labels-of", ",".join(labels), "--all", *options, *texts)
            scores = [{label["label"]: label["score"] for label in line["labels"]} for line in lines]
            settings = {"multi_label": multi, **({"template": template} if template else {})}
            found = encoder.classify(texts, labels, **settings)
            same(self, found, [[row[label] for label in labels] for row in scores])
            same(self, encoder.classify(texts[0], labels, batch_size=2, **settings), found[0])
        self.assertEqual(encoder.classify([], labels).shape, (0, 3))
        with self.assertRaisesRegex(libengine.EngineError, "no label 'entailment'"):
            libengine.Encoder("head.weights").classify("a", labels)
        with self.assertRaisesRegex(libengine.InputError, "has no {}"):
            encoder.classify("a", labels, template="x")
        for wrong in ("dog", []):
            self.assertRaises(TypeError, encoder.classify, texts, wrong)

    def test_sparse_and_colbert(self):
        try:
            import scipy  # noqa: F401
        except ImportError:
            self.skipTest("encode_sparse needs scipy (sh tools/setup.sh hosts)")
        encoder, texts = libengine.Encoder("vectors.weights"), ["I ride a bike", "", "the dog"]
        found = encoder.encode_sparse(texts, batch_size=2)
        self.assertEqual((found.shape, found.dtype), ((3, encoder.vocabulary_size), np.float32))
        for row, line in enumerate(command("vectors.weights", "-p", "sparse", "--input", "jsonl",
                                           text="".join(json.dumps(text) + "\n" for text in texts))):
            self.assertEqual(dict(zip(found[row].indices.tolist(), found[row].data)),
                             {w["id"]: np.float32(w["weight"]) for w in line["weights"]})
        same(self, encoder.encode(texts, output_value="colbert")[0],
             command("vectors.weights", "-p", "colbert", texts[0])[0]["vectors"])


class Wrong(unittest.TestCase):
    def setUp(self):
        self.encoder = libengine.Encoder(DEFAULT)

    def test_types(self):
        for item, words in ((3, "sentences[2] is of type int"), (None, "sentences[2] is of type NoneType"),
                            (b"x", "sentences[2] is of type bytes"), (["a"], "sentences[2] is of type list"),
                            (["a", 1], "sentences[2]['pair'] is of type int"),
                            ({"text": 1}, "sentences[2]['text'] is of type int")):
            with self.assertRaisesRegex(TypeError, words.replace("[", r"\[").replace("]", r"\]")):
                self.encoder.encode(["a", "b", item])
        for item in ({}, {"pair": "x"}, {"text": "a", "ids": [1]}, {"words": "x"}, {"ids": [1.5]}, {"ids": [2 ** 40]},
                     {"ids": [1, 2], "types": [0]}, {"ids": [1, 2], "mask": [2, 1]}):
            with self.assertRaises((ValueError, OverflowError)):
                self.encoder.encode(["a", item])
        table = type("DataFrame", (list,), {"columns": ["a"]})(["a"])
        for wrong in (b"bytes", 3, None, table, {"a", "b"}):
            with self.assertRaises(TypeError):
                self.encoder.encode(wrong)
        for options in ({"precision": "x"}, {"output_value": "x"}, {"batch_size": 0}, {"role": "x"}, {"on_long": "x"},
                        {"truncate_dim": 2 ** 64 + 3}, {"truncate_dim": -1}, {"truncate_dim": 0}, {"prompt_name": "query\0"},
                        {"output_value": "token_embeddings", "precision": "int8"}):
            with self.assertRaises(ValueError):
                self.encoder.encode(["a"], **options)

        for wrong in ({"path": f"{DEFAULT}\0"}, {"threads": 2 ** 64 + 1}, {"threads": -1}):
            with self.assertRaisesRegex(ValueError, next(iter(wrong)) + "="):
                libengine.Encoder(**{"path": DEFAULT, **wrong})
        with self.assertRaisesRegex(ValueError, "threads=-1"):
            libengine.Index(np.zeros((1, 2), np.float32), threads=-1)
        index = libengine.Index(self.encoder.encode(["a", "b"]))
        for call in (self.encoder.fill, lambda text, **k: self.encoder.rank(text, ["b", "c"], **k),
                     lambda text, **k: index.search(self.encoder.encode(text), **k)):
            for top_k in (2 ** 64 + 1, -1):
                with self.assertRaisesRegex(ValueError, "top_k="):
                    call("a", top_k=top_k)
            with self.assertRaises(TypeError):
                call("a", top_k=1.5)

    def test_cut(self):
        """A text that the model's file says is cut is so with a warning, unless the caller says the same."""
        encoder = libengine.Encoder("cut.weights")
        with self.assertWarnsRegex(UserWarning, "7 tokens") as caught:
            cut = encoder.encode(["a " * 50, "a"])
        self.assertEqual(caught.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            same(self, encoder.encode(["a " * 50, "a"], on_long="truncate"), cut)
            encoder.encode(["a", {"ids": [2, 3]}])

    def test_errors_of_the_library(self):
        encoder = libengine.Encoder("short.weights")
        with self.assertRaisesRegex(libengine.InputError, r"sentences\[5\].*tokens") as caught:
            encoder.encode(["a"] * 5 + ["a " * 50], batch_size=3)
        self.assertEqual((caught.exception.index, caught.exception.status), (5, 8))
        self.assertIsInstance(caught.exception, ValueError)
        self.assertEqual(encoder.encode(["a"] * 5 + ["a " * 50], on_long="truncate").shape, (6, 16))
        with self.assertRaisesRegex(libengine.InputError, r"sentences\[1\]"):
            self.encoder.encode(["a", {"ids": [99999]}])
        with self.assertRaisesRegex(libengine.InputError, "no-such"):
            self.encoder.encode("a", prompt_name="no-such")
        with self.assertRaises(libengine.EngineError):
            self.encoder.classify(["a"])
        with self.assertRaisesRegex(OSError, "no-such"):
            libengine.Encoder("no-such.weights")
        pathlib.Path("text.weights").write_text("no weights\n" * 50)
        with self.assertRaises(libengine.WeightsError):
            libengine.Encoder("text.weights")

    def test_surrogates_and_long_texts(self):
        same(self, self.encoder.encode("a \ud800 b"), self.encoder.encode(["a \ufffd\ufffd\ufffd b"])[0])
        self.assertEqual(len(self.encoder.tokenize("word " * 100000)), 100002)
        self.assertEqual(self.encoder.encode(["word " * 1000000, "a"], on_long="truncate").shape, (2, 256))

    def test_closed(self):
        with self.encoder as encoder:
            encoder.encode("a")
        for call in (encoder.encode, encoder.tokenize, encoder.classify, encoder.fill, encoder.hidden_states):
            with self.assertRaisesRegex(ValueError, "closed"):
                call("a")
        encoder.close()

    def test_memory_returns(self):
        """A hundred opened and forgotten encoders leave no map of their weight file."""
        def maps():
            return pathlib.Path("/proc/self/maps").read_text().count("default.weights")

        before = maps()  # other tests may have some
        for _ in range(100):
            libengine.Encoder(DEFAULT).encode("I ride bike")
        self.assertLessEqual(maps(), before + 1)
