"""What the training reads and makes (weights/train): tokens, variants, negations, opposites, and nothing that the model
is measured with.

    training_text.py ENCODE WEIGHTS [TEXTS]"""

import gzip
import json
import random
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from unittest import mock

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "weights" / "train"))
import gather
import measures
import opposites
import prepare
import retrieval
import text
import wordpiece
from corpus import REPEAT, Corpus
from sentences import order, roles, typos, variants, wordnet
from sentences.negation import Negation
from sentences.relations import Relations

try:
    import torch

    import batches
except ImportError:
    torch = None

encode, weights = sys.argv[1:3]


def ask(lines, *options):
    done = subprocess.run([encode, "-m", weights, *options], input="".join(s + "\n" for s in lines).encode(),
                          stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().splitlines()


def vocabulary():
    """All pieces of the weight file: every one is a candidate for a masked word."""
    found = json.loads(ask(["[MASK]"], "--fill", "--top", "16000", "-f", "json")[0])["masks"][0]["candidates"]
    return [c["text"] for c in sorted(found, key=lambda c: c["id"])]


class TrainingText(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tokenizer = wordpiece.WordPiece(vocabulary())
        cls.variants = variants.Variants(cls.tokenizer)

    def ids(self, sentence):
        return numpy.array(self.tokenizer(sentence), numpy.int64)

    def text(self, ids):
        return "no sentence" if ids is None else " ".join(self.tokenizer.pieces[i] for i in ids).replace(" ##", "")

    def test_python_tokens_are_those_of_the_engine(self):
        lines = ["I ride bike.", "Don't you?!", "Über-naïve Café\u0301s", "a\u00adb \u200bc", "\u4e2d\u6587 words", "$3,000.50 + 7%",
                 "unbelievablenesses " + "x" * 101 + " " + "y" * 100, "emoji \U0001f600 and \u2014 dash", "tab\tand\u00a0blank"]
        rng = numpy.random.default_rng(1)
        lines += [roles.triple(rng)[k] for k in range(3) for _ in range(100)]
        engine = [[int(i) for i in line.split()] for line in ask(lines, "--tokens", "--no-special", "-f", "ids")]
        self.assertEqual(engine, [self.tokenizer(line) for line in lines])

    def test_vocabulary_is_of_the_most_frequent_pairs(self):
        pieces = wordpiece.train({"abab": 5, "abc": 3, "bc": 1}, 120)
        self.assertEqual(pieces[:5], wordpiece.SPECIAL)
        merged = [p for p in pieces[5:] if len(p.lstrip("#")) > 1]
        # ab: 8, and 5 more inside; then abab, abc.
        self.assertEqual(merged[:3], ["ab", "##ab", "abab"])
        self.assertEqual(wordpiece.WordPiece(pieces).split("abab"), [pieces.index("abab")])

    def test_sentences(self):
        self.assertEqual(text.split_sentences('Mr. Hale came. "Did he?" No! He left'),
                         ["Mr. Hale came.", '"Did he?"', "No!", "He left"])
        self.assertEqual(text.tidy("I do n't know , sir ."), "I don't know, sir.")
        self.assertEqual(text.join_wrapped(["one line", "and more", "", "another"]), ["one line and more", "another"])

    def test_negation(self):
        rng = numpy.random.default_rng(6)
        for sentence, *negated in (("a man is playing a guitar", "a man is not playing a guitar",
                                    "no man is playing a guitar", "there is no man playing a guitar"),
                                   ("someone sings", "nobody sings", "no sentence"),
                                   ("somebody is ill", "nobody is ill", "somebody is not ill"),
                                   ("he can not swim", "he can swim"), ("the end is", "the end is not"),
                                   ("there is a dog in the park", "there is no dog in the park"),
                                   ("the dogs ran", "no dogs ran"), ("dogs run fast", "no sentence")):
            made = {self.text(self.variants.negated(self.ids(sentence), rng)) for _ in range(100)}
            self.assertEqual(made, set(negated))

    def test_another_word(self):
        rng, sentence = numpy.random.default_rng(7), "a man is riding a bike in the big city"
        other = self.ids("the old dog is playing with a ball")
        made = {self.text(self.variants.replaced(self.ids(sentence), other, rng)) for _ in range(100)}
        self.assertEqual(made, {"a man is playing a bike in the big city", "a ball is riding a bike in the big city",
                                "a man is riding a ball in the big city"})
        self.assertIsNone(self.variants.replaced(self.ids(sentence), self.ids("dogs ran"), rng))

    def test_another_order_has_the_same_words(self):
        rng, sentence = numpy.random.default_rng(2), "the small dog bites the old man in a street"
        made = {self.text(self.variants.reordered(self.ids(sentence), rng)) for _ in range(200)}
        self.assertNotIn(sentence, made)
        self.assertIn("the small street bites the old man in a dog", made)
        for other in made - {"no sentence"}:
            self.assertEqual(sorted(other.split()), sorted(sentence.split()))

    def test_said_again(self):
        rng = numpy.random.default_rng(3)
        same = set("the a dog does not bite man .".split())
        for _ in range(100):
            again = self.text(self.variants.restated(self.ids("the dog does not bite a man"), rng)).split()
            self.assertLessEqual(set(again), same)
            self.assertIn("not", again)

    def test_roles(self):
        rng = numpy.random.default_rng(4)
        for _ in range(200):
            sentence, again, reverse = roles.triple(rng)
            self.assertEqual(len({sentence, again, reverse}), 3)
            # "a" becomes "an" where the nouns are exchanged.
            self.assertEqual(*(sorted("a" if w == "an" else w for w in s.split()) for s in (sentence, reverse)))

    def corpus(self, sentences):
        """Of (source, document, sentence), by way of a cache."""
        ids = [self.tokenizer(s) for _, _, s in sentences]
        sources = sorted(REPEAT)
        with tempfile.TemporaryDirectory() as cache:
            numpy.savez(Path(cache, "tokens.npz"), tokens=numpy.concatenate(ids).astype(numpy.uint16),
                        ends=numpy.cumsum([len(i) for i in ids]), sources=numpy.array(sources),
                        source=numpy.array([sources.index(s) for s, _, _ in sentences], numpy.uint8),
                        document=numpy.array([d for _, d, _ in sentences], numpy.int32))
            return Corpus(Path(cache))

    def test_relations(self):
        rng = numpy.random.default_rng(10)
        relations = Relations(["clerk", "judge"], ["goat"], [("greet", "greeted", "greeted")], [("calm", "nervous")])
        for _ in range(300):
            said = [s.rstrip(".") for s in relations.triple(rng)]
            self.assertEqual(len(set(said)), 3, said)

    def test_typed_errors(self):
        draw = random.Random(1)
        made = {typos.mistyped("guitar", draw) for _ in range(3000)}
        self.assertNotIn("guitar", made)
        self.assertLessEqual({"ugitar", "guitr", "guittar", "guirar", "huitar"}, made)
        self.assertLessEqual({len(word) for word in made}, {5, 6, 7})
        for n in (1, 2):
            self.assertEqual(typos.typed("A man is playing a guitar.", n), typos.typed("A man is playing a guitar.", n))
            self.assertNotEqual(typos.typed("A man is playing a guitar.", n), "A man is playing a guitar.")
        self.assertEqual(typos.typed("I am a 12345"), "I am a 12345") # no word of four letters
        self.assertIn(["twowords"], [typos.with_errors(["two", "words"], 1, draw) for _ in range(300)])

    def test_order(self):
        beings = ["sailor" + a + b for a in "abcdefgh" for b in "abcdefgh"], ["goat", "hen"]
        known = order.Order(*beings, [("greet", "greeted", "greeted")], [("calm", "nervous")])
        measured = order.Order(*beings, [("greet", "greeted", "greeted")], [("calm", "nervous")], measured=True)
        rng = numpy.random.default_rng(12)
        held = {kind: [f for f in forms if f[0] == "!"] for kind, forms in order.FORMS.items()}
        for kind in order.FORMS:
            self.assertGreaterEqual(len(held[kind]), len(order.FORMS[kind]) / 10, kind)
            for _ in range(40):
                for made in (known, measured):
                    said = made.triple(rng, kind)
                    self.assertEqual(len(set(said)), 3, said)
                    self.assertNotIn("{", " ".join(said))
                self.assertEqual([f[0] for f in known.forms(kind, rng) if f in held[kind]], [])
                self.assertIn(1, [sum("!" + f in held[kind] for f in measured.forms(kind, rng))])
        self.assertTrue(all(map(order.kept_word, measured.living[0])))
        self.assertFalse(any(map(order.kept_word, known.living[0])))
        self.assertEqual(order.article("a old dog and a cat"), "an old dog and a cat")
        self.assertEqual([order.plural(w) for w in ("box", "city", "boy", "man")], ["boxes", "cities", "boys", "men"])

    def test_what_is_nearer(self):
        triples = [["on", "a", "b", "c"], ["on", "d", "e", "f"], ["to", "g", "h", "i"]]
        near = {("a", "b"): 0.9, ("a", "c"): 0.5, ("d", "e"): 0.6, ("d", "f"): 0.7, ("g", "h"): 0.8, ("g", "i"): 0.1}
        found = measures.order(triples, lambda pairs: [near[p] for p in pairs])
        self.assertEqual(found, {"on": 0.5, "to": 1.0, "AUC": 8 / 9})

    def test_what_replaces_the_default_weights(self):
        former = {**dict.fromkeys(measures.GOALS, 0.5), "order.tsv: cleft": 0.5}
        better = {name: value + 0.001 for name, value in former.items()}
        self.assertEqual(measures.replaces(former, better), [])
        self.assertEqual(measures.replaces(former, {**better, "SICK trial": 0.49}), [])
        self.assertEqual(measures.replaces(former, {**better, "SICK trial": 0.489}), ["worse in SICK trial"])
        self.assertEqual(measures.replaces(former, {**better, "order.tsv: cleft": 0.48}), ["worse in order.tsv: cleft"])
        self.assertEqual(measures.replaces(former, {**better, "SICK trial": 0.5, "Cranfield": 0.495}),
                         ["not better in SICK trial, Cranfield"])

    def test_dictionary(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "some.dict.dz")
            with gzip.open(path, "wt") as file:
                file.write("Actor \\Ac\"tor\\n. [L.]\n   1. One who acts in {plays}; a player. [1913 Webster]\n\n"
                           "         All the world's a stage.  --Shak.\nyclept\n   Called by the name of. [Obs.]\n")
            self.assertEqual(list(text.dictionary(path)), [["Actor: One who acts in plays; a player."]])

    def test_negation_in_many_forms(self):
        negation = Negation(["sing", "swim", "leave", "open"], {"sing": ["sang", "sung"], "leave": ["left", "left"]})
        for sentence, *expected in (
                ("the man is singing a song", "the man is not singing a song", "the man isn ' t singing a song",
                 "the man is never singing a song", "there is no man singing a song", "no man is singing a song"),
                ("she sang a song", "she did not sing a song", "she didn ' t sing a song", "she never sang a song",
                 "she refused to sing a song", "she failed to sing a song", "nobody sang a song", "she sang no song"),
                ("the army left the city", "the army did not leave the city", "no army left the city"),
                ("there is a dog outside", "there is no dog outside", "there isn ' t a dog outside"),
                ("he has a car", "he does not have a car", "he has no car"),
                ("a cup with a handle", "a cup without a handle")):
            self.assertLessEqual(set(expected), {" ".join(w) for w in negation.ways(sentence.split())}, sentence)
        for sentence in ("is the man singing ?", "nobody sang", "the singing man", "he has no car", "why she left it"):
            self.assertEqual(negation.ways(sentence.split()), [], sentence)

    def test_opposites(self):
        self.assertEqual(opposites.with_word("he is a happy man".split(), 3, "unhappy"), "he is an unhappy man".split())
        self.assertEqual(opposites.with_word("an old car".split(), 1, "new"), "a new car".split())
        self.assertEqual(opposites.graded([("happy", "sad")])[1:], [("happier", "sader"), ("happiest", "sadest")])
        self.assertIn(("opened", "closed"), gather.inflected([("open", "close")], self.wordnet()))

    def test_wordnet(self):
        folder = self.wordnet()
        self.assertEqual(wordnet.opposites(folder)["verb"], [("close", "open"), ("open", "close")])
        self.assertEqual(list(wordnet.glosses(folder))[0], ["open, open up: cause to open", "she opened the door"])
        self.assertEqual(wordnet.frequent(folder)["open", 2], 7)

    def wordnet(self):
        """A folder of two verbs in WordNet's form."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name)
        for part in wordnet.PARTS:
            (path / ("data." + part)).write_text("  1 a line of the licence\n")
        (path / "data.verb").write_text(
            "00000001 35 v 02 open 0 open_up 0 001 ! 00000002 v 0101 01 + 08 00 | cause to open; \"she opened the door\"\n"
            "00000002 35 v 01 close 0 001 ! 00000001 v 0101 01 + 08 00 | cause to shut\n")
        (path / "verb.exc").write_text("sang sing\nsung sing\n")
        (path / "cntlist.rev").write_text("open%2:35:00:: 1 7\n")
        return path

    def test_nothing_that_measures_is_made(self):
        sentences = [("tatoeba", i, "the dog of number %d bites a man" % i) for i in range(30)]
        for maker in (gather.Gatherer.__new__(gather.Gatherer), opposites.Maker.__new__(opposites.Maker)):
            maker.words, maker.corpus = self.tokenizer, self.corpus(sentences)
            maker.measured = {text.key("a man is not walking")}
            maker.made, maker.end, maker.count = [], 0, 0
            maker.begins, maker.lengths, maker.mates, maker.long, maker.ends = [], [], [], [], [0]
            as_given = self.tokenizer if isinstance(maker, gather.Gatherer) else str.split
            self.assertIsNone(maker.add(as_given("a man is not walking")))
            self.assertEqual(maker.made, [])
            self.assertEqual(maker.add(as_given("a man is walking")), 0)
            self.assertEqual(len(maker.made), 1)

    def test_nothing_that_measures_is_read(self):
        held = next(s for s in map("sentence {}".format, range(5000)) if text.held_out(s))
        with mock.patch("text.evaluation_keys", lambda folder: {"itmeasures"}), \
             mock.patch("text.documents", lambda folder, more: [("novels", ["It measures!", held, "It stays."]), ("masc", [held])]):
            kept, out, _ = prepare.collect("")
        self.assertEqual((kept, out), ([("novels", ["It stays."])], [("novels", held)]))

    @unittest.skipUnless(len(sys.argv) > 3 and Path(sys.argv[3], "evaluation").is_dir(), "needs the texts")
    def test_what_measures(self):
        keys = text.evaluation_keys(sys.argv[3])
        for sentences in (text.hans(sys.argv[3])[5][:2], text.blimp(sys.argv[3])[5][3:5], text.stsb(sys.argv[3], "dev")[5][:2],
                          text.sick(sys.argv[3], "TRIAL")[5][:2], text.read_table(text.ROLES)[5][1:],
                          text.read_table(text.RANKED)[5][1:], text.read_table(text.ORDER)[5][1:]):
            self.assertLessEqual(set(map(text.key, sentences)), keys)

    def test_sequences_are_of_whole_sentences_of_one_document(self):
        rng = numpy.random.default_rng(8)
        sentences = [("novels", i // 9, "the dog sees " + "a man and " * rng.integers(1, 9) + "a cat .") for i in range(300)]
        corpus = self.corpus(sentences + [("captions", 99, "a dog on a bike .")])
        document = numpy.repeat(corpus.document, corpus.lengths)
        for _ in range(100):
            begins, lengths = corpus.sequences(rng, 1000)
            self.assertLessEqual(set(begins), set(corpus.begins))
            self.assertTrue(((lengths > 0) & (lengths <= 62)).all())
            self.assertTrue((document[begins] == document[begins + lengths - 1]).all())

    @unittest.skipUnless(torch, "needs torch")
    def test_rows(self):
        ids, real = batches.rows(torch.arange(100, 120), numpy.array([0, 5]), numpy.array([3, 1]), torch.tensor([0, 9]))
        self.assertEqual(ids.tolist(), [[2, 100, 101, 102, 3], [2, 105, 9, 3, 0]])
        self.assertEqual(real.tolist(), [[True] * 5, [True] * 4 + [False]])

    @unittest.skipUnless(torch, "needs torch")
    def test_a_weight_file_is_a_checkpoint_again(self):
        import export
        import model
        import teacher
        import trainer
        import unpack
        with tempfile.TemporaryDirectory() as cache:
            inspect = str(Path(encode).with_name("encode-inspect"))
            command = [unpack.__file__, "--weights", weights, "--inspect", inspect, "--cache", cache]
            subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
            pieces = Path(cache, "vocab.txt").read_text(encoding="utf-8").splitlines()
            ours, shape = trainer.load(Path(cache, "start.pt"))
            other = {n: 3 * p.detach() for n, p in ours.items()}
            flat = torch.cat([p.reshape(-1) for p in other.values()])
            torch.save({"flat": flat, "state": {"settings": {"shape": shape}},
                        "shapes": [(n, p.shape) for n, p in other.items()]}, Path(cache, "other.pt"))
            subprocess.run([sys.executable, export.__file__, "--cache", cache, "--checkpoint", cache + "/start.pt",
                            "--mix", cache + "/other.pt", "0.25", "--out", cache + "/out"], check=True)
            made = teacher.read_safetensors(Path(cache, "out", "2_Dense", "model.safetensors"))["linear.weight"]
            dense = ours[model.DENSE].detach().numpy() # the export gives it a length of its own
            made, dense = made / numpy.linalg.norm(made), dense / numpy.linalg.norm(dense)
            self.assertTrue(numpy.allclose(made, dense, atol=2e-3))
            bert = model.Bert(*trainer.load(Path(cache, "start.pt")))
        self.assertEqual(pieces, self.tokenizer.pieces)
        lines = ["the dog bites a man .", "it is cold and wet today ."]
        with torch.no_grad():
            ids = torch.tensor([[wordpiece.CLS, *self.tokenizer(line), wordpiece.SEP] for line in lines])
            ours = bert.pooled(ids, ids > 0).numpy()
        theirs = [json.loads(line)["vector"] for line in ask(lines, "-p", "model", "-f", "json")]
        self.assertGreater((ours * numpy.array(theirs)).sum(1).min(), 0.998)

    @unittest.skipUnless(torch, "needs torch")
    def test_mask(self):
        line = self.ids("an unbelievableness of dogs , and 3 cats .")
        ids = numpy.tile(numpy.concatenate([[wordpiece.CLS], line, [wordpiece.SEP]]), (2000, 1))
        masker = batches.Masker(self.tokenizer.pieces)
        shown, at, targets = (t.numpy() for t in masker(torch.from_numpy(ids), batches.generator(9)))
        self.assertTrue((targets == ids.ravel()[at]).all())
        asked = numpy.zeros(ids.shape, bool)
        asked.ravel()[at] = True
        self.assertTrue((shown == ids)[~asked].all())
        self.assertFalse(asked[:, [0, -1]].any())
        for column, i in enumerate(line, 1):
            if masker.continues[i]: # whole words
                self.assertTrue((asked[:, column] == asked[:, column - 1]).all())
        self.assertAlmostEqual(asked[:, 1].mean(), batches.MASKED, delta=0.03)
        self.assertAlmostEqual(asked[:, -2].mean(), batches.MASKED_MARKS, delta=0.02)
        self.assertAlmostEqual((shown[asked] == wordpiece.MASK).mean(), 0.8, delta=0.03)
        self.assertAlmostEqual((shown == ids)[asked].mean(), 0.1, delta=0.03)

    @unittest.skipUnless(torch, "needs torch")
    def test_losses_of_opposites(self):
        import losses
        a, near, far = (torch.tensor([[1.0, 0.0]]), torch.tensor([[0.8, 0.6]]), torch.tensor([[0.0, 1.0]]))
        level, sure = torch.tensor([0.5]), torch.tensor([1.0])
        self.assertEqual(losses.opposed(a, a, far, level, sure)[0], 0)
        loss, right = losses.opposed(a, far, near, level, sure)
        # 0.8 and 0.6 are over the level, the mate is 0 where 0.8 is wanted.
        self.assertAlmostEqual(float(loss), 0.3 + 0.05 + 0.8, places=5)
        self.assertEqual(float(right), 0)

    def test_ranked_tsv_has_a_hundred_of_each_kind(self):
        rows = text.read_table(text.RANKED)
        self.assertEqual(Counter(kind for kind, *_ in rows), dict(passive=103, role=100, negation=100, antonym=100))
        self.assertEqual([row for row in rows if len(set(row)) != 4], [])

    def test_what_words_alone_say(self):
        pairs = [("a b", "B, a!"), ("a c", "d"), ("a b c", "a e")]
        same, none, some = measures.WordsAlone().cosines(pairs)
        self.assertAlmostEqual(same, 1)
        self.assertEqual(none, 0)
        self.assertTrue(0 < some < 0.5) # "a" occurs nearly everywhere
        scores = measures.TermWeights(["red fish", "red red dog dog dog dog", "cat"]).bm25("a red fish")
        self.assertTrue(scores[0] > scores[1] > scores[2] == 0)

    def test_what_a_search_finds(self):
        scores = numpy.array([[0.1, 0.9, 0.5]])
        self.assertEqual(retrieval.gain(scores, [{1}]), 1)
        self.assertAlmostEqual(retrieval.gain(scores, [{2}]), 1 / numpy.log2(3))
        self.assertEqual(retrieval.gain(scores, [{0}], most=2), 0)
        three = scores.repeat(3, 0)
        self.assertAlmostEqual(retrieval.gain(three, [{1}, set(), {2}]), (1 + 1 / numpy.log2(3)) / 2)
        self.assertEqual(retrieval.recall(three, [{1}, {0, 2}, set()], 2), 0.75)
        self.assertEqual(retrieval.nearest_kept(scores, numpy.array([[0.8, 0.2, 0.5]]), most=2), 0.5)

    def test_roles_tsv_tells_which_verbs_are_those_of_the_training(self):
        trained = {form for v in roles.DEEDS + [w for group, _ in roles.GROUPS for w in group] for form in v}
        for kind, sentence, again, reverse in text.read_table(text.ROLES):
            self.assertEqual(len({sentence, again, reverse}), 3)
            self.assertIn(kind, ("passive", "trained", "other"))
            if kind != "other":
                self.assertEqual(kind == "trained", not trained.isdisjoint(again.split()), again)


if __name__ == "__main__":
    found = unittest.main(argv=sys.argv[:1], exit=False).result
    bad, skipped = len(found.failures) + len(found.errors), len(found.skipped)
    for reason in sorted({reason for _, reason in found.skipped}):
        print("skipped: " + reason)
    print("%d passed, %d failed, %d skipped" % (found.testsRun - bad - skipped, bad, skipped))
    sys.exit(bad > 0)
