#!/usr/bin/env python3
import argparse
import sys

from hooklib import deny, read_event

parser = argparse.ArgumentParser()
parser.add_argument("--strict", action="store_true")
options = parser.parse_args()
event = read_event()
if "rm -rf" in event.command or options.strict and "curl" in event.command:
    deny("blocked by policy")
    sys.exit(2)
