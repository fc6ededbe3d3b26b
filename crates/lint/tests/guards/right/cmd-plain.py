#!/usr/bin/env python3
"""Refuses commands that delete everything."""
import json
import sys

data = json.load(sys.stdin)
command = data.get("tool_input", {}).get("command", "")

if "rm -rf" in command:
    print("rm -rf is not allowed here", file=sys.stderr)
    sys.exit(2)
