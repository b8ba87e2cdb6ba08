#!/bin/sh
# Runs a batch in PARTS parts, JOBS of them at once, and merges them:
#   gnu-parallel.sh SCENARIO ITEMS OUT [OPTION...]
set -eu
scenario=$1 items=$2 out=$3
shift 3
parts=${PARTS:-8}
seq "$parts" | parallel -j "${JOBS:-4}" colloquium batch "$scenario" --items "$items" --out "$out" \
    --shard "{}/$parts" "$@"
colloquium batch merge "$out" -o "$out/results.jsonl"
