# This hook needs nothing of its input.
cat >/dev/null

printf '{"hookSpecificOutput": {"hookEventName": "BeforeAgent", "additionalContext": "Today is %s."}}\n' \
    "$(date +%Y-%m-%d)"
