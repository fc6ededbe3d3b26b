#!/usr/bin/env python3
"""Command guard: deletes no folders."""
import json
import re
import sys

data = json.load(sys.stdin)
if re.search(r"\brm\s+-\w*r", data["tool_input"]["command"]):
    print("deleting whole folders is not allowed here", file=sys.stderr)
    sys.exit(2)
