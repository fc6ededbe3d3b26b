#!/usr/bin/env bash
# The text is data: it is handed on as an argument and never becomes part of a command.
set -u
text=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["message"])') || exit 1
if [ -n "${DISPLAY:-}" ] && command -v notify-send >/dev/null; then
  notify-send -- hookloop "$text"
elif command -v osascript >/dev/null; then
  TEXT=$text osascript -e 'display notification (system attribute "TEXT") with title "hookloop"'
else
  printf '%s\n' "$text" >>"$GEMINI_PROJECT_DIR/.gemini/waiting.log"
  python3 -c 'import json, sys; print(json.dumps({"systemMessage": "waiting: " + sys.argv[1]}))' "$text"
fi
