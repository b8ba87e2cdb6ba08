#!/usr/bin/env python3
"""Times colloquium beside the programs that one would use instead, as far as they are installed.

    cargo build --release && python3 tests/benches/peers.py [RUNS]

Every program gets the same terminal of 120x40 and, where it talks to a model, the same made-up server on this machine.
The programs take turns within each round, so that a busy moment hits all of them; what counts are the ratios of the
medians. Peers: aichat and tenere (a reply as it comes, a burst), less, lnav and weechat (opening 100,000 messages, the
memory of one, paging, resizing); curl is the floor. What is not installed is named and left out.
"""

import fcntl, http.server, json, os, pty, select, shutil, signal, statistics, struct
import sys, tempfile, termios, threading, time

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OURS = os.environ.get("COLLOQUIUM", os.path.join(ROOT, "target/release/colloquium"))
PACED, BURST, GAP = 100, 10_000, 0.02
LAST, END = "ENDOFREPLY", "ENDOFTALK"
LONG, SHORT = 100_000, 1_000
QUIET = 20.0


class Server(http.server.BaseHTTPRequestHandler):
    """Streams numbered words: paced or all at once, and remembers when each was sent."""

    sent = {}
    words, gap = PACED, GAP

    def log_message(self, *_):
        pass

    def do_GET(self):
        body = json.dumps({"object": "list", "data": [{"id": "tiny", "object": "model"}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for n in range(Server.words):
            end = "\n\n" if n % 60 == 59 else " "
            delta = {"choices": [{"index": 0, "delta": {"content": f"w{n:05}{end}"}}]}
            Server.sent[n] = time.perf_counter()
            self.wfile.write(b"data: " + json.dumps(delta).encode() + b"\n\n")
            if Server.gap:
                self.wfile.flush()
                time.sleep(Server.gap)
        last = {"choices": [{"index": 0, "delta": {"content": f"\n\n{LAST}"}}]}
        self.wfile.write(b"data: " + json.dumps(last).encode() + b"\n\n")
        done = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        self.wfile.write(b"data: " + json.dumps(done).encode() + b"\n\ndata: [DONE]\n\n")


class Terminal:
    """A program in a terminal of its own; what it writes, with the moment of each read."""

    def __init__(self, command, env):
        self.begun = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.bytes, self.reads = b"", []

    def read(self, seconds):
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            got = os.read(self.fd, 1 << 16)
        except OSError:
            return False
        # what a terminal is asked at the start: that it is one
        if b"\x1b[c" in got:
            os.write(self.fd, b"\x1b[?62;22c")
        if b"\x1b[6n" in got:
            os.write(self.fd, b"\x1b[1;1R")
        self.bytes += got
        self.reads.append((time.perf_counter(), len(self.bytes)))
        return bool(got)

    def until(self, word, since=0):
        """Returns when a word was there, counted from the start; none where it never came."""
        word = word.encode()
        while word not in self.bytes[since:]:
            if not self.read(QUIET):
                return None
        return time.perf_counter() - self.begun

    def settle(self, seconds=0.3):
        while self.read(seconds):
            pass

    def memory(self):
        """Returns the bytes that it holds."""
        with open(f"/proc/{self.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def resize(self, columns):
        """Returns milliseconds from another width to the next bytes."""
        at = len(self.bytes)
        begun = time.perf_counter()
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        while len(self.bytes) == at:
            if not self.read(QUIET):
                return None
        return 1_000 * (self.reads[-1][0] - begun)

    def key(self, keys):
        """Returns milliseconds from a key to the next bytes."""
        at = len(self.bytes)
        pressed = time.perf_counter()
        os.write(self.fd, keys)
        while len(self.bytes) == at:
            if not self.read(QUIET):
                return None
        return 1_000 * (self.reads[-1][0] - pressed)

    def seen(self, word):
        at = self.bytes.find(word.encode())
        return next((when for when, upto in self.reads if at >= 0 and upto >= at + len(word)), None)

    def close(self):
        """Returns the CPU seconds that it used."""
        os.kill(self.pid, signal.SIGTERM)
        killer = threading.Timer(3, os.kill, (self.pid, signal.SIGKILL))
        killer.start()
        used = os.wait4(self.pid, 0)[2]
        killer.cancel()
        os.close(self.fd)
        return used.ru_utime + used.ru_stime


def environment(home):
    return {"HOME": home, "TERM": "xterm-256color", "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def write(*parts, text):
    path = os.path.join(*parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


def talkers(home, url):
    """The programs that show a reply as it comes: a command each, and the keys that ask for it."""
    scenario = write(home, "talk.toml", text="""title = "Talk"
limits = { utterances = 1 }
[[participant]]
id = "ada"
[[participant]]
id = "bo"
""")
    ours = [OURS, "run", scenario, "--no-save", "--endpoint", url, "--model", "endpoint:tiny"]
    write(home, ".config/aichat/config.yaml", text=f"""model: near:tiny
clients:
- type: openai-compatible
  name: near
  api_base: {url}
  models:
  - name: tiny
""")
    write(home, ".config/tenere/config.toml", text=f"""llm = "llamacpp"
[llamacpp]
url = "{url}/chat/completions"
""")
    body = json.dumps({"model": "tiny", "stream": True, "messages": []})
    curl = ["curl", "-sN", "-d", body, f"{url}/chat/completions"]
    return {"colloquium": (ours, b""), "curl": (curl, b""), "aichat": (["aichat", "hello"], b""),
            "tenere": (["tenere"], b"hello\x1b\r")}


def checksum():
    """Returns CRC-32C, which closes each line of a session."""
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)

    def of(body):
        crc = 0xFFFFFFFF
        for byte in body:
            crc = crc >> 8 ^ table[crc & 255 ^ byte]
        return crc ^ 0xFFFFFFFF

    return of


def said(n, of):
    """Returns what message n says; the last one says something that is written whole wherever it is drawn."""
    return f"word{n} and some more words that somebody said in a long conversation" if n < of - 1 else END


def session(home, name, messages):
    """Writes a session of so many messages that stands at its limit; returns its path."""
    crc, out, seq = checksum(), [], 0

    def event(kind, by="engine", **data):
        nonlocal seq
        head = {"seq": seq, "at": "2026-01-01T00:00:00.000Z", "ms": seq, "by": by, "kind": kind, "data": data}
        body = json.dumps(head, separators=(",", ":"))[:-1]
        out.append(f'{body},"crc":"{crc(body.encode()):08x}"}}\n')
        seq += 1
        return seq - 1

    seat = {"id": "ada", "name": "Ada", "voice": {"lines": {"lines": [{"text": "x"}], "pace": 1}}, "weight": 1.0,
            "timeouts": {"connect": 1, "first": 1, "silence": 1, "total": 1}, "on_failure": {"retry": 1, "then": "skip"},
            "price": None, "window": None}
    scenario = {"title": "Long", "policy": {"name": "round_robin"}, "limits": {"utterances": messages}}
    event("conversation.opened", format=1, program="peers", seed=0, rehearsed=True, scenario=scenario,
          participants=[seat], parallel=1)
    for n in range(messages):
        round = {"for": "policy", "purpose": "speak", "seats": ["ada"], "why": "", "round": n + 1}
        batch = event("batch.opened", **round)
        turn = event("floor.granted", batch=batch, participant="ada", number=n + 1)
        event("turn.ended", by="ada", turn=turn, purpose="speak", number=n + 1, outcome="said", text=said(n, messages), cost=None,
              took_ms=1)
    event("conversation.ended", reason="utterance_limit", settled=False)
    return write(home, name, text="".join(out))


def pagers(home):
    """The programs that page in a long conversation: a command each, and the key for a page up."""
    text = write(home, "long.log", text="".join(f"{n} ada: {said(n, LONG)}\n" for n in range(LONG)))
    rooms = ["weechat", "-d", os.path.join(home, "weechat"), "--no-connect", "-r", f"/exec -n -norc -buffer long cat {text}",
             "-r", "/buffer long"]
    return {"colloquium": ([OURS, "resume", session(home, "long.jsonl", LONG)], b"\x1b[5~"),
            "colloquium, 1,000": ([OURS, "resume", session(home, "short.jsonl", SHORT)], b"\x1b[5~"),
            "less": (["less", "+G", text], b"\x1b[5~"), "lnav": (["lnav", text], b"\x1b[5~"),
            "weechat": (rooms, b"\x1b[5~")}


def there(programs):
    found = {name: how for name, how in programs.items() if shutil.which(how[0][0])}
    for name in sorted(set(programs) - set(found)):
        print(f"not installed: {name}")
    return found


def measure(figures, name, figure, value):
    if value is not None:
        figures.setdefault(figure, {}).setdefault(name, []).append(value)


def rounds(home, url):
    figures = {}
    speakers, readers = there(talkers(home, url)), there(pagers(home))
    for _ in range(ROUNDS):
        for name, (command, keys) in speakers.items():
            for words, gap in [(PACED, GAP), (BURST, 0)]:
                Server.words, Server.gap, Server.sent = words, gap, {}
                terminal = Terminal(command, environment(home))
                if keys:
                    terminal.settle()
                    os.write(terminal.fd, keys)
                asked = time.perf_counter()
                shown = terminal.until(LAST)
                if gap:
                    late = [terminal.seen(f"w{n:05}") for n in range(words)]
                    late = [1_000 * (at - Server.sent[n]) for n, at in enumerate(late) if at]
                    if late:
                        measure(figures, name, "chunk to screen, p50 ms", statistics.median(late))
                    measure(figures, name, "bytes a token, paced", len(terminal.bytes) / words)
                    measure(figures, name, "first bytes, ms", 1_000 * (terminal.reads[0][0] - terminal.begun))
                elif shown is not None:
                    measure(figures, name, f"burst of {words}, s", time.perf_counter() - asked)
                cpu = terminal.close()
                measure(figures, name, f"CPU of {words} tokens, s", cpu)
        for name, (command, key) in readers.items():
            terminal = Terminal(command, environment(home))
            short = name.endswith("1,000")
            last = terminal.until(END)
            if last is not None:
                measure(figures, name, "last page on the screen, ms", 1_000 * last)
            terminal.settle(2.0)
            if not short:
                measure(figures, name, "memory, bytes a message", terminal.memory() / LONG)
            pages = [terminal.key(key) for _ in range(20)]
            measure(figures, name, "page up, ms", statistics.median([p for p in pages if p] or [0]))
            widths = [terminal.resize(columns) for columns in (100, 120) * 3]
            measure(figures, name, "resize, ms", statistics.median([w for w in widths if w] or [0]))
            terminal.close()
    return figures


def table(figures):
    names = ["colloquium", "colloquium, 1,000", "curl", "aichat", "tenere", "less", "lnav", "weechat"]
    print("| figure | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for figure, of in figures.items():
        medians = {name: statistics.median(values) for name, values in of.items()}
        ours = medians.get("colloquium")
        cells = []
        for name in names:
            value = medians.get(name)
            ratio = f" ({ours / value:.2f})" if ours and value and name != "colloquium" else ""
            cells.append("–" if value is None else f"{value:.3g}{ratio}")
        print(f"| {figure} | " + " | ".join(cells) + " |")
    print("in brackets: ours divided by theirs")


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home:
        table(rounds(home, f"http://127.0.0.1:{server.server_port}/v1"))


if __name__ == "__main__":
    main()
