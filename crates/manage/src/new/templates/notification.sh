input=$(cat)

# The text keeps the escapes that it has in the input, so it can be written into JSON again.
# With jq: jq '{systemMessage: ("The agent waits: " + .message)}' <<<"$input"
message=$(sed -nE 's/.*"message":[[:space:]]*"(([^"\\]|\\.)*)".*/\1/p' <<<"$input")

printf '{"systemMessage": "The agent waits: %s"}\n' "$message"
