"""The lesson page in headless Chromium: sentences are typed into it, and every number that it shows is what the
engine's programs print of them; every control works; it fits windows of three widths, asks for nothing, says no
error; and it reads without JavaScript.

    python3 check_page.py LESSON.html FOLDER PROGRAMS WEIGHTS     screenshots go to FOLDER
"""

import itertools
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import keyboard
from browser import PATIENCE, Browser, address_of
from page_numbers import Engine, Model, Toy, toy_of_page

WIDTHS = (390, 800, 1280)
LEFT, RIGHT = "\ue012", "\ue014"  # WebDriver's names of the arrow keys
PROBES = (pathlib.Path(__file__).parent / "probes.js").read_text(encoding="utf-8")
n_passed = n_failed = 0


def check(what, holds, told=""):
    global n_passed, n_failed
    if holds:
        n_passed += 1
    else:
        n_failed += 1
        print(f"FAILED: {what} {told}")


# ---- Reading the page ----


def ask(browser, expression, *arguments):
    """The value of an expression in the functions of probes.js."""
    return browser.run(f"{PROBES}\nreturn {expression}", *arguments)


def number(text):
    text = text.strip("()").replace("−", "-").replace("∞", "inf")
    return float(text)


def is_near(text, value, digits=2, slack=0.0):
    """The page computes in double precision, the engine in float."""
    try:
        shown = number(text)
    except ValueError:
        return False
    return shown == value if math.isinf(value) else abs(shown - value) <= 0.5 * 10**-digits + slack + 2e-5 * max(1, abs(value))


def same(table, matrix, digits=2, slack=0.0):
    return len(table) == len(matrix) and all(
        len(shown) == len(row)
        and all(is_near(text, value, digits, slack) for text, value in zip(shown, row))
        for shown, row in zip(table, matrix)
    )


def wait(browser):
    """Until all numbers of the page are there."""
    until = time.monotonic() + PATIENCE
    while not ask(browser, "isReady()"):
        if time.monotonic() > until:
            raise RuntimeError("the page is not ready")
        time.sleep(0.02)


# Of rows that are rounded to seven bits a number may fall to the other side, so that lengths of some 15 differ by 0.1.
INT8 = {"model.moved": 0.1, "model.norms": 0.05, "model.orders": 3e-3, "model.likeness": 3e-3, "map": 3e-3}
DIGITS = {"ids": 0, "model.ids": 0, "model.norms": 1, "model.moved": 1, "model.orders": 3}


def check_state(browser, numbers, what):
    """Every table of the toy and the trained model, the worked sums and the verdict, against the engine."""
    wait(browser)
    page = ask(browser, "readPage()")
    state, toy = page["state"], numbers["toy"]
    tables = toy.tables(state)
    of_model = numbers["model"].tables(state, state["orders"])
    slack = INT8 if numbers["model"].is_int8 else {}
    wrong = [
        name
        for name, table in [*tables.items(), *of_model.items()]
        if not same(page["tables"].get(name, []), table, DIGITS.get(name, 2), slack.get(name, 0))
    ]
    wrong += wrong_sums(tables, state, page)
    check(what, not wrong, f"what differs: {wrong}")
    n = len(state["order"])
    is_first = state["order"] == list(range(n))
    largest = max(
        toy.moved(state, order, word)
        for order in (state["orders"] if is_first else [state["order"]])
        for word in range(n)
    )
    right = page["verdict"] == "0" if largest < 1e-5 else is_near(page["verdict"], largest)
    check(f"{what}: verdict", right, f"{page['verdict']} for {largest}")
    other = state["order"][::-1] if is_first else state["order"]
    for shown, order in zip(page["maps"], (range(n), other)):
        check(f"{what}: map of {order}", same(shown, numbers["model"].map(state, order), slack=slack.get("map", 0)))


def wrong_sums(tables, state, page):
    """Places in worked sums that do not show what the engine computes, and sums that do not add up."""
    wrong = []
    for path, text in page["worked"]:
        for word in ("query", "key"):
            path = path.replace("{" + word + "}", str(state["order"].index(state[word])))
        name, *indexes = path.split(".")
        if name in tables and not is_near(text, tables[name][int(indexes[0])][int(indexes[1])]):
            wrong.append(path)
    query = state["order"].index(state["query"])
    n, column = len(state["order"]), lambda name: [row[0] for row in tables[name]]
    expected = [
        [x for pair in zip(tables["weights"][query], column("v")) for x in pair],
        column("last"),
    ]
    for text, values in zip(page["sums"], expected):
        shown = [part for term in text.split(" + ") for part in term.split(" · ")]
        if len(shown) != len(values) or not all(map(is_near, shown, values)):
            wrong.append(text)
    return wrong if n else ["no words"]


def quiet(browser, path, what):
    errors, requests = browser.errors(), browser.requests()
    check(f"{what}: no error", not errors, str(errors[:3]))
    check(
        f"{what}: no request",
        all(r == address_of(path) or r.startswith("data:") for r in requests),
        str(requests[:3]),
    )


def fits(browser, what):
    wide = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
    check(f"{what}: no sideways scrolling", wide[0] <= wide[1], str(wide))
    whole_words(browser, what)


def whole_words(browser, what):
    cut = ask(browser, "cutTexts()")
    check(f"{what}: words of pictures are whole", not cut, str(cut[:6]))


# ---- What is tried ----


SENTENCES = (
    ("Ich fahre gern Fahrrad", "yes", "don't stop!"),
    ("the the the", "Łukasz śpiewa 日本 Ελλάδα العربية naïve", "one two three four five six seven eight nine ten eleven twelve"),
)


def type_text(browser, index, text):
    """Into one of the boxes for own sentences, in place of what is there."""
    browser.run("const box = document.querySelectorAll('#own .inputs input')[arguments[0]]; box.focus(); box.select()", index)
    browser.devtools("Input.insertText", text=text)


def try_own_sentences(browser, numbers):
    for sentences in SENTENCES:
        for i, text in enumerate(sentences):
            type_text(browser, i, text)
        wait(browser)
        read = ask(browser, "readPage().state.sentences")
        check(f"{sentences} are taken", read == [text.split() for text in sentences], str(read))
        for i, (position, mask) in enumerate(((1, 0), (0, 1), (2, 2))):
            ask(browser, "setControls(arguments[0])", {"sentence": i, "position": position, "mask": mask, "order": i})
            check_state(browser, numbers, f"{sentences[i]}, order {i}")
        try_states(browser, numbers, 5)
    told = "return document.querySelector('#own-told').innerText"
    type_text(browser, 1, "a b c d e f g h i j k l m n")
    wait(browser)
    read = ask(browser, "readPage().state.sentences")
    check("of too many words the first twelve are taken", len(read[1]) == 12 and "12 words" in browser.run(told))
    for i in range(3):
        type_text(browser, i, " ") if i != 1 else type_text(browser, i, "\u200bone")
    read = ask(browser, "readPage().state.sentences")
    check("empty sentences are left out", len(read) == 1, str(read))
    type_text(browser, 1, " ")
    check("without a word the page keeps its sentences", "Type a word" in browser.run(told))
    check_state(browser, numbers, "one sentence")


def choose_file(browser, path):
    root = browser.devtools("DOM.getDocument", depth=0)["root"]["nodeId"]
    node = browser.devtools("DOM.querySelector", nodeId=root, selector="#file")["nodeId"]
    browser.devtools("DOM.setFileInputFiles", files=[path], nodeId=node)
    until, told = time.monotonic() + PATIENCE, ""
    while not told or told.startswith("Reading"):
        told = browser.run("return document.querySelector('#file-told').innerText")
        if time.monotonic() > until:
            break
    return told


def try_other_weights(browser, numbers, programs):
    """Another weight file takes the place of the trained model; what is none is refused, and changes nothing."""
    with tempfile.TemporaryDirectory() as folder:
        for name, options in (("small", ["--layers", "3", "--heads", "12", "--width", "48", "--position", "sinusoidal"]),
                              ("flat", ["--layers", "0"]), ("keras", ["--keras"])):
            subprocess.run([f"{programs}/encode-new", "-o", f"{folder}/{name}.weights", *options], check=True, capture_output=True)
        with open(f"{folder}/text.weights", "w", encoding="utf-8") as file:
            file.write("no weights")
        told = choose_file(browser, f"{folder}/small.weights")
        check("another weight file is taken", "is small.weights now" in told, told)
        check_state(browser, {**numbers, "model": Model(Engine(programs, f"{folder}/small.weights"))}, "another weight file")
        for name, why in (("text", "shorter than a header"), ("flat", "it has no layers"), ("keras", "its tokenizer")):
            told = choose_file(browser, f"{folder}/{name}.weights")
            check(f"{name}.weights is refused", "cannot be used: " in told and why in told, told)
        check_state(browser, {**numbers, "model": Model(Engine(programs, f"{folder}/small.weights"))}, "after those")


def try_states(browser, numbers, n_random):
    """Each order with positions and without, each scheme, then states of all controls at random."""
    states = [{"sentence": 0, "position": p, "order": o} for p, o in itertools.product((0, 1), range(6))]
    states = states + [{"position": p} for p in range(2, 7)] if n_random > 5 else []
    drawn = random.Random(18)
    names = "sentence order position mask layer head query key ratio base".split()
    sizes = dict(zip(names, (3, 6, 7, 3, 2, 2, 3, 3, 5, 3)))
    states += [{name: drawn.randrange(n) for name, n in sizes.items()} for _ in range(n_random)]
    for state in states:
        ask(browser, "setControls(arguments[0])", state)
        check_state(browser, numbers, str(state))
        whole_words(browser, str(state))


def press_all(browser, place):
    """Each radio button there with the mouse."""
    selector = f"{place} fieldset label"
    for i in range(browser.run("return document.querySelectorAll(arguments[0]).length", selector)):
        browser.click(selector, i)
        pressed = ask(browser, "isChecked(...arguments)", selector, i)
        check(f"{place}: control {i} is pressed", pressed)


def press_heads(browser):
    for i in range(browser.run("return document.querySelectorAll('#heads-figure button').length")):
        browser.click("#heads-figure button", i)
        pressed = ask(browser, "isPressed(...arguments)", "#heads-figure button", i)
        check(f"head {i} is pressed", pressed)


def press_panel(browser, has_opener):
    """In a narrow window the panel is opened first and closed again."""
    if has_opener:
        browser.click("#settings .opener")
    press_all(browser, "#panel")
    browser.click("#reset")
    state = ask(browser, "readPage().state")
    beginning = {"order": [0, 1, 2], "mask": "full", "position": "sinusoidal"}
    check("Reset", beginning.items() <= state.items(), str(state))
    if has_opener:
        browser.click("#settings .opener")
        check(
            "the panel closes",
            not any(ask(browser, "areSeen('#panel')")),
        )


def move_words(browser):
    browser.run("document.querySelector('#reset').click()")
    first = ask(browser, "wordsNow()")
    browser.run("document.querySelector('#moment .chip').focus()")
    browser.key(RIGHT)
    moved = ask(browser, "wordsNow()")
    check(
        "an arrow key moves a word", moved.split() == [first.split()[i] for i in (1, 0, 2)], moved
    )
    check(
        "the focus goes with it",
        browser.run("return document.activeElement.innerText") == first.split()[0],
    )
    browser.key(RIGHT)
    check(
        "and moves it again",
        ask(browser, "wordsNow()").split() == [first.split()[i] for i in (1, 2, 0)],
    )
    check(
        "which is said",
        "Moved" in browser.run("return document.querySelector('#spoken').innerText"),
    )
    begin, end = browser.middle("#moment .chip", 0), browser.middle("#moment .chip", 2)
    browser.drag(begin, (end[0] + 30, end[1]))
    check(
        "a word is dragged",
        ask(browser, "wordsNow()").split() == [first.split()[i] for i in (2, 0, 1)],
        ask(browser, "wordsNow()"),
    )


def light_the_chain(browser):
    steps = browser.run(
        "return [...document.querySelectorAll('section.step')].map(step => step.id)"
    )
    for step in steps:
        browser.run(
            "document.getElementById(arguments[0]).scrollIntoView({behavior: 'instant'})", step
        )
        lit = []
        until = time.monotonic() + PATIENCE
        while step != steps[-1] and lit != [f"#{step}"] and time.monotonic() < until:
            browser.run("return new Promise(done => requestAnimationFrame(done))")
            lit = browser.run(
                "return [...document.querySelectorAll('#chain [aria-current]')].map(a => a.hash)"
            )
        check(f"the chain lights up at {step}", lit == [f"#{step}"] or step == steps[-1], str(lit))


def open_tabs(browser):
    browser.click("#tab-articles")
    shown = ask(browser, "areSeen('#lesson, #articles')")
    check("the tab with the articles", shown == [False, True], str(shown))
    check(
        "has a table", browser.run("return document.querySelectorAll('#articles td').length") > 50
    )
    fits(browser, "articles")
    browser.run("document.querySelector('#tab-articles').focus()")
    browser.key(LEFT)
    check("and back by key", all(ask(browser, "areSeen('#lesson')")))


def look(path, folder):
    """At each width, light and dark."""
    for dark in (False, True):
        with Browser(dark=dark) as browser:
            for width in WIDTHS:
                name = f"{width}-{'dark' if dark else 'light'}"
                browser.size(width)
                browser.open(path)
                wait(browser)
                fits(browser, name)
                small = ask(browser, "smallTargets()") if width == WIDTHS[0] else []
                check(f"{name}: targets are large enough for a finger", not small, str(small[:6]))
                lefts = browser.run("""const [told, form] = ["#own .file + .small", "#own"].map(name => document.querySelector(name));
                    return [told.getClientRects()[0].left, form.querySelector("h2").getBoundingClientRect().left]""")
                check(f"{name}: a line of its own for what is said of files", lefts[0] == lefts[1], str(lefts))
                quiet(browser, path, name)
                faint = ask(browser, "faintTexts()")
                check(f"{name}: contrast", not faint, str(faint[:6]))
                browser.picture(f"{folder}/{name}.png")
    print(f"screenshots are in {folder}")


def use(path, numbers, programs):
    with Browser() as browser:
        browser.size(WIDTHS[-1])
        browser.open(path)
        wait(browser)
        keyboard.read_tree(browser, check, "as a screen reader sees it")
        keyboard.use_keys(browser, check, lambda what: check_state(browser, numbers, what))
        try_states(browser, numbers, 20)
        light_the_chain(browser)
        quiet(browser, path, "in use")
        for width in WIDTHS:
            browser.size(width)
            browser.open(path)
            wait(browser)
            press_panel(browser, has_opener=width < 1200)
            if width == WIDTHS[0]:
                press_all(browser, "#lesson")
                press_heads(browser)
            move_words(browser)
            check_state(browser, numbers, f"at {width}")
            open_tabs(browser)
            if width != 800:
                try_own_sentences(browser, numbers)
                for i, text in enumerate(SENTENCES[1]):
                    type_text(browser, i, text)
            fits(browser, f"{width}, in use")
            quiet(browser, path, f"{width}, in use")
        try_other_weights(browser, numbers, programs)


def read_without_script(path, folder):
    with Browser(script=False) as browser:
        for width in WIDTHS:
            browser.size(width)
            browser.open(path)
            fits(browser, f"{width}, no script")
            check(
                "nothing that needs it is shown",
                not any(ask(browser, "areSeen('.needs-js')")),
            )
            check(
                "both parts are",
                all(ask(browser, "areSeen('#lesson, #articles')")),
            )
            drawn = ask(browser, "picturesWithoutScript()")
            check("pictures stand for those that the script draws", drawn == [True] * 3, str(drawn))
            check("every formula has its line of the source", not ask(browser, "emptySources()"))
            browser.picture(f"{folder}/{width}-no-script.png")
            quiet(browser, path, f"{width}, no script")


def start():
    """Whether there is a browser at all: not all that is installed runs in every container."""
    try:
        with Browser():
            return True
    except (OSError, RuntimeError) as error:
        print(f"skipped: Chromium does not start here: {error}".splitlines()[0])
        return False


def main():
    path, folder, programs, weights = sys.argv[1:]
    if not start():
        return 77
    with open(path, encoding="utf-8") as file:
        page = file.read()
    with tempfile.TemporaryDirectory() as work:
        toy = Toy(Engine(programs, toy_of_page(page, work)))
        numbers = {"toy": toy, "model": Model(Engine(programs, weights))}
        look(path, folder)
        use(path, numbers, programs)
        read_without_script(path, folder)
    print(f"{n_passed} passed, {n_failed} failed")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
