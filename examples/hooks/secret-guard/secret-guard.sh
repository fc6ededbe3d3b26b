#!/usr/bin/env bash
# Keeps secrets out of files and commands: refuses a tool call whose arguments hold one.
#
# It searches the payload as text for what keys look like, so it needs no JSON parser: no key holds
# a character that JSON escapes. Exit 2 refuses, and standard error is the reason.
set -u

payload=$(cat) || exit 1

# Taking a key out of a file must stay possible, so the text that `replace` removes doesn't count.
arguments=$(printf '%s' "$payload" |
    LC_ALL=C sed -E 's/"old_string"[[:space:]]*:[[:space:]]*"([^"\\]|\\.)*"//g') || exit 1

refuse_if() { # what, pattern, what to do instead
    printf '%s' "$arguments" | LC_ALL=C grep -E -e "$2" >/dev/null
    case "${PIPESTATUS[1]}" in
    0)
        printf 'The arguments hold %s. %s\n' "$1" "$3" >&2
        exit 2
        ;;
    1) ;;
    *) exit 1 ;; # grep itself failed: that isn't "nothing found"
    esac
}

env='Refer to an environment variable instead, such as ${NAME}, and let the user set it.'
file='Leave it where it is, and refer to its path.'

refuse_if 'an AWS access key' '(AKIA|ASIA)[0-9A-Z]{16}' "$env"
refuse_if 'a GitHub token' 'gh[opusr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{22}' "$env"
refuse_if 'a GitLab token' 'glpat-[0-9A-Za-z_-]{20}' "$env"
refuse_if 'a Slack token' 'xox[abeoprs]-[0-9A-Za-z-]{10}' "$env"
refuse_if 'a Google API key' 'AIza[0-9A-Za-z_-]{35}' "$env"
refuse_if 'a Stripe key' '[rs]k_live_[0-9A-Za-z]{16}' "$env"
refuse_if 'an API key' '(^|[^0-9A-Za-z_-])sk-[0-9A-Za-z_-]{32}' "$env"
refuse_if 'a private key' '-----BEGIN ([A-Z]+ )*PRIVATE KEY' "$file"
exit 0
