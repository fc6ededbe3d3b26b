input=$(cat)

# The value of "llm_response": the model's words, not the user's.
# With jq: jq -r .full_content <<<"$input"
response=${input#*\"llm_response\"}
if [[ $response == *INTERNAL-ONLY* ]]; then
    echo 'The answer quotes text that is marked INTERNAL-ONLY.' >&2
    exit 2
fi
exit 0
