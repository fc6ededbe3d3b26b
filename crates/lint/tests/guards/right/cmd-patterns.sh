#!/usr/bin/env bash
set -euo pipefail
patterns=(
  'rm[[:space:]]+-rf'
  'git[[:space:]]+push.*--force'
  'chmod[[:space:]]+777'
)
cmd="$(jq -r .tool_input.command)"
for re in "${patterns[@]}"; do
  if [[ $cmd =~ $re ]]; then
    printf 'blocked by %s\n' "$re" >&2
    exit 2
  fi
done
exit 0
