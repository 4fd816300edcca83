"""Triples of order: a sentence, the same said in another form, and a sentence of the same words or forms in which two
have changed places, or one that says something else of them. A form says something of {a} and {b}, or of their doings;
all forms of a kind say the same.

Forms after "!" and words that kept_word() names are kept out of the training; the triples to measure with have such a
form and such words."""

import zlib

from sentences import relations, roles
from sentences.forms import CONTRASTS, FORMS, MORE

KEPT_ONE_IN = 10
OVER = """
    above:below;on:under;on top of:beneath;over:under;in front of:behind;before:behind;
    to the left of:to the right of;left of:right of;north of:south of;east of:west of;higher than:lower than;
    inside:around;upstairs from:downstairs from;ahead of:behind;uphill from:downhill from"""
GIVEN = """gave:got:given;sent:received:sent;sold:bought:sold;lent:borrowed:lent;handed:took:handed;
    showed:saw:shown;paid:earned:paid;taught:learned:taught;passed:accepted:passed;offered:was offered:offered;
    threw:caught:thrown;left:inherited:left;mailed:got:mailed;granted:obtained:granted;awarded:won:awarded;
    rented:rented:rented"""
OWNS = """owns:belongs to;employs:works for;leads:follows;hunts:flees from;teaches:learns from;contains:is part of;
    covers:is hidden under;feeds:is fed by;commands:obeys;precedes:follows;supports:rests on;
    causes:is the result of;includes:is included in;protects:is guarded by;frightens:is afraid of;pleases:likes;
    bores:is tired of;is the father of:is a child of;is the mother of:is a child of;is the teacher of:is a pupil of;
    is the boss of:is an employee of;is the owner of:is the property of;is a fan of:is admired by;
    is the doctor of:is a patient of;won against:lost to;sells to:buys from;exports to:imports from;
    wrote to:got a letter from;is a part of:has as a part;turned into:was once;made:was made by"""
COMPARED = relations.table("""tall short;long short;fast slow;big small;old new;high low;near far;clever stupid;
    sweet sour;bright dim;fat thin;hard soft;full empty;strong weak;early late;easy hard;rough smooth;
    sharp blunt""", " ")
SANG = """sang;danced;slept;laughed;cried;left;stayed;waited;cooked;swam;ran away;sat down;stood up;read;wrote;
    smiled;worked;rested;drove;walked;ate;drank;played;won;lost;failed;fell;jumped;shouted;listened;talked;painted;
    studied;woke up;was ill;was angry;was tired;was happy;was late;was right;was wrong;was hungry;went home;
    came back;paid;complained"""
TRAVELLERS = """the train;the bus;the plane;the ship;the road;the letter;the tourist;the army;the flight;the ferry;
    the truck;the river;the path;the message;the family;the driver;the bird;the convoy;our guide"""
CITIES = """Paris London Berlin Rome Madrid Vienna Prague Moscow Tokyo Boston Chicago Dallas Denver Seattle Cairo
    Delhi Oslo Lisbon Athens Dublin Munich Hamburg Geneva Naples Venice Atlanta Miami Houston Toronto Sydney""".split()
SPOTS = """the house;the forest;the school;the station;the village;the harbor;the airport;the market;the church;
    the castle;the beach;the river;the office;the hospital;the hotel;the kitchen;the garden;the north;the south;
    the east;the west"""
THINGS = relations.THINGS + """cup table plate spoon bottle box basket vase candle mirror window door wall roof bed
    desk shelf carpet pillow blanket hat shoe tree flower stone bridge tower fence car truck bicycle ball bread
    apple""".split()
COLORS = relations.COLORS + "heavy light broken open empty full clean cheap expensive round long".split()
NUMBERS = "two three four five six seven eight nine ten twelve twenty".split()
KINDS_OF = """
    dog:animal;rose:flower;oak:tree;car:vehicle;robin:bird;piano:instrument;hammer:tool;nurse:worker;apple:fruit;
    ant:insect;poem:text;city:place;doctor:person;king:ruler;violin:instrument;whale:mammal;shirt:garment;
    carrot:vegetable;poet:writer;novel:book;soldier:fighter;snake:reptile"""
RUNS = """
    runs:run:fast:slow:faster:slower;works:work:hard:little:harder:less;sings:sing:loudly:softly:louder:more softly;
    jumps:jump:high:low:higher:lower;earns:earn:much:little:more:less;sleeps:sleep:well:badly:better:worse;
    drives:drive:carefully:carelessly:more carefully:more carelessly;arrives:arrive:early:late:earlier:later;
    speaks:speak:clearly:unclearly:more clearly:less clearly;eats:eat:much:little:more:less;lives:live:long:short:longer:shorter;
    learns:learn:quickly:slowly:more quickly:more slowly;walks:walk:quickly:slowly:quicker:slower;
    swims:swim:far:little:farther:less far;throws:throw:far:near:farther:less far;plays:play:well:badly:better:worse;
    sees:see:sharply:dimly:more sharply:more dimly;talks:talk:much:little:more:less;costs:cost:much:little:more:less"""
ADJECTIVES = """happy sad tired angry rich poor ready late hungry lucky brave honest famous lonely sick busy afraid proud
    guilty innocent right wrong clever stupid kind cruel alive asleep awake drunk rude polite lazy nervous calm""".split()
TABLES = {name: relations.table(text, ":") for name, text in
          (("over", OVER), ("given", GIVEN), ("owns", OWNS), ("runs", RUNS))}
SANG, TRAVELLERS, SPOTS = ([one for one, in relations.table(text, ":")] for text in (SANG, TRAVELLERS, SPOTS))
KINDS_OF = relations.table(KINDS_OF, ":")
# Of those who do something also these.
MORE_NAMES = """Robert William Richard Thomas Charles Daniel Matthew Anthony Steven Andrew Joshua Edward Ronald Timothy
    Jason Jeffrey Ryan Jacob Gary Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon Samuel Frank Raymond Patrick
    Jack Dennis Jerry Tyler Aaron Henry Adam Nathan Walter Kyle Carl Arthur Roger Patricia Jennifer Elizabeth Barbara
    Jessica Sarah Karen Lisa Betty Margaret Sandra Ashley Kimberly Emily Donna Michelle Carol Amanda Melissa Deborah
    Stephanie Rebecca Sharon Cynthia Kathleen Amy Angela Brenda Pamela Nicole Helen Rachel Carolyn Janet Maria Heather
    Diane Olivia Julie Joyce Victoria Kelly Christina Joan Evelyn Lauren Judith Megan Andrea Cheryl Hannah Martha""".split()
SWAPPED = {"a": "b", "e": "f", "x": "y", "p": "q", "one": "other", "m": "n", "ms": "ns", "sang": "danced"}
# Kinds in which one pair of two changes places.
PAIRS = {"pairing": ("sang", "danced"), "attribute": ("one", "other"), "number": ("m", "ms", "n", "ns")}


KINDS = 2 * [*FORMS] + [*MORE, *CONTRASTS]


def kept_word(word):
    return zlib.crc32(word.encode()) % KEPT_ONE_IN == 0


PLURALS = {"man": "men", "woman": "women", "child": "children", "mouse": "mice", "sheep": "sheep", "wolf": "wolves",
           "thief": "thieves", "knife": "knives", "person": "people", "goose": "geese", "ox": "oxen", "deer": "deer"}


def plural(noun):
    if noun in PLURALS:
        return PLURALS[noun]
    if noun.endswith(("s", "sh", "ch", "x")):
        return noun + "es"
    return noun[:-1] + "ies" if noun[-1] == "y" and noun[-2] not in "aeiou" else noun + "s"


def article(sentence):
    """An for a before a vowel."""
    words = sentence.split()
    return " ".join("an" if w == "a" and after[0] in "aeiou" else w for w, after in zip(words, words[1:] + ["x"]))


class Order:
    def __init__(self, people, animals, verbs, opposites, measured=False, things=()):
        """measured: triples to measure with. things: more of them."""
        self.measured = measured
        self.living = self.mine(roles.PEOPLE + people), self.mine(roles.ANIMALS + animals)
        self.verbs = self.mine(roles.DEEDS + verbs, lambda v: v[0])
        wide = [] if measured else [list(p) for p in opposites] # of these not all can be compared
        self.compared = self.mine(COMPARED + relations.COMPARED + wide, lambda p: p[0])
        self.relations = relations.Relations(*(self.mine(w) for w in (people, animals)), self.verbs, opposites)
        self.groups, self.names, self.things = (self.mine(words) for words in (
            relations.GROUPS, relations.NAMES + relations.COUNTRIES, THINGS + list(things)))
        if not measured:
            self.names += self.mine(MORE_NAMES)
        self.wide = {"attribute": COLORS, "all": COLORS + ADJECTIVES, "denial": ADJECTIVES, "bound": COLORS}

    def mine(self, words, of=str):
        """Those of the training, or those kept out of it; of short lists without such ones, all."""
        words = [w for i, w in enumerate(words) if w not in words[:i]]
        chosen = [w for w in words if kept_word(of(w)) == self.measured]
        return chosen if len(chosen) > 3 else words

    @staticmethod
    def one(rng, words):
        return words[rng.integers(len(words))]

    @staticmethod
    def two(rng, words):
        return [words[i] for i in rng.choice(len(words), 2, replace=False)]

    def beings(self, rng):
        kind = rng.random()
        words = self.living[0] if kind < 0.5 else self.living[1] if kind < 0.65 else (
            self.groups if kind < 0.75 else self.names)
        a, b = self.two(rng, words)
        if words is self.names:
            return a, b
        determiner = self.one(rng, ("the ", "the ", "the ", "a", "my ", "our "))
        return roles.phrase(a, determiner), roles.phrase(b, determiner)

    def words(self, kind, rng):
        """What stands in a kind's forms."""
        a, b = self.beings(rng)
        base, past, participle = self.one(rng, self.verbs)
        w = {"a": a, "b": b, "do": base, "did": past, "done": participle}
        if kind == "comparative":
            w["much"], w["little"] = self.one(rng, self.compared)[::1 if rng.random() < 0.5 else -1]
            w["more"], w["less"] = relations.comparative(w["much"]), relations.comparative(w["little"])
            if rng.random() < 0.3:
                w["a"], w["b"] = ("the " + t for t in self.two(rng, self.things))
        elif kind == "direction":
            w["t"] = self.one(rng, TRAVELLERS) if self.measured or rng.random() < 0.6 else a
            w["p"], w["q"] = self.two(rng, CITIES if rng.random() < 0.5 else SPOTS)
        elif kind == "place":
            determiner = self.one(rng, ("the ", "the ", "a"))
            x, y = self.two(rng, self.one(rng, (self.things, self.things, self.living[0], self.living[1])))
            w["x"], w["y"] = roles.phrase(x, determiner), roles.phrase(y, determiner)
            w["over"], w["under"] = self.one(rng, TABLES["over"])[::1 if rng.random() < 0.5 else -1]
        elif kind in ("clause", "time"):
            w["e"], w["f"] = self.two(rng, relations.EVENTS) if rng.random() < 0.4 else (
                "%s %s" % (x, v) for x, v in zip((a, b), self.two(rng, SANG)))
        elif kind in ("pairing", "saying", "scope"):
            w["sang"], w["danced"] = self.two(rng, SANG)
        elif kind in ("bound", "relative"):
            w["m"], w["n"] = self.two(rng, self.one(rng, self.living))
            w["one"], w["other"] = self.two(rng, COLORS)
            w["sang"] = self.one(rng, SANG)
        elif kind in ("attribute", "number", "all", "denial"):
            w["m"], w["n"] = self.two(rng, self.one(rng, (*self.living, self.things)))
            w["one"], w["other"] = self.two(rng, self.wide.get(kind, COLORS))
            two, six = sorted(rng.choice(len(NUMBERS), 2, replace=False))
            w["two"], w["six"] = NUMBERS[two], NUMBERS[six]
        elif kind == "quantifier":
            w["m"], w["n"] = self.one(rng, KINDS_OF) if rng.random() < 0.3 else self.two(rng, self.living[0])
        elif kind == "giving":
            w["gave"], w["got"], w["given"] = self.one(rng, TABLES["given"])
            w["it"] = roles.phrase(self.one(rng, self.things), self.one(rng, ("the ", "a")))
        elif kind == "manner":
            runs = self.one(rng, TABLES["runs"])
            w.update(zip(("runs", "run", "fast", "slow", "faster", "slower"), runs))
            if rng.random() < 0.5:
                w["fast"], w["slow"], w["faster"], w["slower"] = w["slow"], w["fast"], w["slower"], w["faster"]
        elif kind == "converse":
            w["owns"], w["belongs"] = self.one(rng, TABLES["owns"])
        if "m" in w:
            w["ms"], w["ns"] = plural(w["m"]), plural(w["n"])
        return w

    def forms(self, kind, rng):
        """Two different ones: of the training, or one that was kept out of it and another."""
        known = [f for f in (FORMS.get(kind) or MORE.get(kind) or CONTRASTS[kind][0]) if f[0] != "!"]
        if not self.measured:
            return self.two(rng, known)
        both = [self.one(rng, [f[1:] for f in FORMS[kind] if f[0] == "!"]), self.one(rng, known)]
        return both[::1 if rng.random() < 0.5 else -1]

    def changed(self, kind, w):
        """The words with two of them in each other's place."""
        pairs = [p for p in SWAPPED.items() if p[0] in w and p[1] in w]
        if kind == "scope":
            pairs = [("a", "b")]
        elif kind in ("bound", "relative"): # either who does it, or of whom something more is said
            pairs = [("m", "n")] if kind == "relative" or w["other"] < w["one"] else [("one", "other")]
        elif kind in PAIRS:
            pairs = [p for p in pairs if p[0] in PAIRS[kind]]
        elif kind != "saying":
            pairs = [p for p in pairs if p[0] != "sang"]
        elif kind == "saying":
            pairs = [("a", "b")]
        other = dict(w)
        for x, y in pairs:
            other[x], other[y] = w[y], w[x]
        return other

    def triple(self, rng, kind=None):
        """The third is mostly in the form of the first or the second, as often in the one as in the other."""
        kind = kind or self.one(rng, KINDS)
        w = self.words(kind, rng)
        if kind in CONTRASTS and (kind != "relative" or rng.random() < 0.5):
            ours, theirs = CONTRASTS[kind][::1 if rng.random() < 0.5 else -1]
            first, second = self.two(rng, ours)
            return tuple(article(f.format_map(w)) for f in (first, second, self.one(rng, theirs)))
        first, second = self.forms(kind, rng)
        third = first if self.measured or rng.random() < 0.6 else second
        other = self.changed(kind, w)
        return tuple(article(f.format_map(v)) for f, v in ((first, w), (second, w), (third, other)))
