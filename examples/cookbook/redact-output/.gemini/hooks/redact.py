#!/usr/bin/env python3
import json, re, sys

PRIVATE = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|AKIA[0-9A-Z]{16}|gh[opsu]_[0-9A-Za-z]{36}")

text = json.load(sys.stdin)["content"]
clean = PRIVATE.sub("[redacted]", text)
if clean != text:
    candidate = {"content": {"role": "model", "parts": [clean]}}
    response = {"candidates": [candidate]}
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "AfterModel", "llm_response": response}}))
