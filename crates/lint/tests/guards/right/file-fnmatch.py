#!/usr/bin/env python3
import fnmatch
import json
import sys

PROTECTED = ["*.env", ".env", ".env.*", "*/secrets/*", "*.pem"]

event = json.load(sys.stdin)
file_path = event.get("tool_input", {}).get("file_path", "")
base = file_path.split("/")[-1]
hits = [p for p in PROTECTED if fnmatch.fnmatch(file_path, p) or fnmatch.fnmatch(base, p)]
if hits:
    print(f"Protected by {hits[0]}", file=sys.stderr)
    sys.exit(2)
