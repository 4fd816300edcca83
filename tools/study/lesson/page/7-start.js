"use strict";
// The chain that lights up where the reader is, the two tabs, and the start.

// ---- The chain ----

function lightUp(id) {
    for (const link of $$("#chain a")) {
        const here = link.hash === `#${id}`;
        if (here) link.setAttribute("aria-current", "step");
        else link.removeAttribute("aria-current");
    }
    for (const part of $$(".whole [data-step]"))
        part.classList.toggle("here", part.dataset.step === id);
    const link = $(`#chain a[href="#${id}"]`);
    $("#chain .here").textContent = link ? link.textContent : "";
}

// The step whose heading was passed last, looking at a line in the upper third of the window.
function followReader() {
    const line = innerHeight * 0.35;
    const passed = $$("section.step").filter(step => step.getBoundingClientRect().top < line);
    lightUp(passed.length ? passed[passed.length - 1].id : "");
}

function startChain() {
    let waiting = false;
    addEventListener(
        "scroll",
        () => {
            if (waiting) return;
            waiting = true;
            requestAnimationFrame(() => {
                waiting = false;
                followReader();
            });
        },
        { passive: true },
    );
    followReader();
}

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

function showAll() {
    const state = { ...toyState(), model: modelState(), ...waveState() };
    Object.assign(state, shareState(state), momentState(state));
    state.numbers = {
        words: state.order,
        places: state.order,
        sentenceWords: range(state.order.length),
        "model.tokens": wordsOf(state.order),
    };
    fillChoices();
    fillSliders();
    fillWords();
    fillPanel();
    fillValues(state);
    fillSums(state);
    fillMatrices(state);
    showWaves();
    showMix(state);
    showVerdict();
    showOrders();
    showHeads();
    showMaps();
    fillLater(state);
}

// Wide tables scroll by themselves.
function wrapTables() {
    for (const table of $$("#lesson table.matrix")) {
        const holder = h("div", { class: "scroll" });
        table.replaceWith(holder);
        holder.append(table);
    }
}

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
    startControls();
    startOwn();
    showAll();
    openPlace();
}

start();
