"""All stages in one run: masked words; then the teacher's vectors, the order of words, opposites, negations and typed
errors together; then two ends of it, one with more weight on triples, above all opposites, one with less; and of the
mean of both ends the matrix after the mean alone.

    together.py --packed DIR --out DIR --seconds N [--start FILE.weights]

DIR is what pack.py and lists.py made. Writes OUT/mid.npz, order.npz, near.npz and, last, matrix.npz (export.py reads
them) and OUT/log.jsonl; OUT/now.npz is the last state, at least every two minutes. --work DIR: where a run that is
interrupted keeps what it goes on from. On a GPU if there is one."""

import argparse
import json
import lzma
import math
import multiprocessing
import os
import queue
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numpy
import torch
import torch.nn.functional as F

sys.path.append(str(Path(__file__).resolve().parents[1]))
import batches # noqa: E402
import losses # noqa: E402
import maker # noqa: E402
import model # noqa: E402
import pool as pools # noqa: E402
import start # noqa: E402
import wordpiece # noqa: E402
from corpus import Corpus # noqa: E402
from dev import Dev # noqa: E402
from losses import relations # noqa: E402

NEAR, NEIGHBORS, LEAST_NEIGHBOR = 0.65, 6, 0.55
FITTED = 4000


class Phase(NamedTuple):
    name: str
    share: float # of the time
    first: float # rate, and the last one
    last: float
    words: float # weight of masked words
    ranked: float # of the triples of order
    opposed: float # of opposites and negations


# The first run had 0.15 for masked words, 0.8 to 1.5 for triples, 0.2 to 1.2 for opposites: TRAINING.md has what it lost.
PHASES = (Phase("words", 0.14, 1.2e-3, 6e-4, 1, 0, 0), Phase("mid", 0.44, 8e-4, 4e-4, 0.4, 0.6, 1.2),
          Phase("order", 0.13, 4e-4, 1e-5, 0.4, 0.4, 2), Phase("near", 0.26, 4e-4, 1e-5, 0.4, 0.1, 0.6),
          Phase("matrix", 0.03, 1e-3, 1e-5, 0, 1, 1.5))
NAMES = [p.name for p in PHASES]
MATRICES = model.DENSE, model.PROJECTION # all that the last one trains
WARM_UP = 100
MARGIN, BETWEEN = 0.08, 0.03
GPU = model.DEVICE.type == "cuda"


class Running(Corpus):
    """The sentences of a pool as running text."""

    def __init__(self, pool):
        self.document, self.source, self.names = pool.document, pool.source, pool.names
        self.begins, self.ends = pool.from_piece, pool.to_piece
        self.lengths = self.ends - self.begins
        last = numpy.searchsorted(self.document, self.document, "right") - 1
        self.document_ends = self.ends[last]
        weight = numpy.array([pools.WEIGHT[n] for n in self.names])[self.source] * self.lengths
        self.likely = numpy.cumsum(weight) / weight.sum()


def read_teacher(path):
    """The model and its tokenizer."""
    arrays = pools.read_xz(path)
    config = json.loads(arrays.pop("config.json").tobytes())
    tokenizer = wordpiece.WordPiece(arrays.pop("vocab.txt").tobytes().decode().rstrip("\n").split("\n"))
    shape = {"width": config["hidden_size"], "layers": config["num_hidden_layers"],
             "heads": config["num_attention_heads"], "positions": config["max_position_embeddings"]}
    of = {"bert." + n: torch.from_numpy(a.astype(numpy.float32) * arrays.get(n + " scale", numpy.float32(1)))
          for n, a in arrays.items() if not n.endswith(" scale")}
    return model.Bert({n: t.to(model.DEVICE) for n, t in of.items()}, shape), tokenizer


def taught_vectors(teacher, tokenizer, pool, at_once):
    """The teacher's vector of each text of the pool, f16, on the device."""
    pieces, places = pools.Pieces(tokenizer, pool.words.pieces).of(pool.flat)
    flat = torch.from_numpy(pieces).to(model.DEVICE)
    begins, lengths = places[pool.begin], numpy.minimum(places[pool.end] - places[pool.begin], 254)
    order, at = numpy.argsort(lengths, kind="stable"), 0
    out = torch.zeros(len(begins), teacher.shape["width"], dtype=torch.float16, device=model.DEVICE)
    first, last = (tokenizer.ids[t] for t in ("[CLS]", "[SEP]"))
    with torch.no_grad():
        while at < len(order):
            longest = int(lengths[order[min(at + 4000, len(order) - 1)]]) + 2
            some = order[at:at + max(1, at_once // longest)]
            ids, real = batches.rows(flat, begins[some], lengths[some])
            ids[:, 0] = first
            ids[torch.arange(len(ids), device=model.DEVICE), real.sum(1) - 1] = last
            out[torch.from_numpy(some).to(model.DEVICE)] = teacher.pooled(ids, real).half()
            at += len(some)
    return out


def neighbours(vectors, short, block):
    """Of each short text those of its block of texts, drawn at random, that the teacher calls the nearest."""
    near = numpy.full((len(vectors), NEIGHBORS), -1, numpy.int32)
    order = numpy.random.default_rng(11).permutation(short)
    for begin in range(0, len(order), block):
        members = order[begin:begin + block]
        rows = vectors[torch.from_numpy(members).to(model.DEVICE)]
        rows = rows if GPU else rows.float()
        for i in range(0, len(members), 4096):
            scores = rows[i:i + 4096] @ rows.T
            scores[scores > 0.995] = -1 # itself, and copies
            best = scores.topk(min(NEIGHBORS, len(members)), 1)
            found = members[best.indices.cpu().numpy()]
            found[best.values.float().cpu().numpy() < LEAST_NEIGHBOR] = -1
            near[members[i:i + 4096], :found.shape[1]] = found
    return near


class Batches:
    """Those of the steps from one on, in order, made by other processes."""

    def __init__(self, make, step, workers):
        context = multiprocessing.get_context("fork")
        self.ready, self.processes, pipes = queue.Queue(3), [], []
        for k in range(workers):
            pipe, end = context.Pipe(False)
            pipes.append(pipe)
            of = make, step + k, workers, end, pipes
            self.processes.append(context.Process(target=self.work, args=of, daemon=True))
            self.processes[-1].start()
            end.close()
        threading.Thread(target=self.receive, args=(pipes,), daemon=True).start()

    @staticmethod
    def work(make, step, workers, end, pipes):
        for pipe in pipes: # else it would outlive a run that is killed
            pipe.close()
        os.nice(5)
        torch.set_num_threads(1)
        try:
            while True:
                end.send(make(step))
                step += workers
        except (BrokenPipeError, KeyboardInterrupt):
            pass
        except BaseException as error: # said where it is waited for
            end.send(repr(error))
            raise

    def receive(self, pipes):
        try:
            while True:
                for pipe in pipes:
                    batch = pipe.recv()
                    if not isinstance(batch, str):
                        batch = {k: [tensor(a) for a in v] if isinstance(v, list) else tensor(v)
                                 for k, v in batch.items()}
                    self.ready.put(batch)
        except (EOFError, OSError) as error:
            self.ready.put(repr(error))

    def next(self):
        batch = self.ready.get()
        if isinstance(batch, str):
            raise SystemExit("a process that makes batches ended: " + batch)
        return {k: [to_device(a) for a in v] if isinstance(v, list) else to_device(v) for k, v in batch.items()}

    def end(self):
        for p in self.processes:
            p.terminate()


def tensor(array):
    made = torch.from_numpy(array)
    return made.pin_memory() if GPU else made


def to_device(made):
    return made.to(model.DEVICE, non_blocking=True)


class Together:
    def __init__(self, options):
        self.o, self.begun = options, time.time()
        self.folder, self.out = Path(options.packed), Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.spent, self.step, self.phase, self.spent_of, self.first = 0.0, 0, 0, 0.0, 0 # first: the phase's first step
        self.pool = pools.Pool(self.folder, options.sample)
        self.say(note="%d texts, %d of them passages" % (self.pool.count, self.pool.long.sum()))
        self.shape = dict(model.SHAPE, layers=options.layers, vocabulary=len(self.pool.student.pieces))
        self.running = Running(self.pool)
        self.flat = torch.from_numpy(self.pool.pieces).to(model.DEVICE)
        self.mask = batches.Masker(self.pool.student.pieces)
        sets = json.loads(lzma.open(self.folder / "dev.json.xz").read())
        if options.sample > 1:
            sets = {n: rows[:20] for n, rows in sets.items()}
        self.dev = Dev(sets, self.pool.student, 20 if options.sample > 1 else 1)
        self.teacher, self.tokenizer = read_teacher(self.folder / "teacher.npz.xz")
        parameters = start.parameters(self.shape, self.pool.student.pieces, self.teacher.shape["width"], options.start,
                                      self.folder / "start.json")
        self.p = {n: t.to(model.DEVICE).requires_grad_(True) for n, t in parameters.items()}
        for p in self.p.values():
            p.grad = torch.zeros_like(p)
        self.average = {n: p.detach().clone() for n, p in self.p.items()}
        self.mid = self.order = None
        self.begin()
        self.saved = self.measured = time.time()
        self.sums, self.reported = None, 0
        self.batches = None

    def begin(self):
        """A new optimizer of what the phase trains."""
        name = PHASES[self.phase].name if self.phase < len(PHASES) else None
        for n, p in self.p.items():
            p.requires_grad_(name != "matrix" or n in MATRICES)
        trained = [p for p in self.p.values() if p.requires_grad]
        self.optimizer = torch.optim.AdamW([{"params": [p for p in trained if p.dim() > 1], "weight_decay": 0.01},
                                            {"params": [p for p in trained if p.dim() < 2], "weight_decay": 0.0}],
                                           lr=1e-3, betas=(0.9, 0.98), fused=GPU)

    def put(self, values, average):
        with torch.no_grad():
            for n, p in self.p.items():
                p.copy_(values[n])
                self.average[n].copy_(average[n])

    def say(self, **line):
        line = {"seconds": round(self.spent + time.time() - self.begun, 1), **line}
        print(json.dumps(line), flush=True)
        with open(self.out / "log.jsonl", "a") as log:
            log.write(json.dumps(line) + "\n")

    def prepare(self):
        """The teacher's vectors, what is near what, and the processes that make the batches."""
        self.vectors = taught_vectors(self.teacher, self.tokenizer, self.pool, 100000 if GPU else 2000)
        self.say(note="the teacher's vectors")
        near = neighbours(self.vectors, numpy.nonzero(~self.pool.long)[0], 20000 if GPU else 1000)
        self.say(note="neighbours: %.2f" % (near >= 0).mean())
        make = maker.Maker(self.pool, self.tokenizer, near, vars(self.o))
        self.batches = Batches(make, self.step, self.o.workers)
        self.fit_projection()
        self.say(note="ready")

    def fit_projection(self):
        """By least squares."""
        bert = model.Bert(self.p, self.shape)
        short = numpy.nonzero(~self.pool.long)[0]
        chosen = numpy.random.default_rng(5).choice(short, min(FITTED, len(short)), replace=False)
        places, ours = self.pool.places, []
        with torch.no_grad():
            for part in numpy.array_split(chosen, 16):
                begins, ends = places[self.pool.begin[part]], places[self.pool.end[part]]
                ours.append(bert.pooled(*batches.rows(self.flat, begins, ends - begins)))
            ours, said = torch.cat(ours).float(), self.vectors[torch.from_numpy(chosen).to(model.DEVICE)].float()
            square = ours.T @ ours + 1e-3 * torch.eye(ours.shape[1], device=model.DEVICE)
            self.p[model.PROJECTION].copy_(torch.linalg.solve(square, ours.T @ said))

    def masked(self, bert, tokens):
        rng = numpy.random.default_rng([self.o.seed, 1000, self.step])
        ids, real = batches.rows(self.flat, *self.running.sequences(rng, tokens))
        shown, at, targets = self.mask(ids, batches.generator(self.o.seed, 1001, self.step))
        logits = bert.logits(bert.hidden(shown, real)[at])
        return losses.cross_entropy(logits, targets), (logits.detach().argmax(1) == targets).float().mean()

    def taught(self, bert, batch):
        vectors = torch.cat([bert.pooled(ids.long(), ids != 0) for ids in batch["parts"]])
        said = self.vectors[batch["chosen"]].float()
        cosine = 1 - (F.normalize(vectors @ bert.p[model.PROJECTION], dim=1) * said).sum(1).mean()
        order, square = relations(vectors, said)
        return cosine, order, square, losses.apart(vectors, said, NEAR)

    def triples(self, bert, batch):
        """What says the same is nearer than what does not, in each triple and between triples; beside it texts of
        different triples are as near as the teacher says. Then opposites and negations."""
        n, m = self.o.ranked, self.o.opposed
        vectors = torch.cat([bert.pooled(ids.long(), ids != 0) for ids in batch["apart"]])[batch["back"]]
        a, b, c, *others = vectors.split([n, n, n, m, m, m])
        near, first, second = (a * b).sum(1), (a * c).sum(1), (b * c).sum(1)
        order = F.relu(torch.maximum(first, second) - near + MARGIN).mean()
        between = F.relu(first[None, :] - near[:, None] + BETWEEN).mean()
        with torch.no_grad():
            said = self.teacher.pooled(batch["said"].long(), batch["said"] != 0)
            theirs = said @ said.T
        ours = torch.cat([a, b])
        other = torch.arange(2 * n, device=model.DEVICE) % n
        other = (other[:, None] != other[None, :]).float()
        kept = ((ours @ ours.T - theirs).pow(2) * other).sum() / other.sum()
        opposed, right = losses.opposed(*others, batch["levels"], batch["same"])
        return order + between + 10 * kept, opposed, (near > first).float().mean(), right

    def losses(self, bert, phase):
        """Their sum's gradient is added; returns what is said of them."""
        said = {}
        if phase.words:
            mlm, accuracy = self.masked(bert, self.o.tokens * (1 if phase.ranked else 4))
            (phase.words * mlm).backward()
            said = {"mlm": mlm, "accuracy": accuracy}
        if not phase.ranked:
            return said
        batch = self.batches.next()
        bert.cast()
        cosine, order, square, apart = self.taught(bert, batch)
        (cosine + 0.5 * order + 10 * square + apart).backward()
        bert.cast()
        ranked, opposed, right, right_opposed = self.triples(bert, batch)
        (phase.ranked * ranked + phase.opposed * opposed).backward()
        return {**said, "cosine": cosine, "order": order, "square": square, "apart": apart, "ranked": ranked,
                "opposed": opposed, "right": right, "right_opposed": right_opposed}

    def one_step(self, phase, rate, decay):
        for p in self.p.values():
            p.grad.zero_()
        bert = model.Bert(self.p, self.shape)
        values = self.losses(bert, phase)
        torch.nn.utils.clip_grad_norm_(self.p.values(), 1.0)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(self.average.values()), list(self.p.values()), 1 - decay)
        self.step += 1
        values = torch.stack([v.detach() for v in values.values()]), list(values)
        self.sums = (self.sums[0] + values[0], values[1]) if self.sums and self.sums[1] == values[1] else values
        if len(self.sums[1]) != len(values[1]) or self.sums is values:
            self.reported = self.step - 1

    def report(self, name, rate, measure):
        means = (self.sums[0] / (self.step - self.reported)).tolist()
        line = {"phase": name, "step": self.step, "rate": round(rate, 6)}
        line.update({n: round(v, 4) for n, v in zip(self.sums[1], means)})
        if not all(map(math.isfinite, means)):
            raise SystemExit("step %d: a loss is not finite" % self.step)
        self.sums = None
        if measure:
            line.update(self.dev.figures(model.Bert(self.average, self.shape), name != "words"))
        self.say(**line)

    def write(self, name):
        """The averaged weights, small: the table in int8, the rest in f16."""
        arrays = {}
        for key, p in self.average.items():
            array = p.float().cpu().numpy()
            if key == "bert.embeddings.word_embeddings.weight":
                scale = numpy.abs(array).max(1, keepdims=True) / 127
                arrays[key + " scale"] = scale
                arrays[key] = numpy.rint(array / scale).astype(numpy.int8)
            else:
                arrays[key] = array.astype(numpy.float16)
        part = self.out / (name + ".part")
        with part.open("wb") as file:
            numpy.savez(file, shape=json.dumps(self.shape), **arrays)
        part.replace(self.out / (name + ".npz"))

    def keep(self):
        """All that the run goes on from."""
        if self.o.work:
            state = {"p": self.p, "average": self.average, "optimizer": self.optimizer.state_dict(), "step": self.step,
                     "phase": self.phase, "spent": self.spent + time.time() - self.begun, "spent_of": self.spent_of,
                     "first": self.first, "mid": self.mid, "order": self.order}
            torch.save(state, Path(self.o.work, "state.part"))
            Path(self.o.work, "state.part").replace(Path(self.o.work, "state.pt"))
        self.saved = time.time()

    def restore(self):
        path = Path(self.o.work or "", "state.pt")
        if not self.o.work or not path.exists():
            return
        kept = torch.load(path, map_location=model.DEVICE)
        for name in ("step", "phase", "spent_of", "first", "mid", "order"):
            setattr(self, name, kept[name])
        self.put(kept["p"], kept["average"])
        self.begin()
        self.optimizer.load_state_dict(kept["optimizer"])
        self.spent = kept["spent"]
        self.say(note="goes on at step %d" % self.step)

    def run_phase(self, seconds):
        phase = PHASES[self.phase]
        begun, done = time.time(), self.spent_of
        while True:
            part = (done + time.time() - begun) / seconds
            if part >= 1 or (self.o.steps and self.step - self.first >= self.o.steps):
                break
            rate = phase.last + (phase.first - phase.last) * 0.5 * (1 + math.cos(math.pi * part))
            steps = self.step - self.first
            rate *= min(1, (steps + 1) / WARM_UP)
            self.one_step(phase, rate, min(self.o.average, (steps + 1) / (steps + 10)))
            measure = time.time() - self.measured > self.o.measure_every
            if steps + 1 in (1, 10, 50) or measure:
                self.report(phase.name, rate, measure)
                self.measured = time.time() if measure else self.measured
            if time.time() - self.saved > self.o.save_every:
                self.spent_of = done + time.time() - begun
                self.write("now")
                self.keep()
        if self.sums:
            self.report(phase.name, rate, True)
        if phase.ranked:
            self.write(phase.name)
        self.spent_of = 0.0

    def left(self):
        return self.o.seconds - self.spent - (time.time() - self.begun) - self.o.reserve

    def run(self):
        self.restore()
        if self.o.more:
            self.o.seconds = self.spent + self.o.more
        phases = NAMES.index(self.o.until) + 1
        while self.phase < phases:
            if PHASES[self.phase].ranked and not self.batches:
                self.prepare()
            left = max(1, self.left() + self.spent_of) # a stage that has no time left ends after a step
            self.run_phase(PHASES[self.phase].share / sum(p.share for p in PHASES[self.phase:phases]) * left)
            self.next_phase()
        if self.batches:
            self.batches.end()
        (self.out / "now.npz").unlink(missing_ok=True)
        self.say(note="done")

    def next_phase(self):
        """Where it begins: the second end where the first did, the matrix from the mean of both."""
        name = PHASES[self.phase].name
        if name == "words":
            self.put(self.p, self.p)
        elif name == "mid":
            self.mid = {n: p.detach().clone() for n, p in self.p.items()}
        elif name == "order":
            self.order = {n: p.clone() for n, p in self.average.items()}
            self.put(self.mid, self.mid)
        elif name == "near":
            mean = {n: (p + self.order[n]) / 2 for n, p in self.average.items()}
            self.put(mean, mean)
        self.phase, self.first = self.phase + 1, self.step
        self.begin()
        self.keep()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packed", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--work")
    parser.add_argument("--start", help="a weight file; else from random numbers")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--more", type=float, help="seconds of this run, in place of those of all runs together")
    parser.add_argument("--until", default=NAMES[-1], choices=NAMES, help="the last stage of this run")
    parser.add_argument("--reserve", type=float, default=6, help="seconds for the end")
    parser.add_argument("--layers", type=int, default=5)
    parser.add_argument("--texts", type=int, default=4096, help="taught per step")
    parser.add_argument("--passages", type=int, default=448)
    parser.add_argument("--long-every", type=int, default=3, help="steps, of which one has passages")
    parser.add_argument("--parts", type=int, default=4, help="into which a step's texts are sorted")
    parser.add_argument("--ranked", type=int, default=512, help="triples of order")
    parser.add_argument("--opposed", type=int, default=512, help="triples of opposites and negations")
    parser.add_argument("--tokens", type=int, default=16384, help="of running text")
    parser.add_argument("--average", type=float, default=0.998, help="of the weights, per step")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--measure-every", type=float, default=60, help="seconds")
    parser.add_argument("--save-every", type=float, default=100, help="seconds")
    parser.add_argument("--sample", type=int, default=1, help="one of so many documents, to try it")
    parser.add_argument("--steps", type=int, help="of each stage, to try it")
    Together(parser.parse_args()).run()


if __name__ == "__main__":
    main()
