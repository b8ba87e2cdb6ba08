"""Measures the time from a key to its echo in a real terminal, while a reply streams and while it waits.

    python3 tests/benches/echo.py [PROGRAM [KEYS]]

A server on this machine sends a word every 5 ms. Each key is a letter that no reply has; its time ends with the byte of the letter on the
terminal. Printed are the median, the 95th percentile and the maximum, in milliseconds.
"""

import fcntl
import http.server
import json
import os
import pty
import select
import signal
import socketserver
import statistics
import struct
import sys
import tempfile
import termios
import threading
import time

WORD_EVERY = 0.005
WORDS = 40_000
SCENARIO = """title = "echo"
topic = "Should the harbour keep its trams?"
result = "none"
[limits]
utterances = 4
[[participant]]
id = "ada"
name = "Ada"
max_tokens = 100000
"""


class Handler(http.server.BaseHTTPRequestHandler):
    """A model that speaks without an end."""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer("application/json", json.dumps({"data": [{"id": "m", "max_model_len": 200_000}]}))

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.answer("text/event-stream", "")
        try:
            for number in range(WORDS):
                delta = {"choices": [{"index": 0, "delta": {"content": f"tram {number % 97} "}}]}
                self.wfile.write(f"data: {json.dumps(delta)}\n\n".encode())
                time.sleep(60 if "waits" in self.path and number > 80 else WORD_EVERY)
        except OSError:
            # the reader has left
            pass

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(body.encode())


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


class Screen:
    """The program on a terminal of its own."""

    def __init__(self, arguments, home):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            own = {"HOME": home, "PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8"}
            os.execve(arguments[0], arguments, own)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.shown = b""

    def until(self, text, seconds=60):
        """Reads until a text comes; returns the time at which it was read."""
        end = time.monotonic() + seconds
        while text not in self.shown:
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise SystemExit(f"{text!r} did not come: {self.shown[-2000:]!r}")
            self.shown += os.read(self.terminal, 1 << 16)
        return time.perf_counter()

    def echo(self, letter):
        """Types a letter; returns the milliseconds until it is shown."""
        self.shown = b""
        began = time.perf_counter()
        os.write(self.terminal, letter.encode())
        return (self.until(letter.encode()) - began) * 1_000

    def rest(self, seconds):
        """Reads for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.terminal], [], [], left)[0]:
                os.read(self.terminal, 1 << 16)

    def leave(self):
        """Ends the program; its terminal goes with it."""
        os.kill(self.pid, signal.SIGTERM)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def measure(screen, keys):
    times = []
    for at in range(keys):
        # letters beyond Latin 1, one column wide
        times.append(screen.echo(chr(0x180 + at % 64)))
        screen.rest(0.02)
        if at % 64 == 63:
            os.write(screen.terminal, b"\x15")
            screen.rest(0.1)
    times.sort()
    return f"{statistics.median(times):.2f}  p95 {times[int(len(times) * 0.95)]:.2f}  max {times[-1]:.2f}"


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "target/release/colloquium"
    keys = int(sys.argv[2]) if len(sys.argv) > 2 else 256
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as home:
        path = os.path.join(home, "echo.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCENARIO)
        for speed in ["streams", "waits"]:
            address = f"http://127.0.0.1:{server.server_port}/{speed}/v1"
            run = ["run", path, "--trust", "--endpoint", address, "--model", "endpoint:m"]
            screen = Screen([os.path.abspath(program), *run], home)
            screen.until(b"tram")
            screen.rest(0.5)
            print(f"while a reply {speed}, ms:", measure(screen, keys))
            screen.leave()


main()
