#!/usr/bin/env bash
# Prints the state of the repository as context. Python writes the JSON: text of a commit is data.
set -u
cat >/dev/null
cd "$GEMINI_PROJECT_DIR" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || exit 0
{
  echo "Branch: $(git branch --show-current)"
  echo "Last commits:"
  git log --oneline -5 2>/dev/null
  echo "Changed files:"
  git status --short | head -n 20
} | python3 -c '
import json, sys
output = {"hookEventName": "SessionStart", "additionalContext": sys.stdin.read()}
print(json.dumps({"hookSpecificOutput": output}))'
