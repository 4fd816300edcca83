#!/usr/bin/env python3
"""What AutoTokenizer makes of a tokenizer.json with other files in its folder: reference_classes.jsonl.

    reference_classes.py >NEW           the cases with the ids of the installed transformers
    reference_classes.py FILE >NEW      the same, and the ids that FILE has from other versions

The committed file has those of 4.57, 5.23 and 5.24. A line: the name, the files, what encode-import must say if it refuses
them ("words", written here), the ids of TEXTS for each version (null: it fails). test_reference_classes.sh checks that
a directory is refused in these words, or gives these ids; by default those of the newest version, but for DeBERTa.
"""
import json
import os
import sys
import tempfile

import tokenizers
import transformers

TEXTS = ["Caf\u00e9 \u4e2dx", "cafe [MASK] zz", "a <mask> b<x>", "cafe", "a<new> x", "xxxx", "a "]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<x>", "caf\u00e9", "Caf\u00e9", "cafe", "Cafe", "\u4e2d", "\u4e2dx",
         "x", "##x", "a", "b", "[", "]", "mask", "MASK", "<", ">", "zz", "[cls2]"]
ROBERTA_SPECIALS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def added(texts, vocabulary, **more):
    return [dict(id=vocabulary[text], content=text, single_word=False, lstrip=more.get(text) == "l", rstrip=False,
                 normalized=False, special=True) for text in texts]


def bert(specials=tuple(WORDS[:5]), frame=("[CLS]", "[SEP]"), lower=True, cjk=True, accents=None, unknown="[UNK]",
         truncation=None):
    vocabulary = {word: i for i, word in enumerate(WORDS)}
    steps = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": cjk, "strip_accents": accents,
             "lowercase": lower}
    post = {"type": "BertProcessing", "sep": [frame[1], vocabulary[frame[1]]], "cls": [frame[0], vocabulary[frame[0]]]}
    return {"version": "1.0", "truncation": truncation, "padding": None, "added_tokens": added(specials, vocabulary),
            "normalizer": steps, "pre_tokenizer": {"type": "BertPreTokenizer"}, "post_processor": post, "decoder": None,
            "model": {"type": "WordPiece", "unk_token": unknown, "continuing_subword_prefix": "##",
                      "max_input_chars_per_word": 100, "vocab": vocabulary}}


def roberta(prefix, in_post=None):
    letters = ROBERTA_SPECIALS + sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()) + ["\u0120a", "\u0120b"]
    vocabulary = {word: i for i, word in enumerate(letters)}
    post = {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": True,
            "add_prefix_space": prefix if in_post is None else in_post}
    return {"version": "1.0", "truncation": None, "padding": None, "normalizer": None,
            "added_tokens": added(ROBERTA_SPECIALS, vocabulary, **{"<mask>": "l"}),
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True, "use_regex": True},
            "post_processor": post, "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True,
                                                "use_regex": True},
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                      "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False, "vocab": vocabulary,
                      "merges": ["\u0120 a", "\u0120 b"]}}


def unigram(scheme):
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "\u2581", "\u2581a", "\u2581b", "a", "b", "c", "f", "e", "z", "x", "<mask>"]
    vocabulary = {word: i for i, word in enumerate(pieces)}
    template = [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}}]
    pair = template + [template[2], {"Sequence": {"id": "B", "type_id": 0}}, template[2]]
    metaspace = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": True}
    return {"version": "1.0", "truncation": None, "padding": None, "normalizer": None,
            "added_tokens": added(ROBERTA_SPECIALS, vocabulary, **{"<mask>": "l"}),
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]},
            "post_processor": {"type": "TemplateProcessing", "single": template, "pair": pair, "special_tokens": {
                text: {"id": text, "ids": [vocabulary[text]], "tokens": [text]} for text in ("<s>", "</s>")}},
            "decoder": metaspace, "model": {"type": "Unigram", "unk_id": 3, "byte_fallback": False,
                                            "vocab": [[text, -1.0 - i / 100] for i, text in enumerate(pieces)]}}


def albert(accents, lower=True):
    made = unigram("always")
    specials = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    pieces = specials + [piece for piece, _ in made["model"]["vocab"] if len(piece) < 3]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    made["model"].update(unk_id=1, vocab=[[piece, -1.0 - i / 100] for i, piece in enumerate(pieces)])
    made["added_tokens"] = added(specials, vocabulary, **{"[MASK]": "l"})
    for piece in made["post_processor"]["pair"][-2:]:
        next(iter(piece.values()))["type_id"] = 1
    del made["post_processor"]["pair"][3]
    text = json.dumps(made["post_processor"])
    for old, new in (("</s>", "[SEP]"), ("<s>", "[CLS]")):
        text = text.replace(f'"{old}"', f'"{new}"')
    made["post_processor"] = json.loads(text)
    for name, token in made["post_processor"]["special_tokens"].items():
        token["ids"] = [vocabulary[name]]
    steps = [{"type": "Replace", "pattern": {"String": quotes}, "content": '"'} for quotes in ("``", "\'\'")]
    steps += [] if accents else [{"type": "NFKD"}, {"type": "StripAccents"}]
    steps += [{"type": "Lowercase"}] if lower else []
    made["normalizer"] = {"type": "Sequence", "normalizers": steps}
    return made


def deberta():
    """A tokenizer.json of version 2 whose normalizer transformers 5 replaces."""
    made, specials = unigram("always"), ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    pieces = specials + [piece for piece, _ in made["model"]["vocab"] if len(piece) < 3] + ["[MASK]"]
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    made["model"].update(unk_id=3, vocab=[[piece, 0.0 if i < 4 else -1.0 - i / 100] for i, piece in enumerate(pieces)])
    made.update(added_tokens=added([*specials, "[MASK]"], vocabulary), normalizer={"type": "Lowercase"},
                pre_tokenizer=made["decoder"], post_processor={"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]})
    return made


def llama(is_byte_level):
    """What LlamaTokenizer does not make: bytes as characters, as Llama 3 has them; a blank at the start by the normalizer."""
    made, texts = roberta(False), ["<unk>", "<s>", "</s>", "\u2581", "\u2581a", "a", "b", "c", "f", "e", "z", "x"]
    if not is_byte_level:
        blanks = [{"type": "Prepend", "prepend": "\u2581"}, {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]
        made.update(normalizer={"type": "Sequence", "normalizers": blanks}, pre_tokenizer=None, decoder=None)
        made["model"].update(vocab={text: i for i, text in enumerate(texts)}, merges=["\u2581 a"], unk_token="<unk>", fuse_unk=True)
    start = made["model"]["vocab"]["<s>"]
    made["added_tokens"] = added(["<s>", "</s>", "<unk>"], made["model"]["vocab"])
    one, other = ([{"SpecialToken": {"id": "<s>", "type_id": i}}, {"Sequence": {"id": "AB"[i], "type_id": i}}] for i in (0, 1))
    made["post_processor"] = {"type": "TemplateProcessing", "single": one, "pair": one + other,
                              "special_tokens": {"<s>": {"id": "<s>", "ids": [start], "tokens": ["<s>"]}}}
    return made


def siglip(is_second, lower=True):
    """SigLIP's texts lose capitals and punctuation; those of Siglip2Tokenizer capitals, whatever the class is said to be."""
    steps = [{"type": "Lowercase"}] if lower else []
    made = unigram("always")
    if is_second:
        texts = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", *(f"<0x{i:02X}>" for i in range(256)), "\u2581", "a", "b", "A",
                 "ca", "c"]
        blank = [{"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}]
        made = roberta(False)
        made["model"].update(vocab={text: i for i, text in enumerate(texts)}, merges=["c a"], unk_token="<unk>", fuse_unk=True,
                             byte_fallback=True)
        end = {"SpecialToken": {"id": "<eos>", "type_id": 0}}
        one, other = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
        made.update(added_tokens=added(texts[:5], made["model"]["vocab"]), decoder=None,
                    normalizer={"type": "Sequence", "normalizers": steps + blank} if lower else blank[0],
                    pre_tokenizer={"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False},
                    post_processor={"type": "TemplateProcessing", "single": [one, end], "pair": [one, end, other, end],
                                    "special_tokens": {"<eos>": {"id": "<eos>", "ids": [1], "tokens": ["<eos>"]}}})
        return made
    for regex, content in (r"[!\"\#\$%\&'\(\)\*\+,\-\.:;=<>\?@\[\]\^_`\{\|\}\~]", ""), (r"\s+", " "):
        steps.append({"type": "Replace", "pattern": {"Regex": regex}, "content": content})
    made["normalizer"] = {"type": "Sequence", "normalizers": [*steps, {"type": "Strip", "strip_left": True, "strip_right": True}]}
    return made


def cases():
    """name, tokenizer.json, tokenizer_config.json (None: absent), words of a refusal (None: accepted), more"""
    generic, lowers, cased = {"tokenizer_class": "PreTrainedTokenizerFast"}, bert(), bert(lower=False)
    bare = bert(specials=())
    yield "usual", lowers, {"do_lower_case": True, "tokenizer_class": "BertTokenizer"}, None
    yield "usual, no tokenizer_config.json", lowers, None, None
    yield "cased and said", cased, {"do_lower_case": False}, None
    yield "cased, silent", cased, {}, "'do_lower_case' is absent, so by default true"
    yield "cased, no tokenizer_config.json", cased, None, "set \"do_lower_case\": false"
    yield "cased, of no class", cased, generic, None
    yield "cased, of no class, by transformers 5", cased, {"tokenizer_class": "TokenizersBackend"}, None
    yield "cased, DistilBERT", cased, {"tokenizer_class": "DistilBertTokenizerFast"}, "'do_lower_case' is absent"
    yield "lowercase, said false", lowers, {"do_lower_case": False}, "'do_lower_case' is false"
    yield "accents kept, silent", bert(accents=False), {}, "'strip_accents' is absent, so by default true"
    yield "accents kept, said", bert(accents=False), {"strip_accents": False}, None
    yield "CJK kept, silent", bert(cjk=False), {}, "'tokenize_chinese_chars' is absent"
    yield "CJK kept, said", bert(cjk=False), {"tokenize_chinese_chars": False}, None
    yield "class of config.json", cased, {}, None, {"config.json": {"tokenizer_class": "PreTrainedTokenizerFast"}}
    yield "no added tokens", bare, None, None
    yield "no added tokens, of no class", bare, generic, None
    yield "mask of no class", bare, {**generic, "mask_token": "[MASK]"}, None
    yield "extra token in the vocabulary", lowers, {"extra_special_tokens": ["<x>"]}, None
    yield "additional token in the vocabulary", lowers, {"additional_special_tokens": ["<x>"]}, None
    yield "token of the map", lowers, {}, None, {"special_tokens_map.json": {"additional_special_tokens": ["<x>"]}}
    yield "new token", lowers, {"additional_special_tokens": ["<new>"]}, None
    yield "new mask", lowers, {"mask_token": "<new>"}, None
    yield "new token by id", lowers, {"added_tokens_decoder": {"24": {"content": "<new>", "special": True}, **{
        str(i): {"content": text, "special": True} for i, text in enumerate(WORDS[:5])}}}, None
    yield "new token of a file", lowers, {}, None, {"added_tokens.json": {"<new>": 24, "zz": 22}}
    yield "switches beside", lowers, {"added_tokens_decoder": {str(i): {"content": text, "special": True, "lstrip": i == 4,
                              "normalized": False} for i, text in enumerate(WORDS[:5])}}, None
    yield "switches beside, of no class", lowers, {**generic, "added_tokens_decoder": {
        "4": {"content": "[MASK]", "special": True, "lstrip": True, "normalized": False}}}, None
    yield "a token of tokenizer.json alone", bert(specials=tuple(WORDS[:6])), {"added_tokens_decoder": {
        str(i): {"content": text, "special": True} for i, text in enumerate(WORDS[:5])}}, "replaces the added token '<x>'"
    yield "another normalizer", {**lowers, "normalizer": None}, {}, "transformers 5 replaces the normalizer, ''"
    yield "another pre-tokenizer", {**lowers, "pre_tokenizer": {"type": "WhitespaceSplit"}}, {}, "the pre-tokenizer, 'blanks'"
    yield "another normalizer, of no class", {**lowers, "normalizer": None}, generic, None
    yield "longer words", {**lowers, "model": {**lowers["model"], "max_input_chars_per_word": 3}}, {}, "max_input_chars_per_w"
    yield "pairs of RoBERTa", {**lowers, "post_processor": {**lowers["post_processor"], "type": "RobertaProcessing", **{
        "trim_offsets": True, "add_prefix_space": False}}}, {}, "replaces the template of pairs"
    yield "a class of Python", lowers, {"tokenizer_class": "BertJapaneseTokenizer"}, "'BertJapaneseTokenizer', which"
    yield "a class with unknown parts", lowers, {"tokenizer_class": "HerbertTokenizer"}, "'HerbertTokenizer', and trans"
    yield "a class that calls Python", lowers, {"tokenizer_class": "RoFormerTokenizer"}, "'RoFormerTokenizer', which trans"
    yield "left", lowers, {"truncation_side": "left"}, "'truncation_side'"
    yield "split", lowers, {"split_special_tokens": True}, "'split_special_tokens'"
    yield "another frame", lowers, {"cls_token": "[cls2]"}, "replaces the template of one text"
    yield "another frame, of no class", lowers, {**generic, "cls_token": "[cls2]"}, None
    yield "frame of tokenizer.json alone", bert(frame=("[cls2]", "[SEP]")), {}, "replaces the template of one text"
    yield "another unknown word", lowers, {"unk_token": "x"}, "replaces the model's 'unk_token', '1'"
    left = {"direction": "Left", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    yield "cuts at the start", bert(truncation=left), {}, "the truncation's 'direction' is 'Left'"
    yield "cuts at the end after all", bert(truncation=left), {"truncation_side": "right"}, None
    of_roberta, of_xlm = ({"config.json": {"model_type": name}} for name in ("roberta", "xlm-roberta"))
    yield "RoBERTa", roberta(False), {}, None, of_roberta
    yield "RoBERTa, blank first, silent", roberta(True), {}, "'add_prefix_space' is absent, so by default false", of_roberta
    yield "RoBERTa, blank first, said", roberta(True), {"add_prefix_space": True}, None, of_roberta
    yield "blank first, of no class", roberta(True), generic, "'add_prefix_space' is absent"
    yield "blank first, of no class, said", roberta(True), {**generic, "add_prefix_space": True}, None
    yield "XLM-R", unigram("always"), None, None, of_xlm
    newer = {**unigram("always"), "pre_tokenizer": unigram("always")["pre_tokenizer"]["pretokenizers"][1]}
    yield "XLM-R, newer", newer, {}, None, of_xlm
    yield "XLM-R without blanks", unigram("always"), {"add_prefix_space": False}, "'add_prefix_space' is false", of_xlm
    yield "XLM-R without blanks, silent", unigram("never"), {}, "'add_prefix_space' is absent, so by default tr", of_xlm
    yield "XLM-R without blanks in both", unigram("never"), {"add_prefix_space": False}, None, of_xlm
    yield "XLM-R, blanks null", unigram("always"), {"add_prefix_space": None}, "replaces the pre-tokenizer", of_xlm
    yield "data2vec, blank first, silent", roberta(True), None, "'add_prefix_space' is absent", {
        "config.json": {"model_type": "data2vec-text"}}
    of_camembert, of_albert = ({"config.json": {"model_type": name}} for name in ("camembert", "albert"))
    yield "CamemBERT", unigram("always"), None, None, of_camembert
    yield "CamemBERT, said", unigram("always"), {"tokenizer_class": "CamembertTokenizer"}, None, of_camembert
    yield "CamemBERT without blanks", unigram("always"), {"add_prefix_space": False}, "'add_prefix_space' is f", of_camembert
    for accents in (False, True):
        yield "ALBERT" + ", accents" * accents, albert(accents), {"keep_accents": accents}, None, of_albert
    yield "ALBERT, silent", albert(False), None, None, of_albert
    yield "ALBERT, accents, silent", albert(True), None, "'keep_accents' is absent, so by default false", of_albert
    yield "ALBERT, cased", albert(False, lower=False), {"do_lower_case": False}, None, of_albert
    for name, config in ("", None), (", said", {"tokenizer_class": "DebertaV2Tokenizer", "do_lower_case": True}):
        yield "DeBERTa 2" + name, deberta(), config, None, {"config.json": {"model_type": "deberta-v2"}}
    yield "Llama 3", llama(True), {"tokenizer_class": "LlamaTokenizerFast"}, None, {"config.json": {"model_type": "llama"}}
    yield "Llama", llama(False), {"tokenizer_class": "LlamaTokenizer"}, "'LlamaTokenizer', and", {"config.json": {"model_type": "llama"}}
    yield "Mistral", llama(False), {"tokenizer_class": "LlamaTokenizer"}, None, {"config.json": {"model_type": "mistral"}}
    for name, config in ("Llama 3 without <s>", {"add_bos_token": False}), ("Llama 3 with </s>", {"add_eos_token": True}):
        yield name, llama(True), {"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>", "eos_token": "</s>", **config}, (
            "transformers 4 replaces the template of one text"), {"config.json": {"model_type": "llama"}}
    yield "Qwen 2 by another class", roberta(False), generic, "replaces the normalizer", {"config.json": {"model_type": "qwen2"}}
    low = {**unigram("always"), "normalizer": {"type": "Lowercase"}}
    yield "XLM-R XL", low, {"tokenizer_class": "XLMRobertaTokenizer"}, None, {"config.json": {"model_type": "xlm-roberta-xl"}}
    of_siglip, of_siglip2 = ({"config.json": {"model_type": name}} for name in ("siglip", "siglip2"))
    yield "SigLIP", siglip(False), generic, None, of_siglip
    yield "SigLIP by its class", siglip(False), {"tokenizer_class": "SiglipTokenizer"}, "'SiglipTokenizer', which", of_siglip
    for name in "GemmaTokenizer", "PreTrainedTokenizerFast":
        config = {"tokenizer_class": name, "add_bos_token": False, "add_eos_token": True, "eos_token": "<eos>"}
        yield "SigLIP 2, " + name, siglip(True), config, None, of_siglip2
        yield f"SigLIP 2, {name}, cased", siglip(True, False), config, "replaces the normalizer", of_siglip2
    yield "ALBERT, cased, silent", albert(False, lower=False), None, "'do_lower_case'", of_albert


def vocabularies():
    """the same of a vocab.txt, and of a vocab.json with merges.txt"""
    words = {"vocab.txt": "\n".join(WORDS) + "\n"}
    bpe = roberta(False)["model"]
    pieces = {"vocab.json": bpe["vocab"], "merges.txt": "#version: 0.2\n" + "\n".join(bpe["merges"]) + "\n",
              "config.json": {"model_type": "roberta"}}
    mpnet = {"vocab.txt": "\n".join(ROBERTA_SPECIALS + WORDS) + "\n", "config.json": {"model_type": "mpnet"}}
    mask = {"__type": "AddedToken", "content": "[MASK]", "lstrip": True, "normalized": False}
    for path, files, content in ("vocab.txt", words, "<x>"), ("vocab.json", pieces, "b"):
        token = {"content": content, "lstrip": True, "rstrip": True, "normalized": False}
        yield path, None, None, None, files
        yield path + ", left", None, {"truncation_side": "left"}, "'truncation_side'", files
        yield path + ", split", None, {"split_special_tokens": True}, "'split_special_tokens'", files
        yield path + ", additional token", None, {"additional_special_tokens": [content]}, None, files
        yield path + ", extra token", None, {"extra_special_tokens": [{"__type": "AddedToken", **token}]}, None, files
        yield path + ", token by id", None, {"added_tokens_decoder": {"9": token}}, None, files
        yield path + ", new token", None, {}, None, {**files, "added_tokens.json": {"<new>": 300}}
        yield path + ", token of the map", None, {}, None, {**files, "special_tokens_map.json": {"sep_token": token}}
        for name in "BertJapaneseTokenizer", "KoBertTokenizer", "RoFormerTokenizer", "XLMRobertaTokenizer":
            yield f"{path}, {name}", None, {"tokenizer_class": name}, f"'{name}'", files
            yield f"{path}, {name} of the model", None, None, f"'{name}'", {
                **files, "config.json": {**files.get("config.json", {}), "tokenizer_class": name}}
    yield "mask that takes blanks", None, {"mask_token": mask}, None, words
    yield "MPNet, vocab.txt", None, None, None, mpnet
    yield "MPNet by its class", None, {"tokenizer_class": "MPNetTokenizer"}, None, {**mpnet, "config.json": {}}
    of_deberta = {**bpe["vocab"], **{f"[{name}]": len(bpe["vocab"]) + i for i, name in enumerate(("PAD", "CLS", "SEP", "UNK", "MASK"))}}
    yield "DeBERTa, vocab.json", None, {"vocab_type": "gpt2"}, None, {
        **pieces, "vocab.json": of_deberta, "config.json": {"model_type": "deberta"}}
    yield "Qwen2, vocab.json", None, {"tokenizer_class": "Qwen2Tokenizer"}, None, pieces
    yield "merges without a version", None, None, None, {**pieces, "merges.txt": "\u0120 b\n\u0120 a\n"}
    yield "a beginning", None, {"tokenizer_class": "GPT2Tokenizer", "add_bos_token": True}, "'add_bos_token'", pieces


def ids_of(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, value in files.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(value if isinstance(value, str) else json.dumps(value))
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
            return [tokenizer(text)["input_ids"] for text in TEXTS]
        except Exception as error:
            print(files.get("tokenizer_config.json"), error, file=sys.stderr)
            return None


def main():
    old = {}
    for line in open(sys.argv[1]) if len(sys.argv) > 1 else ():
        old[json.loads(line)["name"]] = json.loads(line)["ids"]
    for name, tokenizer, config, words, *more in [*cases(), *vocabularies()]:
        files = {"config.json": {"model_type": "bert"}}
        if tokenizer is not None:
            files["tokenizer.json"] = tokenizer
        if config is not None:
            files["tokenizer_config.json"] = config
        for file, value in (more[0] if more else {}).items():
            files[file] = value if isinstance(value, str) else {**files.get(file, {}), **value}
        ids = {**old.get(name, {}), transformers.__version__.rsplit(".", 1)[0]: ids_of(files)}
        print(json.dumps({"name": name, "words": words, "texts": TEXTS, "ids": ids, "files": files}))


if __name__ == "__main__":
    main()
