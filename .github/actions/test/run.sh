#!/usr/bin/env bash
# Runs the tests in PATHS with the program on the path, and writes a JUnit report to REPORT.
set -euo pipefail
# also over several lines; `read` fails at the end of the text
read -rd '' -a paths <<< "${PATHS:-.}" || true
options=(--format junit)
if [ "${TRUST:-false}" = true ]; then options+=(--trust); fi
# `//` and `/./` would hide that a path is in the checkout
report=$(printf %s "${REPORT:-conversations.xml}" | sed -e 's#//*#/#g' -e :a -e 's#/\./#/#' -e ta)
case /$report/ in
  */../*) echo "error: the report $report: a path without .. is needed" >&2; exit 2 ;;
esac

# a link in the checkout could lead anywhere
refuse_links() {
  local part=${report#"$PWD"/}
  while [ "$part" != . ] && [ "$part" != / ]; do
    if [ -L "$part" ]; then
      echo "error: the report $report would be written through the link $part" >&2
      exit 2
    fi
    # beyond the checkout, links belong to the machine
    case $part in /*) break ;; esac
    part=$(dirname -- "$part")
  done
}

refuse_links
made=$(mktemp -- "$report.XXXXXX")
trap 'rm -f -- "$made"' EXIT
code=0
colloquium test "${options[@]}" -- "${paths[@]}" > "$made" || code=$?
# the scripts of the tests may have made a link meanwhile
refuse_links
case $(uname) in
  Darwin) mv -fh -- "$made" "$report" ;;
  *) mv -fT -- "$made" "$report" ;;
esac
exit "$code"
