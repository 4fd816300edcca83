"""Who does what to whom: small sentences, the same said in the passive, and their roles exchanged."""

NOUNS = """dog cat man woman boy girl horse bird child baby cow bear wolf fox lion tiger mouse rabbit sheep duck
    king queen farmer soldier nurse teacher driver singer painter fisherman sailor hunter policeman thief guard
    waiter cook clown player dancer runner guest stranger neighbor brother sister mother father friend uncle aunt
    captain pilot priest prince robot monkey snake goat pig elephant frog""".split()
# base, past, participle
VERBS = [v.split() for v in """bite bit bitten;chase chased chased;follow followed followed;see saw seen;watch watched
    watched;kick kicked kicked;push pushed pushed;pull pulled pulled;carry carried carried;help helped helped;
    find found found;hit hit hit;feed fed fed;eat ate eaten;love loved loved;hate hated hated;attack attacked
    attacked;catch caught caught;call called called;hear heard heard;teach taught taught;kiss kissed kissed;
    wash washed washed;beat beat beaten;lead led led;save saved saved;scare scared scared;bother bothered
    bothered;hug hugged hugged;greet greeted greeted;hide hid hidden;hold held held;touch touched touched;
    paint painted painted;visit visited visited;fear feared feared;hunt hunted hunted;protect protected
    protected;warn warned warned;ignore ignored ignored;praise praised praised;meet met met""".split(";")]
DOUBLED = ("hit", "hug")
PLACES = ["", "", "", "", " in the park", " at night", " in the street", " on the beach", " near the house", " in the garden"]


TENSES = ("present", "past", "going on", "going on")


def third(base):
    if base.endswith("y"):
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch")) else "s")


def going_on(base):
    if base in DOUBLED:
        return base + base[-1] + "ing"
    return (base[:-1] if base.endswith("e") and not base.endswith("ee") else base) + "ing"


def phrase(noun, determiner):
    if determiner == "a":
        return ("an " if noun[0] in "aeiou" else "a ") + noun
    return determiner + noun


def active(who, whom, verb, tense, determiner, place):
    form = {"present": third(verb[0]), "past": verb[1], "going on": "is " + going_on(verb[0])}[tense]
    return phrase(who, determiner) + " " + form + " " + phrase(whom, determiner) + place


def passive(who, whom, verb, tense, determiner, place):
    form = {"present": "is ", "past": "was ", "going on": "is being "}[tense] + verb[2] + " by "
    return phrase(whom, determiner) + " " + form + phrase(who, determiner) + place


def there_is(who, whom, verb, tense, determiner, place):
    return "there is " + phrase(who, "a") + " " + going_on(verb[0]) + " " + phrase(whom, determiner) + place


def triple(rng):
    """A sentence, another one that says the same, and one of the first's words that says the reverse."""
    who, whom = (NOUNS[i] for i in rng.choice(len(NOUNS), 2, replace=False))
    verb = VERBS[rng.integers(len(VERBS))]
    tense, place = TENSES[rng.integers(len(TENSES))], PLACES[rng.integers(len(PLACES))]
    determiner = ("the ", "the ", "a", "")[rng.integers(4)]
    first, second = (active, passive) if rng.random() < 0.7 else (passive, active)
    anchor = first(who, whom, verb, tense, determiner, place)
    kind = rng.random()
    if kind < 0.2 and tense == "going on":
        positive = there_is(who, whom, verb, tense, determiner, place)
    elif kind < 0.4:
        positive = first(who, whom, verb, TENSES[rng.integers(len(TENSES))], ("the ", "a")[rng.integers(2)], place)
    else:
        positive = second(who, whom, verb, tense, determiner, place)
    return anchor, positive, first(whom, who, verb, tense, determiner, place)
