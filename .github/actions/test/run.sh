#!/usr/bin/env bash
# Runs the tests in PATHS with the program on the path, and writes a JUnit report to REPORT.
set -euo pipefail
# also over several lines; `read` fails at the end of the text
read -rd '' -a paths <<< "${PATHS:-.}" || true
options=(--format junit)
if [ "${TRUST:-false}" = true ]; then options+=(--trust); fi
colloquium test "${options[@]}" "${paths[@]}" > "${REPORT:-conversations.xml}"
