#!/usr/bin/env python3
"""Where the reference tokenizer's Unicode data differ from utf8proc's: model/unicode/unicode_exceptions.h.

    exceptions.py table FILE... > model/unicode/unicode_exceptions.h   writes the table
    exceptions.py compare MEASURED > more-exceptions.txt         finds exceptions in what measure.js printed
    exceptions.py later >> more-exceptions.txt                   finds what later versions of Unicode assign
    exceptions.py patterns >> more-exceptions.txt                finds those of regular expressions (tokenizers of PyPI)

A FILE has lines "PROPERTY CODE VALUE [AGE]": the code point, in hexadecimal, or a range FIRST..LAST, has
this value in the reference and another one in utf8proc (libutf8proc.so.2 of Debian 12, Unicode 15). The
table is made from the list of exceptions that comes with the reference's cases, and more-exceptions.txt.
What Unicode 15 does not assign ("later", of unicodedata2 from PyPI) is unassigned with every utf8proc.
"""
import ctypes
import sys

# Property: the bit of model/unicode/unicode.h that it flips, and the general categories that have it in utf8proc.
FLAGS = {
    "ctl": ("UNICODE_CONTROL", "Cc Cf Co"),
    "punct": ("UNICODE_PUNCTUATION", "Pc Pd Ps Pe Pi Pf Po"),
    "mn": ("UNICODE_NONSPACING", "Mn"),
    "mark": ("UNICODE_MARK", "Mn Mc Me"),
    "word": ("UNICODE_WORD", "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl Pc"),
    "letter": ("UNICODE_LETTER", "Lu Ll Lt Lm Lo"),
    "number": ("UNICODE_NUMBER", "Nd Nl No"),
    "nfd": ("UNICODE_WHOLE", ""),
    "nfkd": ("UNICODE_WHOLE_COMPATIBLE", ""),
    "class": ("UNICODE_STARTER", ""),
    "later": ("UNICODE_LATER", ""),
    "capital": ("UNICODE_CAPITAL", "Lu Lt"),
    "small": ("UNICODE_SMALL", "Ll"),
    "joined": ("UNICODE_JOINED", "Mn Mc Me"),
}
PATTERNS = {"capital": r"[\p{Lu}\p{Lt}]", "small": r"\p{Ll}", "joined": r"\p{M}"}
SHORT = {bit: "".join(word[0] for word in bit.split("_")[1:]) for bit, _ in FLAGS.values()}
SHORT["UNICODE_NONSPACING"] = "NS"
SHORT["UNICODE_WHOLE"] = "WH"
SHORT["UNICODE_NUMBER"] = "NR"
SHORT["UNICODE_LATER"] = "N"
SHORT["UNICODE_CAPITAL"] = "UC"
SHORT["UNICODE_SMALL"] = "LC"
COMPARED = ("word", "number", "mark")


def code_points(text):
    first, _, last = text.partition("..")
    return int(first, 16), int(last or first, 16)


def read(paths):
    for path in paths:
        with open(path, encoding="ascii") as file:
            for line in file:
                words = line.split()
                if words and words[0] != "#":
                    yield words[0], *code_points(words[1]), words[2]


# ---- table ----

def flags_by_code(exceptions):
    flags = {}
    for name, first, last, _ in exceptions:
        if name in FLAGS:
            for code in range(first, last + 1):
                flags.setdefault(code, set()).add(FLAGS[name][0])
    return flags


def ranges(flags):
    first = last = None
    for code in sorted(flags):
        if last is not None and code == last + 1 and flags[code] == flags[first]:
            last = code
            continue
        if last is not None:
            yield first, last, flags[first]
        first = last = code
    yield first, last, flags[first]


def lower_ranges(lower):
    """Codes in a row that become codes in a row are one range."""
    found = []
    for code, to in lower:
        first, last, start = found[-1] if found else (0, 0, [0, 0])
        if code == last + 1 and len(to) == len(start) == 1 and to[0] - start[0] == code - first:
            found[-1] = first, code, start
        else:
            found.append((code, code, to))
    return found


def print_packed(items):
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > 100:
            print(line)
            line = "   "
        line += f" {item},"
    print(line)


HEAD = """/* unicode_exceptions.h - the code points whose Unicode data in the reference tokenizer (several
 * versions of Unicode, one for each property) differ from utf8proc's. A part of unicode.c, by
 *
 *     python3 tools/build/unicode/exceptions.py table ../shared/tokenizers/unicode-exceptions.txt \\
 *         tools/build/unicode/more-exceptions.txt > model/unicode/unicode_exceptions.h
 */
#ifndef MODEL_UNICODE_EXCEPTIONS_H
#define MODEL_UNICODE_EXCEPTIONS_H

#include <stdint.h>

/* Both tables are in the order of code points. */
struct unicode_exception {
    uint32_t first;
    uint16_t n;     /* code points from the first one on */
    uint16_t flips; /* enum unicode_property bits that differ */
};

struct unicode_lower_exception {
    uint32_t first, last;
    uint32_t to[2]; /* of the first, and so on; the second one is 0 if absent */
};
"""


def print_table(paths):
    exceptions = list(read(paths))
    flags = flags_by_code(exceptions)
    lower = sorted((first, [int(code, 16) for code in value.split(",")])
                   for name, first, _, value in exceptions if name == "lower")
    blocks = [0] * (0x110000 >> 8 >> 6)
    for code in list(flags) + [code for code, _ in lower]:
        blocks[code >> 14] |= 1 << (code >> 8 & 63)
    print(HEAD)
    print("/* clang-format off */\n\n/* Short names, so that the table is short. */\nenum {")
    print_packed(f"{name} = {bit}" for bit, name in SHORT.items())
    print("};\n")
    print("static const struct unicode_exception UNICODE_EXCEPTIONS[] = {")
    print_packed(f"{{0x{first:X}, {last - first + 1}, {' | '.join(sorted(SHORT[bit] for bit in bits))}}}"
                 for first, last, bits in ranges(flags))
    print("};\n\nstatic const struct unicode_lower_exception UNICODE_LOWER[] = {")
    print_packed(f"{{0x{first:X}, 0x{last:X}, {{{', '.join(f'0x{c:X}' for c in to)}}}}}"
                 for first, last, to in lower_ranges(lower))
    print("};\n\n/* Bit (code >> 8) is set if this block of 256 code points has an exception; the rest are zeros. */")
    print(f"static const uint64_t UNICODE_EXCEPTION_BLOCKS[{len(blocks)}] = {{")
    while blocks[-1] == 0:
        blocks.pop()
    print_packed(f"0x{block:X}" for block in blocks)
    print("};\n\n#endif")


# ---- later ----

def print_later():
    """Ranges of code points that a later Unicode assigns, and unassigned ones between them."""
    import unicodedata2
    library, start, last = load_utf8proc(), None, None
    print(f"# Assigned since Unicode 15, by Unicode {unicodedata2.unidata_version}")
    for code in range(0x110001):
        if code == 0x110000 or library.utf8proc_category_string(code) != b"Cn":
            if start is not None:
                print(f"later {start:X}{f'..{last:X}' if last > start else ''} 1")
            start = None
        elif unicodedata2.category(chr(code)) != "Cn":
            start, last = code if start is None else start, code


# ---- compare ----

class Property(ctypes.Structure):
    _fields_ = [("category", ctypes.c_int16), ("combining_class", ctypes.c_int16)]


def load_utf8proc():
    library = ctypes.CDLL("libutf8proc.so.2")
    library.utf8proc_category_string.restype = ctypes.c_char_p
    library.utf8proc_get_property.restype = ctypes.POINTER(Property)
    return library


def nfkd(library, code):
    buffer, last_class = (ctypes.c_int32 * 32)(), ctypes.c_int(0)
    n = library.utf8proc_decompose_char(code, buffer, 32, 2 | 4 | 16, ctypes.byref(last_class))
    return ",".join(f"{buffer[i]:X}" for i in range(n))


def was_measured(code):
    alike = 0x40000 <= code < 0xE0000 or code >= 0xF0000
    return not 0xD800 <= code < 0xE000 and not (alike and code % 64)


def differences(measured, library):
    codes = [code for code in range(0x110000) if was_measured(code)]
    for name in COMPARED:
        categories = FLAGS[name][1].split()
        for code in codes:
            ours = library.utf8proc_category_string(code).decode() in categories
            if ours != ((name, code) in measured):
                yield name, code, str(int(not ours))
    for code in codes:
        ours = library.utf8proc_get_property(code).contents.combining_class != 0
        if ours and ("class", code) not in measured and nfkd(library, code) == f"{code:X}":
            yield "class", code, "0"
    for code in codes:
        ours, theirs = nfkd(library, code), measured.get(("nfkd", code), f"{code:X}")
        if ours != theirs:
            assert theirs == f"{code:X}", "another decomposition: the table has no place for it"
            yield "nfkd", code, "itself"


def pattern_differences(library):
    import tokenizers
    for name, pattern in PATTERNS.items():
        splitter = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "removed")
        for code in range(0x110000):
            if 0xD800 <= code < 0xE000:
                continue
            theirs = splitter.pre_tokenize_str(chr(code)) == []
            if theirs != (library.utf8proc_category_string(code).decode() in FLAGS[name][1].split()):
                yield name, code, str(int(theirs))


def print_differences(path):
    measured = {(name, first): value for name, first, _, value in read([path])}
    print("# PROPERTY FIRST[..LAST] VALUE: exceptions beside those that come with the cases. Made by\n"
          "#     node tools/build/unicode/measure.js > measured; python3 tools/build/unicode/exceptions.py compare measured")
    print_runs(differences(measured, load_utf8proc()))


def print_runs(found):
    runs = []
    for name, code, value in found:
        if runs and runs[-1][0] == name and runs[-1][3] == value and runs[-1][2] == code - 1:
            runs[-1][2] = code
        else:
            runs.append([name, code, code, value])
    for name, first, last, value in runs:
        print(name, f"{first:X}" if first == last else f"{first:X}..{last:X}", value)


if __name__ == "__main__":
    if len(sys.argv) >= 3 and sys.argv[1] == "table":
        print_table(sys.argv[2:])
    elif len(sys.argv) == 3 and sys.argv[1] == "compare":
        print_differences(sys.argv[2])
    elif sys.argv[1:] == ["later"]:
        print_later()
    elif sys.argv[1:] == ["patterns"]:
        print("# In regular expressions of tokenizers")
        print_runs(pattern_differences(load_utf8proc()))
    else:
        sys.exit(__doc__)
