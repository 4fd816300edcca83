#!/usr/bin/env python3
"""Describes engine.h in engine.json, for hosts in other languages: enums, constants, structs, callbacks, functions, with
their comments. Sizes, offsets and values are the compiler's, which also compares each type that is read here with the
declaration. Writes engine.json, and what languages.py makes of it, or compares them with the files of the tree.

    CC=cc tools/hosts/api/describe.py [--check]     --check: writes nothing; exit code 1 if a file differs
"""

import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import languages

HERE = pathlib.Path(__file__).resolve().parent
ENGINE = HERE.parents[2] / "engine"


def read_headers():
    """Returns the text of engine.h, with the headers that it includes in place of their #include."""
    text = (ENGINE / "engine.h").read_text(encoding="utf-8")
    text = re.sub(r'#include "(engine_\w+\.h)".*', lambda m: (ENGINE / m[1]).read_text(encoding="utf-8"), text)
    text = re.sub(r"ENGINE_STRUCT_BYTES\(\w+\);", "size_t struct_bytes;", text[text.index("*/") + 2:])
    return re.sub(r"#ifdef __cplusplus\n.*?#endif|\bstatic inline .*?\n}", "", text, flags=re.S)


def words(comment):
    """Returns a comment as one line of text."""
    lines = [re.sub(r"^\s*\*?\s?", "", line).strip() for line in (comment or "").splitlines()]
    return re.sub(r"^/\*\s*|\s*\*/$", "", " ".join(lines).strip()).strip()


COMMENT = r"(/\*(?:[^*]|\*(?!/))*\*/)"
BEFORE = rf"(?m:^{COMMENT}\n)?"


def items(body, end):
    """Yields (declaration, comment) of each member of a struct or value of an enum, which ends with `end`. Its comment
    follows it on its line, or precedes it."""
    for before, declaration, after in re.findall(rf"(?:\n\s*{COMMENT}\s*)?([^/{end}]+){end}?[ ]*{COMMENT}?", body):
        if declaration.strip():
            yield " ".join(declaration.split()), words(before) or words(after)


def variables(declaration):
    """Returns (type, name, count) of "size_t begin, end", "char tag[5]", "const char *prompt, *text"."""
    base, rest = re.match(r"((?:const )?\w+)\b(.*)", declaration).groups()
    found = []
    for stars, name, count in re.findall(r"((?:\s|\*|\bconst\b)*)\b(\w+)(?:\[(\d+)\])?", rest):
        stars = re.sub(r"\s*\bconst\b\s*", "const ", stars.strip())
        found.append((f"{base} {stars}".strip(), name, int(count or 1)))
    return found


def arguments(text):
    text = " ".join(text.split())
    return [] if text == "void" else [{"name": name, "type": kind} for part in text.split(",")
                                      for kind, name, _ in variables(part.strip())]


def read_api():
    """Returns all that engine.h declares, without what only the compiler knows."""
    text, api = read_headers(), {}
    api["enums"] = [{"name": name, "comment": words(comment),
                     "values": [{"name": value.split(" = ")[0], "comment": said} for value, said in items(body, ",")]}
                    for comment, name, body in re.findall(BEFORE + r"typedef enum (\w+) \{(.*?)\n\}", text, flags=re.S)]
    api["constants"] = [{"name": name, "comment": words(comment or before)} for before, name, comment in
                        re.findall(BEFORE + rf"#define (ENGINE_\w+) +[^\s\\\n][^/\n]*?[ ]*{COMMENT}?\n", text)
                        if name != "ENGINE_API"]
    api["structs"] = [{"name": name, "comment": words(comment), "members": [
        {"name": member, "type": kind, "count": count, "comment": said}
        for declaration, said in items(body, ";") for kind, member, count in variables(declaration)]}
        for comment, name, body in re.findall(BEFORE + r"(?:typedef )?struct (\w+) \{(.*?)\n\}", text, flags=re.S)]
    known = {struct["name"] for struct in api["structs"]}
    api["opaque"] = [name for name in re.findall(r"typedef struct (\w+) \1;", text) if name not in known]
    api["callbacks"] = [{"name": name, "comment": words(comment), "result": result, "arguments": arguments(given)}
                        for comment, result, name, given in
                        re.findall(BEFORE + r"typedef (\w+) \(\*(\w+)\)\(([^)]*)\);", text)]
    api["functions"], said, end = [], "", 0
    for found in re.finditer(BEFORE + rf"ENGINE_API ([^(;]*?)\b(engine_\w+)\(([^)]*)\);[ ]*{COMMENT}?", text):
        before, result, name, given, after = found.groups()
        if before or after or text[end:found.start()].strip("\n ") or "\n\n" in text[end:found.start()]:
            said = words(before or after)  # else it is that of the functions before
        api["functions"].append({"name": name, "comment": said, "result": result.strip(), "arguments": arguments(given)})
        end = found.end()
    return api


def ask_compiler(api):
    """Adds sizes, offsets and values to api. Fails if a type of a member, an argument or a result is another one."""
    lines, slots = [], []

    def ask(target, key, expression):
        lines.append(f"print({expression});")
        slots.append((target, key))

    def same(a, b):
        lines.append(f'_Static_assert(__builtin_types_compatible_p({a}, {b}), "{b} is not {a}");'.replace("\n", " "))

    for constant in [*api["constants"], *(value for enum in api["enums"] for value in enum["values"])]:
        ask(constant, "value", constant["name"])
    for struct in api["structs"]:
        name = f'struct {struct["name"]}'
        ask(struct, "bytes", f"sizeof({name})")
        for member in struct["members"]:
            of = f'(({name} *)0)->{member["name"]}'
            ask(member, "offset", f'offsetof({name}, {member["name"]})')
            ask(member, "bytes", f"sizeof({of})")
            count = f'[{member["count"]}]' if member["count"] > 1 else ""
            same(f'{member["type"]}{count}', f"__typeof__({of})")
    for function in api["functions"]:
        given = ", ".join(argument["type"] for argument in function["arguments"]) or "void"
        same(f'{function["result"]}({given})', f'__typeof__({function["name"]})')
    source = """#include "engine.h"
#include <stdio.h>
static void print_double(double value) { printf("%.17g\\n", value); }
static void print_number(long long value) { printf("%lld\\n", value); }
static void print_text(const char *text) { printf("\\"%s\\"\\n", text); }
#define print(x) _Generic((x), double: print_double, char *: print_text, default: print_number)(x)
int main(void) {\n""" + "\n".join(lines) + "\nreturn 0; }\n"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "layout.c")
        path.write_text(source)
        subprocess.run([*os.environ.get("CC", "cc").split(), "-std=gnu11", "-w", "-I", ENGINE, path, "-o",
                        f"{folder}/layout"], check=True)
        given = subprocess.run([f"{folder}/layout"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for (target, key), line in zip(slots, given.splitlines(), strict=True):
        target[key] = json.loads(line)


def text_of(api):
    """Returns api as JSON, a line for each item: a diff shows what changed."""
    parts = ['{"about": "Made from engine/engine.h by tools/hosts/api/describe.py; do not edit. For 64 bits; size_t -1 is '
             'its largest number."']
    for key, values in api.items():
        parts.append(f'"{key}": [')
        for value in values:
            inner = next((name for name in ("values", "members", "arguments") if isinstance(value, dict) and value.get(name)), None)
            if inner:
                head = json.dumps({k: v for k, v in value.items() if k != inner}, ensure_ascii=False)
                rows = ",\n    ".join(json.dumps(item, ensure_ascii=False) for item in value[inner])
                parts.append(f'  {head[:-1]}, "{inner}": [\n    {rows}]}}')
            else:
                parts.append("  " + json.dumps(value, ensure_ascii=False))
            parts[-1] += "," if value is not values[-1] else "]"
    text = ",\n".join(parts)
    return re.sub(r"(\[|,),\n", r"\1\n", text) + "}\n"


def main():
    api = read_api()
    ask_compiler(api)
    files = {HERE / "engine.json": text_of(api), **languages.files(api, HERE.parent)}
    n_differ = 0
    for path, text in files.items():
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif old != text:
            n_differ += 1
            name = str(path.relative_to(HERE.parents[2]))
            diff = difflib.unified_diff(old.splitlines(), text.splitlines(), name, "engine.h", lineterm="", n=0)
            print("\n".join(list(diff)[:20]), file=sys.stderr)
    if n_differ:
        sys.exit("engine.h has changed: run tools/hosts/api/describe.py, and look at each host for what the change asks of it")


if __name__ == "__main__":
    main()
