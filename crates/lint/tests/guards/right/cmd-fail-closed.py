#!/usr/bin/env python3
import json
import sys

try:
    event = json.load(sys.stdin)
    cmd = event["tool_input"]["command"].strip()
    parts = cmd.split()
    program = parts[0] if parts else ""
    if program == "rm" and any(it.startswith("-") and "r" in it for it in parts[1:]):
        print("recursive rm", file=sys.stderr)
        sys.exit(2)
except SystemExit:
    raise
except Exception as error:
    print(f"guard failed: {error}", file=sys.stderr)
    sys.exit(2)
