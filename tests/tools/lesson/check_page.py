"""The lesson page in headless Chromium: what it shows in every state is what its JSON says; every
control works; it fits windows of three widths, asks for nothing, says no error; and it reads
without JavaScript.

    python3 check_page.py LESSON.html FOLDER     screenshots go to FOLDER
"""

import itertools
import json
import math
import pathlib
import random
import sys
import time

import keyboard
from browser import PATIENCE, Browser, address_of
from page_numbers import Numbers

WIDTHS = (390, 800, 1400)
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


def is_near(text, value, digits=2):
    try:
        shown = number(text)
    except ValueError:
        return False
    return shown == value if math.isinf(value) else abs(shown - value) <= 0.5 * 10**-digits + 2e-4


def same(table, matrix, digits=2):
    return len(table) == len(matrix) and all(
        len(shown) == len(row)
        and all(is_near(text, value, digits) for text, value in zip(shown, row))
        for shown, row in zip(table, matrix)
    )


def check_state(browser, numbers, what):
    """Every table of the toy, the trained model's maps, and the verdict, against the JSON."""
    page = ask(browser, "readPage()")
    state = page["state"]
    wrong = wrong_numbers(numbers, state, page)
    check(what, not wrong, f"what differs: {wrong}")
    orders = range(6) if state["order"] == 0 else [state["order"]]
    largest = max(numbers.largest_difference(state, order) for order in orders)
    right = page["verdict"] == "0" if largest < 1e-5 else is_near(page["verdict"], largest)
    check(f"{what}: verdict", right, f"{page['verdict']} for {largest}")
    for shown, order in zip(page["maps"], (0, state["order"] or 5)):
        check(f"{what}: map of order {order}", same(shown, numbers.map_of_trained(state, order)))


def wrong_numbers(numbers, state, page):
    """Names of tables, and places in worked sums, that do not show what the JSON says."""
    tables = numbers.toy_tables(state)
    wrong = [
        name for name, table in tables.items() if not same(page["tables"].get(name, []), table)
    ]
    order = numbers.toy["sentences"][state["sentence"]]["orders"][state["order"]]
    for path, text in page["worked"]:
        for word in ("query", "key"):
            path = path.replace("{" + word + "}", str(order.index(state[word])))
        name, *indexes = path.split(".")
        if name in tables and not is_near(text, tables[name][int(indexes[0])][int(indexes[1])]):
            wrong.append(path)
    return wrong


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


def try_states(browser, numbers):
    """Each order with positions and without, each scheme, then states of all controls at random."""
    states = [
        {"sentence": s, "position": p, "order": o}
        for s, p, o in itertools.product(range(2), (0, 1), range(6))
    ]
    states += [{"position": p} for p in range(2, 7)]
    drawn = random.Random(18)
    names = "sentence order position mask layer head query key ratio base".split()
    sizes = dict(zip(names, (2, 6, 7, 3, 2, 2, 3, 3, 5, 3)))
    states += [{name: drawn.randrange(n) for name, n in sizes.items()} for _ in range(40)]
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
    beginning = {"order": 0, "mask": "full", "position": "sinusoidal"}
    check("as at the beginning", beginning.items() <= state.items(), str(state))
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
                fits(browser, name)
                quiet(browser, path, name)
                faint = ask(browser, "faintTexts()")
                check(f"{name}: contrast", not faint, str(faint[:6]))
                browser.picture(f"{folder}/{name}.png")
    print(f"screenshots are in {folder}")


def use(path, numbers):
    with Browser() as browser:
        browser.size(1400)
        browser.open(path)
        keyboard.read_tree(browser, check, "as a screen reader sees it")
        keyboard.use_keys(browser, check, lambda what: check_state(browser, numbers, what))
        try_states(browser, numbers)
        light_the_chain(browser)
        quiet(browser, path, "in use")
        for width in WIDTHS:
            browser.size(width)
            browser.open(path)
            press_panel(browser, has_opener=width < 1200)
            if width == WIDTHS[0]:
                press_all(browser, "#lesson")
                press_heads(browser)
            move_words(browser)
            check_state(browser, numbers, f"at {width}")
            open_tabs(browser)
            fits(browser, f"{width}, in use")
            quiet(browser, path, f"{width}, in use")


def read_without_script(path, numbers, folder):
    beginning = dict(sentence=0, order=0, layer=0, head=0, query=1, key=2, **numbers.toy["default"])
    with Browser(script=False) as browser:
        for width in WIDTHS:
            browser.size(width)
            browser.open(path)
            fits(browser, f"{width}, no script")
            page = ask(browser, "readPage()")
            wrong = wrong_numbers(numbers, beginning, page)
            check(f"{width}: numbers without script", not wrong, str(wrong))
            check(
                "nothing that needs it is shown",
                not any(ask(browser, "areSeen('.needs-js')")),
            )
            check(
                "both parts are",
                all(ask(browser, "areSeen('#lesson, #articles')")),
            )
            drawn = ask(browser, "picturesWithoutScript()")
            check("pictures stand for those that the script draws", drawn == [True] * 6, str(drawn))
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
    path, folder = sys.argv[1:]
    if not start():
        return 77
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin = text.index('<script type="application/json" id="data">') + len(
        '<script type="application/json" id="data">'
    )
    numbers = Numbers(json.loads(text[begin : text.index("</script>", begin)]))
    look(path, folder)
    use(path, numbers)
    read_without_script(path, numbers, folder)
    print(f"{n_passed} passed, {n_failed} failed")
    return 1 if n_failed else 0


sys.exit(main())
