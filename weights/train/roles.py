"""Who does what to whom: small sentences, the same said in the passive, and their roles exchanged."""

NOUNS = """dog cat man woman boy girl horse bird child baby cow bear wolf fox lion tiger mouse rabbit sheep duck
    king queen farmer soldier nurse teacher driver singer painter fisherman sailor hunter policeman thief guard
    waiter cook clown player dancer runner guest stranger neighbor brother sister mother father friend uncle aunt
    captain pilot priest prince robot monkey snake goat pig elephant frog""".split()
# third person, past, participle
VERBS = [v.split() for v in """bites bit bitten;chases chased chased;follows followed followed;sees saw seen;watches watched
    watched;kicks kicked kicked;pushes pushed pushed;pulls pulled pulled;carries carried carried;helps helped helped;
    finds found found;hits hit hit;feeds fed fed;eats ate eaten;loves loved loved;hates hated hated;attacks attacked
    attacked;catches caught caught;calls called called;hears heard heard;teaches taught taught;kisses kissed kissed;
    washes washed washed;beats beat beaten;leads led led;saves saved saved;scares scared scared;bothers bothered
    bothered;hugs hugged hugged;greets greeted greeted;hides hid hidden;holds held held;touches touched touched;
    paints painted painted;visits visited visited;fears feared feared;hunts hunted hunted;protects protected
    protected;warns warned warned;ignores ignored ignored;praises praised praised;meets met met""".replace("\n", " ").split(";")]
PLACES = ["", "", "", "", " in the park", " at night", " in the street", " on the beach", " near the house", " in the garden"]


def phrase(noun, determiner):
    if determiner == "a":
        return ("an " if noun[0] in "aeiou" else "a ") + noun
    return determiner + noun


def active(who, whom, verb, past, determiner, place):
    return phrase(who, determiner) + " " + verb[1 if past else 0] + " " + phrase(whom, determiner) + place


def passive(who, whom, verb, past, determiner, place):
    return (phrase(whom, determiner) + (" was " if past else " is ") + verb[2] + " by " +
            phrase(who, determiner) + place)


def triple(rng):
    """A sentence, another one that says the same, and one of the first's words that says the reverse."""
    who, whom = (NOUNS[i] for i in rng.choice(len(NOUNS), 2, replace=False))
    verb = VERBS[rng.integers(len(VERBS))]
    past, place = rng.random() < 0.5, PLACES[rng.integers(len(PLACES))]
    determiner = ("the ", "the ", "a", "")[rng.integers(4)]
    first, second = (active, passive) if rng.random() < 0.7 else (passive, active)
    anchor = first(who, whom, verb, past, determiner, place)
    if rng.random() < 0.3:
        second = first
        positive = second(who, whom, verb, not past, ("the ", "a")[rng.integers(2)], place)
    else:
        positive = second(who, whom, verb, past, determiner, place)
    return anchor, positive, first(whom, who, verb, past, determiner, place)
