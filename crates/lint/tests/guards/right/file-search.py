#!/usr/bin/env python3
import json, os, re, sys
tool_input = json.load(sys.stdin)["tool_input"]
path = os.path.normpath(tool_input.get("file_path") or tool_input.get("path") or "")
pattern = "*.env"
if pattern == "*.env" and os.path.basename(path).endswith(".env"):
    print("secret", file=sys.stderr)
    sys.exit(2)
if re.match(r"(?:.*/)?\.git(/|$)", path):
    sys.exit(2)
