#!/usr/bin/env bash
# Lets the agent finish only when ./check.sh passes. Put your own command there.
set -u
cat >/dev/null # nothing of the payload is needed
cd "$GEMINI_PROJECT_DIR" || exit 1
output=$(./check.sh 2>&1 </dev/null) && exit 0
{
  echo "./check.sh fails. Find the cause and fix it:"
  tail -n 30 <<<"$output"
} >&2
exit 2
