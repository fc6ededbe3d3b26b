#!/usr/bin/env bash
set -eu
jq -r '.tool_input.command' | while read -r line; do
  case $line in
    *rm\ -rf*) echo "blocked" >&2; exit 2 ;;
  esac
done || exit 2
