#!/usr/bin/env python3
import argparse
import json
import sys


def parse():
    parser = argparse.ArgumentParser(description="Refuses dangerous commands.")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--log", default=None)
    return parser.parse_args()


def main():
    options = parse()
    event = json.load(sys.stdin)
    command = event.get("tool_input", {}).get("command", "")
    words = ["rm -rf"] + (["curl", "wget"] if options.strict else [])
    hits = [it for it in words if it in command]
    if hits:
        print("blocked: " + ", ".join(hits), file=sys.stderr)
        sys.exit(2)


main()
