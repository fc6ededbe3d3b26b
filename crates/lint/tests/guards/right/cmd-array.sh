#!/usr/bin/env bash
PATTERNS=(
  "*rm -rf*"
  "*mkfs*")
cmd=$(jq -r .tool_input.command)
for pattern in "${PATTERNS[@]}"; do
  # shellcheck disable=SC2053
  if [[ $cmd == $pattern ]]; then
    echo "refused by $pattern" >&2
    exit 2
  fi
done
