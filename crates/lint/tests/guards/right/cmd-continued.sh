#!/usr/bin/env bash
input=$(cat)
[ "$(jq -r .tool_name <<<"$input")" = run_shell_command ] ||
exit 0
cmd=$(jq -r .tool_input.command <<<"$input")
[[ $cmd != *"rm -rf"* ]] ||
  { echo "no" >&2; exit 2; }
