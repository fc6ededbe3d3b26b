#!/usr/bin/env python3
"""Formats what was edited: no spaces at the ends of lines."""
import json
import pathlib
import sys

data = json.load(sys.stdin)
patch = data["tool_input"]["command"]
path = next(line.split(": ", 1)[1] for line in patch.splitlines() if " File: " in line)
file = pathlib.Path(data["cwd"], path)
lines = [line.rstrip() for line in file.read_text().splitlines()]
file.write_text("\n".join(lines) + "\n")
