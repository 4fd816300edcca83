"""The page of encode-serve in headless Chromium: for each kind of model sentences are typed into it, and every number
that it shows is what `encode -f json` and `encode-plot steps` print; it fits windows of three widths, light and dark,
calls its server alone, says no error, and shows texts as texts.

    python3 page.py FOLDER     screenshots go to FOLDER
"""
import json
import os
import sys

sys.path.append("tests/tools/lesson")
sys.path.append("tests/tools/fetch")
import check_page  # noqa: E402
import hub  # noqa: E402
from browser import Browser  # noqa: E402
from check_page import ask, check, same, type_text, wait  # noqa: E402
from page_numbers import Engine, Model  # noqa: E402
from server import FOLDER, PROGRAMS, Server, await_true, program, write  # noqa: E402

WIDTHS = (390, 800, 1280)
LONG = "a-flat-model-" + "of-a-long-name-" * 4
TEXTS = ("Ich fahre gern Fahrrad", "yes", "<img src=x onerror=alert(1)> the <script>alert(2)</script> & dog's")
OTHERS = ("the the the", "Łukasz śpiewa 日本 Ελλάδα naïve 🚲", "one two three four five six seven eight nine ten eleven twelve")
FRAME = ["--add-token", "[CLS]", "--add-token", "[SEP]", "--template-single", "[CLS]:0 A:0 [SEP]:0"]
DIGITS = {**check_page.DIGITS, "model.vectors": 4}


def make_models():
    """A weight file for each kind of model."""
    kinds = {
        "deep": ["--layers", "12", "--heads", "12", "--width", "48", "--position", "learned", "--max-tokens", "200", *FRAME],
        "causal": ["--mask", "causal", "--position", "none", "--pooling", "last", "--norm-place", "pre", "--final-norm", "yes"],
        LONG: ["--layers", "0", "--position", "none", "--width", "20"],
        "labels": ["--labels", "good,bad,<b>none</b>", *FRAME],
        "tokens": ["--head", "token", "--labels", "O,B-X"],
    }
    for name, options in kinds.items():
        program("encode-new", "-o", f"{FOLDER}/{name}.weights", *options)
    hub.make(f"{FOLDER}/checkpoint")
    os.remove(f"{FOLDER}/checkpoint/vocab.txt")
    letters = [chr(c) for c in [*range(33, 127), *range(161, 173), *range(174, 256), *range(256, 324)]] # of bytes, as GPT-2 has them
    merges = ["t h", "th e", "Ġ d", "o g", "Ġ Å"]  # the last: a blank and half of a letter
    vocabulary = [*letters, *(merge.replace(" ", "") for merge in merges)]
    bpe = {"version": "1.0", "added_tokens": [], "normalizer": None, "post_processor": None,
           "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
           "decoder": {"type": "ByteLevel"}, "truncation": None, "padding": None,
           "model": {"type": "BPE", "vocab": {piece: i for i, piece in enumerate(vocabulary)}, "merges": merges}}
    write(f"{FOLDER}/checkpoint/tokenizer.json", json.dumps(bpe))
    program("encode-import", f"{FOLDER}/checkpoint", "-o", f"{FOLDER}/bpe.weights")
    program("encode-import", "--tokenizer-only", f"{FOLDER}/checkpoint", "-o", f"{FOLDER}/pieces.weights")
    os.symlink(os.path.abspath("weights/default.weights"), f"{FOLDER}/default.weights")
    return ["default", "bpe", *kinds, "pieces"]


class Served(Model):
    """Tables of a model, as the page has chosen its positions and its mask."""

    def __init__(self, name):
        super().__init__(Engine(PROGRAMS, f"{FOLDER}/{name}.weights"))
        self.has_vector, self.is_fixed = name not in ("labels", "tokens", "pieces"), name in ("causal", LONG)

    def options(self, state, position=None):
        position = position or ("none" if state["position"] == "none" else "model")
        return ("--position", position, "--mask", state["mask"] or "model")

    def tables(self, state, orders):
        if not self.has_vector:
            return {"model.ids": [[token["id"]] for token in self.engine.tokens(self.text(state, state["order"]))]}
        tables = super().tables(state, orders)
        own = self.engine.vectors(self.options(state), *(" ".join(words) for words in state["sentences"]))
        tables["model.vectors"] = [vector[:6] for vector in own]
        if self.is_fixed:
            tables["model.orders"] = [row[:1] for row in tables["model.orders"]]
        if self.layers == 0:
            del tables["model.norms"], tables["model.moved"]
        return tables

    def map(self, state, order):
        of_head = ("--layer", state["modelLayer"] + 1, "--head", state["modelHead"] + 1)
        return list(self.engine.tables("attention", *of_head, *self.options(state), self.text(state, order)).values())[0]

    def words(self, state):
        """The class of each token's row: of the word in which it ends; none of the frame."""
        text, at, found = self.text(state, state["order"]), 0, []
        for token in self.engine.tokens(text):
            begin, end = token["span"]
            word = len(text.encode()[:end].decode().split()) - 1
            found.append(f"word{state['order'][word] % 3}" if begin < end else "")
        return found

    def best_labels(self, state):
        """Score of the best label of each sentence, and which it is."""
        texts = [" ".join(words) for words in state["sentences"]]
        lines = self.engine.ask("encode", "-m", self.engine.path, "-f", "json", "--labels", "--", *texts).splitlines()
        return [(json.loads(line)["label"], json.loads(line)["score"]) for line in lines]


def check_model(browser, model, what):
    """Every table and map against the programs."""
    wait(browser)
    page = ask(browser, "readPage()")
    state = page["state"]
    tables = model.tables(state, state["orders"])
    slack = check_page.INT8 if model.is_int8 else {}
    wrong = [
        name
        for name, table in tables.items()
        if not same(page["tables"].get(name, []), table, DIGITS.get(name, 2), slack.get(name, 0))
    ]
    others = () if model.has_vector else ("model.labels", "model.norms", "model.moved")
    wrong += [name for name in page["tables"] if name not in tables and name not in others]
    check(what, not wrong, f"what differs: {wrong}")
    n = len(state["order"])
    orders = [range(n), state["order"][::-1] if state["order"] == list(range(n)) else state["order"]]
    for shown, order in zip(page["maps"], orders if model.layers else []):
        check(f"{what}: map of {list(order)}", same(shown, model.map(state, order), slack=slack.get("map", 0)))
    rows = browser.run("return [...document.querySelectorAll('#text tbody tr')].map(row => row.className)")
    words = model.words(state)
    check(f"{what}: colours of words", rows == words, f"{rows} for {words}")
    if "model.labels" in page["tables"]:
        names = browser.run("return [...document.querySelectorAll('#labels thead th')].map(head => head.innerText)")
        for row, (label, score) in zip(page["tables"]["model.labels"], model.best_labels(state)):
            best = max(row, key=float)
            check(f"{what}: labels", names[row.index(best)] == label and abs(float(best) - score) < 6e-4, f"{row} for {label} {score}")


def open_page(browser, server):
    browser.ask("POST", "/url", {"url": f"http://127.0.0.1:{server.port}/"})
    wait(browser)


def choose_model(browser, name):
    browser.run("document.querySelector(`[data-choice=model] input[value='${arguments[0]}']`).click()", name)
    wait(browser)


def quiet(browser, server, what):
    """No error, and no request but to the server."""
    errors = browser.errors()
    check(f"{what}: no error", not errors, str(errors[:3]))
    others = [url for url in browser.requests() if not url.startswith((f"http://127.0.0.1:{server.port}/", "data:"))]
    check(f"{what}: no request elsewhere", not others, str(others[:3]))


def use(browser, model, name):
    """Own sentences; positions, mask, heads and orders are switched."""
    for texts in (TEXTS, OTHERS):
        for i, text in enumerate(texts):
            type_text(browser, i, text)
        wait(browser)
        read = ask(browser, "readPage().state.sentences")
        check(f"{name}: {texts} are taken", read == [text.split() for text in texts], str(read))
        for sentence in range(3):
            ask(browser, "setControls(arguments[0])", {"sentence": sentence, "order": sentence, "mask": sentence})
            ask(browser, "setControls(arguments[0])", {"position": sentence % 2})
            check_model(browser, model, f"{name}: {texts[sentence]}, order {sentence}")
    if model.layers:
        last = browser.run("return document.querySelectorAll('#heads-figure button').length") - 1
        browser.click("#heads-figure button", last)
        wait(browser)
        check(f"{name}: a head is pressed", ask(browser, "isPressed('#heads-figure button', arguments[0])", last))
        check_model(browser, model, f"{name}: the last head")
    if name == "default":
        ask(browser, "setControls(arguments[0])", {"sentence": 1, "order": 0})
        wait(browser)
        pieces = browser.run("return [...document.querySelectorAll('#text tbody th')].map(head => head.innerText)")
        marked = [piece for piece in pieces if "⟨" in piece]
        check(f"{name}: unknown pieces are marked", "⟨🚲⟩" in marked and len(marked) < len(pieces) - 2, str(pieces))
        told = ask(browser, "areSeen('[data-needs=unknown]')")
        ask(browser, "setControls(arguments[0])", {"sentence": 0})
        wait(browser)
        check(f"{name}: and told", told + ask(browser, "areSeen('[data-needs=unknown]')") == [True, False])
    strange = browser.run("return document.querySelectorAll('main img, main script, main b').length")
    check(f"{name}: texts are texts", strange == 0)


def check_lines(browser, what, name, width):
    """Names of models are whole, and the heads of a layer are in lines of the same length, after its name."""
    names = browser.run("""return [...document.querySelectorAll("[data-choice=model] label")].map(label =>
        [label.innerText, label.getBoundingClientRect().right <= innerWidth && label.scrollWidth <= label.clientWidth])""")
    check(f"{what}: names of models", [LONG, True] in names and all(whole for _, whole in names), str(names))
    lines = browser.run("""const [row] = document.querySelectorAll(".heads-row"), found = {};
        for (const button of row?.querySelectorAll("button") ?? []) {
            const { top, left } = button.getBoundingClientRect();
            (found[top] ??= []).push(left >= row.firstChild.getBoundingClientRect().right);
        }
        return Object.values(found)""")
    if name == "deep":
        expected = [[True] * 6] * 2 if width == WIDTHS[0] else [[True] * 12]
        check(f"{what}: lines of heads", lines == expected, str(lines))


def look(server, names, folder):
    """Each kind of model at each width, light and dark."""
    for dark in (False, True):
        with Browser(dark=dark) as browser:
            for width, name in ((width, name) for width in WIDTHS for name in names):
                what = f"{name}-{width}-{'dark' if dark else 'light'}"
                browser.size(width)
                open_page(browser, server)
                choose_model(browser, name)
                check_page.fits(browser, what)
                small = ask(browser, "smallTargets()") if width == WIDTHS[0] else []
                check(f"{what}: targets are large enough for a finger", not small, str(small[:6]))
                faint = ask(browser, "faintTexts()")
                check(f"{what}: contrast", not faint, str(faint[:6]))
                check_lines(browser, what, name, width)
                bare = ask(browser, "bareTables()")
                check(f"{what}: every table has its style, and a caption", not bare, str(bare[:3]))
                browser.picture(f"{folder}/{what}.png")
                quiet(browser, server, what)
    print(f"screenshots are in {folder}")


def ask_for_key(name):
    """Of a server with keys the page asks for one; without a server it says so."""
    write(f"{FOLDER}/keys", "open sesame\n")
    failed = "return document.querySelector('#failed').innerText"
    with Browser() as browser:
        with Server("--log", "none", "--api-key-file", f"{FOLDER}/keys", models=[name]) as server:
            browser.ask("POST", "/url", {"url": f"http://127.0.0.1:{server.port}/"})
            await_true(lambda: "API key" in browser.run(failed))
            check("no numbers without a key", not ask(browser, "readPage()")["tables"])
            browser.run("const key = document.querySelector('#key'); key.value = 'open sesame'; key.dispatchEvent(new Event('change'))")
            await_true(lambda: ask(browser, "isReady()") and browser.run(failed) == "")
            check_model(browser, Served(name), "with a key")
            type_text(browser, 0, "word " * 3 + "日" * 105)
            await_true(lambda: "tokens" in browser.run(failed))
            type_text(browser, 0, "yes")
            await_true(lambda: browser.run(failed) == "")
            check_model(browser, Served(name), "after a text that is too long")
        type_text(browser, 0, "no")
        await_true(lambda: "does not answer" in browser.run(failed))


def main():
    if not check_page.start():
        return 77
    names = make_models()
    with Server("--log", "none", models=names) as server:
        look(server, names, sys.argv[1])
        for name in names:
            with Browser() as browser:
                browser.size(WIDTHS[-1])
                open_page(browser, server)
                choose_model(browser, name)
                model = Served(name)
                check_model(browser, model, f"{name}: at first")
                use(browser, model, name)
                quiet(browser, server, name)
    ask_for_key("bpe")
    print(f"{check_page.n_passed} passed, {check_page.n_failed} failed")
    return 1 if check_page.n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
