"""Compares a batch with a loop of asyncio over the same server, which takes 0.5 s to its first token.

    python3 tests/benches/batch.py target/release/colloquium [CONVERSATIONS]

128 conversations of two rounds with three seats each, 16 at once, three calls of a conversation at once.
"""

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

WAIT = 0.5
JOBS = 16
SEATS = 3
ROUNDS = 2
REPLY = "\\boxed{4}"


async def serve(reader, writer):
    """Answers requests on one connection."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = [l for l in head.lower().split("\r\n") if l.startswith("content-length:")]
            body = await reader.readexactly(int(length[0].split(":")[1])) if length else b""
            if head.startswith("GET"):
                kind, text = "application/json", json.dumps({"data": [{"id": "m"}]})
            else:
                await asyncio.sleep(WAIT)
                kind = "text/event-stream"
                delta = {"choices": [{"index": 0, "delta": {"content": REPLY}}]}
                end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
                text = "".join(f"data: {json.dumps(part)}\n\n" for part in (delta, end)) + "data: [DONE]\n\n"
            head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(text)}\r\n\r\n"
            writer.write((head + text).encode())
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def call(port, idle):
    """Makes one call over a connection that may have been used before."""
    reader, writer = idle.pop() if idle else await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"model": "m", "stream": True, "messages": [{"role": "user", "content": "2 + 2?"}]})
    writer.write(f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
    idle.append((reader, writer))


async def loop(port, conversations):
    """Runs all conversations with asyncio alone."""
    slots, idle = asyncio.Semaphore(JOBS), []

    async def converse():
        async with slots:
            for _ in range(ROUNDS):
                await asyncio.gather(*(call(port, idle) for _ in range(SEATS)))

    begun = time.perf_counter()
    await asyncio.gather(*(converse() for _ in range(conversations)))
    return time.perf_counter() - begun


async def main(program, conversations):
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    alone = await loop(port, conversations)
    with tempfile.TemporaryDirectory() as folder:
        items = os.path.join(folder, "items.jsonl")
        with open(items, "w") as out:
            for n in range(conversations):
                out.write(json.dumps({"id": str(n), "question": "2 + 2?", "answer": 4}) + "\n")
        command = [program, "batch", "society-of-minds", "--items", items, "--out", os.path.join(folder, "out")]
        command += ["--endpoint", f"http://127.0.0.1:{port}/v1", "--jobs", str(JOBS), "--set", f"parallel={SEATS}"]
        command += ["--set", "phase.2.rounds=1"]
        settings = os.path.join(folder, "c.toml")
        with open(settings, "w") as out:
            out.write('[models."endpoint:m"]\nwindow = 32000\n')
        begun = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *command, "--config", settings, env={**os.environ, "HOME": folder}, stderr=subprocess.DEVNULL
        )
        code = await process.wait()
        took = time.perf_counter() - begun
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    calls = conversations * SEATS * ROUNDS
    cpu = 1000 * (used.ru_utime + used.ru_stime) / calls
    print(f"{conversations} conversations, {calls} calls, exit code {code}")
    print(f"asyncio {alone:.1f} s; batch {took:.1f} s, {took / alone:.2f} times; {cpu:.2f} ms of CPU a call")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 128))
