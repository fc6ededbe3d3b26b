#!/usr/bin/env python3
import json, re, sys
from textwrap import dedent

RULES = dedent("""
    rm\\s+-rf    deleting everything
    git\\s+push\\s+-f    rewriting history
    sys.exit(0)    nothing
""").strip()

event = json.load(sys.stdin)
for rule in RULES.splitlines():
    pattern, _, reason = rule.partition("    ")
    if re.search(pattern, event["tool_input"]["command"]):
        sys.exit(print(reason.strip(), file=sys.stderr) or 2)
