#!/usr/bin/env bash
set -o pipefail
tee -a /dev/null | jq -e '.tool_input.command | test("rm -rf") | not' >/dev/null || {
  echo "blocked" >&2
  exit 2
}
