#!/usr/bin/env bash
# Tries the Windows program under Wine: what of Windows can be shown on Linux.
#
#     packaging/wine/try.sh [PROGRAM]
#
# Without PROGRAM it builds one, which needs `rustup target add x86_64-pc-windows-gnu` and mingw's C compiler
# (Debian: gcc-mingw-w64-x86-64). Exit code 0: all held; 1: something didn't; 77: skipped, since Wine or the
# compiler is missing. Wine's PowerShell is an empty shell that succeeds at everything, so the hooks here name
# `cmd`; docs/platforms.md says what is left for a real host.
set -euo pipefail
home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
target=x86_64-pc-windows-gnu

for needed in wine x86_64-w64-mingw32-gcc; do
    if ! command -v "$needed" >/dev/null; then
        echo "SKIPPED, NOT PROVEN: the Windows program under Wine: there is no $needed" >&2
        exit 77
    fi
done

program=${1:-}
if [[ -z $program ]]; then
    (cd "$home" && cargo build --locked --package hookloop --bin hookloop --features plugins --profile demo --target "$target")
    program=${CARGO_TARGET_DIR:-$home/target}/$target/demo/hookloop.exe
fi

root=$(mktemp -d)
export WINEPREFIX=$root/prefix WINEDEBUG=-all HOME=$root DISPLAY='' TMPDIR=$root
end() {
    wineserver --kill 2>/dev/null || "$(dirname "$(readlink -f "$(command -v wine)")")/wineserver64" --kill 2>/dev/null || true
    rm -rf "$root"
}
trap end EXIT

failed=0
# expect WHAT CODE PATTERN COMMAND...: the command's exit code, and a text that its output must hold.
expect() {
    local what=$1 code=$2 pattern=$3 found=0
    shift 3
    timeout 120 "$@" >"$root/told" 2>&1 </dev/null || found=$?
    if [[ $found == "$code" ]] && grep -qE -- "$pattern" "$root/told"; then
        echo "ok: $what"
    else
        failed=1
        echo "FAILED: $what: exit code $found instead of $code, or no \"$pattern\" in:"
        sed 's/^/    /' "$root/told"
    fi
}

# project NAME HOOK: a project with one hook before each tool, and goes there.
project() {
    mkdir -p "$root/$1/.gemini"
    printf '{"hooks": {"BeforeTool": [{"hooks": [%s]}]}}\n' "$2" >"$root/$1/.gemini/settings.json"
    cd "$root/$1"
}

timeout 120 wineboot --init >/dev/null 2>&1 </dev/null || timeout 120 wine wineboot --init >/dev/null 2>&1 </dev/null || true
cp "$program" "$root/hookloop.exe"
hookloop() { wine "$root/hookloop.exe" "$@"; }
# Older versions of Wine lack a library that Rust's standard library asks for random numbers.
if ! hookloop --version >/dev/null 2>&1 </dev/null; then
    x86_64-w64-mingw32-gcc -shared -O2 -o "$root/bcryptprimitives.dll" "$home/packaging/wine/bcryptprimitives.c" -ladvapi32
fi
run=(wine "$root/hookloop.exe")

expect "the version" 0 '^hookloop [0-9]' "${run[@]}" --version

project checked '{"type": "command", "name": "guard", "shell": "cmd", "command": "echo not here 1>&2 & exit 2", "onFailure": "deny"}'
expect "check finds nothing wrong" 0 '0 errors' "${run[@]}" hooks check --skip-trust
expect "a hook in cmd refuses" 2 'reason: not here' "${run[@]}" hooks fire BeforeTool --tool write_file --skip-trust
expect "an untrusted hook doesn't run, and this is said" 0 'not trusted' "${run[@]}" hooks fire BeforeTool --tool write_file

cat >"$root/answers.jsonl" <<'SCRIPT'
{"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "write_file", "args": {"file_path": "x.txt", "content": "hello"}}}]}, "finishReason": "STOP"}]}]}
{"method": "generateContentStream", "response": [{"candidates": [{"content": {"role": "model", "parts": [{"text": "The turn is over."}]}, "finishReason": "STOP"}]}]}
SCRIPT
turn=(--yolo --fake-responses ../answers.jsonl -p "write x.txt")
expect "a refused call does nothing, and the turn goes on" 0 'blocked: not here' "${run[@]}" --skip-trust "${turn[@]}"
if [[ -e x.txt ]]; then
    failed=1
    echo "FAILED: the refused file was written"
fi
project allowed '{"type": "command", "name": "allows", "shell": "cmd", "command": "exit 0"}'
expect "a turn writes a file" 0 'The turn is over' "${run[@]}" --skip-trust "${turn[@]}"
expect "the file is there" 0 '^hello' cat x.txt
expect "the trace knows the run" 0 'allows' "${run[@]}" hooks trace --last 3

# The grandchild would write a file later: it must be gone with the job that it is in.
project tree '{"type": "command", "name": "slow", "shell": "cmd", "command": "start /b cmd /c \"ping -n 8 127.0.0.1 >nul & echo late> late.txt\" & ping -n 60 127.0.0.1 >nul", "timeout": 1500, "onFailure": "deny"}'
expect "a hook that hangs times out, and refuses" 2 'timed out after 1500 ms' "${run[@]}" hooks fire BeforeTool --tool write_file --skip-trust
sleep 10
if [[ -e late.txt ]]; then
    failed=1
    echo "FAILED: a process that the hook started outlived its timeout"
else
    echo "ok: what the hook had started is gone too"
fi

# Its hooks want PowerShell, bash and Python: here it shows that its turns come to their end.
cd "$root"
expect "the demo runs its turns" 0 'secret-guard' "${run[@]}" demo
exit "$failed"
