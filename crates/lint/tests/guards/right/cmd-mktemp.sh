#!/bin/sh
set -eu
event=$(mktemp)
trap 'rm -f "$event"' EXIT HUP INT TERM
cat > "$event"
if jq -e '.tool_input.command | contains("rm -rf")' "$event" > /dev/null; then
  printf '%s\n' "blocked" >&2
  exit 2
fi
