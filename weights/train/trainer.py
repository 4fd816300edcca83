"""AdamW with checkpoints that continue exactly: on a GPU in this process, else data-parallel over shared memory.

On CPUs each worker is one process with one thread: OpenMP's threads wait for each other in every operation,
which costs most of a second core where other programs run beside. All parameters are one flat
tensor; each worker adds its gradient to a row of its own, then updates its share of the tensor."""

import json
import math
import os
import signal
import sys
import threading
import time
import zlib
from multiprocessing import connection
from pathlib import Path

import torch
import torch.multiprocessing as multiprocessing

import model

BETAS = (0.9, 0.98)
LARGEST_NORM = 1.0
DECAY = 0.01
WORKERS = 1 if model.DEVICE.type == "cuda" else 2


class Shared:
    """The flat parameters, Adam's moments, a gradient per worker."""

    def __init__(self, parameters, workers):
        self.shapes = [(name, p.shape, p.numel()) for name, p in parameters.items()]
        size = sum(n for _, _, n in self.shapes)
        self.flat = torch.cat([p.detach().reshape(-1).to(model.DEVICE) for p in parameters.values()]).share_memory_()
        self.first = torch.zeros(size, device=model.DEVICE).share_memory_()
        self.second = torch.zeros(size, device=model.DEVICE).share_memory_()
        self.average = self.flat.clone().share_memory_() # of the last steps, where settings have "average"
        self.gradients = torch.zeros(workers, size, device=model.DEVICE).share_memory_()
        self.norms = torch.zeros(workers, device=model.DEVICE).share_memory_()
        self.losses = torch.zeros(workers, 8, device=model.DEVICE).share_memory_()
        self.decayed = torch.cat([torch.full((n,), float(len(shape) > 1)) for _, shape, n in self.shapes])
        self.decayed = self.decayed.to(model.DEVICE).share_memory_()

    def views(self, flat):
        out, at = {}, 0
        for name, shape, n in self.shapes:
            out[name] = flat[at:at + n].view(shape)
            at += n
        return out


def rate(step, steps, peak, warm_up):
    if step < warm_up:
        return peak * (step + 1) / warm_up
    return peak * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (step - warm_up) / max(1, steps - warm_up))))


def save(path, shared, state):
    temporary = str(path) + ".part"
    shapes = [(name, list(shape)) for name, shape, _ in shared.shapes]
    torch.save({"flat": shared.flat, "first": shared.first, "second": shared.second, "average": shared.average,
                "shapes": shapes, "state": state}, temporary)
    os.replace(temporary, path)


def load(path):
    """The parameters of a checkpoint and their shape, for the next stage or to export."""
    kept = torch.load(path, map_location=model.DEVICE)
    parameters, at, settings = {}, 0, kept["state"]["settings"]
    flat = kept["average" if "average" in settings else "flat"]
    for name, shape in kept["shapes"]:
        size = math.prod(shape)
        parameters[name] = flat[at:at + size].view(shape).clone().requires_grad_(True)
        at += size
    return parameters, settings["shape"]


def worker(rank, workers, shared, barrier, make_task, settings, folder, begin):
    if model.DEVICE.type == "cpu":
        torch.set_num_threads(1)
    if workers > 1:
        signal.signal(signal.SIGINT, signal.SIG_IGN) # of a terminal, meant for the parent
    parameters = {n: v.detach().requires_grad_(True) for n, v in shared.views(shared.flat).items()}
    for (name, p), g in zip(parameters.items(), shared.views(shared.gradients[rank]).values()):
        p.grad = g
    bert = model.Bert(parameters, settings["shape"])
    task = make_task(settings, rank, workers)
    size = shared.flat.numel()
    mine = slice(rank * size // workers, (rank + 1) * size // workers)
    started, saved, reported = time.time(), time.time(), begin["step"]
    spent, sums, parent = begin["seconds"], torch.zeros(8, device=model.DEVICE), os.getppid()
    for step in range(begin["step"], settings["steps"]):
        if workers > 1 and os.getppid() != parent: # killed: another run may be writing the same checkpoint
            barrier.abort()
            return
        shared.gradients[rank].zero_()
        bert.cast()
        values = task(bert, step)
        shared.losses[rank, :len(values)] = torch.stack([v.detach() for v in values])
        barrier.wait()
        gradient = shared.gradients[:, mine].sum(0) / workers
        shared.norms[rank] = gradient.pow(2).sum()
        barrier.wait()
        norm = shared.norms.sum() ** 0.5
        last = step + 1 == settings["steps"]
        measure = (step + 1) % settings.get("measure_every", settings["steps"] + 1) == 0
        report = (step + 1) % 100 == 0 or measure or last
        store = rank == 0 and (time.time() - saved > settings["save_every"] or last)
        # Not at each step: a GPU would have to wait for the answer.
        if (report or store) and not math.isfinite(norm):
            raise SystemExit("step %d: the gradient is not finite; the checkpoint is of an earlier step" % (step + 1))
        gradient *= (LARGEST_NORM / (norm + 1e-6)).clamp(max=1)
        lr = rate(step, settings["steps"], settings["rate"], settings["warm_up"])
        first, second = shared.first[mine], shared.second[mine]
        first.mul_(BETAS[0]).add_(gradient, alpha=1 - BETAS[0])
        second.mul_(BETAS[1]).addcmul_(gradient, gradient, value=1 - BETAS[1])
        update = (first / (1 - BETAS[0] ** (step + 1))) / ((second / (1 - BETAS[1] ** (step + 1))).sqrt() + 1e-8)
        shared.flat[mine] -= lr * (update + DECAY * shared.decayed[mine] * shared.flat[mine])
        if "average" in settings:
            # The first steps weigh no more than the others.
            shared.average[mine].lerp_(shared.flat[mine], max(1 - settings["average"], 1 / (step + 2)))
        if rank == 0:
            sums += shared.losses.mean(0)
        barrier.wait()
        if rank == 0 and report:
            seconds = spent + time.time() - started
            line = {"step": step + 1, "seconds": round(seconds), "rate": round(lr, 7), "norm": round(float(norm), 3)}
            line.update({n: round(float(v) / (step + 1 - reported), 4) for n, v in zip(task.names, sums)})
            if measure:
                line.update(task.measured(model.Bert(shared.views(shared.average), settings["shape"])))
            print(json.dumps(line), flush=True)
            with open(folder / "log.jsonl", "a") as log:
                log.write(json.dumps(line) + "\n")
            sums.zero_()
            reported = step + 1
        # Worker 0 saves while the others wait at the next step's first barrier: no worker has changed anything.
        if store:
            state = {"step": step + 1, "seconds": spent + time.time() - started, "settings": settings}
            save(folder / "checkpoint.pt", shared, state)
            saved = time.time()


def training(settings):
    """What makes it the same training: not the paths of the files, nor how often it is saved."""
    return {name: value for name, value in settings.items()
            if name not in ("cache", "text", "save_every", "measure_every")}


def checksum(*paths):
    total = 0
    for path in paths:
        total = zlib.crc32(Path(path).read_bytes(), total)
    return total


def run(folder, make_task, settings, parameters, workers):
    """Trains from the folder's checkpoint, if there is one of the same settings, else from the parameters."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settings = dict(settings, workers=workers)
    shared = Shared(parameters, workers)
    begin = {"step": 0, "seconds": 0.0}
    path = folder / "checkpoint.pt"
    if path.exists():
        kept = torch.load(path, map_location=model.DEVICE)
        if training(kept["state"]["settings"]) != training(settings):
            ours, theirs = training(settings), training(kept["state"]["settings"])
            other = ["%s %s, not %s" % (k, theirs.get(k), ours.get(k)) for k in {**theirs, **ours}
                     if theirs.get(k) != ours.get(k)]
            raise SystemExit("%s is of another training: %s" % (path, "; ".join(other)))
        for name in ("flat", "first", "second", "average"):
            getattr(shared, name).copy_(kept[name])
        begin = kept["state"]
        log = (folder / "log.jsonl").read_text().splitlines(True)
        (folder / "log.jsonl").write_text("".join(line for line in log if json.loads(line)["step"] <= begin["step"]))
        print("goes on at step %d of %d" % (begin["step"], settings["steps"]), flush=True)
    else:
        (folder / "settings.json").write_text(json.dumps(settings, indent=1))
        (folder / "log.jsonl").write_text("")
    if workers == 1:
        worker(0, 1, shared, threading.Barrier(1), make_task, settings, folder, begin)
        return
    barrier = multiprocessing.Barrier(workers)
    processes = [multiprocessing.Process(target=worker, daemon=True, args=(rank, workers, shared, barrier, make_task,
                                                                           settings, folder, begin))
                 for rank in range(workers)]
    for p in processes:
        p.start()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit("stopped; the next start goes on from the last checkpoint, one every %d s"
                                                  % settings["save_every"]))
    # One that dies leaves the others at a barrier: they end with it, and with this process (daemon).
    running = {p.sentinel: p for p in processes}
    while running:
        for sentinel in connection.wait(list(running)):
            process = running.pop(sentinel)
            process.join()
            if process.exitcode:
                raise SystemExit("a worker ended with exit code %d; start again to go on" % process.exitcode)
