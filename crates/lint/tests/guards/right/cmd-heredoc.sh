#!/usr/bin/env bash
input=$(cat)
cmd=$(echo "$input" | jq -r '.tool_input.command')
if echo "$cmd" | grep -q 'rm -rf'; then
  cat <<EOF
{"decision": "deny", "reason": "rm -rf is not allowed in this project"}
EOF
  exit 0
fi
echo '{"decision": "allow"}'
