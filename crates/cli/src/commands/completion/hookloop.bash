# Completion of hookloop for bash. In ~/.bashrc: source <(hookloop completions bash)
_hookloop() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("$(printf '%q' "${line%%$'\t'*}")")
    done < <(hookloop @complete@ "$COMP_CWORD" -- "${COMP_WORDS[@]}" 2>/dev/null)
}
complete -o bashdefault -o default -F _hookloop hookloop
