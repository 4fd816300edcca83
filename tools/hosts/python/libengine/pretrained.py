"""Weight files made from checkpoints by the bundled encode-import, in a cache."""

from __future__ import annotations

import hashlib
import os
import pathlib
import subprocess
import tempfile

from ._library import FOLDER, WeightsError, library

# Weights for other programs, which encode-import does not read: it may read any other file, as files name others.
_UNREAD = {".onnx", ".onnx_data", ".h5", ".msgpack", ".ot", ".gguf", ".tflite", ".mlmodel"}

# One of these a checkpoint has: a model, its modules, an adapter of one, a folder of the Hub's cache.
_FIRST = ("config.json", "modules.json", "adapter_config.json", "snapshots")


def import_directory(directory, weights: str | None = None) -> pathlib.Path:
    """Returns the weight file of a checkpoint, which is made at the first call, below XDG_CACHE_HOME or ~/.cache."""
    directory = find_directory(directory)
    if not any((directory / name).exists() for name in _FIRST):  # before all that is below is read
        raise WeightsError(f"{directory} has no config.json, so it is no checkpoint: name the folder that hf download made")
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "libengine"
    path = cache / f"{checksum(directory, weights)}.weights"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:  # another process may import the same directory now
            made = pathlib.Path(folder) / "new.weights"
            command = [FOLDER / "encode-import", directory, "-o", made, "--name", directory.resolve().name]
            done = subprocess.run(command + (["--weights", weights] if weights else []), capture_output=True)
            if done.returncode:
                raise WeightsError(done.stderr.decode("utf-8", "replace").strip())
            made.replace(path)
    return path


def find_directory(name) -> pathlib.Path:
    """Returns a path, or for a model of the Hub the folder of encode-fetch in this one, or the snapshot in its cache."""
    path, name = pathlib.Path(name), str(name)
    is_name = name.count("/") < 2 and name[:1] not in (".", "/")
    if path.is_dir() or (is_name and (path := pathlib.Path(path.name)).is_dir()):
        return path
    home = os.environ.get("HF_HOME") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    hub = pathlib.Path(os.environ.get("HF_HUB_CACHE") or pathlib.Path(home, "hub")).expanduser()
    for full in (name, f"sentence-transformers/{name}") if is_name else ():
        folder = hub / f"models--{full.replace('/', '--')}"
        if (folder / "refs/main").is_file():
            return folder / "snapshots" / (folder / "refs/main").read_text().strip()
    full = name if "/" in name else f"sentence-transformers/{name}"
    raise WeightsError(f"{name} is not a directory here, and not in the Hub's cache: encode-fetch {full} (or hf download) "
                       "fetches a model")


def checksum(directory: pathlib.Path, weights: str | None) -> str:
    """Returns a checksum of all that the weight file is made from: the files' names and bytes, and the importer."""
    total = hashlib.sha256(f"{library.engine_version().decode()} {weights}".encode())
    for path in sorted(directory.rglob("*")):
        if path.suffix not in _UNREAD and path.is_file():
            total.update(os.fsencode(path.relative_to(directory)) + b"\0")
            with open(path, "rb") as file:
                each = hashlib.sha256()
                while block := file.read(1 << 20):
                    each.update(block)
            total.update(each.digest())
    return total.hexdigest()[:32]
