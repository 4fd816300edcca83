// measure.js - what the reference tokenizer (npm install --ignore-scripts tokenizers@0.23.2) takes every code
// point for. Prints "PROPERTY HEX VALUE", one line for each code point that has the property:
//
//     word, number   \w of its patterns, numeric
//     mark           what StripAccents drops
//     class          has a combining class, so that NFD moves it
//     nfkd           its decomposition, code points joined by commas
//
//     node tools/build/unicode/measure.js > measured; python3 tools/build/unicode/exceptions.py compare measured
'use strict';
const t = require('tokenizers');

const splitters = {
    word: t.whitespacePreTokenizer(),
    number: t.digitsPreTokenizer(true),
};
const forms = { nfd: t.nfdNormalizer(), nfkd: t.nfkdNormalizer(), mark: t.stripAccentsNormalizer() };

const pieces = (splitter, text) => splitter.preTokenizeString(text).length;
const lines = [];
const say = (property, code, value) => lines.push(`${property} ${code.toString(16).toUpperCase()} ${value}`);

for (let code = 0; code < 0x110000; code++) {
    if (code >= 0xD800 && code < 0xE000) continue;
    // Unassigned planes and private use are alike all through.
    if (((code >= 0x40000 && code < 0xE0000) || code >= 0xF0000) && code % 64 !== 0) continue;
    const character = String.fromCodePoint(code), between = `a${character}b`;
    if (pieces(splitters.word, between) === 1) say('word', code, 1);
    if (pieces(splitters.number, between) === 3) say('number', code, 1);
    if (forms.mark.normalizeString(character) === '') say('mark', code, 1);
    // U+0315 has class 232, U+0334 class 1: one of them moves past every other class.
    const whole = forms.nfd.normalizeString(character) === character;
    const moves = text => whole && forms.nfd.normalizeString(text) !== text;
    if (moves('\u0315' + character) || moves(character + '\u0334')) say('class', code, 1);
    const decomposed = forms.nfkd.normalizeString(character);
    if (decomposed !== character)
        say('nfkd', code, [...decomposed].map(c => c.codePointAt(0).toString(16).toUpperCase()).join(','));
}
process.stdout.write(lines.join('\n') + '\n');
