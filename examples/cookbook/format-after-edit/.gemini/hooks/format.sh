#!/usr/bin/env bash
# Formats the file that was written. A missing formatter isn't an error.
set -u
file=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["tool_input"]["file_path"])') || exit 1
[ -f "$file" ] || exit 0
run() {
  command -v "$1" >/dev/null || return 0
  "$@" >&2 || exit 1 # several formatters exit with 2, and that would withhold the result
}
case $file in
*.rs) run rustfmt --edition 2024 "$file" ;;
*.go) run gofmt -w "$file" ;;
*.py) run ruff format --quiet "$file" ;;
*.json) tidy=$(python3 -I -m json.tool --indent 2 "$file") && printf '%s\n' "$tidy" >"$file" ;;
*.js | *.ts | *.css) run biome format --log-level=warn --write "$file" ;;
esac
