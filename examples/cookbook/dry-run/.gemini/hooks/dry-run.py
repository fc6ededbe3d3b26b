#!/usr/bin/env python3
import json, re, shlex, sys

# The beginning of a command, and the option that makes a rehearsal of it.
REHEARSALS = {
    ("npm", "publish"): "--dry-run",
    ("cargo", "publish"): "--dry-run",
    ("kubectl", "apply"): "--dry-run=server",
    ("rsync",): "--dry-run",
}

command = json.load(sys.stdin)["tool_input"]["command"]
for begin, option in REHEARSALS.items():
    if not re.search(r"\b" + r"\s+".join(begin) + r"\b", command):
        continue
    if re.search(r"[;&|`$<>\n(){}]", command):
        print(json.dumps({"decision": "ask", "reason": f"run `{' '.join(begin)}` as a command of its own"}))
        break
    words = shlex.split(command)
    if tuple(words[: len(begin)]) == begin and option not in words:
        words.insert(len(begin), option)
        output = {"hookEventName": "BeforeTool", "tool_input": {"command": shlex.join(words)}}
        print(json.dumps({"systemMessage": f"{option} was added", "hookSpecificOutput": output}))
        break
