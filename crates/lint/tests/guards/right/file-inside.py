#!/usr/bin/env python3
import json, os, sys

event = json.load(sys.stdin)
root = os.path.realpath(os.environ.get("GEMINI_PROJECT_DIR", os.getcwd()))
target = os.path.realpath(os.path.join(root, event["tool_input"]["file_path"]))
if os.path.commonpath([root, target]) != root:
    print(f"{target} is outside of {root}", file=sys.stderr)
    sys.exit(2)
name = os.path.basename(target)
stem, ending = os.path.splitext(name)
if ending in (".pem", ".env") or stem == ".env":
    sys.exit(2)
