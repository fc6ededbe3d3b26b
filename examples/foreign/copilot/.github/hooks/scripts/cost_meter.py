#!/usr/bin/env python3
"""Cost meter: counts what each tool gives the model to read."""
import json
import sys

data = json.load(sys.stdin)
size = len(data["toolResult"]["textResultForLlm"])
with open("cost.tsv", "a", encoding="utf-8") as log:
    log.write(data["toolName"] + "\t" + str(size) + "\n")
