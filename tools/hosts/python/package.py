"""Makes the wheel of libengine: build_wheel for `pip install tools/hosts/python`, for this machine; main for `make wheel`,
with the libraries that it needs beside libc, so that any Linux with the glibc that its name has (2.34 if it is built
on Debian 12) can install it.

    python3 tools/hosts/python/package.py BUILD     prints the path of the wheel; CC, STRIP: those of the build
    python3 tools/hosts/python/package.py --bundle BUILD FOLDER     what packages of other languages contain
"""

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent.parent
PROGRAMS = ["libengine.so.1", "encode", "encode-import"]
VERSION = re.search(r'ENGINE_VERSION "(.*)"', (TREE / "engine/engine.h").read_text())[1]
METADATA = f"""Metadata-Version: 2.1
Name: libengine
Version: {VERSION}
Summary: Transformer encoders on CPUs: text in, vectors out
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy
Description-Content-Type: text/markdown

{(HERE / "README.md").read_text()}"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Called by pip (PEP 517): builds what the package has, and returns the wheel's name."""
    build = os.environ.get("BUILD") or "build"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    require("pip install", "make=make", "strip=binutils")
    made = subprocess.run(["make", f"-j{os.cpu_count()}", *(f"{build}/{name}" for name in PROGRAMS)], cwd=TREE,
                          env=environment)
    if made.returncode:
        sys.exit("pip install: make fails, as above; sh tools/setup.sh installs what it needs")
    with tempfile.TemporaryDirectory() as folder:
        copy_programs(TREE / build, pathlib.Path(folder))
        return write_wheel(pathlib.Path(folder), pathlib.Path(wheel_directory), f"linux_{os.uname().machine}")


def main(build):
    require("make wheel", "patchelf=patchelf")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        copy_programs(build, folder)
        compiler = os.environ.get("CC", "cc").split()
        bundle_libraries(folder, compiler)
        machine = output(*compiler, "-dumpmachine").split("-")[0]
        print(build / write_wheel(folder, build, f"manylinux_2_{needed_glibc(folder)}_{machine}"))


def require(target, *needs):
    """Ends the program, with the names of the packages, if commands are missing; needs: COMMAND=PACKAGE."""
    if subprocess.run(["sh", TREE / "tools/build/needs.sh", target, *needs]).returncode:
        sys.exit(1)


def bundle(build, folder):
    """Writes the library, those that it needs, the default weights and engine.json to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()) and not (folder / "files").is_file():
        raise SystemExit(f"package.py: '{folder}' has files of others; expected a folder that is new, or a bundle")
    shutil.rmtree(folder)
    folder.mkdir()
    copy_programs(build, folder)
    bundle_libraries(folder, os.environ.get("CC", "cc").split())
    unused = set(PROGRAMS) - {"libengine.so.1"}
    for name in [*unused, *(path.name for path in folder.glob("libjansson*"))]:
        (folder / name).unlink()
    (folder / "files").write_text("".join(f"{path.name}\n" for path in folder.iterdir()))  # a jar cannot be listed


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def copy_programs(build, folder):
    for name in PROGRAMS:
        shutil.copy(build / name, folder)
        subprocess.run([os.environ.get("STRIP", "strip"), "--strip-unneeded", folder / name], check=True)
    for path in (TREE / "weights/default.weights", TREE / "tools/hosts/api/engine.json"):
        shutil.copy(path, folder)


def bundle_libraries(folder, compiler):
    """Copies the libraries beside the programs, under names that no other library of a process has: then a host with
    another libgomp has both, as with wheels of auditwheel."""
    files, names = [folder / name for name in PROGRAMS], {}
    for needed in sorted({name for file in files for name in output("patchelf", "--print-needed", file).split()}):
        if re.match(r"lib(c|m)\.so|ld-linux|libengine", needed):
            continue
        path = pathlib.Path(output(*compiler, f"-print-file-name={needed}")).resolve()
        stem, suffix = needed.split(".so")
        names[needed] = f"{stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}.so{suffix}"
        files.append(pathlib.Path(shutil.copy(path, folder / names[needed])))
        subprocess.run(["patchelf", "--set-soname", names[needed], files[-1]], check=True)
    renamed = [word for pair in names.items() for word in ("--replace-needed", *pair)]
    for file in files:  # in two runs: patchelf 0.14 damages a file that it changes so in one
        subprocess.run(["patchelf", *renamed, file], check=True)
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", file], check=True)


def needed_glibc(folder):
    """Returns the N of the oldest glibc 2.N, at least 34, that has all symbols which the files need."""
    versions = (version for path in folder.iterdir() for version in re.findall(rb"GLIBC_2\.(\d+)\0", path.read_bytes()))
    return max(34, *map(int, versions))


def write_wheel(bundled, folder, platform):
    """Writes the wheel of the package with the files of `bundled`, the same bytes each time; returns its name."""
    name, info = f"libengine-{VERSION}-py3-none-{platform}.whl", f"libengine-{VERSION}.dist-info"
    sources = [*sorted(HERE.glob("libengine/*.py")), HERE / "libengine/py.typed"]
    files = {f"libengine/{path.name}": path for path in sources}
    files |= {f"libengine/bundled/{path.name}": path for path in sorted(bundled.iterdir())}
    files[f"{info}/licenses/LICENSE"] = TREE / "LICENSE"
    for package in ("libgomp1", "libutf8proc2", "libjansson4") if platform.startswith("many") else ():
        licence = pathlib.Path("/usr/share/doc", package, "copyright")
        if licence.exists():
            files[f"{info}/licenses/{package}"] = licence
    wheel = f"Wheel-Version: 1.0\nGenerator: libengine\nRoot-Is-Purelib: false\nTag: py3-none-{platform}\n"
    contents = {f"{info}/METADATA": METADATA.encode(), f"{info}/WHEEL": wheel.encode()}
    contents |= {name: path.read_bytes() for name, path in files.items()}
    record = ""
    for path, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    contents[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, data in contents.items():
            member = zipfile.ZipInfo(path)
            is_program = path.startswith("libengine/bundled/") and not path.endswith((".weights", ".json"))
            member.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(member, data, zipfile.ZIP_DEFLATED, 9)
    return name


if __name__ == "__main__":
    if sys.argv[1] == "--bundle":
        bundle(*map(pathlib.Path, sys.argv[2:]))
    else:
        main(pathlib.Path(sys.argv[1]))
