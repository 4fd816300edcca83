#!/usr/bin/python3
"""How good the default weights are, measured with the engine; needs numpy and the texts beside the project.

    tests/quality/quality.py [--encode build/encode] [--weights weights/default.weights] [--f32 FILE]
                             [--teacher FILE] [--text ../shared/text]
                             [--quick | --examples | --search | --candidate FILE]

One column is the file as it is, one the same without positions, one the mean of GloVe's words, one what the words
alone say (cosines of TF-IDF; of retrieval BM25). --f32 adds the same model with f32 weights, --teacher another model,
such as an imported all-MiniLM-L6-v2. --quick leaves out positions off, BLiMP and retrieval: about half the time.
--search: nDCG@10 of the sets of searches.py by vectors, words and both, and no more. --examples: the cosines and the
first guesses of the examples (examples.tsv) in weights/TRAINING.md, and no more; needs no texts. --candidate: whether
that file may replace the weights (GOALS and replaces() in measures.py), and no more; exit status 1 if not."""

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "weights" / "train"))

FOLDERS = ("training", "evaluation", "glove")
KINDS = {"novels": "novels", "wikinews": "news and speeches", "speeches": "news and speeches",
         "captions": "captions", "clinc": "requests", "banking": "requests", "snips": "requests",
         "tatoeba": "other", "masc": "other", "reviews": "other"}


def need(text, folders, files):
    """Ends the program with a message where something is missing."""
    for folder in folders:
        if not (Path(text) / folder).is_dir():
            sys.exit("'%s' has no folder '%s': --text is the folder that has %s" % (text, folder, ", ".join(folders)))
    for file in filter(None, files):
        if not Path(file).is_file():
            sys.exit("there is no file '%s'%s" % (file, ": make it" if Path(file).name == "encode" else ""))
    if not find_spec("numpy"):
        sys.exit("%s has no numpy: apt-get install python3-numpy" % sys.executable)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--encode", default=str(root / "build" / "encode"))
    parser.add_argument("--weights", default=str(root / "weights" / "default.weights"))
    parser.add_argument("--f32", help="the same model with f32 weights")
    parser.add_argument("--teacher", help="a weight file to measure beside")
    parser.add_argument("--text", default=str(root.parent / "shared" / "text"))
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--quick", action="store_true", help="without BLiMP, retrieval and the column of positions off")
    part.add_argument("--examples", action="store_true", help="cosines and guesses of examples.tsv")
    part.add_argument("--search", action="store_true", help="the table of searches alone")
    part.add_argument("--candidate", help="a weight file that may replace the other")
    options = parser.parse_args()
    files = (options.encode, options.weights, options.f32, options.teacher, options.candidate)
    need(options.text, () if options.examples else FOLDERS, files)
    options.vectors = sorted(Path(options.text, "glove").glob("glove*.txt"))
    if not options.vectors and not options.examples:
        sys.exit("'%s/glove' has no glove*.txt" % options.text)
    return options


def number(value):
    return "" if value is None else "%.3f" % (value if abs(value) > 5e-4 else 0)


def row(name, cells):
    print("| " + " | ".join([name, *cells]) + " |", flush=True)


def examples(engine, lines):
    pairs, masked = [a for a in lines if len(a) == 2], [a[0] for a in lines if len(a) == 1]
    for cosine, pair in zip(engine.cosines(pairs), pairs):
        print("%.2f  %s | %s" % (cosine, *pair))
    for guesses, sentence in zip(engine.filled(masked), masked):
        print("%s  %s" % (sentence, ", ".join(guesses)))


def searches_table(engines, options):
    """nDCG@10 by vectors, by words and by both; of the file as it is, and of the teacher."""
    import measures
    import numpy
    import retrieval
    import searches
    from sentences import typos
    systems = ["the file", "words (BM25)", "both (--hybrid)", "teacher", "teacher and words"][:1 + 2 * len(engines)]
    row("search, nDCG@10", systems)
    row("---", ["---"] * len(systems))
    for name, (documents, queries, answers) in searches.sets(options.text):
        asked = queries + [typos.typed(q) for q in queries]
        bm25 = measures.TermWeights(documents)
        found = []
        for e in engines:
            found += [retrieval.best(e.vectors(asked) @ e.vectors(documents).T, 10),
                      e.found(documents, asked, "--hybrid")]
        found.insert(1, retrieval.best(numpy.array([bm25.bm25(q) for q in asked]), 10))
        for first, what in ((0, ""), (len(queries), ", a typed error in each")):
            row("%s: %d queries%s, %d documents" % (name, len(queries), what, len(documents)),
                [number(retrieval.gain_of(f[first:first + len(queries)], answers)) for f in found])


def search(engines, options):
    """Retrieval beside BM25; and the file as it is with rows of every type."""
    import measures
    import numpy
    import retrieval
    import text
    documents, queries, answers = text.cranfield(options.text)
    bm25 = measures.TermWeights(documents)
    scores = [e.vectors(queries) @ e.vectors(documents).T for e in engines]
    scores.append(numpy.array([bm25.bm25(q) for q in queries]))
    for name, measure in (("nDCG@10", retrieval.gain), ("recall@10", lambda s, a: retrieval.recall(s, a, 10)),
                          ("recall@100", lambda s, a: retrieval.recall(s, a, 100))):
        cells = [number(measure(s, answers)) for s in scores]
        row("Cranfield, %d queries, %s (last: BM25)" % (len(queries), name), [*cells[:-1], "", cells[-1]])
    for weight in ("0.5", "1", "2"):
        found = [e.found(documents, queries, "--hybrid", "--word-weight", weight) for e in engines]
        row("... --hybrid, --word-weight %s, nDCG@10" % weight, [number(retrieval.gain_of(f, answers)) for f in found])

    sentences = sorted({s for pair in text.stsb(options.text, "train") for s in pair[:2]})
    asked = sorted({pair[0] for pair in text.stsb(options.text, "dev")})
    print()
    row("rows as", ["bytes", "Cranfield, nDCG@10", "recall@10", "of f32's ten nearest",
                    "... of %d sentences, %d asked" % (len(sentences), len(asked))])
    row("---", ["---"] * 5)
    for name, n_bytes, *figures in retrieval.rounded(engines[0], documents, answers, queries, sentences, asked):
        row(name, ["%d" % n_bytes, *map(number, figures)])


def goals(engine, cases, options):
    """Of each goal of the default weights, and of each kind of order, the figure."""
    import measures
    import retrieval
    import text
    from sentences import typos
    pairs = {"STS-B dev": text.stsb(options.text, "dev"), "SICK trial": text.sick(options.text, "TRIAL")}
    pairs["STS-B dev with a typed error"] = [(typos.typed(a), typos.typed(b), score) for a, b, score in pairs["STS-B dev"]]
    out = {name: measures.spearman(engine.cosines(p), [x[2] for x in p]) for name, p in pairs.items()}
    order, ranked = (measures.order(text.read_table(t), engine.cosines) for t in (text.ORDER, text.RANKED))
    del ranked["AUC"]
    out.update({"AUC of order": order.pop("AUC"), "worst kind of order": min(order.values()),
                "negations": ranked.pop("negation"), "opposites": ranked.pop("antonym")})
    documents, queries, answers = text.cranfield(options.text)
    out["Cranfield"] = retrieval.gain(engine.vectors(queries) @ engine.vectors(documents).T, answers)
    out["Cranfield --hybrid"] = retrieval.gain_of(engine.found(documents, queries, "--hybrid"), answers)
    out["masked words"] = measures.masked(engine, cases)[:, 0].mean()
    out.update({"order.tsv: " + kind: value for kind, value in order.items()})
    out.update({"ranked.tsv: " + kind: value for kind, value in ranked.items()})
    return out


def judge(engines, options):
    """The table of the goals for the file and its candidate, and whether that replaces it."""
    import measures
    import prepare
    held_out = prepare.collect(options.text)[1]
    first, second = (measures.mask_words(e, held_out) for e in engines)
    second = set(second)
    cases = [c for c in first if c in second]
    former, candidate = (goals(e, cases, options) for e in engines)
    row("", ["goal", "the file", "candidate", "more"])
    row("---", ["---"] * 4)
    for name, value in former.items():
        row(name, [number(v) for v in (measures.GOALS.get(name), value, candidate[name], candidate[name] - value)])
    why_not = measures.replaces(former, candidate)
    print()
    if why_not:
        sys.exit("the candidate does not replace the file: %s" % "; ".join(why_not))
    print("the candidate replaces the file")


def main():
    options = arguments()
    import measures
    import prepare
    import text
    from engine import Engine
    from sentences import typos

    columns = {"the file": Engine(options.encode, options.weights)}
    if options.examples:
        examples(columns["the file"], text.read_table(Path(__file__).parent / "examples.tsv"))
        return
    if options.candidate:
        judge((columns["the file"], Engine(options.encode, options.candidate)), options)
        return
    if options.f32:
        columns["f32"] = Engine(options.encode, options.f32)
    if not options.quick:
        columns["positions off"] = Engine(options.encode, options.weights, "--position", "none")
    if options.teacher:
        columns["teacher"] = Engine(options.encode, options.teacher)
    engines = list(columns.values())
    searching = [columns[name] for name in ("the file", "teacher") if name in columns]
    if options.search:
        searches_table(searching, options)
        return
    words = measures.MeanOfWords(options.vectors[0]), measures.WordsAlone()

    def figures(name, measure, also=(None, None)):
        row(name, [number(measure(e)) for e in engines] + [number(measure(e) if e else None) for e in also])

    row("", [*columns, "mean of GloVe words", "TF-IDF"])
    row("---", ["---"] * (len(columns) + 2))
    for name, pairs in (("STS-B dev, Spearman", text.stsb(options.text, "dev")),
                        ("SICK trial, Spearman", text.sick(options.text, "TRIAL")),
                        ("SICK train, Spearman", text.sick(options.text, "TRAIN"))):
        figures(name, lambda e: measures.spearman(e.cosines(pairs), [p[2] for p in pairs]), words)
    for name, pairs in (("STS-B dev", text.stsb(options.text, "dev")),
                        ("SICK trial", text.sick(options.text, "TRIAL"))):
        for n in (1, 2):
            typed = [(typos.typed(a, n), typos.typed(b, n), score) for a, b, score in pairs]
            figures("%s, typed errors in each text: %d, Spearman" % (name, n),
                    lambda e: measures.spearman(e.cosines(typed), [p[2] for p in typed]), words)

    held_out = prepare.collect(options.text)[1]
    cases = measures.mask_words(engines[0], [(KINDS[source], s) for source, s in held_out])
    right = {e: measures.masked(e, cases) for name, e in columns.items() if name != "teacher"} # it has no such head

    def share(e, guess, chosen=slice(None)):
        return right[e][chosen, guess].mean() if e in right else None

    figures("%d held-out masked words, first guess" % len(cases), lambda e: share(e, 0))
    figures("%d held-out masked words, first five" % len(cases), lambda e: share(e, 1))
    for kind in dict.fromkeys(KINDS.values()):
        of_kind = [k == kind for k, *_ in cases]
        figures("... %d of them in %s, first guess" % (sum(of_kind), kind), lambda e: share(e, 0, of_kind))

    triples = text.read_table(text.ROLES)
    reordered = {"HANS": [r[:2] for r in text.hans(options.text)], "roles.tsv": [(t[1], t[3]) for t in triples]}
    if not options.quick:
        reordered["BLiMP"] = [r[3:5] for r in text.blimp(options.text)]
    for name, pairs in reordered.items():
        pairs = measures.reordered(pairs)
        distance = {e: 1 - e.cosines(pairs) for e in engines}
        figures("%s, %d reordered: 1 - cosine, mean" % (name, len(pairs)), lambda e: distance[e].mean())
        for least in (0.01, 0.05):
            figures("%s, %d reordered: share over %g" % (name, len(pairs), least),
                    lambda e: (distance[e] > least).mean())
    for kind, label in (("passive", "passives"), ("trained", "passives, verbs of the training"), ("other", "others")):
        chosen = [t[1:] for t in triples if t[0] == kind]
        figures("roles.tsv, %d %s: said otherwise is nearer than reversed" % (len(chosen), label),
                lambda e: (e.cosines([(a, again) for a, again, _ in chosen])
                           > e.cosines([(a, back) for a, _, back in chosen])).mean(), words)
    ranked = text.read_table(text.RANKED)
    for kind in dict.fromkeys(t[0] for t in ranked):
        for stop, label in (("", ""), (".", ", full stops")):
            chosen = [[s + stop for s in t[1:]] for t in ranked if t[0] == kind]
            figures("ranked.tsv, %d of kind %s%s: said otherwise is nearer" % (len(chosen), kind, label),
                    lambda e: (e.cosines([t[:2] for t in chosen]) > e.cosines([t[::2] for t in chosen])).mean(), words)
    triples = text.read_table(text.ORDER)
    order = {e: measures.order(triples, e.cosines) for e in (*engines, *words)}
    for kind in order[engines[0]]:
        name = "of any two pairs the one that says the same is nearer" if kind == "AUC" else (
            "%d of kind %s: said otherwise is nearer" % (sum(t[0] == kind for t in triples), kind))
        figures("order.tsv, " + name, lambda e: order[e][kind], words)
    if not options.quick:
        search(engines, options)
        print()
        searches_table(searching, options)


def run(program):
    """With one line in place of a traceback where a file cannot be read or the reader of the output has gone."""
    try:
        program()
    except BrokenPipeError:
        sys.stderr.close()
    except OSError as error:
        sys.exit("%s: %s" % (error.filename, error.strerror))
    except KeyboardInterrupt:
        sys.exit("stopped")


if __name__ == "__main__":
    run(main)
