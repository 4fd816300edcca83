"""encode-plot as a user runs it: its numbers, sizes of its pictures, and texts that must not be obeyed; test_plot.sh
runs it in a folder of its own, with toy.weights there. tests/cli/plot/ has words, titles and messages."""
import math
import os
import re
import shutil
import struct
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from programs import Skipped, close, run, run_tests  # noqa: E402

T, D, K = 3, 8, 4  # of the model whose steps are looked into
PICTURES = [
    "position",
    "position --kind waves --width 32 --dims 6,7,8,9 -n 60",
    "position --kind correlation",
    "position --kind distance --width 20",
    "position --position binary --width 8 -n 32 --beside sinusoidal",
    "attention 'I ride bike'",
    "attention 'I ride bike' --head 1",
    "attention 'I ride bike' --rollout",
    "words 'I ride bike' 'bike ride I'",
    "words 'dog'",
    "layers 'I ride bike'",
    "order 'I ride bike'",
    "similarity 'I ride bike' 'bike ride I' dog",
    "words --fit each 'I ride bike' 'bike ride I'",
]
HOSTILE = ["`touch HACKED`", "$(touch HACKED)", '" ; system("touch HACKED") ; "', "'; !touch HACKED", "@x $x %d %s %n",
           '\\"', "a\nEND_OF_PANEL\n!touch HACKED\n", "{/Bold=99 x}_^", "\\140touch HACKED\\140", "<tspan>&amp;</svg>",
           "set output 'HACKED'", b"\xff\xfe bad", "\x1b]0;x\x07", '## "a\tb" #', "桜 naïve"]


class Table:
    def __init__(self, text):
        head, *rows = [line.split("\t") for line in text.split("\n")]
        self.columns, self.names = head[1:], [row[0] for row in rows]
        self.rows = [[float(number) for number in row[1:]] for row in rows]
        assert all(len(row) == len(self.columns) for row in self.rows)

    def at(self, row, column):
        return self.rows[self.names.index(row)][self.columns.index(column)]


def tables(command):
    """(title, table) of each table that `plot COMMAND -f data` writes."""
    parts = re.split(r"^# table [^:\n]*:? ?", run(f"plot {command} -f data").stdout.decode(), flags=re.MULTILINE)
    return [(part.split("\n")[0], Table(part[part.index("name\t"):].split("\n\n")[0].rstrip("\n")))
            for part in parts if re.search("^name\t", part, re.MULTILINE)]


def table(command, index=0):
    return tables(command)[index][1]


def needs_gnuplot():
    if not shutil.which("gnuplot"):
        raise Skipped("gnuplot is not there")


def test_positions():
    rows = table("position --width 100").rows
    assert len(rows) == 100 and len(rows[0]) == 100
    for p, row in enumerate(rows):
        for i, value in enumerate(row):
            close(value, (math.cos if i % 2 else math.sin)(p / 10000 ** (i // 2 * 2 / 100)), 1e-6)
        close(math.hypot(*row), 7.0710678, 1e-5)
    distance = table("position --width 100 --kind distance").rows
    close(distance[70][72], 3.2668781, 1e-5)
    close(distance[5][5], 0, 0)
    correlation = table("position --width 100 --kind correlation").rows
    close(correlation[34][34], 50, 1e-4)
    close(correlation[3][9], correlation[9][3], 0)
    close(table("position --width 100 --kind cosine").rows[34][34], 1, 1e-6)
    waves = table("position --width 512 --kind waves")
    assert len(waves.rows) == 8
    close(waves.rows[waves.names.index("dim 64")][10], math.sin(10 / 10000 ** 0.125), 1e-6)
    binary = table("position --width 6 -n 40 --position binary").rows
    assert len(binary) == 40 and binary[35][5] == 1 and binary[35][2] == 0


def check_map(rows, n, n_visible, is_causal):
    assert len(rows) == n and len(rows[0]) == n
    for i, row in enumerate(rows):
        close(sum(row), i < n_visible, 1e-6 if i < n_visible else 0)
        for j, weight in enumerate(row):
            hidden = max(i, j) >= n_visible or is_causal and j > i
            assert not hidden or weight == 0, f"{i} looks at {j}: {weight}"


def test_attention():
    for asked in ("--head 1", "--head 2 --layer 2", "--head mean", "--rollout", "--rollout --layer 1"):
        check_map(table(f"attention 'I ride bike' {asked}").rows, 5, 5, False)
        check_map(table(f"attention 'I ride bike' --mask causal {asked}").rows, 5, 5, True)
    both = tables("attention 'I ride bike'")
    for _, head in both:
        check_map(head.rows, 5, 5, False)
    assert len(both) == 2 and both[0][1].names[0] == "[CLS]"


def test_rollout():
    """R = (0.5 A2 + 0.5 I)(0.5 A1 + 0.5 I) from the maps of the heads."""
    layers = []
    for layer in (1, 2):
        heads = [table(f"attention 'I ride bike' --layer {layer} --head {head}").rows for head in (1, 2)]
        layers.append([[0.25 * (heads[0][i][j] + heads[1][i][j]) + 0.5 * (i == j) for j in range(5)] for i in range(5)])
    rolled = table("attention 'I ride bike' --rollout").rows
    for i in range(5):
        for j in range(5):
            close(rolled[i][j], sum(layers[1][i][k] * layers[0][k][j] for k in range(5)), 1e-12)


def test_windows_and_titles():
    """A window of one token; the title names what attention knows of positions."""
    run("new -o kind.weights --layers 1 --width 16 --heads 4 --position none --set attention_position=rotary "
        "--set window=1 --set key_value_heads=2")
    heads = tables("attention -m kind.weights 'I ride bike dog'")
    assert len(heads) == 4 and "with rotary positions" in run(
        "plot attention -m kind.weights 'I ride bike dog' -f data").stdout.decode()
    for _, head in heads:
        for i, row in enumerate(head.rows):
            close(sum(row), 1, 1e-6)
            assert len(row) == 4 and all((weight > 0) == (abs(i - j) <= 1) for j, weight in enumerate(row))
    assert b"with rotary positions" in run("plot order -m kind.weights 'I ride bike' -f data").stdout


def test_words():
    """Without positions another order gives the same points; with positions it does not."""
    found = [part for _, part in tables("words 'I ride bike dog' 'dog bike I ride'")]
    moved = 0
    for row in (0, 1):
        one, other = found[4 * row], found[4 * row + 1]
        for name in one.names:
            far = math.dist(one.rows[one.names.index(name)], other.rows[other.names.index(name)])
            moved = max(moved, far)
            assert row or far <= 1e-9
    assert moved > 0.1
    close(found[2].at("ride", "dog"), found[3].at("ride", "dog"), 1e-9)  # in all dimensions
    at = [table(f"words 'I ride' --position sinusoidal --position-scale {scale}", 1).rows[0][1] for scale in (0, 1, 10)]
    close(table("words 'I ride' --position none", 1).rows[0][1], at[0], 1e-9)
    assert at[2] > at[1]


def test_order():
    order = table("order 'I ride bike dog' -p mean")
    assert len(order.rows) == 23 and len(order.columns) == 2 and len(set(order.names)) == 23
    assert all(row[0] > 1e-3 and abs(row[1]) <= 1e-5 for row in order.rows)
    assert [row[0] for row in order.rows] == sorted(row[0] for row in order.rows)


def steps(options, is_causal):
    """The tables of a model's steps, by title; softmax(q·kᵀ/√K)·v of each head of layer 1 is as they say."""
    run("new -o steps.weights --words 'I ride bike' --width 8 --heads 2 --layers 2 --feed-forward 5 --max-tokens 9 " +
        options)
    found = {title: part.rows for title, part in tables("steps -m steps.weights 'I ride bike'")}
    found = {re.sub(r"^.*(?=layer \d: )", "", title): rows for title, rows in found.items()}
    qkv = found["layer 1: queries, keys, values"]
    for h in range(2):
        attention = found[f"layer 1: attention, head {h + 1}"]
        columns = range(h * K, (h + 1) * K)
        for i in range(T):
            weights = [math.exp(sum(qkv[i][c] * qkv[j][D + c] for c in columns) / math.sqrt(K))
                       for j in range(i + 1 if is_causal else T)]
            for j in range(T):
                close(attention[i][j], weights[j] / sum(weights) if j < len(weights) else 0, 1e-5)
            for c in columns:
                close(found["layer 1: heads"][i][c], sum(attention[i][j] * qkv[j][2 * D + c] for j in range(T)), 1e-5)
    return found


def test_steps():
    """What is inside the layers fits together, and their outputs are those that encode gives. The parameters themselves
    are multiplied in tests/tools/lesson/."""
    post = steps("--activation relu", False)
    assert post["layer 2: norm of feed-forward"] == post["layer 2: output"]
    assert min(min(row) for row in post["layer 1: middle of feed-forward"]) >= 0
    line = run("encode -m steps.weights -f csv 'I ride bike'").stdout.decode().split("\n")[1]
    close(float(line.split(",")[8]), post["layer 2: output"][0][0], 1e-7)
    pre = steps("--norm-place pre --gate second --mask causal", True)  # the residual runs past the norms
    assert pre["layer 1: feed-forward + residual"] == pre["layer 1: output"]


def size_of(path):
    """Pixels, or points of a PDF."""
    data = open(path, "rb").read()
    assert len(data) > 500
    if path.endswith("png"):
        assert data.startswith(b"\x89PNG\r\n\x1a\n") and data[-8:-4] == b"IEND"
        return struct.unpack(">II", data[16:24])
    if path.endswith("svg"):
        assert b"</svg>" in data
        return tuple(map(float, re.search(rb'width="([\d.]+)" height="([\d.]+)"', data).groups()))
    assert data.startswith(b"%PDF")
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL):  # cairo 1.18 keeps pages in them
        try:
            data += zlib.decompressobj().decompress(stream)
        except zlib.error:
            pass
    return tuple(map(float, re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", data).groups()))


def check_size(path, width, height, within=0.6):
    got = size_of(path)
    close(got[0], width, within)
    close(got[1], height, within)


def test_pictures():
    needs_gnuplot()
    if os.environ.get("SANITIZE"):
        raise Skipped("a sanitizer finds nothing more here, slowly")
    for picture in PICTURES:
        for end, unit in (("png", 1), ("svg", 1), ("pdf", 0.75)):
            done = run(f"plot {picture} -o out.{end} --size 660x480")
            assert not done.stdout and not done.stderr
            check_size(f"out.{end}", 660 * unit, 480 * unit)
        run(f"plot {picture} -o a.pdf")  # the default fits a page of A4
        width, height = size_of("a.pdf")
        assert 100 <= width <= 460 and 70 <= height <= 640
        text = run(f"plot {picture}").stdout
        assert len(text) > 50 and b"\x1b" not in text and b"\f" not in text
    run("plot attention 'I ride' -o a.pdf --size 600x400")
    check_size("a.pdf", 450, 300)


def test_which_way_is_up():
    """Texts and orders begin at the top, layers at the bottom."""
    needs_gnuplot()
    for picture, above, below in (("similarity dog cat ride", ">dog</text>", ">cat</text>"),
                                  ("order 'I ride bike'", ">I bike ride</text>", ">bike ride I</text>"),
                                  ("layers 'I ride bike'", ">layer 2</text>", ">layer 1</text>")):
        svg = run(f"plot {picture} -f svg").stdout.decode()
        heights = [float(re.findall(r"translate\([\d.]+,([\d.]+)\)", svg[:svg.index(text)])[-1])
                   for text in (above, below)]
        assert heights[0] < heights[1], picture


def test_hostile_texts():
    """What a shell, gnuplot, SVG or a terminal would obey stays text in names, titles and names of files."""
    needs_gnuplot()
    for text in HOSTILE:
        run('plot similarity "$HOSTILE" "I ride" -o h.svg', HOSTILE=text)
        run('plot similarity "$HOSTILE" "I ride" -o "$PWD/h.png" && plot similarity "$HOSTILE" "I ride"', HOSTILE=text)
        run('plot order "$HOSTILE ride" -o h.pdf', HOSTILE=text)
        words = run('plot words "$HOSTILE" ride', None, HOSTILE=text)
        assert words.returncode == 0 or b"no words" in words.stderr  # marks alone are no words
        run('plot words "dog $HOSTILE" "ride $HOSTILE" -o h.svg', HOSTILE=text)
    assert "桜" in open("h.svg", encoding="utf-8").read()
    run("cp toy.weights './we`touch HACKED`ird.weights'")
    run("plot attention -m './we`touch HACKED`ird.weights' 'I ride' -o h.svg")
    assert not os.path.exists("HACKED")


def test_without_gnuplot():
    """Maps and dots need none."""
    assert b"bike" in run("PATH=absent plot attention 'I ride bike' --head 1").stdout
    assert b"ride I bike" in run("PATH=absent plot order 'I ride bike'").stdout


run_tests(globals())
