#!/usr/bin/env bash
# Makes the pictures of this folder: plays sessions of the real program in tmux, in a home of their own,
# with the hooks of examples/ and answers from scripts, and draws what is on the screen.
#
# Usage: docs/images/make.sh [SCENE…]      needs tmux and python3
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root"
cargo build --quiet -p hookloop -p xtask
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
home=$(mktemp -d /tmp/XXXX) # as long as what the pictures show in its place: /home/ana
number=0
terminal() { tmux -L "hookloop-pictures-$$-$number" -f /dev/null "$@"; }
trap 'terminal kill-server 2>/dev/null || true; rm -rf "$home"' EXIT

# Starts a program on a terminal of so many columns and rows.
on() {
    terminal kill-server 2>/dev/null || true
    number=$((number + 1)) # a server that ends must not be met again
    local columns=$1 rows=$2
    shift 2
    terminal new-session -d -x "$columns" -y "$rows" -c "$home/shop" env -i \
        HOME="$home" PATH="$target/debug:$PATH" TERM=xterm-256color LANG=C.UTF-8 \
        GEMINI_CLI_SYSTEM_SETTINGS_PATH="$home/none.json" "$@" ';' set-option remain-on-exit on
}

session() { # columns rows turn [option…]
    on "$1" "$2" hookloop --fake-responses "$home/turns/$3.jsonl" "${@:4}"
}

screen() { terminal capture-pane -p "$@"; }

# Waits until the screen shows a text.
sees() {
    for _ in $(seq 300); do
        if screen -J | tr -s ' \n' ' ' | grep -qF -- "$1"; then return; fi
        sleep 0.1
    done
    screen >&2
    echo "the screen doesn't show: $1" >&2
    exit 1
}

# Waits until nothing is under way any more.
rests() {
    for _ in $(seq 300); do
        if ! screen | grep -qF "esc to cancel"; then return; fi
        sleep 0.1
    done
    screen >&2
    echo "the session doesn't come to rest" >&2
    exit 1
}

# Waits until the program is over.
ends() {
    until [ "$(terminal display-message -p '#{pane_dead}')" = 1 ]; do sleep 0.1; done
}

types() { terminal send-keys -l "$1"; }
presses() { terminal send-keys "$@"; }
sends() { types "$1" && sleep 0.3 && presses Enter; }

# Draws the screen, or its part from one text up to another.
draws() { # picture [from to]
    local part=p
    if [ $# -gt 1 ]; then part="/$2/,/$3/{/$3/!p}"; fi
    screen -e | sed -n -e "s,$home,/home/ana,g" -e "$part" | # and without the blank rows below
        sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' | "$target/debug/xtask" picture >"$here/$1.svg"
    echo "$1.svg"
}

# A small shop, with some of the hooks, which nobody has agreed to yet.
project() { # hook…
    rm -rf "$home/shop" "$home/.gemini" "$home/.local"
    mkdir -p "$home/shop/.gemini/hooks" "$home/shop/.gemini/agents"
    cp -r examples/demo/project/. "$home/shop"
    local hook
    for hook in "$@"; do
        find "examples/hooks/$hook" '(' -name '*.sh' -o -name '*.py' ')' -exec cp -t "$home/shop/.gemini/hooks" {} +
    done
    sed -i '2i [ "${1:-}" != --thorough ] || exec sleep 60' "$home/shop/check.sh"
    printf -- '---\nname: tester\ndescription: runs checks, and tells what fails\n---\nYou run checks.\n' \
        >"$home/shop/.gemini/agents/tester.md"
    python3 - "$@" >"$home/shop/.gemini/settings.json" <<'END'
import json, sys
hooks = {}
for name in sys.argv[1:]:
    settings = open(f"examples/hooks/{name}/settings.json")
    for event, groups in json.load(settings)["hooks"].items():
        hooks.setdefault(event, []).extend(groups)
json.dump({"hooks": hooks}, sys.stdout, indent=2)
END
    mkdir "$home/.gemini"
    echo '{"tools": {"allowed": ["run_shell_command(./check.sh)"]}}' >"$home/.gemini/settings.json"
    git -C "$home/shop" init --quiet --initial-branch main
}

trusted_project() {
    project secret-guard trash redact test-gate
    (cd "$home/shop" && env -i HOME="$home" PATH="$target/debug:$PATH" hookloop hooks trust >/dev/null)
}

# What the model says in each turn.
mkdir "$home/turns"
cp examples/demo/turns/*.jsonl "$home/turns"
python3 - "$home/turns" <<'END'
import json, sys
def turn(name, *answers):
    with open(f"{sys.argv[1]}/{name}.jsonl", "w") as file:
        for parts in answers:
            chunks = [{"candidates": [{"content": {"role": "model", "parts": [part]}}]} for part in parts]
            chunks[-1]["candidates"][0]["finishReason"] = "STOP"
            print(json.dumps({"method": "generateContentStream", "response": chunks}), file=file)
def call(name, **arguments):
    return {"functionCall": {"name": name, "args": arguments}}
turn("talk", [{"text": "Orders over 100 get **10 %** off since `total.sh` changed."}])
turn("delegate", [{"text": "I'll have the checks run thoroughly."},
     call("delegate_to_agent", agent_name="tester", objective="Run all checks of the shop.")],
     [call("run_shell_command", command="./check.sh --thorough", description="Run every check")])
END

trust() {
    project secret-guard test-gate
    for columns in 80 40; do
        session $columns 40 talk
        sees "❯ 3. Skip this time"
        draws "trust-$columns"
    done
}

welcome() {
    trusted_project
    for columns in 80 40; do
        session $columns 24 talk
        sees "Type your message"
        draws "welcome-$columns"
    done
}

turn() {
    for columns in 80 40; do
        trusted_project
        session $columns 50 1-secret
        sees "Type your message"
        sends "Add upload.env with the settings of our S3 bucket."
        sees "❯ 1. Allow once"
        types 1
        sees "in your environment."
        rests
        draws "turn-$columns"
    done
}

confirm() {
    trusted_project
    for columns in 80 40; do
        session $columns 50 4-retry
        sees "Type your message"
        sends "Give orders over 100 a discount of 10 %."
        sees "❯ 1. Allow once"
        draws "confirm-$columns"
    done
}

panel() {
    trusted_project
    for columns in 80 40; do
        session $columns 24 1-secret --approval-mode yolo
        sees "Type your message"
        sends "Add upload.env with the settings of our S3 bucket."
        sees "in your environment."
        rests
        sends "/clear"
        sees "A new session has started."
        sends "/hooks panel"
        sees "p50"
        draws "panel-$columns"
    done
}

resume() {
    trusted_project
    for prompt in "What do orders over 100 cost?" "Which files hold prices?" "Explain total.sh to me"; do
        session 80 24 talk
        sees "Type your message"
        sends "$prompt"
        sees "since"
        sends "/quit"
        ends
    done
    session 80 24 talk
    sees "Type your message"
    sends "/resume"
    sees "Sessions of this project"
    draws resume
}

agent() {
    trusted_project
    session 80 30 delegate
    sees "Type your message"
    sends "Do all the checks of the shop pass?"
    sees "tester: run_shell_command"
    sleep 2
    draws agent
}

files() {
    trusted_project
    session 80 24 talk
    sees "Type your message"
    types "Explain @"
    sees "@total.sh"
    draws files
}

demo() {
    mkdir -p "$home/shop"
    on 84 200 hookloop demo
    ends
    draws demo "1  A key" "3  The model"
}

scenes=("$@")
(( $# > 0 )) || scenes=(trust welcome turn confirm panel resume agent files demo)
for scene in "${scenes[@]}"; do "$scene"; done
