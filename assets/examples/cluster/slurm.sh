#!/bin/sh
#SBATCH --array=1-8
#SBATCH --cpus-per-task=2
# One part of a batch for each task of an array; the folder OUT is on a disk that all nodes share:
#   sbatch slurm.sh SCENARIO ITEMS OUT [OPTION...]
# Then: colloquium batch merge OUT -o OUT/results.jsonl
# A server of a model on each node: start it here, and give --endpoint http://127.0.0.1:PORT/v1.
set -eu
scenario=$1 items=$2 out=$3
shift 3
colloquium batch "$scenario" --items "$items" --out "$out" \
    --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" "$@"
