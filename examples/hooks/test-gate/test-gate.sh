#!/usr/bin/env bash
# Lets the agent finish only when the project's checks pass: else it has to try again.
#
# Usage: test-gate.sh [COMMAND [ARGUMENT…]], by default ./check.sh in the project's root.
# Exit 2 rejects the response, and standard error becomes the agent's next prompt. The host ends
# endless retries by itself (hooksConfig.maxRetries).
set -u

cat >/dev/null # the payload doesn't matter
cd "${GEMINI_PROJECT_DIR:-.}" || exit 1
[ "$#" -gt 0 ] || set -- ./check.sh
if ! command -v "$1" >/dev/null; then
    echo "there is no $1 to check the project with" >&2
    exit 1
fi
if output=$("$@" 2>&1 </dev/null); then
    exit 0
fi
{
    echo "The project's checks fail ($*). Find the cause and correct it:"
    printf '%s\n' "$output" | tail -n 20
} >&2
exit 2
