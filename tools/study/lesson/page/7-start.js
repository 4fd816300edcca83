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

function showAll() {
    const state = { ...toyState(), toy: toyFacts(), model: modelState(), ...waveState() };
    Object.assign(state, shareState(state), momentState(state));
    fillChoices();
    fillSliders();
    fillWords();
    fillPanel();
    fillValues(state);
    fillMatrices(state);
    showWaves();
    showMix(state);
    showVerdict();
    showOrders();
    showHeads();
    showMaps();
    showPlane();
}

const toyFacts = () => ({ ...toy, vocabulary: toy.words });

document.documentElement.classList.add("js");
startControls();
showAll();
startChain();
startTabs();
