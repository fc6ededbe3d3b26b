#!/usr/bin/env python3
import json
import re
import shlex
import sys

SEPARATOR = re.compile(r"[;&|]+")


def words(command):
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(lexer)


def commands(command):
    current = []
    for token in words(command):
        if re.match(r"[;&|]+", token):
            yield current
            current = []
        else:
            current.append(token)
    yield current


event = json.load(sys.stdin)
for cmd in commands(event["tool_input"]["command"]):
    if cmd and cmd[0] in "rm rmdir shred".split():
        sys.stderr.write("refused: " + " ".join(cmd) + "\n")
        sys.exit(2)
sys.exit(0)
