#!/usr/bin/env bash
set -uo pipefail
cmd=$(jq -er '.tool_input.command') || exit 2
if grep -qE '(^|[;&|[:space:]])rm[[:space:]]+-[a-zA-Z]*(r|f)' <<<"$cmd"; then
  echo "refused: $cmd" >&2
  exit 2
fi
