#!/usr/bin/env bash
set -Eeuo pipefail
trap 'echo "guard failed at line $LINENO" >&2; exit 2' ERR
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
cat >"$tmp"
cmd=$(jq -r '.tool_input.command' "$tmp")
if [[ ${cmd,,} == *"rm -rf"* ]]; then
  echo "no" >&2
  exit 2
fi
