#!/bin/bash
block() { echo "$1" >&2; exit 2; }
CMD=$(jq -r '.tool_input.command // ""')
[[ -z "$CMD" ]] && exit 0
[[ "$CMD" =~ ^sudo ]] && block "sudo"
[[ "$CMD" =~ rm[[:space:]]+-rf ]] && block "rm -rf"
echo "$CMD" | grep -Eq 'curl .*\| *(ba)?sh' && block "curl | sh"
exit 0
