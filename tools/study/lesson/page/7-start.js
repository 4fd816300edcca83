"use strict";
// The two tabs, and the start.

// ---- Tabs ----

const tabs = ["lesson", "articles"];

function openTab(name, focus) {
    document.body.dataset.tab = name;
    for (const other of tabs) {
        const tab = $(`#tab-${other}`);
        tab.setAttribute("aria-selected", String(other === name));
        tab.tabIndex = other === name ? 0 : -1;
        $(`#${other}`).hidden = other !== name;
    }
    if (focus) $(`#tab-${name}`).focus();
}

function startTabs() {
    const list = $(".tabs");
    list.setAttribute("role", "tablist");
    for (const name of tabs) {
        const tab = $(`#tab-${name}`);
        tab.setAttribute("role", "tab");
        tab.setAttribute("aria-controls", name);
        $(`#${name}`).setAttribute("role", "tabpanel");
        tab.addEventListener("click", event => {
            event.preventDefault();
            history.replaceState(null, "", `#${name}`);
            openTab(name);
        });
        tab.addEventListener("keydown", event => {
            if (event.key === "ArrowLeft" || event.key === "ArrowRight")
                openTab(tabs[1 - tabs.indexOf(name)], true);
        });
    }
    addEventListener("hashchange", openPlace);
    openPlace();
}

// The tab that holds the place named in the address.
function openPlace() {
    const place = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    openTab(place && $("#articles").contains(place) ? "articles" : "lesson");
    if (place) place.scrollIntoView();
}

// ---- All of it ----

// Sums whose number of terms is the sentence's.
function fillSums(state) {
    const terms = {
        mix: state.words.map((_, i) => `${shown(state.weights[state.order.indexOf(chosen.query)][i])} · ${inBrackets(state.v[i][0])}`),
        mean: state.last.map((row, i) => (i ? inBrackets(row[0]) : shown(row[0]))),
    };
    for (const element of $$("[data-sum]")) element.textContent = terms[element.dataset.sum].join(" + ");
}

const inBrackets = value => (shown(value).startsWith("−") ? `(${shown(value)})` : shown(value));

// What the page adds to the model's part: the toy.
const page = {
    beginning: () => {
        lastScheme = "sinusoidal";
        return beginning();
    },
    follow: n => ({ query: Math.min(1, n - 1), key: Math.min(2, n - 1) }),
    moved: movedText,
    show(state) {
        Object.assign(state, toyState(), waveState());
        Object.assign(state, shareState(state), momentState(state));
        state.model.width = model.setting("width");
        state.model.vocabulary = Number(model.setting("vocabulary"));
        Object.assign(state.numbers, {
            words: state.order,
            places: state.order,
            sentenceWords: range(state.order.length),
        });
        fillSliders();
        fillSums(state);
        showWaves();
        showMix(state);
        showVerdict();
        showOrders();
    },
};

async function start() {
    startChain();
    startTabs();
    try {
        await openEngine();
    } catch (error) {
        $("#broken").hidden = false;
        $("#broken").append(` (${error.message})`);
        return;
    }
    document.documentElement.classList.add("js");
    wrapTables();
    sentences = data.sentences.map(text => text.split(" "));
    chosen = beginning();
    startControls();
    $$("[data-slider]").forEach(makeSlider);
    startFiles();
    await showAll();
    openPlace();
}

start();
