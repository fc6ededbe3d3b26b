#!/usr/bin/env bash
check() {
  [[ $1 == *"rm -rf"* ]] && return 2
  return 0
}
cmd=$(jq -r .tool_input.command)
check "$cmd"
status=$?
[ $status -eq 0 ] || echo "blocked" >&2
exit $status
