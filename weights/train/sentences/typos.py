"""Typed errors: a word with two letters swapped, one missing, one doubled, one of a neighbouring key in place of
another or beside it; two words without the blank between them, or one with a blank in it. (Case and blanks after marks
are no matter: the tokenizer lowers all letters and splits at marks.)"""

import random
import zlib

KEYS = "qwertyuiop", "asdfghjkl", "zxcvbnm"
NEAR = {}
for row, keys in enumerate(KEYS):
    for at, key in enumerate(keys):
        NEAR[key] = [k for r in range(max(0, row - 1), min(3, row + 2)) for k in KEYS[r][max(0, at - 1):at + 2]
                     if k != key]
LEAST = 3 # letters of a word that gets an error; of those that measure one more


def mistyped(word, draw):
    """The word with one error, never the same word."""
    at, kind = draw.randrange(len(word)), draw.random()
    near = NEAR.get(word[at].lower(), [word[at]])
    if kind < 0.25 and word[at:at + 1] != word[at + 1:at + 2] and at + 1 < len(word):
        return word[:at] + word[at + 1] + word[at] + word[at + 2:]
    if kind < 0.5:
        return word[:at] + word[at + 1:]
    if kind < 0.65:
        return word[:at] + word[at] + word[at:]
    if kind < 0.9 and near[0] != word[at]:
        return word[:at] + draw.choice(near) + word[at + 1:]
    return word[:at] + draw.choice(near) + word[at:]


def with_errors(words, errors, draw, least=LEAST):
    """A list of words with so many errors, one of twelve in a blank; as it is where no word is long enough."""
    words = list(words)
    for _ in range(errors):
        places = [i for i, w in enumerate(words) if sum(map(str.isalpha, w)) >= least]
        if not places:
            break
        at = draw.choices(places, [len(words[i]) for i in places])[0]
        if draw.random() > 1 / 12:
            words[at] = mistyped(words[at], draw)
        elif at + 1 < len(words) and draw.random() < 0.7:
            words[at:at + 2] = [words[at] + words[at + 1]]
        else:
            cut = draw.randrange(1, len(words[at]))
            words[at:at + 1] = [words[at][:cut], words[at][cut:]]
    return words


def typed(text, errors=1):
    """The text with errors that depend on it alone."""
    draw = random.Random(zlib.crc32(text.encode()) + errors)
    return " ".join(with_errors(text.split(), errors, draw, LEAST + 1))
