#!/usr/bin/env bash
die() { printf '%s\n' "$*" >&2; exit 2; }
command -v jq >/dev/null || die "jq is missing"
CMD=$(jq -er .tool_input.command) || die "no command"
case ${CMD^^} in
  *"RM -RF"*) die "no rm -rf" ;;
esac
[[ ${CMD,,} =~ ^sudo ]] && die "no sudo"
exit 0
