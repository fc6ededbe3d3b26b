#!/usr/bin/env bash
CMD=$(jq -r .tool_input.command)
check_rm() {
  if [[ $CMD == *"rm -rf"* ]]; then
    echo rm >&2
    exit 2
  fi
}
check_dd() {
  if [[ $CMD == *"dd if="* ]]; then
    echo dd >&2
    exit 2
  fi
}
for check in $(compgen -A function check_); do "$check"; done
