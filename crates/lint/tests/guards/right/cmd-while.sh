#!/usr/bin/env bash
cmd=$(jq -r .tool_input.command)
while IFS= read -r line; do
  read -r first second _ <<<"$line"
  if [[ $first == rm && $second == -* ]]; then
    echo "no: $line" >&2
    exit 2
  fi
done <<<"${cmd//;/$'\n'}"
exit 0
