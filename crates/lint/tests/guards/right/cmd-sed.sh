#!/usr/bin/env bash
set -euo pipefail
cmd=$(jq -r .tool_input.command | sed -E 's/^[[:space:]]*(sudo|env|nohup)[[:space:]]+//')
first="${cmd%%[[:space:]]*}"
declare -A forbidden=([rm]=1 [dd]=1 [shred]=1)
if [[ -n ${forbidden[$first]+set} ]]; then
  echo "$first is forbidden" >&2
  exit 2
fi
