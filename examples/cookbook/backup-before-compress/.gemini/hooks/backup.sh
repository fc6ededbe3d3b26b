#!/usr/bin/env bash
set -eu
umask 077 # a conversation is nobody else's
transcript=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["transcript_path"])')
[ -f "$transcript" ] || exit 0
folder=$GEMINI_PROJECT_DIR/.gemini/backups
mkdir -p "$folder"
copy=$(mktemp "$folder/$(date -u +%Y%m%dT%H%M%SZ)-XXXXXX")
cp "$transcript" "$copy"
python3 -c 'import json, sys; print(json.dumps({"systemMessage": "the conversation is kept in " + sys.argv[1]}))' "$copy"
