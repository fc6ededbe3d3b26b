input=$(cat)

# With jq: trigger=$(jq -r .trigger <<<"$input")
trigger=$(sed -n 's/.*"trigger":[[:space:]]*"\([a-z_]*\)".*/\1/p' <<<"$input")

printf '{"systemMessage": "The history is being compressed (%s)."}\n' "${trigger:-unknown}"
