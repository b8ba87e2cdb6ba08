#!/usr/bin/env python3
"""One turn at a time: a server that holds nothing between two messages of its client.

    python3 advise.py SCENARIO ADVISER [OPTION...]      e.g. python3 advise.py breed-advisor adviser --rehearsed

Each line of standard input is a message of the person. For each the conversation is run for one turn of the adviser, with
what is known and what was said so far, as the client would send them; both come back with the answer.
"""
import json
import os
import subprocess
import sys
import tempfile

program = os.environ.get("COLLOQUIUM", "colloquium")
scenario, adviser, *options = sys.argv[1:]


def turn(message, client):
    """Answers a message; `client` is all that is remembered, and what is remembered then comes back."""
    with tempfile.TemporaryDirectory() as folder:
        state, history, steer = (os.path.join(folder, n) for n in ("state", "history", "steer"))
        say = {"do": "say", "text": f"@{adviser} {message}"}
        for path, content in ((state, client["state"]), (history, client["history"]), (steer, say)):
            with open(path, "w") as file:
                json.dump(content, file)
        run = subprocess.run([program, "run", scenario, "--headless", "--no-save", "--max-utterances", "1",
                              "--format", "jsonl", "--state", state, "--history", history, "--steer", steer,
                              *options], text=True, check=True, stdout=subprocess.PIPE)
        events = [json.loads(line) for line in run.stdout.splitlines()]
        answer = next(e["data"]["text"] for e in events if e["kind"] == "turn.ended" and e["by"] == adviser)
        said = [{"role": "user", "content": message}, {"role": "assistant", "name": adviser, "content": answer}]
        return answer, {"state": json.load(open(state)), "history": client["history"] + said}


client = {"state": {}, "history": []}
for message in map(str.strip, sys.stdin):
    answer, client = turn(message, client)
    print(f"{answer}\n  {json.dumps(client['state']['profile'])}, {client['state']['stage']}")
