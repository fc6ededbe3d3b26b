#!/usr/bin/env python3
import json, re, sys

def commands(text):
    for line in text.splitlines():
        for cmd in re.split(r"&&|\|\||[;|&]", line):
            if re.match(r"\s+#", cmd) or not cmd.strip():
                continue
            yield cmd.strip()

event = json.load(sys.stdin)
for cmd in commands(event["tool_input"]["command"]):
    first = cmd.split()[0].rsplit("/", 1)[-1]
    if first in ("rm", "dd") or cmd.find(" --no-preserve-root") > 0:
        print("blocked:", cmd, file=sys.stderr)
        sys.exit(2)
