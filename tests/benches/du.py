"""Replays the published debates of Du et al. (2023) with a bundled protocol, for somebody who has the texts.

    python3 tests/benches/du.py FOLDER [PROGRAM]

FOLDER has their files gsm_AGENTS_ROUNDS.json with one or three agents: an object of {question: [chats, answer]}, in which each agent has a chat,
a list of {"role", "content"}. For each file: the calls, and the debates that are right as their script counts and here.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

NAMES = ["ada", "bo", "cy"]


def number(text):
    """Returns the last number of a text, as their script reads it."""
    found = re.findall(r"\d*\.?\d+", text.replace(",", ""))
    return float(found[-1]) if found else None


def right_in_their_count(replies, key):
    """Returns whether the majority of the last replies is right; a debate without any answer counts as right."""
    read = [n for n in map(number, replies) if n is not None]
    return not read or max(read, key=read.count) == number(key)


def replay(path, program, folder):
    debates = json.loads(path.read_text())
    lines, theirs, agents, rounds = [], 0, 0, 0
    for at, (question, (chats, key)) in enumerate(debates.items()):
        said = [[m["content"] for m in chat if m["role"] == "assistant"] for chat in chats]
        agents, rounds = len(said), len(said[0])
        theirs += right_in_their_count([chat[-1] for chat in said], key)
        texts = {f"s{a}r{r}": text for a, chat in enumerate(said) for r, text in enumerate(chat)}
        lines.append(json.dumps({"id": str(at), "question": question, "answer": key, **texts}))
    items = folder / f"{path.stem}.jsonl"
    items.write_text("\n".join(lines) + "\n")
    out = folder / path.stem
    command = [program, "batch", "society-of-minds" if agents > 1 else "reflection", "--items", items, "--out", out]
    command += ["--rehearsed"]
    command += ["--set", f"phase.2.rounds={rounds - 1}"] if agents > 1 else ["--set", f"phase.1.rounds={rounds}"]
    for agent, seat in enumerate(NAMES if agents > 1 else ["solver"]):
        spoken = ", ".join(f"'{{{{ item.s{agent}r{r} }}}}'" for r in range(rounds))
        command += ["--set", f"rehearsed.{seat}=[{spoken}]"]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    results = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    calls = sum(line["calls_total"] for line in results)
    right = sum(line["correct"] is True for line in results)
    print(f"{path.stem}: {calls} calls; their script {theirs} of {len(lines)}, here {right}")


def main():
    program = sys.argv[2] if len(sys.argv) > 2 else "colloquium"
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(pathlib.Path(sys.argv[1]).glob("gsm_[13]_*.json")):
            replay(path, program, pathlib.Path(folder))


if __name__ == "__main__":
    main()
