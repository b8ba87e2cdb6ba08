#!/usr/bin/env bash
# Runs the tests in PATHS with the program on the path, and writes a JUnit report to REPORT.
set -euo pipefail
read -ra paths <<< "${PATHS:-.}"
options=(--format junit)
if [ "${TRUST:-false}" = true ]; then options+=(--trust); fi
colloquium test "${options[@]}" "${paths[@]}" > "${REPORT:-conversations.xml}"
