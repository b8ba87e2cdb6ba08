#!/usr/bin/env bash
# Prints `key=DIGEST`, the digest of all files that the program is built from.
set -euo pipefail
cd -- "$(dirname -- "$0")/../../.."
export LC_ALL=C
digest=$(find Cargo.toml Cargo.lock src assets themes -type f | sort | tr '\n' '\0' | xargs -0 shasum -a 256 | shasum -a 256)
echo "key=${digest%% *}"
