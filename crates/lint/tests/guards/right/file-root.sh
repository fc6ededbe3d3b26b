#!/usr/bin/env bash
set -euo pipefail
file=$(jq -r '.tool_input.file_path')
root=$(git rev-parse --show-toplevel 2>/dev/null || pwd)
real=$(realpath -m -- "$file")
if [[ $real != "$root"/* || $(basename "$real") == .env ]]; then
  echo "outside of $root: $real" >&2
  exit 2
fi
