"""Runs the parts of a batch as tasks of a Ray cluster whose nodes share a disk, and merges them.

    python ray_batch.py PARTS SCENARIO ITEMS OUT [OPTION...]
"""

import subprocess
import sys

import ray


@ray.remote(num_cpus=2, max_retries=2)
def run(part, parts, scenario, items, out, options):
    shard = ["--shard", f"{part}/{parts}"]
    command = ["colloquium", "batch", scenario, "--items", items, "--out", out]
    subprocess.run(command + shard + options, check=True)


def main():
    parts, scenario, items, out, *options = sys.argv[1:]
    ray.init()
    all_parts = range(1, int(parts) + 1)
    ray.get([run.remote(part, int(parts), scenario, items, out, options) for part in all_parts])
    subprocess.run(["colloquium", "batch", "merge", out, "-o", f"{out}/results.jsonl"], check=True)


if __name__ == "__main__":
    main()
