#!/usr/bin/env bash
input=$(cat)
logger -t guard "$input" 2>/dev/null &
check() { jq -e '.tool_input.command | test("rm -rf") | not' <<<"$1" >/dev/null; }
check "$input" &
pid=$!
wait "$pid" || { echo no >&2; exit 2; }
wait
