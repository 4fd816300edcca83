#!/usr/bin/env python3
"""The mutants of a C file: copies with one operator, constant or returned value changed.

    tests/mutate/mutants.py FILE     one line each: FILE:LINE:COLUMN, what becomes what

A mutant is found in the text, not in the program: the compiler says later which of them are C, and
which are another program (mutate.py). Comments, strings, preprocessor lines, the sizes of declared
arrays and what an error message tells stay as they are.
"""

import re
import sys
from collections import namedtuple

# text[start:end] becomes after.
Mutant = namedtuple("Mutant", "start end after")

TOKEN = re.compile(
    r"""
    (?P<left>   /\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])+'
              | ^[ \t]*\#(?:\\\n|[^\n])* )
  | (?P<number> 0[xX][0-9a-fA-F.]+(?:[pP][-+]?\d+)?[uUlLfF]*
              | (?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[uUlLfF]* )
  | (?P<word>   [A-Za-z_]\w* )
  | (?P<sign>   -> | <<= | >>= | << | >> | \+\+ | -- | <= | >= | == | != | && | \|\| | \+= | -=
              | [^\s\w] )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

OTHERS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "!": "", "true": "false", "false": "true",
    "+=": "-=", "-=": "+=",
}  # fmt: skip
SIGNS = {"+": "-", "-": "+"}
KEYWORDS = {"return", "case", "else", "sizeof"}
MESSAGE = re.compile(r'\w+\(\s*error,.*"', re.DOTALL)


def is_operand(token):
    """Whether a + or - after it joins two values."""
    return token.lastgroup == "number" or (
        token.lastgroup == "word" and token.group() not in KEYWORDS) or token.group() in ")]"


def is_array_size(before):
    """Whether what follows these tokens is the size of an array that is declared: TYPE NAME [."""
    if len(before) < 3 or before[-1].group() != "[":
        return False
    return [token.lastgroup for token in before[-3:-1]] == ["word", "word"] and before[-3].group() not in KEYWORDS


def changed_number(number):
    """Integers by one, fractions by a thousandth, which no tolerance of a test should hide."""
    is_hex = number[:2] in ("0x", "0X")
    is_fraction = "." in number or ("p" in number if is_hex else "e" in number)
    return f"({number} * 1.001f)" if is_fraction else f"({number} + 1)"


def end_of_statement(tokens, i):
    return next(token.start() for token in tokens[i:] if token.group() == ";")


def find_mutants(text):
    tokens = [token for token in TOKEN.finditer(text) if token.lastgroup != "left"]
    message_end = 0
    for i, token in enumerate(tokens):
        word = token.group()
        if word == "return":
            end = end_of_statement(tokens, i)
            value = text[token.end() : end].strip()
            if value not in ("0", "true", "false", "NULL"):
                yield Mutant(token.start(), end, "return 0" if value else "")
            if MESSAGE.match(value):
                message_end = end
        elif token.start() < message_end:
            continue
        elif token.lastgroup == "number" and not is_array_size(tokens[max(0, i - 3) : i]):
            yield Mutant(token.start(), token.end(), changed_number(word))
        elif word in OTHERS:
            yield Mutant(token.start(), token.end(), OTHERS[word])
        elif word in SIGNS and i > 0 and is_operand(tokens[i - 1]):
            yield Mutant(token.start(), token.end(), SIGNS[word])


def place(text, mutant):
    """LINE:COLUMN, and what becomes what."""
    line = text.count("\n", 0, mutant.start) + 1
    column = mutant.start - text.rfind("\n", 0, mutant.start)
    before = " ".join(text[mutant.start : mutant.end].split())
    return f"{line}:{column}", f"{before} -> {mutant.after or 'nothing'}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    for mutant in find_mutants(text):
        where, change = place(text, mutant)
        print(f"{sys.argv[1]}:{where}\t{change}")


if __name__ == "__main__":
    main()
