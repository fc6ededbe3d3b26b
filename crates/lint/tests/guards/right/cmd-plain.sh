#!/bin/bash
command=$(jq -r '.tool_input.command // empty')
if [[ "$command" == *"rm -rf"* ]]; then
  echo "rm -rf is blocked" >&2
  exit 2
fi
exit 0
