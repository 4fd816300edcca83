#!/usr/bin/env python3
"""Random tokenizers of the kinds that this project has, and what the reference, tokenizers 0.23.3,
makes of random texts with them. Prints JSON lines: {"definition": ...}, then the cases of it, as in
../shared/tokenizers/cases/pairs. The same seed gives the same lines.

    python3 -m venv judge && judge/bin/pip install tokenizers==0.23.3
    judge/bin/python tests/tokenizers/generate.py SEED DEFINITIONS CASES > tests/tokenizers/reference.jsonl

The file is by 1 12 20. DEFINITIONS is the number of each kind (half of the two last ones). Vocabularies are trained on the random texts. The reference
itself panics on some definitions (an added token that is empty after normalization, or whose blanks
another one has taken): these are skipped."""
import json
import random
import re
import sys
import unicodedata

from tokenizers import Tokenizer, __version__, models, pre_tokenizers, trainers

rng = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
N_DEFINITIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 10
N_CASES = int(sys.argv[3]) if len(sys.argv) > 3 else 10

# Letters and blanks often; what normal forms, lower case, BERT's rules and Unicode versions differ on.
ALPHABET = ["a", "b", "A", "B", "c", "a", "b", " ", " ", "  ", "\t", "\n", ".", ",", "!", "-", "_", "$", "1", "2",
            "x", "[", "]", "<", ">", "[M]", "<m>", "Ab", "ab", "a b", "\u00e9", "\u00c9", "e\u0301", "\u0301",
            "\u0323", "\u0315", "\u0334", "\u0307", "\u0345", "\u0300", "\u0130", "\u03a3", "\u03c3", "\u00df",
            "\ufb01", "\u2460", "\u00c5", "\u212b", "\uac00", "\uac01", "\u1100", "\u1161", "\u11a7", "\u11a8",
            "\u11c3", "\u115f", "\u65e5", "\u672c", "\u3000", "\u00a0", "\u200d", "\u00ad", "\ufeff", "\0", "\ufffd",
            "\u0344", "\u0f73", "\u0f71", "\u0f72", "\ufdfa", "\u0958", "\u093c", "\U0001d49c", "\U0001f600",
            "\U0001d15e", "\u1e9b\u0323", "\u0b47\u0b56", "\u0b47", "\u0b3e", "\u09c7\u09be", "\u00bd", "\u0663",
            "\u2167", "\u1f82", "\uff21", "\ufe4f", "\u166d", "\u1c89", "\u2581", "\x8f"]
PLAIN = ["a", "b", "c", "ab", "cab", "abba", "A", "Cab", " ", " ", " ", "-", "--", "-----", ".", ", ", "'s", "'re",
         "1", "22", "2024", "x", "\u00e9", "\u65e5", "\u672c", "<m>", "  ", "\n", "_", "==="]
# What patterns treat apart: letters by case, without case and marks; slashes and line ends; contractions.
CASED = ["A", "B", "HT", "a", "b", "ab", "Ab", "\u00c9", "\u00e9", "\u01c5", "\u6f22", "\u6f22", "\u02b0", "\u0e01", "\u0301", "\u093f",
         "'s", "'S", "'re", "'LL", "'", "'\u017f", " ", " ", "  ", "\n", "\r\n", "/", "//", "!", "1", "12", "\u00bd", "\t", "\u00a0",
         "\u24b6", "\u200d", "\U0001d400", "\U0001d41a", "\u10d0", "\u1c90", "\u1c89", "\u1c8a", "\U00010d69", "\U00010d40"]
LETTERS = [ALPHABET, PLAIN]
CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
CAPITALS, SMALL = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
PATTERNS = [CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|" % numbers + BLANKS
            for numbers in ("{1,3}", "")]
PATTERNS.append(rf"[^\r\n\p{{L}}\p{{N}}]?[{CAPITALS}]*[{SMALL}]+{CONTRACTIONS}?|[^\r\n\p{{L}}\p{{N}}]?[{CAPITALS}]+[{SMALL}]*{CONTRACTIONS}?|"
                r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + BLANKS)
ADDED = ["[M]", "<m>", "Ab", "ab", "a b", "[CLS]", "[UNK]", " ", "\u00e9", "\u00c9", "b", "\u65e5", "a", "  ",
         "e\u0301"]


def chance(p):
    return rng.random() < p


def pick(entries):
    return entries[rng.randrange(len(entries))]


def text():
    letters = pick(LETTERS)
    return "".join(pick(letters) for _ in range(rng.randrange(60 if chance(0.1) else 14)))


def word():
    return "".join(pick(ALPHABET) for _ in range(1 + rng.randrange(3))).replace("\0", "")


def some(n, make):
    return [made for made in (make() for _ in range(n)) if made is not None]


def normalizer(depth=0):
    if chance(0.15):
        return None
    if chance(0.3):
        return {"type": "BertNormalizer", "clean_text": chance(0.6), "handle_chinese_chars": chance(0.6),
                "strip_accents": pick([None, True, False]), "lowercase": chance(0.6)}
    if depth < 2 and chance(0.6):
        return {"type": "Sequence", "normalizers": some(1 + rng.randrange(4), lambda: normalizer(depth + 1))}
    kind = pick(["NFD", "NFC", "NFKD", "NFKC", "Lowercase", "StripAccents", "Strip", "Nmt"])
    if kind == "Strip":
        return {"type": kind, "strip_left": chance(0.5), "strip_right": chance(0.5)}
    return {"type": kind}


def pre_tokenizer(depth=0):
    if chance(0.12):
        return None
    if depth < 2 and chance(0.3):
        return {"type": "Sequence", "pretokenizers": some(1 + rng.randrange(3), lambda: pre_tokenizer(depth + 1))}
    kind = pick(["BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Punctuation", "Digits"])
    if kind == "Punctuation":
        return {"type": kind, "behavior": pick(["Isolated", "Contiguous", "Removed"])}
    return {"type": kind, "individual_digits": chance(0.5)} if kind == "Digits" else {"type": kind}


def post_processor(is_byte_level):
    if chance(0.4):
        kind = "RobertaProcessing" if is_byte_level else "BertProcessing"
        made = {"type": kind, "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}
        if is_byte_level:
            made.update(trim_offsets=chance(0.5), add_prefix_space=chance(0.5))
        return made
    if chance(0.4):
        return {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": chance(0.5),
                "use_regex": True} if is_byte_level else None
    special = [{"SpecialToken": {"id": name, "type_id": 0}} for name in ("[CLS]", "[SEP]")]
    a, b = ({"Sequence": {"id": name, "type_id": type_id}} for name, type_id in (("A", 0), ("B", 1)))
    return {"type": "TemplateProcessing", "single": [special[0], a], "pair": [b, special[1], a],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]},
                               "[SEP]": {"id": "[SEP]", "ids": [2, 1], "tokens": ["[SEP]", "[CLS]"]}}}


def vocabulary(is_pieces, prefix):
    texts = ["[UNK]", "[CLS]", "[SEP]"]
    for _ in range(10 + rng.randrange(20)):
        entry = unicodedata.normalize(pick(["NFC", "NFD", "NFKC"]), word())
        entry = entry.lower() if chance(0.5) else entry
        entry = re.sub(r"\s", "", entry) if chance(0.5) else entry
        texts += [entry, prefix + entry] if is_pieces else [entry]
    for letter in ALPHABET:
        texts += [letter] if letter != "\0" and chance(0.4) else []
        texts += [prefix + letter] if is_pieces and letter != "\0" and chance(0.4) else []
    return {entry: i for i, entry in enumerate(dict.fromkeys(filter(None, texts)))}


def added_tokens(vocab):
    contents = some(0 if chance(0.3) else rng.randrange(7), lambda: pick([pick(ADDED), word(), pick(list(vocab))]))
    made, following = [], len(vocab)
    for content in dict.fromkeys(contents):
        if not re.search("[a-zA-Z0-9<\u65e5\uac00]", content) and not re.fullmatch(" +", content):
            continue
        made.append({"id": vocab.get(content, following), "content": content, "single_word": chance(0.3),
                     "lstrip": chance(0.3), "rstrip": chance(0.3), "normalized": chance(0.5), "special": chance(0.5)})
        following += content not in vocab
    return made


def word_model():
    is_pieces, prefix = chance(0.6), pick(["##", "##", "", "@"])
    vocab = vocabulary(is_pieces, prefix)
    if is_pieces:
        model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": prefix,
                 "max_input_chars_per_word": pick([100, 100, 3, 8]), "vocab": vocab}
    else:
        model = {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"}
    return model, vocab, normalizer(), pre_tokenizer()


def bpe_model():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(vocab_size=280 + rng.randrange(150), show_progress=False,
                                  special_tokens=["[UNK]", "[CLS]", "[SEP]"],
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    letters = pick([ALPHABET, PLAIN, PLAIN])
    tokenizer.train_from_iterator(["".join(pick(letters) for _ in range(9)) for _ in range(300)], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    step = pick([None, {"type": "NFC"}, {"type": "NFKC"}, {"type": "Lowercase"}, {"type": "Nmt"}])
    return model, model["vocab"], step, {"type": "ByteLevel", "add_prefix_space": chance(0.5),
                                         "trim_offsets": chance(0.5), "use_regex": chance(0.8)}


def pattern_model():
    """The byte level of GPT-4, Llama 3, Qwen2 and GPT-4o."""
    model, vocab, step, _ = bpe_model()
    model["ignore_merges"], is_removed = chance(0.5), chance(0.5)
    split = {"type": "Split", "pattern": {"Regex": pick(PATTERNS + PATTERNS[-1:])}, "invert": is_removed,
             "behavior": "Removed" if is_removed else "Isolated"}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return model, vocab, step, {"type": "Sequence", "pretokenizers": [split, level]}


def gemma_model():
    """Characters, and bytes of unknown ones; no blank is left for its splitter."""
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", fuse_unk=True, byte_fallback=True))
    bytes_of = ["<0x%02X>" % byte for byte in range(256)] if chance(0.7) else []
    trainer = trainers.BpeTrainer(vocab_size=420, show_progress=False, limit_alphabet=20 + rng.randrange(20),
                                  special_tokens=["[UNK]", "[CLS]", "[SEP]", *bytes_of])
    texts = ["".join(pick(PLAIN) for _ in range(9)).replace(" ", "\u2581") for _ in range(300)]
    tokenizer.train_from_iterator(texts, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    step = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
    split = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    return model, model["vocab"], step if chance(0.8) else None, split


def unigram_model():
    """Scores have 16 digits and more; equal sums of the same scores in another order are frequent."""
    pieces = [c for c in dict.fromkeys("".join(PLAIN) + "\u2581") if chance(0.8) and c != " "]
    for _ in range(30 + rng.randrange(60)):
        letters = "".join(pick(PLAIN) for _ in range(1 + rng.randrange(3))).replace(" ", "\u2581")
        pieces += [letters, "\u2581" + letters, "-" * rng.randrange(1, 5)]
    pieces = ["[UNK]", "[CLS]", "[SEP]"] + list(dict.fromkeys(pieces))
    model = {"type": "Unigram", "unk_id": 0, "vocab": [[piece, -rng.random() * 12] for piece in pieces]}
    model["byte_fallback"] = chance(0.3)
    if model["byte_fallback"]:
        model["vocab"] += [["<0x%02X>" % byte, -20 - byte / 7] for byte in range(256)]
    nfkc = [{"type": "Nmt"}, {"type": "NFKC"}, {"type": "Lowercase"}]
    runs = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    step = pick([None, {"type": "NFKC"}, runs, {"type": "Sequence", "normalizers": nfkc + [runs]}])
    scheme = pick(["always", "first", "never"])
    return model, {entry: i for i, (entry, _) in enumerate(model["vocab"])}, step, {
        "type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": chance(0.7)}


def definition(make):
    model, vocab, steps, splitter = make()
    is_byte_level = make in (bpe_model, pattern_model)
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added_tokens(vocab),
            "normalizer": steps, "pre_tokenizer": splitter, "post_processor": post_processor(is_byte_level),
            "decoder": None, "model": model}


def answer(tokenizer):
    truncation = None
    tokenizer.no_truncation()
    case = {"text": text(), "pair": text() if chance(0.3) else None, "truncation": None,
            "add_special_tokens": chance(0.7)}
    try:
        if chance(0.3):
            truncation = {"max": 3 + rng.randrange(12), "strategy": pick(["LongestFirst", "OnlyFirst", "OnlySecond"]),
                          "direction": pick(["left", "right"])}
            case["truncation"] = truncation
            strategy = re.sub("([A-Z])", lambda c: "_" + c[1].lower(), truncation["strategy"])[1:]
            tokenizer.enable_truncation(truncation["max"], strategy=strategy, direction=truncation["direction"])
        found = tokenizer.encode(case["text"], case["pair"], add_special_tokens=case["add_special_tokens"])
        case.update(ids=found.ids, type_ids=found.type_ids, offsets=[at for span in found.offsets for at in span],
                    special_mask=found.special_tokens_mask)
    except Exception as error:
        case["error"] = str(error)
    return case


def lines(make):
    made = definition(make)
    said = [json.dumps({"definition": made}, ensure_ascii=False, separators=(",", ":"))]
    tokenizer = Tokenizer.from_str(json.dumps(made))
    return said + [json.dumps(answer(tokenizer), ensure_ascii=False, separators=(",", ":")) for _ in range(N_CASES)]


assert __version__ == "0.23.3", "expected tokenizers 0.23.3"
for make in (word_model, word_model, bpe_model, unigram_model, pattern_model, gemma_model):
    if make is pattern_model:
        LETTERS.append(CASED)
    for _ in range(N_DEFINITIONS // (1 if len(LETTERS) == 2 else 2)):
        try:
            print("\n".join(lines(make)))
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
