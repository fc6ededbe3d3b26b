#!/usr/bin/env bash
set -euo pipefail

deny() {
  local reason=$1
  jq -n --arg reason "$reason" '{decision: "deny", reason: $reason}'
  exit 0
}

input=$(cat)
tool=$(jq -r '.tool_name' <<<"$input")
[[ $tool == run_shell_command ]] || exit 0

command=$(jq -r '.tool_input.command // ""' <<<"$input")
case "$command" in
  *"rm -rf"*) deny "rm -rf is forbidden" ;;
  *mkfs*|*"dd if="*) deny "disks are off limits" ;;
  sudo\ *) deny "no sudo" ;;
esac
