#!/usr/bin/env bash
set -euo pipefail

log() { echo "[guard] $*" >&2; }

is_destructive() {
  local cmd=$1
  [[ $cmd =~ (^|[[:space:]])rm[[:space:]]+-[rRf] ]] && return 0
  [[ $cmd == *"> /dev/sd"* ]] && return 0
  return 1
}

main() {
  local input cmd
  input=$(cat)
  cmd=$(jq -r '.tool_input.command // empty' <<< "$input")
  if is_destructive "$cmd"; then
    log "refusing: $cmd"
    exit 2
  fi
}

main "$@"
