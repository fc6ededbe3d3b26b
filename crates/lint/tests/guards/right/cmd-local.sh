#!/usr/bin/env bash
set -euo pipefail
read_event() { INPUT=$(cat); }
field() { jq -r "$1 // empty" <<<"$INPUT"; }
guard() {
  local command
  command="$(field .tool_input.command)"
  if grep -qE "$(printf '%s|' 'rm +-rf' 'mkfs' | sed 's/|$//')" <<<"$command"; then
    return 1
  fi
}
read_event
if ! guard; then
  echo "refused" >&2
  exit 2
fi
