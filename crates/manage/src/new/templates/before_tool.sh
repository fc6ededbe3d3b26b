input=$(cat)

# The value of "tool_input". With jq single fields can be read:
#   jq -r '.tool_input.file_path // ""' <<<"$input"
arguments=${input#*\"tool_input\"}

named_env='(^|[/"'\''=[:space:]])\.env(["'\''[:space:]]|$)'
if [[ $arguments =~ $named_env ]]; then
    echo 'Files named .env hold secrets: find a way that does without them.' >&2
    exit 2
fi

# No opinion.
exit 0
