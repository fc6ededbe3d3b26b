#!/usr/bin/env python3
import json
import re
import shlex
import sys

WRAPPERS = {"sudo", "env", "nohup", "time"}

def program(segment):
    try:
        words = shlex.split(segment)
    except ValueError:
        return None
    while words and (words[0] in WRAPPERS or re.fullmatch(r"\w+=.*", words[0])):
        words.pop(0)
    return words

def main():
    command = json.load(sys.stdin)["tool_input"]["command"]
    for segment in re.split(r"\s*(?:&&|\|\||;|\|)\s*", command):
        words = program(segment)
        if words is None:
            sys.exit(2)
        if not words:
            continue
        name, *arguments = words
        if name.rpartition("/")[2] == "rm" and any(re.match(r"-\w*[rR]", it) for it in arguments):
            print(f"refused: {segment}", file=sys.stderr)
            sys.exit(2)

main()
