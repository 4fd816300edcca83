"""Who does what to whom: small sentences, the same said otherwise, and their roles exchanged."""

PEOPLE = """man woman boy girl child baby king queen farmer soldier nurse teacher driver singer painter fisherman sailor
    hunter policeman thief guard waiter cook clown player dancer runner guest stranger neighbor brother sister mother
    father friend uncle aunt captain pilot priest prince""".split()
ANIMALS = """dog cat horse bird cow bear wolf fox lion tiger mouse rabbit sheep duck monkey snake goat pig elephant
    frog""".split()
LIVING = PEOPLE + ANIMALS + ["robot"]
# "base", or "base past participle" where these are not regular
DEEDS = """bite bit bitten;chase;follow;see saw seen;watch;kick;push;pull;carry;help;find found found;hit hit hit;
    feed fed fed;eat ate eaten;love;hate;attack;catch caught caught;call;hear heard heard;teach taught taught;
    wash;beat beat beaten;lead led led;save;scare;bother;greet;hide hid hidden;hold held held;touch;paint;visit;
    fear;hunt;protect;warn;ignore;praise;annoy;surprise;remember;forget forgot forgotten;answer;dress;
    comfort;punish;defeat;rescue;welcome;choose chose chosen;trick;bury;tease;tickle;rob;
    slap;fool;lift;obey;kill;wound;trap;leave left left;lose lost lost;wake woke woken;want;need;know knew known"""
HANDLED = (
    ("slice;peel;cook;fry;boil;eat ate eaten;wash;buy bought bought;cut cut cut;chop;burn",
     "onion potato carrot apple egg fish tomato banana mushroom"),
    ("read read read;write wrote written;open;close;print;burn;tear tore torn;find found found",
     "book letter newspaper magazine story"),
    ("play;hold held held;break broke broken;repair;sell sold sold;tune", "guitar piano violin drum flute"),
    ("drive drove driven;park;repair;stop;wash;steal stole stolen;push", "car bus bike truck motorcycle train boat"),
    ("throw threw thrown;catch caught caught;kick;drop;hold held held;carry;lift;hide hid hidden",
     "ball box bag stone bottle hat stick"),
    ("build built built;paint;clean;sell sold sold;destroy;climb;touch", "house fence bridge door wall tower"))
DOUBLED = "hit cut chop stop drop rob slap trap forget".split()
PLACES = 4 * [""] + [" in the park", " at night", " in the street", " on the beach", " near the house", " in the garden"]
STATES = "see love hate fear hear remember forget want need know".split() # nobody "is knowing"
TENSES = ("present", "past", "going on", "going on")


def after_consonant(base):
    return base[-2] not in "aeiou"


def past(base):
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and after_consonant(base):
        return base[:-1] + "ied"
    return base + (base[-1] if base in DOUBLED else "") + "ed"


def verbs(words):
    """(base, past, participle) of each."""
    forms = [word.split() for word in words.split(";")]
    return [f if len(f) == 3 else [f[0], past(f[0]), past(f[0])] for f in forms]


GROUPS = [(verbs(words), things.split()) for words, things in HANDLED]
DEEDS = verbs(DEEDS)


def third(base):
    if base.endswith("y") and after_consonant(base):
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch")) else "s")


def going_on(base):
    if base in DOUBLED:
        return base + base[-1] + "ing"
    return (base[:-1] if base.endswith("e") and not base.endswith("ee") else base) + "ing"


def phrase(noun, determiner):
    if noun == "someone":
        return noun
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
    return "there is " + phrase(who, "a") + " " + going_on(verb[0]) + " " + phrase(whom, determiner or "the ") + place


def in_general(noun, rng):
    """What the noun is one of."""
    if noun in PEOPLE:
        return ("someone", "person")[rng.integers(2)]
    return "animal" if noun in ANIMALS else noun


def deed(rng):
    """Who, whom and the verb: two living ones, or somebody and a thing."""
    if rng.random() < 0.65:
        who, whom = (LIVING[i] for i in rng.choice(len(LIVING), 2, replace=False))
        return who, whom, DEEDS[rng.integers(len(DEEDS))]
    choice, things = GROUPS[rng.integers(len(GROUPS))]
    return PEOPLE[rng.integers(len(PEOPLE))], things[rng.integers(len(things))], choice[rng.integers(len(choice))]


def triple(rng):
    """A sentence, another one that says the same, and one of the first's words that says the reverse."""
    who, whom, verb = deed(rng)
    tenses = TENSES[:2] if verb[0] in STATES else TENSES
    tense, place = tenses[rng.integers(len(tenses))], PLACES[rng.integers(len(PLACES))]
    determiner = ("the ", "the ", "a", "")[rng.integers(4)]
    first, second = (active, passive) if rng.random() < 0.7 else (passive, active)
    anchor = first(who, whom, verb, tense, determiner, place)
    kind = rng.random()
    if kind < 0.2 and tense == "going on":
        positive = there_is(who, whom, verb, tense, determiner, place)
    elif kind < 0.35:
        positive = first(who, whom, verb, tenses[rng.integers(len(tenses))], ("the ", "a")[rng.integers(2)], place)
    elif kind < 0.5:
        positive = second(in_general(who, rng), whom, verb, tense, "a", place)
    else:
        positive = second(who, whom, verb, tense, determiner, place)
    if positive == anchor: # the tense and determiner it had
        return triple(rng)
    return anchor, positive, first(whom, who, verb, tense, determiner, place)
