#!/usr/bin/env python3
"""Drives a conversation from outside: reads its events, answers them with commands.

    python3 drive.py SCENARIO [OPTION...]      e.g. python3 drive.py round-table --rehearsed

Every line that comes on standard output is one event (`colloquium schema event`), every line that goes to standard input
is one command (`colloquium schema steer`). The run ends when the conversation does, or when this program ends it.
"""
import json
import os
import subprocess
import sys

program = os.environ.get("COLLOQUIUM", "colloquium")
options = ["--headless", "--format", "jsonl", "--steer", "-", "--no-save"]
run = subprocess.Popen([program, "run", *sys.argv[1:], *options], text=True,
                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def command(do, **keys):
    """Sends one command; its receipt carries the id."""
    print(json.dumps({"do": do, "id": do, **keys}), file=run.stdin, flush=True)


command("say", after={"utterance": 2}, text="And who pays for it?")
speakers, asked = [], False
for line in run.stdout:
    event = json.loads(line)
    kind, data = event["kind"], event["data"]
    if kind == "turn.ended" and data["purpose"] == "speak":
        speakers.append(event["by"])
        print(f'{data["number"]:>3} {event["by"]}: {data.get("text", "")[:60]!r}')
        if not asked and "who pays" in data.get("text", ""):
            asked = True
            command("end")  # somebody has answered: that is enough
    elif kind == "receipt":
        print(f'    {data.get("id")}: {data["is"]}')
    elif kind == "conversation.ended":
        print(f'ended: {data["reason"]} after {len(speakers)} turns')
sys.exit(run.wait())
