#!/usr/bin/env python3
"""Formats what was edited: no spaces at the ends of lines."""
import json
import pathlib
import sys

data = json.load(sys.stdin)
path = data["tool_input"]["file_path"]
file = pathlib.Path(path)
lines = [line.rstrip() for line in file.read_text().splitlines()]
file.write_text("\n".join(lines) + "\n")
