"""Small sentences of relations between two subjects, their paraphrases, and the same reversed.

Not the relations of tests/quality/roles.tsv, which measure: behind, above, taller, sold, before and the like."""

from sentences import roles

COMPARED = """old young;heavy light;rich poor;strong weak;big small;loud quiet;wide narrow;deep shallow;smart dumb;
    happy sad;clean dirty;safe risky;warm cold;kind cruel;lucky unlucky;busy lazy;brave shy;near far;thick thin;high low;
    early late;hot cool;hard soft;good bad;large tiny;cheap expensive;easy difficult;calm nervous;polite rude;dark bright"""
PLACED = """to the left of:to the right of;east of:west of;under:over;on top of:underneath;upstream of:downstream of;
    uphill from:downhill from;inside:around"""
# What one does to the other with something, and how the other's part is called.
PASSED = """lent:borrowed:from;sent:received:from;showed:saw:of;handed:took:from;leased:rented:from;mailed:got by mail:from;
    promised:expected:from;read:heard:from;paid:earned:from;served:was served:by;offered:was offered:by;
    granted:obtained:from;left:inherited:from;threw:caught:from;passed:accepted:from;awarded:won:from"""
DONE = """defeated:lost to;employs:works for;scares:is afraid of;owns:belongs to;led:went after;raised:grew up with;
    cured:recovered thanks to;pleases:is fond of;inspired:got ideas from;outlived:died earlier than;contains:lies in;
    hunts:runs away from;parents:is a child of;teaches:studies with;commands:takes orders from;chases:flees from;
    hosted:was a guest of;frightens:fears;convinced:was persuaded by;exports to:imports from;lies upstairs from:is located
    downstairs from;arrived earlier than:came later than;woke up later than:got up earlier than;hides:is hidden by;
    covers:lies underneath;surrounds:is in the middle of;produces:comes out of;replaced:gave way to;
    caused:came about through;precedes:comes later than;surpassed:fell short of;supports:rests on;bores:is tired of"""
THINGS = """book letter car house boat ring key coat phone picture horse bicycle map ladder guitar tent camera clock
    story song newspaper chair lamp knife rope bag shirt dress computer""".split()
NAMES = """Tom Mary John Anna Peter Alice Paul Jane David Emma George Linda Mark Susan James Laura Kevin Nancy Brian
    Julia""".split()
GROUPS = """company bank team city army school club hospital village church factory museum library government party
    newspaper union court""".split()
COUNTRIES = """France Spain Italy Japan China India Canada Mexico Brazil Egypt Poland Sweden Norway Greece Austria Chile
    Kenya Cuba Iran Iraq Israel Portugal Denmark Finland""".split()
COLORS = "red blue green white black brown yellow old young big small tall short happy sad wet dry new fat thin".split()
EVENTS = """the lights went out;the music stopped;it began to rain;the children cried;he lost his job;she moved away;
    the road was closed;the price went up;the team won;the phone rang;the dog barked;he was late;she was tired;
    they missed the train;the window broke;the crowd left;he fell ill;she laughed;the shop closed;the river froze;
    he stayed at home;she called the police;the engine failed;they lost the match;the baby woke up;he quit smoking"""


def table(text, mark):
    return [entry.strip().split(mark) for entry in text.replace("\n", " ").split(";")]


COMPARED, PLACED, PASSED, DONE = table(COMPARED, " "), table(PLACED, ":"), table(PASSED, ":"), table(DONE, ":")
EVENTS = [entry for entry, in table(EVENTS, ":")]


def comparative(adjective):
    """Of a short one with -er; what is one already stays."""
    if adjective.endswith("er") or adjective.startswith("less "):
        return adjective
    if len(adjective) > 6 or len(adjective) > 4 and not adjective.endswith(("y", "e", "l", "t", "d", "k", "p", "h")):
        return "more " + adjective
    if adjective.endswith("y"):
        return adjective[:-1] + "ier"
    if adjective.endswith("e"):
        return adjective + "r"
    double = len(adjective) == 3 and adjective[-1] not in "wxy" and adjective[-2] in "aeiou"
    return adjective + (adjective[-1] if double else "") + "er"


class Relations:
    def __init__(self, people, animals, verbs, opposites):
        """More people, animals and verbs (base, past, participle) than roles.py names itself, and pairs of adjectives
        that are opposites."""
        self.opposites = opposites
        self.people, self.animals = roles.PEOPLE + people, roles.ANIMALS + animals
        self.verbs = roles.DEEDS + verbs

    def one(self, rng, words):
        return words[rng.integers(len(words))]

    def two(self, rng):
        """Two of a kind as a sentence's subject and object."""
        kind = rng.random()
        words = (self.people if kind < 0.45 else self.animals if kind < 0.6 else GROUPS if kind < 0.7
                 else THINGS if kind < 0.75 else NAMES if kind < 0.9 else COUNTRIES)
        a, b = (words[i] for i in rng.choice(len(words), 2, replace=False))
        if words is NAMES or words is COUNTRIES:
            return a, b
        determiner = self.one(rng, ("the ", "the ", "a", "my ", "", "this "))
        return roles.phrase(a, determiner), roles.phrase(b, determiner)

    def done(self, rng):
        """A verb, active and passive."""
        a, b = self.two(rng)
        base, past, participle = self.one(rng, self.verbs)
        active, passive = self.one(rng, ((past, "was " + participle + " by"), (past, "got " + participle + " by"),
                                         (roles.third(base), "is " + participle + " by"),
                                         ("has " + participle, "has been " + participle + " by"),
                                         ("will " + base, "will be " + participle + " by"),
                                         ("can " + base, "can be " + participle + " by"),
                                         ("is " + roles.going_on(base), "is being " + participle + " by"),
                                         ("had " + participle, "had been " + participle + " by"),
                                         ("did not " + base, "was not " + participle + " by")))
        tail = self.one(rng, ("", "", "", " yesterday", " in the end", " again", " last year", " twice", " in public"))
        if rng.random() < 0.2:
            noun = "It was %s who %s %s%s"
            return ("%s %s %s%s" % (a, active, b, tail), noun % (a, active, b, tail), "%s %s %s%s" % (b, active, a, tail))
        turned = "%s %s %s%s" % (b, passive, a, tail)
        return "%s %s %s%s" % (a, active, b, tail), turned, "%s %s %s%s" % (b, active, a, tail)

    def compared(self, rng):
        a, b = self.two(rng)
        more, less = rng.permutation(self.one(rng, COMPARED if rng.random() < 0.4 else self.opposites))
        if rng.random() < 0.2: # "less old than" in place of "younger than"
            less = "less " + more
        more, less = comparative(more), comparative(less)
        verb = self.one(rng, ("is", "was", "looks", "seems"))
        said = "%s %s %s than %s"
        otherwise = said % (b, verb, less, a) if rng.random() < 0.7 else "compared with %s, %s %s %s" % (b, a, verb, more)
        return said % (a, verb, more, b), otherwise, said % (b, verb, more, a)

    def placed(self, rng):
        a, b = (roles.phrase(w, "the ") for w in rng.choice(THINGS + GROUPS + roles.ANIMALS, 2, replace=False))
        here, there = rng.permutation(self.one(rng, PLACED))
        verb = self.one(rng, ("is", "is", "was", "stands", "lies"))
        said = "%s %s %s %s"
        return said % (a, verb, here, b), said % (b, verb, there, a), said % (b, verb, here, a)

    def passed(self, rng):
        a, b = self.two(rng)
        gave, got, of = self.one(rng, PASSED)
        thing = roles.phrase(self.one(rng, THINGS), self.one(rng, ("the ", "a")))
        said = "%s %s %s %s"
        return said % (a, gave, b, thing), "%s %s %s %s %s" % (b, got, thing, of, a), said % (b, gave, a, thing)

    def stood(self, rng):
        a, b = self.two(rng)
        one, other = self.one(rng, DONE)
        if rng.random() < 0.5:
            return "%s %s %s" % (a, one, b), "%s %s %s" % (b, other, a), "%s %s %s" % (b, one, a)
        return "%s %s %s" % (b, other, a), "%s %s %s" % (a, one, b), "%s %s %s" % (a, other, b)

    def caused(self, rng):
        a, b = (EVENTS[i] for i in rng.choice(len(EVENTS), 2, replace=False))
        said, otherwise = (("%s because %s", "%s, so %s"), ("first %s, then %s", "%s, and then %s"),
                           ("%s, therefore %s", "%s since %s"), ("%s, which led to this: %s", "%s due to this: %s"))[
                               rng.integers(4)]
        second = (a, b) if said.startswith("first") else (b, a)
        return said % (a, b), otherwise % second, said % (b, a)

    def described(self, rng):
        a, b = rng.choice(self.people + self.animals, 2, replace=False)
        one, other = rng.choice(COLORS, 2, replace=False)
        link, determiner = self.one(rng, (" and ", " with ", " near ", " beside ", " or ")), self.one(rng, ("the ", "a", "my "))

        def both(c, x, d, y):
            return roles.phrase(c + " " + x, determiner) + link + roles.phrase(d + " " + y, determiner)
        return both(one, a, other, b), both(other, b, one, a), both(other, a, one, b)

    def triple(self, rng):
        """A sentence, the same said otherwise, and the reverse; with or without full stops."""
        kinds, chances = (self.done, self.compared, self.placed, self.passed, self.stood, self.caused, self.described), (
            0.42, 0.12, 0.1, 0.1, 0.12, 0.06, 0.08)
        triple = kinds[rng.choice(len(kinds), p=chances)](rng)
        stops = rng.random(3) < rng.choice([0.0, 0.5, 1.0])
        return [t + "." * int(s) for t, s in zip(triple, stops)]
