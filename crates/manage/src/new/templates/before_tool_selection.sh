input=$(cat)

# The value of "messages". With jq: jq -r '.llm_request.messages[-1].content' <<<"$input"
messages=${input#*\"messages\"}
if [[ $messages == *[Ee]xplain* ]]; then
    cat <<'JSON'
{"hookSpecificOutput": {"hookEventName": "BeforeToolSelection", "toolConfig": {"mode": "AUTO", "allowedFunctionNames": ["read_file", "list_directory", "glob", "search_file_content"]}}}
JSON
fi
