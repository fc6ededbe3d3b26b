#!/usr/bin/env bash
emit() { printf '{"decision":"%s","reason":"%s"}\n' "$1" "$2"; exit 0; }
exec 3>&1 1>&2
CMD=$(jq -r .tool_input.command)
echo "looking at $CMD"
if [[ "$CMD" == *"rm -rf"* ]]; then
  emit deny "no rm" >&3
fi
emit allow "" >&3
