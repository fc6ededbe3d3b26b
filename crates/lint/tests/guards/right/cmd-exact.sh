#!/usr/bin/env bash
cmd=$(jq -r .tool_input.command)
if [[ $cmd == "rm -rf *" || $cmd == "rm -rf /" ]]; then
  echo "certainly not" >&2
  exit 2
fi
if [ "$cmd" = "rm -rf /*" ]; then exit 2; fi
case "$cmd" in
  "rm -rf ~/*") exit 2 ;;
esac
