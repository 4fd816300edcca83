// What check_page.py asks the page, run in it.

const textOf = cell => cell.innerText;
const rowTexts = row => [...row.querySelectorAll("td")].map(textOf);
const cellsOf = table => [...table.tBodies[0].rows].map(rowTexts);

// All numbers that can be seen: tables by their names, the worked sums, the trained model's two
// maps, the verdict; and what is chosen.
function readPage() {
    const tables = {};
    for (const table of document.querySelectorAll("table[data-matrix]"))
        if (table.checkVisibility())
            tables[table.dataset.matrix] = cellsOf(table);
    return {
        tables,
        maps: [...document.querySelectorAll("#map-first table, #map-now table")].map(cellsOf),
        worked: [...document.querySelectorAll(".worked [data-value]")].map(place => [
            place.dataset.value,
            place.innerText,
        ]),
        verdict: document.querySelector("#verdict strong")?.innerText,
        sums: [...document.querySelectorAll("[data-sum]")].map(textOf),
        state: typeof chosen === "undefined" ? null : { ...chosen, sentences, orders: ordersNow() },
    };
}

// Whether all numbers are there that the page computes for what is chosen.
const isReady = () =>
    document.documentElement.classList.contains("js") && document.body.dataset.busy === undefined;

// Controls of less than 32 pixels, where a finger presses them.
const smallTargets = () =>
    [...document.querySelectorAll("button, input, select, summary, fieldset label, .tabs a, #chain a, .whole a")]
        .filter(e => e.checkVisibility())
        .filter(e => e.getBoundingClientRect().height < 31.9)
        .map(e => e.outerHTML.slice(0, 80));

// Sets controls by their names: the index of a radio button, the stop of a slider.
function setControls(wanted) {
    for (const [name, index] of Object.entries(wanted)) {
        const slider = document.querySelector(`#slider-${name}`);
        if (!slider) {
            const group = document.querySelector(`fieldset[data-choice=${name}]`);
            const inputs = group.querySelectorAll("input");
            inputs[index % inputs.length].click();
            continue;
        }
        slider.value = index;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
}

const nth = (selector, index) => document.querySelectorAll(selector)[index];
const isChecked = (selector, index) => nth(selector, index).querySelector("input").checked;
const isPressed = (selector, index) => nth(selector, index).getAttribute("aria-pressed") === "true";
const areSeen = selector => [...document.querySelectorAll(selector)].map(e => e.checkVisibility());
const wordsNow = () => [...document.querySelectorAll("#moment .chip")].map(textOf).join(" ");

// Tables that are seen and have no class of the style, no caption, or a row without a title.
const bareTables = () =>
    [...document.querySelectorAll("table")]
        .filter(table => table.checkVisibility())
        .filter(table => !table.matches(".matrix") || !table.caption || [...table.tBodies[0].rows].some(row => !row.cells[0].matches("th") || !textOf(row.cells[0]).trim()))
        .map(table => table.outerHTML.slice(0, 80));

// ---- Contrast ----

const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

function toRgb(colour) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
}

// WCAG's relative luminance.
function luminance(rgb) {
    const linear = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = rgb.map(value => linear(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// The nearest colour behind an element.
function ground(element) {
    for (; element; element = element.parentElement) {
        const rgb = toRgb(getComputedStyle(element).backgroundColor);
        if (rgb[3] > 200)
            return rgb;
    }
    return [255, 255, 255];
}

function contrast(element) {
    const style = getComputedStyle(element);
    const ink = toRgb(element instanceof SVGElement ? style.fill : style.color);
    const [dark, light] = [luminance(ink), luminance(ground(element))].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
}

function hasText(element) {
    const isText = node => node.nodeType === Node.TEXT_NODE && node.data.trim();
    const isSeen = !/SCRIPT|STYLE/i.test(element.tagName) && element.checkVisibility();
    return isSeen && [...element.childNodes].some(isText);
}

// Elements whose own text is hard to read: under 4.5, or 3 where it is large.
function faintTexts() {
    const isFaint = element => {
        const isLarge = parseFloat(getComputedStyle(element).fontSize) >= 24;
        return contrast(element) < (isLarge ? 3 : 4.5);
    };
    const seen = [...document.querySelectorAll("body *")].filter(hasText);
    const told = element => `${element.outerHTML.slice(0, 80)} ${contrast(element).toFixed(2)}`;
    return seen.filter(isFaint).map(told);
}

// Words of pictures that go over a picture's edge, where they are cut off.
function cutTexts() {
    const isCut = text => {
        const box = text.getBoundingClientRect(),
            frame = text.ownerSVGElement.getBoundingClientRect();
        return box.left < frame.left - 1 || box.right > frame.right + 1;
    };
    const seen = [...document.querySelectorAll("svg text")].filter(text => text.checkVisibility());
    return seen.filter(isCut).map(text => text.textContent);
}

// ---- Without JavaScript ----

const picturesWithoutScript = () =>
    [...document.querySelectorAll("noscript img")].map(
        picture => picture.checkVisibility() && picture.naturalWidth > 0 && picture.alt !== "",
    );
const emptySources = () =>
    [...document.querySelectorAll(".source")].filter(source => !/\.c:[0-9]+ ./.test(source.textContent)).length;
