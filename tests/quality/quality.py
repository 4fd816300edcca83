#!/usr/bin/python3
"""How good the default weights are, measured with the engine; needs numpy and the texts beside the project.

    tests/quality/quality.py [--encode build/encode] [--weights weights/default.weights] [--f32 FILE]
                             [--text ../shared/text] [--stsb]

--stsb: the agreement on the dev half of STS-B alone, in seconds."""

import argparse
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "weights" / "train"))


def held_out(text, folder):
    excluded, seen = text.evaluation_keys(folder), {}
    for source, sentences in text.documents(folder):
        for s in sentences:
            if text.held_out(s) and text.key(s) not in excluded:
                seen.setdefault(text.key(s), s)
    return list(seen.values())


def roles():
    lines = (Path(__file__).parent / "roles.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


def print_row(name, cells):
    print("| " + " | ".join([name] + ["" if c is None else c if isinstance(c, str) else "%.3f" % (c + 0.0 if abs(c) > 5e-4 else 0) for c in cells]) + " |",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encode", default=str(root / "build" / "encode"))
    parser.add_argument("--weights", default=str(root / "weights" / "default.weights"))
    parser.add_argument("--f32", help="the same model with f32 weights")
    parser.add_argument("--text", default=str(root.parent / "shared" / "text"))
    parser.add_argument("--stsb", action="store_true", help="the dev half of STS-B alone")
    options = parser.parse_args()
    if not (Path(options.text) / "evaluation").is_dir():
        print("skipped: no texts to measure with in " + options.text)
        return

    import measures
    import text
    from engine import Engine

    shipped = Engine(options.encode, options.weights)
    whole = Engine(options.encode, options.f32) if options.f32 else None
    unordered = Engine(options.encode, options.weights, "--position", "none")
    glove = measures.MeanOfWords(next(Path(options.text, "glove").glob("glove*.txt")))

    def columns(measure, words=True):
        return [measure(shipped), measure(whole) if whole else None, measure(unordered),
                measure(glove) if words else None]

    print_row("", ["shipped", "f32", "positions off", "mean of GloVe words"])
    print_row("---", ["---"] * 4)
    for name, pairs in (("STS-B dev, Spearman", text.stsb(options.text, "dev")),
                        ("SICK trial, Spearman", text.sick(options.text, "TRIAL")),
                        ("SICK train, Spearman", text.sick(options.text, "TRAIN"))):
        print_row(name, columns(lambda e: measures.spearman(e.cosines(pairs), [p[2] for p in pairs])))
        if options.stsb:
            return

    cases = measures.mask_words(shipped, held_out(text, options.text))
    found = columns(lambda e: measures.masked(e, cases), words=False)
    for k, name in enumerate(("first guess", "first five")):
        print_row("%d held-out masked words, %s" % (len(cases), name), [f[k] if f else None for f in found])

    triples = roles()
    for name, pairs in (("HANS", measures.reordered([r[:2] for r in text.hans(options.text)])),
                        ("BLiMP", measures.reordered([r[3:5] for r in text.blimp(options.text)])),
                        ("roles.tsv", measures.reordered([(t[0], t[2]) for t in triples]))):
        found = columns(lambda e: measures.order(e.cosines(pairs)), words=False)
        for key, label in (("mean", "1 - cosine, mean"), ("median", "1 - cosine, median"),
                           ("apart", "share over 0.01"), ("far", "share over 0.05")):
            print_row("%s, %d reordered: %s" % (name, len(pairs), label), [f[key] if f else None for f in found])
    said_again, reverse = [(t[0], t[1]) for t in triples], [(t[0], t[2]) for t in triples]
    print_row("roles.tsv, %d: said otherwise is nearer than reversed" % len(triples),
              columns(lambda e: float((e.cosines(said_again) > e.cosines(reverse)).mean())))


if __name__ == "__main__":
    main()
