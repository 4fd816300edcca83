"use strict";
// For the pages of make lesson and of encode-serve: elements, numbers as text, and the two kinds of places that show
// them: data-value, data-matrix.

// ---- Arithmetic ----

const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const scale = (matrix, factor) => matrix.map(row => row.map(value => value * factor));
const length = row => Math.sqrt(dot(row, row));
const distance = (a, b) => length(a.map((value, i) => value - b[i]));
const cosine = (a, b) => dot(a, b) / (length(a) * length(b) || 1);
const range = n => Array.from({ length: n }, (_, i) => i);

// ---- Elements ----

// h("p", {class: "note"}, "text", child): an element. Attributes that are functions are listeners.
function h(name, attributes = {}, ...children) {
    return fillElement(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
    return fillElement(
        document.createElementNS("http://www.w3.org/2000/svg", name),
        attributes,
        children,
    );
}

function fillElement(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
        if (typeof value === "function") element.addEventListener(key, value);
        else if (value !== undefined && value !== false)
            element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children);
    return element;
}

const $ = (selector, from = document) => from.querySelector(selector);
const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];

// A number with so many digits after the point; a minus sign and no hyphen, and no minus before 0.
function shown(value, digits = 2) {
    if (typeof value === "string") return value;
    if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
    const text = Math.abs(value).toFixed(digits);
    return value < 0 && Number(text) !== 0 ? "−" + text : text;
}

// ---- Places for one value ----
// data-value="q.{query}.0": names and indexes with dots between. {query} and {key} are the places
// where those words stand now. Paths begin in what the toy computed, or with toy or model.

function lookUp(state, path) {
    const place = {
        "{query}": state.order.indexOf(chosen.query),
        "{key}": state.order.indexOf(chosen.key),
    };
    return path
        .replace(/\{\w+\}/g, name => place[name])
        .split(".")
        .reduce((value, name) => value?.[name], state);
}

function fillValues(state) {
    for (const element of $$("[data-value]")) {
        const value = lookUp(state, element.dataset.value);
        const whole = Number.isInteger(value) && /^(toy|model)\./.test(element.dataset.value);
        element.textContent = inSum(
            element,
            shown(value, whole ? 0 : Number(element.dataset.digits || 2)),
        );
    }
}

// A negative number after a sign is in parentheses.
function inSum(element, text) {
    const before = element.previousSibling?.textContent || "";
    return element.localName === "i" && text.startsWith("−") && /[·+−]\s$/.test(before)
        ? `(${text})`
        : text;
}

// ---- Places for a matrix ----
// data-matrix names it, data-rows and data-heads the titles of its rows and of its columns.

function fillMatrices(state, which = "[data-matrix]") {
    for (const table of $$(which)) {
        const { matrix, rows, heads, digits } = table.dataset;
        fillTable(table, {
            matrix: lookUp(state, matrix),
            rows: rows && lookUp(state, rows),
            numbers: state.numbers[rows],
            heads: heads && lookUp(state, heads),
            digits: Number(digits || 2),
            tinted: !table.classList.contains("plain"),
        });
    }
}

// numbers: which word each row is of; -1: of none.
function fillTable(table, { matrix, rows, numbers, heads, digits = 2, tinted = true }) {
    const most = matrix.flat().reduce((a, b) => (Number.isFinite(b) ? Math.max(a, Math.abs(b)) : a), 1e-9);
    const body = h(
        "tbody",
        {},
        ...matrix.map((row, i) =>
            h(
                "tr",
                { class: rowClass(numbers?.[i] ?? -1) },
                ...(rows ? [h("th", { scope: "row" }, rows[i])] : []),
                ...row.map(value => numberCell(value, digits, tinted ? most : 0)),
            ),
        ),
    );
    $$("thead, tbody", table).forEach(part => part.remove());
    if (heads) table.append(headRow(heads, rows));
    table.append(body);
}

function headRow(heads, rows) {
    const corner = rows ? [h("td", {})] : [];
    return h(
        "thead",
        {},
        h("tr", {}, ...corner, ...heads.map(head => h("th", { scope: "col" }, head))),
    );
}

// The colour of a word goes with it; the row of the query that is followed is marked.
const wordClass = word => `word${word % 3}`;
const rowClass = word => word >= 0 && wordClass(word) + (word === chosen.query ? " followed" : "");

// Tinted by its part of the table's largest number: one colour above 0, the other below.
function numberCell(value, digits, most) {
    const cell = h("td", {}, shown(value, digits));
    if (value === -Infinity) cell.className = "hidden-score";
    else if (typeof value === "number" && most > 0) {
        cell.className = value < 0 ? "minus" : "plus";
        cell.style.setProperty("--part", `${Math.round((Math.abs(value) / most) * 100)}%`);
    }
    return cell;
}

// ---- Pictures ----

// A new picture in place of the old one, told in words to who cannot see it.
function draw(holder, width, height, label, ...shapes) {
    const picture = svg(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
        ...shapes,
    );
    const old = $("svg", holder);
    if (old) old.replaceWith(picture);
    else holder.insertBefore(picture, $("p.small", holder));
}

// A name that fits beside a picture.
const short = text => ([...text].length > 12 ? [...text].slice(0, 11).join("") + "…" : text);

const textAt = (x, y, text, attributes = {}) => svg("text", { x, y, ...attributes }, text);

// Squares of a matrix of numbers in -1 .. 1 in ten strengths of two colours; one path for each.
function heat(matrix, x, y, size) {
    const paths = new Map();
    matrix.forEach((row, i) =>
        row.forEach((value, j) => {
            const strength = Math.min(10, Math.round(Math.abs(value) * 10));
            const name = `${value < 0 ? "minus" : "plus"} ${strength}`;
            const square = `M${x + j * size} ${y + i * size}h${size}v${size}h${-size}z`;
            paths.set(name, (paths.get(name) || "") + square);
        }),
    );
    const ground = svg("rect", {
        class: "ground",
        x,
        y,
        width: matrix[0].length * size,
        height: matrix.length * size,
    });
    return svg(
        "g",
        { class: "heat" },
        ground,
        ...[...paths].map(([name, d]) => {
            const [colour, strength] = name.split(" ");
            return svg("path", { class: colour, d, "fill-opacity": strength / 10 });
        }),
    );
}
