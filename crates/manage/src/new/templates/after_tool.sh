input=$(cat)

# A tool that failed changed nothing. With jq: jq -e '.tool_response.error' <<<"$input"
if [[ $input =~ \"error\":[[:space:]]*[\"{] ]]; then
    exit 0
fi

cat <<'JSON'
{"hookSpecificOutput": {"hookEventName": "AfterTool", "additionalContext": "A file was changed: run the tests before you say that it works."}}
JSON
