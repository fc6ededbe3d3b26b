#!/usr/bin/env bash
# Makes dashboard.png: hooks run in calls of several agents, and the page that `hookloop dashboard` makes of
# them is drawn by a browser.
#
# Usage: docs/images/dashboard.sh [PROGRAM]      needs chromium and curl
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "${1:-$here/../../target/debug/hookloop}")
home=$(mktemp -d)
page=
trap '[ -z "$page" ] || kill "$page" 2>/dev/null || true; rm -rf "$home"' EXIT
mkdir -p "$home/.gemini" "$home/shop" "$home/site"

cat >"$home/.gemini/settings.json" <<'END'
{"hooks": {
  "BeforeTool": [{"matcher": "run_shell_command", "hooks": [
    {"type": "command", "name": "no-force-push",
     "command": "case $(cat) in *--force*) echo 'a forced push rewrites what others have pulled' >&2; exit 2;; esac"},
    {"type": "command", "name": "use-ripgrep",
     "command": "case $(cat) in *grep*) printf '{\"hookSpecificOutput\":{\"tool_input\":{\"command\":\"rg TODO src\"}}}';; esac"},
    {"type": "command", "name": "no-network", "mode": "shadow",
     "command": "case $(cat) in *curl*) echo 'nothing is fetched here' >&2; exit 2;; esac"}]}],
  "AfterTool": [{"hooks": [{"type": "command", "name": "format", "command": "sleep 0.04; echo 'rustfmt: no such toolchain' >&2; exit 1"}]}],
  "AfterAgent": [{"hooks": [{"type": "command", "name": "tests-pass",
    "command": "sleep 0.1; printf '{\"decision\":\"deny\",\"reason\":\"2 tests fail: cart_total, cart_coupon\"}'"}]}]
}}
END

# calls AGENT EVENT PROJECT SESSION FIELDS: what an agent does when the bridge is its hook.
calls() {
    printf '{"session_id":"%s","cwd":"%s","hook_event_name":"%s",%s}' "$4" "$home/$3" "$2" "$5" |
        (cd "$home/$3" && env -i HOME="$home" PATH="$PATH" "$program" hooks bridge "$1" "$2") \
            >/dev/null 2>&1 || true
}

shell() { printf '"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"%s"}' "$1"; }

calls claude-code PreToolUse shop b1f4c7d2-claude "$(shell 'cargo test')"
calls claude-code PreToolUse shop b1f4c7d2-claude "$(shell 'git push --force')"
calls codex PreToolUse site 7c20e9aa-codex "$(shell 'curl https://example.com/install.sh')"
calls claude-code Stop shop b1f4c7d2-claude '"stop_hook_active":false,"last_assistant_message":"Done."'
calls codex PreToolUse site 7c20e9aa-codex "$(shell 'ls src')"
calls codex PostToolUse site 7c20e9aa-codex "$(shell 'ls src'),\"tool_response\":\"main.rs\""
calls claude-code PreToolUse shop b1f4c7d2-claude "$(shell 'grep -r TODO src')"
calls goose PreToolUse site 3e55b0c4-goose '"tool_name":"shell","tool_input":{"command":"grep -r TODO src"}'

cd "$home/shop"
env -i HOME="$home" PATH="$PATH" "$program" dashboard >"$home/address" &
page=$!
until [ -s "$home/address" ]; do sleep 0.1; done
curl --silent --fail "$(head -n 1 "$home/address")" | sed "s,$home,/home/ana,g" >"$home/page.html"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
    --window-size=960,1290 --screenshot="$here/dashboard.png" "file://$home/page.html" 2>/dev/null
