#!/usr/bin/env python3
"""Checks commands.

Usage in the settings:

exit
    2 where a command is refused, else
sys.exit
    with 0
"""
import json
import sys


def check_rm(cmd):
    if "rm -rf" in cmd:
        print("no rm", file=sys.stderr)
        sys.exit(2)


def check_sudo(cmd):
    if cmd.startswith("sudo "):
        print("no sudo", file=sys.stderr)
        sys.exit(2)


CHECKS = [
    check_rm,
    check_sudo
]

command = json.load(sys.stdin)["tool_input"]["command"]
for check in CHECKS:
    check(command)
