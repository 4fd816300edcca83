"""The negation of a sentence, as a list of words, in the many ways in which English says it."""

from sentences import roles

WITHOUT_T = {"is": "isn", "are": "aren", "was": "wasn", "were": "weren", "can": "can", "could": "couldn", "will": "won",
             "would": "wouldn", "should": "shouldn", "must": "mustn", "might": None, "may": None, "has": "hasn",
             "have": "haven", "had": "hadn", "do": "don", "does": "doesn", "did": "didn"} # the words before ' t
BE, HAVE = "is are was were".split(), "has have had".split()
NEGATIONS = set("""no not never nothing nobody none neither nor without cannot hardly t refuse refused refuses fail failed
    fails longer""".split())
QUESTIONS = set("what who whom whose when where why how which if unless do does did is are can could will would".split())
ARTICLES = set("a an the some any two three four several many my your his her our their its".split())
BEFORE_NOUNS = ARTICLES | set("of in on at for from with by to and or as into no this that these those".split())
AFTER_VERBS = ARTICLES | set("""me him them us it you to in on at for from with by into onto over up down out off away
    very well . , !""".split())


class Negation:
    def __init__(self, verbs, irregular):
        """verbs: the base forms; irregular: {base: [past, participle]} of verbs that have their own."""
        self.past, self.third = {}, {}
        for base in verbs:
            self.past.setdefault(irregular.get(base, [roles.past(base)])[0], base)
            self.third.setdefault(roles.third(base), base)
        self.bases = set(verbs)

    def verb(self, words):
        """(place, base, helper) of the finite verb, where it is plain to see without grammar."""
        for at in range(1, min(len(words) - 1, 6)):
            before, word, after = words[at - 1], words[at], words[at + 1]
            if before in BEFORE_NOUNS or before in WITHOUT_T or after not in AFTER_VERBS:
                continue
            if word in self.past and word not in self.bases:
                return at, self.past[word], "did"
            if word in self.third and before not in self.third:
                return at, self.third[word], "does"
            if before in ("i", "you", "we", "they") and word in self.bases:
                return at, word, "do"
        return None

    def ways(self, words):
        """The sentence's negations; none where it asks, or denies already."""
        if len(words) < 3 or words[0] in QUESTIONS or "?" in words or NEGATIONS & set(words):
            return []
        at = next((k for k, w in enumerate(words[:8]) if w in WITHOUT_T), None)
        verb = self.verb(words if at is None else words[:at])
        out = []
        if verb:
            out = self.of_verb(words, *verb)
        elif at:
            out = self.of_helper(words, at)
        return out + self.of_parts(words, verb[0] if verb else at)

    def of_helper(self, words, at):
        start, helper, rest = words[:at], words[at], words[at + 1:]
        if not rest:
            return []
        if helper in HAVE and rest[0] in ARTICLES:
            do = {"has": "does", "have": "do", "had": "did"}[helper]
            out = [start + [do, "not", "have"] + rest, start + [WITHOUT_T[do], "'", "t", "have"] + rest]
            return out + [start + [helper, "no"] + rest[1:]] * (rest[0] in ("a", "an", "some"))
        if helper in ("do", "does", "did"):
            return []
        out = [start + [helper, "not"] + rest] * 2
        if WITHOUT_T[helper]:
            out.append(start + [WITHOUT_T[helper], "'", "t"] + rest)
        if start == ["there"]:
            return out + [start + [helper, "no"] + rest[rest[0] in ("a", "an", "some"):]] * 3
        out.append(start + [helper, "never"] + rest)
        if helper in BE:
            out.append(start + [helper, "no", "longer"] + rest)
            if start[0] in ("a", "an", "the", "some", "two") and rest[0].endswith("ing"):
                out.append(["there", helper, "no"] + start[1:] + rest)
        return out

    @staticmethod
    def of_verb(words, at, base, helper):
        start, rest = words[:at], words[at + 1:]
        fails, refuses = {"did": ("failed", "refused"), "does": ("fails", "refuses"), "do": ("fail", "refuse")}[helper]
        return [start + [helper, "not", base] + rest, start + [WITHOUT_T[helper], "'", "t", base] + rest,
                start + ["never", words[at]] + rest, start + [fails, "to", base] + rest,
                start + [refuses, "to", base] + rest]

    @staticmethod
    def of_parts(words, verb):
        """Nobody for somebody, no things for a thing, without for with."""
        out = []
        if verb and words[0] in ("a", "an", "some", "two", "three", "the"):
            plural = words[0] == "the" and words[verb - 1].endswith("s")
            out.append((["none", "of", "the"] if plural else ["no"]) + words[1:])
        if words[0] in ("somebody", "someone", "he", "she", "everybody", "everyone") and verb == 1:
            out.append([["nobody"], ["no", "one"]][len(words) % 2] + words[1:])
        if verb and words[verb] not in WITHOUT_T and words[verb + 1:verb + 2] in (["a"], ["an"], ["some"]):
            out.append(words[:verb + 1] + ["no"] + words[verb + 2:])
        for k, word in enumerate(words[2:-1], 2):
            if len(words) < 10 and word == "with" and words[k + 1] in ARTICLES:
                out.append(words[:k] + ["without"] + words[k + 1:])
        return out
