#compdef hookloop
# Completion of hookloop for zsh. In ~/.zshrc, after compinit: source <(hookloop completions zsh)
_hookloop() {
    local -a values descriptions
    local line
    for line in "${(@f)$(hookloop @complete@ $((CURRENT - 1)) -- "${words[@]}" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        values+=("${line%%$'\t'*}")
        descriptions+=("${line/$'\t'/  -- }")
    done
    if (( ${#values} )); then
        compadd -l -d descriptions -a values
    else
        _files
    fi
}
if [[ ${funcstack[1]} == _hookloop ]]; then
    _hookloop "$@"
else
    compdef _hookloop hookloop
fi
