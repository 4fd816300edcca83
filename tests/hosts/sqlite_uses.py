"""Uses of the extension of SQLite, as people have them: python3 sqlite_uses.py PROGRAMS FOLDER.

Prints "ok: NAME", "skipped: WHY" or what is wrong for each; the exit code is 1 if anything is.
"""
import contextlib
import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import threading
import time

import numpy

PROGRAMS, FOLDER = sys.argv[1:3]
EXTENSION = os.environ["ENCODE_SQLITE"]
MODEL = os.environ["ENCODE_MODEL"]
SLOWNESS = 20 if "LD_PRELOAD" in os.environ else 1  # with a sanitizer
ROWS = int(os.environ.get("HOSTS_ROWS", 20000 // SLOWNESS))
WORDS = "dog cat bike river house song paper train cloud bread stone garden".split()


class Skip(Exception):
    pass


def connect(path=":memory:", **options):
    db = sqlite3.connect(path, isolation_level=None, timeout=600, **options)
    db.enable_load_extension(True)
    db.load_extension(EXTENSION)
    db.execute("PRAGMA synchronous = OFF")  # no test cuts the power
    return db


def one(db, sql, *values):
    return db.execute(sql, values).fetchone()[0]


def command(texts, *options):
    """Vectors of the command, one row of bytes for each line."""
    path = os.path.join(FOLDER, "command.npy")
    text = b"".join(line + b"\n" for line in texts)
    subprocess.run([os.path.join(PROGRAMS, "encode"), "-p", "model", "-f", "npy", "-o", path, *options],
                   input=text, check=True, capture_output=True)
    return [row.tobytes() for row in numpy.load(path)]


def random_model(name, *options):
    path = os.path.join(FOLDER, name)
    if not os.path.exists(path):
        subprocess.run([os.path.join(PROGRAMS, "encode-new"), "-o", path, *options, "--words", " ".join(WORDS)],
                       check=True, capture_output=True)
    return path


def fails(words, db, sql, *values):
    """The statement fails with these words, and the connection is as good as before."""
    try:
        db.execute(sql, values).fetchall()
    except sqlite3.Error as error:
        assert words in str(error), f"{sql}: {error}"
    else:
        raise AssertionError(f"{sql} did not fail")
    assert one(db, "SELECT 1") == 1


def sentence(i):
    return " ".join(WORDS[i // len(WORDS) ** k % len(WORDS)] for k in range(5))


def fused_search():
    """FTS5 finds words, vectors find meanings; reciprocal ranks join both."""
    db = connect()
    texts = ["the invoice number is AX-4411", "she rides her bicycle to the office", "bread is baked at night",
             "a cyclist on the road to work", "payment for order AX-4411 is late", "the cat sleeps on the piano"]
    db.execute("CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT, vector BLOB AS (encode(body, 'document')) STORED)")
    db.execute("CREATE VIRTUAL TABLE words USING fts5(body, content=notes, content_rowid=id)")
    db.executemany("INSERT INTO notes(body) VALUES (?)", [(text,) for text in texts])
    db.execute("INSERT INTO words(words) VALUES ('rebuild')")
    sql = """WITH by_word AS (SELECT rowid AS id, row_number() OVER (ORDER BY rank) AS r FROM words WHERE words MATCH :word),
        by_meaning AS (SELECT id, row_number() OVER (ORDER BY encode_cosine(vector, encode(:query, 'query')) DESC) AS r
            FROM notes)
        SELECT id FROM by_meaning LEFT JOIN by_word USING (id)
        ORDER BY 1.0 / (60 + by_meaning.r) + coalesce(1.0 / (60 + by_word.r), 0) DESC LIMIT 2"""
    found = [row[0] for row in db.execute(sql, {"word": '"AX-4411"', "query": "who goes to work by bike"})]
    assert found[0] in (1, 5), found  # the word
    found = [row[0] for row in db.execute(sql, {"word": "nothing", "query": "who goes to work by bike"})]
    assert set(found) == {2, 4}, found  # the meaning alone


def as_the_file_says():
    """encode_rank: metrics, prompts of roles, two labels, a limit that cuts; a classifier has no vectors."""
    texts = ["dog cat bike", "house song", "river dog dog dog dog dog dog"]
    kinds = {"dot": ["--normalize", "no", "--metadata", "similarity=dot", "--metadata", "prompt.query=song ",
                     "--metadata", "prompt.passage=paper "],
             "pairs": ["--labels", "no,yes", "--metadata", "cross_encoder=yes", "--max-tokens", "6", "--truncate", "yes",
                       "--metadata", "prompt.ask=song ", "--metadata", "default_prompt=ask"],
             "labels": ["--labels", "no,yes"]}
    for name, options in kinds.items():
        path = random_model(name, "--width", "8", "--layers", "1", *options)
        db = connect()
        model = json.loads(one(db, "SELECT encode_open(?)", path))
        assert model["similarity"] == ("dot" if name == "dot" else "cosine"), model
        if name != "dot":
            fails("'no', 'yes'", db, "SELECT encode('dog')")
            assert model["width"] == 0, model
        if name == "labels":
            fails("does not rank them", db, "SELECT encode_rank('dog', 'cat')")
            continue
        rows = subprocess.run([os.path.join(PROGRAMS, "encode"), "-m", path, "--rank", "dog", "--in-order", "-f", "json",
                               *texts], check=True, capture_output=True).stdout.splitlines()
        expected = [json.loads(row)["score"] for row in rows]
        found = [one(db, "SELECT encode_rank('dog', ?)", text) for text in texts]
        assert numpy.array_equal(numpy.float32(found), numpy.float32(expected)), (name, found, expected)


def sqlite_vec():
    """vec0 takes vectors by their subtype, and finds what all cosines find."""
    try:
        import sqlite_vec as package
    except ImportError:
        raise Skip("no sqlite-vec here (sh tools/setup.sh hosts)") from None
    db = connect()
    package.load(db)
    assert one(db, "SELECT subtype(encode('x'))") == 223
    assert one(db, "SELECT vec_length(encode('x'))") == 256
    db.execute("CREATE VIRTUAL TABLE vectors USING vec0(vector float[256] distance_metric=cosine)")
    db.executemany("INSERT INTO vectors(rowid, vector) VALUES (?, encode(?))", [(i, sentence(7 * i)) for i in range(300)])
    found = db.execute("SELECT rowid FROM vectors WHERE vector MATCH encode('a dog by the river') AND k = 5").fetchall()
    expected = db.execute("SELECT rowid FROM vectors ORDER BY encode_cosine(vector, encode('a dog by the river')) DESC "
                          "LIMIT 5").fetchall()
    assert found == expected, (found, expected)


def schema():
    """Generated columns, indices on expressions, checks and triggers, also in schemas that are not trusted."""
    db = connect(os.path.join(FOLDER, "schema.db"))
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("CREATE TABLE t(body TEXT, stored BLOB AS (encode(body)) STORED, made BLOB AS (encode(body)))")
    db.execute("CREATE INDEX by_vector ON t(encode(body, 'query'))")
    db.executemany("INSERT INTO t(body) VALUES (?)", [(sentence(i),) for i in range(200)] + [(None,)])
    assert one(db, "SELECT count(*) FROM t WHERE stored = made AND stored = encode(body)") == 200
    plan = str(db.execute("EXPLAIN QUERY PLAN SELECT body FROM t WHERE encode(body, 'query') = encode(?, 'query')",
                          (sentence(11),)).fetchall())
    assert "USING INDEX by_vector" in plan, plan
    assert one(db, "SELECT body FROM t WHERE encode(body, 'query') = encode(?, 'query')", sentence(11)) == sentence(11)
    db.execute("CREATE TABLE log(token TEXT)")
    db.execute("CREATE TRIGGER words AFTER UPDATE ON t BEGIN INSERT INTO log SELECT token FROM encode_tokens(new.body); END")
    db.execute("UPDATE t SET body = 'dog' WHERE rowid = 1")
    assert [row[0] for row in db.execute("SELECT token FROM log")] == ["[CLS]", "dog", "[SEP]"]
    assert one(db, "SELECT stored = encode('dog') FROM t WHERE rowid = 1") == 1
    db.execute("CREATE VIEW opens AS SELECT encode_open('x')")
    fails("unsafe use of encode_open", db, "SELECT * FROM opens")
    assert one(db, "PRAGMA integrity_check") == "ok"


def many_rows():
    """A table of ROWS rows in one statement, against the command's vectors of the same texts."""
    db = connect(os.path.join(FOLDER, "many.db"))
    db.execute("BEGIN")
    db.execute("CREATE TABLE source(i INTEGER PRIMARY KEY, body TEXT)")
    db.executemany("INSERT INTO source VALUES (?, ?)", [(i, sentence(i)) for i in range(ROWS)])
    db.execute("COMMIT")
    start = time.monotonic()
    db.execute("CREATE TABLE many AS SELECT i, body, encode(body) AS vector FROM source")
    seconds = time.monotonic() - start
    start = time.monotonic()
    expected = command([sentence(i).encode() for i in range(ROWS)], "--threads", "1")
    print(f"{ROWS} rows: {ROWS / seconds:.0f} a second; the command on one thread {ROWS / (time.monotonic() - start):.0f}")
    assert [row[0] for row in db.execute("SELECT vector FROM many ORDER BY i")] == expected


def insert_rows(path, first, done):
    with contextlib.closing(connect(path)) as db:
        for i in range(first, first + 150):
            db.execute("INSERT INTO t VALUES (?)", (sentence(i),))
        done.put(one(db, "SELECT encode_model() ->> 'checksum'"))


def two_processes():
    """Two processes write into one database while this one reads; generated columns and the index agree."""
    path = os.path.join(FOLDER, "shared.db")
    context = multiprocessing.get_context("spawn")
    done = context.Queue()
    with contextlib.closing(connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE t(body TEXT, vector BLOB AS (encode(body)) STORED)")
        db.execute("CREATE INDEX by_vector ON t(encode(body))")
        writers = [context.Process(target=insert_rows, args=(path, 1000 * k, done)) for k in range(2)]
        for writer in writers:
            writer.start()
        while any(writer.is_alive() for writer in writers):
            assert one(db, "SELECT count(*) FROM t WHERE vector <> encode(body)") == 0
        assert done.get(timeout=600) == done.get(timeout=600)
        assert one(db, "SELECT count(*) FROM t WHERE vector = encode(body)") == 300
        assert one(db, "PRAGMA integrity_check") == "ok"


def threads():
    """A connection in each thread; they share the mapped file."""
    texts = [sentence(31 * i) for i in range(300 // SLOWNESS)]
    expected = command([text.encode() for text in texts])
    wrong = []

    def work():
        with contextlib.closing(connect()) as db:
            for text, vector in zip(texts, expected):
                if one(db, "SELECT encode(?)", text) != vector:
                    wrong.append(text)
    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong, wrong[:3]


def n_maps(path):
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return sum(os.path.realpath(path) in line for line in maps)


def one_model():
    """One map for the connections of a process; a connection keeps its model, also when it loads the extension again."""
    other = random_model("other.weights", "--layers", "1", "--width", "32")
    before = n_maps(MODEL)
    assert before == 0, "an earlier test left its connections open"
    first, second = connect(), connect()
    for db in (first, second):
        one(db, "SELECT encode('x')")
    assert n_maps(MODEL) == 1
    first.load_extension(EXTENSION)
    one(first, "SELECT load_extension(?)", EXTENSION)
    fails("open it in a new connection", first, "SELECT encode_open(?)", other)
    assert json.loads(one(first, "SELECT encode_open(?)", MODEL)) == json.loads(one(first, "SELECT encode_model()"))
    third = connect()
    model = json.loads(one(third, "SELECT encode_open(?)", other))
    assert model["width"] == 32 and one(third, "SELECT length(encode('dog'))") == 128
    checksum = one(first, "SELECT encode_model() ->> 'checksum'")
    fourth = connect()
    fails(f"checksum {model['checksum']}, not '{checksum}'", fourth, "SELECT encode_open(?, ?)", other, checksum)
    one(fourth, "SELECT encode_open(?, ?)", MODEL, checksum)
    for db in (first, second, third, fourth):
        db.close()
    assert n_maps(MODEL) == 0 and n_maps(other) == 0


def interrupt():
    """sqlite3_interrupt ends a call that would take minutes, and the connection goes on."""
    db = connect(check_same_thread=False)
    one(db, "SELECT encode_open(?)", random_model("slow.weights", "--layers", "24", "--width", "256", "--heads", "4",
                                                  "--max-tokens", "8192", "--position", "sinusoidal"))
    long = "dog " * (2000 if SLOWNESS > 1 else 8000)
    for sql in ("SELECT encode(?)", "SELECT encode_rank('dog', ?)", "SELECT sum(length(vector)) FROM encode_windows(?)"):
        start = time.process_time()
        one(db, sql, long[:len(long) // 8])  # far less than an eighth of the work
        part, begun = time.process_time() - start, []
        timer = threading.Timer(0.5, lambda: (begun.append(time.process_time()), db.interrupt()))
        timer.start()
        try:
            one(db, sql, long)
            raise AssertionError("it ended before it was interrupted")
        except sqlite3.OperationalError as error:
            assert str(error) == "interrupted", error
        assert time.process_time() - begun[0] < 5 * part, "it was interrupted late"
        assert one(db, "SELECT length(encode('dog'))") == 1024


def odd_texts():
    """Bytes that are no UTF-8, NUL bytes, numbers, long texts: as the command has them."""
    db = connect()
    texts = [b"", b"\xff\xfeA", b"a\x80dog", b"dog\xe2\x82", "Straße 日本 😀".encode(), b"dog " * 2000]
    for text, vector in zip(texts, command(texts)):
        assert one(db, "SELECT encode(CAST(? AS TEXT))", text) == vector, text[:20]
    assert one(db, "SELECT encode(CAST(x'646f6700636174' AS TEXT)) <> encode('dog')") == 1
    assert one(db, "SELECT encode(42) = encode('42')") == 1
    assert one(db, "SELECT encode(?)", "dog\U0001f600") == command(["dog\U0001f600".encode()])[0]
    wide = connect()
    wide.execute("PRAGMA encoding = 'UTF-16'")
    wide.execute("CREATE TABLE t AS SELECT 'Straße 日本' AS body")
    assert one(wide, "SELECT encode(body) FROM t") == command(["Straße 日本".encode()])[0]
    for sql in ("SELECT encode(NULL)", "SELECT encode('x', NULL)", "SELECT encode_cosine(NULL, encode('x'))",
                "SELECT encode_rank('x', NULL)", "SELECT max(token) FROM encode_tokens(NULL)",
                "SELECT max(begin) FROM encode_windows('x', NULL)", "SELECT max(begin) FROM encode_spans('x', NULL)",
                "SELECT max(begin) FROM encode_spans(NULL, '[]')", "SELECT max(begin) FROM encode_spans('x', ' [ ] ')"):
        assert one(db, sql) is None, sql


def wrong_arguments():
    db = connect()
    fails("a blob is not text", db, "SELECT encode(x'41')")
    fails("a blob is not text", db, "SELECT encode(encode('x'))")
    fails("a blob is not text", db, "SELECT * FROM encode_tokens(x'41')")
    fails("a blob is not text", db, "SELECT * FROM encode_tokens('a', x'74657874')")
    fails("unknown role 'find'", db, "SELECT encode('x', 'find')")
    fails("roles are text", db, "SELECT * FROM encode_windows('x', 5, 'find')")
    fails("not a number from 1", db, "SELECT * FROM encode_windows('x', 'many')")
    fails("not a number from 1", db, "SELECT * FROM encode_windows('x', -1)")
    fails("leaves no room", db, "SELECT * FROM encode_windows('x', 1)")
    fails("the spans are missing", db, "SELECT * FROM encode_spans('a dog')")
    fails("roles are text", db, "SELECT * FROM encode_spans('a dog', '[[0, 1]]', 'find')")
    for spans in ("", "0", "{}", "[", "[[0, 1]", "[[0, 1],]", "[[0, 1]]]", "[[1, 0]]", "[[0, 6]]", "[[-1, 1]]", "[[0, 1.0]]",
                  "[[0]]", "[[0, 1, 2]]", "[0, 1]", "[[0, 99999999999999999999999]]", "[[0, 1]] x", "[[0, 1] [2, 3]]"):
        fails("expected spans as [[0, 6], [7, 11]]", db, "SELECT * FROM encode_spans('a dog', ?)", spans)
    fails("requires two blobs", db, "SELECT encode_cosine(encode('x'), x'0000803f')")
    fails("requires two blobs", db, "SELECT encode_cosine('[1, 2]', '[1, 2]')")
    fails("wrong number of arguments", db, "SELECT encode()")
    fails("too many arguments", db, "SELECT * FROM encode_tokens('x', 'text', 1)")
    fails("the text is missing", db, "SELECT * FROM encode_windows")
    fails("NULL", db, "SELECT encode_open(NULL)")
    fails("cannot open", db, "SELECT encode_open('/no/such.weights')")
    fails("has a NUL", db, "SELECT encode_open(? || char(0) || 'x')", MODEL)
    cut = os.path.join(FOLDER, "cut.weights")
    with open(MODEL, "rb") as whole, open(cut, "wb") as part:
        part.write(whole.read(100000))
    fails("encode_open: ", db, "SELECT encode_open(?)", cut)
    assert one(db, "SELECT length(encode('x'))") == 1024
    assert one(db, "SELECT encode_cosine(x'', x'')") == 0


def windows():
    """A long text is indexed by one statement, with the command's vectors and spans."""
    db = connect()
    text = " ".join(sentence(i) for i in range(0, 3000, 17))
    db.execute("CREATE TABLE docs(id INTEGER PRIMARY KEY, body TEXT)")
    db.execute("INSERT INTO docs(body) VALUES (?), ('short')", (text,))
    db.execute("CREATE TABLE pieces AS SELECT id, w.begin, w.end, w.part, w.vector FROM docs, encode_windows(body, 64) w")
    rows = db.execute("SELECT begin, end, part, vector FROM pieces WHERE id = 1 ORDER BY begin").fetchall()
    assert [row[3] for row in rows] == command([text.encode()], "--on-long", "chunk", "--max-tokens", "64")
    assert len(rows) > 5 and all(text.encode()[begin:end].decode() == part for begin, end, part, _ in rows)
    assert rows[0][0] == 0 and rows[-1][1] == len(text)
    assert one(db, "SELECT count(*) FROM pieces WHERE id = 2") == 1
    assert one(db, "SELECT count(*) FROM encode_tokens(?)", text) > 512
    tokens = db.execute("SELECT token, id, begin, end FROM encode_tokens('I ride bike')").fetchall()
    assert tokens == [("[CLS]", 2, None, None), ("i", 51, 0, 1), ("ride", 4315, 2, 6), ("bike", 4286, 7, 11),
                      ("[SEP]", 3, None, None)], tokens
    assert db.execute("SELECT count(*) FROM encode_tokens('dog') WHERE text = 'cat'").fetchone() == (0,)
    ranked = subprocess.run([os.path.join(PROGRAMS, "encode"), "--rank", "who rides?", "-f", "json"], input="I ride bike\n",
                            capture_output=True, text=True, check=True).stdout
    score = one(db, "SELECT encode_rank('who rides?', 'I ride bike')")
    assert f"{score:.5f}" in ranked or f"{score:.4f}" in ranked, (score, ranked)
    assert one(db, "SELECT encode_rank('who rides?', ' ')") == one(db, "SELECT encode_rank('', 'I ride')") == -1


def spans():
    """Vectors of spans from one pass over their text, as encode --spans gives them."""
    db = connect()
    text, places = "I ride bike by the naïve sea", [[0, 6], [7, 11], [0, 29], [19, 25], [6, 7]]
    line = json.dumps({"text": text, "spans": places}).encode()
    expected = command([line], "--spans", "--input", "jsonl")
    assert len(expected) == len(places) and len(set(expected)) == len(places)
    rows = db.execute("SELECT begin, end, part, vector FROM encode_spans(?, ?)", (text, json.dumps(places))).fetchall()
    assert [row[3] for row in rows] == expected
    assert [[begin, end] for begin, end, _, _ in rows] == places
    assert all(text.encode()[begin:end].decode() == part for begin, end, part, _ in rows)
    db.execute("CREATE TABLE sentences AS SELECT 0 AS begin, 6 AS end UNION ALL SELECT 7, 11")
    assert one(db, "SELECT vector FROM encode_spans(?, (SELECT json_group_array(json_array(begin, end)) FROM sentences))"
                   " WHERE begin = 7", text) == expected[1]


def main():
    wrong = 0
    for test in (one_model, fused_search, as_the_file_says, sqlite_vec, schema, windows, spans, odd_texts, wrong_arguments, threads,
                 two_processes, interrupt, many_rows):
        start = time.monotonic()
        try:
            test()
            print(f"ok: {test.__name__} ({time.monotonic() - start:.1f} s)")
        except Skip as why:
            print(f"skipped: {why}")
        except Exception as error:  # a line for each, and the next
            import traceback
            traceback.print_exc()
            print(f"FAILED: {test.__name__}: {error!r}")
            wrong += 1
        sys.stdout.flush()
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
