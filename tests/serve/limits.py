"""What one client of encode-serve can do to others: see test_limits.sh."""
import contextlib
import json
import os
import re
import resource
import select
import signal
import socket
import subprocess
import threading
import time
import unittest

from server import FOLDER, PATIENCE, PROGRAMS, Server, await_true, make_models, program, request, run_all, write

OPENAI = "/v1/embeddings"
SMALL = {"model": "plain", "input": "a"}


def statuses(data):
    """Returns the statuses in what came back over a connection."""
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+)", data)]


def is_blocked(pid, number):
    """Returns whether a process has blocked a signal, which it then waits for."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"^SigBlk:\s+(\w+)", file.read(), re.M)[1], 16) >> (number - 1) & 1


def make_slow():
    """Makes a tokenizer of which each letter a becomes 384."""
    grow = [{"type": "Replace", "pattern": {"String": "a"}, "content": "a" * n} for n in (8, 8, 6)]
    write(f"{FOLDER}/tokenizer.json", json.dumps({
        "version": "1.0", "added_tokens": [], "normalizer": {"type": "Sequence", "normalizers": grow},
        "pre_tokenizer": {"type": "Whitespace"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "a": 1, "##a": 2}}}))
    program("encode-import", "--tokenizer-only", f"{FOLDER}/tokenizer.json", "-o", f"{FOLDER}/slow.weights")


def read_all(connection):
    data = b""
    with contextlib.suppress(OSError):
        while part := connection.recv(1 << 16):
            data += part
    return data


class Memory(unittest.TestCase):
    """Answers are counted before they are written, those that nobody reads too."""

    def attack(self, *attacks):
        """Ten calls of 10 KB at once, for each attack; then the peak of the process in MB."""
        with Server("--log", "none", models=("wide", "sparse", "labels")) as server:
            for path, body in attacks:
                self.assertLess(len(json.dumps(body)), 12000)
                found = []
                run_all(10, lambda _, path=path, body=body: found.append(server.call(path, body)[0]))
                self.assertLessEqual(set(found), {200, 429}, path)
                self.assertIn(200, found, path)
                self.assertEqual(server.call("/embed", {"model": "wide", "inputs": "a"})[0], 200)
            return server.status_file("VmHWM") // 1024

    def test_peak(self):
        types = ["float", "int8", "uint8", "binary", "ubinary", "base64"]
        self.assertLess(self.attack(
            ("/embed_sparse", {"model": "sparse", "inputs": ["a"] * 100}),
            ("/v2/embed", {"model": "wide", "texts": ["a"] * 2000, "embedding_types": types}),
            ("/embed_all", {"model": "wide", "inputs": ["a " * 50] * 80}),
            ("/tokenize", {"model": "wide", "inputs": ["\x01 " * 10] * 150}),
            ("/decode", {"model": "wide", "ids": [[1] * 3000]}),
            ("/predict", {"model": "labels", "inputs": [["a"]] * 1500})), 400)

    def test_too_large(self):
        """An answer that can never be held is an error of its call, not of the moment."""
        with Server("--log", "none", models=("sparse",)) as server:
            self.assertEqual(server.call("/embed_sparse", {"inputs": ["a"] * 2000})[0], 413)

    def test_unread(self):
        """24 clients read no answer: small calls of all, and large ones of others, are served."""
        with Server("--log", "none", "--timeout", "600", models=("sparse", "plain")) as server:
            large = {"model": "sparse", "inputs": ["a"] * 16}  # 8 MB
            data = request("/embed_sparse", large)
            held = []
            for _ in range(24):
                held.append(server.send(data, n_buffer=4096))
                self.assertEqual(server.call(OPENAI, SMALL)[0], 200)
                other = server.send(request(OPENAI, {"model": "plain", "input": ["a"] * 500}, "Connection: close"), "127.0.0.2")
                self.assertEqual(statuses(read_all(other)), [200])
                other.close()
            await_true(lambda: server.call("/embed_sparse", large)[0] == 200)
            for connection in held:
                connection.close()

    def test_bodies(self):
        """Bodies that are never complete take no memory of small calls, or of other addresses."""
        with Server("--log", "none", "--timeout", "600") as server:
            head = b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n"
            held = [server.send(head + b" " * 1900000) for _ in range(150)]
            large = {"input": ["a"] * 2000}
            await_true(lambda: server.call(OPENAI, large)[0] == 429)
            self.assertEqual(server.call(OPENAI, SMALL)[0], 200)
            with server.send(request(OPENAI, large, "Connection: close"), "127.0.0.2") as other:
                self.assertEqual(statuses(read_all(other)), [200])
            for connection in held:
                connection.close()
            await_true(lambda: server.call(OPENAI, large)[0] == 200)


class Time(unittest.TestCase):
    """Batches are fair and full, and what nobody waits for is not computed."""

    def counts(self, server):
        lines = server.good("/metrics").decode().splitlines()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}

    def send_large(self, server, n_texts, n_tokens):
        """Returns a connection with a call that takes long, when so many tokens wait."""
        connection = server.send(request(OPENAI, {"model": "wide", "input": ["dog " * 60] * n_texts}))
        await_true(lambda: self.counts(server)["encode_queue_tokens"] > n_tokens)
        return connection

    def test_fair(self):
        """A word is computed beside two large calls, and not after them."""
        with Server("--log", "none", "--batch", "128", models=("wide", "plain")) as server:
            large = [self.send_large(server, 2000, n_tokens) for n_tokens in (0, 150000)]
            for path, body in ((OPENAI, {"model": "wide", "input": "a"}), ("/embed_all", SMALL | {"inputs": "a"})):
                self.assertEqual(server.call(path, body)[0], 200)
                self.assertEqual(select.select(large, [], [], 0)[0], [])
            for connection in large:
                connection.close()

    def test_queue_of_small_calls(self):
        """A large call that fills the queue leaves room for a word."""
        with Server("--log", "none", "--batch", "128", "--queue", "110000", models=("wide",)) as server:
            large = self.send_large(server, 2000, 0)
            self.assertEqual(server.call(OPENAI, {"input": ["dog " * 60] * 500})[0], 429)
            self.assertEqual(server.call(OPENAI, {"input": ["dog " * 60] * 15})[0], 200)
            self.assertEqual(select.select([large], [], [], 0)[0], [])
            large.close()

    def test_batch_is_full(self):
        """As many texts as --batch allows, and none more."""
        for words, n_batches in ((2, 50), (1, 50), (6, 100), (20, 100)):  # of texts with two more tokens, in 8
            with Server("--log", "none", "--batch", "8") as server:
                server.good(OPENAI, {"input": ["dog " * words] * 100})
                self.assertEqual(self.counts(server)["encode_batch_texts_count"], n_batches, words)

    def test_hang_up(self):
        """For clients that have gone, only what was started is computed."""
        with Server("--log", "json", "--batch", "1") as server:
            for _ in range(8):
                server.send(request(OPENAI, {"input": ["dog"] * 1000})).close()
            server.good(OPENAI, {"input": "a"})
            await_true(lambda: sum(b"/v1/embeddings" in line for line in list(server.lines)) == 9)
            n_computed = self.counts(server)["encode_batch_texts_sum"]
            self.assertLess(n_computed, 4000)
        codes = [json.loads(line)["status"] for line in server.lines]
        self.assertIn(499, codes)

    def test_trickle(self):
        """Headers and bodies that come byte by byte end by --timeout."""
        with Server("--log", "none", "--timeout", "1") as server:
            for begin, drop in ((b"POST /embed HTTP/1.1\r\nHost: localhost\r\nX: ", b"a"),
                                (b"POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000\r\n\r\n", b" "),
                                (request("/health", "", method="GET") + b"GET /health HTTP/1.1\r\nX: ", b"a")):
                connection = server.send(begin)
                with self.assertRaises(OSError):
                    for _ in range(20 * PATIENCE):
                        connection.sendall(drop)
                        time.sleep(0.05)
                connection.close()

    def test_few_descriptors(self):
        """Of 64 descriptors silent connections leave some to others."""
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

        with Server("--log", "none", "--timeout", "600", preexec_fn=limit) as server:
            silent = [server.send(b"POST" if i % 2 else b"") for i in range(100)]
            for _ in range(20):
                server.good("/health")
            for connection in silent:
                connection.close()
        few = [f"{PROGRAMS}/encode-serve", "--listen", "127.0.0.1:0", "-m", f"{FOLDER}/plain.weights"]
        run = subprocess.run(few, capture_output=True, check=False, timeout=PATIENCE,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)))
        self.assertEqual((run.returncode, b"40 files may be open" in run.stderr), (1, True), run.stderr)

    def test_unread_log(self):
        """A pipe of logs that nobody reads stops neither calls nor signals."""
        path = f"{FOLDER}/unread"
        write(path, "key\n", 0o644)
        server = Server("--api-key-file", path, is_read=False)
        connection = server.connect()
        for _ in range(2000):
            server.good("/health", connection=connection)
        connection.close()
        for _ in range(3):
            server.process.send_signal(signal.SIGHUP)
            time.sleep(0.1)
            server.good(OPENAI, SMALL, headers={"Authorization": "Bearer key"})
        server.end()


class Slow(unittest.TestCase):
    """A weight file that makes a letter hundreds, within what is accepted: 20 seconds for a text of 2 MB."""

    TEXT = request("/tokenize", {"model": "slow", "inputs": "a" * 2000000}, "Connection: close")

    def start(self, n):
        """Returns a server, and n connections whose texts are read, or wait for that."""
        server = Server("--log", "json", models=("plain", "slow"))
        before = server.cpu_seconds()
        held = [server.send(self.TEXT) for _ in range(n)]
        await_true(lambda: server.cpu_seconds() > before + 0.5)
        return server, held

    def test_others(self):
        """More slow texts than threads delay no small call; when their clients have gone, they end."""
        server, held = self.start(10)
        with server:
            for _ in range(20):
                server.good("/health")
                server.good(OPENAI, SMALL)
            self.assertEqual(select.select(held, [], [], 0)[0], [])
            for connection in held:
                connection.close()
            await_true(lambda: sum(b"/tokenize" in line for line in list(server.lines)) == 10)
            server.good("/tokenize", {"model": "plain", "inputs": ["a"] * 2000})
        slow = [json.loads(line) for line in server.lines if b'"slow"' in line or b'"status": 499' in line]
        self.assertEqual([(line["status"], line["tokens"]) for line in slow], [(499, 0)] * 10)

    def test_many_texts(self):
        """So do many texts that are short, each."""
        data = request("/tokenize", {"model": "slow", "inputs": ["a" * 900] * 2000})
        with Server("--log", "json", models=("plain", "slow")) as server:
            before = server.cpu_seconds()
            connection = server.send(data)
            await_true(lambda: server.cpu_seconds() > before + 0.5)
            connection.close()
            await_true(lambda: list(server.lines))
        line = json.loads(server.lines[0])
        self.assertEqual((line["status"], line["texts"] < 2000), (499, True), line)

    def test_end(self):
        """SIGTERM does not wait for them."""
        server, held = self.start(6)
        server.end()
        self.assertEqual([statuses(read_all(connection)) for connection in held], [[503]] * 6)
        for connection in held:
            connection.close()

    def test_opening(self):
        """A file that cannot be read to its end, now: signals, timeouts and calls do not wait for it."""
        path = f"{FOLDER}/pipe"
        os.mkfifo(path)
        command = [f"{PROGRAMS}/encode-serve", "--listen", "127.0.0.1:0", "-m", f"{FOLDER}/plain.weights",
                   "--api-key-file", path]
        with subprocess.Popen(command) as process:
            await_true(lambda: is_blocked(process.pid, signal.SIGHUP))
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(PATIENCE), 0)
        os.unlink(path)
        write(path, "key\n")
        with Server("--log", "none", "--timeout", "1", "--api-key-file", path) as server:
            os.unlink(path)
            os.mkfifo(path)
            server.process.send_signal(signal.SIGHUP)
            await_true(lambda: server.status_file("Threads") > 10)
            self.assertEqual(server.call(OPENAI, SMALL, headers={"Authorization": "Bearer key"})[0], 200)
            with server.send(b"POST") as connection:
                self.assertEqual(read_all(connection), b"")


class Access(unittest.TestCase):
    """Who may call."""

    def test_keys(self):
        path = f"{FOLDER}/keyfile"
        command = [f"{PROGRAMS}/encode-serve", "--listen", "127.0.0.1:0", "-m", f"{FOLDER}/plain.weights",
                   "--api-key-file", path]
        for text, words in (("", b"has no key"), ("# none\n\n", b"has no key"), ("a\0b\n", b"line 1: it has a NUL"),
                            ("good\na b \n", b"line 2: it begins or ends with a blank"), (" a\n", b"line 1: it begins"),
                            ("a\tb\n", b"control character"), ("x" * 256 + "\n", b"more than 255")):
            write(path, text)
            run = subprocess.run(command, capture_output=True, check=False, timeout=PATIENCE)
            self.assertEqual((run.returncode, words in run.stderr), (1, True), (text, run.stderr))
        write(path, "# the first is of Ann\nfirst\r\n\n" + "x" * 255 + "\n#second", 0o644)
        with Server("--log", "none", "--api-key-file", path) as server:
            self.assertIn(b"all users can read or write", server.lines[0])
            for key, status in (("first", 200), ("x" * 255, 200), ("#second", 401), ("x" * 254, 401), ("x" * 256, 401),
                                ("firs", 401), ("", 401), ("# the first is of Ann", 401)):
                self.assertEqual(server.call(OPENAI, SMALL, headers={"Authorization": f"Bearer {key}"})[0], status, key)
            write(path, "a b \n")
            server.process.send_signal(signal.SIGHUP)
            await_true(lambda: any(b"the old keys stay" in line for line in server.lines))
            self.assertEqual(server.call(OPENAI, SMALL, headers={"Authorization": "Bearer first"})[0], 200)

    def test_credential(self):
        """A key file that systemd passes is used without an option."""
        write(f"{FOLDER}/encode-serve.keys", "first\n")
        with Server("--log", "none", env={**os.environ, "CREDENTIALS_DIRECTORY": FOLDER}) as server:
            self.assertEqual(server.call(OPENAI, SMALL)[0], 401)
            self.assertEqual(server.call(OPENAI, SMALL, headers={"Authorization": "Bearer first"})[0], 200)
        with Server("--log", "none", env={**os.environ, "CREDENTIALS_DIRECTORY": f"{FOLDER}/none"}) as server:
            self.assertEqual(server.call(OPENAI, SMALL)[0], 200)

    def status(self, server, *headers, host="localhost"):
        with server.send(request(OPENAI, SMALL, "Connection: close", *headers, host=host)) as connection:
            return statuses(read_all(connection))

    def test_sites(self):
        own = ("localhost", "LocalHost:80", "a.localhost", "127.0.0.1", "127.0.0.1:8080", "127.1.2.3", "[::1]", "[::1]:1",
               "[::ffff:127.0.0.1]:80")
        others = ("evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]",
                  "evillocalhost", "x" * 300 + ".localhost", ".localhost", "localhost:80@evil.example", "", "127.0.0.1x")
        with Server("--log", "none") as server:
            for host in own:
                self.assertEqual(self.status(server, host=host), [200], host)
                self.assertEqual(self.status(server, f"Origin: http://{host}"), [200], host)
            for host in others:
                self.assertEqual(self.status(server, f"Origin: http://{host}"), [403], host)
                if host not in ("", "localhost:80@evil.example"):
                    self.assertEqual(self.status(server, host=host), [403], host)
            self.assertEqual(self.status(server, "Origin: null"), [403])
            self.assertEqual(server.call("/health", headers={"Host": "evil.example"})[0], 403)
            with server.send(b"GET /health HTTP/1.0\r\n\r\n") as connection:
                self.assertIn(b" 200 ", connection.recv(100))
        with Server("--log", "none", "--allow-host", "my.example", "--allow-host", "b") as server:
            for host, status in (("my.example:80", 200), ("MY.example", 200), ("b", 200), ("a", 403), ("my.example.a", 403)):
                self.assertEqual(self.status(server, host=host), [status], host)
                self.assertEqual(self.status(server, f"Origin: https://{host}"), [status], host)
        with Server("--log", "none", "--allow-host", "*") as server:
            self.assertEqual(self.status(server, host="evil.example"), [200])
        with Server("--log", "none", address="0.0.0.0:0") as server:  # not on loopback alone: a proxy's matter
            self.assertEqual(self.status(server, "Origin: http://evil.example", host="evil.example"), [200])

    def test_pages_read_answers(self):
        """A browser asks before it sends JSON; pages of this machine get an answer that they may read, others none."""
        ask = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        allow = "Access-Control-Allow-Origin"
        with Server("--log", "none", "--allow-host", "my.example") as server:
            for origin in ("http://localhost:5173", "https://my.example"):
                status, headers, body = server.call("/v1/embeddings", method="OPTIONS", headers={"Origin": origin, **ask})
                self.assertEqual((status, headers[allow], headers["Vary"], body), (204, origin, "Origin", b""))
                self.assertEqual(headers["Access-Control-Allow-Methods"], "POST")
                status, headers, _ = server.call("/health", headers={"Origin": origin})
                self.assertEqual((status, headers[allow]), (200, origin))
            status, headers, _ = server.call("/v1/embeddings", method="OPTIONS", headers={"Origin": "http://evil.example", **ask})
            self.assertEqual((status, headers[allow]), (403, None))
            status, headers, _ = server.call("/v1/embeddings", method="OPTIONS")
            self.assertEqual((status, headers[allow], headers["Allow"]), (405, None, "POST"))
        with Server("--log", "none", address="0.0.0.0:0") as server:
            status, headers, _ = server.call("/health", headers={"Origin": "http://localhost"})
            self.assertEqual((status, headers[allow]), (200, None))
            await_true(lambda: any(b"no key is asked for: --api-key-file" in line for line in server.lines))

    def test_cors(self):
        """--cors lets pages of an origin call and read; without it a page from elsewhere may do neither on loopback, and
        beyond it only send what its browser sends without asking, whose answer it cannot read."""
        ask = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        allow, page = "Access-Control-Allow-Origin", "https://app.example"

        def answers(server, origin):
            asked = server.call(OPENAI, method="OPTIONS", headers={"Origin": origin, **ask})
            sent = server.call(OPENAI, SMALL, headers={"Origin": origin, "Content-Type": "text/plain"})
            return [(status, headers[allow]) for status, headers, _ in (asked, sent)]

        for address in ("127.0.0.1:0", "0.0.0.0:0"):
            local = address.startswith("127")
            none = [(403, None)] * 2 if local else [(405, None), (200, None)]
            with Server("--log", "none", address=address) as server:
                self.assertEqual(answers(server, page), none)
            with Server("--log", "none", "--cors", page, "--cors", "http://b", address=address) as server:
                self.assertEqual(answers(server, page), [(204, page), (200, page)])
                self.assertEqual(answers(server, "http://b"), [(204, "http://b"), (200, "http://b")])
                for other in ("http://app.example", "https://app.example:8443", "https://app.example.evil", "null"):
                    self.assertEqual(answers(server, other), none, other)
                if local:
                    self.assertEqual(self.status(server, host="app.example"), [403])
            with Server("--log", "none", "--cors", "*", address=address) as server:
                self.assertEqual(answers(server, "null"), [(204, "null"), (200, "null")])

    def test_page(self):
        """The page has the script and the style of its server alone; no answer is taken for another type."""
        types = {"/": "text/html", "/page.css": "text/css", "/page.js": "text/javascript", "/health": "application/json",
                 "/metrics": "text/plain", "/none": "application/json"}
        with Server("--log", "none") as server:
            _, headers, page = server.call("/")
            for rule in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"):
                self.assertIn(rule, headers["Content-Security-Policy"])
            self.assertNotIn("unsafe", headers["Content-Security-Policy"])
            self.assertNotRegex(page, rb"(?i)\son[a-z]+=|\sstyle=|javascript:|<style|<script>")
            self.assertEqual(re.findall(rb'(?:src|href)="([^"#]+)"', page), [b"data:,", b"page.css", b"page.js"])
            for path, kind in types.items():
                headers = server.call(path)[1]
                self.assertEqual((headers["Content-Type"].split(";")[0], headers["X-Content-Type-Options"]), (kind, "nosniff"))

    def test_ambiguous(self):
        """What a proxy may read in another way is refused, and nothing is read after it."""
        body = json.dumps(SMALL).encode()
        n = b"Content-Length: %d" % len(body)
        chunked = b"Transfer-Encoding: chunked"
        cases = {
            "two lengths": [n, b"Content-Length: 5"],
            "one length twice": [n, n],
            "a length and chunks": [n, chunked],
            "chunks and a length": [chunked, n],
            "chunks twice": [chunked, chunked],
            "another coding": [b"Transfer-Encoding: gzip, chunked"],
            "no coding": [b"Transfer-Encoding: identity", n],
            "a folded length": [b"Content-Length:\r\n %d" % len(body)],
            "half a folded length": [b"Content-Length: %d\r\n 0" % (len(body) // 10)],
            "a folded header": [n, b"X-A: b\r\n c"],
            "a header folded by a tab": [n, b"X-A: b\r\n\tc"],
            "an empty folded header": [n, b"X-A:\r\n "],
            "two hosts": [n, b"Host: localhost"],
        }
        with Server("--log", "none") as server:
            for what, lines in cases.items():
                head = b"\r\n".join([b"POST /v1/embeddings HTTP/1.1", b"Host: localhost", *lines, b"", b""])
                with server.send(head + body + request(OPENAI, SMALL)) as connection:
                    self.assertEqual(statuses(read_all(connection)), [400], what)
            for line in (b"X-A:b", b"X-A:  \t b", b"X-A:", b"X-A: b "):  # blanks that are allowed
                head = b"\r\n".join([b"POST /v1/embeddings HTTP/1.1", b"Host: localhost", line, n, b"Connection: close"])
                with server.send(head + b"\r\n\r\n" + body) as connection:
                    self.assertEqual(statuses(read_all(connection)), [200], line)

    def test_addresses(self):
        for address in (":99999", "127.0.0.1:99999", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:", "127.0.0.1:x", "[::1]",
                        "unix:", "unix:" + "x" * 108, "127.0.0.1:0x50", "127.0.0.1: 80", "localhost:http", ""):
            run = subprocess.run([f"{PROGRAMS}/encode-serve", "--listen", address, "-m", f"{FOLDER}/plain.weights"],
                                 capture_output=True, check=False, timeout=PATIENCE)
            self.assertEqual((run.returncode, b"--listen takes" in run.stderr), (2, True), (address, run.stderr))
        for origin in ("https://a.example/", "https://a.example/page", "a.example", "https://", "null"):
            run = subprocess.run([f"{PROGRAMS}/encode-serve", "--cors", origin, "-m", f"{FOLDER}/plain.weights"],
                                 capture_output=True, check=False, timeout=PATIENCE)
            self.assertEqual((run.returncode, b"--cors takes" in run.stderr), (2, True), (origin, run.stderr))


class Shapes(unittest.TestCase):
    """Every route but the page has JSON for an answer, whatever the form of its texts."""

    def test_all(self):
        with open("tools/hosts/serve/answers.c", encoding="utf-8") as file:
            routes = re.findall(r'^    \{"(\w+)", "(/[^"]*)",', file.read(), re.M)
        self.assertGreater(len(routes), 25)
        texts = ["a", "", " ", "é 東京 😀", "\0\x01\x1b\u2028\"\\/", "dog " * 200, "a" * 100000]
        single = [*texts, 5, 0, -1, 1.5, 1e300, True, False, None, {}, {"text": "a"}, {"text": None}, {"a": [1e-5]}]
        shapes = [*single, *([shape] for shape in single), *([[shape]] for shape in single), [], [[]], [{}], ["a", "b"],
                  [["a", "b"]], [["a", "b"], ["c", "d"]], [5, 6], [[5, 6], [7]], ["a", 5], ["a", [5]], [["a"], "b"],
                  ["a"] * 2048, [[5]] * 2048, ["a"] * 2049, {"source_sentence": "a", "sentences": ["b", "c"]},
                  {"source_sentence": "a", "sentences": "b"}, [{"text": "a", "x": [1e-5, 1e20]}]]
        fields = ("input", "inputs", "prompt", "texts", "documents", "ids")
        n_good = {}
        with Server("--log", "none", models=("plain", "sparse", "labels", "cross")) as server:
            connection = server.connect()
            for method, path in routes:
                for shape in shapes if method == "POST" else ["a"]:
                    for model in ("plain", "sparse", "labels", "cross") if len(str(shape)) < 100 else ("plain",):
                        body = {"model": model, "query": "a", **dict.fromkeys(fields, shape),
                                "return_text": True, "return_documents": True}
                        status, headers, answer = server.call(path, body if method == "POST" else None,
                                                              connection=connection)
                        what = (path, model, str(shape)[:100], status, str(answer)[:100])
                        self.assertIn(status, (200, 400, 404, 413, 422, 424), what)
                        if path not in ("/", "/page.css", "/page.js", "/metrics") or method == "POST":
                            self.assertEqual(headers["Content-Type"], "application/json", what)
                        if status == 200:
                            n_good[path] = n_good.get(path, 0) + 1
                        if status == 200 and path == "/api/embeddings":
                            self.assertTrue(all(isinstance(value, float) for value in answer["embedding"]), what)
            connection.close()
        self.assertEqual([path for _, path in routes if not n_good.get(path) and path != "/v1/models/"], [])


if __name__ == "__main__":
    make_models()
    make_slow()
    FRAME = ["--add-token", "[CLS]", "--template-single", "[CLS]:0 A:0", "--layers", "1", "--max-tokens", "512"]
    program("encode-new", "-o", f"{FOLDER}/wide.weights", "--width", "384", *FRAME)
    program("encode-new", "-o", f"{FOLDER}/sparse.weights", "--width", "32", "--vocabulary", "30522", "--head", "mask",
            "--set", "sparse=mask", *FRAME)
    result = unittest.main(exit=False, verbosity=1).result
    n_failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - n_failed} passed, {n_failed} failed")
    raise SystemExit(n_failed != 0)
