"""What the training reads and makes (weights/train): tokens, variants, and nothing that the model is measured with.

    training_text.py ENCODE WEIGHTS"""

import json
import subprocess
import sys
import unittest
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "weights" / "train"))
import roles
import text
import variants
import wordpiece
from pairs import Pairs

encode, weights = sys.argv[1:3]


def ask(lines, *options):
    done = subprocess.run([encode, "-m", weights, *options], input="".join(s + "\n" for s in lines).encode(),
                          stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().splitlines()


def vocabulary():
    """All pieces of the weight file: every one is a candidate for a masked word."""
    found = json.loads(ask(["[MASK]"], "--fill", "--top", "8000", "-f", "json")[0])["masks"][0]["candidates"]
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
            self.assertNotEqual(sentence, reverse)
            self.assertNotIn(reverse, (sentence, again))
            # "a" becomes "an" where the nouns change places.
            self.assertEqual(*(sorted("a" if w == "an" else w for w in s.split()) for s in (sentence, reverse)))

    def test_nothing_that_measures_is_made(self):
        class Nothing: # a corpus without sentences
            lengths = source = document = numpy.zeros(1, int)
            names = ["novels", "wikinews", "speeches", "captions", "clinc", "banking", "tatoeba", "masc", "reviews"]
            sentence = None

        pairs = Pairs(Nothing, self.tokenizer, frozenset())
        made = [tuple(map(self.text, t)) for t in pairs.draw("roles", 300, numpy.random.default_rng(5))]
        measured = {text.key(made[7][1]), text.key(made[100][2]), text.key("a man is not walking")}
        pairs = Pairs(Nothing, self.tokenizer, frozenset(measured))
        made = [self.text(s) for t in pairs.draw("roles", 300, numpy.random.default_rng(5)) for s in t]
        self.assertEqual(len(made), 900)
        self.assertTrue(measured.isdisjoint(map(text.key, made)))
        self.assertFalse(pairs.may_show(self.ids("A man is not walking.")))
        self.assertTrue(pairs.may_show(self.ids("A man is walking.")))

    def test_roles_tsv_is_of_the_measures(self):
        for kind, sentence, again, reverse in text.read_table(text.ROLES):
            self.assertIn(kind, ("passive", "other"))
            self.assertEqual(len({sentence, again, reverse}), 3)


if __name__ == "__main__":
    found = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(found.failures) + len(found.errors)
    print("%d passed, %d failed" % (found.testsRun - bad, bad))
    sys.exit(bad > 0)
