#!/usr/bin/env python3
"""Prompt log: one line for each prompt."""
import json
import sys

data = json.load(sys.stdin)
with open("prompts.log", "a", encoding="utf-8") as log:
    log.write(data["conversation_id"] + " " + data["prompt"] + "\n")
