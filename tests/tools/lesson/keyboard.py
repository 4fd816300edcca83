"""The lesson by keys alone, and as a screen reader sees it: key presses and the tree of
accessible names go through the DevTools protocol, as a user's keys and a reader's questions do."""

TAB, ENTER, LEFT, RIGHT, SPACE = "\ue004", "\ue007", "\ue012", "\ue014", " "
CONTROLS = {"link", "button", "radio", "slider", "tab", "DisclosureTriangle", "textbox"}

# What says where the focus is: the control's group or name, and itself where it has no group.
FOCUS = """
    const e = document.activeElement, group = e.closest("fieldset[data-choice], [data-slider]");
    return [e.localName, e.type || "", group?.dataset.choice || group?.dataset.slider || "",
            e.getAttribute("aria-label") || e.textContent.trim()];"""


def use_keys(browser, check, check_state):
    """Everything that the mouse reaches is reached and pressed by keys."""
    browser.run("scrollTo(0, 0); document.activeElement.blur()")
    reached = walk(browser)
    groups = {group for _, kind, group, _ in reached if kind in ("radio", "range")}
    names = "layer head query key mask places sentence order position ratio base"
    check("Tab reaches every group of choices", groups == set(names.split()), str(groups))
    words = [name for _, kind, _, name in reached if "Arrow keys move it" in name]
    check("and the words, in both places", len(words) == 6, str(words))
    own = [name for _, kind, _, name in reached if kind == "text"]
    check("and the reader's own sentences", own == ["Sentence 1", "Sentence 2", "Sentence 3"], str(own))
    heads = [name for _, _, _, name in reached if name.startswith("Layer ")]
    check("and every head", len(heads) == len(set(heads)) > 0, str(heads))
    check("and the tab that is open", any(name == "The lesson" for *_, name in reached))

    slide(browser, check, check_state)
    choose(browser, check, check_state)
    press(browser, check)


def walk(browser):
    """What Tab goes through, until it comes to the first again."""
    reached = []
    for _ in range(200):
        browser.key(TAB)
        at = browser.run(FOCUS)
        if at[0] == "body" or reached and at == reached[0]:
            break
        reached.append(at)
    return reached


def focus(browser, selector):
    browser.run("document.querySelector(arguments[0]).focus()", selector)


def slide(browser, check, check_state):
    """Both sliders by arrows, to both ends."""
    for name, stops in (("ratio", 5), ("base", 3)):
        focus(browser, f"#slider-{name}")
        for key, way in ((LEFT, "least"), (RIGHT, "most")):
            for _ in range(stops):
                browser.key(key)
            stop = browser.run(f"return chosen.{name}")
            check(f"{name}: arrows go to the {way}", stop == (0 if key == LEFT else stops - 1))
            check_state(f"{name} by keys, {way}")
        check(f"{name}: it is said", is_said(browser, "Moved") or is_said(browser, "first order"))


def choose(browser, check, check_state):
    """Radio buttons: an arrow chooses the next, and the focus goes along."""
    for group in ("position", "mask", "order", "sentence", "layer", "head", "query"):
        focus(browser, f"fieldset[data-choice={group}] input:checked")
        before = browser.run(f"return chosen.{group}")
        browser.key(RIGHT)
        after = browser.run(f"return chosen.{group}")
        check(f"{group}: an arrow chooses", before != after, f"{before}, {after}")
        is_there = browser.run(
            "return document.activeElement.matches(arguments[0])",
            f"fieldset[data-choice={group}] input:checked",
        )
        check(f"{group}: the focus goes along", is_there)
        label = browser.run("return document.activeElement.labels[0].textContent")
        check(f"{group}: {label} is said", is_said(browser, label))
        check_state(f"{group} by keys")


def press(browser, check):
    """Buttons by Enter and Space."""
    for key, name in ((ENTER, "Enter"), (SPACE, "Space")):
        focus(browser, "#reset")
        browser.key(key)
        is_first = browser.run("return isFirst(chosen.order) && chosen.modelHead === 0")
        check(f"{name} presses the button", is_first and is_said(browser, "All as it was at first"))
        focus(browser, "#heads-figure button[aria-pressed=false]")
        browser.key(key)
        pressed = browser.run("return document.activeElement.ariaPressed")
        check(f"{name} chooses a head", pressed == "true" and is_said(browser, "head 2"))
    focus(browser, "summary")
    browser.key(ENTER)
    is_open = browser.run("return document.activeElement.parentElement.open")
    check("Enter opens the numbers", is_open)
    browser.key(ENTER)


# ---- What a screen reader sees ----


def tree(browser):
    """Nodes that are not ignored, with their properties by name."""
    nodes = browser.devtools("Accessibility.getFullAXTree")["nodes"]
    for node in nodes:
        node["states"] = {p["name"]: p["value"].get("value") for p in node.get("properties", [])}
    return [node for node in nodes if not node["ignored"]]


def text(node, part):
    return str(node.get(part, {}).get("value", "")).strip()


def is_said(browser, words):
    """Whether the region that is read aloud when it changes holds these words, in one piece."""
    root = browser.devtools("DOM.getDocument", depth=0)["root"]["nodeId"]
    region = browser.devtools("DOM.querySelector", nodeId=root, selector="#spoken")
    nodes = browser.devtools("Accessibility.queryAXTree", nodeId=region["nodeId"])["nodes"]
    is_live = any(p["name"] == "live" for p in nodes[0].get("properties", []))
    return is_live and any(words in text(node, "name") for node in nodes)


def read_tree(browser, check, what):
    nodes = tree(browser)
    focusable = [n for n in nodes if n["states"].get("focusable")]
    controls = [n for n in focusable if text(n, "role") != "RootWebArea"]
    strange = {text(n, "role") for n in controls} - CONTROLS
    check(f"{what}: controls are of known kinds", not strange and len(controls) > 30, str(strange))
    for role in CONTROLS | {"image", "table", "group", "navigation", "tabpanel", "complementary"}:
        all_of_it = [n for n in nodes if text(n, "role") == role]
        unnamed = [n for n in all_of_it if not text(n, "name")]
        check(f"{what}: every {role} has a name", all_of_it and not unnamed, str(unnamed[:2]))
    check(f"{what}: headings", sum(text(n, "role") == "heading" for n in nodes) >= 18)
    # DevTools has a slider's number alone; its words are the attribute.
    values = browser.run(
        "return [...document.querySelectorAll('[type=range]')].map(e => e.ariaValueText)"
    )
    check(f"{what}: sliders tell their stops", values == ["1 : 1", "10,000"], str(values))
