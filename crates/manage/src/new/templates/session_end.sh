input=$(cat)

# With jq: reason=$(jq -r .reason <<<"$input")
reason=$(sed -n 's/.*"reason":[[:space:]]*"\([a-z_]*\)".*/\1/p' <<<"$input")

printf '{"systemMessage": "The session ended (%s)."}\n' "${reason:-unknown}"
