#!/usr/bin/env python3
"""Completion gate: the work is done when its notes are written."""
import json
import pathlib
import sys

data = json.load(sys.stdin)
if not pathlib.Path("NOTES.md").exists():
    print(json.dumps({"decision": "block", "reason": "write NOTES.md before you finish"}))
