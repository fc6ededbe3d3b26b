# This hook needs nothing of its input.
cat >/dev/null

# Only what is named is changed; the rest of the request stays.
cat <<'JSON'
{"hookSpecificOutput": {"hookEventName": "BeforeModel", "llm_request": {"config": {"temperature": 0.2}}}}
JSON
