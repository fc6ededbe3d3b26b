#!/usr/bin/env python3
import json, re, sys

event = json.load(sys.stdin)
text = event["tool_input"]["command"]
if m := re.match(r"(?:.*[;&|])?\s*(rm|shred|mkfs)\b", text):
    print(f"{m.group(1)} is refused", file=sys.stderr)
    sys.exit(2)
if re.match(r".*\bgit\s+push\b.*(--force|-f)\b", text, re.S):
    sys.exit(2)
