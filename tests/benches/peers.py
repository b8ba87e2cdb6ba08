#!/usr/bin/env python3
"""Times colloquium beside the programs that one would use instead, as far as they are installed.

    cargo build --release && python3 tests/benches/peers.py [RUNS] [PART...]

Every program gets the same terminal of 120x40 and, where it talks to a model, the same made-up server on this machine.
The programs take turns within each round, so that a busy moment hits all of them; what counts are the ratios of the
medians. What is not installed is named and left out. The parts, of which all are run unless some are named:

    start   the first filled frame: of `run`, of the start screen, of tenere; curl's first line is the floor
    paced   a reply of 50 tokens a second, from one participant and from four: aichat, tenere; curl is the floor
    burst   a reply of 10,000 tokens at once, and one of 100,000: aichat; curl is the floor; tenere loses the end
    echo    a key while nothing happens, and while words stream in: tenere
    engine  the processor's time for a turn at the beginning and after 500, beside a loop in Python that streams
    pages   opening 100,000 messages, the memory of one, paging, resizing: less, lnav, weechat
"""

import bisect, fcntl, http.server, json, os, pty, select, shutil, signal, statistics, struct, subprocess
import sys, tempfile, termios, threading, time

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OURS = os.environ.get("COLLOQUIUM", os.path.join(ROOT, "target/release/colloquium"))
PACED, BURST, LARGE, GAP = 200, 10_000, 100_000, 0.02
TURNS, WORDS, KEYS = [(1, 100), (501, 600)], 60, 30
LAST, END = "ENDOFREPLY", "ENDOFTALK"
LONG, SHORT = 100_000, 1_000
QUIET, PATIENCE = 20.0, 60.0
# the last corner of the first frame of tenere, which has no words
TENERE = "┗"


class Server(http.server.BaseHTTPRequestHandler):
    """Streams numbered words: paced or all at once, and remembers when each was sent."""

    words, gap, streams, sent = PACED, GAP, 0, {}
    begin = threading.Event()
    asked = staticmethod(lambda number: None)

    @classmethod
    def will(cls, words, gap, begins=True, asked=lambda number: None):
        """Says how the next replies come: how many words, how far apart, at once or once `begin` is set."""
        cls.words, cls.gap, cls.streams, cls.sent, cls.asked = words, gap, 0, {}, staticmethod(asked)
        cls.begin.set() if begins else cls.begin.clear()

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
        letter = "abcd"[Server.streams % 4]
        Server.streams += 1
        Server.asked(Server.streams)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        Server.begin.wait()
        for n in range(Server.words):
            word = f"{letter}{n:05}"
            Server.sent[word] = time.perf_counter()
            self.say({"content": word + ("\n\n" if n % 60 == 59 else " ")})
            if Server.gap:
                time.sleep(Server.gap)
        self.say({"content": f"\n\n{LAST}"})
        self.say({}, "stop")
        self.wfile.write(b"data: [DONE]\n\n")

    def say(self, delta, finish=None):
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        self.wfile.write(b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n")


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
        word, patience = word.encode(), time.perf_counter() + PATIENCE
        while self.bytes.find(word, since) < 0:
            since = max(since, len(self.bytes) - len(word))
            if not self.read(QUIET) or time.perf_counter() > patience:
                return None
        return time.perf_counter() - self.begun

    def settle(self, seconds=0.3):
        """Reads until nothing comes for so long; some programs write all the time, if little."""
        patience = time.perf_counter() + 5 * seconds
        while self.read(seconds) and time.perf_counter() < patience:
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

    def press(self, keys):
        """Presses keys one after another: Esc and a key at once would be another key."""
        for key in keys:
            self.settle(0.1)
            os.write(self.fd, key)

    def key(self, keys, echo=b""):
        """Returns milliseconds from a key to the next bytes, or to those that have its echo in them."""
        at = len(self.bytes)
        pressed = time.perf_counter()
        os.write(self.fd, keys)
        while len(self.bytes) == at or echo not in self.bytes[at:]:
            if not self.read(QUIET) or time.perf_counter() > pressed + QUIET:
                return None
        return 1_000 * (self.reads[-1][0] - pressed)

    def typed(self):
        """Returns milliseconds to the echo of a letter, the median of some that are typed at uneven times."""
        echoes = []
        for n in range(KEYS):
            until = time.perf_counter() + 0.03 + 0.0037 * (n % 7)
            while (left := until - time.perf_counter()) > 0:
                self.read(left)
            echoes.append(self.key(b"Q", b"Q"))
        return statistics.median([e for e in echoes if e] or [0])

    def seen(self, words):
        """Returns when each of these words was there first; words that never were are left out."""
        ends = {w: at + len(w) for w in words if (at := self.bytes.find(w.encode())) >= 0}
        upto = [upto for _, upto in self.reads]
        return {w: self.reads[bisect.bisect_left(upto, end)][0] for w, end in ends.items()}

    def cpu(self):
        """Returns the CPU seconds that it has used so far."""
        return cpu(self.pid)

    def close(self):
        """Returns the CPU seconds that it used."""
        os.kill(self.pid, signal.SIGTERM)
        killer = threading.Timer(3, os.kill, (self.pid, signal.SIGKILL))
        killer.start()
        used = os.wait4(self.pid, 0)[2]
        killer.cancel()
        os.close(self.fd)
        return used.ru_utime + used.ru_stime


def cpu(pid):
    """Returns the CPU seconds that a process has used so far: the system's clock of that process."""
    return time.clock_gettime((~pid << 3) | 2)


def environment(home):
    return {"HOME": home, "TERM": "xterm-256color", "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def write(*parts, text):
    path = os.path.join(*parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


def ours(home, url, seats, utterances, policy="round_robin"):
    """Returns the command that lets so many participants speak."""
    talk = f"""title = "Talk"
policy = {{ name = "{policy}" }}
limits = {{ utterances = {utterances} }}
""" + "".join(f'[[participant]]\nid = "{id}"\n' for id in ["ada", "bo", "cy", "dan"][:seats])
    write(home, ".config/colloquium/config.toml", text='[models."endpoint:tiny"]\nwindow = 1000000\n')
    scenario = write(home, f"talk-{seats}-{utterances}.toml", text=talk)
    return [OURS, "run", scenario, "--no-save", "--endpoint", url, "--model", "endpoint:tiny"]


def talkers(home, url):
    """The programs that show a reply as it comes: a command each, and the keys that ask for it."""
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
    return {"colloquium": (ours(home, url, 2, 1), []), "colloquium, 4": (ours(home, url, 4, 4, "simultaneous"), []),
            "curl": (curl, []), "aichat": (["aichat", "hello"], []), "tenere": (["tenere"], [b"ihello", b"\x1b", b"\r"])}


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


missing = set()


def there(programs):
    """Returns the programs that are installed, and names each other one once."""
    found = {name: how for name, how in programs.items() if shutil.which(how[0][0])}
    for name in sorted(set(programs) - set(found) - missing):
        print(f"not installed: {name}")
        missing.add(name)
    return found


def measure(figures, name, figure, value):
    if value is not None:
        figures.setdefault(figure, {}).setdefault(name, []).append(value)


def asked(home, command, keys):
    """Returns the terminal of a program that was asked for a reply, and when."""
    terminal = Terminal(command, environment(home))
    if keys:
        terminal.settle()
        terminal.press(keys)
    return terminal, time.perf_counter()


def start(figures, home, url):
    Server.will(PACED, GAP)
    talk = talkers(home, url)
    frames = {"colloquium": (talk["colloquium"][0], "LIMITS"), "start screen": ([OURS], "Write"),
              "curl": (talk["curl"][0], "data:"), "tenere": (["tenere"], TENERE)}
    for name, (command, mark) in there(frames).items():
        terminal = Terminal(command, environment(home))
        shown = terminal.until(mark)
        measure(figures, name, "first filled frame, ms", shown and 1_000 * shown)
        terminal.close()


def paced(figures, home, url):
    for name, (command, keys) in there(talkers(home, url)).items():
        Server.will(PACED, GAP)
        terminal, _ = asked(home, command, keys)
        terminal.until("00000")
        before, bytes_before = terminal.cpu(), len(terminal.bytes)
        terminal.until(f"{PACED - 1:05}")
        tokens = len(Server.sent)
        measure(figures, name, "CPU of 10,000 tokens, paced, s", (terminal.cpu() - before) / tokens * 10_000)
        measure(figures, name, "bytes a token, paced", (len(terminal.bytes) - bytes_before) / tokens)
        terminal.settle()
        late = sorted(1_000 * (at - Server.sent[word]) for word, at in terminal.seen(Server.sent).items())
        measure(figures, name, "chunk to screen, p50 ms", late[len(late) // 2])
        measure(figures, name, "chunk to screen, p95 ms", late[len(late) * 95 // 100])
        terminal.close()


def burst(figures, home, url):
    for name, (command, keys) in there(talkers(home, url)).items():
        for words in [BURST, LARGE]:
            if name in ["colloquium, 4", "tenere"] or name == "aichat" and words == LARGE:
                continue
            Server.will(words, 0)
            terminal, begun = asked(home, command, keys)
            if terminal.until(LAST) is not None:
                measure(figures, name, f"burst of {words:,}, s", time.perf_counter() - begun)
                measure(figures, name, f"burst of {words:,}, bytes a token", len(terminal.bytes) / words)
                measure(figures, name, f"burst of {words:,}, CPU s", terminal.cpu())
            terminal.close()


def echo(figures, home, url):
    talk = talkers(home, url)
    # the keys that lead to where one types before and while words stream in
    keys = {"colloquium": ([b"i"], []), "colloquium, 4": ([b"i"], []), "tenere": ([b"i"], [b"\x1b", b"\r", b"i"])}
    for name, (command, _) in there({name: talk[name] for name in keys}).items():
        Server.will(1_000, GAP, begins=False)
        terminal = Terminal(command, environment(home))
        terminal.settle()
        terminal.press(keys[name][0])
        measure(figures, name, "key to echo at rest, ms", terminal.typed())
        terminal.press(keys[name][1])
        Server.begin.set()
        terminal.until("00009")
        measure(figures, name, "key to echo while words stream in, ms", terminal.typed())
        terminal.close()


LOOP = """
import http.client, json, sys
messages = []
for turn in range(int(sys.argv[2])):
    link = http.client.HTTPConnection(sys.argv[1])
    body = json.dumps({"model": "tiny", "stream": True, "messages": messages})
    link.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
    said = ""
    for line in link.getresponse():
        if line.startswith(b"data: {"):
            said += json.loads(line[6:])["choices"][0]["delta"].get("content", "")
    messages.append({"role": "user", "content": said})
    print(said)
"""


def engine(figures, home, url):
    turns = TURNS[-1][1] + 1
    headless = ours(home, url, 2, turns) + ["--headless"]
    loop = [sys.executable, "-c", LOOP, url.split("/")[2], str(turns)]
    for name, command in {"colloquium": headless, "loop": loop}.items():
        at = {}
        Server.will(WORDS, 0, asked=lambda number: at.setdefault(number, cpu(process.pid)))
        process = subprocess.Popen(command, env=environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        process.wait()
        for first, last in TURNS:
            used = 1_000 * (at[last + 1] - at[first]) / (last + 1 - first)
            measure(figures, name, f"CPU a turn, turns {first} to {last}, ms", used)


def pages(figures, home, _):
    for name, (command, key) in there(pagers(home)).items():
        terminal = Terminal(command, environment(home))
        last = terminal.until(END)
        measure(figures, name, "last page on the screen, ms", last and 1_000 * last)
        terminal.settle(2.0)
        if not name.endswith("1,000"):
            measure(figures, name, "memory, bytes a message", terminal.memory() / LONG)
        paged = [terminal.key(key) for _ in range(20)]
        measure(figures, name, "page up, ms", statistics.median([p for p in paged if p] or [0]))
        widths = []
        for columns in (100, 120) * 3:
            # late bytes from the previous size would count as the response
            terminal.settle(0.1)
            widths.append(terminal.resize(columns))
        measure(figures, name, "resize, ms", statistics.median([w for w in widths if w] or [0]))
        terminal.close()


PARTS = [start, paced, burst, echo, engine, pages]


def table(figures):
    names = ["colloquium", "start screen", "colloquium, 4", "colloquium, 1,000", "curl", "loop", "aichat", "tenere", "less",
             "lnav", "weechat"]
    names = [name for name in names if any(name in of for of in figures.values())]
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
    print("in brackets: the first column divided by this one")


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    # whoever is closed in the middle of a reply
    server.handle_error = lambda *_: None
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    wanted = [part for part in PARTS if part.__name__ in (sys.argv[2:] or part.__name__)]
    figures = {}
    with tempfile.TemporaryDirectory() as home:
        for _ in range(ROUNDS):
            for part in wanted:
                part(figures, home, f"http://127.0.0.1:{server.server_port}/v1")
    table(figures)
    print("load of the machine at the end: " + " ".join(f"{load:.1f}" for load in os.getloadavg()))


if __name__ == "__main__":
    main()
