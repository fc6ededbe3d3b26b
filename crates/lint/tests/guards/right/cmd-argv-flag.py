#!/usr/bin/env python3
import sys
import policy

DEBUG = "--debug" in sys.argv
event = policy.event()
if policy.is_dangerous(event):
    if DEBUG:
        print(event, file=sys.stderr)
    sys.exit(2)
