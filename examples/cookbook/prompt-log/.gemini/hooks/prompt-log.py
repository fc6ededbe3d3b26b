#!/usr/bin/env python3
import json, os, pathlib, sys

turn = json.load(sys.stdin)
entry = {key: turn[key] for key in ("timestamp", "session_id", "prompt")}
log = pathlib.Path(os.environ["GEMINI_PROJECT_DIR"], "prompts.jsonl")
with log.open("a", encoding="utf-8") as file:
    file.write(json.dumps(entry, ensure_ascii=False) + "\n")
log.chmod(0o600)
