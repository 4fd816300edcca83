"""Triples of order: a sentence, the same said in another form, and a sentence of the same words or forms in which two
have changed places. A form says something of {a} and {b}, or of their doings; all forms of a kind say the same.

Forms after "!" and words that kept_word() names are kept out of the training; the triples to measure with have such a
form and such words."""

import zlib

from sentences import relations, roles

KEPT_ONE_IN = 10
# Of each kind its forms.
FORMS = {
    "passive": """{a} {did} {b};{b} was {done} by {a};{b} got {done} by {a};by {a} {b} was {done};
        {b} has been {done} by {a};{a} has {done} {b};{a} had {done} {b};!{b} had been {done} by {a};
        !someone {did} {b} , and it was {a}""",
    "cleft": """{a} {did} {b};{b} was {done} by {a};it was {a} who {did} {b};it was {b} who was {done} by {a};
        the one who {did} {b} was {a};the one who was {done} by {a} was {b};{a} is the one who {did} {b};
        it was by {a} that {b} was {done};the one whom {a} {did} is {b};what {a} did was {do} {b};
        !it was {b} whom {a} {did};!{b} is the one {a} {did};!what happened to {b} is that {a} {did} {b}""",
    "question": """did {a} {do} {b} ?;was {b} {done} by {a} ?;is it true that {a} {did} {b} ?;has {a} {done} {b} ?;
        do you know whether {a} {did} {b} ?;is {a} the one who {did} {b} ?;was it {a} who {did} {b} ?;
        i wonder if {b} was {done} by {a};!has {b} been {done} by {a} ?;!{b} was {done} by {a} , wasn't it ?""",
    "comparative": """{a} is {more} than {b};{b} is {less} than {a};{a} is not as {little} as {b};
        {b} is not as {much} as {a};compared with {b} , {a} is {more};compared with {a} , {b} is {less};
        {b} is less {much} than {a};of {a} and {b} , {a} is the {more} one;{b} is not so {much} as {a};
        {a} is the {more} one , {b} the {less} one;{a} is more {much} than {b};{a} , unlike {b} , is very {much};
        !{a} beats {b} in being {much};!next to {a} , {b} looks {little};
        !if you compare the two , {a} is {more} and {b} is {less};!{b} is by no means as {much} as {a}""",
    "direction": """{t} goes from {p} to {q};{t} leaves {p} for {q};{t} to {q} starts in {p};
        {t} starts in {p} and ends in {q};from {p} {t} goes to {q};{t} comes to {q} from {p};
        {q} is reached from {p} by {t};{p} is where {t} comes from , and {q} is where it goes;
        starting in {p} , {t} arrives in {q};{t} travels to {q} out of {p};{t} is going to {q} , away from {p};
        {t} departs from {p} and arrives in {q};!{t} runs between {p} , where it begins , and {q};
        !{q} is where {t} from {p} is heading;!having left {p} , {t} reached {q}""",
    "place": """{x} is {over} {y};{y} is {under} {x};{over} {y} is {x};{over} {y} there is {x};
        {under} {x} there is {y};there is {x} {over} {y};you can see {x} {over} {y};{x} can be found {over} {y};
        {y} can be seen {under} {x};what is {over} {y} is {x};where is {x} ? {over} {y};there is {y} {under} {x};
        look for {x} {over} {y};!{y} has {x} {over} it;!{over} {y} you will find {x};!the thing {under} {x} is {y}""",
    "clause": """{e} because {f};because {f} , {e};{f} , so {e};since {f} , {e};{f} , and that is why {e};
        the reason why {e} is that {f};{e} , since {f};{f} , therefore {e};that {f} is the cause of it that {e};
        as {f} , {e};{e} for the reason that {f};it was because {f} that {e};!{f} , and as a result {e};
        !{e} , which was due to the fact that {f};!why did it happen that {e} ? because {f}""",
    "time": """{e} before {f};{f} after {e};first {e} , then {f};after {e} , {f};before {f} , {e};
        {e} , and then {f};{e} , and later {f};{f} , but before that {e};once {e} , {f};{e} and afterwards {f};
        {f} later than {e};{f} only after {e};!{e} earlier than {f};!as soon as {e} , {f};!it was after {e} that {f}""",
    "pairing": """{a} {sang} and {b} {danced};{b} {danced} and {a} {sang};{a} {sang} while {b} {danced};
        while {b} {danced} , {a} {sang};{b} {danced} , but {a} {sang};{a} {sang} , whereas {b} {danced};
        {b} {danced} as {a} {sang};the one who {sang} was {a} , and {b} {danced};
        it was {a} who {sang} , and {b} who {danced};!of the two , {a} {sang} and {b} {danced};
        !{a} and {b} were there : {a} {sang} , {b} {danced};!{sang} : {a} . {danced} : {b}""",
    "attribute": """the {one} {m} and the {other} {n};the {other} {n} and the {one} {m};
        the {m} is {one} and the {n} is {other};the {n} is {other} and the {m} is {one};
        a {m} that is {one} and a {n} that is {other};the {one} {m} is near the {other} {n};
        there are a {one} {m} and a {other} {n};the {n} , which is {other} , and the {m} , which is {one};
        {one} is the {m} , {other} the {n};!a {n} , a {other} one , and a {m} , a {one} one;
        !we saw that the {m} was {one} , the {n} {other}""",
    "number": """{six} {ms} and {two} {ns};{two} {ns} and {six} {ms};there are {six} {ms} and {two} {ns};
        there are more {ms} than {ns};there are fewer {ns} than {ms};the {ms} are {six} and the {ns} are {two};
        the {ns} are {two} , the {ms} are {six};we counted {two} {ns} and {six} {ms};
        not as many {ns} as {ms} are there;the {ms} outnumber the {ns};!{six} of them are {ms} , {two} are {ns};
        !the number of {ms} is larger than that of {ns}""",
    "quantifier": """all {ms} are {ns};every {m} is a {n};each {m} is a {n};only {ns} are {ms};
        if it is a {m} , it is a {n};there is no {m} that is not a {n};nothing but a {n} is a {m};any {m} is a {n};
        {ms} are always {ns};{ms} are a kind of {ns};a {m} is a kind of {n};!{ns} include all {ms};
        !whatever is a {m} is a {n} too""",
    "giving": """{a} {gave} {b} {it};{a} {gave} {it} to {b};{b} {got} {it} from {a};{it} was {given} to {b} by {a};
        it was {a} who {gave} {b} {it};{b} was {given} {it} by {a};{b} is the one who {got} {it} from {a};
        from {a} {b} {got} {it};{it} is what {a} {gave} to {b};it was from {a} that {b} {got} {it};
        !{it} that {b} has came from {a};!{it} went from {a} to {b};!thanks to {a} , {b} {got} {it}""",
    "converse": """{a} {owns} {b};{b} {belongs} {a};it is {a} that {owns} {b};it is {b} that {belongs} {a};
        the one that {owns} {b} is {a};the one that {belongs} {a} is {b};what {belongs} {a} is {b};
        !{a} is what {owns} {b};!we know that {b} {belongs} {a}""",
    "saying": """{a} said that {b} {sang};according to {a} , {b} {sang};{b} {sang} , said {a};
        {a} told us that {b} {sang};it was {a} who said that {b} {sang};we know from {a} that {b} {sang};
        what {a} said is that {b} {sang};{a} said : {b} {sang};!we were told by {a} that {b} {sang};
        !{b} {sang} , as {a} put it""",
}
FORMS = {kind: [" ".join(f.split()) for f in forms.split(";")] for kind, forms in FORMS.items()}
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
TABLES = {name: relations.table(text, ":") for name, text in
          (("over", OVER), ("given", GIVEN), ("owns", OWNS))}
SANG, TRAVELLERS, SPOTS = ([one for one, in relations.table(text, ":")] for text in (SANG, TRAVELLERS, SPOTS))
KINDS_OF = relations.table(KINDS_OF, ":")
SWAPPED = {"a": "b", "e": "f", "x": "y", "p": "q", "one": "other", "m": "n", "ms": "ns", "sang": "danced"}
# Kinds in which one pair of two changes places.
PAIRS = {"pairing": ("sang", "danced"), "attribute": ("one", "other"), "number": ("m", "ms", "n", "ns")}


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
    def __init__(self, people, animals, verbs, opposites, measured=False):
        """measured: triples to measure with."""
        self.measured = measured
        self.living = self.mine(roles.PEOPLE + people), self.mine(roles.ANIMALS + animals)
        self.verbs = self.mine(roles.DEEDS + verbs, lambda v: v[0])
        wide = [] if measured else [list(p) for p in opposites] # of these not all can be compared
        self.compared = self.mine(COMPARED + relations.COMPARED + wide, lambda p: p[0])
        self.relations = relations.Relations(*(self.mine(w) for w in (people, animals)), self.verbs, opposites)
        self.groups, self.names, self.things = (self.mine(words) for words in (
            relations.GROUPS, relations.NAMES + relations.COUNTRIES, THINGS))

    def mine(self, words, of=str):
        """Those of the training, or those kept out of it; of short lists without such ones, all."""
        words = [w for i, w in enumerate(words) if w not in words[:i]]
        chosen = [w for w in words if kept_word(of(w)) == self.measured]
        return chosen if len(chosen) > 3 else words

    @staticmethod
    def one(rng, words):
        return words[rng.integers(len(words))]

    def two(self, rng, words):
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
            w["t"] = self.one(rng, TRAVELLERS)
            w["p"], w["q"] = self.two(rng, CITIES if rng.random() < 0.5 else SPOTS)
        elif kind == "place":
            determiner = self.one(rng, ("the ", "the ", "a"))
            x, y = self.two(rng, self.one(rng, (self.things, self.things, self.living[0], self.living[1])))
            w["x"], w["y"] = roles.phrase(x, determiner), roles.phrase(y, determiner)
            w["over"], w["under"] = self.one(rng, TABLES["over"])[::1 if rng.random() < 0.5 else -1]
        elif kind in ("clause", "time"):
            w["e"], w["f"] = self.two(rng, relations.EVENTS) if rng.random() < 0.4 else (
                "%s %s" % (x, v) for x, v in zip((a, b), self.two(rng, SANG)))
        elif kind in ("pairing", "saying"):
            w["sang"], w["danced"] = self.two(rng, SANG)
        elif kind in ("attribute", "number"):
            w["m"], w["n"] = self.two(rng, self.one(rng, (*self.living, self.things)))
            w["one"], w["other"] = self.two(rng, COLORS)
            two, six = sorted(rng.choice(len(NUMBERS), 2, replace=False))
            w["two"], w["six"] = NUMBERS[two], NUMBERS[six]
        elif kind == "quantifier":
            w["m"], w["n"] = self.one(rng, KINDS_OF) if rng.random() < 0.3 else self.two(rng, self.living[0])
        elif kind == "giving":
            w["gave"], w["got"], w["given"] = self.one(rng, TABLES["given"])
            w["it"] = roles.phrase(self.one(rng, self.things), self.one(rng, ("the ", "a")))
        elif kind == "converse":
            w["owns"], w["belongs"] = self.one(rng, TABLES["owns"])
        if "m" in w:
            w["ms"], w["ns"] = plural(w["m"]), plural(w["n"])
        return w

    def forms(self, kind, rng):
        """Two different ones: of the training, or one that was kept out of it and another."""
        known = [f for f in FORMS[kind] if f[0] != "!"]
        if not self.measured:
            return self.two(rng, known)
        both = [self.one(rng, [f[1:] for f in FORMS[kind] if f[0] == "!"]), self.one(rng, known)]
        return both[::1 if rng.random() < 0.5 else -1]

    def changed(self, kind, w):
        """The words with two of them in each other's place."""
        pairs = [p for p in SWAPPED.items() if p[0] in w and p[1] in w]
        if kind in PAIRS:
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
        kind = kind or self.one(rng, list(FORMS))
        w = self.words(kind, rng)
        first, second = self.forms(kind, rng)
        third = first if self.measured or rng.random() < 0.6 else second
        other = self.changed(kind, w)
        return tuple(article(f.format_map(v)) for f, v in ((first, w), (second, w), (third, other)))
