#!/usr/bin/env bash
cmd=$(jq -r '.tool_input.command')
if [ "${cmd:0:3}" = "rm " ] || [ "${cmd%% *}" = "shred" ]; then
  echo "no deleting" >&2
  exit 2
fi
