"""What a search by the vectors finds, and how much of it with rows that are rounded to fewer bytes."""

import math

import numpy

TYPES = ("f32", "f16", "int8", "binary")


def best(scores, most):
    """Of scores [queries, documents] the best documents, [queries, most]; equal ones in their order."""
    return numpy.argsort(-scores, axis=1, kind="stable")[:, :most]


def gain(scores, answers, most=10):
    """Mean nDCG@10, where some documents answer a query and the others do not; of queries that some answer."""
    return gain_of(best(scores, most), answers, most)


def gain_of(found, answers, most=10):
    """The same of the best documents of each query, in their order. Answers are sets, or gains by document."""
    def of_query(found, answers):
        gains = answers if isinstance(answers, dict) else dict.fromkeys(answers, 1)
        ideal = sorted(gains.values(), reverse=True)[:most]
        return (sum(gains.get(document, 0) / math.log2(i + 2) for i, document in enumerate(found))
                / sum(gain / math.log2(i + 2) for i, gain in enumerate(ideal)))

    return numpy.mean([of_query(f, a) for f, a in zip(found, answers) if a])


def recall(scores, answers, most):
    """Mean share of the documents that answer a query which are among its best."""
    return numpy.mean([len(a.intersection(f)) / len(a) for f, a in zip(best(scores, most), answers) if a])


def nearest_kept(scores, exact, most=10):
    """Mean share of a query's best by exact scores which are among its best by these."""
    return numpy.mean([len(set(a) & set(b)) / most for a, b in zip(best(scores, most), best(exact, most))])


def rounded(engine, documents, answers, queries, sentences, asked):
    """For each type of rows: its name, bytes of a row, nDCG@10 and recall@10 of documents that answer queries, and how
    many of the ten nearest documents and sentences are those of f32. Queries keep their floats."""
    of_queries, of_asked, exact = engine.vectors(queries), engine.vectors(asked), None
    for name in TYPES:
        found, n_bytes = engine.rows(documents, name)
        near, _ = engine.rows(sentences, name)
        scores = [of_queries @ found.T, of_asked @ near.T]
        exact = exact or scores # f32 comes first
        yield (name, n_bytes, gain(scores[0], answers), recall(scores[0], answers, 10),
               *map(nearest_kept, scores, exact))
