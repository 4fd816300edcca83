// generate.js - random tokenizers of the kinds that this project has, and what the reference (npm install
// --ignore-scripts tokenizers@0.23.2) makes of random texts with them. Prints JSON lines: {"definition": ...}, then the
// cases of it, as in ../shared/tokenizers/cases/pairs. The same seed gives the same lines.
//
//     node tests/tokenizers/generate.js SEED DEFINITIONS CASES > tests/tokenizers/reference.jsonl
//
// The reference itself stops with a panic on some of these (an added token that is nothing after normalization, or
// whose blanks another one has taken): take another seed.
'use strict';
const { Tokenizer } = require('tokenizers');

let state = BigInt(process.argv[2] || 1);
const N_DEFINITIONS = Number(process.argv[3] || 40), N_CASES = Number(process.argv[4] || 10);

function random() { // splitmix64
    const mask = (1n << 64n) - 1n;
    state = (state + 0x9E3779B97F4A7C15n) & mask;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xBF58476D1CE4E5B9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94D049BB133111EBn) & mask;
    return Number((z ^ (z >> 31n)) >> 11n) / 2 ** 53;
}
const below = n => Math.floor(random() * n);
const pick = list => list[below(list.length)];
const chance = p => random() < p;
const list = (n, make) => Array.from({ length: n }, make).filter(entry => entry !== null);

// Letters and blanks often; what normal forms, lower case, BERT's rules and Unicode versions differ on.
const ALPHABET = ['a', 'b', 'A', 'B', 'c', 'a', 'b', ' ', ' ', '  ', '\t', '\n', '.', ',', '!', '-', '_', '$', '1', '2',
    'x', '[', ']', '<', '>', '[M]', '<m>', 'Ab', 'ab', 'a b', '\u00e9', '\u00c9', 'e\u0301', '\u0301', '\u0323',
    '\u0315', '\u0334', '\u0307', '\u0345', '\u0300', '\u0130', '\u03a3', '\u03c3', '\u00df', '\ufb01', '\u2460',
    '\u00c5', '\u212b', '\uac00', '\uac01', '\u1100', '\u1161', '\u11a8', '\u115f', '\u65e5', '\u672c', '\u3000',
    '\u00a0', '\u200d', '\u00ad', '\ufeff', '\u0000', '\ufffd', '\u0344', '\u0f73', '\u0f71', '\u0f72', '\ufdfa',
    '\u0958', '\u093c', '\u{1d49c}', '\u{1f600}', '\u{1d15e}', '\u1e9b\u0323', '\u0b47\u0b56', '\u0b47', '\u0b3e',
    '\u09c7\u09be', '\u00bd', '\u0663', '\u2167', '\u1f82', '\uff21', '\ufe4f', '\u166d', '\u1c89'];
const ADDED = ['[M]', '<m>', 'Ab', 'ab', 'a b', '[CLS]', '[UNK]', ' ', '\u00e9', '\u00c9', 'b', '\u65e5', 'a', '  ',
    'e\u0301'];

const letters = n => list(n, () => pick(ALPHABET)).join('');
const text = () => letters(below(chance(0.1) ? 60 : 14));
const word = () => letters(1 + below(3)).replace(/\0/g, '');

function normalizer(depth) {
    if (chance(0.15)) return null;
    if (chance(0.3))
        return { type: 'BertNormalizer', clean_text: chance(0.6), handle_chinese_chars: chance(0.6),
                 strip_accents: pick([null, true, false]), lowercase: chance(0.6) };
    if (depth < 2 && chance(0.6))
        return { type: 'Sequence', normalizers: list(1 + below(4), () => normalizer(depth + 1)) };
    const type = pick(['NFD', 'NFC', 'NFKD', 'NFKC', 'Lowercase', 'StripAccents', 'Strip']);
    return type === 'Strip' ? { type, strip_left: chance(0.5), strip_right: chance(0.5) } : { type };
}

function preTokenizer(depth) {
    if (chance(0.12)) return null;
    if (depth < 2 && chance(0.3))
        return { type: 'Sequence', pretokenizers: list(1 + below(3), () => preTokenizer(depth + 1)) };
    const type = pick(['BertPreTokenizer', 'Whitespace', 'WhitespaceSplit', 'Punctuation', 'Digits']);
    if (type === 'Punctuation') return { type, behavior: pick(['Isolated', 'Contiguous', 'Removed']) };
    return type === 'Digits' ? { type, individual_digits: chance(0.5) } : { type };
}

function postProcessor() {
    if (chance(0.4)) return { type: 'BertProcessing', sep: ['[SEP]', 2], cls: ['[CLS]', 1] };
    if (chance(0.4)) return null;
    const special = (id, type_id) => ({ SpecialToken: { id, type_id } });
    const sequence = (id, type_id) => ({ Sequence: { id, type_id } });
    return { type: 'TemplateProcessing', single: [special('[CLS]', 0), sequence('A', 0)],
             pair: [sequence('B', 1), special('[SEP]', 0), sequence('A', 0)],
             special_tokens: { '[CLS]': { id: '[CLS]', ids: [1], tokens: ['[CLS]'] },
                               '[SEP]': { id: '[SEP]', ids: [2, 1], tokens: ['[SEP]', '[CLS]'] } } };
}

function vocabulary(isPieces, prefix) {
    const texts = new Set(['[UNK]', '[CLS]', '[SEP]']);
    const add = entry => { if (entry) texts.add(entry); };
    for (let n = 10 + below(20); n > 0; n--) {
        let entry = word().normalize(pick(['NFC', 'NFD', 'NFKC']));
        if (chance(0.5)) entry = entry.toLowerCase();
        if (chance(0.5)) entry = entry.replace(/\s/g, '');
        add(entry);
        if (isPieces && entry) add(prefix + entry);
    }
    for (const letter of ALPHABET.filter(entry => entry !== '\0')) {
        if (chance(0.4)) add(letter);
        if (isPieces && chance(0.4)) add(prefix + letter);
    }
    return Object.fromEntries([...texts].map((entry, id) => [entry, id]));
}

function addedTokens(vocab) {
    const contents = new Set(list(below(chance(0.3) ? 1 : 7), () => pick([pick(ADDED), word(), pick(Object.keys(vocab))])));
    let next = Object.keys(vocab).length;
    return [...contents].filter(content => /[a-zA-Z0-9<\u65e5\uac00]/.test(content) || /^ +$/.test(content))
        .map(content => ({ id: content in vocab ? vocab[content] : next++, content, single_word: chance(0.3),
                           lstrip: chance(0.3), rstrip: chance(0.3), normalized: chance(0.5), special: chance(0.5) }));
}

function definition() {
    const isPieces = chance(0.6), prefix = pick(['##', '##', '', '@']), vocab = vocabulary(isPieces, prefix);
    const model = isPieces
        ? { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: prefix,
            max_input_chars_per_word: pick([100, 100, 3, 8]), vocab }
        : { type: 'WordLevel', vocab, unk_token: '[UNK]' };
    return { version: '1.0', truncation: null, padding: null, added_tokens: addedTokens(vocab), normalizer: normalizer(0),
             pre_tokenizer: preTokenizer(0), post_processor: postProcessor(), decoder: null, model };
}

async function answer(tokenizer) {
    const truncation = chance(0.3) ? { max: 3 + below(12), strategy: pick(['LongestFirst', 'OnlyFirst', 'OnlySecond']),
                                       direction: pick(['left', 'right']) } : null;
    const found = { text: text(), pair: chance(0.3) ? text() : null, truncation, add_special_tokens: chance(0.7) };
    if (truncation) tokenizer.setTruncation(truncation.max, truncation);
    else tokenizer.disableTruncation();
    try {
        const encoding = await tokenizer.encode(found.text, found.pair, { addSpecialTokens: found.add_special_tokens });
        Object.assign(found, { ids: encoding.getIds(), type_ids: encoding.getTypeIds(),
                               offsets: encoding.getOffsets().flat(), special_mask: encoding.getSpecialTokensMask() });
    } catch (error) {
        found.error = error.message;
    }
    return found;
}

(async () => {
    for (let i = 0; i < N_DEFINITIONS; i++) {
        const made = definition(), tokenizer = Tokenizer.fromString(JSON.stringify(made));
        console.log(JSON.stringify({ definition: made }));
        for (let n = 0; n < N_CASES; n++) console.log(JSON.stringify(await answer(tokenizer)));
    }
})();
