#!/usr/bin/env python3
import fcntl, hashlib, json, os, pathlib, sys

call = json.load(sys.stdin)
entry = {key: call[key] for key in ("timestamp", "session_id", "tool_name")}
entry["input_sha256"] = hashlib.sha256(json.dumps(call["tool_input"], sort_keys=True).encode()).hexdigest()
entry["failed"] = bool(call["tool_response"].get("error"))
log = pathlib.Path(os.environ["GEMINI_PROJECT_DIR"], "audit.jsonl")
with log.open("a+", encoding="utf-8") as file:
    fcntl.flock(file, fcntl.LOCK_EX)  # sub-agents may run tools at the same time
    file.seek(0)
    before = file.read().splitlines()
    entry["before"] = hashlib.sha256(before[-1].encode()).hexdigest() if before else ""
    file.write(json.dumps(entry) + "\n")
