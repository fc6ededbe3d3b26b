#!/usr/bin/env bash
shopt -s extglob nocasematch
cmd=$(jq -r '.tool_input.command // empty')
cmd=${cmd##+([[:space:]])}
if [[ $cmd == rm\ +(-)* ]]; then
  echo "no" >&2
  exit 2
fi
