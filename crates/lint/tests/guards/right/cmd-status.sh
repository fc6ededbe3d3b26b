#!/usr/bin/env bash
check() {
  local cmd
  cmd=$(jq -r '.tool_input.command')
  [[ $cmd != *"rm -rf"* ]]
}
check
status=$?
if [ "$status" -ne 0 ]; then
  echo "blocked" >&2
  exit 2
fi
